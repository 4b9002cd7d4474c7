//! C interface: serialization.

use super::boundary::{CEnum, In, InConst, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::pending;
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_serialization_type_t;
use super::handles::{tiledb_array_t, tiledb_buffer_list_t, tiledb_buffer_t, tiledb_ctx_t, tiledb_query_t};

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
