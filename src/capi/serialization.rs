//! C interface: serialization.

use super::boundary::{Buffer, Bytes, CEnum, In, InConst, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::pending;
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_serialization_type_t;
use super::handles::{
    tiledb_array_schema_evolution_t, tiledb_array_schema_t, tiledb_array_t, tiledb_buffer_list_t, tiledb_buffer_t,
    tiledb_config_t, tiledb_ctx_t, tiledb_fragment_info_t, tiledb_group_t, tiledb_query_t, tiledb_string_t,
};

/// Reads an array from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array_uri: Str,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, array_uri, array);
    pending(ctx, "tiledb_deserialize_array")
}

/// Reads a request to create an array from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_create(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    storage_uri: OutHandle<tiledb_string_t>,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, storage_uri, array_schema);
    pending(ctx, "tiledb_deserialize_array_create")
}

/// Reads the metadata of an array from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    buffer: InConst<tiledb_buffer_t>,
) -> i32 {
    let _ = (array, serialization_type, buffer);
    pending(ctx, "tiledb_deserialize_array_metadata")
}

/// Reads the non-empty domain of an array from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_non_empty_domain_all_dimensions(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
) -> i32 {
    let _ = (array, buffer, serialize_type, client_side);
    pending(ctx, "tiledb_deserialize_array_non_empty_domain_all_dimensions")
}

/// Reads the non-empty domain of an array from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_nonempty_domain(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    nonempty_domain: Buffer,
    is_empty: Out<i32>,
) -> i32 {
    let _ = (array, buffer, serialize_type, client_side, nonempty_domain, is_empty);
    pending(ctx, "tiledb_deserialize_array_nonempty_domain")
}

/// Reads a request to open an array from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_open(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, array);
    pending(ctx, "tiledb_deserialize_array_open")
}

/// Reads a schema from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_schema(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, array_schema);
    pending(ctx, "tiledb_deserialize_array_schema")
}

/// Reads changes to a schema from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_schema_evolution(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array_schema_evolution: OutHandle<tiledb_array_schema_evolution_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, array_schema_evolution);
    pending(ctx, "tiledb_deserialize_array_schema_evolution")
}

/// Reads a configuration from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_config(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    config: OutHandle<tiledb_config_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, config);
    pending(ctx, "tiledb_deserialize_config")
}

/// Reads information about fragments from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_fragment_info(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    array_uri: Str,
    client_side: i32,
    fragment_info: In<tiledb_fragment_info_t>,
) -> i32 {
    let _ = (buffer, serialize_type, array_uri, client_side, fragment_info);
    pending(ctx, "tiledb_deserialize_fragment_info")
}

/// Reads a request for information about fragments from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_fragment_info_request(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    fragment_info: In<tiledb_fragment_info_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, fragment_info);
    pending(ctx, "tiledb_deserialize_fragment_info_request")
}

/// Reads a group from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_group(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    group: In<tiledb_group_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, group);
    pending(ctx, "tiledb_deserialize_group")
}

/// Reads the metadata of a group from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_group_metadata(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    buffer: InConst<tiledb_buffer_t>,
) -> i32 {
    let _ = (group, serialization_type, buffer);
    pending(ctx, "tiledb_deserialize_group_metadata")
}

/// Reads a query from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_query(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    query: In<tiledb_query_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, query);
    pending(ctx, "tiledb_deserialize_query")
}

/// Reads a query with its array from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_query_and_array(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array_uri: Str,
    query: OutHandle<tiledb_query_t>,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    let _ = (buffer, serialize_type, client_side, array_uri, query, array);
    pending(ctx, "tiledb_deserialize_query_and_array")
}

/// Reads the estimated sizes of results from the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_query_est_result_sizes(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: InConst<tiledb_buffer_t>,
) -> i32 {
    let _ = (query, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_deserialize_query_est_result_sizes")
}

/// Answers, on the side of a server, the request to delete fragments. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_array_delete_fragments_list_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
) -> capi_return_t {
    let _ = (array, serialization_type, request);
    pending(ctx, "tiledb_handle_array_delete_fragments_list_request")
}

/// Answers, on the side of a server, the request to delete fragments. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_array_delete_fragments_timestamps_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
) -> capi_return_t {
    let _ = (array, serialization_type, request);
    pending(ctx, "tiledb_handle_array_delete_fragments_timestamps_request")
}

