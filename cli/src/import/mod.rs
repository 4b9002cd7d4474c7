//! `import`: [`propose`] derives an array from the columns of a file, [`ImportTarget`] writes the rows.

mod arrow_reader;
mod arrow_source;
mod arrow_types;
pub(crate) mod batch_scan;
mod columns;
mod dictionary;
pub(crate) mod from_arrow;
mod from_npy;
pub(crate) mod from_rows;
pub(crate) mod inference;
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

pub(crate) use from_npy::NpyFile;
pub(crate) use input::Input;
pub(crate) use propose::{ImportOptions, InferredColumn, propose};
pub(crate) use record_batches::RecordBatches;
pub(crate) use row_file::{RowFile, RowFormat};
pub(crate) use sample::RowSample;
pub(crate) use signature::{FileKind, SIGNATURE};
pub(crate) use target::ImportTarget;
