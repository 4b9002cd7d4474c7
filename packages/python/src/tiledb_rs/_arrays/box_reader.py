"""Boxes of dense arrays as NumPy arrays, by calls that are prepared once for an open array.

A small read from memory takes the library a few microseconds. Checks of arguments, a stream of Arrow batches and handles with finalizers
would take Python twenty times as long. This reads what needs none of them: contiguous slices of attributes of fixed size without nulls. All
else, wrong keys included, is left to the general read.
"""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, Tuple

from .._model.values import number_of
from .._native.compiled import slices
from .._native.context import text
from .._native.errors import TileDBError, installed
from .._native.interrupts import Interruptible
from .._native.library import functions

if TYPE_CHECKING:
    from .._model.schema import Schema
    from .._native.context import Context, Handle

# Larger results are those of the general read, next to which its own time is small.
MAX_BYTES = 1 << 20


class _Call:
    """What one read uses and the next one uses again: threads have one each."""

    __slots__ = ("query", "query_pointer", "subarray", "sizes")

    def __init__(self, ctx: Context, array: Handle, count: int):
        self.query = ctypes.c_void_p()
        self.query_pointer = byref(self.query)
        self.subarray = ctx.make("subarray", "subarray_alloc", array)
        sizes = [ctypes.c_uint64() for _ in range(count)]
        self.sizes = [(size, byref(size)) for size in sizes]


def integer_types() -> FrozenSet[Any]:
    """NumPy's types of integers, which can be coordinates."""
    import numpy

    return frozenset(getattr(numpy, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64))


class BoxReader:
    """Reads boxes of one open array, by ctypes."""

    __slots__ = ("_context", "_array", "_domain", "_pack", "_attributes", "_integers", "_calls", "_empty", "_width", "_library")

    def __init__(self, ctx: Context, array: Handle, attributes: List[Tuple[str, Any, Tuple[int, ...]]], domain: List[Tuple[int, int]], code: str):
        import numpy

        self._context, self._array = ctx, array
        self._domain = domain
        self._pack = struct.Struct(f"<{2 * len(domain)}{code}").pack
        self._attributes = [(name, text(name), numpy.dtype(dtype), tail) for name, dtype, tail in attributes]
        self._width = max(numpy.dtype((dtype, tail)).itemsize for _, dtype, tail in attributes)
        self._integers = integer_types()
        self._empty, self._library = numpy.empty, functions()
        self._calls: List[_Call] = []

    def read(self, key: Any) -> Any:
        """The cells of a key as :meth:`Array.__getitem__` returns them; None for a key or a result that is left to the general read."""
        parts = key if type(key) is tuple else (key,)
        missing = len(self._domain) - len(parts)
        if missing:
            if missing < 0:
                return None
            parts += (slice(None),) * missing
        bounds: List[int] = []
        shape: List[int] = []
        cells = 1
        for part, (first, last) in zip(parts, self._domain):
            if type(part) is slice:
                low, high = part.start, part.stop
                if part.step is not None:
                    return None
                low = first if low is None else low
                high = last if high is None else high - 1 if type(high) is int else None
                if type(low) is not int or high is None or not first <= low <= high <= last:
                    return None
                extent = high - low + 1
                shape.append(extent)
                cells *= extent
                bounds += (low, high)
            else:
                if type(part) in self._integers:
                    part = int(part)
                if type(part) is not int or not first <= part <= last:
                    return None
                bounds += (part, part)
        if cells * self._width > MAX_BYTES:
            return None
        selected = self._read(self._pack(*bounds), tuple(shape))
        if selected is None or shape:
            return selected
        # A value is no array.
        return {name: value[()] for name, value in selected.items()} if type(selected) is dict else selected[()]

    def _read(self, bounds: bytes, shape: Tuple[int, ...]) -> Any:
        """The cells of a box; None if the query cannot be made, for which the general read raises an error with the reason.

        Raises:
            TileDBError: if reading fails or is cancelled.
        """
        try:
            call = self._calls.pop()
        except IndexError:
            call = _Call(self._context, self._array, len(self._attributes))
        lib, ctx, query, subarray = self._library, self._context._as_parameter_, call.query, call.subarray
        arrays: Dict[str, Any] = {}
        message = None
        query.value = None
        try:
            failed = lib.tiledb_query_alloc(ctx, self._array, 0, call.query_pointer)
            failed = failed or lib.tiledb_subarray_set_subarray(ctx, subarray, bounds) or lib.tiledb_query_set_subarray_t(ctx, query, subarray)
            for (name, encoded, dtype, tail), (size, pointer) in zip(self._attributes, call.sizes):
                array = arrays[name] = self._empty(shape + tail, dtype)
                size.value = array.nbytes
                failed = failed or lib.tiledb_query_set_data_buffer(ctx, query, encoded, array.__array_interface__["data"][0], pointer)
            if failed:
                return None
            with Interruptible(self._context):
                if lib.tiledb_query_submit(ctx, query):
                    # Before another operation of the context fails.
                    message = self._context.last_error()
            if message is not None:
                raise TileDBError(message, "read")
            for (size, _), array in zip(call.sizes, arrays.values()):
                # A query that is incomplete, as with too little memory, has not filled its buffers.
                if size.value != array.nbytes:
                    return None
        finally:
            lib.tiledb_query_free(call.query_pointer)
            self._calls.append(call)
        return arrays if len(arrays) > 1 else array


def _make_compiled(module: Any, ctx: Context, array: Handle, attributes: List[Tuple[str, Any, Tuple[int, ...]]], domain: List[Tuple[int, int]], code: str) -> Any:
    """A reader of the compiled module; None for a domain that it cannot express."""
    import numpy

    if len(domain) > module.MAX_DIMENSIONS or any(not -(1 << 63) <= first <= last < 1 << 63 for first, last in domain):
        return None
    parts = []
    for name, dtype, tail in attributes:
        parts.append((name, text(name), numpy.dtype(dtype), tail, numpy.dtype((dtype, tail)).itemsize))
    return module.BoxReader(
        (ctx._handle, array),
        ctx._handle.pointer,
        array.pointer,
        tuple(domain),
        struct.calcsize(f"<{code}"),
        tuple(parts),
        MAX_BYTES,
        numpy.ndarray,
        integer_types(),
    )


def make_box_reader(ctx: Context, array: Handle, schema: Schema) -> Any:
    """An object whose ``read`` reads boxes of an open array; None for arrays of other cells than numbers of fixed size, and for sparse ones."""
    if schema.sparse or schema.stored is not None or installed("numpy") is None:
        return None
    attributes: List[Tuple[str, Any, Tuple[int, ...]]] = []
    for one in schema.attributes:
        if one.var or one.nullable or one.enumeration is not None or one.dtype.is_string or one.dtype.kind == "bool":
            return None
        attributes.append((one.name, one.dtype.numpy, () if one.values == 1 else (one.values,)))
    domain = []
    for at, dimension in enumerate(schema.dimensions):
        first, last = (number_of(dimension.dtype, bound) for bound in schema.bounds(at))
        domain.append((first, last))
    code, module = schema.dimensions[0].dtype.code, slices()
    compiled = None if module is None else _make_compiled(module, ctx, array, attributes, domain, code)
    return compiled or BoxReader(ctx, array, attributes, domain, code)
