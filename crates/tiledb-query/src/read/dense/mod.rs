//! Readers of dense arrays.

pub mod batch;
pub mod batch_memory;
pub mod capacity;
pub mod cell_source;
pub mod checks;
pub mod condition;
pub mod context;
pub mod coords;
pub mod counts;
pub mod fixed;
mod part_delivery;
pub mod prefetch;
pub mod reader;
pub mod result_parts;
pub mod single_cells;
pub mod var;
mod var_column;
mod var_tiles;
