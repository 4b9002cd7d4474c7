//! Scans sparse tiles in row- or column-major order, window by window, in bounded memory.
//!
//! No cell of a tile precedes the lower corner of the tile's bounding box. So tiles are opened in the order of their
//! lower corners, and all cells before the corner of the next tile are complete: they are sorted and delivered, and tiles
//! without later cells are dropped. If tiles have the requested order, this is a k-way merge of fragments that holds a
//! few tiles of each; if all tiles overlap, it is one sort of everything.
//!
//! If memory does not hold the open tiles, `external_scan` takes over. Arrays without records there (overlapping
//! ranges, fragments with timestamps, many dimensions) continue here: only the cells of the window are retained of each
//! tile, and tiles are decoded again for the next window, which is as large as memory allows.

use std::sync::Arc;

use super::batch::TileBatch;
use super::external_scan::{CellScan, external_scan, is_large};
use super::keyed_tile::KeyedTile;
use super::merge_round::{DuplicatePolicy, TileSlice, in_order};
use super::points::Points;
use super::sort_bound::{CellRef, SortBound};

use super::fragment_cursor::FragmentCursor;
use super::load_context::LoadContext;
use super::tile_memory::of_sorting;
use super::window::{SortWindow, WindowSlice};
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::words::{CellKeys, Keys};
use tiledb_core::budget::MemoryKind;
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::{MIN_WINDOW_CELLS, MIN_WINDOW_PART, SAMPLE_STRIDE, WINDOW_CELLS};
use tiledb_core::memory;
use tiledb_core::stats::Timer;

/// Number of cells of a window, about, if tiles allow it.
fn window_cells() -> usize {
    WINDOW_CELLS.count_or(cfg!(test), 50)
}

pub(super) struct OrderedScan {
    plan: Arc<KeyPlan>,
    equal: DuplicatePolicy,
    /// One window should have all cells.
    at_once: bool,
    /// The tiles by their lower corners, as cursor and position in it.
    tiles: Vec<(usize, usize)>,
    /// The lower corners, by the rank of the tile; without them a window examines all tiles.
    lows: Option<(Points, Keys, Vec<usize>)>,
    /// The rank of the first tile that was not opened.
    next: usize,
    /// Opened tiles with cells that were not delivered.
    open: Vec<OpenTile>,
    /// Cells before it were delivered.
    from: Option<SortBound>,
    /// First words of some keys after the last window, if tiles are decoded again.
    samples: Vec<u64>,
    /// Replaces it if memory does not hold the open tiles; `None` until the first window.
    external: Option<Option<Box<dyn CellScan>>>,
}

/// A tile with cells that were not delivered.
struct OpenTile {
    rank: usize,
    tile: Option<Arc<KeyedTile>>,
}

impl OrderedScan {
    /// A scan of the tiles of some fragments; `at_once` if one window should have all cells, if memory allows.
    ///
    /// # Errors
    /// If tables of a fragment are not valid, or memory does not suffice.
    pub(super) fn new(
        plan: KeyPlan,
        equal: DuplicatePolicy,
        cursors: &[FragmentCursor],
        at_once: bool,
    ) -> Result<OrderedScan> {
        let mut tiles = memory::with_capacity("tiles", cursors.iter().map(|cursor| cursor.tiles.count()).sum())?;
        let mut cells = 0u64;
        for (number, cursor) in cursors.iter().enumerate() {
            tiles.extend((0..cursor.tiles.count()).map(|place| (number, place)));
            let most = (cursor.tiles.count() as u64).saturating_mul(cursor.fragment.cells_in_tile(0));
            cells = cells.saturating_add(most.min(cursor.fragment.cell_count()));
        }
        let plan = Arc::new(plan);
        let open = Vec::new();
        let samples = Vec::new();
        let mut scan =
            OrderedScan { plan, equal, at_once, tiles, lows: None, next: 0, open, from: None, samples, external: None };
        if cells > window_cells() as u64 && !at_once {
            scan.sort_tiles(cursors)?;
        }
        Ok(scan)
    }

    /// Sorts the tiles by their lower corners.
    fn sort_tiles(&mut self, cursors: &[FragmentCursor]) -> Result<()> {
        let lows = Points::of_tiles(&self.plan, cursors, false)?;
        let keys = lows.keys(&self.plan)?;
        let mut rows = memory::with_capacity("tiles", self.tiles.len())?;
        rows.extend(0..self.tiles.len());
        {
            let coords = lows.coords();
            let keyed = CellKeys { keys: &keys, coords: &coords };
            rows.sort_unstable_by(|&a, &b| self.plan.compare(keyed, a, keyed, b).then(a.cmp(&b)));
        }
        let mut tiles = memory::with_capacity("tiles", rows.len())?;
        tiles.extend(rows.iter().map(|&row| self.tiles[row]));
        self.tiles = tiles;
        self.lows = Some((lows, keys, rows));
        Ok(())
    }

