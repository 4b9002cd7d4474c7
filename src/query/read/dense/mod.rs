//! Reads of dense arrays.

pub mod batch;
pub mod condition;
pub mod coords;
pub mod fixed;
pub mod need;
pub mod origin;
pub mod parts;
pub mod reader;
pub mod room;
pub mod singles;
pub mod var;
