//! `import`: [`propose`] derives an array from the columns of a file, [`ImportTarget`] writes the rows.

mod arrow_reader;
mod arrow_source;
mod arrow_types;
pub mod batch_scan;
mod columns;
mod dictionary;
pub mod from_arrow;
mod from_npy;
pub mod from_rows;
pub mod inference;
mod input;
mod json_rows;
mod parquet_file;
mod parquet_pages;
mod parquet_schema;
mod propose;
mod quotes;
mod record_batches;
mod row_file;
mod sample;
mod signature;
mod target;
mod thrift;

pub use from_npy::NpyFile;
pub use input::Input;
pub use propose::{ImportOptions, InferredColumn, propose};
pub use record_batches::RecordBatches;
pub use row_file::{RowFile, RowFormat};
pub use sample::RowSample;
pub use signature::{FileKind, SIGNATURE};
pub use target::ImportTarget;
