//! Queries: reading and writing cells.
//!
//! [`Query`] is the API for callers: buffers and a subarray are set, then it is submitted until it is complete. A
//! submitted read creates a `read::spec::QueryReader`, a resumable state machine that fills the user's buffers once per
//! submit; a submitted write creates a `tiledb_cells::write::spec::QueryWriter`.

pub mod read;

pub mod transfer;

pub(crate) mod labels;

pub(crate) mod partition;

pub mod filestore;

#[cfg(test)]
mod budget_tests;
#[cfg(test)]
mod buffers_tests;
#[cfg(test)]
mod condition_tests;
#[cfg(test)]
mod continued_tests;
mod delete;
#[cfg(test)]
mod draft_tests;
mod estimate;
#[cfg(test)]
mod ordered_tests;
mod plan;
#[allow(clippy::module_inception, reason = "the query itself")]
mod query;
mod query_steps;
#[cfg(test)]
mod refused_submits_tests;
#[cfg(test)]
mod resumed_tests;
mod scoped_buffers;
#[cfg(test)]
mod sparse_tests;
#[cfg(test)]
mod submits_tests;
#[cfg(test)]
mod tests;
mod tiles;
mod watched_read;

pub use partition::{part_count, partition};
pub use plan::PlanText;
pub use query::{BufferKind, Query};
pub use read::estimate::sum::ResultSize as EstimatedSize;
pub use scoped_buffers::{CellSlices, FilledBuffers, ResultBuffers, ResultSlices};
pub use tiles::{TileVerdict, tiles};
pub use transfer::progress::Status;
