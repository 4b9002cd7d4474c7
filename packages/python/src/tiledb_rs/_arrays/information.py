"""What is known about an array without reading cells: fragments and the non-empty domain."""

from __future__ import annotations

import ctypes
import dataclasses
from ctypes import byref, c_char_p, c_int32, c_uint32, c_uint64
from typing import Any, List, Optional, Tuple

from . import nonempty
from .._native.context import Context, text
from .._model.datatypes import Datatype, decode
from .query import OpenArray
from .._model.schema import Schema

Bounds = Tuple[Tuple[Any, Any], ...]


@dataclasses.dataclass(frozen=True)
class Fragment:
    """A fragment: its URI, number of cells, size in bytes, timestamps in milliseconds, format version, and the bounds of its cells.

    Examples:
        >>> array.fragments()[0].cells
        3
    """

    __module__ = "tiledb_rs"

    uri: str
    cells: int
    bytes: int
    timestamp_range: Tuple[int, int]
    sparse: bool
    version: int
    nonempty_domain: Bounds


def fragments(ctx: Context, uri: str, schema: Schema) -> List[Fragment]:
    """The fragments of an array."""
    info = ctx.make("fragment_info", "fragment_info_alloc", text(uri, "a URI"), about=uri)
    ctx.call("fragment_info_load", info, about=uri)
    found = []
    for at in range(ctx.ask(c_uint32, "fragment_info_get_fragment_num", info)):
        start, end = c_uint64(), c_uint64()
        ctx.call("fragment_info_get_timestamp_range", info, at, byref(start), byref(end))
        bounds = tuple(_fragment_bounds(ctx, info, at, index, Datatype.of(one.dtype)) for index, one in enumerate(schema.dimensions))
        found.append(
            Fragment(
                (ctx.ask(c_char_p, "fragment_info_get_fragment_uri", info, at) or b"").decode("utf-8", "surrogateescape"),
                ctx.ask(c_uint64, "fragment_info_get_cell_num", info, at),
                ctx.ask(c_uint64, "fragment_info_get_fragment_size", info, at),
                (start.value, end.value),
                bool(ctx.ask(c_int32, "fragment_info_get_sparse", info, at)),
                ctx.ask(c_uint32, "fragment_info_get_version", info, at),
                bounds,
            )
        )
    return found


def _fragment_bounds(ctx: Context, info: Any, at: int, index: int, datatype: Datatype) -> Tuple[Any, Any]:
    if datatype.is_string:
        sizes = c_uint64(), c_uint64()
        ctx.call("fragment_info_get_non_empty_domain_var_size_from_index", info, at, index, *map(byref, sizes))
        bounds = [ctypes.create_string_buffer(max(size.value, 1)) for size in sizes]
        ctx.call("fragment_info_get_non_empty_domain_var_from_index", info, at, index, *bounds)
        low, high = (decode(datatype, bound.raw[: size.value]) for bound, size in zip(bounds, sizes))
        return low, high
    both = ctypes.create_string_buffer(2 * datatype.size)
    ctx.call("fragment_info_get_non_empty_domain_from_index", info, at, index, both)
    return decode(datatype, both.raw[: datatype.size]), decode(datatype, both.raw[datatype.size :])


def nonempty_domain(source: OpenArray) -> Optional[Bounds]:
    """The bounds of the cells of an open array."""
    return nonempty.nonempty_domain(source.ctx, source.handle, source.schema.dimensions)
