//! Records of cells, for sorting with little memory: a record contains the sort key and the coordinates, so that
//! nothing else of a tile has to stay decoded.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::loaded_tile::LoadedTile;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::keys::words::Keys;
use tiledb_core::budget::{Lease, MemoryUsage};
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::DROPPED_PART;
use tiledb_core::types::Datatype;

/// Some cells of a decoded tile, with their keys.
pub(super) struct KeyedCells<'t> {
    pub tile: &'t LoadedTile,
    /// Its index among the tiles of all cursors.
    pub number: usize,
    /// The coordinates of all its cells.
    pub coords: &'t [Coords<'t>],
    /// The cells that have keys.
    pub cells: Range<usize>,
    pub keys: &'t Keys,
    /// The selected ones, by their indexes among all that are.
    pub places: Range<usize>,
}

/// Bytes for each candidate cell of a record: its first comparison word, and its index if it is selected.
pub(super) const SELECTION: usize = size_of::<u64>() + size_of::<u32>();

/// A point of the domain: a coordinate of some dimensions, the slowest first.
pub(super) type Point = [(usize, Datatype, Vec<u8>)];

/// Records of some cells. Their `code` is how [`CodeLayout`](super::packed_cell::CodeLayout) packs tile and cell; it breaks ties.
pub(super) trait Records: MemoryUsage + Send + Sync + Sized + 'static {
    /// Shared by all records of a read; includes the bounding boxes of tiles.
    type Layout: Send + Sync;
    /// A bound: a record precedes it or not.
    type Bound: Send + Sync;

    /// Whether records are built from sort keys instead of coordinates alone.
    fn has_keys(layout: &Self::Layout) -> bool;

    /// Bytes of a record, about.
    fn size(layout: &Self::Layout) -> u64;

    /// An empty list with capacity for `count` records.
    fn with_layout(layout: &Self::Layout, count: usize) -> Result<Self>;

    /// Bytes that [`Records::grow`] takes.
    fn more(&self) -> u64;

    /// Doubles the capacity.
    fn grow(&mut self) -> Result<()>;

    /// Releases unused capacity.
    fn shrink(&mut self);

    /// How many there are.
    fn count(&self) -> usize;

    /// Unused capacity, in records.
    fn remaining_capacity(&self) -> usize;

    /// The code of a record.
    fn code(&self, layout: &Self::Layout, at: usize) -> u64;

    /// True if two cells have the same coordinates, which follow one another in order.
    fn is_same_place(&self, layout: &Self::Layout, a: usize, b: usize) -> bool;

    /// Overwrites a record by another one.
    fn assign(&mut self, to: usize, from: usize);

    /// Drops all but the first.
    fn truncate(&mut self, count: usize);

    /// Releases data that no record refers to; the order of records changes.
    fn compact(&mut self, layout: &Self::Layout);

    /// Puts them in order.
    fn sort(&mut self, layout: &Self::Layout);

    /// Moves the record that belongs at `at` in order to that position, lower ones before it.
    fn select_nth(&mut self, layout: &Self::Layout, at: usize);

    /// Moves those that precede a bound to the front, and counts them.
    fn partition(&mut self, layout: &Self::Layout, bound: &Self::Bound) -> usize;

    /// Appends those of `other` from `start` on that precede a bound, as many as there is capacity for; returns where
    /// it ended.
    fn append_before(&mut self, layout: &Self::Layout, other: &Self, start: usize, to: Option<&Self::Bound>) -> usize;

    /// The bound of which a record is the first not to precede it, or, with `group_equal`, the first cell with its
    /// coordinates.
    fn bound(&self, layout: &Self::Layout, at: usize, group_equal: bool) -> Result<Self::Bound>;

    /// A bound after all cells with the coordinates of a record, and before others; `None` if there are no others.
    fn bound_after(&self, layout: &Self::Layout, at: usize) -> Result<Option<Self::Bound>>;

    /// True if one bound is above another one.
    fn is_above(layout: &Self::Layout, bound: &Self::Bound, other: &Self::Bound) -> bool;

    /// True if the box of a tile begins before a bound.
    fn begins_before(layout: &Self::Layout, tile: usize, bound: &Self::Bound) -> bool;

    /// True if the box of a tile does not end before a bound.
    fn ends_after(layout: &Self::Layout, tile: usize, bound: &Self::Bound) -> bool;

    /// Records of the selected cells between two bounds.
    ///
    /// # Errors
    /// If memory does not suffice.
    fn select(
        layout: &Self::Layout,
        cells: &KeyedCells<'_>,
        within: (Option<&Self::Bound>, Option<&Self::Bound>),
        access: DecodeContext<'_>,
    ) -> Result<Lease<Self>>;

    /// Records of those of these cells that do not precede a bound.
    ///
    /// # Errors
    /// If memory does not suffice.
    fn sample(
        layout: &Self::Layout,
        cells: &KeyedCells<'_>,
        which: impl ExactSizeIterator<Item = usize> + Clone,
        from: Option<&Self::Bound>,
    ) -> Result<Self>;

    /// Copies the coordinates of some records along a dimension, one after another.
    fn copy(&self, layout: &Self::Layout, cells: Range<usize>, dimension: usize, out: &mut [u8]);

    /// The lengths in bytes of strings along a dimension.
    fn lengths(&self, layout: &Self::Layout, cells: Range<usize>, dimension: usize, out: &mut [u64]);

    /// Compares a record with a point.
    fn compare(&self, layout: &Self::Layout, at: usize, point: &Point) -> Ordering;
}

