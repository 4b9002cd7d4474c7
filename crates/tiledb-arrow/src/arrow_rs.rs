//! Streams of arrow-rs: its readers of record batches are made of streams of the C interface, and become such.
#![expect(unsafe_code, reason = "streams change hands as structs of the C interface")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::c_data::export_stream;
use super::import::ImportedStream;
use super::read::ResultBatches;
use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::{Error, Result};

/// The results of a read as a reader of record batches.
///
/// # Errors
/// If the reader rejects the schema of the stream.
pub fn record_batches(batches: ResultBatches) -> Result<RecordBatchStreamReader> {
    let mut stream = FFI_ArrowArrayStream::empty();
    // SAFETY: the struct has the layout of the C interface and is not used by others until it is filled.
    let place = unsafe { UserPtr::new((&raw mut stream).cast::<u8>()) };
    export_stream(Box::new(batches), guarded, place);
    RecordBatchStreamReader::try_new(stream).map_err(|error| Error::invalid(format!("Arrow: {error}")))
}

/// A reader of record batches as a stream to be written.
///
/// # Errors
/// If memory is insufficient.
pub fn import(reader: Box<dyn RecordBatchReader + Send>) -> Result<ImportedStream> {
    let mut stream = FFI_ArrowArrayStream::new(reader);
    // SAFETY: the struct has the layout of the C interface; it is moved from, and marked as released for its destructor.
    let place = unsafe { UserPtr::new((&raw mut stream).cast::<u8>()) };
    ImportedStream::take(place, foreign)
}

fn guarded(body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(Error::internal("A read panicked; please report it")))
}

fn foreign(body: &mut dyn FnMut()) -> Result<()> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|_| Error::invalid("Arrow: the reader of record batches panicked"))
}
