"""Contexts, configuration, and handles of objects of the library."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from ctypes import byref, c_char_p, c_int32, c_size_t, c_void_p
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from .errors import TileDBError
from .interrupts import Interruptible
from .library import functions
from .parameters import SECRET_NAMES, SECRET_PREFIXES, warn_if_unknown

ConfigValue = Union[str, int, float, bool]
# Words in names of an application's own parameters whose values may be credentials, as in the command-line tool.
_SECRET = ("secret", "password", "token", "sig", "credential", "key", "sas", "auth", "username")

# Functions that may take long, and leave everything as it was when they are cancelled.
_CANCELLABLE = frozenset(
    (
        *("array_open", "array_load_all_enumerations", "fragment_info_load", "group_open", "query_submit"),
        *("object_ls", "object_walk", "vfs_ls", "vfs_read"),
        *("rs_array_orphans", "rs_array_verify", "rs_query_from_arrow", "rs_query_to_arrow", "rs_schema_advise"),
    )
)


def text(value: Any, what: str = "a name") -> bytes:
    """A string for the C interface, which ends it at the first NUL."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    encoded = value.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise ValueError(f"{what} contains a NUL character: {value!r}")
    return encoded


def uri_of(value: Any) -> str:
    """The URI of a str, a path, or an object of this package or of TileDB-Py."""
    if isinstance(value, (str, os.PathLike)):
        value = os.fspath(value)
    else:
        value = getattr(value, "uri", value)
    if not isinstance(value, str):
        raise TypeError(f"a URI must be a str, a path or an object with .uri, not {type(value).__name__}")
    text(value, "a URI")
    if not value:
        raise ValueError("a URI must not be empty")
    return value


class Handle:
    """A handle of the library, which is freed with the last reference to this object.

    It is not freed when the interpreter exits: other threads may be using it then, and the process ends anyway.
    """

    __slots__ = ("_as_parameter_", "_free", "__weakref__")

    def __init__(self, pointer: Optional[int], kind: str):
        self._as_parameter_ = c_void_p(pointer)
        if not pointer:
            raise TileDBError(f"the library returned no {kind}")
        self._free = getattr(functions(), f"tiledb_{kind}_free")

    def __del__(self, is_finalizing: Any = sys.is_finalizing, byref: Any = byref) -> None:
        # Globals may be gone when the interpreter exits.
        if self._as_parameter_ and not is_finalizing():
            self._free(byref(self._as_parameter_))

    @property
    def pointer(self) -> int:
        return self._as_parameter_.value or 0

    def free(self) -> None:
        """Frees it now; it must not be used afterwards."""
        if self._as_parameter_:
            pointer, self._as_parameter_ = self._as_parameter_, c_void_p()
            self._free(byref(pointer))


def take_error(error: c_void_p) -> str:
    """The text of an error, which is freed."""
    message = c_char_p()
    functions().tiledb_error_message(error, byref(message))
    found = (message.value or b"unknown error").decode("utf-8", "replace")
    functions().tiledb_error_free(byref(error))
    return found


