"""Dates and times as the numbers of units that TileDB stores, which count from 1970-01-01 UTC."""

from __future__ import annotations

import datetime
from typing import Any, Optional, Tuple

EPOCH = datetime.datetime(1970, 1, 1)
# The number that means "not a time", as in NumPy.
NAT = -(1 << 63)
# Units of a fixed length in seconds, and the decimal digits of those that are shorter.
SECONDS = {"W": 604_800, "D": 86_400, "h": 3_600, "m": 60, "s": 1}
DIGITS = {"ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}


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
    """Whether a datetime, a timedelta, one of NumPy's, or a text that is one is a whole number of units of at most a day."""
    if isinstance(value, str):
        read = _read(value.strip()) if kind == "datetime" else None
        return read is None or _is_whole(unit, *read[2:])
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


def days(year: int, month: int, day: int) -> int:
    """The number of days from 1970-01-01 to a day of the Gregorian calendar, for any year."""
    year = year - 1 if month <= 2 else year
    age, of_age = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return age * 146_097 + of_age * 365 + of_age // 4 - of_age // 100 + of_year - 719_468


def _is_whole(unit: str, seconds: int, fraction: str) -> bool:
    """Whether seconds, and the digits of their fraction, are a whole number of units of a fixed length."""
    if unit in SECONDS and unit != "W":
        return seconds % SECONDS[unit] == 0 and not fraction.strip("0")
    return unit not in DIGITS or not fraction[DIGITS[unit] :].strip("0")


def parse(unit: str, text: str) -> Optional[int]:
    """The number of a date such as ``2024``, ``2024-05-31``, ``2024-05-31T12:30`` or ``2024-05-31 12:30:15.25``; None if it is none."""
    if text == "NaT":
        return NAT
    read = _read(text)
    if read is None:
        return None
    year, month, seconds, fraction = read
    if unit == "Y":
        number = year - 1970
    elif unit == "M":
        number = (year - 1970) * 12 + month - 1
    elif unit in SECONDS:
        number = seconds // SECONDS[unit]
    else:
        digits = DIGITS[unit]
        number = seconds * 10**digits + int((fraction + "0" * digits)[:digits])
    return number if NAT <= number < 1 << 63 else None


def _read(text: str) -> Optional[Tuple[int, int, int, str]]:
    """Year and month of a date, its seconds since 1970, and the digits of their fraction; None if it is none."""
    text = text[:-1] if text.endswith("Z") else text
    splits = [at for at in (text.find("T"), text.find(" ")) if at >= 0]
    date, time = (text[: min(splits)], text[min(splits) + 1 :]) if splits else (text, "")
    sign, date = (-1, date[1:]) if date.startswith("-") else (1, date)
    parts = date.split("-")
    if len(parts) > 3 or not all(part.isdigit() and part.isascii() for part in parts):
        return None
    year, month, day = sign * int(parts[0]), int(parts[1]) if len(parts) > 1 else 1, int(parts[2]) if len(parts) > 2 else 1
    if abs(year) >= 10**21 or not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    clock, _, fraction = time.partition(".")
    seconds = days(year, month, day) * 86_400
    fields = [field for field in clock.split(":") if field]
    for field, (worth, limit) in zip(fields, [(3_600, 24), (60, 60), (1, 60)]):
        if not (field.isdigit() and field.isascii()) or int(field) >= limit:
            return None
        seconds += worth * int(field)
    if len(fields) > 3 or (fraction and not (fraction.isdigit() and fraction.isascii())):
        return None
    return year, month, seconds, fraction


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
    number = parse("ms", text)
    return None if number is None else number - offset * 60_000


def type_of(value: Any) -> Any:
    """The type of Python of a date, a datetime or a timedelta, also of one of pandas."""
    return next(kind for kind in (datetime.datetime, datetime.date, datetime.timedelta) if isinstance(value, kind))


def is_moment(value: Any) -> bool:
    """Whether a value is a date, a datetime or a timedelta."""
    return isinstance(value, (datetime.date, datetime.timedelta)) and type(value).__name__ != "NaTType"
