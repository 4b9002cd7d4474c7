//! Ranges in the order in which they were added: of an array with one dimension libtiledb delivers the cells of a
//! single fragment range by range, also in row- or column-major order. Those of several fragments it sorts.

use std::cmp::Ordering;
use std::sync::Arc;

use super::cell_run::CellRun;
use super::loaded_tile::LoadedTile;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::budget::{Budget, Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::types::{CellRange, Datatype};

/// The ranges of the only dimension.
pub struct RangeOrder {
    datatype: Datatype,
    ranges: Vec<CellRange>,
}

impl RangeOrder {
    /// `None` where cells have the same order anyway.
    pub fn new(subarray: &Subarray) -> Option<RangeOrder> {
        let ([dimension], [set]) = (subarray.schema().domain().dimensions(), subarray.sets()) else { return None };
        let datatype = dimension.datatype();
        let follows = |pair: &[CellRange]| CellRange::compare(datatype, pair[0].high(), pair[1].low()).is_lt();
        let ranges = set.ranges();
        (!ranges.windows(2).all(follows)).then(|| RangeOrder { datatype, ranges: ranges.to_vec() })
    }

    /// The cells of each range, one range after the other. The cells of the runs ascend, with coordinates in memory.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn apply(
        &self,
        tiles: &[Arc<LoadedTile>],
        cell_runs: &[CellRun],
        budget: &Budget,
    ) -> Result<Lease<Vec<CellRun>>> {
        let order = |cell_run: &CellRun, cell: u32, end: &[u8]| {
            let value = tiles[cell_run.tile as usize].coordinate(0, cell as usize, self.datatype.size());
            value.map_or(Ordering::Equal, |value| CellRange::compare(self.datatype, value, end))
        };
        let mut by_range = budget.lease(MemoryKind::Results, 0, || Ok(Vec::new()))?;
        for range in &self.ranges {
            let is_before = |cell_run: &CellRun, cell: u32| order(cell_run, cell, range.low()).is_lt();
            let is_after = |cell_run: &CellRun, cell: u32| order(cell_run, cell, range.high()).is_gt();
            let first = cell_runs.partition_point(|cell_run| is_before(cell_run, cell_run.first + cell_run.len - 1));
            let mut rest =
                cell_runs[first..].iter().take_while(|cell_run| !is_after(cell_run, cell_run.first)).peekable();
            while let Some(cell_run) = rest.next() {
                let start = place(cell_run, |cell| is_before(cell_run, cell));
                // Only the last reaches beyond the range.
                let end = if rest.peek().is_some() {
                    cell_run.len
                } else {
                    place(cell_run, |cell| !is_after(cell_run, cell))
                };
                if start < end {
                    by_range.push("slabs", CellRun { first: cell_run.first + start, len: end - start, ..*cell_run })?;
                }
            }
        }
        Ok(by_range)
    }
}

/// For how many of the first cells of a run a predicate holds.
fn place(cell_run: &CellRun, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, cell_run.len);
    while low < high {
        let middle = low + (high - low) / 2;
        (low, high) = if holds(cell_run.first + middle) { (middle + 1, high) } else { (low, middle) };
    }
    low
}
