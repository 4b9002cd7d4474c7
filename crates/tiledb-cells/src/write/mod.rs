//! Writers: validate, sort, filter and store cells from the user's buffers in a new fragment.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::Layout;

pub mod dense;
pub mod encode;
mod fragments;
mod gathered_bytes;
mod ready_tile;
pub mod region;
pub mod sparse;
pub mod spec;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tile_boxes;
mod tile_bytes;
mod tile_tail;
mod tiles;

use dense::boxes::DenseWriter;
use dense::global::DenseGlobalWriter;
use sparse::global::GlobalSparseWriter;
use sparse::separate::SeparateWriter;
use sparse::unordered::SparseWriter;
use spec::{QueryWriter, WriteSpec, allows_separate_fields};

/// The writer for a write: by array type and layout.
///
/// # Errors
/// If the array, layout and subarray do not go together.
pub fn writer(spec: WriteSpec) -> Result<Box<dyn QueryWriter>> {
    match (spec.array.schema().is_dense(), spec.layout) {
        (true, Layout::RowMajor | Layout::ColMajor) => Ok(Box::new(DenseWriter::new(spec)?)),
        (true, Layout::GlobalOrder) => Ok(Box::new(DenseGlobalWriter::new(spec)?)),
        (true, layout) => bail!(Unsupported, "Dense arrays are not written in {} order", layout.name()),
        (false, Layout::GlobalOrder) => Ok(Box::new(GlobalSparseWriter::new(spec)?)),
        (false, _) if allows_separate_fields(&spec.config) => Ok(Box::new(SeparateWriter::new(spec)?)),
        (false, _) => Ok(Box::new(SparseWriter::new(spec)?)),
    }
}
