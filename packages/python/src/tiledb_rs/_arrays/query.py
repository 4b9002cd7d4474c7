"""Read queries: an open array, a subarray, a condition and a layout."""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
from ctypes import byref, c_uint64
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .._native.arrow_struct import ArrowArrayStream, Stream
from .._model.condition import Condition, condition_of
from .._native.context import Context, Handle, text
from .._model.fields import order_number
from .._native.errors import TileDBError
from .._native.library import functions
from .box_reader import make_box_reader
from .nonempty import nonempty_domain
from .._model.schema import Schema, check_names, load
from .._model.number_ranges import NumberRanges, Range
from .._model.values import ranges_of, united

READ, WRITE, DELETE = 0, 1, 2
Ranges = Mapping[str, Any]


class OpenArray:
    """An array that is open for reading at fixed timestamps; queries keep it open."""

    __slots__ = ("ctx", "uri", "handle", "schema", "timestamps", "_boxes")

    _boxes: Any

    def __init__(self, ctx: Context, uri: str, start: Optional[int] = None, end: Optional[int] = None):
        self.ctx = ctx
        self.uri = uri
        self.handle = open_handle(ctx, uri, READ, start, end)
        self.schema: Schema = load(ctx, ctx.make("array_schema", "array_get_schema", self.handle), self.handle)
        if not self.schema.sparse and any(map(self.schema.is_unbounded, range(self.schema.ndim))):
            stored = nonempty_domain(ctx, self.handle, self.schema.dimensions)
            self.schema = dataclasses.replace(self.schema, stored=stored or ())
        self.timestamps: Tuple[int, int] = (
            ctx.ask(c_uint64, "array_get_open_timestamp_start", self.handle),
            ctx.ask(c_uint64, "array_get_open_timestamp_end", self.handle),
        )

    @property
    def boxes(self) -> Any:
        """The reader of boxes; None if the array has no cells that it reads."""
        try:
            return self._boxes
        except AttributeError:
            self._boxes = make_box_reader(self.ctx, self.handle, self.schema)
            return self._boxes

    def schema_handle(self) -> Handle:
        """The schema, with all enumerations."""
        self.ctx.call("array_load_all_enumerations", self.handle, about=self.uri)
        return self.ctx.make("array_schema", "array_get_schema", self.handle)


def open_handle(ctx: Context, uri: str, mode: int, start: Optional[int] = None, end: Optional[int] = None) -> Handle:
    """Opens an array; the handle closes it when it is freed."""
    handle = ctx.make("array", "array_alloc", text(uri, "a URI"), about=uri)
    if start is not None:
        ctx.call("array_set_open_timestamp_start", handle, start, about=uri)
    if end is not None:
        ctx.call("array_set_open_timestamp_end", handle, end, about=uri)
    ctx.open("array_open", handle, mode, uri)
    return handle


Bounds = Dict[int, Sequence[Range]]


def bounds_of(schema: Schema, ranges: Optional[Ranges]) -> Bounds:
    """The ranges of a read in bytes, by the index of their dimension: of all dimensions of a dense array."""
    if ranges is None:
        ranges = {}
    if not isinstance(ranges, Mapping):
        raise TypeError(f"ranges must be a dict from dimensions to ranges, not {type(ranges).__name__}")
    names = [dimension.name for dimension in schema.dimensions]
    found: Bounds = {}
    for name, wanted in ranges.items():
        if name not in names:
            raise KeyError(f"there is no dimension {name!r}; there are {', '.join(names)}")
        at = names.index(name)
        found[at] = ranges_of(schema.dimensions[at], wanted, schema.bounds(at))
        if schema.sparse:
            found[at] = united(schema.dimensions[at], found[at])
    for at, dimension in enumerate(schema.dimensions):
        if not schema.sparse and at not in found:
            if schema.stored == () and schema.is_unbounded(at):
                raise ValueError(f"the array has no cells, and its dimension {dimension.name!r} no bound: give a range of it")
            found[at] = ranges_of(dimension, schema.bounds(at))
    return found


