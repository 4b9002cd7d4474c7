//! The memory that cells come from and go to: the user's buffers, seen as columns of cells.

pub mod buffers;
pub mod coords;
pub mod copy;
pub mod input;
pub mod memory;
pub mod moves;
pub mod offsets;
pub mod output;
pub mod rows;
pub mod user;
pub mod zipped;
