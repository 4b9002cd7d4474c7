//! Arrow C data and stream interfaces: results of queries as record batches, and record batches as cells of writes.

mod aligned_buffer;
mod c_data;
mod cells;
mod column;
mod conversion;
mod import;
mod read;
mod sample;
mod sink;
mod write;

pub use c_data::export_stream;
pub use import::ImportedStream;
pub use read::{QueryAccess, QueryWork, ResultBatches};
pub use sample::{SampledArray, sampled_array};
pub use write::write;
