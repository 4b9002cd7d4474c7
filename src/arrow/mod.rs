//! Results of queries as Arrow record batches, and such batches as cells of writes, by the Arrow C data and stream interfaces.

mod block;
mod c_data;
mod cells;
mod column;
mod given;
mod incoming;
mod read;
mod sink;
mod write;

pub use c_data::give_stream;
pub use given::Stream;
pub use read::{Reading, Results, Work};
pub use write::write;
