//! How large the results of a read will be.

pub mod share;
pub mod sparse;
pub mod total;