def config_text(value: ConfigValue) -> str:
    """The value of a parameter as the library reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"the value of a parameter must be a str, a number or a bool, not {type(value).__name__}")


def make_config(config: Optional[Mapping[str, ConfigValue]]) -> Optional[Handle]:
    """A configuration handle with these parameters; None if there are none."""
    if not config:
        return None
    lib = functions()
    out, error = c_void_p(), c_void_p()
    if lib.tiledb_config_alloc(byref(out), byref(error)):
        raise TileDBError(take_error(error), "configuration")
    handle = Handle(out.value, "config")
    for name, value in config.items():
        parameter = text(name, "the name of a parameter")
        content = text(config_text(value), f"the value of {name}")
        warn_if_unknown(name)
        if lib.tiledb_config_set(handle, parameter, content, byref(error)):
            raise TileDBError(take_error(error), f"configuration parameter {name}")
    return handle


def is_secret(name: str) -> bool:
    """Whether the value of a parameter with this name is a credential, or may be one."""
    return name in SECRET_NAMES or name.startswith(SECRET_PREFIXES) or any(word in name.lower() for word in _SECRET)


class Context:
    """A context with a configuration: parameters by name, as in the configuration reference.

    Threads may share a context. All functions use :func:`default_context` if they are given none. A name that looks like a parameter and
    is none causes a warning; names outside the library's sections are the application's own.

    >>> Context({"sm.mem.total_budget": 1 << 30}).get("sm.mem.total_budget")
    '1073741824'
    """

    __module__ = "tiledb_rs"

    def __init__(self, config: Optional[Mapping[str, ConfigValue]] = None):
        if config is not None and not isinstance(config, Mapping):
            raise TypeError(f"a configuration must be a dict, not {type(config).__name__}")
        self._config: Dict[str, ConfigValue] = dict(config or {})
        out, error = c_void_p(), c_void_p()
        if functions().tiledb_ctx_alloc_with_error(make_config(self._config), byref(out), byref(error)):
            raise TileDBError(take_error(error), "context")
        self._handle = Handle(out.value, "ctx")

    @property
    def _as_parameter_(self) -> c_void_p:
        return self._handle._as_parameter_

    @property
    def config(self) -> Dict[str, ConfigValue]:
        """The parameters that were set."""
        return dict(self._config)

    def public_config(self) -> Dict[str, ConfigValue]:
        """The parameters that were set, without credentials.

        Returns:
            The parameters by name.

        Examples:
            >>> Context({"vfs.s3.region": "eu-central-1", "vfs.s3.aws_secret_access_key": "..."}).public_config()
            {'vfs.s3.region': 'eu-central-1'}
        """
        return {name: value for name, value in self._config.items() if not is_secret(name)}

    def get(self, name: str) -> Optional[str]:
        """The value of a parameter, its default if it was not set; None if there is no such parameter.

        Args:
            name: The name of the parameter.

        Returns:
            The value as a text; None if there is no such parameter.

        Examples:
            >>> Context({"vfs.s3.region": "eu-central-1"}).get("vfs.s3.region")
            'eu-central-1'
        """
        config = self.make("config", "ctx_get_config")
        value, error = c_char_p(), c_void_p()
        if functions().tiledb_config_get(config, text(name), byref(value), byref(error)):
            raise TileDBError(take_error(error), f"configuration parameter {name}")
        return None if value.value is None else value.value.decode("utf-8", "replace")

    def cancel(self) -> None:
        """Cancels the operations of this context on other threads, which fail.

        Examples:
            >>> Context().cancel()
        """
        self.call("ctx_cancel_tasks")

    def __repr__(self) -> str:
        shown = {name: "***" if is_secret(name) else value for name, value in self._config.items()}
        return f"tiledb_rs.Context({shown or ''})"

    def __reduce__(self) -> Any:
        raise TypeError("a Context cannot be pickled: its configuration may contain credentials; pickle the configuration")

    def call(self, name: str, *arguments: Any, about: str = "") -> None:
        """Calls a function of the C interface with the context as its first argument.

        Args:
            name: The name of the function without ``tiledb_``.
            *arguments: The other arguments, as ctypes takes them.
            about: What an error is about, such as a URI.

        Raises:
            TileDBError: with the text of the library if the function fails.

        Examples:
            >>> import ctypes
            >>> kind = ctypes.c_int32()
            >>> Context().call("object_type", b"readings", ctypes.byref(kind))
            >>> kind.value
            2
        """
        function = getattr(functions(), f"tiledb_{name}")
        if name in _CANCELLABLE:
            with Interruptible(self):
                failed = function(self._handle._as_parameter_, *arguments)
                # Before another operation of the context fails.
                message = self.last_error() if failed else ""
            if failed:
                raise TileDBError(message, about or name)
        elif function(self._handle._as_parameter_, *arguments):
            raise TileDBError(self.last_error(), about or name)

    def open(self, name: str, handle: Handle, mode: int, uri: str) -> None:
        """Calls the function that opens an array or a group.

        Args:
            name: ``array_open`` or ``group_open``.
            handle: The array or group of the library.
            mode: The query type by number.
            uri: Its URI, for the error.

        Raises:
            TileDBError: if there is none; the error says so if there is one of the other kind.

        Examples:
            >>> ctx = Context()
            >>> ctx.open("array_open", ctx.make("array", "array_alloc", b"readings"), 0, "readings")
        """
        try:
            self.call(name, handle, mode, about=uri)
        except TileDBError as error:
            found = c_int32()
            if functions().tiledb_object_type(self, text(uri), byref(found)) == 0:
                if name == "array_open" and found.value == 1:
                    raise TileDBError(f"there is a group at {uri}, not an array: open it with tiledb_rs.Group()", uri) from None
                if name == "group_open" and found.value == 2:
                    raise TileDBError(f"there is an array at {uri}, not a group: open it with tiledb_rs.open()", uri) from None
            raise error

    def make(self, kind: str, name: str, *arguments: Any, about: str = "") -> Handle:
        """Calls a function of the C interface whose last argument receives a handle.

        Args:
            kind: What the handle is of, as in the name of the function that frees it: ``array`` for ``tiledb_array_free``.
            name: The name of the function without ``tiledb_``.
            *arguments: The arguments between the context and the last one.
            about: What an error is about, such as a URI.

        Returns:
            The handle, which is freed with the last reference to it.

        Raises:
            TileDBError: if the function fails.

        Examples:
            >>> config = Context().make("config", "ctx_get_config")
        """
        out = c_void_p()
        self.call(name, *arguments, byref(out), about=about)
        return Handle(out.value, kind)

    def ask(self, kind: Any, name: str, *arguments: Any) -> Any:
        """Calls a function of the C interface whose last argument receives a number or a string.

        Args:
            kind: The type of ctypes of what is received.
            name: The name of the function without ``tiledb_``.
            *arguments: The arguments between the context and the last one.

        Returns:
            The value.

        Raises:
            TileDBError: if the function fails.

        Examples:
            >>> import ctypes
            >>> Context().ask(ctypes.c_int32, "object_type", b"readings")
            2
        """
        out = kind()
        self.call(name, *arguments, byref(out))
        return out.value

    def string(self, handle: Handle) -> str:
        """The content of a ``tiledb_string_t``.

        Args:
            handle: The string.

        Returns:
            The text.

        Examples:
            >>> ctx = Context()
            >>> json = ctx.make("string", "rs_schema_to_json", array._source().schema_handle())
            >>> '"time"' in ctx.string(json)
            True
        """
        data, length = c_void_p(), c_size_t()
        functions().tiledb_string_view(handle, byref(data), byref(length))
        return ctypes.string_at(data.value or 0, length.value).decode("utf-8", "surrogateescape") if length.value else ""

    def last_error(self) -> str:
        """The text of the last error of the context.

        Returns:
            The text.

        Examples:
            >>> Context().last_error()
            'unknown error'
        """
        error = c_void_p()
        if functions().tiledb_ctx_get_last_error(self, byref(error)) or not error.value:
            return "unknown error"
        return take_error(error)


_default: Optional[Context] = None
_lock = threading.Lock()


def default_context() -> Context:
    """The context with the default configuration that all functions share.

    Returns:
        The context.

    Examples:
        >>> default_context() is default_context()
        True
    """
    global _default
    if _default is None:
        with _lock:
            if _default is None:
                _default = Context()
    return _default


def choose_context(context: Optional[Context], config: Optional[Mapping[str, ConfigValue]] = None) -> Context:
    """The context of a call: a given one, one with a given configuration, or the default."""
    if context is not None:
        if config is not None:
            raise ValueError("give a context or a configuration, not both")
        if not isinstance(context, Context):
            raise TypeError(f"context must be a tiledb_rs.Context, not {type(context).__name__}")
        return context
    return default_context() if config is None else Context(config)


def version() -> Tuple[int, ...]:
    """The version of libtiledb whose interface the library has.

    Returns:
        The numbers of major, minor and patch version.

    Examples:
        >>> version()[:2]
        (2, 30)
    """
    numbers = [c_int32(), c_int32(), c_int32()]
    functions().tiledb_version(*map(byref, numbers))
    return tuple(number.value for number in numbers)
