"""Filters of fields: compressors, checksums and transformations, in the notation of the tool (``BYTESHUFFLE, ZSTD(3)``)."""

from __future__ import annotations

import ctypes
import functools
import re
from types import MappingProxyType
from typing import Any, Dict, Iterable, List, Mapping, Tuple, Union

from .._native.context import Context, Handle
from .datatypes import Datatype

# Number of a filter, and its options: name, number of the option, C type, and whether it has to be given.
_LEVEL = ("level", 0, ctypes.c_int32)
_REINTERPRET = ("reinterpret", 9, ctypes.c_uint8)
_FILTERS: Dict[str, Tuple[int, Tuple[Tuple[str, int, Any], ...]]] = {
    "NONE": (0, ()),
    "GZIP": (1, (_LEVEL,)),
    "ZSTD": (2, (_LEVEL,)),
    "LZ4": (3, (_LEVEL,)),
    "RLE": (4, ()),
    "BZIP2": (5, (_LEVEL,)),
    "DOUBLE_DELTA": (6, (_REINTERPRET,)),
    "BIT_WIDTH_REDUCTION": (7, (("window", 1, ctypes.c_uint32),)),
    "BITSHUFFLE": (8, ()),
    "BYTESHUFFLE": (9, ()),
    "POSITIVE_DELTA": (10, (("window", 2, ctypes.c_uint32),)),
    "CHECKSUM_MD5": (12, ()),
    "CHECKSUM_SHA256": (13, ()),
    "DICTIONARY_ENCODING": (14, ()),
    "SCALE_FLOAT": (15, (("bytewidth", 3, ctypes.c_uint64), ("factor", 4, ctypes.c_double), ("offset", 5, ctypes.c_double))),
    "XOR": (16, ()),
    "WEBP": (18, (("quality", 6, ctypes.c_float), ("format", 7, ctypes.c_uint8), ("lossless", 8, ctypes.c_uint8))),
    "DELTA": (19, (_REINTERPRET,)),
}
_NAMES = {number: name for name, (number, _) in _FILTERS.items()}
_OTHER_NAMES = {"DICTIONARY": "DICTIONARY_ENCODING", "MD5": "CHECKSUM_MD5", "SHA256": "CHECKSUM_SHA256"}
# Types of values other than numbers.
_DATATYPE_ANY = 17


class Filter:
    """A filter with its options; those that are not given have the library's defaults.

    >>> Filter("ZSTD", level=5)
    Filter('ZSTD', level=5)
    >>> Filter.parse_list("BYTESHUFFLE, ZSTD(3)")
    (Filter('BYTESHUFFLE'), Filter('ZSTD', level=3))
    """

    __module__ = "tiledb_rs"

    __slots__ = ("name", "options")

    name: str
    options: Mapping[str, Any]

    def __init__(self, name: str, **options: Union[int, float, str]):
        name = _OTHER_NAMES.get(name.upper(), name.upper())
        if name not in _FILTERS:
            raise ValueError(f"there is no filter {name!r}; there are {', '.join(_FILTERS)}")
        known = [option for option, _, _ in _FILTERS[name][1]]
        for option, value in options.items():
            if option not in known:
                raise ValueError(f"filter {name} has no option {option!r}" + (f"; it has {', '.join(known)}" if known else ""))
            if option == "reinterpret":
                options[option] = int(Datatype.of(value))
            elif isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"option {option} of filter {name} must be a number, not {type(value).__name__}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", MappingProxyType(options))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Filter cannot be changed, such as its {name}: make another one")

    def __reduce__(self) -> Any:
        return _filter_of, (self.name, dict(self.options))

    @classmethod
    def parse(cls, text: str) -> Filter:
        """A filter from text such as ``ZSTD(3)`` or ``SCALE_FLOAT(factor=0.1, offset=0)``.

        Args:
            text: Name and level of the filter.

        Returns:
            The filter.

        Examples:
            >>> Filter.parse("zstd(5)").name
            'ZSTD'
        """
        match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
        if not match:
            raise ValueError(f"{text!r} is no filter: write NAME or NAME(option)")
        name = _OTHER_NAMES.get(match.group(1).upper(), match.group(1).upper())
        known = [option for option, _, _ in _FILTERS.get(name, (0, ()))[1]]
        options: Dict[str, Any] = {}
        for at, part in enumerate(part for part in (match.group(2) or "").split(",") if part.strip()):
            key, found, value = part.partition("=")
            if not found:
                if at >= len(known):
                    raise ValueError(f"filter {name} has {len(known)} options: {text!r}")
                key, value = known[at], part
            options[key.strip()] = _number(value.strip())
        return cls(name, **options)

    @classmethod
    def parse_list(cls, text: str) -> Tuple[Filter, ...]:
        """The filters of a text such as ``BYTESHUFFLE, ZSTD(3)``; none of an empty one.

        Args:
            text: Filters separated by commas.

        Returns:
            The filters.

        Examples:
            >>> [one.name for one in Filter.parse_list("byteshuffle,zstd(5)")]
            ['BYTESHUFFLE', 'ZSTD']
        """
        parts = re.findall(r"[^,()]+(?:\([^)]*\))?", text)
        if re.sub(r"[,\s]", "", "".join(parts)) != re.sub(r"[,\s]", "", text):
            raise ValueError(f"{text!r} is no list of filters: write NAME, NAME(option)")
        return tuple(cls.parse(part) for part in parts if part.strip())

    def __repr__(self) -> str:
        return f"Filter({', '.join([repr(self.name), *(f'{name}={value!r}' for name, value in self.options.items())])})"

    def __str__(self) -> str:
        if not self.options:
            return self.name
        known = [option for option, _, _ in _FILTERS[self.name][1]]
        if list(self.options) == known[:1]:
            return f"{self.name}({self.options[known[0]]})"
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in self.options.items())})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Filter):
            return NotImplemented
        return (self.name, self.options) == (other.name, other.options)

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.options.items()))))


