//! Scans sparse tiles in row- or column-major order if the tiles that are open at the same time exceed memory: an external
//! selection over records of cells.
//!
//! A pass decodes the coordinates of the tiles that overlap the window, one after another, and retains the lowest of
//! their cells that have not been delivered, as records ([`Records`]), as many as memory holds. Sorted in place, these
//! records are the window. Coordinates are delivered from the records; for attributes, tiles are decoded again when
//! cells are delivered.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::batch::{CoordinateCursor, TileBatch};
use super::cell_run::CellRun;
use super::field_source::FieldSource;
use super::fragment_cursor::FragmentCursor;
use super::keyed_tile::coords_of;
use super::load_context::LoadContext;
use super::loaded_tile::{CellSelection, LoadedTile, SelectedCells, TileDeletions};
use super::merge_round::DuplicatePolicy;
use super::packed_cell::{CodeLayout, PackedLayout};
use super::points::Points;
use super::records::{KeyedCells, LowestRecords, Records, SELECTION, SortedCells};
use super::wide::WideRecords;
use super::wide_layout::WideLayout;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::words::{CellKeys, Keys};
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::{
    BATCH_PART, CELLS_PER_RECORD_BLOCK, EXTERNAL_SAMPLES, MAX_EXTERNAL_CELLS, MAX_OPEN_PART, MAX_RECORD_STRING_BYTES,
    MAX_WINDOW_BYTES, MIN_WINDOW_CELLS, TILES_PER_TASK,
};
use tiledb_core::memory;

/// Maximum number of cells of a window, whatever the memory.
fn max_cells() -> u64 {
    MAX_EXTERNAL_CELLS.count_or(cfg!(test), 64) as u64
}

/// Number of cells that are sampled, to estimate where windows end.
fn sample_count() -> u64 {
    EXTERNAL_SAMPLES.count_or(cfg!(test), 16) as u64
}

/// Delivers the cells of tiles in order.
pub(super) trait CellScan: Send + Sync {
    /// True once all cells were delivered.
    fn is_done(&self) -> bool;

    /// The next cells in order; `None` at the end.
    ///
    /// # Errors
    /// From storage, for stored bytes that are not valid, and where memory does not suffice.
    fn next(&mut self, loads: &LoadContext<'_>) -> Result<Option<TileBatch>>;

    /// Continues with a cell of a window, if this is the last one.
    fn rewind(&mut self, window: u64, cell: usize) -> bool;
}

/// State that is independent of the layout of records.
struct ScanContext {
    codes: CodeLayout,
    equal: DuplicatePolicy,
    /// The numbers of tiles among those of all cursors, by the lower corners of their boxes.
    tiles: Vec<u32>,
    /// The number of each cursor's first tile.
    first: Vec<usize>,
    /// When the cells of each cursor were written.
    times: Vec<u64>,
    /// The most bytes that loading a tile takes.
    largest: u64,
    /// Cells of all tiles.
    cells: u64,
    /// See [`attribute_weight`].
    weight: f64,
    /// The slots that tiles have in a batch, by number.
    slots: Vec<u32>,
}

/// No slot.
const NONE: u32 = u32::MAX;

impl ScanContext {
    /// The cursor and the position in it of a tile.
    fn place(&self, number: usize) -> (usize, usize) {
        let cursor = self.first.partition_point(|&first| first <= number).saturating_sub(1);
        (cursor, number - self.first[cursor])
    }

    /// When a cell was written, and its code: of equal cells the greatest counts.
    fn age(&self, code: u64) -> (u64, u64) {
        let (number, _) = self.codes.split(code);
        (self.times[self.place(number).0], code)
    }

