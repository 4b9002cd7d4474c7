//! Aggregates of sparse arrays.

use std::borrow::Cow;
use std::sync::Arc;

use super::stats::{self, Stored};
use super::totals::{AggregatedField, CellTotals};
use crate::read::sparse::cell_run::CellRun;
use crate::read::sparse::field_source::FieldSource;
use crate::read::sparse::fragment_cursor::{FragmentCursor, TileList};
use crate::read::sparse::load::TileLoader;
use crate::read::sparse::loaded_tile::{LoadedTile, SelectedCells, TileField};
use crate::read::sparse::merge_runs::MergeRun;
use crate::read::sparse::reader::SparseReader;
use tiledb_array::schema::Field;
use tiledb_cells::aggregate::summary::FieldSummary;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::input::decode_context::{DecodeContext, within_budget};
use tiledb_cells::input::decoded::{decoded_size, read_field, read_validity, staging_size};
use tiledb_cells::input::encoded::read_encoded;
use tiledb_cells::input::excerpts::Excerpts;
use tiledb_cells::input::prefetch::Prefetch;
use tiledb_cells::predicate::column_test::ColumnInput;
use tiledb_cells::predicate::verdict::Verdict;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::limits::aggregate::{MIN_AMPLE_TILES, MIN_TASK_BYTES, TILES_PER_ROUND};
use tiledb_core::pool::{Pools, Scratch};

/// Statistics of the cells that a reader would deliver.
///
/// # Errors
/// From storage, and where the memory budget does not suffice.
pub fn totals(mut reader: SparseReader, aggregated: &[AggregatedField]) -> Result<CellTotals> {
    let mut totals = CellTotals::new(aggregated);
    reader.ignore_order_of_ranges();
    if !reader.repeats() {
        let (alone, merged) =
            std::mem::take(&mut reader.runs).into_iter().partition(|run| matches!(run, MergeRun::Alone(_)));
        reader.runs = merged;
        add_alone(&reader, aggregated, alone, &mut totals)?;
    }
    while let Some(batch) = reader.next_batch()? {
        let (tiles, cell_runs) = batch.parts();
        for cell_runs in copies(cell_runs) {
            add_batch(&reader, aggregated, tiles, &cell_runs, &mut totals)?;
        }
    }
    Ok(totals)
}

/// Splits runs into groups in which no cell occurs twice: all cells but repeated copies; then the second copies; and so
/// on.
fn copies(cell_runs: &[CellRun]) -> Vec<Cow<'_, [CellRun]>> {
    let is_copy = |pair: &[CellRun]| pair[0] == pair[1];
    if !cell_runs.windows(2).any(is_copy) {
        return vec![Cow::Borrowed(cell_runs)];
    }
    let mut layers: Vec<Cow<'_, [CellRun]>> = Vec::new();
    for same in cell_runs.chunk_by(|a, b| a == b) {
        for (number, cell_run) in same.iter().enumerate() {
            if layers.len() == number {
                layers.push(Cow::Owned(Vec::new()));
            }
            layers[number].to_mut().push(*cell_run);
        }
    }
    layers
}

impl FragmentCursor {
    /// True if every cell of the fragment is selected.
    fn is_whole(&self) -> bool {
        let timed = self.fragment.has_timestamps() || self.fragment.has_delete_metadata();
        matches!(self.tiles, TileList::All(_)) && self.filters.is_empty() && !timed
    }
}

