//! Queries: reading and writing cells.
//!
//! [`Query`] is what a caller drives: buffers and a subarray are set, then it is submitted until it is
//! complete. A submitted read makes a [`read::Reader`], a resumable machine that fills the user's buffers
//! once per submit; a submitted write makes a [`write::Writer`].

pub(crate) mod columns;

pub(crate) mod space;

pub(crate) mod keys;

pub(crate) mod predicate;

pub(crate) mod aggregate;

pub(crate) mod input;

pub(crate) mod write;

pub(crate) mod read;

pub(crate) mod labels;

mod aggregates;
mod counts;
mod delete;
mod estimate;
mod plan;
mod set_buffers;
#[cfg(test)]
mod sparse_tests;
mod state;
mod submit_read;
mod submit_write;
#[cfg(test)]
mod tests;

pub use crate::query::space::ranges::RangeSet;
pub use crate::query::space::subarray::Subarray;
pub use crate::query::state::{Query, Status};
pub use keys::sort::sort;
