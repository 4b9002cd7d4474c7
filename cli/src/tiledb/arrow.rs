//! Cells as Arrow record batches, both ways through the Arrow C stream interface.

use std::ffi::c_void;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};

use super::array::Array;
use super::context::{ask, call};
use super::error::{Error, Result};
use super::handle::text;
use super::query::Reader;
use super::write::begin;

/// The results of a query that has no buffers.
pub fn batches(reader: &Reader<'_>, fields: &[String]) -> Result<RecordBatchStreamReader> {
    let names = fields.iter().map(|name| text(name)).collect::<Result<Vec<_>>>()?;
    let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
    let mut stream = FFI_ArrowArrayStream::empty();
    let (query, place) = (reader.raw(), (&raw mut stream).cast::<c_void>());
    call!(reader.ctx(), tiledb_rs_query_to_arrow(query, names.as_ptr(), names.len() as u64, 0, place))?;
    RecordBatchStreamReader::try_new(stream).map_err(Error::failed_by)
}

/// Writes batches as one fragment, or as few as memory allows; returns the number of cells.
pub fn write_batches(array: &Array, rows: Option<[i64; 2]>, batches: Vec<RecordBatch>) -> Result<u64> {
    let Some(first) = batches.first() else { return Ok(0) };
    let (ctx, schema) = (array.ctx(), first.schema());
    let query = begin(array, rows)?;
    let source: Box<dyn RecordBatchReader + Send> =
        Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema));
    let mut stream = FFI_ArrowArrayStream::new(source);
    let place = (&raw mut stream).cast::<c_void>();
    let cells = ask!(ctx, 0, tiledb_rs_query_from_arrow(query.raw(), place, 0, None, std::ptr::null_mut()))?;
    call!(ctx, tiledb_query_finalize(query.raw()))?;
    Ok(cells)
}
