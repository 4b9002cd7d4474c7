//! `import`: [`propose`] derives an array from the columns of a file, [`ImportTarget`] writes the rows.

mod arrow_reader;
mod arrow_source;
mod arrow_types;
pub mod batch_scan;
mod columns;
mod csv_file;
mod dictionary;
pub mod from_arrow;
pub mod from_csv;
mod from_npy;
pub mod inference;
mod input;
mod parquet_schema;
mod propose;
mod quotes;
mod record_batches;
mod sample;
mod signature;
mod target;

pub use csv_file::{CsvFile, CsvFormat};
pub use from_npy::NpyFile;
pub use input::Input;
pub use propose::{ImportOptions, InferredColumn, propose};
pub use record_batches::RecordBatches;
pub use sample::RowSample;
pub use signature::FileKind;
pub use target::ImportTarget;
