"""Schemas for data: from Arrow schemas and NumPy dtypes."""

from __future__ import annotations

import struct
from typing import Any, List, Optional, Sequence, Tuple

from . import encode_numpy
from .._native.arrow_struct import Node
from .._model.datatypes import Datatype
from .._model.fields import Attribute, Dimension, Enumeration

_FORMATS = {
    "b": "BOOL",
    "c": "INT8",
    "C": "UINT8",
    "s": "INT16",
    "S": "UINT16",
    "i": "INT32",
    "I": "UINT32",
    "l": "INT64",
    "L": "UINT64",
    "f": "FLOAT32",
    "g": "FLOAT64",
    "u": "STRING_UTF8",
    "U": "STRING_UTF8",
    "vu": "STRING_UTF8",
    "z": "BLOB",
    "Z": "BLOB",
    "vz": "BLOB",
    "tdD": "DATETIME_DAY",
    "tdm": "DATETIME_MS",
    "tts": "TIME_SEC",
    "ttm": "TIME_MS",
    "ttu": "TIME_US",
    "ttn": "TIME_NS",
    "tDs": "TIME_SEC",
    "tDm": "TIME_MS",
    "tDu": "TIME_US",
    "tDn": "TIME_NS",
}
_TIMESTAMPS = {"s": "DATETIME_SEC", "m": "DATETIME_MS", "u": "DATETIME_US", "n": "DATETIME_NS"}
_CAST = {"e": "float32", "n": "a type with values", "d": "float64 or int64", "+": "text or separate columns"}


def datatype_of_format(format: str, name: str) -> Datatype:
    """The datatype for an Arrow format.

    Raises:
        TypeError: if TileDB has none.
    """
    if format in _FORMATS:
        return Datatype[_FORMATS[format]]
    if format.startswith("ts") and format[2:3] in _TIMESTAMPS:
        return Datatype[_TIMESTAMPS[format[2]]]
    if format.startswith("w:"):
        return Datatype.BLOB
    cast = _CAST.get(format[:1], "another type")
    raise TypeError(f"column {name!r} has the Arrow format {format!r}, for which TileDB has no datatype: cast it to {cast}")


def _datatype_of_members(child: Node, name: str) -> Datatype:
    """The datatype for the values of a list, which have a fixed size."""
    if child.dictionary is None and child.format[:1] != "+":
        datatype = datatype_of_format(child.format, name)
        if not datatype.is_string:
            return datatype
    raise TypeError(
        f"column {name!r} has lists of texts, bytes or nested values, for which TileDB has no datatype: lists have numbers, times or "
        "booleans. Join the texts of a row, or write a row for each"
    )


def _wide_enough(indexes: Datatype, count: int) -> Datatype:
    """A datatype of as many indexes: that of one dictionary may be too small for the values of several."""
    if count <= 1 << (8 * indexes.size - (1 if indexes.code.islower() else 0)):
        return indexes
    return Datatype.INT32


