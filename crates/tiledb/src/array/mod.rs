//! Arrays that are open, one object per purpose.

mod deleter;
mod open_options;
mod reader;
mod writer;

pub use deleter::ArrayDeleter;
pub use open_options::OpenOptions;
pub use reader::Array;
pub use writer::ArrayWriter;
