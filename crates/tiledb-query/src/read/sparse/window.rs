//! A window of an ordered scan: the cells between two bounds, gathered tile by tile. If memory does not suffice to sort
//! them, the upper bound is lowered to a quantile of the cells so far.

use std::sync::Arc;

use super::cell_indexes::CellIndexes;
use super::keyed_tile::KeyedTile;
use super::merge_round::DuplicatePolicy;
use super::sort_bound::{CellRef, SortBound};
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::words::CellKeys;
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::{QUANTILE_SAMPLES, SAMPLE_STRIDE};
use tiledb_core::memory;
use tiledb_core::pool::{CancelToken, Pools};

/// The cells of a tile in a window.
pub(super) struct WindowSlice {
    /// The tile's position in the order of the lower corners.
    pub rank: usize,
    pub tile: Arc<KeyedTile>,
    pub places: CellIndexes,
    /// Cells of the tile after the window.
    pub left: usize,
    /// First words of the keys of some of them.
    pub samples: Vec<u64>,
}

/// Cells between two bounds.
pub(super) struct SortWindow<'w> {
    plan: &'w KeyPlan,
    /// Cells with equal keys stay together.
    group_equal: bool,
    from: Option<&'w SortBound>,
    pub to: Option<SortBound>,
    pub picked: Vec<WindowSlice>,
}

