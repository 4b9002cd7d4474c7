//! Fragments: what one write leaves on disk. Names, metadata, the reading and the writing side.

mod bounds;
mod draft;
mod field_writer;
mod files;
mod filtered_tile;
mod footer;
mod loaded;
mod metadata_writer;
mod moment;
mod name;
mod open;
mod rtree;
mod single_tile;
mod slots;
mod special;
mod statistics;
mod tables;
mod tile_box;
mod tile_statistics;
mod writer;
mod zipped_coordinates;

pub use draft::{FieldDraft, FragmentDraft};
pub(crate) use files::METADATA_FILE;
pub use files::{Part, file_name, gone};
pub use filtered_tile::{FilteredTile, TileBytes};
pub(crate) use footer::LEGACY_SCHEMA;
pub use footer::{Footer, ToldFooter};
pub use loaded::{Fragment, box_of_region};
pub use moment::{claim, note, reserve, wait_for};
pub use name::{FragmentName, times_of, timestamp_now};
pub use rtree::{RTree, RTreeBuilder, TileCover};
pub use slots::Section;
pub use special::{DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS, special_fields};
pub use tile_box::{TileBox, TiledDimension};
pub use writer::FragmentWriter;
