//! Reads with progress reports and cancellation, declared in `tiledb/tiledb_rs.h`.

use super::boundary::{Buffer, In, call_user, capi_return_t};
use super::call::{call, goes_on, guarded_callback};
use super::callbacks::tiledb_rs_progress_callback_t;
use super::handles::{tiledb_ctx_t, tiledb_query_t};
use super::query_object::QueryObject;
use tiledb::location;
use tiledb_core::error::{Result, bail};

/// Submits a read like `tiledb_query_submit`, with a progress callback that can stop it.
///
/// The read runs on a thread of its own meanwhile, so the callback may call any function of the library, except those that wait
/// for this query. `tiledb_ctx_cancel_tasks` on another thread cancels the read too. A read that was stopped is where it was
/// before this submit: its size variables are unchanged, the contents of its buffers undefined, and it returns the same results
/// when it is submitted again. A sparse read in row- or column-major order is not stopped inside a part of the results that
/// cannot be divided; a read on a server stops when the response arrives.
///
/// @param ctx The context.
/// @param query A read query.
/// @param callback Called on this thread, at least ten times a second and once at the end of the submit, with the completed and
///     the approximate total number of steps; only their ratio is meaningful. Both are 0 until the total is known, and while a
///     server works; both are equal at the end of the last submit, where the result of the callback is ignored. Must not be
///     null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_query_submit(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    callback: tiledb_rs_progress_callback_t,
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
    let mut work =
        || query.run(|array, query, kept| query.submit_watched(|query| location::submit(array, query, kept)));
    watch.run(|| guarded_callback(&mut work), on_progress)
}
