//! Cells that a sparse read has at hand.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::given::GivenOrder;
use super::records::SortedCoordinates;
use super::repeat::Repeats;
use super::slab::Slab;
use super::staged::Staged;
use super::tile::{Tile, Wanted};
use crate::read::position::FirstCell;
use tiledb_core::budget::{Budget, Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::memory;

/// Tiles in memory and what of them is still to be delivered, in order. A copy shares the memory.
#[derive(Clone)]
pub struct Batch {
    pub tiles: Vec<Arc<Tile>>,
    slabs: Arc<Lease<Vec<Slab>>>,
    /// The first slab that is not delivered, and how many of its cells are.
    next: usize,
    skip: u32,
    /// It has all cells of a read, and these come from one fragment, also those that do not meet the conditions.
    of_one_fragment: bool,
    /// The coordinates of the cells, where these do not have to be looked for in the tiles.
    sorted: Option<Sorted>,
    /// Results of the next cells.
    pub staged: Option<Arc<Staged>>,
}

/// Coordinates in the order of the cells of a batch.
#[derive(Clone)]
pub struct Sorted {
    pub coordinates: Arc<dyn SortedCoordinates>,
    /// Where those of the next cell are that is not delivered.
    pub next: usize,
}

impl Batch {
    /// Tiles whose cells are delivered in the order of the slabs; true if they are all and come from one fragment.
    pub fn new(tiles: Vec<Arc<Tile>>, slabs: Lease<Vec<Slab>>, of_one_fragment: bool) -> Batch {
        Batch { tiles, slabs: Arc::new(slabs), next: 0, skip: 0, of_one_fragment, sorted: None, staged: None }
    }

    /// The same, with the coordinates of the cells in order, of which tiles have none.
    pub fn with_coordinates(tiles: Vec<Arc<Tile>>, slabs: Lease<Vec<Slab>>, sorted: Sorted) -> Batch {
        Batch { sorted: Some(sorted), ..Batch::new(tiles, slabs, false) }
    }

    /// The coordinates of the cells in order, if they are known apart from the tiles.
    pub fn sorted(&self) -> Option<&Sorted> {
        self.sorted.as_ref()
    }

    /// Tiles one behind the other.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub fn of_tiles(tiles: Vec<Tile>, budget: &Budget) -> Result<Batch> {
        let mut slabs = budget.lease(MemoryKind::Results, 0, || Ok(Vec::new()))?;
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
            self.slabs = Arc::new(given.apply(&self.tiles, &self.slabs, budget)?);
        }
        Ok(self.of_one_fragment)
    }

    /// Has every cell delivered as often as it lies in the ranges.
    pub fn repeat(&mut self, repeats: &Repeats, budget: &Budget) -> Result<()> {
        self.slabs = Arc::new(repeats.apply(&self.tiles, &self.slabs, budget)?);
        Ok(())
    }

    /// True once all cells were delivered.
    pub fn is_done(&self) -> bool {
        self.next == self.slabs.len()
    }

    /// The slabs that are left.
    fn left(&self) -> impl Iterator<Item = Slab> {
        let cut = |(at, slab): (usize, &Slab)| if at == 0 { slab.without(self.skip) } else { *slab };
        self.slabs[self.next..].iter().enumerate().map(cut)
    }

    /// The first cell of each stream that is not delivered.
    pub fn first_cells(&self) -> HashMap<usize, FirstCell> {
        let mut first = HashMap::new();
        for slab in self.left() {
            let tile = &self.tiles[slab.tile as usize];
            first.entry(tile.stream).or_insert(FirstCell { tile: tile.tile, cell: u64::from(slab.first) });
        }
        first
    }

    /// The next cell, as its tile and its number in it.
    pub fn next_cell(&self) -> Option<(&Tile, usize)> {
        self.left().next().map(|slab| (&*self.tiles[slab.tile as usize], slab.first as usize))
    }

    /// True if a copy of the next cell was delivered already.
    pub fn is_within_copies(&self) -> bool {
        let before = self.next.checked_sub(1).map(|last| &self.slabs[last]);
        before
            .zip(self.left().next())
            .is_some_and(|(before, next)| before.tile == next.tile && next.first < before.first + before.len)
    }

    /// Cells that are not delivered.
    pub fn waiting(&self) -> usize {
        self.left().map(|slab| slab.len as usize).sum()
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
        let before = whole.iter().map(|slab| slab.len as usize).sum::<usize>() + low as usize;
        before.saturating_sub(self.skip as usize)
    }

    /// The slabs, which stay while cells are left behind.
    pub fn slabs(&self) -> Arc<Lease<Vec<Slab>>> {
        self.slabs.clone()
    }

    /// Of [`Batch::slabs`] those that come next, at most `count` of at most `limit` cells in all.
    ///
    /// # Errors
    /// If there is no memory for a copy, which is needed where slabs are cut.
    pub fn pieces<'s>(&self, slabs: &'s [Slab], limit: usize, count: usize) -> Result<Cow<'s, [Slab]>> {
        let slabs = slabs.get(self.next..).unwrap_or_default();
        let slabs = &slabs[..if limit == 0 { 0 } else { count.min(slabs.len()) }];
        let mut left = limit.saturating_add(self.skip as usize);
        let is_too_much = |slab: &Slab| match left.checked_sub(slab.len as usize) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        };
        let whole = slabs.iter().position(is_too_much);
        if whole.is_none() && self.skip == 0 {
            return Ok(Cow::Borrowed(slabs));
        }
        let whole = whole.unwrap_or(slabs.len());
        let mut pieces = memory::with_capacity("slabs", whole + 1)?;
        pieces.extend_from_slice(&slabs[..whole]);
        if let Some(last) = slabs.get(whole).filter(|_| left > 0) {
            pieces.push(Slab { len: left as u32, ..*last });
        }
        if let Some(first) = pieces.first_mut() {
            *first = first.without(self.skip);
        }
        Ok(Cow::Owned(pieces))
    }

    /// Leaves the first cells behind.
    pub fn advance(&mut self, cells: usize) {
        let mut left = cells.saturating_add(self.skip as usize);
        if let Some(sorted) = &mut self.sorted {
            sorted.next += cells;
        }
        while let Some(slab) = self.slabs.get(self.next) {
            if left < slab.len as usize {
                break;
            }
            left -= slab.len as usize;
            self.next += 1;
        }
        self.skip = if self.is_done() { 0 } else { left as u32 };
    }

    /// Leaves pieces behind, which are so many next slabs with so many cells of the last.
    pub fn leave(&mut self, count: usize, of_last: usize) {
        if let Some(whole) = count.checked_sub(1) {
            (self.next, self.skip) = (self.next + whole, if whole == 0 { self.skip } else { 0 });
            self.advance(of_last);
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
        let slabs =
            Budget::new(1000).lease(MemoryKind::Results, 1000, || Ok(vec![slab(0, 5, 3), slab(1, 0, 2)])).unwrap();
        let mut batch = Batch::new(Vec::new(), slabs, false);
        let all = batch.slabs();
        let pieces = |batch: &Batch, limit, count| batch.pieces(&all, limit, count).unwrap().into_owned();
        assert_eq!(pieces(&batch, 4, 9), [slab(0, 5, 3), slab(1, 0, 1)]);
        assert_eq!(pieces(&batch, 9, 1), [slab(0, 5, 3)]);
        batch.advance(1);
        assert_eq!(pieces(&batch, 1, 9), [slab(0, 6, 1)]);
        assert_eq!(batch.waiting(), 4);
        batch.leave(1, 1);
        assert_eq!(pieces(&batch, 9, 9), [slab(0, 7, 1), slab(1, 0, 2)]);
        batch.leave(2, 1);
        assert_eq!(pieces(&batch, 1, 9), [slab(1, 1, 1)]);
        batch.advance(1);
        assert!(pieces(&batch, 1, 9).is_empty() && batch.is_done() && batch.waiting() == 0);
    }
}
