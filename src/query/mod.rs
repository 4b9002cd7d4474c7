//! Queries: reading and writing cells.
//!
//! [`Query`] is what a caller drives: buffers and a subarray are set, then it is submitted until it is
//! complete. A submitted read makes a [`read::Reader`], a resumable machine that fills the user's buffers
//! once per submit; a submitted write makes a [`write::Writer`].

pub mod aggregate;
mod aggregates;
pub mod buffers;
pub mod condition;
mod counts;
mod delete;
mod estimate;
pub mod grid;
pub mod keys;
mod labels;
mod offsets;
mod plan;
mod ranges;
pub mod read;
mod set_buffers;
#[cfg(test)]
mod sparse_tests;
mod state;
mod subarray;
mod submit_read;
mod submit_write;
#[cfg(test)]
mod tests;
pub mod write;
mod zipped;

pub use ranges::RangeSet;
pub use state::{Query, Status};
pub use subarray::Subarray;
