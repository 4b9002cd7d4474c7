//! The sparse reader: batch by batch, tiles are loaded, their selected cells determined and, if tiles of several
//! fragments overlap or another order is requested, merged; then fields are decoded and copied to the user's buffers. A
//! batch that does not fit into the buffers is retained, decoded, for the next step.

use std::cmp::Ordering;
use std::sync::Arc;

use super::batch::{BatchPosition, TileBatch};
use super::copy::CopyContext;
use super::field_source::FieldSource;
use super::fragment_cursor::FragmentCursor;
use super::keyed_tile::KeyedTile;
use super::load::TileLoader;
use super::load_context::LoadContext;
use super::loaded_tile::LoadedTile;
use super::merge::Merger;
use super::merge_round::DuplicatePolicy;
use super::merge_runs;
use super::merge_runs::{MergeRun, TileSpan};
use super::ordered_scan::OrderedScan;
use super::plan::{RequestedField, SparsePlan, SpecialFields};
use super::range_order::RangeOrder;
use super::range_repeats::RangeRepeats;
use super::remaining::{RemainingCells, skip_delivered};
use tiledb_array::array::OpenArray;
use tiledb_cells::columns::output::Outputs;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_core::budget::Budget;
use tiledb_core::error::Result;

use crate::read::position::ReadPosition;
use crate::read::spec::{CellVersions, QueryReader, ReadProgress, ReadSpec};
use tiledb_cells::keys::plan::{CellOrder, KeyPlan};
use tiledb_cells::space::selector::RangeSelector;
use tiledb_core::limits::sparse_read::{BATCH_BYTES_PER_THREAD, MAX_BATCH_BYTES};
use tiledb_core::pool::ProgressCounter;
use tiledb_core::stats::{Counter, Stats, Timer};
use tiledb_core::types::{CellRange, Datatype, Layout};

pub struct SparseReader {
    pub array: Arc<OpenArray>,
    fields: Vec<RequestedField>,
    selector: RangeSelector,
    /// The fragments.
    pub cursors: Vec<FragmentCursor>,
    /// The remaining runs; the next one last.
    pub runs: Vec<MergeRun>,
    merger: Option<Merger>,
    versions: CellVersions,
    places: SpecialFields,
    /// Bytes of the tiles of a batch, about.
    batch_bytes: usize,
    pub budget: Budget,
    /// How often cells in overlapping ranges are delivered, where that is more than once.
    repeats: Option<RangeRepeats>,
    /// The order of cells that come from a single fragment.
    range_order: Option<RangeOrder>,
    /// Puts cells in row- or column-major order.
    scan: Option<OrderedScan>,
    batch: Option<TileBatch>,
    /// Batches to be delivered first, the next of them last.
    returned: Vec<TileBatch>,
    stats: Stats,
    /// Counts the cells of tiles: those that are loaded, and those that are delivered or not selected.
    pub tally: ProgressCounter,
    needs_coordinates: bool,
    /// All cells of its tiles are compared: ranges were set, or another order.
    compares: bool,
}

/// A point in the order of the cells: coordinates with their dimensions and types, the slowest first.
pub type Corner = [(usize, Datatype, Vec<u8>)];

/// Minimum memory of reads in row- or column-major order, whatever the budget: libtiledb ignores it for these.
const MIN_ORDERED: u64 = if cfg!(test) { 1 << 14 } else { 1 << 20 };

/// About how many bytes the tiles of a batch take; no more than an eighth of the budget, which must hold keys and waiting tiles too.
fn batch_bytes(threads: usize, budget: &Budget) -> usize {
    let most = BATCH_BYTES_PER_THREAD.bytes().saturating_mul(threads as u64).min(MAX_BATCH_BYTES.bytes());
    usize::try_from((budget.limit() / 8).clamp(1, most)).unwrap_or(usize::MAX)
}

impl SparseReader {
    /// Prepares a read.
    ///
    /// # Errors
    /// If a field cannot be read, or tables of a fragment are not valid.
    pub fn new(spec: &ReadSpec) -> Result<SparseReader> {
        SparseReader::prepare(spec, true)
    }

    /// As [`SparseReader::new`], but cells may come in any order.
    ///
    /// # Errors
    /// As there.
    pub fn in_any_order(spec: &ReadSpec) -> Result<SparseReader> {
        SparseReader::prepare(spec, false)
    }

