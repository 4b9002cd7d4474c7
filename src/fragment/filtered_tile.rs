//! One tile on its way into a fragment.

use crate::tile::TileStats;
use crate::types::CellRange;

/// One filtered tile of one field.
#[derive(Default)]
pub struct FilteredTile {
    /// The values of a fixed-size field, the offsets of a variable one.
    pub data: Vec<u8>,
    /// The values of a variable field, and how many bytes they are unfiltered.
    pub var: Option<(Vec<u8>, u64)>,
    /// The validity of a nullable field.
    pub validity: Option<Vec<u8>>,
    /// Statistics of the tile, as [`crate::tile::stats_kind`] asks for.
    pub stats: TileStats,
    /// How many cells it has.
    pub cells: u64,
    /// The range around the coordinates of a sparse fragment's dimension.
    pub bounds: Option<CellRange>,
}

impl FilteredTile {
    /// Its bytes on disk.
    pub fn size(&self) -> u64 {
        let var = self.var.as_ref().map_or(0, |(values, _)| values.len());
        (self.data.len() + var + self.validity.as_ref().map_or(0, Vec::len)) as u64
    }
}
