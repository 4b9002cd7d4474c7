"""TileDB's datatypes: numbers, sizes, Python and NumPy types, and the encoding of single values."""

from __future__ import annotations

import datetime
import enum
import struct
from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import moments

# Number of values per cell of variable-length fields.
VAR = 0xFFFFFFFF


class _Traits(NamedTuple):
    """Properties of a datatype: kind is one of int, float, bool, text, bytes, datetime, time."""

    size: int
    code: str
    numpy: str
    kind: str
    unit: str


def _rows() -> Dict[str, Tuple[int, _Traits]]:
    table: Dict[str, Tuple[int, _Traits]] = {}

    def add(number: int, name: str, size: int, code: str, numpy: str, kind: str, unit: str = "") -> None:
        table[name] = (number, _Traits(size, code, numpy, kind, unit))

    for number, name, size, code, numpy in [
        (0, "INT32", 4, "i", "i4"),
        (1, "INT64", 8, "q", "i8"),
        (5, "INT8", 1, "b", "i1"),
        (6, "UINT8", 1, "B", "u1"),
        (7, "INT16", 2, "h", "i2"),
        (8, "UINT16", 2, "H", "u2"),
        (9, "UINT32", 4, "I", "u4"),
        (10, "UINT64", 8, "Q", "u8"),
    ]:
        add(number, name, size, code, numpy, "int")
    add(2, "FLOAT32", 4, "f", "f4", "float")
    add(3, "FLOAT64", 8, "d", "f8", "float")
    add(4, "CHAR", 1, "B", "S1", "bytes")
    for number, name, size in [
        (11, "STRING_ASCII", 1),
        (12, "STRING_UTF8", 1),
        (13, "STRING_UTF16", 2),
        (14, "STRING_UTF32", 4),
        (15, "STRING_UCS2", 2),
        (16, "STRING_UCS4", 4),
        (43, "GEOM_WKT", 1),
    ]:
        add(number, name, size, {1: "B", 2: "H", 4: "I"}[size], f"u{size}", "text")
    for number, name in [(17, "ANY"), (40, "BLOB"), (42, "GEOM_WKB")]:
        add(number, name, 1, "B", "u1", "bytes")
    add(41, "BOOL", 1, "B", "?", "bool")
    for at, (name, unit) in enumerate(
        [
            ("YEAR", "Y"),
            ("MONTH", "M"),
            ("WEEK", "W"),
            ("DAY", "D"),
            ("HR", "h"),
            ("MIN", "m"),
            ("SEC", "s"),
            ("MS", "ms"),
            ("US", "us"),
            ("NS", "ns"),
            ("PS", "ps"),
            ("FS", "fs"),
            ("AS", "as"),
        ]
    ):
        add(18 + at, f"DATETIME_{name}", 8, "q", f"M8[{unit}]", "datetime", unit)
        if at >= 4:
            add(27 + at, f"TIME_{name}", 8, "q", f"m8[{unit}]", "time", unit)
    return table


_TABLE = _rows()
_TRAITS = dict(_TABLE.values())