    /// Removes superseded cells, and those that do not match the conditions, from sorted cells.
    fn resolve<R: Records>(&self, layout: &R::Layout, records: &mut R) {
        if self.equal == DuplicatePolicy::Any {
            return;
        }
        let count = records.count();
        let mut next = 0;
        let mut end = 0;
        while next < count {
            let mut latest = next;
            next += 1;
            while next < count && records.is_same_place(layout, next, latest) {
                if self.age(records.code(layout, next)) > self.age(records.code(layout, latest)) {
                    latest = next;
                }
                next += 1;
            }
            if CodeLayout::passes(records.code(layout, latest)) {
                records.assign(end, latest);
                end += 1;
            }
        }
        records.truncate(end);
    }
}

/// The outputs of a pass: the lowest cells, and samples.
type PassOutput<'s, R> = (&'s mut LowestRecords<R>, &'s mut Option<Lease<R>>);

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

struct ExternalScan<R: Records> {
    plan: Arc<KeyPlan>,
    common: ScanContext,
    layout: Arc<R::Layout>,
    /// The first tile that was not opened.
    next: usize,
    /// Opened tiles that may have cells from the lower bound on.
    open: Vec<usize>,
    /// Cells below it were delivered or are in the window.
    from: Option<Arc<R::Bound>>,
    /// Samples of the cells after the last window, to estimate where the next one ends.
    samples: Option<Lease<R>>,
    /// The last window, until the next one is read: cells may be delivered again.
    window: Option<Arc<SortedCells<R>>>,
    /// How many windows were read.
    windows: u64,
    /// The first cell of the window that was not delivered.
    at: usize,
}

impl<R: Records> CellScan for ExternalScan<R> {
    fn is_done(&self) -> bool {
        self.is_window_done() && self.open.is_empty() && self.next == self.common.tiles.len()
    }

    fn rewind(&mut self, window: u64, cell: usize) -> bool {
        let is_last = self.window.is_some() && self.windows == window;
        if is_last {
            self.at = cell;
        }
        is_last
    }

    fn next(&mut self, loads: &LoadContext<'_>) -> Result<Option<TileBatch>> {
        while !self.is_done() {
            if self.is_window_done() {
                self.window = None;
                let records = self.fill(loads)?;
                self.at = 0;
                self.windows += 1;
                self.window = Some(Arc::new(SortedCells { records, layout: self.layout.clone() }));
            }
            if let Some(window) = self.window.clone().filter(|window| self.at < window.records.count()) {
                return self.batch(&window, loads).map(Some);
            }
        }
        self.window = None;
        Ok(None)
    }
}

impl<R: Records> ExternalScan<R> {
    fn new(plan: Arc<KeyPlan>, mut common: ScanContext, layout: R::Layout) -> ExternalScan<R> {
        // A record for each cell of a block, and its first comparison word.
        common.largest +=
            (R::size(&layout) + SELECTION as u64).saturating_mul(common.cells.min(CELLS_PER_RECORD_BLOCK.bytes()));
        let layout = Arc::new(layout);
        let open = Vec::new();
        ExternalScan { plan, common, layout, next: 0, open, from: None, samples: None, window: None, windows: 0, at: 0 }
    }

    /// True if no cell of the window is left.
    fn is_window_done(&self) -> bool {
        self.window.as_ref().is_none_or(|window| self.at == window.records.count())
    }

