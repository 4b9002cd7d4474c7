//! Dimension labels in queries: ranges of labels are resolved to ranges of dimension indexes, and labels are read and written
//! by separate transfers from and to the label arrays.

pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod set;
pub(crate) mod write;
