//! Writers of sparse arrays.

pub mod cells;
pub mod global;
pub mod separate;
pub mod unordered;
