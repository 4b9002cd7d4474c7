//! Tile filters: transformations of the bytes of a tile between memory and disk, such as compression and encoding.
//!
//! Each filter has a file with its implementation (a `stage::FilterStage`) and its tests; code that several filters have in
//! common is in `shared`. `stages` contains the table from filter to implementation.

mod aes_256_gcm;
mod bit_shuffle;
mod bit_width_reduction;
mod byte_shuffle;
mod bzip2;
mod checksum_md5;
mod checksum_sha256;
mod chunk;
mod decode_work;
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
#[cfg(test)]
mod scalar_tests;
mod scale_float;
mod shared;
mod stage;
mod stages;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tile_digests;
mod user_options;
mod webp;
mod xor;
mod zstd;

pub use chunk::{ChunkHeader, ChunkIndex, ChunkLocation, TILE_HEADER, decoded_size};
pub use forward::{TileInput, write_unfiltered};
pub use kind::FilterType;
pub use options::{DEFAULT_LEVEL, Filter, WebpFormat};
pub use pipeline::{CHUNK_SIZE, Pipeline, TileShape};
pub use scale_float::Placeholder;
pub use tile_digests::StoredChunk;
pub use user_options::FilterOption;
