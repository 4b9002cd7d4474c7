//! C functions that export query results as Arrow record batches, and write record batches; declared in `tiledb/tiledb_rs.h`.

use std::ffi::c_char;
use std::sync::Arc;

use super::boundary::{Buffer, In, Out, Slice, call_user, capi_return_t};
use super::call::{call, goes_on, guarded_callback};
use super::callbacks::tiledb_rs_cells_callback_t;
use super::context_object::Context;
use super::handles::{tiledb_ctx_t, tiledb_query_t};
use super::query_object::QueryObject;
use tiledb::location;
use tiledb_arrow::{self as arrow, ImportedStream, QueryAccess, QueryWork, ResultBatches};
use tiledb_core::error::{Result, bail};

/// A query that produces a stream, and lives as long as the stream, as does its context, which can cancel each step.
struct Streamed {
    query: Arc<QueryObject>,
    context: Arc<Context>,
}

impl QueryAccess for Streamed {
    fn with(&self, work: &mut QueryWork<'_>) -> Result<()> {
        let _running = self.context.running();
        self.query.run(|array, query, kept| work(query, &mut |query| location::submit(array, query, kept)))
    }
}

/// Returns the results of a read as a stream of Arrow record batches (Arrow C stream interface).
///
/// Each batch holds the results of one submit in memory of its own. Values and offsets are not copied; validity and
/// `TILEDB_BOOL` become bitmaps, enumerations dictionaries. The Arrow guide lists the Arrow type of each datatype. While the
/// stream exists the query must not be used by other functions, but it may be freed.
///
/// @param ctx The context.
/// @param query The query, with subarray, layout and condition, without buffers, not yet submitted.
/// @param fields The names of the dimensions and attributes; null for all of them.
/// @param field_num The number of names.
/// @param batch_bytes The approximate size of a batch in bytes; a single longer cell makes it larger. 0 for a quarter of
///     `sm.mem.total_budget`, at most 64 MiB.
/// @param stream The address of a `struct ArrowArrayStream`, which is filled in. Release it with its own callback, on any
///     thread; threads that use it together take turns, and each gets the next batch.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_query_to_arrow(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    fields: Slice<*const c_char>,
    field_num: u64,
    batch_bytes: u64,
    stream: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        if stream.is_null() {
            bail!("tiledb_rs_query_to_arrow: the stream is null; pass room for a struct ArrowArrayStream");
        }
        let names = match fields.is_null() {
            true => None,
            false => Some(fields.paths("fields", field_num)?),
        };
        let reading = Box::new(Streamed { query: query.get()?.share(), context: ctx.get()?.share() });
        let results = ResultBatches::new(reading, names.as_deref(), batch_bytes)?;
        arrow::export_stream(Box::new(results), guarded_callback, stream.recorded());
        Ok(())
    })
}

/// What is called of others' functions, whose exceptions become errors.
fn foreign(body: &mut dyn FnMut()) -> Result<()> {
    call_user(body)
}

/// Takes a stream of the caller; `None` for null. Dropping it releases it.
pub(super) fn take_stream(stream: Buffer) -> Option<Result<ImportedStream>> {
    (!stream.is_null()).then(|| ImportedStream::take(stream.recorded(), foreign))
}

/// Writes the cells of a stream of Arrow record batches (Arrow C stream interface) to an array.
///
/// Columns are matched with fields by name; the Arrow guide lists the accepted types. Small batches are combined, so that not
/// each becomes a fragment; large ones are written without a copy.
///
/// In unordered layout each submit commits a fragment. In row- or column-major layout the stream contains the cells of the
/// subarray, which become one fragment. In global order the caller finalizes the query (`tiledb_query_finalize`), which commits
/// the cells. After an error, or if it was stopped, nothing remains of a fragment that was not committed.
///
/// @param ctx The context.
/// @param query The query, of type `TILEDB_WRITE`, with layout and subarray, without buffers.
/// @param stream A `struct ArrowArrayStream`, which is consumed: it is released in every case. Its buffers must be as long as
///     their types, lengths and offsets require; everything else is validated. Its callbacks are called on this thread.
/// @param batch_bytes The approximate number of bytes to combine before a submit. 0 for a quarter of `sm.mem.total_budget`, at
///     most 64 MiB.
/// @param callback Called on this thread after each batch with the number of cells received so far. May be null.
/// @param data Passed to the callback.
/// @param cells Receives the number of cells; null if not needed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_query_from_arrow(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    stream: Buffer,
    batch_bytes: u64,
    callback: tiledb_rs_cells_callback_t,
    data: Buffer,
    cells: Out<u64>,
) -> capi_return_t {
    // Before anything can fail: it is released in every case.
    let given = take_stream(stream);
    call(ctx, |context| {
        let Some(given) = given else {
            bail!("tiledb_rs_query_from_arrow: the stream is null; pass a struct ArrowArrayStream")
        };
        let given = given?;
        let writing = Streamed { query: query.get()?.share(), context: ctx.get()?.share() };
        let _running = context.running();
        let written = arrow::write(&writing, given, batch_bytes, &mut |cells| {
            context.resources().cancel().check()?;
            let Some(callback) = callback else { return Ok(()) };
            let answer = call_user(|| callback(cells, data.as_ptr().cast()))?;
            goes_on("tiledb_rs_query_from_arrow", answer, format_args!("after {cells} cells"))
        })?;
        cells.set_if_wanted(written);
        Ok(())
    })
}
