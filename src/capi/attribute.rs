//! C interface: attribute.

use super::boundary::{Bytes, CEnum, In, InConst, Out, OutHandle, OutPtr, OutStr, Str, capi_return_t, free, pending};
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_attribute_t, tiledb_ctx_t, tiledb_filter_list_t, tiledb_string_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_alloc(
    ctx: In<tiledb_ctx_t>,
    name: Str,
    r#type: CEnum<tiledb_datatype_t>,
    attr: OutHandle<tiledb_attribute_t>,
) -> i32 {
    let _ = (name, r#type, attr);
    pending(ctx, "tiledb_attribute_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_dump_str(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    let _ = (attr, out);
    pending(ctx, "tiledb_attribute_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_free(attr: OutHandle<tiledb_attribute_t>) {
    free(attr)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_cell_size(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    cell_size: Out<u64>,
) -> i32 {
    let _ = (attr, cell_size);
    pending(ctx, "tiledb_attribute_get_cell_size")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    cell_val_num: Out<u32>,
) -> i32 {
    let _ = (attr, cell_val_num);
    pending(ctx, "tiledb_attribute_get_cell_val_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_enumeration_name(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    name: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    let _ = (attr, name);
    pending(ctx, "tiledb_attribute_get_enumeration_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_fill_value(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: OutPtr,
    size: Out<u64>,
) -> i32 {
    let _ = (attr, value, size);
    pending(ctx, "tiledb_attribute_get_fill_value")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_fill_value_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: OutPtr,
    size: Out<u64>,
    valid: Out<u8>,
) -> i32 {
    let _ = (attr, value, size, valid);
    pending(ctx, "tiledb_attribute_get_fill_value_nullable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_filter_list(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> i32 {
    let _ = (attr, filter_list);
    pending(ctx, "tiledb_attribute_get_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_name(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    name: OutStr,
) -> i32 {
    let _ = (attr, name);
    pending(ctx, "tiledb_attribute_get_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    nullable: Out<u8>,
) -> i32 {
    let _ = (attr, nullable);
    pending(ctx, "tiledb_attribute_get_nullable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_type(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    r#type: Out<tiledb_datatype_t>,
) -> i32 {
    let _ = (attr, r#type);
    pending(ctx, "tiledb_attribute_get_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    cell_val_num: u32,
) -> i32 {
    let _ = (attr, cell_val_num);
    pending(ctx, "tiledb_attribute_set_cell_val_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_enumeration_name(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    enumeration_name: Str,
) -> capi_return_t {
    let _ = (attr, enumeration_name);
    pending(ctx, "tiledb_attribute_set_enumeration_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_fill_value(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: Bytes,
    size: u64,
) -> i32 {
    let _ = (attr, value, size);
    pending(ctx, "tiledb_attribute_set_fill_value")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_fill_value_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: Bytes,
    size: u64,
    validity: u8,
) -> i32 {
    let _ = (attr, value, size, validity);
    pending(ctx, "tiledb_attribute_set_fill_value_nullable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_filter_list(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> i32 {
    let _ = (attr, filter_list);
    pending(ctx, "tiledb_attribute_set_filter_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    nullable: u8,
) -> i32 {
    let _ = (attr, nullable);
    pending(ctx, "tiledb_attribute_set_nullable")
}
