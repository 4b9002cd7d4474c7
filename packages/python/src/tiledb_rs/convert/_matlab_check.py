"""The structure of MATLAB files of version 5, which scipy trusts: a damaged one can end the process."""

from __future__ import annotations

import struct
import zlib
from typing import Tuple

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_INT8, _INT32, _UINT32, _UTF8 = 1, 5, 6, 16
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE, _FUNCTION, _OPAQUE = 1, 2, 3, 4, 5, 16, 17
_NUMERIC = range(6, 16)
# The types of values: scipy looks the others up outside of its table.
_VALUE_TYPES = (*range(1, 8), 9, 12, 13, 16, 17, 18)
_MAX_DIMENSIONS, _MAX_DEPTH = 64, 100


def check(path: str) -> None:
    """Checks that each element lies in the one around it, and that headers of variables are what they have to be.

    Raises:
        ValueError: if the file is damaged. Versions 4 and 7.3 are not checked.
    """
    with open(path, "rb") as file:
        header = file.read(_HEADER)
        order = {b"IM": "<", b"MI": ">"}.get(header[126:128])
        if len(header) < _HEADER or order is None or header[125 if order == "<" else 124] != 1:
            return
        content = memoryview(file.read())
    at = 0
    while at < len(content):
        if len(content) - at < 8:
            raise ValueError(f"it is cut off after {_HEADER + at} bytes")
        kind, length = struct.unpack_from(order + "II", content, at)
        at += 8
        if length > len(content) - at:
            raise ValueError(f"an element at byte {_HEADER + at - 8} is longer than the file")
        element = content[at : at + length]
        at += length
        try:
            if kind == _COMPRESSED:
                inner = memoryview(zlib.decompress(element))
                _Elements(inner, order).matrix(0)
            elif kind == _MATRIX:
                _Matrix(element, order).check(0)
            else:
                raise ValueError(f"there is an element of type {kind}")
        except (zlib.error, struct.error, ValueError) as error:
            raise ValueError(f"{error}, before byte {_HEADER + at}") from None


class _Elements:
    """Elements one after the other."""

    def __init__(self, content: memoryview, order: str):
        self.content, self.order, self.at = content, order, 0

    def next(self) -> Tuple[int, memoryview]:
        """The type and the content of an element."""
        word = struct.unpack_from(self.order + "I", self.content, self.at)[0]
        if word >> 16:
            kind, length = word & 0xFFFF, word >> 16
            if length > 4:
                raise ValueError(f"a small element has {length} bytes")
            begin = self.at + 4
            self.at += 8
        else:
            kind, length = word, struct.unpack_from(self.order + "I", self.content, self.at + 4)[0]
            begin = self.at + 8
            self.at = begin + length + (-length) % 8
        if begin + length > len(self.content):
            raise ValueError("an element is longer than the one around it")
        return kind, self.content[begin : begin + length]

    def matrix(self, depth: int) -> None:
        """Checks a variable, which is an element."""
        kind, length = struct.unpack_from(self.order + "II", self.content, self.at)
        begin = self.at + 8
        if kind != _MATRIX or length > len(self.content) - begin:
            raise ValueError(f"there is an element of type {kind} and {length} bytes instead of a variable")
        self.at = begin + length
        _Matrix(self.content[begin : self.at], self.order).check(depth)


class _Matrix(_Elements):
    """The elements of a variable."""

    def check(self, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise ValueError("variables are nested too deeply")
        if not len(self.content):
            return
        kind, flags = self.next()
        if kind != _UINT32 or len(flags) != 8:
            raise ValueError("the flags of a variable are damaged")
        word = struct.unpack_from(self.order + "I", flags)[0]
        cls, is_complex = word & 0xFF, bool(word & 0x800)
        if cls == _OPAQUE:
            # Its name, its type system and its class, and what it has.
            for _ in range(3):
                self.next()
            self.matrix(depth + 1)
            return
        kind, dims = self.next()
        if kind not in (_INT32, _UINT32) or len(dims) < 8 or len(dims) % 4 or len(dims) > 4 * _MAX_DIMENSIONS:
            raise ValueError("the dimensions of a variable are damaged")
        extents = struct.unpack(f"{self.order}{len(dims) // 4}i", dims)
        cells = 1
        for extent in extents:
            if extent < 0:
                raise ValueError(f"a dimension has {extent} values")
            cells *= extent
        kind, _ = self.next()
        if kind not in (_INT8, _UTF8):
            raise ValueError("the name of a variable is damaged")
        if cls in (_CELL, _STRUCT, _OBJECT):
            if cls == _OBJECT:
                self.next()
            self._members(cells if cls == _CELL else cells * self._fields(), depth)
        elif cls == _FUNCTION:
            self.matrix(depth + 1)
        elif cls == _SPARSE or cls == _CHAR or cls in _NUMERIC:
            for _ in range((3 if cls == _SPARSE else 1) + is_complex):
                kind, _ = self.next()
                if kind not in _VALUE_TYPES:
                    raise ValueError(f"a variable has values of the unknown type {kind}")
        else:
            raise ValueError(f"a variable has the class {cls}")

    def _fields(self) -> int:
        """The number of the fields of a struct."""
        kind, width = self.next()
        if kind != _INT32 or len(width) != 4:
            raise ValueError("the length of field names is damaged")
        length = struct.unpack(self.order + "i", width)[0]
        kind, names = self.next()
        if kind not in (_INT8, _UTF8) or length <= 0 or len(names) % length:
            raise ValueError("the field names of a struct are damaged")
        return len(names) // length

    def _members(self, count: int, depth: int) -> None:
        # Each has a tag at least.
        if count > (len(self.content) - self.at) // 8:
            raise ValueError(f"there are fewer than {count} members")
        for _ in range(count):
            self.matrix(depth + 1)


__all__ = ["check"]
