//! Cells that a sparse read has at hand.

use std::sync::Arc;

use super::given::GivenOrder;
use super::repeat::Repeats;
use super::slab::Slab;
use super::tile::{Tile, Wanted};
use crate::budget::{Budget, Kind, Leased};
use crate::error::Result;
use crate::memory;
use crate::query::read::position::FirstCell;

/// Tiles in memory and what of them is still to be delivered, in order.
pub struct Batch {
    pub tiles: Vec<Arc<Tile>>,
    slabs: Leased<Vec<Slab>>,
    /// The first slab that is not delivered; its delivered part is cut off.
    next: usize,
    /// It has all cells of a read, and these come from one fragment, also those that do not meet the conditions.
    of_one_fragment: bool,
}

impl Batch {
    /// Tiles whose cells are delivered in the order of the slabs; true if they are all and come from one fragment.
    pub fn new(tiles: Vec<Arc<Tile>>, slabs: Leased<Vec<Slab>>, of_one_fragment: bool) -> Batch {
        Batch { tiles, slabs, next: 0, of_one_fragment }
    }

    /// Tiles one behind the other.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub fn of_tiles(tiles: Vec<Tile>, budget: &Budget) -> Result<Batch> {
        let mut slabs = budget.lease(Kind::Results, 0, || Ok(Vec::new()))?;
        for (number, tile) in (0..).zip(&tiles) {
            match tile.wanted() {
                Wanted::All => slabs.push("slabs", Slab { tile: number, first: 0, len: tile.cells as u32 })?,
                Wanted::Some(list) => {
                    for run in list.chunk_by(|a, b| a + 1 == *b) {
                        slabs.push("slabs", Slab { tile: number, first: run[0], len: run.len() as u32 })?;
                    }
                }
            }
        }
        Ok(Batch::new(tiles.into_iter().map(Arc::new).collect(), slabs, false))
    }

    /// The tiles, and their cells in order.
    pub fn parts(&self) -> (&[Arc<Tile>], &[Slab]) {
        (&self.tiles, &self.slabs)
    }

    /// Has cells of a single fragment delivered range by range; false if there are others.
    ///
    /// # Errors
    /// If there is no memory for so many.
    pub fn order(&mut self, given: &GivenOrder, budget: &Budget) -> Result<bool> {
        if self.of_one_fragment {
            self.slabs = given.apply(&self.tiles, &self.slabs, budget)?;
        }
        Ok(self.of_one_fragment)
    }

    /// Has every cell delivered as often as it lies in the ranges.
    pub fn repeat(&mut self, repeats: &Repeats, budget: &Budget) -> Result<()> {
        self.slabs = repeats.apply(&self.tiles, &self.slabs, budget)?;
        Ok(())
    }

    /// True once all cells were delivered.
    pub fn is_done(&self) -> bool {
        self.next == self.slabs.len()
    }

    /// The first cell of a stream that is not delivered.
    pub fn first_of(&self, stream: usize) -> Option<FirstCell> {
        let mut left = self.slabs[self.next..].iter().map(|slab| (&self.tiles[slab.tile as usize], slab.first));
        let (tile, first) = left.find(|(tile, _)| tile.stream == stream)?;
        Some(FirstCell { tile: tile.tile, cell: u64::from(first) })
    }

    /// The next cell, as its tile and its number in it.
    pub fn next_cell(&self) -> Option<(&Tile, usize)> {
        self.slabs.get(self.next).map(|slab| (&*self.tiles[slab.tile as usize], slab.first as usize))
    }

    /// True if a copy of the next cell was delivered already.
    pub fn is_within_copies(&self) -> bool {
        let before = self.next.checked_sub(1).map(|last| &self.slabs[last]);
        let next = self.slabs.get(self.next);
        before
            .zip(next)
            .is_some_and(|(before, next)| before.tile == next.tile && next.first < before.first + before.len)
    }

    /// Cells that are not delivered.
    pub fn waiting(&self) -> usize {
        self.slabs[self.next..].iter().map(|slab| slab.len as usize).sum()
    }

    /// How many of these come before all that are `behind` something, as a tile and the number of a cell tell; cells are
    /// in order.
    pub fn waiting_before(&self, behind: impl Fn(&Tile, usize) -> bool) -> usize {
        let slabs = &self.slabs[self.next..];
        let is_before = |slab: &Slab, cell: u32| !behind(&self.tiles[slab.tile as usize], (slab.first + cell) as usize);
        let slabs = &slabs[..slabs.partition_point(|slab| is_before(slab, 0))];
        let Some((last, whole)) = slabs.split_last() else { return 0 };
        let (mut low, mut high) = (1, last.len);
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if is_before(last, middle) { (middle + 1, high) } else { (low, middle) };
        }
        whole.iter().map(|slab| slab.len as usize).sum::<usize>() + low as usize
    }

    /// The next slabs of at most `limit` cells.
    pub fn pieces(&self, limit: usize) -> Result<Vec<Slab>> {
        self.first_pieces(limit, usize::MAX)
    }

    /// The next slabs, at most `count`, of at most `limit` cells.
    pub fn first_pieces(&self, limit: usize, count: usize) -> Result<Vec<Slab>> {
        let mut pieces = Vec::new();
        let mut left = limit;
        for slab in self.slabs[self.next..].iter().take(count) {
            if left == 0 {
                break;
            }
            let len = left.min(slab.len as usize);
            memory::push("slabs", &mut pieces, Slab { len: len as u32, ..*slab })?;
            left -= len;
        }
        Ok(pieces)
    }

    /// Leaves the first cells behind.
    pub fn advance(&mut self, cells: usize) {
        let mut left = cells;
        while let Some(slab) = self.slabs.slice_mut().get_mut(self.next) {
            if left < slab.len as usize {
                slab.first += left as u32;
                slab.len -= left as u32;
                break;
            }
            left -= slab.len as usize;
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slab(tile: u32, first: u32, len: u32) -> Slab {
        Slab { tile, first, len }
    }

    #[test]
    fn a_batch_is_delivered_piece_by_piece() {
        let slabs = Budget::new(1000).lease(Kind::Results, 1000, || Ok(vec![slab(0, 5, 3), slab(1, 0, 2)])).unwrap();
        let mut batch = Batch::new(Vec::new(), slabs, false);
        assert_eq!(batch.pieces(4).unwrap(), [slab(0, 5, 3), slab(1, 0, 1)]);
        batch.advance(2);
        assert_eq!(batch.pieces(9).unwrap(), [slab(0, 7, 1), slab(1, 0, 2)]);
        batch.advance(1);
        assert_eq!(batch.pieces(1).unwrap(), [slab(1, 0, 1)]);
        batch.advance(2);
        assert!(batch.pieces(1).unwrap().is_empty() && batch.next == 2);
    }
}