    fn prepare(spec: &ReadSpec, ordered: bool) -> Result<SparseReader> {
        let _timer = spec.stats.timer(Timer::ReadPrepareSparse);
        let plan = SparsePlan::new(spec)?;
        let schema = spec.array.schema();
        let by_rows = matches!(spec.layout, Layout::RowMajor | Layout::ColMajor);
        let least = if by_rows { MIN_ORDERED } else { 0 };
        let budget = spec.memory(least)?;
        let order = match spec.layout {
            Layout::RowMajor => CellOrder::Row,
            Layout::ColMajor => CellOrder::Col,
            _ => CellOrder::Global,
        };
        let keys = match merge_runs::is_plain(spec, &plan.cursors) {
            true => None,
            false => Some(KeyPlan::new(schema, order, plan.inside)?),
        };
        let timer = spec.stats.timer(Timer::ReadOrder);
        let mut runs = merge_runs::runs(spec, &plan.cursors, keys.as_ref(), ordered)?;
        drop(timer);
        runs.reverse();
        let equal = match (spec.versions, schema.allows_dups()) {
            (CellVersions::Latest, true) => DuplicatePolicy::Any,
            (CellVersions::Latest, false) => DuplicatePolicy::Latest,
            (CellVersions::Living, false) => DuplicatePolicy::Living,
            (CellVersions::All, false) => DuplicatePolicy::EachTime,
            (CellVersions::All | CellVersions::Living, true) => DuplicatePolicy::LatestFirst,
        };
        if order != CellOrder::Global {
            // The counter appears in the statistics even if it is 0.
            spec.stats.add(Counter::ReaderCells, 0);
        }
        let range_order = if order == CellOrder::Global { None } else { RangeOrder::new(&spec.subarray) };
        let (scan, merger) = match keys {
            Some(keys) if order != CellOrder::Global => {
                (Some(OrderedScan::new(keys, equal, &plan.cursors, range_order.is_some())?), None)
            }
            keys => (None, keys.map(|keys| Merger::new(keys, equal))),
        };
        let repeats = order != CellOrder::Global || (spec.layout == Layout::Unordered && !spec.subarray.merges());
        Ok(SparseReader {
            array: spec.array.clone(),
            fields: plan.fields,
            selector: plan.selector,
            cursors: plan.cursors,
            runs,
            merger,
            versions: spec.versions,
            places: plan.places,
            batch_bytes: batch_bytes(spec.array.resources().pools().compute(), &budget),
            budget,
            repeats: if repeats { RangeRepeats::new(&spec.subarray) } else { None },
            range_order,
            scan,
            batch: None,
            returned: Vec::new(),
            stats: spec.stats.clone(),
            tally: spec.tally.clone(),
            needs_coordinates: needs_coordinates(spec),
            compares: !spec.subarray.is_default() || order != CellOrder::Global,
        })
    }

