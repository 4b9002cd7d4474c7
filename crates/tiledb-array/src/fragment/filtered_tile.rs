//! Filtered tiles to be appended to a fragment.

use super::files::FieldPart;
use tiledb_core::error::Result;
use tiledb_core::types::CellRange;
use tiledb_filters::tile::TileStats;

/// Receives consecutive pieces of a tile.
pub type WritePieces<'a> = &'a mut dyn FnMut(&[&[u8]]) -> Result<()>;

/// A filtered tile of one field, from memory or from another fragment.
pub trait TileBytes {
    /// Bytes of the values of a variable field, unfiltered.
    fn var_size(&self) -> Option<u64>;

    /// True if there are validity values.
    fn has_validity(&self) -> bool;

    /// Statistics of the tile, as selected by [`tiledb_filters::tile::stats_kind`].
    fn stats(&self) -> &TileStats;

    /// Writes the bytes of a part, in one or several calls.
    ///
    /// # Errors
    /// Those of `to`, or of the source of the bytes.
    fn write(&self, part: FieldPart, to: WritePieces<'_>) -> Result<()>;
}

/// One filtered tile of one field.
#[derive(Default)]
pub struct FilteredTile {
    /// The values of a fixed-size field, the offsets of a variable one.
    pub data: Vec<u8>,
    /// The values of a variable field, and how many bytes they are unfiltered.
    pub var: Option<(Vec<u8>, u64)>,
    /// The validity of a nullable field.
    pub validity: Option<Vec<u8>>,
    /// Statistics of the tile, as selected by [`tiledb_filters::tile::stats_kind`].
    pub stats: TileStats,
    /// Number of cells.
    pub cells: u64,
    /// The bounds of the coordinates of a sparse fragment's dimension.
    pub bounds: Option<CoordinateBounds>,
}

/// The bounds of the coordinates of a tile of a sparse fragment in one dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateBounds {
    /// The range around them.
    pub range: CellRange,
    /// Those of the first and of the last cell in global order, if the format stores them.
    pub ends: Option<[Box<[u8]>; 2]>,
}

impl FilteredTile {
    /// Size on disk in bytes.
    pub fn size(&self) -> u64 {
        let var = self.var.as_ref().map_or(0, |(values, _)| values.len());
        (self.data.len() + var + self.validity.as_ref().map_or(0, Vec::len)) as u64
    }
}

impl TileBytes for FilteredTile {
    fn var_size(&self) -> Option<u64> {
        self.var.as_ref().map(|var| var.1)
    }

    fn has_validity(&self) -> bool {
        self.validity.is_some()
    }

    fn stats(&self) -> &TileStats {
        &self.stats
    }

    fn write(&self, part: FieldPart, to: WritePieces<'_>) -> Result<()> {
        match part {
            FieldPart::Data => to(&[&self.data]),
            FieldPart::Var => self.var.as_ref().map_or(Ok(()), |var| to(&[&var.0])),
            FieldPart::Validity => self.validity.as_deref().map_or(Ok(()), |validity| to(&[validity])),
        }
    }
}
