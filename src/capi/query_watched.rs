//! Reads that tell how far they have come, declared in `tiledb/tiledb_rs.h`.

use std::ffi::c_void;

use super::boundary::{Buffer, In, call_user, capi_return_t};
use super::call::{call, goes_on, guarded_callback};
use super::handles::{tiledb_ctx_t, tiledb_query_t};
use super::query_object::QueryObject;
use tiledb_core::error::{Result, bail};
use tiledb_rest::queries;

/// Submits a read as `tiledb_query_submit` does and tells how far it has come, so that a program can show it or stop it. The read
/// works on a thread of its own meanwhile, so that the callback may call any function, but should not wait for this query.
/// `tiledb_ctx_cancel_tasks` on another thread stops it too. A read that was stopped stands where it stood before this submit,
/// with the sizes of its buffers, and gives the same results when it is submitted again; what is in the buffers is undefined.
/// A read in row- or column-major order of a sparse array is not stopped while it stands inside a part of the results that cannot be
/// divided.
///
/// @param ctx The context.
/// @param query A read query.
/// @param callback Called in this thread, ten times a second or more often, and once when the submit is done: with the steps that
///     are done, those that the read takes in all, about, and `data`. A step is a cell of a field or of a tile; only the share
///     means something. Both are 0 until it is known how many there are, and while a server works. At the end of the last submit
///     both are equal. It returns 1 to go on, 0 to stop, -1 for an error; after the end the answer does not matter.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped. A server's read stops when its answer comes.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_query_submit(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    callback: Option<extern "C-unwind" fn(u64, u64, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("tiledb_rs_query_submit: the callback is null; pass a function") };
        let query = query.get()?;
        let _running = context.running();
        submit(&query, &mut |done, total| {
            let answer = call_user(|| callback(done, total, data.as_ptr().cast()))?;
            goes_on("tiledb_rs_query_submit", answer, format_args!("after {done} of {total} steps"))
        })
    })
}

fn submit(query: &QueryObject, on_progress: &mut dyn FnMut(u64, u64) -> Result<()>) -> Result<()> {
    let watch = query.lock().watch()?;
    let mut work = || query.run(|array, query, kept| query.submit_watched(|query| queries::submit(array, query, kept)));
    watch.run(|| guarded_callback(&mut work), on_progress)
}
