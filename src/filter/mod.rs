//! Tile filters: what happens to the bytes of a tile between memory and disk.

mod kind;
mod options;
mod pipeline;
mod run;

pub use kind::FilterType;
pub use options::{DEFAULT_LEVEL, Filter, WebpFormat};
pub use pipeline::{CHUNK_SIZE, Pipeline, Shape};
