"""Partitions of a read, for workers on other threads, processes and machines."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_uint64, c_void_p
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .._model.condition import Condition, condition_of
from .._native.context import ConfigValue, Context, Handle, choose_context, text
from .._model.datatypes import Datatype, decode
from .query import Bounds, OpenArray, Ranges, ReadPlan, bounds_of, make_subarray
from .result import Result
from .._model.schema import check_names
from .._model.number_ranges import Range
from .._model.values import RawRange

_MOST = 1 << 20


class Partition:
    """A part of a read: URI, timestamps, ranges, fields and condition. It can be pickled, and read in any process.

    ``cells`` is the estimated number of cells. It contains the parameters of the configuration that are no credentials, unless
    :meth:`Array.partitions` was called with ``secrets=True``: a worker takes those from its environment, or gives a context.

    Examples:
        >>> sum(len(part.read().to_pylist()) for part in array.partitions(2))
        3
    """

    __module__ = "tiledb_rs"

    __slots__ = ("uri", "config", "timestamp_range", "cells", "number", "fields", "where", "_bounds")

    def __init__(
        self,
        uri: str,
        config: Mapping[str, ConfigValue],
        timestamp_range: Tuple[int, int],
        cells: int,
        number: int,
        fields: Optional[Tuple[str, ...]],
        where: Any,
        bounds: Tuple[Tuple[str, int, Tuple[Range, ...]], ...],
    ):
        self.uri = uri
        self.config: Dict[str, ConfigValue] = dict(config)
        self.timestamp_range = timestamp_range
        self.cells = cells
        self.number = number
        self.fields = fields
        self.where = where
        self._bounds = bounds

    @property
    def ranges(self) -> Dict[str, List[Tuple[Any, Any]]]:
        """The ranges by dimension; both bounds are included."""
        return {name: [(decode(Datatype(kind), low), decode(Datatype(kind), high)) for low, high in ranges] for name, kind, ranges in self._bounds}

    def read(
        self,
        fields: Union[None, str, Sequence[str]] = None,
        where: Any = None,
        order: Optional[str] = None,
        batch_bytes: int = 0,
        *,
        context: Optional[Context] = None,
    ) -> Result:
        """Reads the partition: by default the fields, and always with the condition, that it was made with.

        Args:
            fields: The fields.
            where: Another condition, which cells have to meet, too.
            order: The order of the cells, as in ``Array.read``.
            batch_bytes: The approximate size of a record batch.
            context: The context to use; by default one with the configuration of the partition.

        Returns:
            The result.

        Examples:
            >>> (part,) = array.partitions(1, where="value > 1")
            >>> part.read("value").to_pydict()
            {'value': [1.5, 2.5]}
        """
        if context is None:
            context = choose_context(None, self.config or None)
        source = OpenArray(context, self.uri, *self.timestamp_range)
        raw = {name: [RawRange(one) for one in ranges] for name, _, ranges in self._bounds}
        conditions = [one for one in (condition_of(self.where, source), condition_of(where, source)) if one is not None]
        condition: Optional[Condition] = None
        for one in conditions:
            condition = one if condition is None else condition & one
        return Result(ReadPlan.of(source, self.fields if fields is None else fields, raw, condition, order, batch_bytes))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.read().__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> Any:
        where = self.where
        return Partition, (self.uri, self.config, self.timestamp_range, self.cells, self.number, self.fields, where, self._bounds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partition) and self.__reduce__()[1] == other.__reduce__()[1]

    def __hash__(self) -> int:
        return hash((self.uri, self.number, self._bounds))

    def __repr__(self) -> str:
        return f"<tiledb_rs.Partition {self.number} of {self.uri}: about {self.cells} cells>"


def make_partitions(
    source: OpenArray,
    n: Optional[int],
    bytes: Optional[int],
    fields: Union[None, str, Sequence[str]],
    ranges: Optional[Ranges],
    where: Any,
    secrets: bool,
) -> List[Partition]:
    """Divides a read of an open array."""
    if (n is None) == (bytes is None):
        raise TypeError("give either the number of partitions, or their size in bytes")
    wanted = n if n is not None else bytes
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 1 <= wanted < 1 << 63:
        raise ValueError(f"the {'number' if n is not None else 'size'} of partitions must be a positive number, not {wanted!r}")
    ctx, schema = source.ctx, source.schema
    names = None if fields is None else check_names(fields, schema)
    condition = condition_of(where, source)
    bounds = bounds_of(schema, ranges)
    subarray = make_subarray(ctx, source.handle, schema, bounds)
    made = condition.make(source) if condition is not None else None
    count = min(wanted if n is not None else _count(source, subarray, made, names, wanted), _MOST)
    parts, cells, found, timestamp = (c_void_p * count)(), (c_uint64 * count)(), c_uint64(), c_uint64()
    ctx.call(
        "rs_subarray_partition",
        source.handle,
        subarray,
        made,
        count,
        parts,
        cells,
        byref(found),
        byref(timestamp),
        about=source.uri,
    )
    handles = [Handle(parts[at], "subarray") for at in range(found.value)]
    config = ctx.config if secrets else ctx.public_config()
    window = (source.timestamps[0], timestamp.value)
    chosen = None if names is None else tuple(names)
    parts_of = [_bounds(source, handle, bounds) for handle in handles]
    return [Partition(source.uri, config, window, cells[at], at, chosen, condition, part) for at, part in enumerate(parts_of)]


def _count(source: OpenArray, subarray: Handle, condition: Optional[Handle], names: Optional[List[str]], size: int) -> int:
    """The number of partitions of about this size."""
    wanted = c_uint64()
    encoded = [text(name) for name in names or []]
    pointers = (ctypes.c_char_p * len(encoded))(*encoded) if encoded else None
    source.ctx.call(
        "rs_subarray_part_count",
        source.handle,
        subarray,
        condition,
        pointers,
        len(encoded),
        size,
        byref(wanted),
        about=source.uri,
    )
    return max(wanted.value, 1)


def _bounds(source: OpenArray, subarray: Handle, given: Bounds) -> Tuple[Tuple[str, int, Tuple[Range, ...]], ...]:
    """The ranges of a part of a subarray in bytes, without those of string dimensions that are selected as a whole."""
    ctx, found = source.ctx, []
    for index, dimension in enumerate(source.schema.dimensions):
        datatype = Datatype.of(dimension.dtype)
        ranges = tuple(_range(ctx, subarray, index, at, datatype) for at in range(ctx.ask(c_uint64, "subarray_get_range_num", subarray, index)))
        # Such a dimension has the range from "" to "", at which parts are never cut.
        if not (datatype.is_string and index not in given and ranges == ((b"", b""),)):
            found.append((dimension.name, int(datatype), ranges))
    return tuple(found)


def _range(ctx: Context, subarray: Handle, index: int, at: int, datatype: Datatype) -> Range:
    if datatype.is_string:
        sizes = c_uint64(), c_uint64()
        ctx.call("subarray_get_range_var_size", subarray, index, at, *map(byref, sizes))
        bounds = [ctypes.create_string_buffer(max(size.value, 1)) for size in sizes]
        ctx.call("subarray_get_range_var", subarray, index, at, *bounds)
        low, high = (bound.raw[: size.value] for bound, size in zip(bounds, sizes))
        return low, high
    low_at, high_at, stride = c_void_p(), c_void_p(), c_void_p()
    ctx.call("subarray_get_range", subarray, index, at, byref(low_at), byref(high_at), byref(stride))
    return ctypes.string_at(low_at.value or 0, datatype.size), ctypes.string_at(high_at.value or 0, datatype.size)


__all__ = ["Partition", "make_partitions"]
