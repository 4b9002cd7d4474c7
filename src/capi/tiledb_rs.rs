//! What this library offers beyond the original's interface; declared in `tiledb/tiledb_rs.h`.

use std::ffi::{c_char, c_void};

use super::array_args::uri_of;
use super::boundary::{Buffer, In, Out, Str, call, call_user, capi_return_t, live_handles};
use super::handles::tiledb_ctx_t;
use crate::error::bail;
use crate::maintain;
use crate::types::Name;

/// Tells how many handles of all types live in this process: 0 after everything was freed.
///
/// @return The number of live handles.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_live_handles() -> u64 {
    live_handles() as u64
}

/// Lists what writers left in an array, and in its dimension labels, that were killed before they committed: folders of
/// fragments that no reader sees. Those of writers at work are among them.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param callback Called with each folder and `data`: it returns 1 to go on, 0 to stop, -1 for an error.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_orphans(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    callback: Option<extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("tiledb_rs_array_orphans: the callback is null; pass a function") };
        for folder in maintain::orphans(context.resources(), &uri_of(uri)?)? {
            match call_user(|| callback(Name::new(folder.as_str()).as_c_str().as_ptr(), data.as_ptr().cast()))? {
                1 => {}
                -1 => bail!("tiledb_rs_array_orphans: the callback returned an error at '{folder}'"),
                _ => break,
            }
        }
        Ok(())
    })
}

/// Removes the folders that `tiledb_rs_array_orphans` lists. No writer may be at work in the array.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param count How many folders there were.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_sweep(ctx: In<tiledb_ctx_t>, uri: Str, count: Out<u64>) -> capi_return_t {
    call(ctx, |context| count.set(maintain::sweep(context.resources(), &uri_of(uri)?)? as u64))
}