/// Aggregates tiles that need no comparison with others.
fn add_alone(
    reader: &SparseReader,
    aggregated: &[AggregatedField],
    runs: Vec<MergeRun>,
    totals: &mut CellTotals,
) -> Result<()> {
    let mut left = Vec::new();
    for run in runs {
        let MergeRun::Alone((number, places)) = run else { continue };
        let cursor = &reader.cursors[number];
        if aggregated.is_empty() && cursor.is_whole() && places == (0..cursor.tiles.count()) {
            totals.cells = totals.cells.saturating_add(cursor.fragment.cell_count());
            reader.tally.add(cursor.fragment.cell_count().saturating_mul(2));
            reader.access().count_coordinates(&cursor.dimensions, places.len());
        } else {
            left.push((number, places));
        }
    }
    let mut places = left.into_iter().flat_map(|(number, places)| places.map(move |place| (number, place))).peekable();
    while places.peek().is_some() {
        let round: Vec<(usize, usize)> = places.by_ref().take(TILES_PER_ROUND.count()).collect();
        add_round(reader, aggregated, &round, totals)?;
    }
    Ok(())
}

fn add_round(
    reader: &SparseReader,
    aggregated: &[AggregatedField],
    round: &[(usize, usize)],
    totals: &mut CellTotals,
) -> Result<()> {
    let loader = reader.loader(false);
    // Statistics in remote storage are read together with what is prefetched.
    let left = match reader.array.resources().vfs().is_remote(reader.array.uri())? {
        true => round.to_vec(),
        false => add_stored(reader, &loader, aggregated, round, totals)?,
    };
    let round = &left[..];
    let largest = round.iter().map(|place| reader.cursors[place.0].tile_bytes).max().unwrap_or(1).max(1);
    let pools = pools_within(reader, largest, || {
        let mut need = 0;
        for (cursor, place) in round.iter().map(|&(number, place)| (&reader.cursors[number], place)) {
            if let Some((tile, full)) = cursor.tile(place) {
                let own = loader.need(cursor, tile, full, None)?;
                need = own.saturating_add(need_of_field(cursor, tile, loader.access)?).max(need);
            }
        }
        Ok(need)
    })?;
    let shares: Vec<&[(usize, usize)]> = round.chunks((MIN_TASK_BYTES.count() / largest).max(1)).collect();
    let tasks = pools.compute();
    let work = round.len().saturating_mul(largest);
    let look = |task: usize| {
        let mut part = CellTotals::new(aggregated);
        for &(number, place) in shares[task] {
            let cursor = &reader.cursors[number];
            if let Some((tile, full)) = cursor.tile(place) {
                let tile = loader.load(cursor, number, tile, full)?;
                reader.tally.add(2 * tile.cells as u64);
                let marks = marks_of(&tile, loader.access)?;
                let marks = marks.as_ref().map(|marks| &marks[..]);
                let view = MarkedTile { cursor, tile: &tile, access: loader.access, marks, in_one_run: true, tasks };
                part.merge(aggregated, view.totals(aggregated, tile.selected_count() as u64)?);
            }
        }
        Ok(part)
    };
    let look = || pools.map(shares.len(), work, reader.array.resources().cancel(), look);
    let parts = Prefetch::with(ahead(reader, &loader, aggregated, round)?, &reader.budget, look)?;
    parts.into_iter().for_each(|part| totals.merge(aggregated, part));
    Ok(())
}

/// Adds the tiles that are selected as a whole and have stored statistics of all fields; returns the others. Only these
/// are worth the threads that a round of decoded tiles is.
fn add_stored(
    reader: &SparseReader,
    loader: &TileLoader<'_>,
    aggregated: &[AggregatedField],
    round: &[(usize, usize)],
    totals: &mut CellTotals,
) -> Result<Vec<(usize, usize)>> {
    let lookup = |(number, place): (usize, usize), selected: &CellTotals| {
        let cursor = &reader.cursors[number];
        let Some((tile, full)) = cursor.tile(place) else { return Ok(Stored::Complete(CellTotals::new(aggregated))) };
        if !loader.is_whole(cursor, tile, full) {
            return Ok(Stored::Absent);
        }
        let cells = cursor.fragment.cells_in_tile(tile);
        let stored = stats::of_fields(aggregated, cells, |field| {
            of_stats(cursor, &cursor.sources[field], tile, &aggregated[field], cells, Some(&selected.fields[field]))
        })?;
        if let Stored::Complete(_) = stored {
            loader.count(cursor, tile);
            reader.tally.add(cells.saturating_mul(2));
        }
        Ok(stored)
    };
    stats::add_stored(reader.array.resources(), aggregated, round, totals, lookup)
}

