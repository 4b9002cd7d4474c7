//! Writers of dense arrays.

pub(crate) mod boxes;
mod cells;
pub mod global;
mod order;
mod tile_stream;
