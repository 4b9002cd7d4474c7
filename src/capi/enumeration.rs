//! C interface: enumeration.

use std::ffi::c_int;

use super::boundary::{Bytes, CEnum, In, Out, OutHandle, OutPtr, Str, capi_return_t, free, pending};
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_enumeration_t, tiledb_string_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_alloc(
    ctx: In<tiledb_ctx_t>,
    name: Str,
    r#type: CEnum<tiledb_datatype_t>,
    cell_val_num: u32,
    ordered: c_int,
    data: Bytes,
    data_size: u64,
    offsets: Bytes,
    offsets_size: u64,
    enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    let _ = (name, r#type, cell_val_num, ordered, data, data_size, offsets, offsets_size, enumeration);
    pending(ctx, "tiledb_enumeration_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_dump_str(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    let _ = (enumeration, out);
    pending(ctx, "tiledb_enumeration_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_extend(
    ctx: In<tiledb_ctx_t>,
    old_enumeration: In<tiledb_enumeration_t>,
    data: Bytes,
    data_size: u64,
    offsets: Bytes,
    offsets_size: u64,
    new_enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    let _ = (old_enumeration, data, data_size, offsets, offsets_size, new_enumeration);
    pending(ctx, "tiledb_enumeration_extend")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_free(enumeration: OutHandle<tiledb_enumeration_t>) {
    free(enumeration)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    cell_val_num: Out<u32>,
) -> capi_return_t {
    let _ = (enumeration, cell_val_num);
    pending(ctx, "tiledb_enumeration_get_cell_val_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_data(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    data: OutPtr,
    data_size: Out<u64>,
) -> capi_return_t {
    let _ = (enumeration, data, data_size);
    pending(ctx, "tiledb_enumeration_get_data")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_name(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    name: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    let _ = (enumeration, name);
    pending(ctx, "tiledb_enumeration_get_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_offsets(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    offsets: OutPtr,
    offsets_size: Out<u64>,
) -> capi_return_t {
    let _ = (enumeration, offsets, offsets_size);
    pending(ctx, "tiledb_enumeration_get_offsets")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_ordered(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    ordered: Out<c_int>,
) -> capi_return_t {
    let _ = (enumeration, ordered);
    pending(ctx, "tiledb_enumeration_get_ordered")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_type(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    r#type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    let _ = (enumeration, r#type);
    pending(ctx, "tiledb_enumeration_get_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_value_index(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    value: Bytes,
    value_size: u64,
    exist: Out<c_int>,
    index: Out<u64>,
) -> capi_return_t {
    let _ = (enumeration, value, value_size, exist, index);
    pending(ctx, "tiledb_enumeration_get_value_index")
}