    /// To the tiles.
    pub fn access(&self) -> DecodeContext<'_> {
        DecodeContext::new(&self.array, &self.budget, &self.stats).of_sparse(self.needs_coordinates, self.compares)
    }

    /// True if cells in overlapping ranges are delivered more than once.
    pub fn repeats(&self) -> bool {
        self.repeats.is_some()
    }

    /// Delivers cells in ascending order whatever the order of the ranges is, copies of one consecutively.
    pub fn ignore_order_of_ranges(&mut self) {
        self.range_order = None;
    }

    /// Loads tiles, to be merged or delivered as they are.
    pub fn loader(&self, merges: bool) -> TileLoader<'_> {
        TileLoader {
            access: self.access(),
            selector: &self.selector,
            all_coords: merges || self.repeats.is_some(),
            fields: self.fields.len(),
            filters_late: merges && (!self.array.schema().allows_dups() || self.range_order.is_some()),
            window: self.array.timestamps(),
            versions: self.versions,
            unique: !self.array.schema().allows_dups(),
            places: self.places,
        }
    }

    /// Loads tiles, to be merged or delivered as they are.
    fn loads(&self, merges: bool) -> LoadContext<'_> {
        LoadContext {
            array: &self.array,
            cursors: &self.cursors,
            loader: self.loader(merges),
            budget: &self.budget,
            stats: &self.stats,
            tally: &self.tally,
            repeats: self.repeats.is_some(),
        }
    }

    /// The next cells. The functions that it calls are not inlined: each has a large frame, and only one is on the stack.
    pub fn next_batch(&mut self) -> Result<Option<TileBatch>> {
        loop {
            let batch = match self.scan.is_some() {
                true => self.next_scanned()?,
                false => self.next_merged()?.map_or_else(|| self.next_alone(), |batch| Ok(Some(batch)))?,
            };
            if let Some(mut batch) = batch {
                let is_ordered = self
                    .range_order
                    .as_ref()
                    .map_or(Ok(false), |range_order| batch.order(range_order, &self.budget))?;
                if let Some(repeats) = self.repeats.as_ref().filter(|_| !is_ordered) {
                    batch.repeat(repeats, &self.budget)?;
                }
                return Ok(Some(batch));
            }
            match self.runs.pop() {
                Some(MergeRun::Merged(members)) => self.begin(members),
                Some(alone) => self.runs.push(alone),
                None => return Ok(None),
            }
        }
    }

    /// The next cells in row- or column-major order.
    #[inline(never)]
    fn next_scanned(&mut self) -> Result<Option<TileBatch>> {
        let Some(mut scan) = self.scan.take() else { return Ok(None) };
        let batch = scan.next(&self.loads(true));
        self.scan = Some(scan);
        if matches!(batch, Ok(None)) {
            self.runs.clear();
        }
        batch
    }

    /// Begins to merge tiles.
    fn begin(&mut self, members: Vec<TileSpan>) {
        for (cursor, places) in &members {
            (self.cursors[*cursor].next, self.cursors[*cursor].end) = (places.start, places.end);
        }
        if let Some(merger) = &mut self.merger {
            merger.begin(members.into_iter().map(|member| member.0).collect());
        }
    }

    /// The next tiles that are delivered as they are, if it is their turn.
    #[inline(never)]
    fn next_alone(&mut self) -> Result<Option<TileBatch>> {
        loop {
            let mut places = Vec::new();
            let mut bytes = 0usize;
            while let Some(MergeRun::Alone((number, run))) = self.runs.last_mut() {
                if bytes >= self.batch_bytes {
                    break;
                }
                match run.next() {
                    Some(place) => {
                        places.push((*number, place));
                        bytes = bytes.saturating_add(self.cursors[*number].tile_bytes);
                    }
                    None => _ = self.runs.pop(),
                }
            }
            if places.is_empty() {
                return Ok(None);
            }
            let mut tiles = self.loads(false).load(&places, None, false, |_, tile, _| Ok(tile))?;
            tiles.retain(|tile| tile.selected_count() > 0);
            if !tiles.is_empty() {
                return TileBatch::of_tiles(tiles, &self.budget).map(Some);
            }
        }
    }

    /// The next cells of the fragments that are merged now.
    #[inline(never)]
    fn next_merged(&mut self) -> Result<Option<TileBatch>> {
        let Some(mut merger) = self.merger.take() else { return Ok(None) };
        let batch = self.fill_and_take(&mut merger);
        self.merger = Some(merger);
        batch
    }

    #[inline(never)]
    fn fill_and_take(&mut self, merger: &mut Merger) -> Result<Option<TileBatch>> {
        if merger.members().is_empty() {
            return Ok(None);
        }
        let mut share = self.batch_bytes / merger.members().len();
        loop {
            let mut places = Vec::new();
            for (member, &number) in merger.members().iter().enumerate() {
                let cursor = &mut self.cursors[number];
                let room = (share / cursor.tile_bytes.max(1)).max(1);
                let mut waiting = merger.waiting(member);
                while !cursor.is_done() && waiting < room {
                    places.push((number, cursor.next));
                    cursor.next += 1;
                    waiting += 1;
                }
            }
            let loads = self.loads(true);
            if !places.is_empty() {
                merger.compact(&self.cursors, loads.loader.access)?;
            }
            if loads.is_short() {
                merger.forget(&self.cursors);
            }
            let plan = merger.keys();
            for tile in loads.load(&places, Some(plan), false, |_, tile, access| KeyedTile::new(plan, tile, access))? {
                merger.push(tile);
            }
            let taken = {
                let _timer = self.stats.timer(Timer::ReadMerge);
                merger.take(&self.cursors, self.array.resources(), &self.budget)?
            };
            if taken.is_some() {
                return Ok(taken);
            }
            let mut open = merger.members().iter().map(|&member| &self.cursors[member]).filter(|s| !s.is_done());
            let Some(first) = open.next() else {
                merger.begin(Vec::new());
                return Ok(None);
            };
            // No cells were complete: load more tiles.
            share = share.max(1).saturating_mul(2);
            if places.is_empty() {
                share = open.map(|cursor| cursor.tile_bytes).fold(share.max(first.tile_bytes), usize::max);
            }
        }
    }
}

