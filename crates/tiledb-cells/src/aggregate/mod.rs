//! Aggregates: values computed from the cells that a read selects, instead of or in addition to returning them.
//!
//! `Aggregate` is one aggregate that a user requested. Readers compute a `FieldSummary` of every aggregated field
//! (`query/read/aggregate`), from which `Aggregate::result` derives the result.

pub mod kernel;
pub mod operation;
pub mod result;
pub mod running_sum;
pub mod summary;
mod text_extremes;
