"""Selections of dense arrays: which ranges of dimensions have the cells at some positions of a result in row-major order.

A late read knows its cells by their positions in an earlier read of the same selection. It reads them as a few regions: products of
ranges of the dimensions, which may have more cells than are wanted, in the order of the positions.
"""

from __future__ import annotations

import struct
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple, Union

from .._native.errors import installed
from .._arrays.query import Bounds
from .._model.schema import Schema
from .._model.values import number_of

# Positions in ascending order: a range, or an array of int64.
Positions = Union[range, Any]
# A region costs as much as this many ranges more.
_RANGES_OF_A_REGION = 16
_MOST_BANDS = 64


class Region(NamedTuple):
    """A part of some positions: ``start`` and ``stop`` are its indexes, ``where`` the positions in the result of the region."""

    bounds: Bounds
    start: int
    stop: int
    where: Positions
    cells: int


class _Axis:
    """The coordinates of one dimension that are selected, in ascending order."""

    def __init__(self, code: str, pairs: List[Tuple[int, int]], tile: int, domain_low: int):
        self.code = code
        self.pairs = pairs
        self.extent = sum(high - low + 1 for low, high in pairs)
        # With an offset, it must fit into 64 bits.
        self.tile = min(tile, 1 << 61)
        # Of the first coordinate in its tile; indexes after a gap between ranges are not aligned with tiles, which only costs time.
        self.offset = (pairs[0][0] - domain_low) % self.tile

    def ranges(self, runs: List[Tuple[int, int]]) -> List[Tuple[bytes, bytes]]:
        """The ranges of coordinates of runs of indexes, whose ends are included."""
        found, at, first = [], 0, 0
        for start, stop in runs:
            while at < len(self.pairs) and first + self.pairs[at][1] - self.pairs[at][0] < start:
                first += self.pairs[at][1] - self.pairs[at][0] + 1
                at += 1
            pair, base = at, first
            while start <= stop:
                low, high = self.pairs[pair]
                end = min(stop, base + high - low)
                found.append((struct.pack(self.code, low + start - base), struct.pack(self.code, low + end - base)))
                base += high - low + 1
                start, pair = base, pair + 1
        return found


