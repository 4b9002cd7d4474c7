//! Writers of sparse arrays.

pub mod bounds;
pub mod cells;
pub mod global;
pub(crate) mod separate;
pub(crate) mod unordered;
