"""Many ranges of a dimension of numbers: converted, ordered and given to the library as arrays of C, not one by one."""

from __future__ import annotations

import itertools
import operator
import sys
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Tuple

if TYPE_CHECKING:
    from .fields import Dimension

Range = Tuple[bytes, bytes]


class NumberRanges(Sequence):  # type: ignore[type-arg]
    """The lower and the upper bounds of ranges; one array for both if each range is a point. As a sequence, pairs of bytes."""

    __slots__ = ("lows", "highs")

    def __init__(self, lows: array[Any], highs: array[Any]):
        self.lows, self.highs = lows, highs

    @property
    def are_points(self) -> bool:
        return self.lows is self.highs

    def __len__(self) -> int:
        return len(self.lows)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return list(self)[at]
        return self.lows[at : at + 1 or None].tobytes(), self.highs[at : at + 1 or None].tobytes()

    def __iter__(self) -> Iterator[Range]:
        size, lows, highs = self.lows.itemsize, self.lows.tobytes(), self.highs.tobytes()
        return iter([(lows[at : at + size], highs[at : at + size]) for at in range(0, len(lows), size)])

    def united(self) -> NumberRanges:
        """The same ranges in ascending order, without overlaps."""
        # It is not worth an import.
        numpy = sys.modules.get("numpy")
        if self.are_points:
            points = array(self.lows.typecode, sorted(set(self.lows)) if numpy is None else numpy.unique(self.lows).tobytes())
            return NumberRanges(points, points)
        return self._united_by_python() if numpy is None else self._united_by_numpy(numpy)

    def _united_by_python(self) -> NumberRanges:
        lows: List[Any] = []
        highs: List[Any] = []
        for low, high in sorted(zip(self.lows, self.highs)):
            if not highs or low > highs[-1]:
                lows.append(low)
                highs.append(high)
            elif high > highs[-1]:
                highs[-1] = high
        code = self.lows.typecode
        return NumberRanges(array(code, lows), array(code, highs))

    def _united_by_numpy(self, numpy: Any) -> NumberRanges:
        lows, highs = numpy.asarray(self.lows), numpy.asarray(self.highs)
        order = numpy.argsort(lows)
        lows, highs = lows[order], numpy.maximum.accumulate(highs[order])
        # A range begins where all before it have ended.
        begins = numpy.append(True, lows[1:] > highs[:-1])
        code = self.lows.typecode
        return NumberRanges(array(code, lows[begins].tobytes()), array(code, highs[numpy.append(begins[1:], True)].tobytes()))


def number_ranges(dimension: Dimension, selection: Any) -> Optional[NumberRanges]:
    """The ranges of a list of numbers, a list of pairs of numbers, or a column of numbers, if there are such and all are valid."""
    if dimension.dtype.is_string:
        return None
    code = dimension.dtype.code
    try:
        if not isinstance(selection, list):
            points = _of_column(dimension, selection)
            return None if points is None else NumberRanges(points, points)
        types = set(map(type, selection))
        if types == {tuple} and set(map(len, selection)) == {2}:
            bounds = _of_numbers(code, list(itertools.chain.from_iterable(selection)))
            if bounds is None or any(map(operator.gt, bounds[::2], bounds[1::2])):
                return None
            return NumberRanges(bounds[::2], bounds[1::2])
        points = _of_numbers(code, selection)
        return None if points is None else NumberRanges(points, points)
    except OverflowError:
        return None


def _of_numbers(code: str, values: List[Any]) -> Optional[array[Any]]:
    """An array of Python's own numbers, which C has exactly."""
    types = set(map(type, values))
    if types == {int} and code not in "fd":
        return array(code, values)
    if types and types <= {int, float} and code == "d" and not any(value != value for value in values):
        return array(code, values)
    return None


def _of_column(dimension: Dimension, column: Any) -> Optional[array[Any]]:
    """An array of the values of an array of NumPy, or of a series or an index whose values are an array of NumPy."""
    is_array = type(column).__name__ == "ndarray"
    values = column if is_array else column.to_numpy()
    kind, code = values.dtype.kind, dimension.dtype.code
    if values.ndim != 1 or not len(values):
        return None
    if kind in "iu" and code not in "fd":
        if values.dtype != dimension.dtype.numpy:
            # The least and the greatest one fit, or this raises OverflowError.
            array(code, [int(values.min()), int(values.max())])
        values = values.astype(f"<i{dimension.dtype.size}" if code.islower() else f"<u{dimension.dtype.size}", copy=False)
    elif kind == "f" and values.dtype == dimension.dtype.numpy:
        if (values != values).any():
            return None
    elif kind in "mM" and is_array and values.dtype == dimension.dtype.numpy:
        values = values.view("i8")
        if values.min() == -(1 << 63):
            return None
    else:
        return None
    return array(code, values.tobytes())


__all__ = ["NumberRanges", "Range", "number_ranges"]
