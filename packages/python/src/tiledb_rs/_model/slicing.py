"""Indexing of dense arrays as in NumPy, by coordinates of the domain."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Tuple

from .datatypes import encode
from .fields import Dimension
from .schema import Schema
from .values import RawRange, number_of
from .masked import is_masked

Selection = Tuple[Dict[str, Any], Tuple[Any, ...]]


def select(schema: Schema, key: Any) -> Selection:
    """The ranges of a key, and the index to apply to the cells of these ranges: steps, and axes of single values removed."""
    if schema.sparse:
        raise TypeError("a sparse array has no indexing: use read(ranges=...)")
    parts = _complete(schema, key)
    ranges: Dict[str, Any] = {}
    index: List[Any] = []
    for at, (dimension, part) in enumerate(zip(schema.dimensions, parts)):
        first, last = (number_of(dimension.dtype, bound) for bound in schema.bounds(at))
        low, high, of_result = _bounds(dimension, part, first, last)
        code = f"<{dimension.dtype.code}"
        if not first <= low <= last or not first <= high <= last:
            counted = first >= 0 and (low < 0 or high < 0)
            remedy = "; indexes are coordinates, and do not count from the end" if counted else ""
            raise IndexError(f"{part} is outside of the domain [{first}, {last}] of dimension {dimension.name!r}{remedy}")
        ranges[dimension.name] = RawRange((struct.pack(code, low), struct.pack(code, high)))
        index.append(of_result)
    return ranges, tuple(index)


def _complete(schema: Schema, key: Any) -> List[Any]:
    """A part of the key for each dimension."""
    parts = list(key) if isinstance(key, tuple) else [key]
    ellipses = [at for at, part in enumerate(parts) if part is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = schema.ndim - (len(parts) - len(ellipses))
    if missing < 0:
        raise IndexError(f"too many indices: the array has {schema.ndim} dimensions, and the index {len(parts) - len(ellipses)}")
    at = ellipses[0] if ellipses else len(parts)
    return parts[:at] + [slice(None)] * missing + parts[at + len(ellipses) :]


def _bounds(dimension: Dimension, part: Any, first: int, last: int) -> Tuple[int, int, Any]:
    """First and last coordinate of a part, and the index of its cells in the result."""
    if isinstance(part, slice):
        step = 1 if part.step is None else part.step
        if isinstance(step, bool) or not isinstance(step, int) or step < 1:
            raise IndexError(f"the step of a slice must be a positive number, not {part.step!r}")
        low = first if part.start is None else _coordinate(dimension, part.start)
        high = last if part.stop is None else _coordinate(dimension, part.stop) - 1
        if low > high:
            raise IndexError(f"the slice of dimension {dimension.name!r} is empty")
        return low, high, slice(None, None, step)
    number = _coordinate(dimension, part)
    return number, number, 0


def _coordinate(dimension: Dimension, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, (bool, float, list)) or getattr(value, "ndim", None) or type(value).__name__ in ("bool", "bool_"):
        raise IndexError(f"dimension {dimension.name!r} can be indexed by values, slices and ..., not by {type(value).__name__}")
    return struct.unpack(f"<{dimension.dtype.code}", encode(dimension.dtype, value, f"the index of dimension {dimension.name!r}"))[0]


def region_of(schema: Schema, key: Any) -> Dict[str, Any]:
    """The region of a key that has no steps."""
    ranges, index = select(schema, key)
    if any(isinstance(one, slice) and one.step != 1 for one in index):
        raise IndexError("cells can only be written to slices of step 1")
    return ranges


def shape_of_region(schema: Schema, ranges: Dict[str, Any]) -> Tuple[int, ...]:
    """The number of cells along each dimension."""
    found = []
    for dimension in schema.dimensions:
        low, high = (struct.unpack(f"<{dimension.dtype.code}", bound)[0] for bound in ranges[dimension.name])
        found.append(high - low + 1)
    return tuple(found)


def broadcast(values: Any, shape: Tuple[int, ...], index: Tuple[Any, ...], several: bool) -> Any:
    """Values in the shape of a region, as NumPy broadcasts them."""
    import numpy

    values = values if isinstance(values, numpy.ndarray) else numpy.asarray(values)
    reduced = tuple(extent for extent, one in zip(shape, index) if isinstance(one, slice))
    tail = values.shape[-1:] if several else ()
    full = reduced + tail
    if values.shape != full:
        values = numpy.ma.asanyarray(numpy.broadcast_to(values, full)) if is_masked(values) else numpy.broadcast_to(values, full)
    return values.reshape(shape + tail)
