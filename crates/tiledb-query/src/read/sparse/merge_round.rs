//! Merge rounds: cells from slices of several tiles are sorted by their keys, superseded cells dropped, and consecutive
//! cells of a tile joined to runs.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;
use std::sync::Arc;

use super::cell_indexes::CellIndexes;
use super::cell_run::CellRun;
use super::fragment_cursor::FragmentCursor;
use super::keyed_tile::KeyedTile;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::sort::{BLOCK, Codes, KeySource, SortedCodes, sort};
use tiledb_cells::keys::ties::each_run;
use tiledb_cells::keys::words::CellKeys;
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::{CELLS_PER_FREED_PART, CELLS_PER_JOIN_TASK, MIN_FREED_CODES};
use tiledb_core::memory;
use tiledb_storage::resources::Resources;

/// How cells with equal coordinates are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicatePolicy {
    /// All: those of earlier fragments first, and of a fragment in its order, however many are merged at a time.
    Any,
    /// Only the latest; of equally late ones that of the last fragment, and of those in one fragment, which consolidation
    /// has stored, the first, as in libtiledb.
    Latest,
    /// All, from the latest to the earliest; equally late ones in the order of precedence, too.
    LatestFirst,
    /// As `LatestFirst`, of equally late ones only the first: no reader sees the others.
    EachTime,
    /// As `EachTime`, up to the first that does not match the conditions: it supersedes the others.
    Living,
}

/// Part of a tile whose cells are sorted in a round.
pub(super) struct TileSlice {
    pub tile: Arc<KeyedTile>,
    pub places: CellIndexes,
}

/// The input of one merge round: slices of tiles. A cell is identified by a code: the number of its slice in the upper
/// bits, its index among the selected cells of the tile in the lower ones, so that later fragments have greater codes.
pub(super) struct MergeRound<'p> {
    plan: &'p KeyPlan,
    slots: &'p [TileSlice],
    cursors: &'p [FragmentCursor],
    /// The coordinates of each part's tile.
    coords: Vec<Vec<Coords<'p>>>,
    /// The number of cells of the slices before each.
    starts: Vec<usize>,
    /// The number of cells.
    count: usize,
    /// How many bits of a code are the index.
    place_bits: u32,
    /// Whether some cells do not match the conditions.
    has_tombstones: bool,
}