    /// The next window: the lowest cells from the lower bound on.
    fn fill(&mut self, loads: &LoadContext<'_>) -> Result<Lease<R>> {
        let budget = loads.budget;
        let size = R::size(&self.layout);
        let samples = self.samples.take();
        let available = budget.available();
        let part = window_part(self.common.weight, size);
        let bytes =
            (available / 16 * part).min(available.saturating_sub(self.common.largest)).min(MAX_WINDOW_BYTES.bytes());
        let capacity = (bytes / size).min(self.common.cells).min(max_cells()).max(MIN_WINDOW_CELLS.bytes());
        let records = budget.lease(MemoryKind::Results, capacity.saturating_mul(size), || {
            R::with_layout(&self.layout, usize::try_from(capacity).unwrap_or(usize::MAX))
        })?;
        let guess = self.guess(samples, capacity)?.map(Arc::new);
        let samples = budget.lease(MemoryKind::Results, sample_count().saturating_mul(size).saturating_mul(2), || {
            R::with_layout(&self.layout, 2 * sample_count() as usize)
        });
        // The next window can do without.
        let mut samples = samples.ok();
        let group_equal = self.common.equal != DuplicatePolicy::Any;
        let mut lowest = LowestRecords::new(records, self.layout.clone(), group_equal, guess);
        let mut again = self.open.iter().copied();
        let mut next = self.next;
        loop {
            let begins_before = |&at: &usize| {
                let number = self.common.tiles[at] as usize;
                lowest.to.as_ref().is_none_or(|to| R::begins_before(&self.layout, number, to))
            };
            let mut group = self.group(loads, &mut again.by_ref().filter(begins_before))?;
            let is_again = !group.is_empty();
            if !is_again {
                let tiles = next..self.common.tiles.len();
                group = self.group(loads, &mut tiles.take_while(begins_before))?;
                next += group.len();
            }
            if group.is_empty() {
                break;
            }
            let places: Vec<(usize, usize)> =
                group.iter().map(|&at| self.common.place(self.common.tiles[at] as usize)).collect();
            let shared = Mutex::new((&mut lowest, &mut samples));
            loads.load(&places, None, is_again, |at, tile, access| {
                self.add(self.common.tiles[group[at]] as usize, &tile, &shared, access)
            })?;
        }
        let to = lowest.to.take();
        let records = lowest.sorted(|records| self.common.resolve::<R>(&self.layout, records))?;
        let ends_after = |at: &usize| {
            let number = self.common.tiles[*at] as usize;
            to.as_ref().is_some_and(|to| R::ends_after(&self.layout, number, to))
        };
        self.open = self.open.iter().copied().chain(self.next..next).filter(ends_after).collect();
        (self.next, self.from, self.samples) = (next, to, samples);
        Ok(records)
    }

    /// Adds the cells of a tile to the lowest, and samples them.
    fn add(
        &self,
        number: usize,
        tile: &LoadedTile,
        shared: &Mutex<PassOutput<'_, R>>,
        access: DecodeContext<'_>,
    ) -> Result<()> {
        let layout = &*self.layout;
        let from = self.from.as_deref();
        let coords = coords_of(tile, None);
        let stride = self.stride();
        let mut keys = Keys::default();
        let mut next = 0;
        let block = CELLS_PER_RECORD_BLOCK.count();
        for start in (0..tile.cells).step_by(block) {
            let cells = start..tile.cells.min(start + block);
            let places = match tile.selected() {
                SelectedCells::All => cells.clone(),
                SelectedCells::Some(list) => {
                    next..next + list[next..].partition_point(|&cell| (cell as usize) < cells.end)
                }
            };
            next = places.end;
            if places.is_empty() {
                continue;
            }
            if R::has_keys(layout) {
                self.plan.compute_range(&coords, cells.clone(), &mut keys)?;
            }
            // As if all tiles were of this size.
            let phase = (number as u64).wrapping_mul(tile.cells as u64).wrapping_add(start as u64) % stride as u64;
            let first = start.saturating_add((stride - phase as usize) % stride).min(cells.end);
            let which = (first..cells.end).step_by(stride);
            let cells = KeyedCells { tile, number, coords: &coords, cells, keys: &keys, places };
            let sample = R::sample(layout, &cells, which, from)?;
            let to = lock(shared).0.to.clone();
            let selected = R::select(layout, &cells, (from, to.as_deref()), access)?;
            let (lowest, samples) = &mut *lock(shared);
            lowest.add(&selected)?;
            // Tiles of different sizes have more samples than there is room for; the rest is left out.
            if let Some(samples) = samples
                && (samples.count() + sample.count()) as u64 <= 2 * sample_count()
            {
                samples.grow(0, |samples| Ok(samples.append_before(layout, &sample, 0, None)))?;
            }
        }
        Ok(())
    }

    /// Sampling interval.
    fn stride(&self) -> usize {
        usize::try_from(self.common.cells / sample_count()).unwrap_or(usize::MAX).max(1)
    }

