//! Indexes of selected cells of a tile.

use std::ops::Range;

/// Indexes among the selected cells of a tile, ascending.
#[derive(Clone, Debug)]
pub enum CellIndexes {
    Range(Range<usize>),
    List(Vec<u32>),
}

impl CellIndexes {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            CellIndexes::Range(range) => range.len(),
            CellIndexes::List(list) => list.len(),
        }
    }

    /// The index with a number among them.
    pub fn at(&self, number: usize) -> usize {
        match self {
            CellIndexes::Range(range) => range.start + number,
            CellIndexes::List(list) => list[number] as usize,
        }
    }
}
