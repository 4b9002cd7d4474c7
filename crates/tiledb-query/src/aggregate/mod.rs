//! Aggregates: what is computed of the cells that a read selects, instead of or beside delivering them.
//!
//! [`Aggregate`] is one that a user asks for. The readers gather a [`FieldSummary`] of every field that is
//! aggregated (`read/aggregate.rs`), of which [`Aggregate::result`] takes the result.

pub mod kernel;
pub mod operation;
pub mod result;
pub mod running_sum;
pub mod summary;
pub mod text_extremes;
