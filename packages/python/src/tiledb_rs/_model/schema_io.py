"""Schemas between Python objects and handles of the library."""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref, c_char_p, c_int32, c_uint8, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import current_domain
from .._native.context import Context, Handle, text
from .datatypes import VAR, Datatype, decode, encode
from .filters import Filter, filters_of, load_list, make_list
from .fields import Attribute, Dimension, Enumeration, lazy_enumeration, order_name, order_number
from .values import decode_cell, encode_cell

if TYPE_CHECKING:
    from .schema import Schema


def build(ctx: Context, schema: Schema) -> Handle:
    """A schema of the library, checked."""
    handle = ctx.make("array_schema", "array_schema_alloc", int(schema.sparse))
    domain = ctx.make("domain", "domain_alloc")
    for dimension in schema.dimensions:
        ctx.call("domain_add_dimension", domain, build_dimension(ctx, dimension), about=f"dimension {dimension.name!r}")
    ctx.call("array_schema_set_domain", handle, domain, about="domain")
    for enumeration in schema.enumerations:
        ctx.call("array_schema_add_enumeration", handle, build_enumeration(ctx, enumeration), about=f"enumeration {enumeration.name!r}")
    # Most attributes have the same filters.
    filter_lists: Dict[Tuple[Filter, ...], Handle] = {}
    for attribute in schema.attributes:
        ctx.call("array_schema_add_attribute", handle, build_attribute(ctx, attribute, filter_lists), about=f"attribute {attribute.name!r}")
    ctx.call("array_schema_set_cell_order", handle, order_number(schema.cell_order), about="cell order")
    ctx.call("array_schema_set_tile_order", handle, order_number(schema.tile_order), about="tile order")
    if schema.sparse:
        if isinstance(schema.capacity, bool) or not isinstance(schema.capacity, int) or not 0 < schema.capacity < 1 << 64:
            raise ValueError(f"the capacity must be a positive number, not {schema.capacity!r}")
        ctx.call("array_schema_set_capacity", handle, schema.capacity, about="capacity")
        ctx.call("array_schema_set_allows_dups", handle, int(schema.allows_duplicates))
    for name in ("offsets", "validity", "coords"):
        filters = getattr(schema, f"{name}_filters")
        if filters is not None:
            ctx.call(f"array_schema_set_{name}_filter_list", handle, make_list(ctx, filters), about=f"{name} filters")
    if schema.current_domain is not None:
        made = current_domain.build(ctx, domain, schema.dimensions, schema.current_domain)
        ctx.call("array_schema_set_current_domain", handle, made, about="current domain")
    ctx.call("array_schema_check", handle, about="schema")
    return handle


def to_json(ctx: Context, schema: Schema) -> str:
    """The description of a schema in JSON."""
    return ctx.string(ctx.make("string", "rs_schema_to_json", build(ctx, schema), about="schema"))


def from_json(ctx: Context, json: str) -> Handle:
    """The schema of the library that a description in JSON means."""
    return ctx.make("array_schema", "rs_schema_from_json", text(json, "the JSON of a schema"), about="schema")


def build_dimension(ctx: Context, dimension: Dimension) -> Handle:
    """A dimension of the library."""
    what = f"the domain of dimension {dimension.name!r}"
    bounds = extent = None
    if dimension.domain is not None:
        low, high = (encode(dimension.dtype, bound, what) for bound in dimension.domain)
        bounds = low + high
    if dimension.tile is not None:
        extent = _extent(dimension)
    handle = ctx.make(
        "dimension",
        "dimension_alloc",
        text(dimension.name),
        int(dimension.dtype),
        bounds,
        extent,
        about=f"dimension {dimension.name!r}",
    )
    if dimension.filters:
        ctx.call("dimension_set_filter_list", handle, make_list(ctx, filters_of(dimension.filters)))
    return handle


def _extent(dimension: Dimension) -> bytes:
    """The bytes of a tile extent: a number of units for datetimes."""
    what, extent, dtype = f"the tile extent of dimension {dimension.name!r}", dimension.tile, dimension.dtype
    if dtype.kind == "datetime":
        from . import moments

        extent = moments.count(dtype.unit, "time", extent, what)
        if isinstance(extent, bool) or not isinstance(extent, int):
            raise TypeError(f"{what} must be a number of units or a timedelta, not {type(extent).__name__}")
    return encode(dtype, extent, what)


