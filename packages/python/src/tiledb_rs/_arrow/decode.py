"""Columns of record batches as Python lists, without other packages.

It reads what the library produces (docs/arrow.md), and the texts and bytes of dictionaries of other packages.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Callable, Dict, Iterable, List, Optional

from .._native.arrow_struct import ArrowArray, Batch, Node
from .._model.datatypes import Datatype, decode, from_number

# The module struct's characters of Arrow formats of fixed size.
PRIMITIVE = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d"}
# Texts of a dictionary are decoded one by one if it has at least so many times as many as are used.
_FEW = 8
_CTYPES: Dict[str, Any] = {
    "b": ctypes.c_int8,
    "B": ctypes.c_uint8,
    "h": ctypes.c_int16,
    "H": ctypes.c_uint16,
    "i": ctypes.c_int32,
    "I": ctypes.c_uint32,
    "q": ctypes.c_int64,
    "Q": ctypes.c_uint64,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
}


def code_of(format: str) -> str:
    """The character of the module struct for the values of a format: times are numbers, most of 64 bits."""
    if format in ("tdD", "tts", "ttm"):
        return "i"
    return "q" if format[:2] in ("ts", "tt", "tD", "td") else PRIMITIVE.get(format, "")


def datatype_of(node: Node) -> Optional[Datatype]:
    """The TileDB datatype of a field, from its metadata."""
    return Datatype.__members__.get(node.datatype or "")


def children(batch: Batch) -> List[ArrowArray]:
    """The columns of a batch."""
    return [batch.raw.children[at].contents for at in range(batch.raw.n_children)]


def bits(address: Optional[int], offset: int, length: int) -> Optional[List[bool]]:
    """The bits of a bitmap; None if there is none, which means that all are set."""
    if not address or not length:
        return None
    content = ctypes.string_at(address + offset // 8, (offset % 8 + length + 7) // 8)
    start = offset % 8
    return [bool(content[(start + at) // 8] >> ((start + at) % 8) & 1) for at in range(length)]


def buffer(array: ArrowArray, at: int) -> int:
    """The address of a buffer, 0 if it is null, as a bitmap may be.

    Raises:
        ValueError: if the array has fewer buffers, which one of another type than its schema says may have.
    """
    if at >= array.n_buffers:
        raise ValueError(f"an Arrow array has {array.n_buffers} buffers where its type has more: it is of another type than its schema says")
    return array.buffers[at] or 0


def numbers(code: str, address: int, offset: int, length: int) -> List[Any]:
    """Numbers in memory."""
    kind = _CTYPES[code]
    if not length:
        return []
    return list((kind * length).from_address(address + offset * ctypes.sizeof(kind)))


def column(node: Node, array: ArrowArray, datatype: Optional[Datatype] = None) -> List[Any]:
    """The values of a column: None for nulls."""
    datatype = datatype_of(node) if datatype is None else datatype
    length, offset = array.length, array.offset
    if not length:
        # Its buffers may be null.
        return []
    if node.dictionary is not None:
        codes = numbers(code_of(node.format), buffer(array, 1), offset, length)
        valid = bits(buffer(array, 0), offset, length)
        members = array.dictionary.contents
        known: Any = texts_at(node.dictionary, members, codes if valid is None else [code for code, present in zip(codes, valid) if present])
        if known is None:
            known = column(node.dictionary, members)
        return [known[code] if valid is None or valid[at] else None for at, code in enumerate(codes)]
    valid = bits(buffer(array, 0), offset, length)
    texts = _texts(node, array, datatype)
    if texts is not None:
        return texts if valid is None else [text if present else None for text, present in zip(texts, valid)]
    values = _values(node, array, datatype)
    if valid is None:
        return [values(at) for at in range(length)]
    return [values(at) if valid[at] else None for at in range(length)]


def _texts(node: Node, array: ArrowArray, datatype: Optional[Datatype]) -> Optional[List[str]]:
    """The texts of a column, decoded at once; None if it has others than those of UTF-8."""
    kind = datatype or (_string_type(node.format) if node.format in ("U", "u") else None)
    if node.format not in ("U", "u", "Z", "z") or kind is None or kind.kind != "text" or kind.size != 1:
        return None
    starts = numbers("q" if node.format in "UZ" else "i", buffer(array, 1), array.offset, array.length + 1)
    content = _string_at(buffer(array, 2) + starts[0], starts[-1] - starts[0])
    first = starts[0]
    if content.isascii():
        joined = content.decode("ascii")
        if first:
            starts = [start - first for start in starts]
        return [joined[low:high] for low, high in zip(starts, starts[1:])]
    return [content[low - first : high - first].decode("utf-8", "surrogateescape") for low, high in zip(starts, starts[1:])]


def texts_at(node: Node, array: ArrowArray, rows: Iterable[int]) -> Optional[Dict[int, str]]:
    """The texts of a few rows by their numbers; None if it would be no less work to decode all, or they are not texts without nulls."""
    kind = datatype_of(node)
    if node.format != "U" or array.null_count or kind is None or kind.kind != "text" or kind.size != 1:
        return None
    distinct = set(rows)
    if _FEW * len(distinct) > array.length or not distinct:
        return None
    if min(distinct) < 0 or max(distinct) >= array.length:
        return None
    starts = (ctypes.c_int64 * (array.length + 1)).from_address(buffer(array, 1) + 8 * array.offset)
    address = buffer(array, 2)
    return {row: _string_at(address + starts[row], starts[row + 1] - starts[row]).decode("utf-8", "surrogateescape") for row in distinct}


def _values(node: Node, array: ArrowArray, datatype: Optional[Datatype]) -> Callable[[int], Any]:
    """A function that returns the value of a row."""
    length, offset, format = array.length, array.offset, node.format
    if format == "b":
        found = bits(buffer(array, 1), offset, length) or []
        return found.__getitem__
    code = code_of(format)
    if code:
        plain = numbers(code, buffer(array, 1), offset, length)
        if datatype is not None and datatype.kind in ("datetime", "time"):
            kind = datatype
            return lambda at: from_number(kind, plain[at])
        return plain.__getitem__
    if format in ("U", "Z", "u", "z"):
        starts = numbers("q" if format in "UZ" else "i", buffer(array, 1), offset, length + 1)
        address, kind = buffer(array, 2), datatype or _string_type(format)
        return lambda at: decode(kind, _string_at(address + starts[at], starts[at + 1] - starts[at]))
    if format in ("vu", "vz"):
        kind = datatype or _string_type(format)
        return lambda at: decode(kind, _view_at(array, offset + at))
    if format.startswith("w:"):
        width, address = int(format[2:]), buffer(array, 1)
        kind = datatype or Datatype.BLOB
        return lambda at: decode(kind, ctypes.string_at(address + (offset + at) * width, width))
    return _lists(node, array, datatype)


def _string_type(format: str) -> Datatype:
    return Datatype.STRING_UTF8 if format.lower().endswith("u") else Datatype.BLOB


def _string_at(address: int, length: int) -> bytes:
    return ctypes.string_at(address, length) if length > 0 else b""


def _view_at(array: ArrowArray, row: int) -> bytes:
    """A string of a view array: 12 bytes at most are in the view itself, others in one of the buffers."""
    view = buffer(array, 1) + 16 * row
    length, _, at, start = struct.unpack("=iiii", ctypes.string_at(view, 16))
    return _string_at(view + 4, length) if length <= 12 else _string_at(buffer(array, 2 + at) + start, length)


def _lists(node: Node, array: ArrowArray, datatype: Optional[Datatype]) -> Callable[[int], Any]:
    """A function that returns the list of a row, or its text if the values are units of text."""
    format, offset = node.format, array.offset
    members = array.children[0].contents
    if format.startswith("+w:"):
        width = int(format[3:])
        starts = [(offset + at) * width for at in range(array.length + 1)]
    elif format == "+L":
        starts = numbers("q", buffer(array, 1), offset, array.length + 1)
    else:
        raise NotImplementedError(f"the Arrow format {format!r} of field {node.name!r} cannot be decoded without pyarrow")
    if datatype is not None and datatype.is_text:
        code, size, text = code_of(node.children[0].format), datatype.size, datatype
        address = buffer(members, 1) + members.offset * size if code else 0
        return lambda at: decode(text, _string_at(address + starts[at] * size, (starts[at + 1] - starts[at]) * size))
    values = column(node.children[0], members, datatype)
    return lambda at: values[starts[at] : starts[at + 1]]