class Datatype(enum.IntEnum):
    """A TileDB datatype; the values are those of ``tiledb_datatype_t``.

    >>> Datatype.of("int32"), Datatype.of(str), Datatype.INT32.size
    (<Datatype.INT32: 0>, <Datatype.STRING_UTF8: 12>, 4)
    >>> str(Datatype.FLOAT64)
    'FLOAT64'
    """

    __module__ = "tiledb_rs"

    INT32 = 0
    INT64 = 1
    FLOAT32 = 2
    FLOAT64 = 3
    CHAR = 4
    INT8 = 5
    UINT8 = 6
    INT16 = 7
    UINT16 = 8
    UINT32 = 9
    UINT64 = 10
    STRING_ASCII = 11
    STRING_UTF8 = 12
    STRING_UTF16 = 13
    STRING_UTF32 = 14
    STRING_UCS2 = 15
    STRING_UCS4 = 16
    ANY = 17
    DATETIME_YEAR = 18
    DATETIME_MONTH = 19
    DATETIME_WEEK = 20
    DATETIME_DAY = 21
    DATETIME_HR = 22
    DATETIME_MIN = 23
    DATETIME_SEC = 24
    DATETIME_MS = 25
    DATETIME_US = 26
    DATETIME_NS = 27
    DATETIME_PS = 28
    DATETIME_FS = 29
    DATETIME_AS = 30
    TIME_HR = 31
    TIME_MIN = 32
    TIME_SEC = 33
    TIME_MS = 34
    TIME_US = 35
    TIME_NS = 36
    TIME_PS = 37
    TIME_FS = 38
    TIME_AS = 39
    BLOB = 40
    BOOL = 41
    GEOM_WKB = 42
    GEOM_WKT = 43

    def __init__(self, number: int) -> None:
        # Each read asks for them many times, and a look-up by the number of an enumeration's member is slow.
        self._traits = _TRAITS[number]

    def __str__(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        """Bytes of a value."""
        return self._traits.size

    @property
    def code(self) -> str:
        """The character of the module struct."""
        return self._traits.code

    @property
    def numpy(self) -> str:
        """The name of NumPy's type of the values, such as ``i4`` or ``M8[ns]``."""
        return self._traits.numpy

    @property
    def kind(self) -> str:
        """One of int, float, bool, text, bytes, datetime, time."""
        return self._traits.kind

    @property
    def unit(self) -> str:
        """NumPy's unit of a datetime or a time, otherwise empty."""
        return self._traits.unit

    @property
    def is_text(self) -> bool:
        """True for the datatypes of strings of characters."""
        return self.kind == "text"

    @property
    def is_string(self) -> bool:
        """True for text and bytes, whose cells are strings."""
        return self.kind in ("text", "bytes")

    @classmethod
    def of(cls, value: Any) -> Datatype:
        """The datatype of a name of TileDB or NumPy, a NumPy dtype, or a Python type.

        Args:
            value: A datatype, its name, a dtype of NumPy, a code of NumPy or a Python type.

        Returns:
            The datatype.

        Examples:
            >>> Datatype.of("<f8"), Datatype.of(str)
            (<Datatype.FLOAT64: 3>, <Datatype.STRING_UTF8: 12>)
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, type) and value in _PYTHON:
            return cls[_PYTHON[value]]
        if isinstance(value, str) and value.upper() in cls.__members__:
            return cls[value.upper()]
        if isinstance(value, str) and value.lower() in _ALIASES:
            return cls[_ALIASES[value.lower()]]
        if isinstance(value, (str, type)) or hasattr(value, "kind"):
            found = _of_numpy(value)
            if found is not None:
                return cls[found]
        raise TypeError(f"{value!r} is no datatype: give a name such as 'INT64' or 'STRING_UTF8', a NumPy dtype, or a Python type")


_PYTHON = {
    int: "INT64",
    float: "FLOAT64",
    bool: "BOOL",
    str: "STRING_UTF8",
    bytes: "BLOB",
    datetime.date: "DATETIME_DAY",
    datetime.datetime: "DATETIME_US",
    datetime.timedelta: "TIME_US",
}
_ALIASES = {
    "ascii": "STRING_ASCII",
    "str": "STRING_UTF8",
    "utf8": "STRING_UTF8",
    "bytes": "BLOB",
    "int": "INT64",
    "float": "FLOAT64",
    "double": "FLOAT64",
    "boolean": "BOOL",
}
_OF_NUMPY = {traits.numpy: name for name, (_, traits) in _TABLE.items() if traits.kind not in ("text", "bytes")}


def _of_numpy(value: Any) -> Optional[str]:
    """The name of the datatype of a NumPy dtype or its name."""
    kind, itemsize, text = getattr(value, "kind", None) or "", getattr(value, "itemsize", 0), getattr(value, "str", None)
    if text is None:
        if isinstance(value, str) and value.lstrip("<=|") in _OF_NUMPY:
            return _OF_NUMPY[value.lstrip("<=|")]
        name = getattr(value, "__name__", value)
        named = {"datetime64": "M8", "timedelta64": "m8"}
        text = next((name.replace(long, short) for long, short in named.items() if str(name).startswith(long)), "")
        return _OF_NUMPY.get(text) or {"bool_": "BOOL", "str_": "STRING_UTF8", "bytes_": "BLOB"}.get(str(name)) or (str(name).upper() if str(name).upper() in _TABLE else None)
    if kind == "U":
        return "STRING_UTF8"
    if kind == "S":
        return "CHAR"
    if kind == "V" and not getattr(value, "fields", None):
        return "BLOB"
    if kind == "b":
        return "BOOL"
    if kind in "iufMm":
        return _OF_NUMPY.get(text.lstrip("<>=|")) or (_OF_NUMPY.get(f"{kind}{itemsize}") if kind in "iuf" else None)
    return None


# What a value of a datatype must be, in messages.
_EXPECTED = {"int": "a number", "float": "a number", "bool": "True or False", "datetime": "a date, a datetime or a number", "time": "a time, a timedelta or a number"}


def encode(datatype: Datatype, value: Any, what: str = "a value") -> bytes:
    """The bytes of a value; of a whole string where cells are strings.

    Raises:
        TypeError: if the value has another type.
        ValueError: if the value is out of range.
    """
    kind = datatype.kind
    if kind in ("text", "bytes"):
        return _encode_string(datatype, value, what)
    if kind in ("datetime", "time"):
        number = moments.count(datatype.unit, kind, value, what)
        if not moments.is_exact(datatype.unit, kind, value):
            raise ValueError(f"{what} is not a whole number of units of {datatype.name}: {value}")
    elif hasattr(value, "item") and not isinstance(value, (int, float)):
        number = value.item()
    else:
        number = value
    if isinstance(number, str):
        # Dates have a notation as texts; a number as a text is one of another type.
        if kind != "datetime":
            raise TypeError(f"{what} must be {_EXPECTED[kind]} for {datatype.name}, not the text {value!r}")
        number = _parse_date(datatype, number, what)
    if kind == "bool":
        if number in (0, 1):
            return bytes([int(number)])
        raise ValueError(f"{what} must be True or False, not {value!r}")
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"{what} must be {_EXPECTED[kind]} for {datatype.name}, not {type(value).__name__}")
    if kind != "float" and isinstance(number, float):
        if not number.is_integer():
            raise ValueError(f"{what} must be a whole number for {datatype.name}, not {value!r}")
        number = int(number)
    try:
        return struct.pack(f"<{datatype.code}", number)
    except (struct.error, OverflowError):
        raise ValueError(f"{what} is out of range for {datatype.name}: {value!r}") from None


def _encode_string(datatype: Datatype, value: Any, what: str) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        content = bytes(value)
        if len(content) % datatype.size:
            raise ValueError(f"{what} has {len(content)} bytes, which is no multiple of the {datatype.size} of {datatype.name}")
        return content
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str or bytes for {datatype.name}, not {type(value).__name__}")
    codec = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[datatype.size]
    try:
        return value.encode(codec)
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} cannot be encoded as {codec}: {error.reason}") from None


def decode(datatype: Datatype, content: bytes) -> Any:
    """The Python value of bytes; of a whole string where cells are strings."""
    kind = datatype.kind
    if kind == "text":
        codec = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[datatype.size]
        return content.decode(codec, "surrogateescape" if datatype.size == 1 else "replace")
    if kind == "bytes":
        return bytes(content)
    (number,) = struct.unpack_from(f"<{datatype.code}", content)
    if kind == "bool":
        return bool(number)
    return from_number(datatype, number)


def from_number(datatype: Datatype, number: Any) -> Any:
    """The Python value of a number of this datatype: a date, a datetime or a timedelta where Python has one that is exact."""
    if datatype.kind in ("datetime", "time"):
        return moments.value(datatype.unit, datatype.kind, number)
    return number


def _parse_date(datatype: Datatype, text: str, what: str) -> int:
    number = moments.parse(datatype, text.strip())
    if number is not None:
        return number
    if any(moments.parse(finer, text.strip()) is not None for finer in (Datatype.DATETIME_US, Datatype.DATETIME_NS)):
        raise ValueError(f"{what} is not a whole number of units of {datatype.name}: {text}")
    raise ValueError(f"{what}: {text!r} is no value of datatype {datatype.name}")
