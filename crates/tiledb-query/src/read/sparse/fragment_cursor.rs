//! Fragment cursor: one fragment of a sparse read, with the tiles that may contain selected cells.

use std::sync::Arc;

use super::field_source::FieldSource;
use super::filter::CellFilter;
use crate::read::position::FirstCell;
use tiledb_array::fragment::{Fragment, TileCover};
use tiledb_array::schema::Field;
use tiledb_cells::input::decoded::decoded_size;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::SAMPLED_TILES;

/// Cursor over the tiles of one fragment that may contain selected cells.
pub struct FragmentCursor {
    pub fragment: Arc<Fragment>,
    pub tiles: TileList,
    /// The next of the tiles that are merged, and the end of these.
    pub next: usize,
    pub end: usize,
    /// Cells before this one were delivered by another reader.
    pub first: FirstCell,
    /// Later cells that the delivered ones supersede, as tile and cell, in order.
    pub superseded: Vec<(u64, usize)>,
    /// The requested fields.
    pub sources: Vec<FieldSource>,
    /// The dimensions as the fragment has them.
    pub dimensions: Vec<Field>,
    /// The filters of the fragment.
    pub filters: Vec<CellFilter>,
    /// The new indexes of the conditions that its delete metadata refer to by index, if these are requested.
    pub conditions: Vec<u64>,
    /// Approximate decoded bytes of a tile: of coordinates and requested fields, and of coordinates alone.
    pub tile_bytes: usize,
    pub coordinate_bytes: usize,
}

/// The tiles of a fragment.
pub enum TileList {
    /// All of them; all cells that are in the ranges are selected.
    All(usize),
    Some(Vec<TileCover>),
}

impl TileList {
    /// How many.
    pub fn count(&self) -> usize {
        match self {
            TileList::All(count) => *count,
            TileList::Some(covers) => covers.len(),
        }
    }
}

impl FragmentCursor {
    /// The tile at a position of the plan, and whether its bounding box is within the ranges.
    pub fn tile(&self, place: usize) -> Option<(u64, bool)> {
        match &self.tiles {
            TileList::All(count) => (place < *count).then_some((place as u64, true)),
            TileList::Some(covers) => covers.get(place).map(|cover| (cover.tile, cover.full)),
        }
    }

    /// The decoded bytes of fields of a tile, in the middle of some.
    ///
    /// # Errors
    /// If tables of the fragment are not valid.
    pub fn middle_size<'f>(&self, fields: impl Iterator<Item = &'f Field>) -> Result<usize> {
        let tiles = (0..self.tiles.count().min(SAMPLED_TILES.count())).filter_map(|place| self.tile(place));
        let tiles: Vec<u64> = tiles.map(|(tile, _)| tile).collect();
        let mut sum = 0u64;
        for field in fields {
            for &tile in &tiles {
                let cells = usize::try_from(self.fragment.cells_in_tile(tile)).unwrap_or(usize::MAX);
                sum = sum.saturating_add(decoded_size(&self.fragment, field, tile, cells)?);
            }
        }
        Ok(usize::try_from(sum / (tiles.len() as u64).max(1)).unwrap_or(usize::MAX))
    }

    /// Bytes that a tile takes with its keys, about.
    pub fn open_bytes(&self, keys: &KeyPlan) -> u64 {
        // A mark and a number for each cell.
        let of_cell = keys.key_size() as u64 + 5;
        (self.coordinate_bytes as u64).saturating_add(self.fragment.cells_in_tile(0).saturating_mul(of_cell))
    }

    /// How many cells at the beginning of a tile are left out.
    pub fn excluded(&self, tile: u64) -> usize {
        if tile == self.first.tile { usize::try_from(self.first.cell).unwrap_or(usize::MAX) } else { 0 }
    }

    /// The cells of a tile, after these, that are superseded by delivered ones.
    pub fn superseded_in(&self, tile: u64) -> impl Iterator<Item = usize> {
        let start = self.superseded.partition_point(|(other, _)| *other < tile);
        self.superseded[start..].iter().take_while(move |(other, _)| *other == tile).map(|(_, cell)| *cell)
    }

    /// True if cells of a tile are left out.
    pub fn leaves_out_some(&self, tile: u64) -> bool {
        self.excluded(tile) > 0 || self.superseded_in(tile).next().is_some()
    }

    /// True once all tiles that are merged now were taken.
    pub fn is_done(&self) -> bool {
        self.next >= self.end
    }
}
