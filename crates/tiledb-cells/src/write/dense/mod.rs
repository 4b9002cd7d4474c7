//! Writers of dense arrays.

pub mod boxes;
pub mod cells;
pub mod global;
pub mod order;
pub mod tile_stream;
