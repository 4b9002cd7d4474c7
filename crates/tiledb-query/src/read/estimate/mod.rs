//! How large the results of a read will be.

pub mod dense;
pub mod share;
pub mod sparse;
pub mod sum;
pub mod total;
