//! Positions of reads between two submits, in serializable form, from which libtiledb can resume as well.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::CellRange;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadPosition {
    /// Of a sparse read in global or no order: the first cell that is left of each fragment of the array, in their order.
    Cells(Vec<FirstCell>),
    /// Of any other read.
    Parts(RemainingParts),
}

/// A cell of a fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstCell {
    /// Its tile; the number of tiles if no cell is left.
    pub tile: u64,
    /// Its number in the tile.
    pub cell: u64,
}

/// A part of a subarray: ranges by dimension.
pub type PartRanges = Vec<Vec<CellRange>>;

/// The remainder of a read that is delivered part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemainingParts {
    /// The first box of ranges that is in no part yet, and how many there are. They are counted in the order of the results.
    pub next: u64,
    pub boxes: u64,
    /// Divided parts, the next one first. They precede those boxes.
    pub divided: Vec<PartRanges>,
    /// A part that did not fit and could not be divided; it is the next one.
    pub stuck: Option<PartRanges>,
    /// The part that was delivered last. Where parts follow one another in the order of the results, all up to its end was.
    pub last: Option<PartRanges>,
}

impl ReadPosition {
    /// The first cells that are left.
    ///
    /// # Errors
    /// If the read is delivered in another way.
    pub fn cells(&self) -> Result<&[FirstCell]> {
        match self {
            ReadPosition::Cells(cells) => Ok(cells),
            ReadPosition::Parts(_) => {
                bail!("Cannot go on with the read; it stands between cells, not between parts of ranges")
            }
        }
    }

    /// The parts that are left.
    ///
    /// # Errors
    /// If the read is delivered in another way.
    pub fn parts(&self) -> Result<&RemainingParts> {
        match self {
            ReadPosition::Parts(parts) => Ok(parts),
            ReadPosition::Cells(_) => {
                bail!("Cannot go on with the read; it stands between parts of ranges, not between cells")
            }
        }
    }
}