    /// An upper bound below which there are about as many cells as memory holds, and some more, if those of the tiles that
    /// were opened are all. A low one makes a small window.
    fn guess(&self, samples: Option<Lease<R>>, capacity: u64) -> Result<Option<R::Bound>> {
        let (Some(mut samples), Some(from)) = (samples, &self.from) else { return Ok(None) };
        let cells = usize::try_from((capacity + capacity / 8) / self.stride() as u64).unwrap_or(usize::MAX).max(1);
        let layout = &*self.layout;
        let group_equal = self.common.equal != DuplicatePolicy::Any;
        samples.grow(0, |samples| {
            // Those before the lower bound are in front then.
            samples.sort(layout);
            let at = samples.partition(layout, from).saturating_add(cells);
            if at >= samples.count() {
                return Ok(None);
            }
            let bound = samples.bound(layout, at, group_equal)?;
            Ok(Some(bound).filter(|bound| R::is_above(layout, bound, from)))
        })
    }

    /// Some of the next tiles, which memory holds together.
    fn group(&self, loads: &LoadContext<'_>, tiles: &mut dyn Iterator<Item = usize>) -> Result<Vec<usize>> {
        let mut group = Vec::new();
        let mut left = loads.budget.available() / 2;
        let most = loads.array.resources().pools().compute().max(1) * TILES_PER_TASK.count();
        while group.len() < most && left >= self.common.largest || group.is_empty() {
            let Some(tile) = tiles.next() else { break };
            left = left.saturating_sub(self.common.largest);
            group.push(tile);
        }
        Ok(group)
    }

    /// The next cells of the window.
    fn batch(&mut self, window: &Arc<SortedCells<R>>, loads: &LoadContext<'_>) -> Result<TileBatch> {
        let codes = self.common.codes;
        let first = self.at;
        let most =
            (loads.budget.available() / BATCH_PART.bytes() / size_of::<CellRun>() as u64).max(MIN_WINDOW_CELLS.bytes());
        let cells = (window.records.count() - first).min(usize::try_from(most).unwrap_or(usize::MAX));
        let mut numbers = Vec::new();
        let slots = &mut self.common.slots;
        let cell_runs = loads.budget.lease(MemoryKind::Results, (cells * size_of::<CellRun>()) as u64, || {
            let mut cell_runs: Vec<CellRun> = memory::with_capacity("slabs", cells)?;
            for at in first..first + cells {
                let (number, cell) = codes.split(window.records.code(&self.layout, at));
                if slots[number] == NONE {
                    slots[number] = numbers.len() as u32;
                    memory::push("tiles", &mut numbers, number)?;
                }
                let cell_run = CellRun { tile: slots[number], first: cell as u32, len: 1 };
                match cell_runs.last_mut() {
                    Some(last) if last.is_followed_by(&cell_run) => last.len += 1,
                    _ => cell_runs.push(cell_run),
                }
            }
            Ok(cell_runs)
        });
        numbers.iter().for_each(|&number| slots[number] = NONE);
        let cell_runs = cell_runs?;
        let tiles = numbers.iter().map(|&number| self.shell(number, loads)).collect::<Result<Vec<_>>>()?;
        self.at += cells;
        let sorted = CoordinateCursor { coordinates: window.clone(), window: self.windows, next: first };
        Ok(TileBatch::with_coordinates(tiles, cell_runs, sorted))
    }

