//! C interface: dimension.

use super::boundary::{Bytes, CEnum, In, InConst, Out, OutHandle, OutPtr, OutStr, Str, free, pending};
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_dimension_t, tiledb_filter_list_t, tiledb_string_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_alloc(
    ctx: In<tiledb_ctx_t>,
    name: Str,
    r#type: CEnum<tiledb_datatype_t>,
    dim_domain: Bytes,
    tile_extent: Bytes,
    dim: OutHandle<tiledb_dimension_t>,
) -> i32 {
    let _ = (name, r#type, dim_domain, tile_extent, dim);
    pending(ctx, "tiledb_dimension_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_dump_str(
    ctx: In<tiledb_ctx_t>,
    dimension: InConst<tiledb_dimension_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    let _ = (dimension, out);
    pending(ctx, "tiledb_dimension_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_free(dim: OutHandle<tiledb_dimension_t>) {
    free(dim)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    cell_val_num: Out<u32>,
) -> i32 {
    let _ = (dim, cell_val_num);
    pending(ctx, "tiledb_dimension_get_cell_val_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_domain(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    domain: OutPtr,
) -> i32 {
    let _ = (dim, domain);
    pending(ctx, "tiledb_dimension_get_domain")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_filter_list(
    ctx: In<tiledb_ctx_t>,
    dim: In<tiledb_dimension_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> i32 {
    let _ = (dim, filter_list);
    pending(ctx, "tiledb_dimension_get_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_name(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    name: OutStr,
) -> i32 {
    let _ = (dim, name);
    pending(ctx, "tiledb_dimension_get_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_tile_extent(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    tile_extent: OutPtr,
) -> i32 {
    let _ = (dim, tile_extent);
    pending(ctx, "tiledb_dimension_get_tile_extent")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_type(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    r#type: Out<tiledb_datatype_t>,
) -> i32 {
    let _ = (dim, r#type);
    pending(ctx, "tiledb_dimension_get_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_set_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    dim: In<tiledb_dimension_t>,
    cell_val_num: u32,
) -> i32 {
    let _ = (dim, cell_val_num);
    pending(ctx, "tiledb_dimension_set_cell_val_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_set_filter_list(
    ctx: In<tiledb_ctx_t>,
    dim: In<tiledb_dimension_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> i32 {
    let _ = (dim, filter_list);
    pending(ctx, "tiledb_dimension_set_filter_list")
}
