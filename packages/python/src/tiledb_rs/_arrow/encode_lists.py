"""Columns of a write: Python lists as buffers of the library."""

from __future__ import annotations

import array as arrays
import ctypes
import itertools
import operator
import struct
import sys
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from .._model.datatypes import Datatype, encode
from .._model.fields import Attribute, Field
from .._model.values import encode_cell

# The names of the types that a value of pandas or NumPy for a missing one can have.
_MISSING = ("float", "NAType", "NaTType")


class Column(NamedTuple):
    """Buffers of a field: values, offsets of variable-length cells, validity; ``owner`` holds the memory."""

    cells: int
    data: int
    size: int
    offsets: Optional[Any]
    validity: Optional[Any]
    owner: Any


def of_list(field: Field, values: Sequence[Any]) -> Column:
    """The buffers of a list of values, None for nulls."""
    bulk = _in_bulk(field, values)
    if bulk is not None:
        return bulk
    datatype, name = Datatype.of(field.dtype), field.name
    is_var = is_variable(field)
    nullable = bool(getattr(field, "nullable", False))
    width = getattr(field, "values", 1) * datatype.size
    cells: List[bytes] = []
    valid = bytearray(b"\1" * len(values))
    single = not datatype.is_string and not is_var and width == datatype.size
    for at, value in enumerate(values):
        if value is None or is_missing(value, datatype):
            if not nullable:
                if value is None or datatype.kind != "float":
                    raise ValueError(f"cell {at} of {name!r} is null, and the field is not nullable")
            else:
                valid[at] = 0
                cells.append(b"" if is_var else bytes(width))
                continue
        cell = encode(datatype, value, f"cell {at} of {name!r}") if single else encode_cell(datatype, value, f"cell {at} of {name!r}")
        _check_unchanged(datatype, value, cell, f"cell {at} of {name!r}")
        if not is_var and len(cell) != width:
            raise ValueError(f"cell {at} of {name!r} has {len(cell) // datatype.size} values instead of {width // datatype.size}")
        cells.append(cell)
    return pack(cells, is_var, valid if nullable else None)


def _in_bulk(field: Field, values: Sequence[Any]) -> Optional[Column]:
    """The buffers of texts, or of numbers with one value per cell, without a loop over them; None for other values, and for those that do not fit."""
    datatype = Datatype.of(field.dtype)
    is_text = datatype.kind == "text" and datatype.size == 1 and is_variable(field)
    code = datatype.code if datatype.kind == "int" or datatype.kind == "float" and datatype.size == 8 else None
    if not is_text and (code is None or is_variable(field) or getattr(field, "values", 1) != 1 or sys.byteorder != "little"):
        return None
    kind: Any = str if is_text else int if datatype.kind == "int" else float
    kinds = set(map(type, values))
    valid = None
    if not kinds <= {kind}:
        if any(one is not None.__class__ and one.__name__ not in _MISSING for one in kinds - {kind}) or not getattr(field, "nullable", False):
            return None
        missing = [type(one) is not kind and (one is None or is_missing(one, datatype)) for one in values]
        nothing = kind()
        values = [nothing if gone else one for gone, one in zip(missing, values)]
        if not set(map(type, values)) <= {kind}:
            return None
        valid = bytearray(map(operator.not_, missing))
    elif getattr(field, "nullable", False):
        valid = bytearray(b"\1" * len(values))
    if is_text:
        return _texts(values, valid)
    try:
        numbers = arrays.array(code or "", values)
    except OverflowError:
        return None
    address, count = numbers.buffer_info()
    return Column(count, address, count * datatype.size, None, _validity(valid, count), (numbers, valid))


def _texts(values: Sequence[str], valid: Optional[bytearray]) -> Optional[Column]:
    """The buffers of texts in UTF-8; None if one has no such encoding."""
    joined = "".join(values)
    try:
        if joined.isascii():
            content, lengths = joined.encode(), map(len, values)
        else:
            cells = [value.encode() for value in values]
            content, lengths = b"".join(cells), map(len, cells)
    except UnicodeEncodeError:
        return None
    ends = arrays.array("Q", itertools.accumulate(lengths, initial=0))
    offsets = (ctypes.c_uint64 * len(ends)).from_buffer(ends)
    data = ctypes.create_string_buffer(content, max(len(content), 1))
    return Column(len(values), ctypes.addressof(data), len(content), offsets, _validity(valid, len(values)), (data, ends, valid))


def _validity(valid: Optional[bytearray], count: int) -> Optional[Any]:
    return None if valid is None else (ctypes.c_uint8 * max(count, 1)).from_buffer(valid or bytearray(1))


def _check_unchanged(datatype: Datatype, value: Any, cell: bytes, what: str) -> None:
    """Refuses a value that its cell would not return."""
    kind = datatype.kind
    if kind == "text" and datatype.size == 1 and not isinstance(value, str):
        try:
            cell.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{what} is not UTF-8, which readers of {datatype.name} need: {value!r}; store bytes in a field of BLOB") from None
    elif kind == "float":
        for at, one in enumerate(value if isinstance(value, (list, tuple)) else [value]):
            if isinstance(one, int) and struct.unpack_from(f"<{datatype.code}", cell, at * datatype.size)[0] != one:
                raise ValueError(f"{what} cannot be stored as {datatype.name}, which rounds it: {one}")


def is_variable(field: Field) -> bool:
    """Whether the cells of a field have a variable length: attributes that say so, and dimensions of strings."""
    return field.var if isinstance(field, Attribute) else Datatype.of(field.dtype).is_string  # type: ignore[return-value]


def is_missing(value: Any, datatype: Datatype) -> bool:
    """Whether a value is pandas' or NumPy's for a missing one; NaN is a value of floating-point fields."""
    if isinstance(value, float):
        return value != value and datatype.kind != "float"
    name = type(value).__name__
    return name in ("NAType", "NaTType")


def pack(cells: List[bytes], is_var: bool, valid: Optional[bytearray]) -> Column:
    """The buffers of cells that are bytes already."""
    content = b"".join(cells)
    data = ctypes.create_string_buffer(content, max(len(content), 1))
    offsets = None
    if is_var:
        offsets = (ctypes.c_uint64 * max(len(cells), 1))()
        total = 0
        for at, cell in enumerate(cells):
            offsets[at] = total
            total += len(cell)
    return Column(len(cells), ctypes.addressof(data), len(content), offsets, _validity(valid, len(cells)), (data, valid))


def key_of(value: Any) -> Any:
    """What equal values of an enumeration have in common."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and value != value:
        return "NaN", value.__class__
    return tuple(value) if isinstance(value, list) else value


def shape_of(values: Any) -> Tuple[int, ...]:
    """The shape of a column."""
    found = getattr(values, "shape", None)
    return tuple(found) if found is not None else (len(values),)