    /// A tile of which nothing is decoded.
    fn shell(&self, number: usize, loads: &LoadContext<'_>) -> Result<Arc<LoadedTile>> {
        let (cursor, place) = self.common.place(number);
        let of = &loads.cursors[cursor];
        let (tile, full) = of.tile(place).unwrap_or_default();
        Ok(Arc::new(LoadedTile {
            cursor,
            tile,
            cells: of.fragment.cells_in_tile(tile) as usize,
            full,
            selection: loads.budget.lease(MemoryKind::Results, 0, || Ok(CellSelection::all()))?,
            is_compacted: true,
            coords: of.dimensions.iter().map(|_| None).collect(),
            times: None,
            deletions: TileDeletions::Unknown,
            data: of.sources.iter().map(|_| OnceLock::new()).collect(),
        }))
    }
}

/// The window's share of the available memory, in sixteenths; batches get the rest. A larger window decodes coordinates
/// less often, a larger batch attributes: the sum is minimal where the ratio of their sizes is the square root of that
/// of the costs, `weight`, in cells of `size` bytes.
fn window_part(weight: f64, size: u64) -> u64 {
    let of_batch = (BATCH_PART.bytes() * size_of::<CellRun>() as u64) as f64;
    (16.0 / (1.0 + (weight * of_batch / size as f64).sqrt())).clamp(3.0, 10.0) as u64
}

/// Approximate cost of decoding the requested attributes relative to decoding the coordinates.
fn attribute_weight(cursors: &[FragmentCursor]) -> Result<f64> {
    let (mut coordinates, mut attributes) = (1.0, 0.0);
    for cursor in cursors {
        let filtered = cursor.sources.iter().filter_map(|source| match source {
            FieldSource::Stored(field) => Some(field).filter(|field| !field.filters.is_empty()),
            _ => None,
        });
        let filtered = cursor.middle_size(filtered)?;
        let copied = cursor.tile_bytes.saturating_sub(cursor.coordinate_bytes).saturating_sub(filtered);
        let tiles = cursor.tiles.count() as f64;
        coordinates += tiles * cursor.coordinate_bytes as f64;
        attributes += tiles * (filtered as f64 + copied as f64 / COPYING);
    }
    Ok(attributes / coordinates)
}

/// How much cheaper cells without filters are than those that are decoded.
const COPYING: f64 = 20.0;

/// True if memory may not hold all tiles that are open at a time.
pub(super) fn is_large(plan: &KeyPlan, loads: &LoadContext<'_>) -> bool {
    let of_stream = |cursor: &FragmentCursor| cursor.open_bytes(plan).saturating_mul(cursor.tiles.count() as u64);
    loads.cursors.iter().map(of_stream).fold(0, u64::saturating_add) > loads.budget.limit() / max_open_part()
}

/// A scan by records of the tiles of `cursors`, which `ranks` has by the lower corners of their boxes; `None` if cells
/// have no records, or memory holds the tiles that are open at a time.
///
/// # Errors
/// If tables of a fragment are not valid, or memory does not suffice.
pub(super) fn external_scan(
    plan: &Arc<KeyPlan>,
    equal: DuplicatePolicy,
    ranks: &[usize],
    lows: CellKeys<'_>,
    loads: &LoadContext<'_>,
) -> Result<Option<Box<dyn CellScan>>> {
    let cursors = loads.cursors;
    let has_times = cursors.iter().any(|cursor| cursor.fragment.has_timestamps());
    let is_resolved = equal == DuplicatePolicy::Any || (equal == DuplicatePolicy::Latest && !has_times);
    if !is_resolved || loads.repeats || plan.unpacked().is_none() {
        return Ok(None);
    }
    if !is_large(plan, loads) || u32::try_from(ranks.len()).is_err() {
        return Ok(None);
    }
    let needs: Vec<u64> = cursors.iter().map(|cursor| cursor.open_bytes(plan)).collect();
    let mut first = memory::with_capacity("fragments", cursors.len())?;
    let mut count = 0;
    let mut largest = 0;
    let mut most = 0;
    let mut cells = 0u64;
    for (number, cursor) in cursors.iter().enumerate() {
        first.push(count);
        for place in 0..cursor.tiles.count() {
            largest = loads.need(&(number, place), None)?.max(largest);
            let of_tile = cursor.tile(place).map_or(0, |(tile, _)| cursor.fragment.cells_in_tile(tile));
            (most, cells) = (of_tile.max(most), cells.saturating_add(of_tile));
        }
        count += cursor.tiles.count();
    }
    let corners = Points::of_tiles(plan, cursors, true)?;
    let keys = corners.keys(plan)?;
    let highs = CellKeys { keys: &keys, coords: &corners.coords() };
    let mut ends = memory::with_capacity("tiles", ranks.len())?;
    ends.extend(ranks.iter().map(|&tile| {
        let is_before_end = |&other: &usize| plan.compare(lows, other, highs, tile).is_le();
        let cursor = first.partition_point(|&first| first <= tile).saturating_sub(1);
        (ranks.partition_point(is_before_end), needs[cursor])
    }));
    let codes = CodeLayout::new(count, most);
    if open_at_once(&ends) <= loads.budget.limit() / max_open_part() || codes.shift >= u64::BITS {
        return Ok(None);
    }
    let mut tiles = memory::with_capacity("tiles", ranks.len())?;
    tiles.extend(ranks.iter().map(|&number| number as u32));
    let slots = memory::filled("tiles", NONE, count)?;
    let weight = attribute_weight(cursors)?;
    let times = cursors.iter().map(|cursor| cursor.fragment.timestamps().0).collect();
    let common = ScanContext { codes, equal, tiles, first, times, largest, cells, weight, slots };
    // One value above all packed cells is needed.
    if let Some((dimensions, key_bits)) = plan.unpack()
        && key_bits + codes.shift < u128::BITS
    {
        let of_tile = |(&low, &high): (&u64, &u64)| (low, high.max(low));
        let tiles = memory::collect("tiles", lows.keys.first().iter().zip(keys.first()).map(of_tile))?;
        let layout = PackedLayout { codes, dimensions, tiles };
        return Ok(Some(match key_bits + codes.shift < u64::BITS {
            true => boxed::<Vec<u64>>(plan, common, layout),
            false => boxed::<Vec<u128>>(plan, common, layout),
        }));
    }
    if largest > MAX_RECORD_STRING_BYTES.bytes() {
        return Ok(None);
    }
    let corners = (Points::of_tiles(plan, cursors, false)?, corners);
    let Some(layout) = WideLayout::new(plan, codes, cursors, corners)? else { return Ok(None) };
    // Few sizes: each is 100 kB of code. A record may have words that nothing is stored in.
    Ok(match layout.words() {
        2 | 3 => Some(boxed::<WideRecords<3>>(plan, common, layout)),
        4 => Some(boxed::<WideRecords<4>>(plan, common, layout)),
        5 | 6 => Some(boxed::<WideRecords<6>>(plan, common, layout)),
        // More dimensions mean larger tiles.
        _ => None,
    })
}

fn boxed<R: Records>(plan: &Arc<KeyPlan>, common: ScanContext, layout: R::Layout) -> Box<dyn CellScan> {
    Box::new(ExternalScan::<R>::new(plan.clone(), common, layout))
}

fn max_open_part() -> u64 {
    MAX_OPEN_PART.count_or(cfg!(test), 16) as u64
}

/// The most bytes that tiles take which overlap in the order of cells: by the order of their beginnings, where each ends in
/// this order, and its bytes.
fn open_at_once(tiles: &[(usize, u64)]) -> u64 {
    let mut open = BinaryHeap::new();
    let mut bytes = 0u64;
    let mut most = 0;
    for (at, &(end, need)) in tiles.iter().enumerate() {
        while open.peek().is_some_and(|Reverse((end, _))| *end <= at) {
            let closed = open.pop();
            bytes = bytes.saturating_sub(closed.map_or(0, |Reverse((_, need))| need));
        }
        bytes = bytes.saturating_add(need);
        open.push(Reverse((end, need)));
        most = bytes.max(most);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costly_attributes_have_small_windows() {
        let parts: Vec<u64> = [0.0, 0.05, 0.5, 10.0].iter().map(|&weight| window_part(weight, 8)).collect();
        assert_eq!(parts, [10, 9, 4, 3]);
        assert_eq!(window_part(0.5, 16), 6);
    }

    #[test]
    fn overlapping_tiles_are_open_at_once() {
        assert_eq!(open_at_once(&[(1, 10), (2, 11), (3, 12)]), 12);
        assert_eq!(open_at_once(&[(2, 10), (2, 11), (3, 12)]), 21);
        assert_eq!(open_at_once(&[(3, 10), (2, 11), (3, 12)]), 22);
        assert_eq!(open_at_once(&[(3, 10), (3, 11), (3, 12)]), 33);
        assert_eq!(open_at_once(&[]), 0);
    }
}
