"""Files in any store, as raw binary streams."""

from __future__ import annotations

import io
import os
from ctypes import CFUNCTYPE, byref, c_char, c_char_p, c_int32, c_uint64, c_void_p
from typing import Any, List, Mapping, Optional

from .._native.callbacks import Guard
from .._native.context import ConfigValue, Context, choose_context, text, uri_of
from .._native.errors import TileDBError

MODES = {"rb": 0, "r": 0, "wb": 1, "w": 1, "ab": 2, "a": 2}
ListCallback = CFUNCTYPE(c_int32, c_char_p, c_void_p)


class File(io.RawIOBase):
    """A file that is open for reading (``rb``), writing (``wb``) or appending (``ab``).

    A written file is complete when it is closed; object stores do not append.

    Examples:
        >>> with tiledb_rs.open_file("note.txt", "wb") as file:
        ...     file.write(b"text")
        4
    """

    __module__ = "tiledb_rs"

    def __init__(self, ctx: Context, uri: str, mode: str):
        super().__init__()
        self.name, self.mode = uri, mode
        self._ctx = ctx
        self._vfs = ctx.make("vfs", "vfs_alloc", None)
        self._handle: Any = None
        self._at = 0
        if MODES[mode] == 0:
            if not ctx.ask(c_int32, "vfs_is_file", self._vfs, text(uri)):
                raise FileNotFoundError(f"there is no file {uri}")
            self._size = ctx.ask(c_uint64, "vfs_file_size", self._vfs, text(uri))
        self._handle = ctx.make("vfs_fh", "vfs_open", self._vfs, text(uri), MODES[mode], about=uri)

    def readable(self) -> bool:
        """Whether the file is open for reading.

        Returns:
            True if it is.

        Examples:
            >>> with tiledb_rs.open_file("note.txt", "wb") as file:
            ...     file.readable()
            False
        """
        return MODES[self.mode] == 0

    def writable(self) -> bool:
        """Whether the file is open for writing or appending.

        Returns:
            True if it is.

        Examples:
            >>> with tiledb_rs.open_file("note.txt", "wb") as file:
            ...     file.writable()
            True
        """
        return MODES[self.mode] != 0

    def seekable(self) -> bool:
        """Whether the position can be set, which it can in files that are read.

        Returns:
            True if it can.

        Examples:
            >>> with tiledb_rs.open_file("note.txt", "wb") as file:
            ...     file.seekable()
            False
        """
        return self.readable()

    def _check(self, ability: bool, what: str) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if not ability:
            raise io.UnsupportedOperation(what)

    def readinto(self, buffer: Any) -> int:
        """Reads bytes into a buffer.

        Args:
            buffer: A writable buffer, such as a ``bytearray``.

        Returns:
            The number of bytes, which is 0 at the end of the file.

        Raises:
            ValueError: if the file is closed.
            io.UnsupportedOperation: if it is open for writing.

        Examples:
            >>> with tiledb_rs.open_file("note.txt", "wb") as file:
            ...     file.write(b"text")
            4
            >>> content = bytearray(8)
            >>> with tiledb_rs.open_file("note.txt") as file:
            ...     file.readinto(content), content[:4]
            (4, bytearray(b'text'))
        """
        self._check(self.readable(), "read")
        view = memoryview(buffer).cast("B")
        count = max(min(len(view), self._size - self._at), 0)
        if count:
            self._ctx.call("vfs_read", self._handle, self._at, byref((c_char * count).from_buffer(view)), count, about=self.name)
            self._at += count
        return count

    def write(self, content: Any) -> int:
        """Writes bytes; object stores have them when the file is closed.

        Args:
            content: The bytes.

        Returns:
            Their number.

        Raises:
            ValueError: if the file is closed.
            io.UnsupportedOperation: if it is open for reading.
            TileDBError: if they cannot be written.

        Examples:
            >>> with tiledb_rs.open_file("note.txt", "wb") as file:
            ...     file.write(b"text")
            4
        """
        self._check(self.writable(), "write")
        data = bytes(content)
        if data:
            self._ctx.call("vfs_write", self._handle, data, len(data), about=self.name)
            self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Sets the position of the next read.

        Args:
            offset: The number of bytes from there.
            whence: From where it counts: ``os.SEEK_SET`` (the beginning), ``os.SEEK_CUR`` (the position) or ``os.SEEK_END``.

        Returns:
            The position.

        Raises:
            ValueError: if it would lie before the beginning.
            io.UnsupportedOperation: if the file is open for writing.

        Examples:
            >>> with tiledb_rs.open_file("note.txt", "wb") as file:
            ...     file.write(b"text")
            4
            >>> with tiledb_rs.open_file("note.txt") as file:
            ...     file.seek(2), file.read()
            (2, b'xt')
        """
        self._check(self.seekable(), "seek")
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise ValueError(f"negative seek position {base + offset}")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        """The position: how many bytes were written, or precede the next read.

        Returns:
            The position.

        Raises:
            ValueError: if the file is closed.

        Examples:
            >>> with tiledb_rs.open_file("note.txt", "wb") as file:
            ...     file.write(b"text"), file.tell()
            (4, 4)
        """
        self._check(True, "tell")
        return self._at

    def close(self) -> None:
        """Closes the file, which completes one that was written; a second time does nothing.

        Raises:
            TileDBError: if the file cannot be completed.

        Examples:
            >>> file = tiledb_rs.open_file("note.txt", "wb")
            >>> file.close()
            >>> file.closed
            True
        """
        if not self.closed:
            handle, self._handle = self._handle, None
            try:
                if handle is not None:
                    self._ctx.call("vfs_close", handle, about=self.name)
            finally:
                super().close()


def open_file(uri: Any, mode: str = "rb", *, config: Optional[Mapping[str, ConfigValue]] = None, context: Optional[Context] = None) -> File:
    """Opens a file in any store as a raw binary stream; wrap it in ``io.BufferedReader`` for small reads.

    Args:
        uri: The path or URI.
        mode: ``rb``, ``wb`` or ``ab``.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The file, with the methods of a raw binary stream.

    Examples:
        >>> with open_file("note.txt", "wb") as file:
        ...     file.write(b"text")
        4
        >>> open_file("note.txt").read()
        b'text'
    """
    if mode not in MODES:
        raise ValueError(f"mode must be one of rb, wb, ab, not {mode!r}")
    return File(choose_context(context, config), uri_of(uri), mode)


def list_files(uri: Any, *, config: Optional[Mapping[str, ConfigValue]] = None, context: Optional[Context] = None) -> List[str]:
    """The files and folders in a folder.

    Args:
        uri: The path or URI.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The URIs.

    Examples:
        >>> any(uri.endswith("__schema") for uri in list_files("readings"))
        True
    """
    ctx, name = choose_context(context, config), uri_of(uri)
    vfs, found = ctx.make("vfs", "vfs_alloc", None), []
    with Guard(ctx) as guard:
        callback = guard.callback(ListCallback, lambda child, _: found.append(child.decode("utf-8", "surrogateescape")))
        guard.call("vfs_ls", vfs, text(name), callback, None, about=name)
    return found


def is_free(uri: str, context: Context) -> bool:
    """Whether there is nothing at a URI, so that what is there later was created since; False if that cannot be found out."""
    try:
        vfs = context.make("vfs", "vfs_alloc", None)
        if context.ask(c_int32, "vfs_is_dir", vfs, text(uri)):
            return not list_files(uri, context=context)
        return not context.ask(c_int32, "vfs_is_file", vfs, text(uri))
    except TileDBError:
        return False


__all__ = ["File", "is_free", "list_files", "open_file"]
