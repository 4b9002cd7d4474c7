//! C interface: array.

use std::ffi::c_char;

use super::boundary::{
    Buffer, Bytes, CEnum, In, InConst, Out, OutHandle, OutPtr, OutStr, Slice, Str, capi_return_t, free, pending,
};
use super::enum_text::{of_text, text_of};
use super::enums::{tiledb_datatype_t, tiledb_encryption_type_t, tiledb_query_type_t};
use super::handles::{
    tiledb_array_schema_evolution_t, tiledb_array_schema_t, tiledb_array_t, tiledb_config_t, tiledb_ctx_t,
    tiledb_enumeration_t,
};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_alloc(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array: OutHandle<tiledb_array_t>,
) -> capi_return_t {
    let _ = (array_uri, array);
    pending(ctx, "tiledb_array_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_close(ctx: In<tiledb_ctx_t>, array: In<tiledb_array_t>) -> capi_return_t {
    let _ = (array,);
    pending(ctx, "tiledb_array_close")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_consolidate(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (array_uri, config);
    pending(ctx, "tiledb_array_consolidate")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_consolidate_fragments(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    fragment_uris: OutStr,
    num_fragments: u64,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (array_uri, fragment_uris, num_fragments, config);
    pending(ctx, "tiledb_array_consolidate_fragments")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_create(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema: InConst<tiledb_array_schema_t>,
) -> capi_return_t {
    let _ = (array_uri, array_schema);
    pending(ctx, "tiledb_array_create")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete(ctx: In<tiledb_ctx_t>, uri: Str) -> capi_return_t {
    let _ = (uri,);
    pending(ctx, "tiledb_array_delete")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_fragments_list(
    ctx: In<tiledb_ctx_t>,
    uri_str: Str,
    fragment_uris: Slice<*const c_char>,
    num_fragments: usize,
) -> capi_return_t {
    let _ = (uri_str, fragment_uris, num_fragments);
    pending(ctx, "tiledb_array_delete_fragments_list")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_fragments_v2(
    ctx: In<tiledb_ctx_t>,
    uri_str: Str,
    timestamp_start: u64,
    timestamp_end: u64,
) -> capi_return_t {
    let _ = (uri_str, timestamp_start, timestamp_end);
    pending(ctx, "tiledb_array_delete_fragments_v2")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
) -> capi_return_t {
    let _ = (array, key);
    pending(ctx, "tiledb_array_delete_metadata")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_encryption_type(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    encryption_type: Out<tiledb_encryption_type_t>,
) -> capi_return_t {
    let _ = (array_uri, encryption_type);
    pending(ctx, "tiledb_array_encryption_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_evolve(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
) -> capi_return_t {
    let _ = (array_uri, array_schema_evolution);
    pending(ctx, "tiledb_array_evolve")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_free(array: OutHandle<tiledb_array_t>) {
    free(array)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_config(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    let _ = (array, config);
    pending(ctx, "tiledb_array_get_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_enumeration(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    name: Str,
    enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    let _ = (array, name, enumeration);
    pending(ctx, "tiledb_array_get_enumeration")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
    value_type: Out<tiledb_datatype_t>,
    value_num: Out<u32>,
    value: OutPtr,
) -> capi_return_t {
    let _ = (array, key, value_type, value_num, value);
    pending(ctx, "tiledb_array_get_metadata")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_metadata_from_index(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    index: u64,
    key: OutStr,
    key_len: Out<u32>,
    value_type: Out<tiledb_datatype_t>,
    value_num: Out<u32>,
    value: OutPtr,
) -> capi_return_t {
    let _ = (array, index, key, key_len, value_type, value_num, value);
    pending(ctx, "tiledb_array_get_metadata_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_metadata_num(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    num: Out<u64>,
) -> capi_return_t {
    let _ = (array, num);
    pending(ctx, "tiledb_array_get_metadata_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    domain: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    let _ = (array, domain, is_empty);
    pending(ctx, "tiledb_array_get_non_empty_domain")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_from_index(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    idx: u32,
    domain: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    let _ = (array, idx, domain, is_empty);
    pending(ctx, "tiledb_array_get_non_empty_domain_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_from_name(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    name: Str,
    domain: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    let _ = (array, name, domain, is_empty);
    pending(ctx, "tiledb_array_get_non_empty_domain_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_var_from_index(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    idx: u32,
    start: Buffer,
    end: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    let _ = (array, idx, start, end, is_empty);
    pending(ctx, "tiledb_array_get_non_empty_domain_var_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_var_from_name(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    name: Str,
    start: Buffer,
    end: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    let _ = (array, name, start, end, is_empty);
    pending(ctx, "tiledb_array_get_non_empty_domain_var_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_index(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    idx: u32,
    start_size: Out<u64>,
    end_size: Out<u64>,
    is_empty: Out<i32>,
) -> capi_return_t {
    let _ = (array, idx, start_size, end_size, is_empty);
    pending(ctx, "tiledb_array_get_non_empty_domain_var_size_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_name(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    name: Str,
    start_size: Out<u64>,
    end_size: Out<u64>,
    is_empty: Out<i32>,
) -> capi_return_t {
    let _ = (array, name, start_size, end_size, is_empty);
    pending(ctx, "tiledb_array_get_non_empty_domain_var_size_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_open_timestamp_end(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    timestamp_end: Out<u64>,
) -> capi_return_t {
    let _ = (array, timestamp_end);
    pending(ctx, "tiledb_array_get_open_timestamp_end")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_open_timestamp_start(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    timestamp_start: Out<u64>,
) -> capi_return_t {
    let _ = (array, timestamp_start);
    pending(ctx, "tiledb_array_get_open_timestamp_start")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_query_type(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    query_type: Out<tiledb_query_type_t>,
) -> capi_return_t {
    let _ = (array, query_type);
    pending(ctx, "tiledb_array_get_query_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_schema(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    let _ = (array, array_schema);
    pending(ctx, "tiledb_array_get_schema")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_uri(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    array_uri: OutStr,
) -> capi_return_t {
    let _ = (array, array_uri);
    pending(ctx, "tiledb_array_get_uri")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_has_metadata_key(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
    value_type: Out<tiledb_datatype_t>,
    has_key: Out<i32>,
) -> capi_return_t {
    let _ = (array, key, value_type, has_key);
    pending(ctx, "tiledb_array_has_metadata_key")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_is_open(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    is_open: Out<i32>,
) -> capi_return_t {
    let _ = (array, is_open);
    pending(ctx, "tiledb_array_is_open")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_load_all_enumerations(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
) -> capi_return_t {
    let _ = (array,);
    pending(ctx, "tiledb_array_load_all_enumerations")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_load_enumerations_all_schemas(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
) -> capi_return_t {
    let _ = (array,);
    pending(ctx, "tiledb_array_load_enumerations_all_schemas")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_open(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    query_type: CEnum<tiledb_query_type_t>,
) -> capi_return_t {
    let _ = (array, query_type);
    pending(ctx, "tiledb_array_open")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_put_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
    value_type: CEnum<tiledb_datatype_t>,
    value_num: u32,
    value: Bytes,
) -> capi_return_t {
    let _ = (array, key, value_type, value_num, value);
    pending(ctx, "tiledb_array_put_metadata")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_reopen(ctx: In<tiledb_ctx_t>, array: In<tiledb_array_t>) -> capi_return_t {
    let _ = (array,);
    pending(ctx, "tiledb_array_reopen")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_load(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    let _ = (array_uri, array_schema);
    pending(ctx, "tiledb_array_schema_load")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_load_with_config(
    ctx: In<tiledb_ctx_t>,
    config: In<tiledb_config_t>,
    array_uri: Str,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    let _ = (config, array_uri, array_schema);
    pending(ctx, "tiledb_array_schema_load_with_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_set_config(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (array, config);
    pending(ctx, "tiledb_array_set_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_set_open_timestamp_end(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    timestamp_end: u64,
) -> capi_return_t {
    let _ = (array, timestamp_end);
    pending(ctx, "tiledb_array_set_open_timestamp_end")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_set_open_timestamp_start(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    timestamp_start: u64,
) -> capi_return_t {
    let _ = (array, timestamp_start);
    pending(ctx, "tiledb_array_set_open_timestamp_start")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_upgrade_version(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (array_uri, config);
    pending(ctx, "tiledb_array_upgrade_version")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_vacuum(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (array_uri, config);
    pending(ctx, "tiledb_array_vacuum")
}

/// Gives an encryption type from its text.
///
/// @param str The text.
/// @param encryption_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_encryption_type_from_str(
    str: Str,
    encryption_type: Out<tiledb_encryption_type_t>,
) -> capi_return_t {
    of_text(str, encryption_type)
}

/// Gives the text of an encryption type.
///
/// @param encryption_type The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_encryption_type_to_str(
    encryption_type: CEnum<tiledb_encryption_type_t>,
    str: OutStr,
) -> capi_return_t {
    text_of(encryption_type, str)
}
