//! Writers: from the user's buffers to a new fragment.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::Layout;

pub mod apart;
pub mod dense;
pub mod encode;
pub mod fragments;
pub mod gathered;
pub mod ready;
pub mod region;
pub mod sparse;
pub mod spec;
pub mod tail;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tile_boxes;
pub mod tiles;

use dense::boxes::DenseWriter;
use dense::global::DenseGlobalWriter;
use sparse::global::GlobalSparseWriter;
use sparse::separate::SeparateWriter;
use sparse::unordered::SparseWriter;
use spec::{WriteSpec, Writer, are_fields_apart};

/// The writer for a write: by array type and layout.
///
/// # Errors
/// If the array, layout and subarray do not go together.
pub fn writer(spec: WriteSpec) -> Result<Box<dyn Writer>> {
    match (spec.array.schema().is_dense(), spec.layout) {
        (true, Layout::RowMajor | Layout::ColMajor) => Ok(Box::new(DenseWriter::new(spec)?)),
        (true, Layout::GlobalOrder) => Ok(Box::new(DenseGlobalWriter::new(spec)?)),
        (true, layout) => bail!(Unsupported, "Dense arrays are not written in {} order", layout.name()),
        (false, Layout::GlobalOrder) => Ok(Box::new(GlobalSparseWriter::new(spec)?)),
        (false, _) if are_fields_apart(&spec.config) => Ok(Box::new(SeparateWriter::new(spec)?)),
        (false, _) => Ok(Box::new(SparseWriter::new(spec)?)),
    }
}
