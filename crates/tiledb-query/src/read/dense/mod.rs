//! Reads of dense arrays.

pub mod ahead;
pub mod batch;
pub mod checks;
pub mod condition;
pub mod context;
pub mod coords;
pub mod counts;
pub mod fixed;
pub mod need;
pub mod origin;
pub mod parts;
pub mod reader;
pub mod room;
pub mod singles;
pub mod var;
mod var_tiles;
