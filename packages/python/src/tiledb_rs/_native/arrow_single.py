"""Streams of record batches with callbacks in Python: of one batch, or of batches that were looked at, and the rest of a stream."""

from __future__ import annotations

import ctypes
from typing import Any, List, Optional, TypeVar

from .arrow_struct import ArrowArray, ArrowArrayStream, ArrowSchema, Fill, LastError, Release, move, release

Struct = TypeVar("Struct", ArrowSchema, ArrowArray)
EINVAL = 22
# A callback that returns the address of a text.
_Address = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_nothing = Release(lambda _: None)


class Replay:
    """A stream of batches that are here already, and of the rest of another stream; it must outlive the struct.

    The library calls the callbacks on the thread that reads the stream, within the call that consumes it. They never raise.
    """

    def __init__(self, schema: ArrowSchema, arrays: List[ArrowArray], rest: Optional[ArrowArrayStream] = None):
        self.schema = schema
        self.arrays = arrays
        self.rest = rest
        self._callbacks = Fill(self._get_schema), Fill(self._get_next), _Address(self._get_last_error), Release(self._release)
        addresses = [ctypes.cast(callback, ctypes.c_void_p).value for callback in self._callbacks]
        self.raw = ArrowArrayStream(*addresses, None)

    def _get_schema(self, _stream: Any, out: Any) -> int:
        if not self.schema.release:
            return EINVAL
        # The schema is borrowed: a stream may be asked for it again.
        ctypes.memmove(out, ctypes.byref(self.schema), ctypes.sizeof(ArrowSchema))
        ArrowSchema.from_address(out).release = ctypes.cast(_nothing, ctypes.c_void_p).value
        return 0

    def get_next(self, out: int) -> int:
        """Stores the next batch at an address, as the callback does."""
        return self._get_next(None, out)

    def _get_next(self, _stream: Any, out: Any) -> int:
        if self.arrays:
            array = self.arrays.pop(0)
            ctypes.memmove(out, ctypes.byref(array), ctypes.sizeof(ArrowArray))
            array.release = None
            return 0
        if self.rest is not None and self.rest.release:
            return Fill(self.rest.get_next)(ctypes.addressof(self.rest), out)
        # The end of a stream is a released array.
        ctypes.memset(out, 0, ctypes.sizeof(ArrowArray))
        return 0

    def _get_last_error(self, _stream: Any) -> Optional[int]:
        if self.rest is None or not self.rest.release or not self.rest.get_last_error:
            return None
        return _Address(self.rest.get_last_error)(ctypes.addressof(self.rest))

    def _release(self, _stream: Any) -> None:
        self.close()

    def close(self) -> None:
        """Releases what was not given away."""
        self.raw.release = None
        for raw in (*self.arrays, self.rest):
            if raw is not None:
                release(raw)
        self.arrays, self.rest = [], None
        release(self.schema)

    def __del__(self) -> None:
        self.close()


def stream_of_batch(schema: ArrowSchema, array: ArrowArray) -> Replay:
    """A stream of one batch; the structs are moved out of their capsules."""
    return Replay(move(schema), [move(array)])


def borrowed(schema: ArrowSchema, array: ArrowArray, rows: int) -> Replay:
    """A stream of the first rows of a batch, which stays with its owner."""
    first = unowned(array)
    first.length = min(rows, array.length)
    return Replay(unowned(schema), [first])


def unowned(source: Struct) -> Struct:
    """A copy of a struct that releases nothing: the buffers stay with the source."""
    copy = type(source)()
    ctypes.memmove(ctypes.byref(copy), ctypes.byref(source), ctypes.sizeof(source))
    copy.release = ctypes.cast(_nothing, ctypes.c_void_p).value
    return copy


def error_of(stream: ArrowArrayStream) -> str:
    """The text of the last error of a stream."""
    message = LastError(stream.get_last_error)(ctypes.addressof(stream)) if stream.get_last_error else None
    return (message or b"the stream failed").decode("utf-8", "replace")
