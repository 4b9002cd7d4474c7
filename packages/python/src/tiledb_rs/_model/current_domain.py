"""The current domain: the part of the domain of an array that can have cells."""

from __future__ import annotations

import ctypes
from ctypes import Structure, byref, c_uint32, c_uint64, c_void_p
from typing import Any, Optional, Sequence, Tuple

from .._native.context import Context, Handle
from .datatypes import Datatype, decode, encode
from .fields import Dimension


class _Range(Structure):
    """``tiledb_range_t``."""

    _fields_ = [("min", c_void_p), ("min_size", c_uint64), ("max", c_void_p), ("max_size", c_uint64)]


def build(ctx: Context, domain: Handle, dimensions: Sequence[Dimension], bounds: Sequence[Tuple[Any, Any]]) -> Handle:
    """A current domain of the library."""
    rectangle = ctx.make("ndrectangle", "ndrectangle_alloc", domain)
    for at, (dimension, (low, high)) in enumerate(zip(dimensions, bounds)):
        what = f"the current domain of dimension {dimension.name!r}"
        contents = [ctypes.create_string_buffer(content, max(len(content), 1)) for content in (encode(Datatype.of(dimension.dtype), bound, what) for bound in (low, high))]
        sizes = [len(encode(Datatype.of(dimension.dtype), bound, what)) for bound in (low, high)]
        made = _Range(ctypes.addressof(contents[0]), sizes[0], ctypes.addressof(contents[1]), sizes[1])
        ctx.call("ndrectangle_set_range", rectangle, at, byref(made), about=what)
    current = ctx.make("current_domain", "current_domain_create")
    ctx.call("current_domain_set_ndrectangle", current, rectangle, about="current domain")
    return current


def load(ctx: Context, schema: Handle, dimensions: Sequence[Dimension]) -> Optional[Tuple[Tuple[Any, Any], ...]]:
    """The bounds of the current domain of a schema; None if it has none."""
    current = ctx.make("current_domain", "array_schema_get_current_domain", schema)
    if ctx.ask(c_uint32, "current_domain_get_is_empty", current):
        return None
    rectangle = ctx.make("ndrectangle", "current_domain_get_ndrectangle", current)
    found = []
    for at, dimension in enumerate(dimensions):
        bounds, datatype = _Range(), Datatype.of(dimension.dtype)
        ctx.call("ndrectangle_get_range", rectangle, at, byref(bounds))
        parts = ((bounds.min, bounds.min_size), (bounds.max, bounds.max_size))
        low, high = (decode(datatype, ctypes.string_at(place, size) if size else b"") for place, size in parts)
        found.append((low, high))
    return tuple(found)
