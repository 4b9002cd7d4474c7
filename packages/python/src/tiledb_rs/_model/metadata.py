"""Metadata of arrays and groups: a mapping from keys to numbers, strings, bytes and lists of numbers."""

from __future__ import annotations

import ctypes
import datetime
from collections.abc import MutableMapping
from ctypes import byref, c_char_p, c_int32, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Iterator, List, Tuple

from . import moments
from .._native.context import Context, Handle, text
from .datatypes import Datatype, decode, encode

Opener = Callable[[int], Handle]


class Metadata(MutableMapping[str, Any]):
    """Metadata; each change opens the array or the group for writing, and is committed at once. Use :meth:`update` for many.

    Values are int, float, bool, str, bytes, dates and times, lists of numbers, and NumPy arrays of one dimension. Lists are returned as
    tuples.
    """

    def __init__(self, ctx: Context, kind: str, opener: Opener, changed: Callable[[], None]):
        self._ctx, self._kind, self._open, self._changed = ctx, kind, opener, changed

    def __getitem__(self, key: str) -> Any:
        datatype, number, value = c_uint32(), c_uint32(), c_void_p()
        handle, name = self._open(0), text(key, "a key")
        exists = c_int32()
        self._ctx.call(f"{self._kind}_has_metadata_key", handle, name, byref(datatype), byref(exists))
        if not exists.value:
            raise KeyError(key)
        self._ctx.call(f"{self._kind}_get_metadata", handle, name, byref(datatype), byref(number), byref(value), about=key)
        return _value(datatype.value, number.value, value.value)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        datatype, exists = c_uint32(), c_int32()
        self._ctx.call(f"{self._kind}_has_metadata_key", self._open(0), text(key, "a key"), byref(datatype), byref(exists))
        return bool(exists.value)

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, *others: Any, **values: Any) -> None:
        """Sets many keys in one commit."""
        changes = dict(*others, **values)
        encoded = [(text(key, "a key"), *_encode(key, value)) for key, value in changes.items()]
        if not encoded:
            return
        handle = self._open(1)
        try:
            for key, datatype, number, content in encoded:
                self._ctx.call(f"{self._kind}_put_metadata", handle, key, int(datatype), number, content, about=key.decode())
        finally:
            self._close(handle)

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        handle = self._open(1)
        try:
            self._ctx.call(f"{self._kind}_delete_metadata", handle, text(key, "a key"), about=key)
        finally:
            self._close(handle)

    def _close(self, handle: Handle) -> None:
        """Closes the array or group, which commits the changes."""
        self._ctx.call(f"{self._kind}_close", handle)
        handle.free()
        self._changed()

    def __len__(self) -> int:
        return self._ctx.ask(c_uint64, f"{self._kind}_get_metadata_num", self._open(0))

    def __iter__(self) -> Iterator[str]:
        return iter([key for key, _ in self._all()])

    def items(self) -> Any:
        """All keys and values."""
        return dict(self._all()).items()

    def _all(self) -> List[Tuple[str, Any]]:
        handle, found = self._open(0), []
        for at in range(self._ctx.ask(c_uint64, f"{self._kind}_get_metadata_num", handle)):
            key, length, datatype, number, value = c_char_p(), c_uint32(), c_uint32(), c_uint32(), c_void_p()
            self._ctx.call(
                f"{self._kind}_get_metadata_from_index",
                handle,
                at,
                byref(key),
                byref(length),
                byref(datatype),
                byref(number),
                byref(value),
            )
            name = ctypes.string_at(key, length.value).decode("utf-8", "surrogateescape")
            found.append((name, _value(datatype.value, number.value, value.value)))
        return found

    def __repr__(self) -> str:
        return f"Metadata({dict(self._all())!r})"


def _value(datatype: int, number: int, address: Any) -> Any:
    """The Python value of a metadata value."""
    kind = Datatype(datatype)
    content = ctypes.string_at(address, number * kind.size) if address and number else b""
    if kind.is_string:
        return decode(kind, content)
    if number == 1:
        return decode(kind, content)
    return tuple(decode(kind, content[at : at + kind.size]) for at in range(0, len(content), kind.size))


def _encode(key: str, value: Any) -> Tuple[Datatype, int, Any]:
    """Datatype, number of values, and bytes of a value."""
    what = f"the value of {key!r}"
    if isinstance(value, str):
        content = encode(Datatype.STRING_UTF8, value, what)
        return Datatype.STRING_UTF8, len(content), content
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Datatype.BLOB, len(bytes(value)), bytes(value)
    if hasattr(value, "dtype"):
        return _encode_numpy(value, what)
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not values:
        raise ValueError(f"{what} is an empty list, whose type is unknown: give a NumPy array or bytes")
    # Timestamps of pandas are datetimes, with nanoseconds.
    kinds = {moments.type_of(one) if moments.is_moment(one) else type(one) for one in values}
    if kinds == {int, float}:
        kinds = {float}
    if len(kinds) != 1:
        raise TypeError(f"{what} must have values of one type")
    (kind,) = kinds
    if kind in (str, bytes) or kind not in (int, float, bool) and not moments.is_moment(values[0]):
        raise TypeError(f"{what} must be a number, a str, bytes, a date, or a list of numbers, not {type(value).__name__}")
    datatype = Datatype.of(kind)
    if kind is int and any(one > (1 << 63) - 1 for one in values):
        datatype = Datatype.UINT64
    if any(moments.nanoseconds(one) for one in values):
        datatype = Datatype.DATETIME_NS if kind is datetime.datetime else Datatype.TIME_NS
    return datatype, len(values), b"".join(encode(datatype, one, what) for one in values)


def _encode_numpy(value: Any, what: str) -> Tuple[Datatype, int, Any]:
    if getattr(value, "ndim", 0) > 1 or value.dtype.kind not in "biufmM":
        raise TypeError(f"{what} must be a NumPy array of numbers with one dimension, not {value.ndim} of {value.dtype}")
    datatype = Datatype.of(value.dtype)
    if value.dtype.byteorder == ">":
        value = value.astype(value.dtype.newbyteorder("<"))
    content = value.tobytes()
    return datatype, len(content) // datatype.size, content or None


__all__ = ["Metadata"]
