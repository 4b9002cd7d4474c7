//! Columns: the user's buffers, and internal ones, viewed as columns of cells.

pub mod box_moves;
pub mod box_rows;
pub mod buffers;
pub mod coords;
pub mod copy;
pub mod input;
pub mod memory;
pub mod offsets;
pub mod output;
mod streaming;
pub(crate) mod text_head;
mod transpose;
pub mod user_buffer;
pub mod zipped;