def build_attribute(ctx: Context, attribute: Attribute, filter_lists: Optional[Dict[Tuple[Filter, ...], Handle]] = None) -> Handle:
    """An attribute of the library; filter lists that were made for others are used again."""
    about = f"attribute {attribute.name!r}"
    handle = ctx.make("attribute", "attribute_alloc", text(attribute.name), int(attribute.dtype), about=about)
    if attribute.var or attribute.values != 1:
        ctx.call("attribute_set_cell_val_num", handle, VAR if attribute.var else attribute.values, about=about)
    if attribute.nullable:
        ctx.call("attribute_set_nullable", handle, 1, about=about)
    if attribute.filters:
        filters = filters_of(attribute.filters)
        filter_list = None if filter_lists is None else filter_lists.get(filters)
        if filter_list is None:
            filter_list = make_list(ctx, filters)
            if filter_lists is not None:
                filter_lists[filters] = filter_list
        ctx.call("attribute_set_filter_list", handle, filter_list, about=about)
    if attribute.fill is not None:
        content = encode_cell(attribute.dtype, attribute.fill, f"the fill value of {about}")
        buffer = ctypes.create_string_buffer(content, max(len(content), 1))
        if attribute.nullable:
            ctx.call("attribute_set_fill_value_nullable", handle, buffer, len(content), 0, about=about)
        else:
            ctx.call("attribute_set_fill_value", handle, buffer, len(content), about=about)
    if attribute.enumeration is not None:
        name = attribute.enumeration if isinstance(attribute.enumeration, str) else attribute.enumeration.name
        ctx.call("attribute_set_enumeration_name", handle, text(name), about=about)
    return handle


def _pack_values(enumeration: Enumeration) -> Tuple[bytes, Optional[Any], int]:
    """Values and offsets of an enumeration: the bytes, the offsets if they vary in length, and the number of values per cell."""
    dtype = Datatype.of(enumeration.dtype)
    cells = [encode_cell(dtype, value, f"a value of enumeration {enumeration.name!r}") for value in enumeration.values]
    if not dtype.is_string:
        return b"".join(cells), None, 1
    offsets, total = [], 0
    for cell in cells:
        offsets.append(total)
        total += len(cell)
    return b"".join(cells), (c_uint64 * len(offsets))(*offsets), VAR


def _pointer(content: bytes) -> Any:
    return content if content else None


def build_enumeration(ctx: Context, enumeration: Enumeration) -> Handle:
    """An enumeration of the library."""
    data, offsets, count = _pack_values(enumeration)
    return ctx.make(
        "enumeration",
        "enumeration_alloc",
        text(enumeration.name),
        int(enumeration.dtype),
        count,
        int(enumeration.ordered),
        _pointer(data) if enumeration.values and data else (b"" if enumeration.values else None),
        len(data),
        offsets if enumeration.values else None,
        ctypes.sizeof(offsets) if offsets is not None else 0,
        about=f"enumeration {enumeration.name!r}",
    )


def extend(ctx: Context, old: Handle, added: Enumeration) -> Handle:
    """An enumeration of the library with more values."""
    data, offsets, _ = _pack_values(added)
    return ctx.make(
        "enumeration",
        "enumeration_extend",
        old,
        data or b"",
        len(data),
        offsets,
        ctypes.sizeof(offsets) if offsets is not None else 0,
        about=f"enumeration {added.name!r}",
    )


