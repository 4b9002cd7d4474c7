//! Calls of C functions by address, with valid and invalid arguments.

pub mod caller;
pub mod cases;
pub mod world;
