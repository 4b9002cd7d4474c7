//! The remaining cells of a sparse read, by fragment: the delivered ones are a prefix of each.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::batch::TileBatch;
use super::fragment_cursor::FragmentCursor;
use super::merge::{CellPosition, Merger};
use super::merge_runs::{MergeRun, TileSpan};
use crate::read::position::FirstCell;
use tiledb_array::fragment::{Fragment, TIMESTAMPS};
use tiledb_array::schema::Field;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::decoded::{DecodedTile, read_field};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Datatype;

/// The state of a reader that determines its remaining cells.
pub(super) struct RemainingCells<'a> {
    pub cursors: &'a [FragmentCursor],
    pub runs: &'a [MergeRun],
    pub merger: Option<&'a Merger>,
    pub batch: Option<&'a TileBatch>,
}

impl RemainingCells<'_> {
    /// The first cell that is left of each fragment.
    ///
    /// # Errors
    /// Between copies of one cell.
    pub(super) fn first_cells(&self, fragments: &[Arc<Fragment>]) -> Result<Vec<FirstCell>> {
        if self.batch.is_some_and(TileBatch::is_within_copies) {
            bail!("Cannot tell where the read stands; it stands between copies of a cell in several ranges");
        }
        let in_batch = match self.tombstones()? {
            Some(tombstones) => tombstones.first_cells()?,
            None => self.batch.map(TileBatch::first_cells).unwrap_or_default(),
        };
        let in_runs = self.first_places();
        let mut cursors = self.cursors.iter().enumerate().peekable();
        let mut first = |fragment: &Arc<Fragment>| {
            let cursor = cursors.next_if(|(_, cursor)| Arc::ptr_eq(&cursor.fragment, fragment));
            let first = cursor.and_then(|(number, cursor)| {
                let waiting = || self.merger.and_then(|merger| merger.first_waiting(number));
                let in_tiles = || {
                    let merged = self.merger.filter(|merger| merger.members().binary_search(&number).is_ok());
                    let next = merged.filter(|_| !cursor.is_done()).map(|_| cursor.next);
                    let place = next.into_iter().chain(in_runs.get(&number).copied()).min()?;
                    Some(FirstCell { tile: cursor.tile(place)?.0, cell: 0 })
                };
                in_batch.get(&number).copied().or_else(waiting).or_else(in_tiles)
            });
            first.unwrap_or_else(|| FirstCell { tile: fragment.tile_count(), cell: 0 })
        };
        Ok(fragments.iter().map(&mut first).collect())
    }

    /// The first position of each cursor in the runs.
    fn first_places(&self) -> HashMap<usize, usize> {
        let mut first: HashMap<usize, usize> = HashMap::new();
        for (cursor, places) in self.runs.iter().flat_map(MergeRun::places).filter(|(_, places)| !places.is_empty()) {
            let place = first.entry(*cursor).or_insert(places.start);
            *place = places.start.min(*place);
        }
        first
    }

    /// The batch, if it contains tombstones.
    fn tombstones(&self) -> Result<Option<TombstoneBatch<'_>>> {
        let Some((merger, batch)) = self.merger.zip(self.batch) else { return Ok(None) };
        let next = batch.next_cell().filter(|_| batch.tiles.iter().any(|tile| tile.has_tombstones()));
        let Some((tile, cell)) = next else { return Ok(None) };
        Ok(Some(TombstoneBatch { merger, batch, next: merger.position_before(tile, cell)? }))
    }
}

/// A batch with tombstones: cells that do not match the conditions, but supersede older ones. They remain as long as
/// those may follow.
struct TombstoneBatch<'a> {
    merger: &'a Merger,
    batch: &'a TileBatch,
    next: CellPosition<'a>,
}

impl TombstoneBatch<'_> {
    /// The first remaining cell of each cursor.
    fn first_cells(&self) -> Result<HashMap<usize, FirstCell>> {
        let mut first = HashMap::new();
        for tile in &self.batch.tiles {
            if let Entry::Vacant(place) = first.entry(tile.cursor)
                && let Some(cell) = self.merger.first_after(tile, &self.next)?
            {
                place.insert(FirstCell { tile: tile.tile, cell: cell as u64 });
            }
        }
        Ok(first)
    }
}

