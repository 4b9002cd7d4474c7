//! Cells: what queries select, the buffers that cells are read into or written from, how cells are ordered, tested,
//! aggregated and decoded, and the writers that store them.
//!
//! The readers in `tiledb-query` are composed of the same parts; queries, with their states between submits, are there,
//! too.

pub mod columns;

pub mod space;

pub mod keys;

pub mod predicate;

pub mod aggregate;

pub mod input;

pub mod write;

pub use keys::sort::sort;
pub use space::subarray::Subarray;
pub use write::spec::{SeparateWriteState, WriteDraft, allows_separate_fields};