/// The stored statistics of a field in a tile all of whose cells are selected, which are `count`, beside cells that are known to
/// be selected.
fn of_stats(
    cursor: &FragmentCursor,
    source: &FieldSource,
    tile: u64,
    field: &AggregatedField,
    count: u64,
    selected: Option<&FieldSummary>,
) -> Result<Stored<FieldSummary>> {
    match source {
        FieldSource::Stored(stored) => stats::of_tile_beside(&cursor.fragment, stored, field, tile, count, selected),
        // A tile's box touches its cells on every side.
        FieldSource::Coordinate(dimension, stored) => {
            let ends = cursor.fragment.rtree()?.leaf_ends(*dimension, tile as usize);
            let Some((low, high)) = ends else { return Ok(Stored::Absent) };
            let mut known = FieldSummary { valid: count, ..FieldSummary::new(field.shape) };
            if field.wants.sum {
                let total = stats::sum_of_coordinates(&cursor.fragment, stored, tile, (low, high), count)?;
                let Some(total) = total else { return Ok(Stored::Absent) };
                known.total = total;
            }
            known.ends = Some((low.to_vec(), high.to_vec()));
            Ok(Stored::Complete(known))
        }
        _ => Ok(Stored::Absent),
    }
}

/// The tiles to prefetch from remote storage for an aggregation: what decides which cells are selected, and fields
/// without stored statistics.
fn ahead<'r>(
    reader: &'r SparseReader,
    loader: &TileLoader<'_>,
    aggregated: &[AggregatedField],
    round: &[(usize, usize)],
) -> Result<Option<Prefetch<'r>>> {
    let Some(mut ahead) = Prefetch::new(&reader.array)? else { return Ok(None) };
    let read_of = |task: usize| {
        let (number, place) = round[task];
        let cursor = &reader.cursors[number];
        let Some((tile, full)) = cursor.tile(place) else { return Ok(Vec::new()) };
        let mut fields = Vec::new();
        let verdict = loader.verdict(cursor, tile)?;
        if verdict == Verdict::Never {
            return Ok(fields);
        }
        let full = full && verdict == Verdict::Always;
        for (source, field) in cursor.sources.iter().zip(aggregated) {
            let cells = cursor.fragment.cells_in_tile(tile);
            let known = match source {
                FieldSource::Stored(stored) if full => {
                    stats::of_tile(&cursor.fragment, stored, field, tile, cells)?.is_some()
                }
                FieldSource::Coordinate(..) => full && !field.wants.sum,
                _ => false,
            };
            if !known && (field.wants.extremes || field.wants.sum) {
                fields.extend(source.field());
            }
        }
        Ok(fields)
    };
    // Tables of many fragments may have to be read.
    let read = reader.array.resources().vfs().map(reader.array.uri(), round.len(), read_of)?;
    for (&(number, place), fields) in round.iter().zip(read) {
        let cursor = &reader.cursors[number];
        if let Some((tile, full)) = cursor.tile(place) {
            loader.fetch(cursor, tile, full, &mut ahead)?;
            fields.into_iter().try_for_each(|field| ahead.add(&cursor.fragment, field, tile, true))?;
        }
    }
    Ok(Some(ahead))
}

/// As many threads as there is memory for tiles of about `tile_bytes`; if that may be few, for those of size `need`.
fn pools_within(reader: &SparseReader, tile_bytes: usize, need: impl FnOnce() -> Result<u64>) -> Result<Pools> {
    let pools = *reader.array.resources().pools();
    let available = reader.budget.available();
    let threads = pools.compute() as u64;
    if threads.saturating_mul(MIN_AMPLE_TILES.bytes()).saturating_mul(tile_bytes as u64) <= available {
        return Ok(pools);
    }
    let threads = (available / need()?.max(1)).clamp(1, threads);
    Ok(Pools::new(threads as usize, pools.io()))
}

