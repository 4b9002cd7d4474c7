//! The return codes.

use tiledb_core::error::{Error, ErrorKind};

/// The result of most functions: one of the `TILEDB_*` codes.
#[expect(non_camel_case_types, reason = "the C name")]
pub type capi_return_t = i32;

/// The result of functions that only tell a state.
#[expect(non_camel_case_types, reason = "the C name")]
pub type capi_status_t = i32;

/// The operation succeeded.
pub(crate) const TILEDB_OK: i32 = 0;
/// The operation failed.
pub(crate) const TILEDB_ERR: i32 = -1;
/// The operation failed for lack of memory.
pub(crate) const TILEDB_OOM: i32 = -2;
/// The context handle is invalid.
pub(crate) const TILEDB_INVALID_CONTEXT: i32 = -3;
/// The place for the error is invalid.
pub(crate) const TILEDB_INVALID_ERROR: i32 = -4;

/// The code an error is returned as.
pub(crate) fn code_of(error: &Error) -> i32 {
    match error.kind() {
        ErrorKind::OutOfMemory => TILEDB_OOM,
        _ => TILEDB_ERR,
    }
}
