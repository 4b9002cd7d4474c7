//! C interface: serialization.

use super::boundary::{CEnum, In, InConst, Out, OutStr, Str, capi_return_t};
use super::call::pending;
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_serialization_type_t;
use super::handles::{tiledb_array_t, tiledb_buffer_t, tiledb_ctx_t};

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
