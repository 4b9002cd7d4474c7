//! C interface: query.

use super::boundary::{
    Buffer, Bytes, CEnum, In, InConst, Out, OutBytes, OutHandle, OutMutPtr, OutStr, OutText, OutWords, Str,
    capi_return_t, free, pending,
};
use super::enum_text::{of_text, text_of};
use super::enums::{tiledb_layout_t, tiledb_query_status_t, tiledb_query_type_t};
use super::handles::{
    tiledb_array_t, tiledb_config_t, tiledb_ctx_t, tiledb_query_condition_t, tiledb_query_t, tiledb_subarray_t,
};
use super::structs::tiledb_query_status_details_t;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_add_update_value(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    field_name: Str,
    update_value: Bytes,
    update_value_size: u64,
) -> i32 {
    let _ = (query, field_name, update_value, update_value_size);
    pending(ctx, "tiledb_query_add_update_value")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_alloc(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    query_type: CEnum<tiledb_query_type_t>,
    query: OutHandle<tiledb_query_t>,
) -> i32 {
    let _ = (array, query_type, query);
    pending(ctx, "tiledb_query_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_finalize(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    let _ = (query,);
    pending(ctx, "tiledb_query_finalize")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_free(query: OutHandle<tiledb_query_t>) {
    free(query)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_array(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    let _ = (query, array);
    pending(ctx, "tiledb_query_get_array")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_config(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    config: OutHandle<tiledb_config_t>,
) -> i32 {
    let _ = (query, config);
    pending(ctx, "tiledb_query_get_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_data_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: OutMutPtr,
    buffer_size: OutWords,
) -> i32 {
    let _ = (query, name, buffer, buffer_size);
    pending(ctx, "tiledb_query_get_data_buffer")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_est_result_size(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    name: Str,
    size: Out<u64>,
) -> i32 {
    let _ = (query, name, size);
    pending(ctx, "tiledb_query_get_est_result_size")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_est_result_size_nullable(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    name: Str,
    size_val: Out<u64>,
    size_validity: Out<u64>,
) -> i32 {
    let _ = (query, name, size_val, size_validity);
    pending(ctx, "tiledb_query_get_est_result_size_nullable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_est_result_size_var(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    name: Str,
    size_off: Out<u64>,
    size_val: Out<u64>,
) -> i32 {
    let _ = (query, name, size_off, size_val);
    pending(ctx, "tiledb_query_get_est_result_size_var")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_est_result_size_var_nullable(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    name: Str,
    size_off: Out<u64>,
    size_val: Out<u64>,
    size_validity: Out<u64>,
) -> i32 {
    let _ = (query, name, size_off, size_val, size_validity);
    pending(ctx, "tiledb_query_get_est_result_size_var_nullable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_fragment_num(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    num: Out<u32>,
) -> i32 {
    let _ = (query, num);
    pending(ctx, "tiledb_query_get_fragment_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_fragment_timestamp_range(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    idx: u64,
    t1: Out<u64>,
    t2: Out<u64>,
) -> i32 {
    let _ = (query, idx, t1, t2);
    pending(ctx, "tiledb_query_get_fragment_timestamp_range")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_fragment_uri(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    idx: u64,
    uri: OutStr,
) -> i32 {
    let _ = (query, idx, uri);
    pending(ctx, "tiledb_query_get_fragment_uri")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_layout(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    query_layout: Out<tiledb_layout_t>,
) -> i32 {
    let _ = (query, query_layout);
    pending(ctx, "tiledb_query_get_layout")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_offsets_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: OutWords,
    buffer_size: OutWords,
) -> i32 {
    let _ = (query, name, buffer, buffer_size);
    pending(ctx, "tiledb_query_get_offsets_buffer")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_relevant_fragment_num(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    relevant_fragment_num: Out<u64>,
) -> i32 {
    let _ = (query, relevant_fragment_num);
    pending(ctx, "tiledb_query_get_relevant_fragment_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_stats(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>, stats_json: OutText) -> i32 {
    let _ = (query, stats_json);
    pending(ctx, "tiledb_query_get_stats")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_status(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    status: Out<tiledb_query_status_t>,
) -> i32 {
    let _ = (query, status);
    pending(ctx, "tiledb_query_get_status")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_status_details(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    status_details: Out<tiledb_query_status_details_t>,
) -> i32 {
    let _ = (query, status_details);
    pending(ctx, "tiledb_query_get_status_details")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_subarray_t(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    subarray: OutHandle<tiledb_subarray_t>,
) -> i32 {
    let _ = (query, subarray);
    pending(ctx, "tiledb_query_get_subarray_t")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_type(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    query_type: Out<tiledb_query_type_t>,
) -> i32 {
    let _ = (query, query_type);
    pending(ctx, "tiledb_query_get_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_validity_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: OutBytes,
    buffer_size: OutWords,
) -> i32 {
    let _ = (query, name, buffer, buffer_size);
    pending(ctx, "tiledb_query_get_validity_buffer")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_has_results(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    has_results: Out<i32>,
) -> i32 {
    let _ = (query, has_results);
    pending(ctx, "tiledb_query_has_results")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_condition(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    cond: InConst<tiledb_query_condition_t>,
) -> i32 {
    let _ = (query, cond);
    pending(ctx, "tiledb_query_set_condition")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_config(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    config: In<tiledb_config_t>,
) -> i32 {
    let _ = (query, config);
    pending(ctx, "tiledb_query_set_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_data_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: Buffer,
    buffer_size: Out<u64>,
) -> i32 {
    let _ = (query, name, buffer, buffer_size);
    pending(ctx, "tiledb_query_set_data_buffer")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_layout(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    layout: CEnum<tiledb_layout_t>,
) -> i32 {
    let _ = (query, layout);
    pending(ctx, "tiledb_query_set_layout")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_offsets_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: Out<u64>,
    buffer_size: Out<u64>,
) -> i32 {
    let _ = (query, name, buffer, buffer_size);
    pending(ctx, "tiledb_query_set_offsets_buffer")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_subarray_t(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    subarray: InConst<tiledb_subarray_t>,
) -> i32 {
    let _ = (query, subarray);
    pending(ctx, "tiledb_query_set_subarray_t")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_validity_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: Out<u8>,
    buffer_size: Out<u64>,
) -> i32 {
    let _ = (query, name, buffer, buffer_size);
    pending(ctx, "tiledb_query_set_validity_buffer")
}

/// Gives a query status from its text.
///
/// @param str The text.
/// @param query_status The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_status_from_str(str: Str, query_status: Out<tiledb_query_status_t>) -> i32 {
    of_text(str, query_status)
}

/// Gives the text of a query status.
///
/// @param query_status The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_status_to_str(query_status: CEnum<tiledb_query_status_t>, str: OutStr) -> i32 {
    text_of(query_status, str)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_submit(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    let _ = (query,);
    pending(ctx, "tiledb_query_submit")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_submit_and_finalize(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    let _ = (query,);
    pending(ctx, "tiledb_query_submit_and_finalize")
}

/// Gives a query type from its text.
///
/// @param str The text.
/// @param query_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_type_from_str(str: Str, query_type: Out<tiledb_query_type_t>) -> capi_return_t {
    of_text(str, query_type)
}

/// Gives the text of a query type.
///
/// @param query_type The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_type_to_str(query_type: CEnum<tiledb_query_type_t>, str: OutStr) -> capi_return_t {
    text_of(query_type, str)
}
