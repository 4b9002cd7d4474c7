//! C interface: as built.

use super::boundary::{OutHandle, capi_return_t, pending_plain};
use super::handles::tiledb_string_t;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_as_built_dump(out: OutHandle<tiledb_string_t>) -> capi_return_t {
    let _ = (out,);
    pending_plain("tiledb_as_built_dump")
}