def parts(ctx: Context, handle: Handle, array: Optional[Handle] = None) -> Dict[str, Any]:
    """The arguments of the Python object of a schema of the library; enumerations are loaded from the array, if it is one of an open array."""
    domain = ctx.make("domain", "array_schema_get_domain", handle)
    dimensions = []
    for at in range(ctx.ask(c_uint32, "domain_get_ndim", domain)):
        dimensions.append(_load_dimension(ctx, ctx.make("dimension", "domain_get_dimension_from_index", domain, at)))
    attributes, enumerations = [], {}
    for at in range(ctx.ask(c_uint32, "array_schema_get_attribute_num", handle)):
        attribute = _load_attribute(ctx, ctx.make("attribute", "array_schema_get_attribute_from_index", handle, at))
        attributes.append(attribute)
        name = attribute.enumeration
        if isinstance(name, str) and name not in enumerations:
            enumerations[name] = lazy_enumeration(name, _EnumerationSource(ctx, name, handle, array))
    filters = {f"{name}_filters": load_list(ctx, ctx.make("filter_list", f"array_schema_get_{name}_filter_list", handle)) for name in ("offsets", "validity", "coords")}
    return dict(
        dimensions=dimensions,
        attributes=attributes,
        sparse=ctx.ask(c_uint32, "array_schema_get_array_type", handle) == 1,
        capacity=ctx.ask(c_uint64, "array_schema_get_capacity", handle),
        cell_order=order_name(ctx.ask(c_uint32, "array_schema_get_cell_order", handle)),
        tile_order=order_name(ctx.ask(c_uint32, "array_schema_get_tile_order", handle)),
        allows_duplicates=bool(ctx.ask(c_int32, "array_schema_get_allows_dups", handle)),
        enumerations=list(enumerations.values()),
        current_domain=current_domain.load(ctx, handle, dimensions),
        version=ctx.ask(c_uint32, "array_schema_get_version", handle),
        **filters,
    )


def key_of(ctx: Context, handle: Handle) -> Optional[Tuple[str, int]]:
    """What two schemas of the library have in common if their Python objects are the same; None for one with enumerations, which JSON would load."""
    name = c_void_p()
    for at in range(ctx.ask(c_uint32, "array_schema_get_attribute_num", handle)):
        attribute = ctx.make("attribute", "array_schema_get_attribute_from_index", handle, at)
        ctx.call("attribute_get_enumeration_name", attribute, byref(name))
        if name.value:
            Handle(name.value, "string").free()
            return None
    return ctx.string(ctx.make("string", "rs_schema_to_json", handle)), ctx.ask(c_uint32, "array_schema_get_version", handle)


def _name(ctx: Context, function: str, handle: Handle) -> str:
    return (ctx.ask(c_char_p, function, handle) or b"").decode("utf-8", "surrogateescape")


def _load_dimension(ctx: Context, handle: Handle) -> Dimension:
    dtype = Datatype(ctx.ask(c_uint32, "dimension_get_type", handle))
    bounds, extent = c_void_p(), c_void_p()
    ctx.call("dimension_get_domain", handle, byref(bounds))
    ctx.call("dimension_get_tile_extent", handle, byref(extent))
    domain = tile = None
    if bounds.value and not dtype.is_string:
        content = ctypes.string_at(bounds.value, 2 * dtype.size)
        domain = (decode(dtype, content[: dtype.size]), decode(dtype, content[dtype.size :]))
        # A bound that is no time of Python's is its number, and a number is shown for both then.
        if dtype.kind in ("datetime", "time") and len({type(bound) for bound in domain}) > 1:
            domain = struct.unpack("<2q", content)
    if extent.value and not dtype.is_string:
        (tile,) = struct.unpack(f"<{dtype.code}", ctypes.string_at(extent.value, dtype.size))
        # One tile for more coordinates than half of all numbers: the extent that libtiledb stores for it has overflowed.
        tile = tile if 0 <= tile < float("inf") else None
    filters = load_list(ctx, ctx.make("filter_list", "dimension_get_filter_list", handle))
    return Dimension(_name(ctx, "dimension_get_name", handle), domain, tile, dtype, filters)


def _load_attribute(ctx: Context, handle: Handle) -> Attribute:
    dtype = Datatype(ctx.ask(c_uint32, "attribute_get_type", handle))
    number = ctx.ask(c_uint32, "attribute_get_cell_val_num", handle)
    nullable = bool(ctx.ask(c_uint8, "attribute_get_nullable", handle))
    name = c_void_p()
    ctx.call("attribute_get_enumeration_name", handle, byref(name))
    enumeration = ctx.string(Handle(name.value, "string")) if name.value else None
    return Attribute(
        _name(ctx, "attribute_get_name", handle),
        dtype,
        nullable,
        number == VAR,
        1 if number == VAR else number,
        _load_fill(ctx, handle, dtype, number, nullable),
        enumeration,
        load_list(ctx, ctx.make("filter_list", "attribute_get_filter_list", handle)),
    )


