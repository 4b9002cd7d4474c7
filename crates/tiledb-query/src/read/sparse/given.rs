//! Ranges in the order in which they were given: of an array with one dimension libtiledb delivers the cells of a single
//! fragment range by range, also in row- or column-major order. Those of several fragments it sorts.

use std::cmp::Ordering;
use std::sync::Arc;

use super::slab::Slab;
use super::tile::Tile;
use crate::space::subarray::Subarray;
use tiledb_core::budget::{Budget, Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::types::{CellRange, Datatype};

/// The ranges of the only dimension.
pub struct GivenOrder {
    datatype: Datatype,
    ranges: Vec<CellRange>,
}

impl GivenOrder {
    /// `None` where cells have the same order anyway.
    pub fn new(subarray: &Subarray) -> Option<GivenOrder> {
        let ([dimension], [set]) = (subarray.schema().domain().dimensions(), subarray.sets()) else { return None };
        let datatype = dimension.datatype();
        let follows = |pair: &[CellRange]| CellRange::compare(datatype, pair[0].high(), pair[1].low()).is_lt();
        let ranges = set.ranges();
        (!ranges.windows(2).all(follows)).then(|| GivenOrder { datatype, ranges: ranges.to_vec() })
    }

    /// The cells of each range, one range behind the other. The cells of the slabs ascend, with coordinates in memory.
    ///
    /// # Errors
    /// If there is no memory for so many.
    pub fn apply(&self, tiles: &[Arc<Tile>], slabs: &[Slab], budget: &Budget) -> Result<Lease<Vec<Slab>>> {
        let order = |slab: &Slab, cell: u32, end: &[u8]| {
            let value = tiles[slab.tile as usize].coordinate(0, cell as usize, self.datatype.size());
            value.map_or(Ordering::Equal, |value| CellRange::compare(self.datatype, value, end))
        };
        let mut given = budget.lease(MemoryKind::Results, 0, || Ok(Vec::new()))?;
        for range in &self.ranges {
            let is_before = |slab: &Slab, cell: u32| order(slab, cell, range.low()).is_lt();
            let is_behind = |slab: &Slab, cell: u32| order(slab, cell, range.high()).is_gt();
            let first = slabs.partition_point(|slab| is_before(slab, slab.first + slab.len - 1));
            let mut rest = slabs[first..].iter().take_while(|slab| !is_behind(slab, slab.first)).peekable();
            while let Some(slab) = rest.next() {
                let start = place(slab, |cell| is_before(slab, cell));
                // Only the last reaches beyond the range.
                let end = if rest.peek().is_some() { slab.len } else { place(slab, |cell| !is_behind(slab, cell)) };
                if start < end {
                    given.push("slabs", Slab { first: slab.first + start, len: end - start, ..*slab })?;
                }
            }
        }
        Ok(given)
    }
}

/// How many of the first cells of a slab something holds of.
fn place(slab: &Slab, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, slab.len);
    while low < high {
        let middle = low + (high - low) / 2;
        (low, high) = if holds(slab.first + middle) { (middle + 1, high) } else { (low, middle) };
    }
    low
}
