//! Fragments: what one write leaves on disk. Names, metadata, the reading and the writing side.

mod name;
mod rtree;
mod tile_box;

pub use name::{FragmentName, times_of, timestamp_now, unversioned_name};
pub use rtree::{RTree, TileCover};
pub use tile_box::{TileBox, TiledDimension};
