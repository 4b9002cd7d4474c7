"""Columns of record batches as NumPy arrays, without a copy where the memory layouts agree."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import decode
from .._native.arrow_struct import ArrowArray, Batch, Node
from .._model.datatypes import Datatype
from .._native.errors import require
from .._model.masked import is_masked


class _Memory:
    """Memory of a batch for NumPy, which keeps the batch alive as the base of the array.

    It may be written to: the stream made it for this one consumer.
    """

    __slots__ = ("__array_interface__", "batch")

    def __init__(self, address: int, shape: Tuple[int, ...], typestr: str, batch: Any):
        self.__array_interface__ = {"data": (address, False), "shape": shape, "typestr": typestr, "version": 3}
        self.batch = batch


def view(address: int, length: int, dtype: Any, batch: Any) -> Any:
    """An array on memory of a batch."""
    numpy = require("numpy", "a NumPy array")
    dtype = numpy.dtype(dtype)
    if not length or not dtype.itemsize:
        return numpy.empty(length, dtype)
    if dtype.kind in "mM":
        return numpy.asarray(_Memory(address, (length,), "<i8", batch)).view(dtype)
    return numpy.asarray(_Memory(address, (length,), dtype.str, batch))


def validity(array: ArrowArray, batch: Any) -> Optional[Any]:
    """The validity of a column as booleans; None if no value is null."""
    if array.null_count == 0 or not decode.buffer(array, 0):
        return None
    return _bits(decode.buffer(array, 0), array.offset, array.length, batch)


def _bits(address: int, offset: int, length: int, batch: Any) -> Any:
    numpy = require("numpy", "a NumPy array")
    count = (offset % 8 + length + 7) // 8
    content = view(address + offset // 8, count, "u1", batch)
    return numpy.unpackbits(content, bitorder="little")[offset % 8 : offset % 8 + length].astype(bool)


def column(node: Node, array: ArrowArray, batch: Any, datatype: Optional[Datatype] = None, dictionaries: Optional[Dict[Any, Any]] = None) -> Any:
    """A column: an array of NumPy's type, of objects for texts and lists of variable length; masked if it has nulls."""
    numpy = require("numpy", "a NumPy array")
    datatype = decode.datatype_of(node) if datatype is None else datatype
    values = _decoded(node, array, batch, dictionaries) if node.dictionary is not None else _values(node, array, batch, datatype)
    if is_masked(values):
        return values
    valid = validity(array, batch)
    if valid is None or node.dictionary is not None:
        return values
    if values.dtype == object:
        values = values.copy()
        values[~valid] = None
    mask = ~valid if values.ndim == 1 else numpy.broadcast_to(~valid[:, None], values.shape)
    return numpy.ma.MaskedArray(values, mask)


def _values(node: Node, array: ArrowArray, batch: Any, datatype: Optional[Datatype]) -> Any:
    numpy = require("numpy", "a NumPy array")
    length, offset, format = array.length, array.offset, node.format
    if node.dictionary is not None:
        return _decoded(node, array, batch, None)
    if format == "b":
        return _bits(decode.buffer(array, 1), offset, length, batch)
    if decode.code_of(format):
        dtype = _dtype(format, datatype)
        return view(decode.buffer(array, 1) + offset * dtype.itemsize, length, dtype, batch)
    if format.startswith("w:") and (datatype is None or not datatype.is_text):
        width = int(format[2:])
        dtype = numpy.dtype(f"S{width}" if datatype == Datatype.CHAR else f"V{width}")
        return view(decode.buffer(array, 1) + offset * width, length, dtype, batch)
    if format.startswith("+w:") and (datatype is None or not datatype.is_text):
        width = int(format[3:])
        members = array.children[0].contents
        found = _values(node.children[0], members, batch, datatype)
        return found[offset * width : (offset + length) * width].reshape(length, width)
    if format == "+L" and (datatype is None or not datatype.is_text):
        return _lists(node, array, batch, datatype)
    return as_objects(decode.column(node, array, datatype))


def _dtype(format: str, datatype: Optional[Datatype]) -> Any:
    numpy = require("numpy", "a NumPy array")
    if datatype is not None and not datatype.is_string:
        return numpy.dtype(datatype.numpy)
    return numpy.dtype({"b": "i1", "B": "u1", "h": "i2", "H": "u2", "i": "i4", "I": "u4", "q": "i8", "Q": "u8", "f": "f4", "d": "f8"}[decode.code_of(format)])


