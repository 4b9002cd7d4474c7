"""Attributes of variables as metadata of arrays and groups, with their types; keys as TileDB-CF has them."""

from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_char_p, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Mapping
from urllib.parse import quote

from .._model.datatypes import Datatype, decode
from .._native.errors import require
from .._model.metadata import Metadata

ATTRIBUTE = "__tiledb_attr."
# Ends the key of a value that metadata has no datatype for, and which is stored as JSON.
_JSON = "#json"
# Begins the keys of this package, which are no attributes.
OWN = "__tiledb_rs."


def prefix_of(name: str) -> str:
    """The beginning of the keys of the attributes of a variable."""
    return f"{ATTRIBUTE}{name}."


def member_path(name: str) -> str:
    """The folder of a member of a group: names of folders that begin with ``__`` are those of TileDB."""
    return quote(name, safe="-_.~ ()[]") if name not in (".", "..") and not name.startswith("__") else f"_{quote(name, safe='-_.~ ()[]')}"


def encoded(attrs: Mapping[Any, Any], prefix: str = "") -> Dict[str, Any]:
    """Attributes as metadata: numbers and arrays keep their types; lists of texts and dicts become JSON."""
    numpy = require("numpy", "attributes of variables")
    found: Dict[str, Any] = {}
    for key, value in attrs.items():
        name = f"{prefix}{key}"
        if isinstance(value, (str, bytes)) and not isinstance(value, numpy.generic):
            found[name] = value
        elif isinstance(value, (bool, int, float)) and not isinstance(value, numpy.generic):
            found[name] = value
        elif isinstance(value, (numpy.str_, numpy.bytes_)):
            found[name] = value.item()
        else:
            array = numpy.asarray(value) if not isinstance(value, Mapping) else None
            if array is not None and array.ndim <= 1 and array.size and array.dtype.kind in "biufmM" and array.dtype != "f2":
                found[name] = array.reshape(-1) if array.ndim else array[()]
                if array.ndim and array.size == 1:
                    found[name + "#list"] = 1
            else:
                found[name + _JSON] = json.dumps(value.tolist() if hasattr(value, "tolist") else value, default=_plain)
    return found


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def shown(value: Any) -> str:
    """A value of an attribute as JSON, by which it is seen whether it has changed."""
    return json.dumps(value.tolist() if hasattr(value, "tolist") else value, default=_plain)


def decoded(metadata: Metadata, prefix: str = "") -> Dict[str, Any]:
    """The attributes whose keys begin with a prefix: numbers as those of NumPy, so that their types remain."""
    items = _typed(metadata)
    found = {}
    for key, value in items.items():
        if not key.startswith(prefix) or (not prefix and key.startswith((OWN, ATTRIBUTE, "__tiledb_dim."))) or key.endswith("#list"):
            continue
        name = key[len(prefix) :]
        if name.endswith(_JSON) and isinstance(value, str):
            try:
                found[name[: -len(_JSON)]] = json.loads(value)
                continue
            except ValueError:
                pass
        one_of_list = f"{key}#list" in items
        found[name] = value.reshape(1) if one_of_list else value
    return found


def _typed(metadata: Metadata) -> Dict[str, Any]:
    """All values, numbers as scalars or arrays of NumPy."""
    numpy = require("numpy", "attributes of variables")
    ctx, kind = metadata._ctx, metadata._kind
    handle, found = metadata._open(0), {}
    for at in range(ctx.ask(c_uint64, f"{kind}_get_metadata_num", handle)):
        key, length, datatype, number, value = c_char_p(), c_uint32(), c_uint32(), c_uint32(), c_void_p()
        ctx.call(f"{kind}_get_metadata_from_index", handle, at, byref(key), byref(length), byref(datatype), byref(number), byref(value))
        name = ctypes.string_at(key, length.value).decode("utf-8", "surrogateescape")
        type = Datatype(datatype.value)
        content = ctypes.string_at(value.value, number.value * type.size) if value.value and number.value else b""
        if type.is_string:
            found[name] = decode(type, content)
        else:
            numbers = numpy.frombuffer(content, type.numpy)
            found[name] = numbers[0] if number.value == 1 else numbers.copy()
    return found


__all__ = ["ATTRIBUTE", "OWN", "decoded", "encoded", "member_path", "prefix_of", "shown"]
