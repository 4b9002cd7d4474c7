//! Readers: resumable state machines that copy cells from fragments to the user's buffers.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::Layout;

pub mod aggregate;
pub mod dense;
pub mod estimate;
pub mod parameters;
pub mod position;
pub mod sparse;
pub mod spec;

use dense::reader::DenseReader;
use sparse::partitioned::PartitionedReader;
use sparse::reader::SparseReader;
use spec::{QueryReader, ReadSpec};

/// The reader for a read: by array type and layout.
///
/// # Errors
/// If the array, layout and subarray do not go together.
pub fn reader(spec: ReadSpec) -> Result<Box<dyn QueryReader>> {
    if spec.array.schema().is_dense() {
        let reader = DenseReader::new(&spec)?;
        parameters::check(&spec)?;
        return Ok(Box::new(reader));
    }
    parameters::check(&spec)?;
    if spec.fields.is_empty() {
        bail!(
            "Reader: Cannot initialize reader; Buffers not set: call tiledb_query_set_data_buffer for the fields to read"
        );
    }
    Ok(match spec.layout {
        Layout::RowMajor | Layout::ColMajor => Box::new(PartitionedReader::new(spec)?),
        _ => Box::new(SparseReader::new(&spec)?),
    })
}
