//! C interface: array schema.

use std::ffi::c_int;

use super::boundary::{CEnum, In, InConst, Out, OutHandle, OutStr, Str, capi_return_t, free, pending};
use super::enum_text::{of_text, text_of};
use super::enums::{tiledb_array_type_t, tiledb_layout_t};
use super::handles::{
    tiledb_array_schema_t, tiledb_attribute_t, tiledb_ctx_t, tiledb_current_domain_t, tiledb_domain_t,
    tiledb_enumeration_t, tiledb_filter_list_t, tiledb_string_t,
};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_add_attribute(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    attr: In<tiledb_attribute_t>,
) -> capi_return_t {
    let _ = (array_schema, attr);
    pending(ctx, "tiledb_array_schema_add_attribute")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_add_enumeration(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    enumeration: In<tiledb_enumeration_t>,
) -> capi_return_t {
    let _ = (array_schema, enumeration);
    pending(ctx, "tiledb_array_schema_add_enumeration")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_alloc(
    ctx: In<tiledb_ctx_t>,
    array_type: CEnum<tiledb_array_type_t>,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    let _ = (array_type, array_schema);
    pending(ctx, "tiledb_array_schema_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_alloc_at_timestamp(
    ctx: In<tiledb_ctx_t>,
    array_type: CEnum<tiledb_array_type_t>,
    timestamp: u64,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    let _ = (array_type, timestamp, array_schema);
    pending(ctx, "tiledb_array_schema_alloc_at_timestamp")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_check(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
) -> capi_return_t {
    let _ = (array_schema,);
    pending(ctx, "tiledb_array_schema_check")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_dump_str(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    let _ = (array_schema, out);
    pending(ctx, "tiledb_array_schema_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_free(array_schema: OutHandle<tiledb_array_schema_t>) {
    free(array_schema)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_allows_dups(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    allows_dups: Out<c_int>,
) -> capi_return_t {
    let _ = (array_schema, allows_dups);
    pending(ctx, "tiledb_array_schema_get_allows_dups")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_array_type(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    array_type: Out<tiledb_array_type_t>,
) -> capi_return_t {
    let _ = (array_schema, array_type);
    pending(ctx, "tiledb_array_schema_get_array_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_attribute_from_index(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    index: u32,
    attr: OutHandle<tiledb_attribute_t>,
) -> capi_return_t {
    let _ = (array_schema, index, attr);
    pending(ctx, "tiledb_array_schema_get_attribute_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_attribute_from_name(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    name: Str,
    attr: OutHandle<tiledb_attribute_t>,
) -> capi_return_t {
    let _ = (array_schema, name, attr);
    pending(ctx, "tiledb_array_schema_get_attribute_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_attribute_num(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    attribute_num: Out<u32>,
) -> capi_return_t {
    let _ = (array_schema, attribute_num);
    pending(ctx, "tiledb_array_schema_get_attribute_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_capacity(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    capacity: Out<u64>,
) -> capi_return_t {
    let _ = (array_schema, capacity);
    pending(ctx, "tiledb_array_schema_get_capacity")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_cell_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    cell_order: Out<tiledb_layout_t>,
) -> capi_return_t {
    let _ = (array_schema, cell_order);
    pending(ctx, "tiledb_array_schema_get_cell_order")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_coords_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> capi_return_t {
    let _ = (array_schema, filter_list);
    pending(ctx, "tiledb_array_schema_get_coords_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_current_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    current_domain: OutHandle<tiledb_current_domain_t>,
) -> capi_return_t {
    let _ = (array_schema, current_domain);
    pending(ctx, "tiledb_array_schema_get_current_domain")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    domain: OutHandle<tiledb_domain_t>,
) -> capi_return_t {
    let _ = (array_schema, domain);
    pending(ctx, "tiledb_array_schema_get_domain")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_enumeration_from_attribute_name(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    attribute_name: Str,
    enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    let _ = (array_schema, attribute_name, enumeration);
    pending(ctx, "tiledb_array_schema_get_enumeration_from_attribute_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_enumeration_from_name(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    enumeration_name: Str,
    enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    let _ = (array_schema, enumeration_name, enumeration);
    pending(ctx, "tiledb_array_schema_get_enumeration_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_offsets_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> capi_return_t {
    let _ = (array_schema, filter_list);
    pending(ctx, "tiledb_array_schema_get_offsets_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_tile_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    tile_order: Out<tiledb_layout_t>,
) -> capi_return_t {
    let _ = (array_schema, tile_order);
    pending(ctx, "tiledb_array_schema_get_tile_order")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_validity_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> capi_return_t {
    let _ = (array_schema, filter_list);
    pending(ctx, "tiledb_array_schema_get_validity_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_version(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    version: Out<u32>,
) -> capi_return_t {
    let _ = (array_schema, version);
    pending(ctx, "tiledb_array_schema_get_version")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_has_attribute(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    name: Str,
    has_attr: Out<i32>,
) -> capi_return_t {
    let _ = (array_schema, name, has_attr);
    pending(ctx, "tiledb_array_schema_has_attribute")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_allows_dups(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    allows_dups: c_int,
) -> capi_return_t {
    let _ = (array_schema, allows_dups);
    pending(ctx, "tiledb_array_schema_set_allows_dups")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_capacity(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    capacity: u64,
) -> capi_return_t {
    let _ = (array_schema, capacity);
    pending(ctx, "tiledb_array_schema_set_capacity")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_cell_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    cell_order: CEnum<tiledb_layout_t>,
) -> capi_return_t {
    let _ = (array_schema, cell_order);
    pending(ctx, "tiledb_array_schema_set_cell_order")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_coords_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> capi_return_t {
    let _ = (array_schema, filter_list);
    pending(ctx, "tiledb_array_schema_set_coords_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_current_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    current_domain: In<tiledb_current_domain_t>,
) -> capi_return_t {
    let _ = (array_schema, current_domain);
    pending(ctx, "tiledb_array_schema_set_current_domain")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    domain: In<tiledb_domain_t>,
) -> capi_return_t {
    let _ = (array_schema, domain);
    pending(ctx, "tiledb_array_schema_set_domain")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_offsets_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> capi_return_t {
    let _ = (array_schema, filter_list);
    pending(ctx, "tiledb_array_schema_set_offsets_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_tile_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    tile_order: CEnum<tiledb_layout_t>,
) -> capi_return_t {
    let _ = (array_schema, tile_order);
    pending(ctx, "tiledb_array_schema_set_tile_order")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_validity_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> capi_return_t {
    let _ = (array_schema, filter_list);
    pending(ctx, "tiledb_array_schema_set_validity_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_timestamp_range(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    lo: Out<u64>,
    hi: Out<u64>,
) -> capi_return_t {
    let _ = (array_schema, lo, hi);
    pending(ctx, "tiledb_array_schema_timestamp_range")
}

/// Gives an array type from its text.
///
/// @param str The text.
/// @param array_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_type_from_str(str: Str, array_type: Out<tiledb_array_type_t>) -> capi_return_t {
    of_text(str, array_type)
}

/// Gives the text of an array type.
///
/// @param array_type The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_type_to_str(array_type: CEnum<tiledb_array_type_t>, str: OutStr) -> capi_return_t {
    text_of(array_type, str)
}

/// Gives a layout from its text.
///
/// @param str The text.
/// @param layout The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_layout_from_str(str: Str, layout: Out<tiledb_layout_t>) -> capi_return_t {
    of_text(str, layout)
}

/// Gives the text of a layout.
///
/// @param layout The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_layout_to_str(layout: CEnum<tiledb_layout_t>, str: OutStr) -> capi_return_t {
    text_of(layout, str)
}
