"""The structs of the Arrow C data and C stream interfaces, and streams and batches that own them."""

from __future__ import annotations

import ctypes
import struct
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

from . import interrupts
from .errors import TileDBError

if TYPE_CHECKING:
    from .context import Context

NULLABLE, ORDERED = 2, 1


class ArrowSchema(Structure):
    """``struct ArrowSchema``."""


class ArrowArray(Structure):
    """``struct ArrowArray``."""


ArrowSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
ArrowArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))),
    ("dictionary", POINTER(ArrowArray)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


class ArrowArrayStream(Structure):
    """``struct ArrowArrayStream``."""

    _fields_ = [
        ("get_schema", c_void_p),
        ("get_next", c_void_p),
        ("get_last_error", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


Release = CFUNCTYPE(None, c_void_p)
Fill = CFUNCTYPE(c_int, c_void_p, c_void_p)
LastError = CFUNCTYPE(c_char_p, c_void_p)


def release(raw: Any) -> None:
    """Releases a struct of any of the three kinds, if nobody has done so."""
    if raw.release:
        Release(raw.release)(ctypes.addressof(raw))


def move(source: Any) -> Any:
    """Moves a struct to new memory: the source counts as released."""
    target = type(source)()
    ctypes.memmove(byref(target), byref(source), ctypes.sizeof(source))
    source.release = None
    return target


class Node:
    """A field of an Arrow schema: format, name, flags, metadata, children and dictionary."""

    __slots__ = ("format", "name", "nullable", "ordered", "children", "dictionary", "metadata")

    def __init__(self, raw: ArrowSchema):
        self.format = (raw.format or b"").decode()
        self.name = (raw.name or b"").decode("utf-8", "surrogateescape")
        self.nullable = bool(raw.flags & NULLABLE)
        self.ordered = bool(raw.flags & ORDERED)
        self.children: List[Node] = [Node(raw.children[at].contents) for at in range(raw.n_children)]
        self.dictionary: Optional[Node] = Node(raw.dictionary.contents) if raw.dictionary else None
        self.metadata = _metadata(raw.metadata)

    @property
    def datatype(self) -> Optional[str]:
        """The name of the TileDB datatype."""
        found = self.metadata.get(b"tiledb.datatype")
        return found.decode() if found else None


def _metadata(address: Optional[int]) -> Dict[bytes, bytes]:
    """Decodes key-value metadata, whose numbers have 32 bits in native byte order."""
    found: Dict[bytes, bytes] = {}
    if not address:
        return found
    at = address

    def number() -> int:
        nonlocal at
        at += 4
        return struct.unpack("=i", ctypes.string_at(at - 4, 4))[0]

    def content() -> bytes:
        nonlocal at
        length = number()
        at += length
        return ctypes.string_at(at - length, length)

    for _ in range(number()):
        key = content()
        found[key] = content()
    return found


class Batch:
    """A record batch, released with the last reference to it."""

    __slots__ = ("raw", "__weakref__")

    def __init__(self, raw: ArrowArray):
        self.raw = raw

    def __del__(self, is_finalizing: Any = sys.is_finalizing) -> None:
        if not is_finalizing():
            release(self.raw)

    def __len__(self) -> int:
        return self.raw.length


class Stream:
    """A stream of record batches, released with the last reference to it, or moved to a consumer.

    One thread at a time may use it.
    """

    __slots__ = ("raw", "context", "owners", "_is_owner", "__weakref__")

    def __init__(self, raw: ArrowArrayStream, *owners: Any, context: Optional[Context] = None):
        self.raw = raw
        # Its operations, if it is a read of one.
        self.context = context
        self.owners = owners
        self._is_owner = True

    def __del__(self, is_finalizing: Any = sys.is_finalizing) -> None:
        if self._is_owner and not is_finalizing():
            release(self.raw)

    def detach(self) -> ArrowArrayStream:
        """The struct, which the caller has to release."""
        self._is_owner = False
        return self.raw

    def schema(self) -> ArrowSchema:
        """The schema of the batches, which the caller has to release."""
        raw = ArrowSchema()
        self._check(Fill(self._callback("get_schema"))(ctypes.addressof(self.raw), ctypes.addressof(raw)))
        return raw

    def node(self) -> Node:
        """The schema of the batches as an object."""
        raw = self.schema()
        try:
            return Node(raw)
        finally:
            release(raw)

    def __iter__(self) -> Iterator[Batch]:
        get_next = Fill(self._callback("get_next"))
        while True:
            raw = ArrowArray()
            interrupts.check()
            with interrupts.Interruptible(self.context):
                self._check(get_next(ctypes.addressof(self.raw), ctypes.addressof(raw)))
            if not raw.release:
                return
            yield Batch(raw)

    def _callback(self, name: str) -> int:
        if not self.raw.release:
            raise ValueError("the stream was already consumed or released")
        return getattr(self.raw, name)

    def _check(self, code: int) -> None:
        if code:
            message = LastError(self.raw.get_last_error)(ctypes.addressof(self.raw)) if self.raw.get_last_error else None
            raise TileDBError((message or f"error {code} of the stream".encode()).decode("utf-8", "replace"), "read")
