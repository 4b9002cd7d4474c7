//! C interface: dimension label.

use super::boundary::{Bytes, CEnum, In, InConst, Out, OutHandle, OutStr, Str, capi_return_t, free, pending};
use super::enums::{tiledb_data_order_t, tiledb_datatype_t};
use super::handles::{tiledb_array_schema_t, tiledb_ctx_t, tiledb_dimension_label_t, tiledb_filter_list_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_add_dimension_label(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    dim_index: u32,
    name: Str,
    label_order: CEnum<tiledb_data_order_t>,
    label_type: CEnum<tiledb_datatype_t>,
) -> capi_return_t {
    let _ = (array_schema, dim_index, name, label_order, label_type);
    pending(ctx, "tiledb_array_schema_add_dimension_label")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_dimension_label_from_index(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    dim_label_index: u64,
    dim_label: OutHandle<tiledb_dimension_label_t>,
) -> capi_return_t {
    let _ = (array_schema, dim_label_index, dim_label);
    pending(ctx, "tiledb_array_schema_get_dimension_label_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_dimension_label_from_name(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    label_name: Str,
    dim_label: OutHandle<tiledb_dimension_label_t>,
) -> capi_return_t {
    let _ = (array_schema, label_name, dim_label);
    pending(ctx, "tiledb_array_schema_get_dimension_label_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_dimension_label_num(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    dim_label_num: Out<u64>,
) -> capi_return_t {
    let _ = (array_schema, dim_label_num);
    pending(ctx, "tiledb_array_schema_get_dimension_label_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_has_dimension_label(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    name: Str,
    has_dim_label: Out<i32>,
) -> capi_return_t {
    let _ = (array_schema, name, has_dim_label);
    pending(ctx, "tiledb_array_schema_has_dimension_label")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_dimension_label_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    label_name: Str,
    filter_list: In<tiledb_filter_list_t>,
) -> capi_return_t {
    let _ = (array_schema, label_name, filter_list);
    pending(ctx, "tiledb_array_schema_set_dimension_label_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_dimension_label_tile_extent(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    label_name: Str,
    r#type: CEnum<tiledb_datatype_t>,
    tile_extent: Bytes,
) -> capi_return_t {
    let _ = (array_schema, label_name, r#type, tile_extent);
    pending(ctx, "tiledb_array_schema_set_dimension_label_tile_extent")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_free(dim_label: OutHandle<tiledb_dimension_label_t>) {
    free(dim_label)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_dimension_index(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    dim_index: Out<u32>,
) -> capi_return_t {
    let _ = (dim_label, dim_index);
    pending(ctx, "tiledb_dimension_label_get_dimension_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_label_attr_name(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    label_attr_name: OutStr,
) -> capi_return_t {
    let _ = (dim_label, label_attr_name);
    pending(ctx, "tiledb_dimension_label_get_label_attr_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_label_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    label_cell_val_num: Out<u32>,
) -> capi_return_t {
    let _ = (dim_label, label_cell_val_num);
    pending(ctx, "tiledb_dimension_label_get_label_cell_val_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_label_order(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    label_order: Out<tiledb_data_order_t>,
) -> capi_return_t {
    let _ = (dim_label, label_order);
    pending(ctx, "tiledb_dimension_label_get_label_order")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_label_type(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    label_type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    let _ = (dim_label, label_type);
    pending(ctx, "tiledb_dimension_label_get_label_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_name(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    name: OutStr,
) -> capi_return_t {
    let _ = (dim_label, name);
    pending(ctx, "tiledb_dimension_label_get_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_uri(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    uri: OutStr,
) -> capi_return_t {
    let _ = (dim_label, uri);
    pending(ctx, "tiledb_dimension_label_get_uri")
}