    /// True once all cells were delivered.
    pub(super) fn is_done(&self) -> bool {
        match &self.external {
            Some(Some(external)) => external.is_done(),
            _ => self.open.is_empty() && self.next == self.tiles.len(),
        }
    }

    /// Continues with a cell of a window, if it is the last one and still in memory.
    pub(super) fn rewind(&mut self, window: u64, cell: usize) -> bool {
        let external = self.external.as_mut().and_then(Option::as_mut);
        external.is_some_and(|external| external.rewind(window, cell))
    }

    /// The next cells in order; `None` at the end.
    ///
    /// # Errors
    /// From storage, for stored bytes that are not valid, and where memory does not suffice.
    pub(super) fn next(&mut self, loads: &LoadContext<'_>) -> Result<Option<TileBatch>> {
        if self.external.is_none() {
            if self.lows.is_none() && is_large(&self.plan, loads) {
                self.sort_tiles(loads.cursors)?;
            }
            self.external = Some(match &self.lows {
                Some((lows, keys, ranks)) => {
                    let lows = CellKeys { keys, coords: &lows.coords() };
                    external_scan(&self.plan, self.equal, ranks, lows, loads)?
                }
                None => None,
            });
        }
        if let Some(Some(external)) = &mut self.external {
            // It has its own tables.
            (self.tiles, self.lows) = (Vec::new(), None);
            return external.next(loads);
        }
        while !self.is_done() {
            if let Some(batch) = self.batch(loads)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// The cells of the next window in order; `None` if there are none.
    fn batch(&mut self, loads: &LoadContext<'_>) -> Result<Option<TileBatch>> {
        let is_first = self.from.is_none();
        let mut picked = self.window(loads)?;
        picked.retain(|picked| picked.places.len() > 0);
        if picked.is_empty() {
            return Ok(None);
        }
        // Of equal cells, later fragments count for more, or are delivered later.
        picked.sort_unstable_by_key(|picked| self.tiles[picked.rank]);
        let slot = |WindowSlice { tile, places, .. }: WindowSlice| TileSlice { tile, places };
        let slots: Vec<TileSlice> = picked.into_iter().map(slot).collect();
        let cells = slots.iter().map(|slot| slot.places.len()).sum();
        let is_whole = self.at_once && is_first && self.is_done();
        let mut of_one_fragment = false;
        let timer = loads.stats.timer(Timer::ReadMerge);
        let cell_runs = loads.budget.lease(MemoryKind::Results, of_sorting(cells), || {
            let resources = loads.array.resources();
            let (cell_runs, of_one) = in_order(&self.plan, &slots, loads.cursors, self.equal, resources, is_whole)?;
            of_one_fragment = of_one;
            Ok(cell_runs)
        })?;
        drop(timer);
        let tiles = slots.into_iter().map(|slot| slot.tile.tile.clone()).collect();
        Ok(Some(TileBatch::new(tiles, cell_runs.fit(), of_one_fragment)))
    }

    /// Selects the cells of the next window, and advances beyond them.
    fn window(&mut self, loads: &LoadContext<'_>) -> Result<Vec<WindowSlice>> {
        let guess = self.guess(max_cells(loads, self.cell_bytes(loads)));
        let from = self.from.take();
        let mut opened = std::mem::take(&mut self.open);
        if loads.is_short() {
            opened.iter_mut().filter_map(|open| open.tile.as_mut()).for_each(|tile| forget(tile, loads.cursors));
        }
        let mut fill = WindowFiller { scan: self, loads, window_bytes: 0, again: Vec::new(), retains_tiles: true };
        fill.window_bytes = fill.scan.cell_bytes(loads);
        let (next, to, picked, retains_tiles) = fill.run(from.as_ref(), guess, opened)?;
        self.next = next;
        // Without a bound everything is delivered, and `from` is not used any more.
        self.from = to.or(from);
        self.samples.clear();
        for picked in picked.iter().filter(|picked| picked.left > 0) {
            let tile = retains_tiles.then(|| picked.tile.clone());
            self.open.push(OpenTile { rank: picked.rank, tile });
            memory::reserve("sort keys", &mut self.samples, picked.samples.len())?;
            self.samples.extend_from_slice(&picked.samples);
        }
        Ok(picked)
    }

    /// A bound that about `most` cells precede, estimated from the keys so far.
    fn guess(&mut self, most: usize) -> Option<SortBound> {
        self.samples.sort_unstable();
        let word = *self.samples.get((most / 4 * 3 / SAMPLE_STRIDE.count()).max(1))?;
        let is_after = self.from.as_ref().is_none_or(|from| from.word() < word);
        is_after.then(|| SortBound::of_word(word))
    }

    /// Approximate bytes of a cell whose tile is not retained: its key, its coordinates and its number.
    fn cell_bytes(&self, loads: &LoadContext<'_>) -> u64 {
        let coordinates =
            loads.cursors.iter().map(|cursor| cursor.coordinate_bytes as u64 / cursor.fragment.cells_in_tile(0).max(1));
        coordinates.max().unwrap_or(0) + self.plan.key_size() as u64 + 5
    }
}

/// Drops decoded requested fields, unless a batch has the tile too.
fn forget(tile: &mut Arc<KeyedTile>, cursors: &[FragmentCursor]) {
    if let Some(tile) = Arc::get_mut(tile).and_then(|keyed| Arc::get_mut(&mut keyed.tile)) {
        tile.forget(&cursors[tile.cursor]);
    }
}

/// How many cells a window may have if tiles are not retained.
fn max_cells(loads: &LoadContext<'_>, cell_bytes: u64) -> usize {
    let bytes = loads.budget.available() / 8 * 5 / (cell_bytes + of_sorting(1));
    usize::try_from(bytes.max(MIN_WINDOW_CELLS.bytes())).unwrap_or(usize::MAX)
}

struct WindowFiller<'f> {
    scan: &'f OrderedScan,
    loads: &'f LoadContext<'f>,
    /// Bytes of a cell whose tile is not retained.
    window_bytes: u64,
    /// Opened tiles that have to be decoded again, the next one last.
    again: Vec<usize>,
    /// Tiles stay decoded for the next window.
    retains_tiles: bool,
}

impl WindowFiller<'_> {
    /// The first tile that was not opened, the upper bound, the cells, and whether their tiles are retained.
    fn run(
        mut self,
        from: Option<&SortBound>,
        guess: Option<SortBound>,
        opened: Vec<OpenTile>,
    ) -> Result<(usize, Option<SortBound>, Vec<WindowSlice>, bool)> {
        let scan = self.scan;
        let loads = self.loads;
        let pools = loads.array.resources().pools();
        let cancel = loads.array.resources().cancel();
        let lows = scan.lows.as_ref().map(|(lows, keys, rows)| (lows.coords(), keys, rows));
        let corner = |rank: usize| -> Option<CellRef<'_>> {
            let (coords, keys, rows) = lows.as_ref()?;
            let (cursor, place) = scan.tiles[rank];
            let (tile, _) = loads.cursors[cursor].tile(place)?;
            Some(CellRef { keyed: CellKeys { keys, coords }, row: rows[rank], origin: (cursor, tile), cell: 0 })
        };
        let mut window = SortWindow::new(&scan.plan, scan.equal, from, guess);
        let (retained, dropped): (Vec<OpenTile>, Vec<OpenTile>) =
            opened.into_iter().partition(|open| open.tile.is_some());
        self.again = dropped.into_iter().map(|open| open.rank).collect();
        self.again.reverse();
        let is_cached = self.again.is_empty() || self.fits(&self.again)?;
        self.retains_tiles = is_cached;
        if self.retains_tiles {
            window.to = None;
        }
        window.picked = {
            let tiles: Vec<(usize, Arc<KeyedTile>)> =
                retained.into_iter().filter_map(|open| Some((open.rank, open.tile?))).collect();
            let work = tiles.iter().map(|(_, tile)| tile.tile.cells).sum::<usize>().saturating_mul(8);
            pools.map(tiles.len(), work, cancel, |number| {
                let (rank, tile) = &tiles[number];
                window.pick(*rank, tile.clone(), false)
            })?
        };
        // Whether memory holds no more tiles in addition to the retained ones.
        let mut next = scan.next;
        let mut checked = 0;
        let mut full = false;
        loop {
            let cells = window.cells();
            let is_enough = cells >= window_cells().min(self.most(&window, false) / 2) && cells > checked + checked / 2;
            if self.again.is_empty()
                && (full || is_enough)
                && next < scan.tiles.len()
                && let Some(row) = corner(next).filter(|row| window.reaches(*row))
            {
                checked = cells;
                let edge = SortBound::of_row(&scan.plan, row, scan.equal != DuplicatePolicy::Any)?;
                if window.count_before(&edge, pools, cancel)?
                    >= cells.div_ceil(if full { MIN_WINDOW_PART.count() } else { 4 })
                {
                    window.to = Some(edge);
                    window.narrow(!self.retains_tiles, loads.loader.access, pools, cancel)?;
                    self.shrink(&mut window, false)?;
                    break;
                }
            }
            let drops = self.retains_tiles && (full || loads.budget.used() > loads.budget.limit() / 2);
            self.retains_tiles &= !drops;
            self.shrink(&mut window, drops)?;
            let group = self.group(&mut next, &window, &corner)?;
            full = group.is_none();
            let Some(group) = group else { continue };
            if group.is_empty() {
                break;
            }
            let places: Vec<(usize, usize)> = group.iter().map(|&(rank, _)| scan.tiles[rank]).collect();
            let again = group.iter().all(|&(_, again)| again);
            let retains_tiles = self.retains_tiles;
            let loaded = loads.load(&places, Some(&scan.plan), again, |number, tile, access| {
                let tile = Arc::new(KeyedTile::new(&scan.plan, tile, access)?);
                let picked = window.pick(group[number].0, tile, !retains_tiles)?;
                if retains_tiles { Ok(picked) } else { window.select(picked, access) }
            })?;
            window.picked.extend(loaded);
        }
        let SortWindow { to, picked, .. } = window;
        Ok((next, to, picked, self.retains_tiles))
    }

    /// Lowers the bound of the window until memory suffices to sort its cells; `drops` says whether retained tiles are
    /// dropped.
    fn shrink(&self, window: &mut SortWindow<'_>, drops: bool) -> Result<()> {
        let resources = self.loads.array.resources();
        let access = self.loads.loader.access;
        let pools = resources.pools();
        let cancel = resources.cancel();
        let most = self.most(window, drops);
        let mut is_narrow = !drops;
        while window.cells() > most && window.shrink(most / 4 * 3, pools, cancel)? {
            window.narrow(!self.retains_tiles, access, pools, cancel)?;
            is_narrow = true;
        }
        match is_narrow {
            true => Ok(()),
            false => window.narrow(true, access, pools, cancel),
        }
    }

    /// True if a fourth of the budget suffices to retain these tiles.
    fn fits(&self, ranks: &[usize]) -> Result<bool> {
        let mut need = 0u64;
        for &rank in ranks {
            need = need.saturating_add(self.loads.need(&self.scan.tiles[rank], Some(&self.scan.plan))?);
        }
        Ok(need <= self.loads.budget.limit() / 4)
    }

    /// How many cells the window may have; `drops` says whether retained tiles are dropped.
    fn most(&self, window: &SortWindow<'_>, drops: bool) -> usize {
        let available = self.loads.budget.available();
        if self.retains_tiles {
            return usize::try_from((available / 2 / of_sorting(1)).max(MIN_WINDOW_CELLS.bytes()))
                .unwrap_or(usize::MAX);
        }
        // Selected cells have taken their part of the memory, unless they are in tiles that are dropped.
        let dropped_bytes = if drops { 0 } else { (window.cells() as u64).saturating_mul(self.window_bytes) };
        let bytes = available.saturating_add(dropped_bytes) / 8 * 5 / (self.window_bytes + of_sorting(1));
        usize::try_from(bytes.max(MIN_WINDOW_CELLS.bytes())).unwrap_or(usize::MAX)
    }

    /// The next tiles with cells in the window, and whether they are decoded again; empty if there are no more. `None`
    /// if memory does not hold them in addition to the retained ones, which are then dropped.
    fn group<'c>(
        &mut self,
        next: &mut usize,
        window: &SortWindow<'_>,
        corner: &impl Fn(usize) -> Option<CellRef<'c>>,
    ) -> Result<Option<Vec<(usize, bool)>>> {
        let loads = self.loads;
        let plan = &self.scan.plan;
        let mut group = Vec::new();
        let mut cells = 0u64;
        let mut need = 0u64;
        let available = loads.budget.available();
        let used = loads.budget.used();
        let half_left = (loads.budget.limit() / 2).saturating_sub(used);
        let most = match self.retains_tiles {
            true => window_cells().max(window.cells() / 2) as u64,
            false => available / 4 / self.window_bytes,
        };
        loop {
            let (rank, again) = match self.again.last() {
                Some(&rank) => (rank, true),
                None if *next < self.scan.tiles.len() && corner(*next).is_none_or(|row| window.reaches(row)) => {
                    (*next, false)
                }
                None => return Ok(Some(group)),
            };
            let place = self.scan.tiles[rank];
            let tile = loads.cursors[place.0].tile(place.1);
            let more = tile.map_or(0, |(tile, _)| loads.cursors[place.0].fragment.cells_in_tile(tile));
            need = need.saturating_add(loads.need(&place, Some(plan))?);
            if self.retains_tiles && need > half_left && group.is_empty() && !window.picked.is_empty() {
                return Ok(None);
            }
            if !group.is_empty() && (cells.saturating_add(more) > most || (self.retains_tiles && need > half_left)) {
                return Ok(Some(group));
            }
            cells = cells.saturating_add(more);
            group.push((rank, again));
            match again {
                true => _ = self.again.pop(),
                false => *next += 1,
            }
        }
    }
}
