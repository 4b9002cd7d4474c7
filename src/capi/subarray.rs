//! C interface: subarray.

use std::ffi::c_int;

use super::boundary::{
    Buffer, Bytes, In, InConst, Out, OutHandle, OutPtr, OutStr, Slice, Str, capi_return_t, free, pending,
};
use super::handles::{tiledb_array_t, tiledb_config_t, tiledb_ctx_t, tiledb_subarray_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_label_range(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    label_name: Str,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> capi_return_t {
    let _ = (subarray, label_name, start, end, stride);
    pending(ctx, "tiledb_subarray_add_label_range")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_label_range_var(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    label_name: Str,
    start: Bytes,
    start_size: u64,
    end: Bytes,
    end_size: u64,
) -> capi_return_t {
    let _ = (subarray, label_name, start, start_size, end, end_size);
    pending(ctx, "tiledb_subarray_add_label_range_var")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_point_ranges(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    count: u64,
) -> capi_return_t {
    let _ = (subarray, dim_idx, start, count);
    pending(ctx, "tiledb_subarray_add_point_ranges")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_point_ranges_var(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    start_size: u64,
    start_offsets: Slice<u64>,
    start_offsets_size: u64,
) -> capi_return_t {
    let _ = (subarray, dim_idx, start, start_size, start_offsets, start_offsets_size);
    pending(ctx, "tiledb_subarray_add_point_ranges_var")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> capi_return_t {
    let _ = (subarray, dim_idx, start, end, stride);
    pending(ctx, "tiledb_subarray_add_range")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range_by_name(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_name: Str,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> capi_return_t {
    let _ = (subarray, dim_name, start, end, stride);
    pending(ctx, "tiledb_subarray_add_range_by_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range_var(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    start_size: u64,
    end: Bytes,
    end_size: u64,
) -> capi_return_t {
    let _ = (subarray, dim_idx, start, start_size, end, end_size);
    pending(ctx, "tiledb_subarray_add_range_var")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range_var_by_name(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_name: Str,
    start: Bytes,
    start_size: u64,
    end: Bytes,
    end_size: u64,
) -> capi_return_t {
    let _ = (subarray, dim_name, start, start_size, end, end_size);
    pending(ctx, "tiledb_subarray_add_range_var_by_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_alloc(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: OutHandle<tiledb_subarray_t>,
) -> capi_return_t {
    let _ = (array, subarray);
    pending(ctx, "tiledb_subarray_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_free(subarray: OutHandle<tiledb_subarray_t>) {
    free(subarray)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_name(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    label_name: OutStr,
) -> capi_return_t {
    let _ = (subarray, dim_idx, label_name);
    pending(ctx, "tiledb_subarray_get_label_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_range(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    label_name: Str,
    range_idx: u64,
    start: OutPtr,
    end: OutPtr,
    stride: OutPtr,
) -> capi_return_t {
    let _ = (subarray, label_name, range_idx, start, end, stride);
    pending(ctx, "tiledb_subarray_get_label_range")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_range_num(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    label_name: Str,
    range_num: Out<u64>,
) -> capi_return_t {
    let _ = (subarray, label_name, range_num);
    pending(ctx, "tiledb_subarray_get_label_range_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_range_var(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    label_name: Str,
    range_idx: u64,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    let _ = (subarray, label_name, range_idx, start, end);
    pending(ctx, "tiledb_subarray_get_label_range_var")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_range_var_size(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    label_name: Str,
    range_idx: u64,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    let _ = (subarray, label_name, range_idx, start_size, end_size);
    pending(ctx, "tiledb_subarray_get_label_range_var_size")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    range_idx: u64,
    start: OutPtr,
    end: OutPtr,
    stride: OutPtr,
) -> capi_return_t {
    let _ = (subarray, dim_idx, range_idx, start, end, stride);
    pending(ctx, "tiledb_subarray_get_range")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_from_name(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_name: Str,
    range_idx: u64,
    start: OutPtr,
    end: OutPtr,
    stride: OutPtr,
) -> capi_return_t {
    let _ = (subarray, dim_name, range_idx, start, end, stride);
    pending(ctx, "tiledb_subarray_get_range_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_num(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    range_num: Out<u64>,
) -> capi_return_t {
    let _ = (subarray, dim_idx, range_num);
    pending(ctx, "tiledb_subarray_get_range_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_num_from_name(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_name: Str,
    range_num: Out<u64>,
) -> capi_return_t {
    let _ = (subarray, dim_name, range_num);
    pending(ctx, "tiledb_subarray_get_range_num_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_var(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    range_idx: u64,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    let _ = (subarray, dim_idx, range_idx, start, end);
    pending(ctx, "tiledb_subarray_get_range_var")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_var_from_name(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_name: Str,
    range_idx: u64,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    let _ = (subarray, dim_name, range_idx, start, end);
    pending(ctx, "tiledb_subarray_get_range_var_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_var_size(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    range_idx: u64,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    let _ = (subarray, dim_idx, range_idx, start_size, end_size);
    pending(ctx, "tiledb_subarray_get_range_var_size")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_var_size_from_name(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_name: Str,
    range_idx: u64,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    let _ = (subarray, dim_name, range_idx, start_size, end_size);
    pending(ctx, "tiledb_subarray_get_range_var_size_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_has_label_ranges(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    has_label_range: Out<i32>,
) -> capi_return_t {
    let _ = (subarray, dim_idx, has_label_range);
    pending(ctx, "tiledb_subarray_has_label_ranges")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_set_coalesce_ranges(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    coalesce_ranges: c_int,
) -> capi_return_t {
    let _ = (subarray, coalesce_ranges);
    pending(ctx, "tiledb_subarray_set_coalesce_ranges")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_set_config(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (subarray, config);
    pending(ctx, "tiledb_subarray_set_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_set_subarray(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    subarray_v: Bytes,
) -> capi_return_t {
    let _ = (subarray, subarray_v);
    pending(ctx, "tiledb_subarray_set_subarray")
}