impl<'p> MergeRound<'p> {
    /// Slices of tiles of these cursors.
    pub(super) fn new(plan: &'p KeyPlan, slots: &'p [TileSlice], cursors: &'p [FragmentCursor]) -> MergeRound<'p> {
        let most = slots.iter().map(|slot| slot.tile.tile.cells).max().unwrap_or(0) as u64;
        let coords = slots.iter().map(|slot| slot.tile.coords()).collect();
        let mut count = 0;
        let mut starts = Vec::with_capacity(slots.len());
        for slot in slots {
            starts.push(count);
            count += slot.places.len();
        }
        let has_tombstones = slots.iter().any(|slot| slot.tile.tile.has_tombstones());
        MergeRound {
            plan,
            slots,
            cursors,
            coords,
            starts,
            count,
            place_bits: 64 - most.leading_zeros(),
            has_tombstones,
        }
    }

    /// The codes of all cells in the order of the first words of their keys.
    ///
    /// # Errors
    /// If memory does not suffice, or the work is cancelled.
    pub(super) fn sort(&self, resources: &Resources) -> Result<SortedCodes> {
        let code_bits = self.place_bits + 64 - (self.slots.len() as u64).leading_zeros();
        sort(self, code_bits, resources.pools(), resources.cancel())
    }

    /// Sorts cells with equal first words, and resolves duplicates as `equal` says. Returns the positions of the
    /// superseded cells, in ascending order.
    ///
    /// # Errors
    /// As [`MergeRound::sort`].
    pub(super) fn resolve_duplicates(
        &self,
        sorted: &mut SortedCodes,
        equal: DuplicatePolicy,
        resources: &Resources,
    ) -> Result<Vec<usize>> {
        let one_word = self.plan.is_one_exact_word();
        if one_word && equal == DuplicatePolicy::Any {
            return Ok(Vec::new());
        }
        let resolve_duplicates = |codes: &mut [u64], mut start: usize, superseded: &mut Vec<usize>| {
            if !one_word {
                codes.sort_unstable_by(|&a, &b| self.compare(a, b).then(a.cmp(&b)));
            }
            if equal == DuplicatePolicy::Any {
                return Ok(());
            }
            for codes in codes.chunk_by_mut(|&a, &b| one_word || self.compare(a, b).is_eq()) {
                memory::reserve("merging", superseded, codes.len())?;
                self.mark_superseded(codes, equal, |place| superseded.push(start + place));
                start += codes.len();
            }
            Ok(())
        };
        each_run(&mut sorted.codes, &sorted.ties, resources.pools(), resources.cancel(), &resolve_duplicates)
    }

    /// Sorts cells with equal coordinates and reports which of them are superseded, from first to last.
    fn mark_superseded(&self, codes: &mut [u64], equal: DuplicatePolicy, mut superseded: impl FnMut(usize)) {
        if equal == DuplicatePolicy::Latest {
            let winner = (0..codes.len()).min_by_key(|&at| self.precedence(codes[at])).unwrap_or(0);
            return (0..codes.len()).filter(|&at| at != winner).for_each(superseded);
        }
        codes.sort_unstable_by_key(|&code| self.precedence(code));
        if equal == DuplicatePolicy::LatestFirst {
            return;
        }
        let mut is_living = true;
        let mut last = None;
        for (place, &code) in codes.iter().enumerate() {
            let time = self.precedence(code).0;
            let is_first = last.replace(time) != Some(time);
            is_living &= !is_first || equal != DuplicatePolicy::Living || self.passes(code);
            if !(is_first && is_living) {
                superseded(place);
            }
        }
    }

    /// True if the cells that are not superseded come from one fragment.
    pub(super) fn are_of_one_fragment(&self, codes: &[u64], superseded: &[usize]) -> bool {
        let mut superseded = superseded.iter().peekable();
        let visible = codes.iter().enumerate().filter(|(place, _)| superseded.next_if_eq(&place).is_none());
        let mut origins = visible.map(|(_, &code)| self.slots[self.split(code).0].tile.tile.cursor);
        let first = origins.next();
        origins.all(|origin| Some(origin) == first)
    }

    /// True if a cell matches the conditions.
    pub(super) fn passes(&self, code: u64) -> bool {
        let (slot, place) = self.split(code);
        self.slots[slot].tile.tile.passes_at(place)
    }

    /// Joins consecutive cells of a tile to runs, without those that are superseded or do not match the conditions. A
    /// superseded cell ends a run, and aggregates decode its neighbours one by one; if conditions drop cells as well,
    /// runs span all that is dropped. Each thread joins the cells of a part, and runs end with it. The memory of the
    /// codes is freed while that of the runs is filled, from the last to the first.
    ///
    /// # Errors
    /// As [`MergeRound::sort`].
    pub(super) fn cell_runs(
        &self,
        mut codes: Vec<u64>,
        superseded: &[usize],
        resources: &Resources,
    ) -> Result<Vec<CellRun>> {
        let pools = resources.pools();
        let cancel = resources.cancel();
        let count = codes.len();
        let threads = pools.parts(count, CELLS_PER_JOIN_TASK.count_or(cfg!(test), 7));
        let parts = match threads * (count / CELLS_PER_FREED_PART.count_or(cfg!(test), 20)).max(1) {
            // As many runs as cells at most: memory that no run needs is never touched.
            1 => vec![(0..count, count)],
            // Counted first, so that all threads write to their places in the result.
            parts => pools.map_parts(count, parts, count * size_of::<CellRun>(), cancel, |places| {
                let mut runs = 0;
                self.for_runs(&codes, places.clone(), superseded, |_| runs += 1);
                Ok((places, runs))
            })?,
        };
        let sizes = parts.iter().map(|(_, runs)| *runs).enumerate();
        let mut cell_runs = memory::written_by("slabs", parts.len(), sizes, |slots| {
            for (slots, parts) in slots.chunks_mut(threads).zip(parts.chunks(threads)).rev() {
                // Those of a group: few cells are not worth the threads.
                let cells: usize = parts.iter().map(|(places, _)| places.len()).sum();
                pools.for_each_mut(slots, cells * size_of::<CellRun>(), cancel, |part, slots| {
                    slots.iter_mut().for_each(|slot| {
                        self.for_runs(&codes, parts[part].0.clone(), superseded, |cell_run| slot.push(cell_run));
                    });
                    Ok(())
                })?;
                codes.truncate(parts[0].0.start);
                if codes.len() >= MIN_FREED_CODES.count_or(cfg!(test), 50) {
                    codes.shrink_to_fit();
                }
            }
            Ok(())
        })?;
        cell_runs.shrink_to_fit();
        Ok(cell_runs)
    }

    /// Passes the runs of some cells on.
    fn for_runs(&self, codes: &[u64], places: Range<usize>, superseded: &[usize], mut take: impl FnMut(CellRun)) {
        let filters = self.has_tombstones;
        let mut superseded =
            superseded[superseded.partition_point(|&superseded| superseded < places.start)..].iter().peekable();
        // Nothing yet.
        let mut run = CellRun { tile: 0, first: 0, len: 0 };
        let mut is_ended = true;
        for place in places {
            if superseded.next_if_eq(&&place).is_some() {
                is_ended |= !filters;
                continue;
            }
            let code = codes[place];
            if filters && !self.passes(code) {
                continue;
            }
            let (slot, selected) = self.split(code);
            let cell =
                CellRun { tile: slot as u32, first: self.slots[slot].tile.tile.selected_at(selected) as u32, len: 1 };
            if !is_ended && run.is_followed_by(&cell) {
                run.len += 1;
                continue;
            }
            if run.len > 0 {
                take(run);
            }
            (run, is_ended) = (cell, false);
        }
        if run.len > 0 {
            take(run);
        }
    }

    /// The slice and the index in it.
    #[inline]
    fn split(&self, code: u64) -> (usize, usize) {
        ((code >> self.place_bits) as usize, (code & ((1 << self.place_bits) - 1)) as usize)
    }

    /// Compares two cells by all their keys and coordinates.
    fn compare(&self, a: u64, b: u64) -> Ordering {
        let ((s, i), (t, j)) = (self.split(a), self.split(b));
        let keyed = |slot: usize| CellKeys { keys: &self.slots[slot].tile.keys, coords: &self.coords[slot] };
        self.plan.compare_exactly(keyed(s), self.slots[s].tile.row(i), keyed(t), self.slots[t].tile.row(j))
    }

    /// The rank of a cell among equal ones: later cells first, of these the cells of later fragments, and of these the
    /// first.
    fn precedence(&self, code: u64) -> (Reverse<u64>, Reverse<usize>, u64) {
        let (slot, place) = self.split(code);
        let tile = &self.slots[slot].tile.tile;
        let time = tile.time_at(place, self.cursors[tile.cursor].fragment.timestamps().0);
        (Reverse(time), Reverse(tile.cursor), code)
    }
}

impl KeySource for MergeRound<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn block<'a>(&'a self, range: Range<usize>, buffers: &'a mut [[u64; BLOCK]; 2]) -> (&'a [u64], Codes<'a>) {
        let [words, codes] = buffers;
        let mut slot = self.starts.partition_point(|&start| start <= range.start).saturating_sub(1);
        let mut filled = 0;
        while filled < range.len() {
            let TileSlice { tile, places } = &self.slots[slot];
            let above = (slot as u64) << self.place_bits;
            let first = range.start + filled - self.starts[slot];
            let len = (places.len() - first).min(range.len() - filled);
            let (out, out_codes) = (&mut words[filled..filled + len], &mut codes[filled..filled + len]);
            match places {
                CellIndexes::Range(all) => {
                    let indexes = all.start + first..all.start + first + len;
                    match tile.first_words(indexes.clone()) {
                        Some(words) if len == range.len() => {
                            return (words, Codes::From(above | indexes.start as u64));
                        }
                        Some(words) => out.copy_from_slice(words),
                        None => out.iter_mut().zip(indexes.clone()).for_each(|(out, at)| *out = tile.first_word(at)),
                    }
                    (above | indexes.start as u64..).zip(out_codes).for_each(|(code, out)| *out = code);
                }
                CellIndexes::List(list) => {
                    for ((word, code), &at) in out.iter_mut().zip(out_codes).zip(&list[first..]) {
                        (*word, *code) = (tile.first_word(at as usize), above | u64::from(at));
                    }
                }
            }
            (filled, slot) = (filled + len, slot + 1);
        }
        (&words[..filled], Codes::Each(&codes[..filled]))
    }

    fn keys_of(&self, codes: &[u64], out: &mut [u64]) {
        for (out, &code) in out.iter_mut().zip(codes) {
            let (slot, at) = self.split(code);
            *out = self.slots[slot].tile.first_word(at);
        }
    }
}

/// The cells in order, and whether all of them come from one fragment, if these are all cells of a read.
///
/// # Errors
/// As [`MergeRound::sort`].
pub(super) fn in_order(
    plan: &KeyPlan,
    slots: &[TileSlice],
    cursors: &[FragmentCursor],
    equal: DuplicatePolicy,
    resources: &Resources,
    is_whole: bool,
) -> Result<(Vec<CellRun>, bool)> {
    let round = MergeRound::new(plan, slots, cursors);
    let mut sorted = round.sort(resources)?;
    let superseded = round.resolve_duplicates(&mut sorted, equal, resources)?;
    let of_one_fragment = is_whole && round.are_of_one_fragment(&sorted.codes, &superseded);
    Ok((round.cell_runs(sorted.codes, &superseded, resources)?, of_one_fragment))
}
