//! Tile filters: what happens to the bytes of a tile between memory and disk.

mod bit_shuffle;
mod checksum;
mod chunk;
mod compress;
mod encrypt;
mod forward;
mod integers;
mod kind;
mod options;
mod pipeline;
mod reverse;
mod scale;
mod shuffle;
mod step;
mod strings;
#[cfg(test)]
mod tests;
mod user_options;
mod windows;

pub use chunk::{ChunkIndex, ChunkPlace, UnfilteredLayout};
pub use kind::FilterType;
pub use options::{DEFAULT_LEVEL, Filter, WebpFormat};
pub use pipeline::{CHUNK_SIZE, Pipeline, Shape};
pub use user_options::FilterOption;