def attribute_of_node(node: Node, enumeration: Optional[Enumeration] = None) -> Attribute:
    """An attribute for an Arrow field."""
    known = Datatype.__members__.get(node.datatype or "")
    if node.dictionary is not None:
        if enumeration is None:
            return Attribute(node.name, datatype_of_format(node.dictionary.format, node.name), node.nullable)
        indexes = _wide_enough(datatype_of_format(node.format, node.name), len(enumeration.values))
        return Attribute(node.name, indexes, node.nullable, enumeration=enumeration)
    if node.format in ("+l", "+L") or node.format.startswith("+w:"):
        child = node.children[0]
        datatype = _datatype_of_members(child, node.name) if known is None else known
        if node.format.startswith("+w:"):
            return Attribute(node.name, datatype, node.nullable, False, int(node.format[3:]))
        return Attribute(node.name, datatype, node.nullable, True)
    datatype = datatype_of_format(node.format, node.name) if known is None else known
    if node.format.startswith("w:"):
        return Attribute(node.name, datatype, node.nullable, False, int(node.format[2:]) // datatype.size)
    return Attribute(node.name, datatype, node.nullable)


def dimension_of_node(node: Node) -> Dimension:
    """A dimension of a sparse array for an Arrow field, with the largest domain."""
    if node.dictionary is not None:
        return dimension_of(node.name, datatype_of_format(node.dictionary.format, node.name))
    known = Datatype.__members__.get(node.datatype or "")
    return dimension_of(node.name, datatype_of_format(node.format, node.name) if known is None else known)


def dimension_of(name: str, datatype: Datatype) -> Dimension:
    """A dimension of a sparse array with the largest domain of its datatype."""
    if datatype.is_string:
        if datatype.size != 1:
            raise TypeError(f"column {name!r} cannot be a dimension: its datatype is {datatype.name}")
        return Dimension(name, None, None, Datatype.STRING_ASCII)
    if datatype.kind == "bool":
        raise TypeError(f"column {name!r} cannot be a dimension: its datatype is BOOL")
    if datatype.kind == "float":
        greatest = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0] if datatype.size == 4 else struct.unpack("<d", b"\xff\xff\xff\xff\xff\xff\xef\x7f")[0]
        return Dimension(name, (-greatest, greatest), None, datatype)
    bits = 8 * datatype.size
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if datatype.code.islower() else (0, (1 << bits) - 1)
    # The least number means "not a time", and an extent must fit above the domain.
    first, last = low + (1 if datatype.kind != "int" else 0), high - 1
    # The largest equal tiles whose extent the datatype can express: three of integers, two of times, one of unsigned integers.
    parts = 1 if low == 0 else 3 if datatype.kind == "int" else 2
    return Dimension(name, (first, last), (last - first + 1) // parts, datatype)


def attribute_of_array(name: str, values: Any) -> Attribute:
    """An attribute for a NumPy array or a pandas series."""
    if not hasattr(values, "dtype"):
        raise ValueError(f"several columns have the name {name!r}: rename them")
    dtype = values.dtype
    text = str(dtype)
    if text == "category":
        categories = values.cat.categories if hasattr(values, "cat") else values.categories
        members, ordered = list(categories), bool(values.cat.ordered if hasattr(values, "cat") else values.ordered)
        for kind in {type(one.item() if hasattr(one, "item") else one) for one in members}:
            datatype_of_column(name, kind)
        enumeration = Enumeration(f"{name}_values", members, None if members else "STRING_UTF8", ordered)
        return Attribute(name, "INT32", bool(values.isna().any()), enumeration=enumeration)
    missing = bool(values.isna().any()) if hasattr(values, "isna") else False
    masked = type(values).__name__ == "MaskedArray"
    has_objects = hasattr(dtype, "numpy_dtype") and not encode_numpy.has_numbers(dtype)
    if text.startswith("str") or text == "object" or has_objects:
        return _attribute_of_objects(name, values, missing)
    if getattr(dtype, "tz", None) is not None:
        return Attribute(name, f"DATETIME_{ {'s': 'SEC', 'ms': 'MS', 'us': 'US', 'ns': 'NS'}[dtype.unit] }", missing)
    if hasattr(dtype, "numpy_dtype"):
        return Attribute(name, datatype_of_column(name, dtype.numpy_dtype), True)
    if dtype.kind == "U":
        return Attribute(name, "STRING_UTF8", masked)
    datatype_of_column(name, dtype)
    return Attribute(name, dtype, masked or (missing and dtype.kind in "mM"))


def _attribute_of_objects(name: str, values: Any, missing: bool) -> Attribute:
    """An attribute for Python objects, whose types have to be the same."""
    if str(values.dtype) == "str":
        return Attribute(name, "STRING_UTF8", missing)
    cells = values.tolist() if hasattr(values, "tolist") else list(values)
    if set(map(type, cells)) == {str}:
        return Attribute(name, "STRING_UTF8", missing)
    present = [one for one in cells if _is_present(one)]
    kinds = {type(one) for one in present}
    nullable = missing or len(present) != len(values)
    if kinds <= {str}:
        return Attribute(name, "STRING_UTF8", nullable)
    if len(kinds) > 1 and not kinds <= {int, float}:
        raise TypeError(f"column {name!r} has values of several types: {', '.join(sorted(kind.__name__ for kind in kinds))}; convert it to one")
    if kinds == {int} and min(present) >= 0 and max(present) >= 1 << 63:
        return Attribute(name, "UINT64", nullable)
    return Attribute(name, datatype_of_column(name, float if float in kinds else kinds.pop()), nullable)


def _is_present(value: Any) -> bool:
    """Whether a value is none of the missing ones of Python, NumPy and pandas."""
    return not (value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value))


def datatype_of_column(name: str, of: Any) -> Datatype:
    """The datatype for the dtype or the Python type of a column, which the error names."""
    try:
        return Datatype.of(of)
    except TypeError:
        shown = getattr(of, "__name__", None) or str(of)
        raise TypeError(
            f"column {name!r} has values of the type {shown}, for which TileDB has no datatype: convert them to numbers, texts, dates or times, or leave the column out"
        ) from None


def tiles_for(shape: Sequence[int], cell_bytes: int, target: int = 1 << 20) -> Tuple[int, ...]:
    """Tile extents for a dense array: tiles of about a mebibyte, as even as the shape."""
    extents = [max(int(extent), 1) for extent in shape]
    while True:
        cells = 1
        for extent in extents:
            cells *= extent
        if cells * max(cell_bytes, 1) <= target or cells == 1:
            return tuple(extents)
        widest = extents.index(max(extents))
        extents[widest] = -(-extents[widest] // 2)


def dense_dimensions(shape: Sequence[int], names: Optional[Sequence[str]], tile: Any, cell_bytes: int) -> List[Dimension]:
    """The dimensions of a dense array of a shape, whose indexes begin at 0."""
    labels = [f"dim_{at}" for at in range(len(shape))] if names is None else [names] if isinstance(names, str) else list(names)
    if len(labels) != len(shape):
        raise ValueError(f"the data has {len(shape)} dimensions, and {len(labels)} names are given")
    is_one = isinstance(tile, int) or not hasattr(tile, "__iter__")
    extents = list(tiles_for(shape, cell_bytes)) if tile is None else [tile] * len(shape) if is_one else list(tile)
    for one in extents:
        if not hasattr(one, "__index__") or isinstance(one, bool) or one < 1:
            raise ValueError(f"tile must be a positive number of cells, or a list of one for each dimension, not {tile!r}")
    if len(extents) != len(shape):
        raise ValueError(f"the data has {len(shape)} dimensions, and {len(extents)} tile extents are given")
    return [Dimension(label, (0, max(int(extent), 1) - 1), min(int(of), max(int(extent), 1)), "UINT64") for label, extent, of in zip(labels, shape, extents)]


def default_filters(attribute: Attribute) -> Attribute:
    """An attribute with filters that suit most data: numbers are byte-shuffled for the compressor."""
    import dataclasses

    wide = not attribute.var and attribute.dtype.size > 1
    return dataclasses.replace(attribute, filters="BYTESHUFFLE, ZSTD(3)" if wide else "ZSTD(3)")
