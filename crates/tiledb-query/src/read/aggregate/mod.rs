//! Aggregates of a read: what is known of all wanted cells, gathered tile by tile without delivering any.

pub mod dense;
pub mod results;
pub mod sparse;
pub mod stats;
pub mod totals;
