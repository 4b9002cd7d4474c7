//! Names of fragments that belong to the fragment info object.

use std::ffi::CStr;

use crate::boundary::{In, OutStr};
use crate::call::call;
use crate::fragment_info::lend;
use crate::handles::{tiledb_ctx_t, tiledb_fragment_info_t};

/// Returns the name of a fragment: the last component of its URI.
///
/// Removed in 2.26; use `tiledb_fragment_info_get_fragment_name_v2`.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info object, loaded.
/// @param fid The index of the fragment.
/// @param name Receives the NUL-terminated name, which belongs to the object and is valid until it is freed or loaded again.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, or the index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    name: OutStr,
) -> i32 {
    call(ctx, |_| {
        lend(fragment_info, fid, "Cannot get fragment URI", name, |info| last_component(info.uri().as_c_str()))
    })
}

/// The text after the last slash, with its NUL.
fn last_component(uri: &CStr) -> &CStr {
    let bytes = uri.to_bytes_with_nul();
    let start = bytes.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    CStr::from_bytes_with_nul(bytes.get(start..).unwrap_or_default()).unwrap_or_default()
}
