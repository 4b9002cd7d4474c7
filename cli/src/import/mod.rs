//! `import`: [`propose`] derives an array from the columns of a file, [`ImportTarget`] writes the rows.

pub mod arrow_file;
mod arrow_reader;
mod columns;
mod csv_file;
pub mod from_arrow;
pub mod from_csv;
mod inference;
mod propose;
mod quotes;
mod sample;
mod target;

pub use arrow_reader::ArrowReader;
pub use csv_file::{CsvFile, CsvFormat};
pub use propose::{ImportOptions, InferredColumn, propose};
pub use sample::RowSample;
pub use target::ImportTarget;