impl<'w> SortWindow<'w> {
    /// An empty window after a bound.
    pub(super) fn new(
        plan: &'w KeyPlan,
        equal: DuplicatePolicy,
        from: Option<&'w SortBound>,
        to: Option<SortBound>,
    ) -> SortWindow<'w> {
        SortWindow { plan, group_equal: equal != DuplicatePolicy::Any, from, to, picked: Vec::new() }
    }

    /// How many cells were found.
    pub(super) fn cells(&self) -> usize {
        self.picked.iter().map(|picked| picked.places.len()).sum()
    }

    /// True if cells from a corner on may be in the window.
    pub(super) fn reaches(&self, corner: CellRef<'_>) -> bool {
        let word = corner.keyed.keys.first()[corner.row];
        self.to.as_ref().is_none_or(|to| to.view(self.plan).is_after(word, || corner))
    }

    /// Selects the cells of a tile in the window.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn pick(&self, rank: usize, tile: Arc<KeyedTile>, samples: bool) -> Result<WindowSlice> {
        let count = tile.tile.selected_count();
        if self.from.is_none() && self.to.is_none() {
            return Ok(WindowSlice { rank, tile, places: CellIndexes::Range(0..count), left: 0, samples: Vec::new() });
        }
        let (from, to) =
            (self.from.map(|edge| edge.view(self.plan)), self.to.as_ref().map(|edge| edge.view(self.plan)));
        let mut places = Vec::new();
        let mut left = 0;
        let mut sampled = Vec::new();
        {
            let coords = tile.coords();
            let first = tile.keys.first();
            let keyed = CellKeys { keys: &tile.keys, coords: &coords };
            // Cells that are not close to the bounds are decided by the first word.
            let low = from.as_ref().map_or(0, |from| from.word);
            let high = to.as_ref().map_or(u64::MAX, |to| to.word);
            for place in 0..count {
                let row = tile.row(place);
                let word = first[row];
                if word <= low || word >= high {
                    let cell =
                        || CellRef { keyed, row, origin: tile.tile.origin(), cell: tile.tile.selected_at(place) };
                    if from.as_ref().is_some_and(|from| from.is_after(word, cell)) {
                        continue;
                    }
                    if to.as_ref().is_some_and(|to| !to.is_after(word, cell)) {
                        if samples && left % SAMPLE_STRIDE.count() == 0 {
                            memory::push("sort keys", &mut sampled, word)?;
                        }
                        left += 1;
                        continue;
                    }
                }
                memory::push("selected cells", &mut places, place as u32)?;
            }
        }
        let places = match (places.first(), places.last()) {
            (Some(&first), Some(&last)) if (last - first) as usize + 1 == places.len() => {
                CellIndexes::Range(first as usize..last as usize + 1)
            }
            _ => CellIndexes::List(places),
        };
        Ok(WindowSlice { rank, tile, places, left, samples: sampled })
    }

    /// Lowers the upper bound so that about `target_cells` cells remain; false if that is impossible.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn shrink(&mut self, target_cells: usize, pools: &Pools, cancel: &CancelToken) -> Result<bool> {
        match self.quantile(target_cells, pools, cancel)? {
            Some(edge) => self.to = Some(edge),
            None => return Ok(false),
        }
        Ok(true)
    }

    /// A bound that is preceded by about `target_cells` cells, at least one, but not all.
    fn quantile(&self, target_cells: usize, pools: &Pools, cancel: &CancelToken) -> Result<Option<SortBound>> {
        let cells = self.cells();
        let coords: Vec<Vec<Coords<'_>>> = self.picked.iter().map(|picked| picked.tile.coords()).collect();
        let row = |number: usize, place: usize| {
            let tile = &self.picked[number].tile;
            let keyed = CellKeys { keys: &tile.keys, coords: &coords[number] };
            CellRef { keyed, row: tile.row(place), origin: tile.tile.origin(), cell: tile.tile.selected_at(place) }
        };
        let stride = (cells / QUANTILE_SAMPLES.count()).max(1);
        let mut samples = memory::with_capacity("sort keys", cells / stride + 1)?;
        let mut skip = stride / 2;
        for (number, picked) in self.picked.iter().enumerate() {
            while skip < picked.places.len() {
                samples.push(row(number, picked.places.at(skip)));
                skip += stride;
            }
            skip -= picked.places.len();
        }
        let compare = |a: &CellRef<'_>, b: &CellRef<'_>| {
            let order = self.plan.compare(a.keyed, a.row, b.keyed, b.row);
            order.then((a.origin, a.cell).cmp(&(b.origin, b.cell)))
        };
        samples.sort_unstable_by(compare);
        let mut at = (samples.len() as u128 * target_cells as u128 / cells.max(1) as u128) as usize;
        while let Some(sample) = samples.get(at) {
            let edge = SortBound::of_row(self.plan, *sample, self.group_equal)?;
            let before = self.count_before(&edge, pools, cancel)?;
            if before > 0 {
                return Ok((before < cells).then_some(edge));
            }
            at = (at + 1).max(at * 2);
        }
        Ok(None)
    }

    /// Drops cells outside the window, and, if memory is `short`, decoded data of other cells.
    ///
    /// # Errors
    /// If memory does not suffice, or on cancellation.
    pub(super) fn narrow(
        &mut self,
        short: bool,
        access: DecodeContext<'_>,
        pools: &Pools,
        cancel: &CancelToken,
    ) -> Result<()> {
        let work = self.cells().saturating_mul(16);
        let mut picked: Vec<Option<WindowSlice>> = std::mem::take(&mut self.picked).into_iter().map(Some).collect();
        let window = &*self;
        pools.for_each_mut(&mut picked, work, cancel, |_, slot| {
            let Some(WindowSlice { rank, tile, left, samples, .. }) = slot.take() else { return Ok(()) };
            let mut more = window.pick(rank, tile, short)?;
            if more.tile.tile.is_compacted {
                more.left += left;
                memory::reserve("sort keys", &mut more.samples, samples.len())?;
                more.samples.extend_from_slice(&samples);
            }
            *slot = Some(if short { window.select(more, access)? } else { more });
            Ok(())
        })?;
        self.picked = picked.into_iter().flatten().collect();
        Ok(())
    }

    /// Drops decoded data of the other cells of a tile.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn select(&self, picked: WindowSlice, access: DecodeContext<'_>) -> Result<WindowSlice> {
        let is_all = picked.tile.tile.is_compacted && picked.places.len() == picked.tile.tile.selected_count();
        if is_all {
            return Ok(picked);
        }
        let tile = Arc::new(picked.tile.select(self.plan, &picked.places, access)?);
        let places = CellIndexes::Range(0..tile.tile.selected_count());
        Ok(WindowSlice { tile, places, ..picked })
    }

    /// How many of the cells precede a bound.
    ///
    /// # Errors
    /// On cancellation.
    pub(super) fn count_before(&self, edge: &SortBound, pools: &Pools, cancel: &CancelToken) -> Result<usize> {
        let view = edge.view(self.plan);
        let counts = pools.map(self.picked.len(), self.cells().saturating_mul(8), cancel, |number| {
            let WindowSlice { tile, places, .. } = &self.picked[number];
            let coords = tile.coords();
            let first = tile.keys.first();
            let keyed = CellKeys { keys: &tile.keys, coords: &coords };
            let is_before = |place: usize| {
                let row = tile.row(place);
                let cell = tile.tile.selected_at(place);
                view.is_after(first[row], || CellRef { keyed, row, origin: tile.tile.origin(), cell })
            };
            Ok((0..places.len()).filter(|&at| is_before(places.at(at))).count())
        })?;
        Ok(counts.into_iter().sum())
    }
}
