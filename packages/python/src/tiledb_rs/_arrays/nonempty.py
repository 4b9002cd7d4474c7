"""Where the cells of an open array are."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int32, c_uint64
from typing import Any, Optional, Sequence, Tuple

from .._native.context import Context, Handle
from .._model.datatypes import Datatype, decode
from .._model.fields import Dimension

Bounds = Tuple[Tuple[Any, Any], ...]


def nonempty_domain(ctx: Context, handle: Handle, dimensions: Sequence[Dimension]) -> Optional[Bounds]:
    """The bounds of the cells of an open array."""
    found = []
    for index, dimension in enumerate(dimensions):
        datatype, is_empty = Datatype.of(dimension.dtype), c_int32()
        if datatype.is_string:
            sizes = c_uint64(), c_uint64()
            ctx.call("array_get_non_empty_domain_var_size_from_index", handle, index, *map(byref, sizes), byref(is_empty))
            if is_empty.value:
                return None
            bounds = [ctypes.create_string_buffer(max(size.value, 1)) for size in sizes]
            ctx.call("array_get_non_empty_domain_var_from_index", handle, index, *bounds, byref(is_empty))
            low, high = (decode(datatype, bound.raw[: size.value]) for bound, size in zip(bounds, sizes))
        else:
            both = ctypes.create_string_buffer(2 * datatype.size)
            ctx.call("array_get_non_empty_domain_from_index", handle, index, both, byref(is_empty))
            if is_empty.value:
                return None
            low, high = decode(datatype, both.raw[: datatype.size]), decode(datatype, both.raw[datatype.size :])
        found.append((low, high))
    return tuple(found)
