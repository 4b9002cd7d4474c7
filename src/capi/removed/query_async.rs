//! Queries that run while the caller goes on.

use std::ffi::c_void;
use std::sync::mpsc;
use std::thread;

use crate::boundary::{Buffer, In, call_user};
use crate::call::{call, guarded_callback};
use crate::handles::{tiledb_ctx_t, tiledb_query_t};
use tiledb::location;
use tiledb_core::error::bail;

/// Bytes of the stack on which a callback runs: that of a thread by `pthread_create` on Linux.
const STACK: usize = 8 << 20;

/// Submits a query and returns while it runs, on a thread of its own.
///
/// Until the query is done its status is `TILEDB_INPROGRESS` (`tiledb_query_get_status`), and the query, its buffers and the
/// context must stay alive. A failure is reported by the status `TILEDB_FAILED` and by the last error of the context.
///
/// Removed in 2.26; use `tiledb_query_submit` on a thread of the program.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param callback Called on the thread of the query when it is completed, but not after an incomplete read or an error; null
///     for none. The status is still `TILEDB_INPROGRESS` while it runs. It may call any function, except those that wait for
///     this query.
/// @param callback_data Passed to the callback.
/// @return `TILEDB_OK` if the query was started; `TILEDB_ERR` for an invalid handle, or if no thread can be started.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_submit_async(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    callback: Option<extern "C-unwind" fn(*mut c_void)>,
    callback_data: Buffer,
) -> i32 {
    call(ctx, |_| {
        let context = ctx.get()?.share();
        let query = query.get()?.share().in_progress();
        let data = callback_data.recorded();
        let (started, is_started) = mpsc::channel();
        let run = move || {
            let _running = context.running();
            let _ = started.send(());
            let mut work = || {
                query.run(location::submit)?;
                match callback {
                    Some(callback) if query.is_completed() => call_user(|| callback(data.address().cast())),
                    _ => Ok(()),
                }
            };
            if let Err(error) = guarded_callback(&mut work) {
                context.record(&error);
            }
        };
        if let Err(error) = thread::Builder::new().name("tiledb-async".to_owned()).stack_size(STACK).spawn(run) {
            bail!(Io, "Query: Cannot submit asynchronously; the system starts no thread ({error})");
        }
        // From here on the query can be cancelled.
        let _ = is_started.recv();
        Ok(())
    })
}
