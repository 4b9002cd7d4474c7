"""Dates and times as the numbers of units that TileDB stores, which count from 1970-01-01 UTC."""

from __future__ import annotations

import ctypes
import datetime
from typing import Any, Optional

from .._native.library import functions

EPOCH = datetime.datetime(1970, 1, 1)
# The number that means "not a time", as in NumPy.
NAT = -(1 << 63)
# Units of a fixed length in seconds, and the decimal digits of those that are shorter.
SECONDS = {"W": 604_800, "D": 86_400, "h": 3_600, "m": 60, "s": 1}
DIGITS = {"ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}
# DATETIME_MS, DATETIME_US and DATETIME_NS, and how many of their units make a millisecond.
_TIMESTAMPS = ((25, 1), (26, 1_000), (27, 1_000_000))


def count(unit: str, kind: str, value: Any, what: str = "a value") -> Any:
    """The number of a value: an int, a date, a datetime, a timedelta, an ISO 8601 text, or one of NumPy's."""
    if type(value).__module__ == "numpy" and getattr(value.dtype, "kind", "") in "mM":
        expected = "M" if kind == "datetime" else "m"
        if value.dtype.kind != expected:
            raise TypeError(f"{what} must be a {'datetime64' if expected == 'M' else 'timedelta64'}, not {value.dtype}")
        return _of_numpy(unit, expected, value, what)
    if kind == "datetime" and isinstance(value, datetime.date):
        return _of_datetime(unit, value)
    if kind == "time" and isinstance(value, (datetime.timedelta, datetime.time)):
        return _of_timedelta(unit, value, what)
    if hasattr(value, "item") and not isinstance(value, (int, float)):
        return value.item()
    return value


def _of_numpy(unit: str, kind: str, value: Any, what: str) -> int:
    import numpy

    wanted = numpy.dtype(f"{kind}8[{unit}]")
    try:
        found = value.astype(wanted)
    except OverflowError:
        found = None
    # Before 2.5 NumPy wraps around. A unit that is not finer loses digits, and has no overflow.
    if found is None or (value == value and numpy.promote_types(value.dtype, wanted) == wanted and found.astype(value.dtype) != value):
        raise ValueError(f"{what} is out of range for the unit {unit}: {value}")
    return int(found.astype("i8"))


def _of_datetime(unit: str, value: datetime.date) -> int:
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    else:
        value = datetime.datetime(value.year, value.month, value.day)
    if unit == "Y":
        return value.year - 1970
    if unit == "M":
        return (value.year - 1970) * 12 + value.month - 1
    return _units(unit, value - EPOCH) + _below_microseconds(unit, value)


def _below_microseconds(unit: str, value: Any) -> int:
    """The nanoseconds of a pandas.Timestamp or Timedelta, which are not part of a datetime or a timedelta."""
    return nanoseconds(value) * 10 ** (DIGITS[unit] - 9) if DIGITS.get(unit, 0) >= 9 else 0


def nanoseconds(value: Any) -> int:
    """The nanoseconds below a microsecond of a value of pandas; 0 of others."""
    found = getattr(value, "nanosecond", getattr(value, "nanoseconds", 0))
    return found if isinstance(found, int) else 0


def _of_timedelta(unit: str, value: Any, what: str) -> int:
    if isinstance(value, datetime.time):
        if value.tzinfo is not None:
            raise ValueError(f"{what} must be a time without a time zone")
        value = datetime.timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    return _units(unit, value) + _below_microseconds(unit, value)


def _units(unit: str, delta: datetime.timedelta) -> int:
    microseconds = (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
    if unit in SECONDS:
        return microseconds // (SECONDS[unit] * 1_000_000)
    digits = DIGITS[unit]
    return microseconds * 10 ** (digits - 6) if digits >= 6 else microseconds // 10 ** (6 - digits)


def is_exact(unit: str, kind: str, value: Any) -> bool:
    """Whether a datetime, a timedelta, or one of NumPy's is a whole number of units of at most a day."""
    if type(value).__module__ == "numpy" and getattr(value.dtype, "kind", "") in "mM":
        return unit in "YMW" or bool(value != value or value.astype(f"{value.dtype.kind}8[{unit}]") == value)
    if unit not in SECONDS and unit not in DIGITS or unit == "W" or not isinstance(value, (datetime.datetime, datetime.timedelta)):
        return True
    if nanoseconds(value) and DIGITS.get(unit, 0) < 9:
        return False
    if DIGITS.get(unit, 0) >= 6:
        return True
    return count("us", kind, value) % (SECONDS[unit] * 1_000_000 if unit in SECONDS else 10 ** (6 - DIGITS[unit])) == 0


def value(unit: str, kind: str, number: int) -> Any:
    """The Python value of a number: a date for days, a datetime or a timedelta for seconds to microseconds, otherwise the number.

    None for the number that means "not a time".
    """
    if number == NAT:
        return None
    if unit not in ("D", "s", "ms", "us"):
        return number
    try:
        if unit == "D":
            return (EPOCH + datetime.timedelta(days=number)).date()
        digits = DIGITS.get(unit, 0)
        delta = datetime.timedelta(microseconds=number * 10 ** (6 - digits))
        return EPOCH + delta if kind == "datetime" else delta
    except OverflowError:
        return number


def parse(datatype: int, text: str) -> Optional[int]:
    """The number of a date such as ``2024``, ``2024-05-31``, ``2024-05-31T12:30`` or ``2024-05-31 12:30:15.25`` in whole units of a
    datatype, or of a number of units; None if it is none."""
    units = ctypes.c_int64()
    encoded = text.encode("utf-8", "surrogatepass")
    failed = b"\0" in encoded or functions().tiledb_rs_datetime_from_text(datatype, encoded, ctypes.byref(units))
    return None if failed else units.value


def milliseconds(moment: Any, what: str = "at") -> int:
    """A timestamp of an array: milliseconds since 1970 as a number, a datetime, a date, an ISO 8601 text, or one of NumPy's."""
    if isinstance(moment, bool):
        raise TypeError(f"{what} must be a timestamp, not a bool")
    if isinstance(moment, str):
        number = int(moment) if moment.strip().isdigit() and len(moment.strip()) > 4 else _parse_zoned(moment.strip())
        if number is None:
            raise ValueError(f"{what} is no date in ISO 8601, such as 2024-05-31T12:30: {moment!r}")
    elif isinstance(moment, (datetime.date, int)) or hasattr(moment, "dtype"):
        number = count("ms", "datetime", moment, what)
    else:
        raise TypeError(f"{what} must be milliseconds, a datetime, a date or an ISO 8601 text, not {type(moment).__name__}")
    if not isinstance(number, int) or not 0 <= number < 1 << 64:
        raise ValueError(f"{what} must be a timestamp since 1970-01-01: {moment!r}")
    return number


def _parse_zoned(text: str) -> Optional[int]:
    """A date that may end with an offset such as +02:00."""
    offset = 0
    if "T" in text or " " in text:
        for sign in "+-":
            head, found, zone = text.rpartition(sign)
            if found and len(zone.replace(":", "")) == 4 and zone.replace(":", "").isdigit() and ":" in head:
                digits = zone.replace(":", "")
                offset = (int(digits[:2]) * 60 + int(digits[2:])) * (1 if sign == "+" else -1)
                text = head
                break
    # A number would count units, and a timestamp may have more digits than milliseconds.
    text = f"{text}-01-01" if text.isdigit() else text
    for datatype, per_millisecond in _TIMESTAMPS:
        number = parse(datatype, text)
        if number is not None:
            return number // per_millisecond - offset * 60_000
    return None


def type_of(value: Any) -> Any:
    """The type of Python of a date, a datetime or a timedelta, also of one of pandas."""
    return next(kind for kind in (datetime.datetime, datetime.date, datetime.timedelta) if isinstance(value, kind))


def is_moment(value: Any) -> bool:
    """Whether a value is a date, a datetime or a timedelta."""
    return isinstance(value, (datetime.date, datetime.timedelta)) and type(value).__name__ != "NaTType"
