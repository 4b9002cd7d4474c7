//! Dimension labels in queries: ranges of labels are resolved to ranges of dimension indexes, and labels are read and written
//! by separate transfers from and to the label arrays.

pub mod read;
pub mod search;
pub mod set;
pub mod write;
