//! C interface: string.

use super::boundary::{In, Out, OutHandle, OutStr, capi_return_t, free_checked, pending_plain};
use super::handles::tiledb_string_t;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_string_free(s: OutHandle<tiledb_string_t>) -> capi_return_t {
    free_checked(s)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_string_view(s: In<tiledb_string_t>, data: OutStr, length: Out<usize>) -> capi_return_t {
    let _ = (s, data, length);
    pending_plain("tiledb_string_view")
}