def _filter_of(name: str, options: Dict[str, Any]) -> Filter:
    return Filter(name, **options)


FilterSpec = Union[None, str, Filter, Iterable[Union[str, Filter]]]


def filters_of(spec: FilterSpec) -> Tuple[Filter, ...]:
    """The filters of a text, a filter, or a list of either."""
    if spec is None:
        return ()
    if type(spec) is tuple and all(type(one) is Filter for one in spec):
        return spec
    if isinstance(spec, Filter):
        return (spec,)
    if isinstance(spec, str):
        return _parsed(spec)
    found: List[Filter] = []
    if not isinstance(spec, Iterable):
        raise TypeError(f"filters must be a text such as 'BYTESHUFFLE, ZSTD(3)', a tiledb_rs.Filter, or a list of these, not {type(spec).__name__}")
    for one in spec:
        if not isinstance(one, (str, Filter)):
            raise TypeError(f"a filter must be a text or a tiledb_rs.Filter, not {type(one).__name__}")
        found.extend(filters_of(one))
    return tuple(found)


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> Tuple[Filter, ...]:
    return Filter.parse_list(text)


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def make_list(ctx: Context, filters: Tuple[Filter, ...]) -> Handle:
    """A filter list of the library."""
    handle = ctx.make("filter_list", "filter_list_alloc")
    for one in filters:
        number, options = _FILTERS[one.name]
        made = ctx.make("filter", "filter_alloc", number)
        for name, option, kind in options:
            if name in one.options:
                try:
                    value = kind(one.options[name])
                except TypeError:
                    raise TypeError(f"option {name} of filter {one.name} must be a whole number") from None
                if value.value != one.options[name] and kind is not ctypes.c_float:
                    raise ValueError(f"option {name} of filter {one.name} is out of range: {one.options[name]}")
                ctx.call("filter_set_option", made, option, ctypes.byref(value), about=f"filter {one.name}")
        ctx.call("filter_list_add_filter", handle, made)
    return handle


def load_list(ctx: Context, handle: Handle) -> Tuple[Filter, ...]:
    """The filters of a filter list of the library; options with their default values are left out."""
    found = []
    for at in range(ctx.ask(ctypes.c_uint32, "filter_list_get_nfilters", handle)):
        one = ctx.make("filter", "filter_list_get_filter_from_index", handle, at)
        name = _NAMES.get(ctx.ask(ctypes.c_uint32, "filter_get_type", one), "NONE")
        options = {}
        for option, number, kind in _FILTERS[name][1]:
            value = kind()
            ctx.call("filter_get_option", one, number, ctypes.byref(value))
            if option != "reinterpret" or value.value != _DATATYPE_ANY:
                options[option] = value.value
        found.append(Filter(name, **options))
    return tuple(found)
