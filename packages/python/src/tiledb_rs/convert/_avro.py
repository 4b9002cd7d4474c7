"""Avro files, by polars, or by fastavro where polars has no type for a column."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

from . import _tables as convert_tables
from .._native.errors import installed, require

pyarrow = require("pyarrow", "tables of tiledb_rs.convert")
_MAGIC = b"Obj\x01"
_LONGEST_HEADER = 64 << 20
# Types of Avro that polars reads as they are.
_PLAIN = {"int": "int32", "long": "int64", "float": "float", "double": "double", "boolean": "bool", "string": "string", "bytes": "binary"}


def read(path: str) -> Any:
    """The table of a file."""
    fields = _fields(path)
    other = next((f"{field['name']!r}, which is of type {name}" for field in fields for name in _names(field["type"]) if name in ("enum", "map", "fixed")), None)
    if other is None:
        return require("polars", "Avro files").read_avro(path).to_arrow()
    if installed("fastavro") is None:
        raise ValueError(f"polars does not read column {other}: install fastavro, which does")
    with open(path, "rb") as file:
        rows = list(require("fastavro", "Avro files").reader(file))
    columns = [_column(field, [row[field["name"]] for row in rows]) for field in fields]
    return pyarrow.Table.from_arrays(columns, [field["name"] for field in fields])


def _column(field: Dict[str, Any], values: List[Any]) -> Any:
    kind = field["type"]
    members = [one for one in kind if one != "null"] if isinstance(kind, list) else [kind]
    one: Any = members[0] if len(members) == 1 else None
    name = one.get("type") if isinstance(one, dict) else one
    try:
        if name == "enum":
            symbols = {symbol: at for at, symbol in enumerate(one["symbols"])}
            indexes = pyarrow.array([None if value is None else symbols[value] for value in values], pyarrow.int32())
            return pyarrow.DictionaryArray.from_arrays(indexes, pyarrow.array(one["symbols"]))
        if name == "map":
            pairs = [None if value is None else list(value.items()) for value in values]
            kind_of_values = pyarrow.array([item for pair in pairs for _, item in pair or []]).type
            return pyarrow.array(pairs, pyarrow.map_(pyarrow.string(), kind_of_values))
        if name == "fixed" and "logicalType" not in one:
            return pyarrow.array(values, pyarrow.binary(one["size"]))
        plain = _PLAIN.get(str(name)) if not isinstance(one, dict) or "logicalType" not in one else None
        return pyarrow.array(values) if plain is None else pyarrow.array(values, pyarrow.type_for_alias(plain))
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
        raise ValueError(f"column {field['name']!r}: {error}") from None


def _names(kind: Any) -> List[str]:
    """The names of the types in a type."""
    if isinstance(kind, list):
        return [name for one in kind for name in _names(one)]
    if not isinstance(kind, dict):
        return [kind]
    inner = [one["type"] for one in kind.get("fields", [])] + [kind[key] for key in ("items", "values") if key in kind]
    own = _names(kind["type"]) if not isinstance(kind["type"], str) else [kind["type"]]
    return [*own, *(name for one in inner for name in _names(one))]


def _fields(path: str) -> List[Dict[str, Any]]:
    """The columns by the schema in the header of a file."""
    with open(path, "rb") as file:
        content = file.read(_LONGEST_HEADER)
    try:
        if not content.startswith(_MAGIC):
            raise ValueError("its beginning is another")
        at, found = len(_MAGIC), b""
        count, at = _number(content, at)
        while count:
            if count < 0:
                count, (_, at) = -count, _number(content, at)
            for _ in range(count):
                key, at = _bytes(content, at)
                value, at = _bytes(content, at)
                found = value if key == b"avro.schema" else found
            count, at = _number(content, at)
        schema = json.loads(found)
        if schema["type"] != "record":
            raise ValueError(f"its rows are of type {schema['type']}")
        return list(schema["fields"])
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ValueError(f"{path} is no Avro file of records: {error}") from None


def _number(content: bytes, at: int) -> Tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at
    raise ValueError("a number does not end")


def _bytes(content: bytes, at: int) -> Tuple[bytes, int]:
    length, at = _number(content, at)
    if not 0 <= length <= len(content) - at:
        raise ValueError("its header is cut off")
    return content[at : at + length], at + length


def write(reader: Any, path: str) -> None:
    """Writes batches to a file."""
    simple = convert_tables.simplified(reader, unsigned=False, dictionaries=False, times=False, small=False)
    require("polars", "Avro files").from_arrow(simple.read_all()).write_avro(path)


__all__ = ["read", "write"]
