"""The headers of NetCDF 3 files, whose lengths the C library trusts: a damaged one of 300 bytes can take gigabytes of memory."""

from __future__ import annotations

import os
from typing import BinaryIO, List, NamedTuple, Tuple

# The format has no types 0 and from 12 on; those from 7 on are of version 5.
_ITEM_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
_MAGIC = b"CDF"


class _Variable(NamedTuple):
    """Where the values of a variable begin, their bytes (of one record, if it has records), and whether it has records."""

    name: str
    begin: int
    size: int
    has_records: bool


def check(path: str) -> None:
    """Checks that what the header of a file announces, and the values of its variables, lie in the file.

    Raises:
        ValueError: if the file is damaged or cut off. Files of other versions are not checked.
    """
    with open(path, "rb") as file:
        magic = file.read(4)
        if magic[:3] == _MAGIC and magic[3:] in (b"\1", b"\2", b"\5"):
            try:
                _Header(file, magic[3]).check()
            except ValueError as error:
                raise ValueError(f"{path} is no NetCDF file, or damaged: {error}") from None


class _Header:
    """The header of a file, which is read once, from its beginning to its end."""

    def __init__(self, file: BinaryIO, version: int):
        self.file, self.size = file, os.fstat(file.fileno()).st_size
        # Version 5 counts in 64 bits; offsets have 64 bits since version 2.
        self.count_bytes, self.offset_bytes = 8 if version == 5 else 4, 4 if version == 1 else 8

    def check(self) -> None:
        """Reads the header, and compares the extents of the variables with the size of the file."""
        records = self.number(self.count_bytes)
        lengths = [self.dimension() for _ in range(self.list_length(_DIMENSIONS, "dimensions"))]
        self.attributes()
        variables = [self.variable(lengths) for _ in range(self.list_length(_VARIABLES, "variables"))]
        sizes = [one.size for one in variables if one.has_records]
        # The values of one variable alone follow each other without padding.
        record = sizes[0] if len(sizes) == 1 else sum(_padded(size) for size in sizes)
        if sizes and records == (1 << 8 * self.count_bytes) - 1:
            raise ValueError("it does not say how many records it has")
        for one in variables:
            end = one.begin + one.size
            if one.has_records:
                end = one.begin + (records - 1) * record + one.size if records else 0
            if one.size and end > self.size:
                raise ValueError(f"the values of the variable {one.name!r} end at byte {end}, but the file has {self.size} bytes")

    def take(self, count: int) -> bytes:
        """The next bytes, with those that pad them."""
        remaining = self.size - self.file.tell()
        if _padded(count) > remaining:
            raise ValueError(f"{count} bytes are announced where {remaining} are left")
        return self.file.read(_padded(count))[:count]

    def number(self, size: int = 4) -> int:
        return int.from_bytes(self.take(size), "big")

    def text(self) -> str:
        return self.take(self.number(self.count_bytes)).decode(errors="replace")

    def list_length(self, expected: int, what: str) -> int:
        """The length of a list, which begins with its tag, or with a zero if it is empty."""
        tag, length = self.number(), self.number(self.count_bytes)
        if tag != expected and (tag, length) != (0, 0):
            raise ValueError(f"a list of {what} begins with {tag} instead of {expected}")
        remaining = self.size - self.file.tell()
        # Each element has the length of a name, and a number.
        if length * (4 + self.count_bytes) > remaining:
            raise ValueError(f"{length} {what} are announced where {remaining} bytes are left")
        return length

    def dimension(self) -> Tuple[str, int]:
        return self.text(), self.number(self.count_bytes)

    def attributes(self) -> None:
        for _ in range(self.list_length(_ATTRIBUTES, "attributes")):
            name = self.text()
            self.take(self.item_bytes(name) * self.number(self.count_bytes))

    def item_bytes(self, name: str) -> int:
        kind = self.number()
        if kind not in _ITEM_BYTES:
            raise ValueError(f"{name!r} has values of the unknown type {kind}")
        return _ITEM_BYTES[kind]

    def variable(self, lengths: List[Tuple[str, int]]) -> _Variable:
        name, rank = self.text(), self.number(self.count_bytes)
        if rank * self.count_bytes > self.size:
            raise ValueError(f"the variable {name!r} has {rank} dimensions")
        axes = [self.number(self.count_bytes) for _ in range(rank)]
        if any(axis >= len(lengths) for axis in axes):
            raise ValueError(f"the variable {name!r} has a dimension that is not listed")
        self.attributes()
        size = self.item_bytes(name)
        # The size that is stored is redundant, and wrong where it does not fit in 32 bits.
        self.number(self.count_bytes)
        begin = self.number(self.offset_bytes)
        # A dimension of length 0 is that of the records; only the first of a variable can be.
        has_records = bool(axes) and lengths[axes[0]][1] == 0
        for axis in axes[1:] if has_records else axes:
            size *= lengths[axis][1]
        return _Variable(name, begin, size, has_records)


def _padded(size: int) -> int:
    return size + -size % 4


__all__ = ["check"]