impl SparseReader {
    /// Loads the next batch if there is none; false at the end.
    ///
    /// # Errors
    /// From storage and for corrupt data.
    pub fn is_ready(&mut self) -> Result<bool> {
        if self.batch.is_none() {
            self.batch = self.returned.pop();
        }
        if self.batch.is_none() {
            self.batch = self.next_batch()?;
        }
        Ok(self.batch.is_some())
    }

    /// True once nothing is left to be read.
    pub fn is_done(&self) -> bool {
        self.batch.is_none() && self.returned.is_empty() && self.scan.as_ref().is_none_or(OrderedScan::is_done)
    }

    /// Releases the memory of a reader that is not used any more.
    pub fn release(&mut self) {
        self.batch = None;
        self.returned.clear();
        self.runs.clear();
        self.scan = None;
        self.merger = None;
    }

    /// Where the next cell of the batch is.
    pub fn position_in_batch(&self) -> Option<BatchPosition> {
        self.batch.as_ref().map(TileBatch::position)
    }

    /// Goes back to a position in the batch.
    pub fn return_to(&mut self, position: Option<BatchPosition>) {
        if let (Some(batch), Some(position)) = (&mut self.batch, position) {
            batch.return_to(position);
        }
    }

    /// The next cell of the batch, as the window that it is in and its number there, if the reader can return to it.
    pub fn window_position(&self) -> Option<(u64, usize)> {
        let sorted = self.batch.as_ref()?.sorted()?;
        Some((sorted.window, sorted.next))
    }

    /// Returns to a cell; false if its window is no longer in memory.
    pub fn rewind(&mut self, (window, cell): (u64, usize)) -> bool {
        let is_there = self.scan.as_mut().is_some_and(|scan| scan.rewind(window, cell));
        if is_there {
            self.batch = None;
            self.returned.clear();
        }
        is_there
    }

    /// A copy of the batch, to be returned later; `None` if memory is short.
    pub fn copy_of_batch(&self) -> Option<TileBatch> {
        self.batch.clone().filter(|_| self.budget.available() >= self.budget.limit() / 2)
    }

    /// Delivers batches again, in this order, before the current one.
    pub fn return_batches(&mut self, batches: Vec<TileBatch>) {
        self.returned.extend(self.batch.take());
        self.returned.extend(batches.into_iter().rev());
    }

    /// Skips cells of the batch.
    pub fn skip(&mut self, cells: usize) {
        if let Some(batch) = &mut self.batch {
            batch.advance(cells);
        }
        self.batch.take_if(|batch| batch.is_done());
    }

    /// True if there is a batch.
    pub fn has_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// How many of the batch's cells do not follow a corner; without one, all. All have their coordinates.
    pub fn waiting(&self, corner: Option<&Corner>) -> usize {
        let Some(batch) = &self.batch else { return 0 };
        let Some(corner) = corner else { return batch.waiting() };
        if let Some(sorted) = batch.sorted() {
            return sorted.coordinates.count_up_to(sorted.next..sorted.next + batch.waiting(), corner);
        }
        let is_after = |tile: &LoadedTile, cell: usize| {
            let compared = corner.iter().map(|(dimension, datatype, end)| {
                let value = tile.coordinate(*dimension, cell, datatype.size());
                value.map_or(Ordering::Equal, |value| CellRange::compare(*datatype, value, end))
            });
            compared.fold(Ordering::Equal, Ordering::then).is_gt()
        };
        batch.waiting_before(is_after)
    }

