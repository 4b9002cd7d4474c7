"""Streams of record batches in parts: each a stream of a number of rows, which a write consumes; and the bytes of a batch."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from .._native.arrow_single import Replay, unowned
from .._native.arrow_struct import ArrowArray, Node, release

# Bytes of a value by the format of its type, as far as it has as many in each row.
_WIDTHS = {"c": 1, "C": 1, "s": 2, "S": 2, "i": 4, "I": 4, "l": 8, "L": 8, "e": 2, "f": 4, "g": 8, "b": 1, "n": 0}


class Parts:
    """The rows of a stream, given away as streams of some rows each, one after the other."""

    def __init__(self, source: Replay):
        self._source = source
        self._batch: Optional[ArrowArray] = None
        self._at = 0

    def take(self, rows: int) -> _Part:
        """A stream of the next rows; the one before must have been consumed."""
        return _Part(self, self._source, rows)

    def rest(self) -> _Part:
        """A stream of all other rows."""
        return _Part(self, self._source, None)

    def next(self, out: int, limit: Optional[int]) -> int:
        """Stores a batch of at most so many rows where a consumer wants it; returns the error of the source."""
        while self._batch is None or self._at == self._batch.length:
            self.close()
            batch = ArrowArray()
            if code := self._source.get_next(ctypes.addressof(batch)):
                return code
            if not batch.release:
                ctypes.memset(out, 0, ctypes.sizeof(ArrowArray))
                return 0
            self._batch, self._at = batch, 0
        count = self._batch.length - self._at if limit is None else min(self._batch.length - self._at, limit)
        part = unowned(self._batch)
        part.offset += self._at
        part.length = count
        part.null_count = -1 if part.null_count else 0
        ctypes.memmove(out, ctypes.byref(part), ctypes.sizeof(ArrowArray))
        self._at += count
        return 0

    def has_more(self) -> bool:
        """Whether there are other rows."""
        batch = ArrowArray()
        code = self.next(ctypes.addressof(batch), None)
        return not code and bool(batch.release)

    def close(self) -> None:
        """Releases the batch of which the last part was given away."""
        if self._batch is not None:
            release(self._batch)
        self._batch = None


class _Part(Replay):
    """The next rows of a stream; of a batch that is divided, the buffers stay with the stream."""

    def __init__(self, parts: Parts, source: Replay, rows: Optional[int]):
        super().__init__(unowned(source.schema), [])
        self._parts, self._source, self._left = parts, source, rows

    def _get_next(self, _stream: Any, out: Any) -> int:
        if self._left == 0:
            ctypes.memset(out, 0, ctypes.sizeof(ArrowArray))
            return 0
        code = self._parts.next(out, self._left)
        if self._left is not None and not code:
            self._left -= ArrowArray.from_address(out).length
        return code

    def _get_last_error(self, _stream: Any) -> Optional[int]:
        return self._source._get_last_error(None)


def batch_bytes(node: Node, array: ArrowArray) -> int:
    """About how many bytes the values of a batch, or of a column, have; those of a dictionary are not counted."""
    length, form = array.length, node.format
    if form in _WIDTHS:
        return length * _WIDTHS[form]
    if form.startswith("w:"):
        return length * int(form[2:])
    if form in ("u", "z", "U", "Z", "+l", "+L"):
        kind = ctypes.c_int64 if form in ("U", "Z", "+L") else ctypes.c_int32
        if not length or not array.buffers[1]:
            return 0
        offsets = (kind * (array.offset + length + 1)).from_address(array.buffers[1])
        count = offsets[array.offset + length] - offsets[array.offset]
        if not form.startswith("+"):
            return length * 8 + count
        return length * 8 + _part_of(node.children[0], array.children[0].contents, count)
    if form.startswith("+w:"):
        return _part_of(node.children[0], array.children[0].contents, length * int(form[3:]))
    if form in ("vu", "vz"):
        # The sizes of the buffers with the texts are in the last one.
        buffers = array.n_buffers - 3
        sizes = (ctypes.c_int64 * max(buffers, 0)).from_address(array.buffers[array.n_buffers - 1]) if buffers > 0 else []
        return 16 * length + sum(sizes)
    return sum(batch_bytes(child, array.children[at].contents) for at, child in enumerate(node.children)) if form == "+s" else 8 * length


def _part_of(node: Node, child: ArrowArray, count: int) -> int:
    """The bytes of so many values of a child, whose values are about equally long."""
    return batch_bytes(node, child) * count // child.length if child.length else 0


__all__ = ["Parts", "batch_bytes"]
