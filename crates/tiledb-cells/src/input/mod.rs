//! Tile input: reading, caching and decoding the bytes of the tiles of a field.

pub mod chunk_walk;
pub mod copy_pieces;
pub mod decode_context;
pub mod decoded;
pub mod encoded;
pub mod excerpts;
pub mod prefetch;
pub mod selected;
#[cfg(test)]
mod selected_tests;
pub mod tile_source;
