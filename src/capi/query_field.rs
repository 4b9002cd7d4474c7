//! C interface: query field.

use super::boundary::{In, Out, OutHandle, Str, capi_return_t, pending};
use super::enums::{tiledb_datatype_t, tiledb_field_origin_t};
use super::handles::{tiledb_ctx_t, tiledb_query_channel_t, tiledb_query_field_t, tiledb_query_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    cell_val_num: Out<u32>,
) -> capi_return_t {
    let _ = (field, cell_val_num);
    pending(ctx, "tiledb_field_cell_val_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_channel(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    channel: OutHandle<tiledb_query_channel_t>,
) -> capi_return_t {
    let _ = (field, channel);
    pending(ctx, "tiledb_field_channel")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_datatype(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    r#type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    let _ = (field, r#type);
    pending(ctx, "tiledb_field_datatype")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_get_nullable(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    nullable: Out<u8>,
) -> capi_return_t {
    let _ = (field, nullable);
    pending(ctx, "tiledb_field_get_nullable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_origin(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    origin: Out<tiledb_field_origin_t>,
) -> capi_return_t {
    let _ = (field, origin);
    pending(ctx, "tiledb_field_origin")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_field_free(
    ctx: In<tiledb_ctx_t>,
    field: OutHandle<tiledb_query_field_t>,
) -> capi_return_t {
    let _ = (field,);
    pending(ctx, "tiledb_query_field_free")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_field(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    field_name: Str,
    field: OutHandle<tiledb_query_field_t>,
) -> capi_return_t {
    let _ = (query, field_name, field);
    pending(ctx, "tiledb_query_get_field")
}