/// Maximum bytes of a field of a tile while it is aggregated.
fn need_of_field(cursor: &FragmentCursor, tile: u64, access: DecodeContext<'_>) -> Result<u64> {
    let cells = usize::try_from(cursor.fragment.cells_in_tile(tile)).unwrap_or(usize::MAX);
    let mut fields = cursor.sources.iter().filter_map(FieldSource::field);
    fields.try_fold(0, |most, field| {
        let decoded = decoded_size(&cursor.fragment, field, tile, cells)?;
        Ok(decoded.saturating_add(staging_size(&cursor.fragment, field, tile, cells, access)?).max(most))
    })
}

/// One byte per cell of a tile, all 0.
fn unmarked(tile: &LoadedTile, access: DecodeContext<'_>) -> Result<Lease<Scratch>> {
    let mut marks = access.scratch(MemoryKind::Results, tile.cells)?;
    marks.slice_mut().fill(0);
    Ok(marks)
}

/// Selection mask of a tile, one byte per cell; `None` if all are selected.
fn marks_of(tile: &LoadedTile, access: DecodeContext<'_>) -> Result<Option<Lease<Scratch>>> {
    let SelectedCells::Some(list) = tile.selected() else { return Ok(None) };
    let mut marks = unmarked(tile, access)?;
    let cells = marks.slice_mut();
    list.iter().for_each(|&cell| cells[cell as usize] = 1);
    Ok(Some(marks))
}

/// Aggregates the cells of a batch.
fn add_batch(
    reader: &SparseReader,
    aggregated: &[AggregatedField],
    tiles: &[Arc<LoadedTile>],
    cell_runs: &[CellRun],
    totals: &mut CellTotals,
) -> Result<()> {
    let cells = cell_runs.iter().map(|cell_run| u64::from(cell_run.len)).sum();
    totals.cells = totals.cells.saturating_add(cells);
    reader.tally.add(cells);
    if aggregated.is_empty() {
        return Ok(());
    }
    let access = reader.access();
    let mut of_tiles: Vec<(Lease<Scratch>, u64, u32)> = Vec::with_capacity(tiles.len());
    for tile in tiles {
        of_tiles.push((unmarked(tile, access)?, 0, 0));
    }
    for cell_run in cell_runs {
        let (marks, count, runs) = &mut of_tiles[cell_run.tile as usize];
        *runs += 1;
        marks.slice_mut()[cell_run.first as usize..(cell_run.first + cell_run.len) as usize].fill(1);
        *count += u64::from(cell_run.len);
    }
    let largest = tiles.iter().map(|tile| reader.cursors[tile.cursor].tile_bytes).max().unwrap_or(1);
    let pools = pools_within(reader, largest, || {
        tiles
            .iter()
            .try_fold(0, |most, tile| Ok(need_of_field(&reader.cursors[tile.cursor], tile.tile, access)?.max(most)))
    })?;
    let work = tiles.len().saturating_mul(largest);
    let tasks = pools.compute();
    let parts = pools.map(tiles.len(), work, reader.array.resources().cancel(), |task| {
        let (tile, (marks, count, runs)) = (&*tiles[task], &of_tiles[task]);
        let all = *count == tile.cells as u64;
        let marks = (!all).then_some(&marks[..]);
        MarkedTile { cursor: &reader.cursors[tile.cursor], tile, access, marks, in_one_run: *runs == 1, tasks }
            .totals(aggregated, *count)
    })?;
    for part in parts {
        totals.merge(aggregated, CellTotals { cells: 0, ..part });
    }
    Ok(())
}

/// A tile with its selection mask.
struct MarkedTile<'a> {
    cursor: &'a FragmentCursor,
    tile: &'a LoadedTile,
    access: DecodeContext<'a>,
    marks: Option<&'a [u8]>,
    /// No cell of another tile comes between those of this one.
    in_one_run: bool,
    /// Number of tiles that are aggregated at a time.
    tasks: usize,
}

