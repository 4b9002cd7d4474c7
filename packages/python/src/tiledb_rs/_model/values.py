"""Values of fields: cells with several values, ranges and points of dimensions."""

from __future__ import annotations

import math
import struct
from typing import Any, Callable, List, Sequence

from .datatypes import Datatype, decode, encode
from .fields import Dimension
from .number_ranges import NumberRanges, Range, number_ranges


def number_of(datatype: Datatype, value: Any) -> int:
    """The number that stands for a value of an integer or datetime dimension."""
    return struct.unpack(f"<{datatype.code}", encode(datatype, value))[0]


def encode_cell(datatype: Datatype, value: Any, what: str) -> bytes:
    """The bytes of a cell: a value, a string, or a sequence of values."""
    if datatype.is_string and isinstance(value, (str, bytes, bytearray, memoryview)):
        return encode(datatype, value, what)
    if hasattr(value, "tolist") and getattr(value, "ndim", None):
        kind = getattr(value.dtype, "kind", "")
        return b"".join(encode(datatype, one, what) for one in (value if kind in "mM" else value.tolist()))
    if isinstance(value, (list, tuple)):
        return b"".join(encode(datatype, one, what) for one in value)
    return encode(datatype, value, what)


def decode_cell(datatype: Datatype, content: bytes, is_list: bool) -> Any:
    """The Python value of a cell; a list of several values."""
    if datatype.is_string:
        return decode(datatype, content)
    if is_list:
        size = datatype.size
        return [decode(datatype, content[at : at + size]) for at in range(0, len(content), size)]
    return decode(datatype, content)


class RawRange(tuple):  # type: ignore[type-arg]
    """The bounds of a range in bytes, which need not be encoded."""


def ranges_of(dimension: Dimension, wanted: Any, bounds: Any = None) -> Sequence[Range]:
    """The ranges of a dimension in bytes: of a (low, high) pair, a slice, a value, or a list of these.

    ``bounds`` replaces the domain where a range has no bound.
    """
    domain = dimension.domain if bounds is None or bounds[0] is None else bounds
    if isinstance(wanted, list) or _is_column(wanted):
        numbers = number_ranges(dimension, wanted)
        if numbers is not None:
            return numbers
        found = [one for member in wanted for one in ranges_of(dimension, member, domain)]
        if not found:
            raise ValueError(f"the list of ranges of dimension {dimension.name!r} is empty")
        return found
    what = f"the range of dimension {dimension.name!r}"
    if isinstance(wanted, range):
        if wanted.step != 1:
            raise ValueError(f"{what} must have step 1")
        wanted = slice(wanted.start, wanted.stop)
    if isinstance(wanted, slice):
        return [_of_slice(dimension, wanted, what, domain)]
    if isinstance(wanted, RawRange):
        return [(wanted[0], wanted[1])]
    if isinstance(wanted, tuple):
        if len(wanted) != 2:
            raise ValueError(f"{what} must be a (low, high) pair, which includes both, not {wanted!r}")
        low, high = (None if bound is None else encode(dimension.dtype, bound, what) for bound in wanted)
        if low is None or high is None:
            low, high = _open_ended(dimension, low, high, what, domain)
        _check_order(dimension, low, high, what)
        return [(low, high)]
    if wanted is None:
        raise TypeError(f"{what} must be a value, a (low, high) pair, a slice, or a list of these, not None")
    point = encode(dimension.dtype, wanted, what)
    return [(point, point)]


def _is_column(wanted: Any) -> bool:
    """Whether it has single values: an array of NumPy, a series of pandas or polars, or an index of pandas."""
    name = type(wanted).__name__
    return name in ("ndarray", "Series") or name.endswith("Index") and name != "MultiIndex"


def united(dimension: Dimension, ranges: Sequence[Range]) -> Sequence[Range]:
    """The same ranges in ascending order, without overlaps: a cell that several select is selected once."""
    if len(ranges) < 2:
        return ranges
    if isinstance(ranges, NumberRanges):
        return ranges.united()
    order: Callable[[bytes], Any] = (lambda content: content) if dimension.dtype.is_string else (lambda content: _plain(dimension.dtype, content))
    found: List[Range] = []
    for low, high in sorted(ranges, key=lambda one: (order(one[0]), order(one[1]))):
        if found and order(low) <= order(found[-1][1]):
            found[-1] = (found[-1][0], max(found[-1][1], high, key=order))
        else:
            found.append((low, high))
    return found


def _open_ended(dimension: Dimension, low: Any, high: Any, what: str, domain: Any) -> Range:
    """Replaces a bound of None by that of the domain."""
    if domain is None:
        if high is None:
            raise ValueError(f"{what} needs an upper bound: the dimension has no domain. A condition needs none: where=field({dimension.name!r}) >= ...")
        return b"", high
    first, last = (encode(dimension.dtype, bound) for bound in domain)
    return first if low is None else low, last if high is None else high


def _of_slice(dimension: Dimension, wanted: slice, what: str, domain: Any) -> Range:
    """The range of a slice, which excludes its end, as everywhere in Python."""
    if wanted.step not in (None, 1):
        raise ValueError(f"{what} must have step 1")
    if wanted.stop is None or dimension.dtype.is_string:
        if wanted.stop is not None:
            raise ValueError(f"{what} must be a (low, high) pair: there is no greatest string below the end of a slice")
        return ranges_of(dimension, (wanted.start, None), domain)[0]
    dtype = dimension.dtype
    low = encode(dtype, wanted.start, what) if wanted.start is not None else _open_ended(dimension, None, b"", what, domain)[0]
    if dtype.kind == "float":
        high = _float_below(dtype, _plain(dtype, encode(dtype, wanted.stop, what)))
    elif isinstance(wanted.stop, int):
        # The end of a slice up to the greatest value of the datatype is no value of it.
        high = encode(dtype, wanted.stop - 1, what)
    else:
        high = struct.pack(f"<{dtype.code}", number_of(dtype, wanted.stop) - 1)
    if _plain(dtype, low) > _plain(dtype, high):
        raise ValueError(f"{what} is empty: {wanted.start}:{wanted.stop}")
    return low, high


def _float_below(datatype: Datatype, number: float) -> bytes:
    """The greatest number below another one."""
    code, integer = ("<f", "<i") if datatype.size == 4 else ("<d", "<q")
    if math.isnan(number) or number == -math.inf:
        return struct.pack(code, number)
    if number == 0:
        return struct.pack(integer, (-(1 << 31) if datatype.size == 4 else -(1 << 63)) + 1)
    (bits,) = struct.unpack(integer, struct.pack(code, number))
    return struct.pack(integer, bits - 1 if number > 0 else bits + 1)


def _check_order(dimension: Dimension, low: bytes, high: bytes, what: str) -> None:
    first, last = (low, high) if dimension.dtype.is_string else (_plain(dimension.dtype, low), _plain(dimension.dtype, high))
    if first > last:
        raise ValueError(f"{what} begins after its end: {shown(dimension, low)!r} > {shown(dimension, high)!r}")


def _plain(datatype: Datatype, content: bytes) -> Any:
    return struct.unpack(f"<{datatype.code}", content)[0]


def shown(dimension: Dimension, content: bytes) -> Any:
    """A bound of a range as a Python value."""
    return decode(dimension.dtype, content)