class DenseSelection:
    """The cells of a dense read in row-major order."""

    def __init__(self, axes: List[_Axis]):
        self._axes = axes
        self._strides = [1] * len(axes)
        for at in range(len(axes) - 2, -1, -1):
            self._strides[at] = self._strides[at + 1] * axes[at + 1].extent
        self.cells = self._strides[0] * axes[0].extent

    @classmethod
    def of(cls, schema: Schema, bounds: Bounds) -> Optional[DenseSelection]:
        """The selection of ranges; None if its cells may not be read in row-major order, or are too many for positions of 64 bits.

        A read that does not fit into one batch is divided by ranges before it is divided by coordinates: if a dimension has several
        ranges, those before it must have one coordinate.
        """
        axes = []
        for at, dimension in enumerate(schema.dimensions):
            code = f"<{dimension.dtype.code}"
            pairs = [(struct.unpack(code, low)[0], struct.unpack(code, high)[0]) for low, high in bounds[at]]
            if any(after[0] <= before[1] for before, after in zip(pairs, pairs[1:])):
                return None
            low, high = (number_of(dimension.dtype, bound) for bound in dimension.domain or schema.bounds(at))
            tile = dimension.tile if isinstance(dimension.tile, int) and dimension.tile > 0 else high - low + 1
            axes.append(_Axis(code, pairs, tile, low))
        if any(len(axis.pairs) > 1 and any(one.extent > 1 for one in axes[:at]) for at, axis in enumerate(axes)):
            return None
        found = cls(axes)
        return found if found.cells < 1 << 62 else None

    def regions(self, rows: Positions, gap: int) -> Iterator[Region]:
        """The regions with some positions, in order; ranges whose distance is at most ``gap`` cells are read as one."""
        first, last = int(rows[0]), int(rows[-1])
        # The dimension along which the cells are split: a region is bounded by the positions between the first and the last one.
        axis = next(at for at, stride in enumerate(self._strides) if stride <= last - first + 1)
        block = self._strides[axis] * self._axes[axis].extent
        start = 0
        for number in range(first // block, last // block + 1):
            stop = self._end(rows, start, (number + 1) * block)
            if stop > start:
                yield from self._in_block(rows, start, stop, axis, number, gap)
            start = stop

    @staticmethod
    def _end(rows: Positions, start: int, position: int) -> int:
        """The index of the first position that is not below another one."""
        if isinstance(rows, range):
            return min(max(position - rows.start, start), len(rows))
        return int(rows.searchsorted(position))

    def _in_block(self, rows: Positions, start: int, stop: int, axis: int, number: int, gap: int) -> Iterator[Region]:
        """The regions of positions whose coordinates before an axis are the same."""
        stride = self._strides[axis]
        prefix: Bounds = {}
        block = stride * self._axes[axis].extent
        base, rest = number * block, number
        for at in range(axis - 1, -1, -1):
            rest, index = divmod(rest, self._axes[at].extent)
            prefix[at] = self._axes[at].ranges([(index, index)])
        if isinstance(rows, range):
            low, high = (rows[start] - base) // stride, (rows[stop - 1] - base) // stride
            bounds: Bounds = {**prefix, axis: self._axes[axis].ranges([(low, high)]), **self._trailing(axis, None)}
            origin = base + low * stride
            yield Region(bounds, start, stop, range(rows[start] - origin, rows[stop - 1] - origin + 1), (high - low + 1) * stride)
            return
        relative = rows[start:stop] - base
        indexes = relative if stride == 1 else relative // stride
        if axis == len(self._axes) - 1:
            yield self._region(prefix, axis, start, indexes, [], [], gap)
            return
        coordinates = [relative // self._strides[at] % self._axes[at].extent for at in range(axis + 1, len(self._axes))]
        for first, last, box in self._bands(axis, indexes, coordinates, gap):
            yield self._region(prefix, axis, start + first, indexes[first:last], [one[first:last] for one in coordinates], box, gap)

    def _trailing(self, axis: int, box: Any) -> Bounds:
        """The ranges of the dimensions after an axis."""
        bounds: Bounds = {}
        for at in range(axis + 1, len(self._axes)):
            low, high = (0, self._axes[at].extent - 1) if box is None else box[at - axis - 1]
            bounds[at] = self._axes[at].ranges([(int(low), int(high))])
        return bounds

    def _region(self, prefix: Bounds, axis: int, start: int, indexes: Any, coordinates: List[Any], box: Any, gap: int) -> Region:
        numpy = installed("numpy")
        assert numpy is not None
        width = _size(box)
        breaks = numpy.flatnonzero(numpy.diff(indexes) > gap // width + 1)
        firsts, lasts = indexes[numpy.concatenate(([0], breaks + 1))], indexes[numpy.concatenate((breaks, [len(indexes) - 1]))]
        lengths = lasts - firsts + 1
        # From an index to its position among the indexes of the runs.
        shifts = numpy.cumsum(lengths) - lengths - firsts
        counts = numpy.diff(numpy.concatenate(([0], breaks + 1, [len(indexes)])))
        where = indexes + numpy.repeat(shifts, counts)
        for one, (low, high) in zip(coordinates, box):
            where = where * (high - low + 1) + (one - low)
        runs = list(zip(firsts.tolist(), lasts.tolist()))
        bounds = {**prefix, axis: self._axes[axis].ranges(runs), **self._trailing(axis, box)}
        return Region(bounds, start, start + len(indexes), where, int(lengths.sum()) * width)

    def _bands(self, axis: int, indexes: Any, coordinates: List[Any], gap: int) -> List[Tuple[int, int, List[Tuple[int, int]]]]:
        """The positions by rows of tiles, each with the box that its other coordinates are in; rows that are cheaper together are joined."""
        numpy = installed("numpy")
        assert numpy is not None
        one = self._axes[axis]
        tile = max(one.tile, (int(indexes[-1] - indexes[0]) + _MOST_BANDS) // _MOST_BANDS)
        bands = (indexes + one.offset % tile) // tile
        starts = numpy.concatenate(([0], numpy.flatnonzero(numpy.diff(bands)) + 1))
        stops = [*starts[1:].tolist(), len(indexes)]
        lows = [numpy.minimum.reduceat(each, starts).tolist() for each in coordinates]
        highs = [numpy.maximum.reduceat(each, starts).tolist() for each in coordinates]
        found: List[Tuple[int, int, List[Tuple[int, int]]]] = []
        for at, (start, stop) in enumerate(zip(starts.tolist(), stops)):
            box = [(low[at], high[at]) for low, high in zip(lows, highs)]
            if found:
                before, _, known = found[-1]
                joined = [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(known, box)]
                apart = _count(indexes, before, start) * _size(known) + _count(indexes, start, stop) * _size(box)
                if (_count(indexes, before, start) + _count(indexes, start, stop)) * _size(joined) <= apart + _RANGES_OF_A_REGION * gap:
                    found[-1] = (before, stop, joined)
                    continue
            found.append((start, stop, box))
        return found


def _count(indexes: Any, start: int, stop: int) -> int:
    """The number of indexes between the first and the last one."""
    return int(indexes[stop - 1] - indexes[start]) + 1


def _size(box: List[Tuple[int, int]]) -> int:
    """The number of cells of a box."""
    found = 1
    for low, high in box:
        found *= high - low + 1
    return found


__all__ = ["DenseSelection", "Positions", "Region"]