def _lists(node: Node, array: ArrowArray, batch: Any, datatype: Optional[Datatype]) -> Any:
    """Lists of variable length: an array of arrays."""
    starts = decode.numbers("q", decode.buffer(array, 1), array.offset, array.length + 1)
    members = _values(node.children[0], array.children[0].contents, batch, datatype)
    return as_objects([members[low:high] for low, high in zip(starts, starts[1:])])


def _decoded(node: Node, array: ArrowArray, batch: Any, dictionaries: Optional[Dict[Any, Any]]) -> Any:
    """The values of a dictionary column; ``dictionaries`` has those of the batches before, which are alive and have the same memory."""
    numpy = require("numpy", "a NumPy array")
    assert node.dictionary is not None
    members = array.dictionary.contents
    memory = (id(node), members.length, members.offset, *(members.buffers[at] for at in range(members.n_buffers)))
    known = None if dictionaries is None else dictionaries.get(memory)
    indexes = codes(node, array, batch)
    valid = indexes >= 0
    few = decode.texts_at(node.dictionary, members, indexes[valid].tolist()) if known is None and array.length < members.length else None
    if few is not None:
        known = as_objects(list(few.values()))
        places = dict(zip(few, range(len(few))))
        indexes = numpy.array([places.get(index, -1) for index in indexes.tolist()], "i8")
    elif known is None:
        known = column(node.dictionary, members, batch)
        if dictionaries is not None:
            dictionaries[memory] = known
    if len(known):
        found = known[numpy.where(valid, indexes, 0)]
    else:
        found = numpy.full((array.length, *known.shape[1:]), None if known.dtype == object else 0, known.dtype)
    if valid.all():
        return found
    if found.dtype == object:
        found[~valid] = None
    return numpy.ma.MaskedArray(found, ~valid if found.ndim == 1 else numpy.broadcast_to(~valid[:, None], found.shape))


def codes(node: Node, array: ArrowArray, batch: Any) -> Any:
    """The indexes of a dictionary column as signed numbers, -1 for nulls."""
    dtype = _dtype(node.format, None)
    found = view(decode.buffer(array, 1) + array.offset * dtype.itemsize, array.length, dtype, batch).astype("i8")
    valid = validity(array, batch)
    if valid is not None:
        found[~valid] = -1
    return found


def as_objects(values: Sequence[Any]) -> Any:
    """An array of these objects; NumPy by itself makes lists of equal length a second dimension."""
    numpy = require("numpy", "a NumPy array")
    if set(map(type, values)) <= {str, bytes, type(None)}:
        return numpy.array(values, object)
    found = numpy.empty(len(values), object)
    for at, value in enumerate(values):
        found[at] = value
    return found


def concatenate(parts: List[Any], node: Node) -> Any:
    """The parts of a column, which are not copied if there is only one."""
    numpy = require("numpy", "a NumPy array")
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return empty(node)
    if any(is_masked(part) for part in parts):
        return numpy.ma.concatenate(parts)
    return numpy.concatenate(parts)


def empty(node: Node) -> Any:
    """A column without rows."""
    numpy = require("numpy", "a NumPy array")
    datatype, format = decode.datatype_of(node), node.format
    if node.dictionary is not None:
        return empty(node.dictionary)
    if format == "b":
        return numpy.empty(0, bool)
    if decode.code_of(format):
        return numpy.empty(0, _dtype(format, datatype))
    if format.startswith("w:") and not (datatype and datatype.is_text):
        return numpy.empty(0, f"S{format[2:]}" if datatype == Datatype.CHAR else f"V{format[2:]}")
    if format.startswith("+w:") and not (datatype and datatype.is_text):
        return numpy.empty((0, int(format[3:])), _dtype(node.children[0].format, datatype))
    return numpy.empty(0, object)


def columns(nodes: List[Node], batches: List[Batch], places: Optional[Sequence[int]] = None) -> List[Any]:
    """Columns of batches as arrays: those at these places, or all of them."""
    parts: List[List[Any]] = [[] for _ in nodes]
    dictionaries: Dict[Any, Any] = {}
    for batch in batches:
        arrays = decode.children(batch)
        for into, node, array in zip(parts, nodes, arrays if places is None else [arrays[at] for at in places]):
            if batch.raw.length or len(batches) == 1:
                into.append(column(node, array, batch, None, dictionaries))
    return [concatenate(into, node) for into, node in zip(parts, nodes)]
