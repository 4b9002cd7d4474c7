//! Results of queries as Arrow record batches, by the Arrow C data and stream interfaces.

mod block;
mod c_data;
mod column;
mod read;

pub use c_data::give_stream;
pub use read::{Reading, Results, Work};
