//! Rows of selected cells: which of the selected cells of a tile is a given one.

use tiledb_core::budget::MemoryUsage;

/// Maps the selected cells of a tile to their indexes among these, in constant time.
pub struct RowIndex(Vec<Block>);

/// 64 cells.
#[derive(Clone, Copy, Default)]
struct Block {
    /// A bit for each cell: 1 if it is selected.
    selected: u64,
    /// Number of selected cells before the block.
    before: u32,
}

impl RowIndex {
    /// The index of `selected` cells, which ascend.
    pub fn new(selected: &[u32]) -> RowIndex {
        let count = selected.last().map_or(0, |last| *last as usize / 64 + 1);
        let mut blocks = vec![Block::default(); count];
        for &cell in selected {
            blocks[cell as usize / 64].selected |= 1 << (cell % 64);
        }
        let mut before = 0;
        for block in &mut blocks {
            block.before = before;
            before += block.selected.count_ones();
        }
        RowIndex(blocks)
    }

    /// The maximum memory of the index of a tile with these many cells.
    pub fn most_memory(cells: u64) -> u64 {
        cells.div_ceil(64).saturating_mul(size_of::<Block>() as u64)
    }

    /// The index of a selected cell.
    #[inline]
    pub fn row(&self, cell: usize) -> usize {
        let Some(block) = self.0.get(cell / 64) else { return usize::MAX };
        let below = block.selected & ((1 << (cell % 64)) - 1);
        block.before as usize + below.count_ones() as usize
    }
}

impl MemoryUsage for RowIndex {
    fn memory_usage(&self) -> u64 {
        self.0.memory_usage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_selected_cell_has_its_row(cells in prop::collection::btree_set(0u32..1000, 0..300)) {
            let cells: Vec<u32> = cells.into_iter().collect();
            let index = RowIndex::new(&cells);
            for (row, cell) in cells.iter().enumerate() {
                prop_assert_eq!(index.row(*cell as usize), row);
            }
            prop_assert!(index.memory_usage() <= RowIndex::most_memory(cells.last().map_or(0, |last| u64::from(*last) + 1)));
        }
    }
}
