//! Aggregates: what is computed of the cells that a read selects, instead of or beside delivering them.
//!
//! [`Aggregate`] is one that a user asks for. The readers gather a [`Summary`] of every field that is
//! aggregated (`read/aggregate.rs`), of which [`Aggregate::answer`] takes the result.

pub mod answer;
pub mod kernel;
pub mod operation;
pub mod summary;
pub mod text;
pub mod total;
