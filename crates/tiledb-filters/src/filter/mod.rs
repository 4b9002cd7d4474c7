//! Tile filters: what happens to the bytes of a tile between memory and disk.
//!
//! Each filter is a file with what it does (a `stage::Stage`) and its tests; what several do alike is in
//! `shared`. `stages` has the table that says which filter is where.

mod aes_256_gcm;
mod bit_shuffle;
mod bit_width_reduction;
mod byte_shuffle;
mod bzip2;
mod checksum_md5;
mod checksum_sha256;
mod chunk;
mod delta;
mod dictionary;
mod double_delta;
mod forward;
mod gzip;
mod kind;
mod lz4;
mod options;
mod pipeline;
mod positive_delta;
mod reverse;
mod rle;
mod scale_float;
mod shared;
mod stage;
mod stages;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod user_options;
mod webp;
mod xor;
mod zstd;

pub use chunk::{ChunkHeader, ChunkIndex, TILE_HEADER};
pub use forward::{Pieces, put_plain};
pub use kind::FilterType;
pub use options::{DEFAULT_LEVEL, Filter, WebpFormat};
pub use pipeline::{CHUNK_SIZE, Pipeline, Shape};
pub use scale_float::Placeholder;
pub use user_options::FilterOption;