/// Answers, on the side of a server, the request for a consolidation plan. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_consolidation_plan_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
    response: In<tiledb_buffer_t>,
) -> capi_return_t {
    let _ = (array, serialization_type, request, response);
    pending(ctx, "tiledb_handle_consolidation_plan_request")
}

/// Answers, on the side of a server, the request to load a schema. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_load_array_schema_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
    response: In<tiledb_buffer_t>,
) -> capi_return_t {
    let _ = (array, serialization_type, request, response);
    pending(ctx, "tiledb_handle_load_array_schema_request")
}

/// Answers, on the side of a server, the request to load enumerations. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_load_enumerations_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
    response: In<tiledb_buffer_t>,
) -> capi_return_t {
    let _ = (array, serialization_type, request, response);
    pending(ctx, "tiledb_handle_load_enumerations_request")
}

/// Answers, on the side of a server, the request for a query plan. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_query_plan_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
    response: In<tiledb_buffer_t>,
) -> capi_return_t {
    let _ = (array, serialization_type, request, response);
    pending(ctx, "tiledb_handle_query_plan_request")
}

/// Gives a serialization type from its text.
///
/// @param str The text.
/// @param serialization_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialization_type_from_str(
    str: Str,
    serialization_type: Out<tiledb_serialization_type_t>,
) -> i32 {
    of_text(str, serialization_type)
}

/// Gives the text of a serialization type.
///
/// @param serialization_type The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialization_type_to_str(
    serialization_type: CEnum<tiledb_serialization_type_t>,
    str: OutStr,
) -> i32 {
    text_of(serialization_type, str)
}

/// Writes an array in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_array")
}

/// Writes the sizes of buffers in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_max_buffer_sizes(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: Bytes,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array, subarray, serialize_type, buffer);
    pending(ctx, "tiledb_serialize_array_max_buffer_sizes")
}

/// Writes the metadata of an array in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_metadata(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array, serialization_type, buffer);
    pending(ctx, "tiledb_serialize_array_metadata")
}

/// Writes the non-empty domain of an array in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_non_empty_domain_all_dimensions(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_array_non_empty_domain_all_dimensions")
}

/// Writes the non-empty domain of an array in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_nonempty_domain(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    nonempty_domain: Bytes,
    is_empty: i32,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array, nonempty_domain, is_empty, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_array_nonempty_domain")
}

/// Writes a request to open an array in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_open(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer_list: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array, serialize_type, client_side, buffer_list);
    pending(ctx, "tiledb_serialize_array_open")
}

/// Writes a schema in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_schema(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array_schema, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_array_schema")
}

/// Writes changes to a schema in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_schema_evolution(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: InConst<tiledb_array_schema_evolution_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array_schema_evolution, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_array_schema_evolution")
}

/// Writes a configuration in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_config(
    ctx: In<tiledb_ctx_t>,
    config: InConst<tiledb_config_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (config, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_config")
}

/// Writes information about fragments in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_fragment_info(
    ctx: In<tiledb_ctx_t>,
    fragment_info: InConst<tiledb_fragment_info_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (fragment_info, serialization_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_fragment_info")
}

/// Writes a request for information about fragments in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_fragment_info_request(
    ctx: In<tiledb_ctx_t>,
    fragment_info: InConst<tiledb_fragment_info_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (fragment_info, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_fragment_info_request")
}

/// Writes a group in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_group(
    ctx: In<tiledb_ctx_t>,
    group: InConst<tiledb_group_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer_list: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (group, serialize_type, client_side, buffer_list);
    pending(ctx, "tiledb_serialize_group")
}

/// Writes the metadata of a group in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_group_metadata(
    ctx: In<tiledb_ctx_t>,
    group: InConst<tiledb_group_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (group, serialization_type, buffer);
    pending(ctx, "tiledb_serialize_group_metadata")
}

/// Writes a query in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_query(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer_list: OutHandle<tiledb_buffer_list_t>,
) -> i32 {
    let _ = (query, serialize_type, client_side, buffer_list);
    pending(ctx, "tiledb_serialize_query")
}

/// Writes the estimated sizes of results in the form in which it crosses a network. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_query_est_result_sizes(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (query, serialize_type, client_side, buffer);
    pending(ctx, "tiledb_serialize_query_est_result_sizes")
}