pub(super) struct SortedCells<R: Records> {
    pub records: Lease<R>,
    pub layout: Arc<R::Layout>,
}

/// The coordinates of sorted cells.
pub trait SortedCoordinates: Send + Sync {
    /// Copies those of some of the cells along a dimension, one after another.
    fn copy(&self, cells: Range<usize>, dimension: usize, out: &mut [u8]);

    /// The lengths in bytes of strings along a dimension.
    fn lengths(&self, cells: Range<usize>, dimension: usize, out: &mut [u64]);

    /// How many of some of the cells do not follow a corner.
    fn count_up_to(&self, cells: Range<usize>, corner: &Point) -> usize;
}

impl<R: Records> SortedCoordinates for SortedCells<R> {
    fn copy(&self, cells: Range<usize>, dimension: usize, out: &mut [u8]) {
        self.records.copy(&self.layout, cells, dimension, out);
    }

    fn lengths(&self, cells: Range<usize>, dimension: usize, out: &mut [u64]) {
        self.records.lengths(&self.layout, cells, dimension, out);
    }

    fn count_up_to(&self, cells: Range<usize>, corner: &Point) -> usize {
        let (mut low, mut high) = (cells.start, cells.end);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.records.compare(&self.layout, middle, corner) {
                Ordering::Greater => high = middle,
                _ => low = middle + 1,
            }
        }
        low - cells.start
    }
}

/// The lowest of many records, as many as memory holds.
pub(super) struct LowestRecords<R: Records> {
    records: Lease<R>,
    layout: Arc<R::Layout>,
    /// Cells with the same coordinates stay together.
    group_equal: bool,
    /// The upper bound: all lower records are retained. Without a bound, all records are.
    pub to: Option<Arc<R::Bound>>,
}

impl<R: Records> LowestRecords<R> {
    /// None of those below a bound, in the memory of `records`.
    pub(super) fn new(
        records: Lease<R>,
        layout: Arc<R::Layout>,
        group_equal: bool,
        to: Option<Arc<R::Bound>>,
    ) -> LowestRecords<R> {
        LowestRecords { records, layout, group_equal, to }
    }

    /// Adds records, and lowers the upper bound when there are more than memory holds.
    ///
    /// # Errors
    /// If these are cells with equal coordinates, which stay together, and the budget does not suffice.
    pub(super) fn add(&mut self, more: &R) -> Result<()> {
        let mut start = 0;
        while start < more.count() {
            let layout = &self.layout;
            let to = self.to.as_deref();
            let end = self.records.grow(0, |records| Ok(records.append_before(layout, more, start, to)))?;
            if end == start && !self.cut()? {
                let bytes = self.records.more();
                self.records.grow(bytes, R::grow)?;
            }
            start = end;
        }
        Ok(())
    }

    /// Drops the highest, and lowers the upper bound to the lowest of these; false if there are none to be dropped.
    fn cut(&mut self) -> Result<bool> {
        let layout = &self.layout;
        let group_equal = self.group_equal;
        let to = &mut self.to;
        self.records.grow(0, |records| {
            let most = records.count();
            let retained = most - most.div_ceil(DROPPED_PART.count());
            if retained == 0 {
                return Ok(false);
            }
            records.select_nth(layout, retained);
            let bound = records.bound(layout, retained, group_equal)?;
            if !group_equal {
                *to = Some(Arc::new(bound));
                records.truncate(retained);
                records.compact(layout);
                return Ok(true);
            }
            let behind = records.bound_after(layout, retained)?;
            for bound in [Some(bound), behind].into_iter().flatten() {
                let below = records.partition(layout, &bound);
                if below > 0 {
                    *to = Some(Arc::new(bound));
                    records.truncate(below);
                    records.compact(layout);
                    return Ok(below < most);
                }
            }
            Ok(false)
        })
    }

    /// The records in order, after a `change`.
    ///
    /// # Errors
    /// If the change takes more memory.
    pub(super) fn sorted(mut self, change: impl FnOnce(&mut R)) -> Result<Lease<R>> {
        let layout = &self.layout;
        self.records.grow(0, |records| {
            records.sort(layout);
            change(records);
            if records.count() < records.remaining_capacity() / 2 {
                records.shrink();
            }
            Ok(())
        })?;
        Ok(self.records.fit())
    }
}
