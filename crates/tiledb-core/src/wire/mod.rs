//! Reading and writing the little-endian primitives of the format over bytes in memory.
//!
//! The reader never panics: every access is bounds-checked, and every length that is read is compared with the number of
//! remaining bytes before memory is reserved.

mod reader;
mod writer;

pub use reader::WireReader;
pub use writer::WireWriter;