    /// Maximum number of result cells, unless some are repeated.
    pub fn max_cells(&self) -> u64 {
        let cells =
            |cursor: &FragmentCursor| (cursor.tiles.count() as u64).saturating_mul(cursor.fragment.cells_in_tile(0));
        self.cursors.iter().map(cells).fold(0, u64::saturating_add)
    }

    /// Maximum number of value bytes of a variable field.
    ///
    /// # Errors
    /// If tables of a fragment are not valid.
    pub fn max_values(&self, field: usize) -> Result<u64> {
        let mut bytes = 0u64;
        for cursor in &self.cursors {
            for (tile, _) in (0..cursor.tiles.count()).filter_map(|place| cursor.tile(place)) {
                bytes = bytes.saturating_add(match &cursor.sources[field] {
                    FieldSource::Stored(field) | FieldSource::Coordinate(_, field) => {
                        cursor.fragment.var_tile_size(field, tile)?
                    }
                    FieldSource::Constant { value, .. } => {
                        cursor.fragment.cells_in_tile(tile).saturating_mul(value.len() as u64)
                    }
                    // Of fixed size.
                    FieldSource::Deletion(_) => 0,
                });
            }
        }
        Ok(bytes)
    }

    /// Bytes of a cell of a fixed field.
    pub fn cell_size(&self, field: usize) -> usize {
        self.fields[field].cell_size
    }

    /// Delivers as many cells of the batch as fit, at most `most`; none if `all` is set and fewer fit. Returns how
    /// many.
    ///
    /// # Errors
    /// From storage and for corrupt data.
    pub fn deliver(&mut self, out: &mut Outputs<'_>, most: usize, all: bool) -> Result<usize> {
        let Some(batch) = &mut self.batch else { return Ok(0) };
        let access =
            DecodeContext::new(&self.array, &self.budget, &self.stats).of_sparse(self.needs_coordinates, self.compares);
        let shared = CopyContext {
            array: &self.array,
            access,
            budget: &self.budget,
            fields: &self.fields,
            cursors: &self.cursors,
        };
        let _timer = self.stats.timer(if self.merger.is_none() { Timer::ReadCopyTiles } else { Timer::ReadCopy });
        let cells = batch.deliver(&shared, out, most, all)?;
        self.tally.add(cells as u64);
        if batch.is_done() {
            self.batch = None;
        }
        Ok(cells)
    }
}

impl QueryReader for SparseReader {
    fn step(&mut self, out: &mut Outputs<'_>) -> Result<ReadProgress> {
        while self.is_ready()? {
            self.deliver(out, usize::MAX, false)?;
            if self.batch.is_some() {
                return Ok(ReadProgress::Incomplete);
            }
        }
        Ok(ReadProgress::Done)
    }

    fn steps(&self) -> u64 {
        let cells = |(cursor, places): &TileSpan| {
            let most = self.cursors[*cursor].fragment.cells_in_tile(0);
            most.saturating_mul(places.len() as u64)
        };
        let of_run = |run: &MergeRun| match run {
            MergeRun::Alone(places) => cells(places),
            MergeRun::Merged(members) => members.iter().map(cells).sum(),
        };
        self.runs.iter().map(of_run).sum::<u64>().saturating_mul(2)
    }

    fn position(&self) -> Result<ReadPosition> {
        let cursors = &self.cursors[..];
        let runs = &self.runs[..];
        let left = RemainingCells { cursors, runs, merger: self.merger.as_ref(), batch: self.batch.as_ref() };
        left.first_cells(self.array.fragments()?).map(ReadPosition::Cells)
    }

    fn resume_from(&mut self, position: &ReadPosition) -> Result<()> {
        let latest = !self.array.schema().allows_dups() && self.versions == CellVersions::Latest;
        let latest =
            latest.then(|| (DecodeContext::new(&self.array, &self.budget, &self.stats), self.array.timestamps()));
        skip_delivered(&mut self.cursors, &mut self.runs, self.array.fragments()?, position.cells()?, latest)
    }
}

/// True if a sparse read decodes the coordinates of all its tiles: to merge them, or since ranges were set.
fn needs_coordinates(spec: &ReadSpec) -> bool {
    let is_merged = !spec.array.schema().allows_dups() || spec.layout == Layout::GlobalOrder;
    is_merged || !spec.subarray.is_default() || spec.versions != CellVersions::Latest
}
