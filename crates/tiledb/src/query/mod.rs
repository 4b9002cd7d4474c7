//! Queries: reads, writes, deletions and aggregates.

mod aggregate;
mod batch;
mod batches;
mod cells;
mod column;
mod delete;
mod global;
mod lists;
mod partition;
mod read;
mod reader;
mod session;
mod strings;
mod tiles;
mod write;

pub use aggregate::{Aggregate, Aggregates};
pub use batch::Batch;
pub use batches::Batches;
pub use cells::Cells;
pub(crate) use delete::delete_cells;
pub use global::GlobalWrite;
pub use lists::Lists;
pub use partition::Partition;
pub use read::ReadQuery;
pub use reader::{Buffers, ReadCounts, Reader};
#[cfg(feature = "arrow")]
pub(crate) use session::QuerySession;
pub use strings::{Blobs, Strings};
pub use tiles::TileMatch;
pub use write::{WriteQuery, WriteSummary};