def _load_fill(ctx: Context, handle: Handle, dtype: Datatype, number: int, nullable: bool) -> Any:
    """The fill value; None for that which the library chooses by itself."""
    value, size, valid = c_void_p(), c_uint64(), c_uint8()
    if nullable:
        ctx.call("attribute_get_fill_value_nullable", handle, byref(value), byref(size), byref(valid))
    else:
        ctx.call("attribute_get_fill_value", handle, byref(value), byref(size))
    content = ctypes.string_at(value.value, size.value) if value.value else b""
    default = default_fill(dtype)
    if content == default * (1 if number == VAR else number):
        return None
    return decode_cell(dtype, content, number != 1)


def default_fill(datatype: Datatype) -> bytes:
    """The bytes of the fill value of one value that the library chooses."""
    if datatype.kind in ("datetime", "time"):
        return struct.pack("<q", -(1 << 63))
    if datatype.kind == "float":
        return struct.pack(f"<{datatype.code}", float("nan"))
    if datatype == Datatype.CHAR:
        return b"\x80"
    if datatype.is_string or datatype.kind == "bool":
        return b"\0" * datatype.size
    if datatype.code.islower():
        return struct.pack(f"<{datatype.code}", -(1 << (8 * datatype.size - 1)))
    return b"\xff" * datatype.size


class _EnumerationSource:
    """Loads the properties of an enumeration of the library: there may be very many values."""

    def __init__(self, ctx: Context, name: str, schema: Handle, array: Optional[Handle]):
        self._ctx, self._name, self._schema, self._array = ctx, text(name), schema, array
        self._handle: Optional[Handle] = None

    def __call__(self, name: str) -> Any:
        ctx, handle = self._ctx, self._fetch()
        if name == "ordered":
            return bool(ctx.ask(c_int32, "enumeration_get_ordered", handle))
        dtype = Datatype(ctx.ask(c_uint32, "enumeration_get_type", handle))
        return dtype if name == "dtype" else _load_values(ctx, handle, dtype)

    def _fetch(self) -> Handle:
        if self._handle is None:
            source, owner = ("array_get_enumeration", self._array) if self._array is not None else ("array_schema_get_enumeration_from_name", self._schema)
            self._handle = self._ctx.make("enumeration", source, owner, self._name, about=f"enumeration {self._name.decode()!r}")
        return self._handle


def _load_values(ctx: Context, handle: Handle, dtype: Datatype) -> Tuple[Any, ...]:
    data, data_size, offsets, offsets_size = c_void_p(), c_uint64(), c_void_p(), c_uint64()
    ctx.call("enumeration_get_data", handle, byref(data), byref(data_size))
    number = ctx.ask(c_uint32, "enumeration_get_cell_val_num", handle)
    content = ctypes.string_at(data.value or 0, data_size.value) if data_size.value else b""
    if number != VAR:
        size = dtype.size * number
        return tuple(decode_cell(dtype, content[at : at + size], number != 1) for at in range(0, len(content), size))
    ctx.call("enumeration_get_offsets", handle, byref(offsets), byref(offsets_size))
    count = offsets_size.value // 8
    starts: List[int] = list((c_uint64 * count).from_address(offsets.value or 0)) if count else []
    starts.append(len(content))
    if dtype.kind != "text" or dtype.size != 1:
        return tuple(decode_cell(dtype, content[low:high], True) for low, high in zip(starts, starts[1:]))
    if content.isascii():
        joined = content.decode("ascii")
        return tuple(joined[low:high] for low, high in zip(starts, starts[1:]))
    return tuple(content[low:high].decode("utf-8", "surrogateescape") for low, high in zip(starts, starts[1:]))


__all__ = ["build", "from_json", "key_of", "parts", "to_json"]
