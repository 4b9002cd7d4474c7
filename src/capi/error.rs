//! C interface: error.

use super::boundary::{In, OutHandle, OutStr, capi_return_t, capi_status_t, free, pending_plain};
use super::handles::tiledb_error_t;
use crate::error::Error;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_error_free(err: OutHandle<tiledb_error_t>) {
    free(err)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_error_message(err: In<tiledb_error_t>, errmsg: OutStr) -> capi_return_t {
    let _ = (err, errmsg);
    pending_plain("tiledb_error_message")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_status_code(x: capi_return_t) -> capi_status_t {
    x
}

/// What an error handle holds: the error.
pub struct ErrorObject(Error);

impl ErrorObject {
    /// The content of an error handle.
    pub(crate) fn new(error: Error) -> ErrorObject {
        ErrorObject(error)
    }
}
