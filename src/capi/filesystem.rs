//! C interface: filesystem.

use super::boundary::{CEnum, Out, OutStr, Str, capi_return_t, pending_plain};
use super::enums::tiledb_filesystem_t;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filesystem_from_str(str: Str, filesystem: Out<tiledb_filesystem_t>) -> capi_return_t {
    let _ = (str, filesystem);
    pending_plain("tiledb_filesystem_from_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filesystem_to_str(filesystem: CEnum<tiledb_filesystem_t>, str: OutStr) -> capi_return_t {
    let _ = (filesystem, str);
    pending_plain("tiledb_filesystem_to_str")
}
