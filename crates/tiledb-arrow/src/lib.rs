//! Arrow C data and stream interfaces: results of queries as record batches, and record batches as cells of writes.

mod aligned_buffer;
#[cfg(feature = "arrow-rs")]
mod arrow_rs;
mod c_data;
mod cells;
mod column;
mod conversion;
mod dictionary;
mod import;
mod read;
mod sample;
mod sink;
mod write;

#[cfg(feature = "arrow-rs")]
pub use arrow_rs::{import, record_batches};
pub use c_data::export_stream;
pub use import::ImportedStream;
pub use read::{QueryAccess, QueryWork, ResultBatches};
pub use sample::{SampledArray, sampled_array};
pub use write::write;
