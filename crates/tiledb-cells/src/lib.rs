//! Cells in memory: what queries select, the buffers that cells are read into or written from, and how cells are
//! ordered, tested, aggregated and decoded. Readers and writers, in `tiledb-query`, are composed of these parts.

pub mod columns;

pub mod space;

pub mod keys;

pub mod predicate;

pub mod aggregate;

pub mod input;

pub mod write;

pub use keys::sort::{Pairs, sort};
pub use space::subarray::Subarray;
pub use write::spec::{SeparateWriteState, WriteDraft, allows_separate_fields};
