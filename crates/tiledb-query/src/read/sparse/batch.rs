//! Batches: decoded cells of a sparse read that are ready to be delivered.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::cell_run::{CellRun, cells_of};
use super::loaded_tile::{LoadedTile, SelectedCells};
use super::range_order::RangeOrder;
use super::range_repeats::RangeRepeats;
use super::records::SortedCoordinates;
use super::staged_results::StagedResults;
use crate::read::position::FirstCell;
use tiledb_core::budget::{Budget, Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_storage::resources::Resources;

/// Tiles in memory and their cells that are still to be delivered, in order. A copy shares the memory.
#[derive(Clone)]
pub struct TileBatch {
    pub tiles: Vec<Arc<LoadedTile>>,
    cell_runs: Arc<Lease<Vec<CellRun>>>,
    /// The first run that is not delivered, and how many of its cells are.
    next: usize,
    skip: u32,
    /// It has all cells of a read, and these come from one fragment, including those that do not match the conditions.
    of_one_fragment: bool,
    /// The coordinates of the cells, where these do not have to be looked for in the tiles.
    sorted: Option<CoordinateCursor>,
    /// Results of the next cells.
    pub staged: Option<Arc<StagedResults>>,
}

/// Where the delivery of a batch continues: the next run of cells, the cells of it that were delivered, and those of sorted coordinates.
#[derive(Clone, Copy)]
pub struct BatchPosition {
    next: usize,
    skip: u32,
    sorted: usize,
}

/// Coordinates in the order of the cells of a batch.
#[derive(Clone)]
pub struct CoordinateCursor {
    pub coordinates: Arc<dyn SortedCoordinates>,
    /// The number of their window.
    pub window: u64,
    /// Where those of the next cell are that is not delivered.
    pub next: usize,
}

impl TileBatch {
    /// Tiles whose cells are delivered in the order of the runs; the flag says whether they are all and come from one
    /// fragment.
    pub fn new(tiles: Vec<Arc<LoadedTile>>, cell_runs: Lease<Vec<CellRun>>, of_one_fragment: bool) -> TileBatch {
        TileBatch {
            tiles,
            cell_runs: Arc::new(cell_runs),
            next: 0,
            skip: 0,
            of_one_fragment,
            sorted: None,
            staged: None,
        }
    }

    /// The same, with the coordinates of the cells in order, of which tiles have none.
    pub fn with_coordinates(
        tiles: Vec<Arc<LoadedTile>>,
        cell_runs: Lease<Vec<CellRun>>,
        sorted: CoordinateCursor,
    ) -> TileBatch {
        TileBatch { sorted: Some(sorted), ..TileBatch::new(tiles, cell_runs, false) }
    }

    /// The coordinates of the cells in order, if they are available separately from the tiles.
    pub fn sorted(&self) -> Option<&CoordinateCursor> {
        self.sorted.as_ref()
    }

    /// Consecutive tiles.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub fn of_tiles(tiles: Vec<LoadedTile>, budget: &Budget) -> Result<TileBatch> {
        let mut cell_runs = budget.lease(MemoryKind::Results, 0, || Ok(Vec::new()))?;
        for (number, tile) in (0..).zip(&tiles) {
            match tile.selected() {
                SelectedCells::All => {
                    cell_runs.push("slabs", CellRun { tile: number, first: 0, len: tile.cells as u32 })?
                }
                SelectedCells::Some(list) => {
                    for run in list.chunk_by(|a, b| a + 1 == *b) {
                        cell_runs.push("slabs", CellRun { tile: number, first: run[0], len: run.len() as u32 })?;
                    }
                }
            }
        }
        Ok(TileBatch::new(tiles.into_iter().map(Arc::new).collect(), cell_runs, false))
    }

    /// The tiles, and their cells in order.
    pub fn parts(&self) -> (&[Arc<LoadedTile>], &[CellRun]) {
        (&self.tiles, &self.cell_runs)
    }

    /// Has cells of a single fragment delivered range by range; false if there are others.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn order(&mut self, range_order: &RangeOrder, budget: &Budget) -> Result<bool> {
        if self.of_one_fragment {
            self.cell_runs = Arc::new(range_order.apply(&self.tiles, &self.cell_runs, budget)?);
        }
        Ok(self.of_one_fragment)
    }

    /// Repeats every cell by the number of ranges that contain it.
    pub fn repeat(&mut self, repeats: &RangeRepeats, budget: &Budget) -> Result<()> {
        self.cell_runs = Arc::new(repeats.apply(&self.tiles, &self.cell_runs, budget)?);
        Ok(())
    }

    /// True once all cells were delivered.
    pub fn is_done(&self) -> bool {
        self.next == self.cell_runs.len()
    }

    /// Where its next cell is.
    pub fn position(&self) -> BatchPosition {
        BatchPosition { next: self.next, skip: self.skip, sorted: self.sorted.as_ref().map_or(0, |sorted| sorted.next) }
    }

    /// Goes back to a position that it had.
    pub fn return_to(&mut self, position: BatchPosition) {
        (self.next, self.skip) = (position.next, position.skip);
        if let Some(sorted) = &mut self.sorted {
            sorted.next = position.sorted;
        }
    }

    /// The runs that remain.
    fn left(&self) -> impl Iterator<Item = CellRun> {
        let cut = |(at, cell_run): (usize, &CellRun)| if at == 0 { cell_run.without(self.skip) } else { *cell_run };
        self.cell_runs[self.next..].iter().enumerate().map(cut)
    }

    /// The first cell of each cursor that is not delivered.
    pub fn first_cells(&self) -> HashMap<usize, FirstCell> {
        let mut first = HashMap::new();
        for cell_run in self.left() {
            let tile = &self.tiles[cell_run.tile as usize];
            first.entry(tile.cursor).or_insert(FirstCell { tile: tile.tile, cell: u64::from(cell_run.first) });
        }
        first
    }

    /// The next cell, as its tile and its number in it.
    pub fn next_cell(&self) -> Option<(&LoadedTile, usize)> {
        self.left().next().map(|cell_run| (&*self.tiles[cell_run.tile as usize], cell_run.first as usize))
    }

    /// True if a copy of the next cell was delivered already.
    pub fn is_within_copies(&self) -> bool {
        let before = self.next.checked_sub(1).map(|last| &self.cell_runs[last]);
        before
            .zip(self.left().next())
            .is_some_and(|(before, next)| before.tile == next.tile && next.first < before.first + before.len)
    }

    /// Cells that are not delivered.
    pub fn waiting(&self) -> usize {
        self.left().map(|cell_run| cell_run.len as usize).sum()
    }

    /// How many of these precede all cells for which `follows` returns true, given a tile and the number of a cell;
    /// cells are in order.
    pub fn waiting_before(&self, follows: impl Fn(&LoadedTile, usize) -> bool) -> usize {
        let cell_runs = &self.cell_runs[self.next..];
        let is_before = |cell_run: &CellRun, cell: u32| {
            !follows(&self.tiles[cell_run.tile as usize], (cell_run.first + cell) as usize)
        };
        let cell_runs = &cell_runs[..cell_runs.partition_point(|cell_run| is_before(cell_run, 0))];
        let Some((last, whole)) = cell_runs.split_last() else { return 0 };
        let (mut low, mut high) = (1, last.len);
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if is_before(last, middle) { (middle + 1, high) } else { (low, middle) };
        }
        let before = whole.iter().map(|cell_run| cell_run.len as usize).sum::<usize>() + low as usize;
        before.saturating_sub(self.skip as usize)
    }

    /// The runs, which live on while cells are skipped.
    pub fn cell_runs(&self) -> Arc<Lease<Vec<CellRun>>> {
        self.cell_runs.clone()
    }

    /// The next of [`TileBatch::cell_runs`], at most `count` with at most `limit` cells in all.
    ///
    /// # Errors
    /// If there is no memory for a copy, which is needed where runs are split; on cancellation.
    pub fn pieces<'s>(
        &self,
        cell_runs: &'s [CellRun],
        limit: usize,
        count: usize,
        resources: &Resources,
    ) -> Result<Cow<'s, [CellRun]>> {
        let cell_runs = cell_runs.get(self.next..).unwrap_or_default();
        // No run is empty.
        let most = if limit == 0 { 0 } else { count.min(limit.saturating_add(1)) };
        let cell_runs = &cell_runs[..most.min(cell_runs.len())];
        if self.skip == 0 && cells_of(cell_runs, resources)? <= limit {
            return Ok(Cow::Borrowed(cell_runs));
        }
        let mut left = limit.saturating_add(self.skip as usize);
        let is_too_much = |cell_run: &CellRun| match left.checked_sub(cell_run.len as usize) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        };
        let whole = cell_runs.iter().position(is_too_much).unwrap_or(cell_runs.len());
        let mut pieces = memory::with_capacity("slabs", whole + 1)?;
        pieces.extend_from_slice(&cell_runs[..whole]);
        if let Some(last) = cell_runs.get(whole).filter(|_| left > 0) {
            pieces.push(CellRun { len: left as u32, ..*last });
        }
        if let Some(first) = pieces.first_mut() {
            *first = first.without(self.skip);
        }
        Ok(Cow::Owned(pieces))
    }

    /// Skips the first cells.
    pub fn advance(&mut self, cells: usize) {
        let mut left = cells.saturating_add(self.skip as usize);
        if let Some(sorted) = &mut self.sorted {
            sorted.next += cells;
        }
        while let Some(cell_run) = self.cell_runs.get(self.next) {
            if left < cell_run.len as usize {
                break;
            }
            left -= cell_run.len as usize;
            self.next += 1;
        }
        self.skip = if self.is_done() { 0 } else { left as u32 };
    }

    /// Skips the next `count` runs, but only `of_last` cells of the last one.
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
    use tiledb_core::config::Config;

    fn cell_run(tile: u32, first: u32, len: u32) -> CellRun {
        CellRun { tile, first, len }
    }

    #[test]
    fn a_batch_is_delivered_piece_by_piece() {
        let cell_runs = Budget::new(1000)
            .lease(MemoryKind::Results, 1000, || Ok(vec![cell_run(0, 5, 3), cell_run(1, 0, 2)]))
            .unwrap();
        let mut batch = TileBatch::new(Vec::new(), cell_runs, false);
        let all = batch.cell_runs();
        let resources = Resources::new(Config::new()).unwrap();
        let pieces =
            |batch: &TileBatch, limit, count| batch.pieces(&all, limit, count, &resources).unwrap().into_owned();
        assert_eq!(pieces(&batch, 4, 9), [cell_run(0, 5, 3), cell_run(1, 0, 1)]);
        assert_eq!(pieces(&batch, 9, 1), [cell_run(0, 5, 3)]);
        batch.advance(1);
        assert_eq!(pieces(&batch, 1, 9), [cell_run(0, 6, 1)]);
        assert_eq!(batch.waiting(), 4);
        batch.leave(1, 1);
        assert_eq!(pieces(&batch, 9, 9), [cell_run(0, 7, 1), cell_run(1, 0, 2)]);
        batch.leave(2, 1);
        assert_eq!(pieces(&batch, 1, 9), [cell_run(1, 1, 1)]);
        batch.advance(1);
        assert!(pieces(&batch, 1, 9).is_empty() && batch.is_done() && batch.waiting() == 0);
    }
}
