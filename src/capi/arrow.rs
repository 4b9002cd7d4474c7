//! Arrow record batches out of queries and into them, declared in `tiledb/tiledb_rs.h`.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::boundary::{Buffer, In, Out, Slice, call_user, capi_return_t};
use super::call::{call, goes_on, guarded_callback};
use super::handles::{tiledb_ctx_t, tiledb_query_t};
use super::query_object::QueryObject;
use super::subarray_object::length;
use crate::arrow::{self, ImportedStream, QueryAccess, QueryWork, ResultBatches};
use tiledb_core::error::{Result, bail};
use tiledb_rest::queries;

/// A query that works for a stream; it lives as long as that.
struct Streamed(Arc<QueryObject>);

impl QueryAccess for Streamed {
    fn with(&self, work: &mut QueryWork<'_>) -> Result<()> {
        self.0.run(|array, query, kept| work(query, &mut |query| queries::submit(array, query, kept)))
    }
}

/// Gives the results of a read query as Arrow record batches. Each batch is what one submit delivers, in memory of its own: values
/// and offsets are not copied, validity and `TILEDB_BOOL` become bits, enumerations dictionaries. `docs/arrow.md` says which type each
/// datatype becomes. The query must not be used by other functions while the stream is there, but may be freed.
///
/// @param ctx The context.
/// @param query The query, with its subarray, layout and condition, without buffers, not yet submitted.
/// @param fields The names of the dimensions and attributes; null for all of them.
/// @param field_num How many names there are.
/// @param batch_bytes The bytes of a batch, about; a cell that is longer makes it larger. 0 for a quarter of
///     `sm.mem.total_budget`, 64 MiB at most.
/// @param stream Room for a `struct ArrowArrayStream` of the Arrow C stream interface, to be released by its own callback, on any
///     thread. Its callbacks are used by one thread at a time.
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
            false => Some(fields.paths("fields", length(field_num)?)?),
        };
        let reading = Box::new(Streamed(query.get()?.share()));
        let results = ResultBatches::new(reading, names.as_deref(), batch_bytes)?;
        arrow::export_stream(Box::new(results), guarded_callback, stream.recorded());
        Ok(())
    })
}

/// What is called of others' functions, whose exceptions become errors.
fn foreign(body: &mut dyn FnMut()) -> Result<()> {
    call_user(body)
}

/// Writes Arrow record batches. Columns are found by the names of the fields; `docs/arrow.md` says which types become which datatypes.
/// Small batches are gathered, so that not each becomes a fragment; large ones are written from where they are.
///
/// In no order, each submit makes a fragment that is there for readers; in row- or column-major order the stream has the cells of the
/// subarray, which become one fragment; in global order the caller finalizes the query, whose cells are there for readers then. After an
/// error, or when it was stopped, nothing is there of a fragment that was begun.
///
/// @param ctx The context.
/// @param query The query, of type `TILEDB_WRITE`, with its layout and subarray, without buffers.
/// @param stream A `struct ArrowArrayStream` of the Arrow C stream interface. It is consumed: released in every case. Its buffers
///     must be as long as their types, lengths and offsets call for; all else is checked. Its callbacks are called in this thread.
/// @param batch_bytes The bytes that are gathered before a submit, about. 0 for a quarter of `sm.mem.total_budget`, 64 MiB at most.
/// @param callback Called in this thread after each batch with the cells that came so far and `data`: it returns 1 to go on, 0 to
///     stop, -1 for an error. May be null.
/// @param data Handed to the callback.
/// @param cells How many cells there were; null if not wanted.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_query_from_arrow(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    stream: Buffer,
    batch_bytes: u64,
    callback: Option<extern "C-unwind" fn(u64, *mut c_void) -> i32>,
    data: Buffer,
    cells: Out<u64>,
) -> capi_return_t {
    // Before anything can fail: it is released in every case.
    let given = (!stream.is_null()).then(|| ImportedStream::take(stream.recorded(), foreign));
    call(ctx, |context| {
        let Some(given) = given else {
            bail!("tiledb_rs_query_from_arrow: the stream is null; pass a struct ArrowArrayStream")
        };
        let (given, writing) = (given?, Streamed(query.get()?.share()));
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
