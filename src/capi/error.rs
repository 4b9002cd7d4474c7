//! Errors: their texts.

use super::boundary::{In, OutHandle, OutStr, capi_return_t, capi_status_t};
use super::call::{call_plain, free};
use super::handles::tiledb_error_t;

/// Frees an error and sets the pointer to null.
///
/// @param err The error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_error_free(err: OutHandle<tiledb_error_t>) {
    free(err)
}

/// Gives the text of an error.
///
/// @param err The error.
/// @param errmsg The text, valid until the error is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_error_message(err: In<tiledb_error_t>, errmsg: OutStr) -> capi_return_t {
    call_plain(|| errmsg.set(err.get()?.text().as_c_str()))
}

/// Turns the result of a function into a status code; they are the same.
///
/// @param x The result.
/// @return The code.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_status_code(x: capi_return_t) -> capi_status_t {
    x
}
