//! Results of queries as Arrow record batches, and such batches as cells of writes, by the Arrow C data and stream interfaces.

mod aligned_buffer;
mod c_data;
mod cells;
mod column;
mod conversion;
mod import;
mod read;
mod sink;
mod write;

pub use c_data::export_stream;
pub use import::ImportedStream;
pub use read::{QueryAccess, QueryWork, ResultBatches};
pub use write::write;