/// Skips cells before these, one of each fragment; if only the latest of equal cells in a window of time counts, `latest` is used to
/// look for older ones.
///
/// # Errors
/// If the array has other fragments, or coordinates cannot be read.
pub(super) fn skip_delivered(
    cursors: &mut [FragmentCursor],
    runs: &mut Vec<MergeRun>,
    fragments: &[Arc<Fragment>],
    first: &[FirstCell],
    latest: Option<(DecodeContext<'_>, TimeWindow)>,
) -> Result<()> {
    if first.len() != fragments.len() {
        bail!("Cannot go on with the read; it stands in {} fragments, the array has {}", first.len(), fragments.len());
    }
    let mut cells = fragments.iter().zip(first);
    for cursor in &mut *cursors {
        if let Some((_, first)) = cells.find(|(fragment, _)| Arc::ptr_eq(fragment, &cursor.fragment)) {
            cursor.first = *first;
            if let Some((access, window)) = latest {
                cursor.superseded = superseded_by_delivered(cursor, access, window)?;
            }
        }
    }
    let after = |(number, places): &TileSpan| -> Range<usize> {
        let cursor = &cursors[*number];
        let is_left = |place: usize| cursor.tile(place).is_none_or(|(tile, _)| tile >= cursor.first.tile);
        let (mut low, mut high) = (places.start, places.end);
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if is_left(middle) { (low, middle) } else { (middle + 1, high) };
        }
        low..places.end
    };
    for run in &mut *runs {
        match run {
            MergeRun::Alone(places) => places.1 = after(places),
            MergeRun::Merged(members) => {
                members.iter_mut().for_each(|places| places.1 = after(places));
                members.retain(|(_, places)| !places.is_empty());
            }
        }
    }
    runs.retain(|run| run.places().iter().any(|(_, places)| !places.is_empty()));
    Ok(())
}

/// The first and the last time.
type TimeWindow = (u64, u64);

/// The coordinates and times of the cells of a tile.
struct TimedCells<'c> {
    fields: &'c [Field],
    coordinates: Vec<DecodedTile>,
    times: DecodedTile,
    count: usize,
}

impl<'c> TimedCells<'c> {
    fn read(cursor: &'c FragmentCursor, times: &Field, tile: u64, access: DecodeContext<'_>) -> Result<TimedCells<'c>> {
        let count = usize::try_from(cursor.fragment.cells_in_tile(tile)).unwrap_or(usize::MAX);
        let column = |field: &Field| read_field(&cursor.fragment, field, tile, count, access, true);
        let coordinates = cursor.dimensions.iter().map(column).collect::<Result<_>>()?;
        Ok(TimedCells { fields: &cursor.dimensions, coordinates, times: column(times)?, count })
    }

    /// The coordinates of a cell: with the signs of zeros, which make different cells, or without, as in the order of a fragment
    /// that libtiledb has merged.
    fn key(&self, cell: usize, has_signs: bool) -> Vec<u8> {
        let mut key = Vec::new();
        for (column, field) in self.coordinates.iter().zip(self.fields) {
            let coords = column.coords();
            let value = coords.value(cell, field.cell_size());
            key.extend_from_slice(&value.len().to_le_bytes());
            match value {
                [zeros @ .., 0x80] if !has_signs && is_float(field) && zeros.iter().all(|byte| *byte == 0) => {
                    key.resize(key.len() + value.len(), 0);
                }
                value => key.extend_from_slice(value),
            }
        }
        key
    }

    fn is_in(&self, cell: usize, window: TimeWindow) -> bool {
        let time = self.times.bytes().as_chunks::<8>().0.get(cell).map(|time| u64::from_le_bytes(*time));
        time.is_some_and(|time| window.0 <= time && time <= window.1)
    }
}

fn is_float(field: &Field) -> bool {
    matches!(field.datatype, Datatype::Float32 | Datatype::Float64)
}

/// The cells, from the first one of a cursor on, that are older versions of delivered ones. Libtiledb's position can be between the
/// versions of a cell, and so can ours in fragments that libtiledb has merged, where versions of 0.0 and -0.0 alternate.
fn superseded_by_delivered(
    cursor: &FragmentCursor,
    access: DecodeContext<'_>,
    window: TimeWindow,
) -> Result<Vec<(u64, usize)>> {
    let fragment = &cursor.fragment;
    let first = cursor.first;
    let (Some(times), true) = (fragment.field(TIMESTAMPS), fragment.has_timestamps()) else { return Ok(Vec::new()) };
    let is_begun = (first.tile, first.cell) > (0, 0) && first.tile < fragment.tile_count();
    if !is_begun || fragment.cells_in_tile(first.tile) == 0 {
        return Ok(Vec::new());
    }
    let mut place = None;
    let mut delivered = HashSet::new();
    let mut superseded = Vec::new();
    let here = TimedCells::read(cursor, times, first.tile, access)?;
    let start = usize::try_from(first.cell).unwrap_or(usize::MAX).min(here.count);
    'before: for tile in (0..=first.tile).rev() {
        let earlier = if tile == first.tile { None } else { Some(TimedCells::read(cursor, times, tile, access)?) };
        let cells = earlier.as_ref().unwrap_or(&here);
        for cell in (0..if tile == first.tile { start } else { cells.count }).rev() {
            let key = cells.key(cell, false);
            if place.get_or_insert_with(|| key.clone()) != &key {
                break 'before;
            }
            if cells.is_in(cell, window) {
                delivered.insert(cells.key(cell, true));
            }
        }
    }
    for tile in first.tile..fragment.tile_count() {
        let later = if tile == first.tile { None } else { Some(TimedCells::read(cursor, times, tile, access)?) };
        let cells = later.as_ref().unwrap_or(&here);
        for cell in (if tile == first.tile { start } else { 0 })..cells.count {
            if place.as_ref() != Some(&cells.key(cell, false)) {
                return Ok(superseded);
            }
            if delivered.contains(&cells.key(cell, true)) {
                superseded.push((tile, cell));
            }
        }
    }
    Ok(superseded)
}
