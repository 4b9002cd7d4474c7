//! C functions of errors.

use super::boundary::{In, OutHandle, OutStr, capi_return_t, capi_status_t};
use super::call::{call_plain, free};
use super::handles::tiledb_error_t;

/// Frees an error and sets the pointer to null.
///
/// The text obtained by `tiledb_error_message` becomes invalid. A null handle is accepted.
///
/// @param err The error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_error_free(err: OutHandle<tiledb_error_t>) {
    free(err)
}

/// Returns the text of an error.
///
/// The text names what failed, usually with the offending value and a remedy. It is meant for people; programs should decide by
/// return codes and match texts only where libtiledb documents them.
///
/// @param err The error, from `tiledb_ctx_get_last_error` or from a function with a `tiledb_error_t **` parameter.
/// @param errmsg Receives the NUL-terminated text. It belongs to the error and is valid until `tiledb_error_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` if `err` is not an error handle.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_error_message(err: In<tiledb_error_t>, errmsg: OutStr) -> capi_return_t {
    call_plain(|| errmsg.set(err.get()?.text().as_c_str()))
}

/// Returns the status code of a return code; both are the same.
///
/// @param x The result.
/// @return The code.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_status_code(x: capi_return_t) -> capi_status_t {
    x
}