impl MarkedTile<'_> {
    /// Statistics of the selected cells, which are `count`.
    fn totals(&self, aggregated: &[AggregatedField], count: u64) -> Result<CellTotals> {
        let mut totals = CellTotals::new(aggregated);
        totals.cells = count;
        if count == 0 {
            return Ok(totals);
        }
        for (place, (field, summary)) in aggregated.iter().zip(&mut totals.fields).enumerate() {
            *summary = match self.of_stats(place, field, count)? {
                Some(known) => {
                    self.count_merged(place, field);
                    known
                }
                None => self.look(place, field)?,
            };
        }
        Ok(totals)
    }

    /// The stored statistics of a tile all of whose cells are selected.
    fn of_stats(&self, place: usize, field: &AggregatedField, count: u64) -> Result<Option<FieldSummary>> {
        if self.marks.is_some() {
            return Ok(None);
        }
        Ok(of_stats(self.cursor, &self.cursor.sources[place], self.tile.tile, field, count, None)?.complete())
    }

    /// Counts a tile as libtiledb does, which takes statistics only where the cells of the tile stay together.
    fn count_merged(&self, place: usize, field: &AggregatedField) {
        if let FieldSource::Stored(stored) = &self.cursor.sources[place]
            && !self.in_one_run
        {
            self.count(stored, field);
        }
    }

    fn count(&self, stored: &Field, field: &AggregatedField) {
        match field.wants.extremes || field.wants.sum {
            true => self.access.count_field(stored),
            false => self.access.count_part(),
        }
    }

    /// Decodes a field and aggregates its cells; some at a time if there is not enough memory for all.
    fn look(&self, place: usize, field: &AggregatedField) -> Result<FieldSummary> {
        let cursor = self.cursor;
        let tile = self.tile;
        let of = |input: ColumnInput<'_>| FieldSummary::of(field.shape, field.wants, input, self.marks, tile.cells);
        let stored = match tile.field(cursor, place)? {
            TileField::Decoded(decoded) => {
                return Ok(match (tile.selection.cells(), decoded.rows) {
                    (Some(cells), Some(_)) => {
                        let marks =
                            self.marks.map(|marks| cells.iter().map(|cell| marks[*cell as usize]).collect::<Vec<u8>>());
                        FieldSummary::of(field.shape, field.wants, decoded.cells.input(), marks.as_deref(), cells.len())
                    }
                    _ => of(decoded.cells.input()),
                });
            }
            TileField::Constant { value, valid } => return Ok(of(ColumnInput::Constant { value, valid })),
            TileField::Stored(stored) => stored,
        };
        if !(field.wants.extremes || field.wants.sum) {
            let validity = read_validity(&cursor.fragment, stored, tile.tile, tile.cells, self.access)?;
            return Ok(of(ColumnInput::Cells { data: Coords::Fixed(&[]), validity: Some(&validity) }));
        }
        let cache = tile.caches(&cursor.fragment, stored);
        if !cache && let Some(encoded) = read_encoded(&cursor.fragment, stored, tile.tile, tile.cells, self.access)? {
            return Ok(of(encoded.input()));
        }
        if let Some(data) =
            within_budget(read_field(&cursor.fragment, stored, tile.tile, tile.cells, self.access, cache))?
        {
            return Ok(of(data.input()));
        }
        let fragment = &*cursor.fragment;
        let access = self.access;
        let excerpts = Excerpts { fragment, field: stored, tile: tile.tile, cells: tile.cells, access };
        let mut summary = FieldSummary::new(field.shape);
        excerpts.each(access.shares(self.tasks).1, |cells, input| {
            let marks = self.marks.map(|marks| &marks[cells.clone()]);
            summary.merge(field.shape, FieldSummary::of(field.shape, field.wants, input, marks, cells.len()));
        })?;
        Ok(summary)
    }
}
