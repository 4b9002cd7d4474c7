//! The bytes of the tiles of a field.

pub mod access;
pub mod ahead;
pub mod chunk_walk;
pub mod decoded;
pub mod excerpts;
pub mod pieces;
pub mod tile_source;
