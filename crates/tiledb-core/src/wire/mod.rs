//! Reading and writing the little-endian primitives of the format over bytes in memory.
//!
//! The reader never panics: every access is checked, every length that comes from the bytes is
//! compared with what is left before anything is reserved.

mod reader;
mod writer;

pub use reader::WireReader;
pub use writer::WireWriter;
