//! What only the oldest layouts have: fragment metadata in one piece, and tiles of all coordinates.

mod single_tile;
mod zipped;

pub(super) use single_tile::SingleTile;