def make_subarray(ctx: Context, array: Handle, schema: Schema, bounds: Bounds) -> Handle:
    """A subarray with these ranges."""
    subarray = ctx.make("subarray", "subarray_alloc", array)
    for index, ranges in bounds.items():
        dimension = schema.dimensions[index]
        about = f"dimension {dimension.name!r}"
        if isinstance(ranges, NumberRanges):
            _add_numbers(ctx, subarray, index, ranges, about)
        elif dimension.dtype.is_string:
            _add_texts(ctx, subarray, index, ranges, about)
        else:
            for low, high in ranges:
                ctx.call("subarray_add_range", subarray, index, low, high, None, about=about)
    return subarray


def _add_numbers(ctx: Context, subarray: Handle, index: int, ranges: NumberRanges, about: str) -> None:
    low, count = ranges.lows.buffer_info()
    if ranges.are_points:
        ctx.call("subarray_add_point_ranges", subarray, index, low, count, about=about)
        return
    high, size, add = ranges.highs.buffer_info()[0], ranges.lows.itemsize, functions().tiledb_subarray_add_range
    for at in range(0, count * size, size):
        if add(ctx, subarray, index, low + at, high + at, None):
            raise TileDBError(ctx.last_error(), about)


def _add_texts(ctx: Context, subarray: Handle, index: int, ranges: Sequence[Range], about: str) -> None:
    # The range from one empty text to another is the whole dimension.
    if len(ranges) > 1 and all(low == high != b"" for low, high in ranges):
        texts = [low for low, _ in ranges]
        starts = (c_uint64 * len(texts))(0, *itertools.accumulate(map(len, texts[:-1])))
        content = b"".join(texts)
        ctx.call("subarray_add_point_ranges_var", subarray, index, content, len(content), starts, len(texts), about=about)
        return
    for low, high in ranges:
        ctx.call("subarray_add_range_var", subarray, index, low, len(low), high, len(high), about=about)


class ReadPlan(NamedTuple):
    """What to read; every consumption of a result submits it as a new query."""

    source: OpenArray
    fields: Tuple[str, ...]
    bounds: Bounds
    condition: Optional[Condition]
    layout: int
    batch_bytes: int

    @classmethod
    def of(
        cls,
        source: OpenArray,
        fields: Union[None, str, Sequence[str]] = None,
        ranges: Optional[Ranges] = None,
        where: Any = None,
        order: Optional[str] = None,
        batch_bytes: int = 0,
    ) -> ReadPlan:
        """Checks all arguments of a read."""
        schema = source.schema
        if isinstance(batch_bytes, bool) or not isinstance(batch_bytes, int) or not 0 <= batch_bytes < 1 << 63:
            raise ValueError(f"batch_bytes must be a number of bytes, or 0 for the default, not {batch_bytes!r}")
        names = schema.names if fields is None else check_names(fields, schema)
        default = 3 if schema.sparse else 0
        layout = default if order is None else order_number(order)
        if layout == 4:
            raise ValueError("results cannot be in Hilbert order; 'global' is the order of the cells in their tiles")
        return cls(source, tuple(names), bounds_of(schema, ranges), condition_of(where, source), layout, batch_bytes)

    def query(self) -> Handle:
        """A query with subarray, layout and condition, without buffers."""
        ctx, source = self.source.ctx, self.source
        query = ctx.make("query", "query_alloc", source.handle, READ, about=source.uri)
        ctx.call("query_set_layout", query, self.layout, about=source.uri)
        ctx.call("query_set_subarray_t", query, make_subarray(ctx, source.handle, source.schema, self.bounds), about=source.uri)
        if self.condition is not None:
            ctx.call("query_set_condition", query, self.condition.make(source), about="query condition")
        return query

    def stream(self) -> Stream:
        """Submits the query as a stream of record batches, which keeps the array open."""
        ctx = self.source.ctx
        names = [text(name) for name in self.fields]
        fields = (ctypes.c_char_p * len(names))(*names)
        raw = ArrowArrayStream()
        ctx.call("rs_query_to_arrow", self.query(), fields, len(names), self.batch_bytes, byref(raw), about=self.source.uri)
        return Stream(raw, self.source, context=ctx)
