//! What this library offers beyond the original's interface; declared in `tiledb/tiledb_rs.h`.

use super::boundary::live_handles;

/// Tells how many handles of all types live in this process: 0 after everything was freed.
///
/// @return The number of live handles.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_live_handles() -> u64 {
    live_handles() as u64
}
