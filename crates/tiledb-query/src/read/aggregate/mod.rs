//! Aggregation in readers: statistics of all selected cells, computed tile by tile without delivering any.

pub mod dense;
pub mod results;
pub mod sparse;
pub mod stats;
pub mod text_stats;
pub mod totals;
