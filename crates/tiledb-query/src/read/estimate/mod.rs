//! Estimates of the result size of a read.

pub mod dense;
pub mod share;
pub mod sparse;
pub mod sum;
pub mod total;
