//! Dimension labels in queries: ranges of labels are resolved to ranges of indexes, and labels are read and written by
//! separate transfers to the label arrays.

pub mod read;
pub mod search;
pub mod set;
pub mod write;
