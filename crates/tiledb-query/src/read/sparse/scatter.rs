//! Copies cells from the tiles of a batch to the user's buffers if memory does not suffice to decode all of them at once: each
//! tile, or a part of a large tile, is decoded, copied to its positions in the results, and dropped.
#![expect(unsafe_code, reason = "cells of a tile lie scattered in the results")]

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::batch::{CoordinateCursor, TileBatch};
use super::cell_run::CellRun;
use super::copy::CopyContext;
use super::field_source::FieldSource;
use super::loaded_tile::{FieldCells, TileField};
use super::plan::RequestedField;
use super::staged_results::{StagedColumn, StagedResults};
use tiledb_array::schema::Field;
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::columns::output::Outputs;
use tiledb_cells::input::copy_pieces::{CopyPiece, VarValues, groups, put_lengths};
use tiledb_cells::input::decode_context::within_budget;
use tiledb_cells::input::excerpts::Excerpts;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::sparse_read::MIN_STAGED_SUBMITS;
use tiledb_core::memory;
use tiledb_core::pool::Pools;

/// Cells that are copied to the results together.
struct ScatterRound<'r> {
    batch: &'r TileBatch,
    shared: &'r CopyContext<'r>,
    /// By tile, and by cell in it.
    pieces: Vec<CopyPiece>,
    /// The tiles with their pieces.
    tiles: Vec<(u32, Range<usize>)>,
    cells: usize,
    pools: Pools,
    /// Bytes that a task may have decoded at a time.
    share: usize,
}

impl TileBatch {
    /// Delivers as many cells as fit, at most `most`, and returns how many; none if `all` is set and fewer fit.
    pub fn scatter(
        &mut self,
        shared: &CopyContext<'_>,
        out: &mut Outputs<'_>,
        most: usize,
        all: bool,
    ) -> Result<usize> {
        let mut delivered = 0;
        while delivered < most && !self.is_done() {
            let available = shared.budget.available();
            let var = shared.fields.iter().filter(|field| field.is_var).count();
            // Half of the memory is for the positions of cells, the rest for decoded ones.
            let count =
                usize::try_from(available / 2).unwrap_or(usize::MAX) / (size_of::<CellRun>() + size_of::<CopyPiece>());
            let starts = usize::try_from(available / 8).unwrap_or(usize::MAX) / 8;
            let cells = starts.checked_div(var).unwrap_or(usize::MAX);
            let cell_runs = self.cell_runs();
            let most_now = (most - delivered).min(cells.max(1));
            let pieces = self.pieces(&cell_runs, most_now, count.max(1), shared.array.resources())?;
            let round = ScatterRound::new(self, shared, &pieces)?;
            let requested = round.cells;
            let fits = round.deliver(out, all && delivered == 0 && requested == most)?;
            self.advance(fits);
            delivered += fits;
            if fits < requested {
                break;
            }
        }
        Ok(delivered)
    }
}

impl TileBatch {
    /// Delivers cells whose coordinates are sorted, at most `most`, or none if `all` and fewer fit. If buffers take few
    /// of them at a time, as many as memory holds are staged at once.
    pub fn deliver_sorted(
        &mut self,
        shared: &CopyContext<'_>,
        out: &mut Outputs<'_>,
        most: usize,
        all: bool,
    ) -> Result<usize> {
        let (first, waiting) = (self.sorted().map_or(0, |sorted| sorted.next), self.waiting());
        let most = most.min(waiting);
        if self.staged.as_ref().is_none_or(|staged| !staged.has(first, most)) {
            self.staged = None;
            self.staged = self.stage(shared, most, waiting)?.map(Arc::new);
        }
        let Some(staged) = self.staged.clone() else { return self.scatter(shared, out, most, all) };
        let cells = staged.deliver(shared.fields, (first, most), out, all)?;
        self.advance(cells);
        Ok(cells)
    }

    /// Stages several times `requested` of the remaining cells; `None` if there are fewer, or memory does not
    /// suffice.
    fn stage(&self, shared: &CopyContext<'_>, requested: usize, waiting: usize) -> Result<Option<StagedResults>> {
        let size =
            |field: &RequestedField| if field.is_var { 8 } else { field.cell_size } + usize::from(field.nullable);
        let size = shared.fields.iter().map(size).sum::<usize>().max(1);
        let available = usize::try_from(shared.budget.available()).unwrap_or(usize::MAX);
        let mut cells =
            waiting.min(available / 4 / size).min(available / 2 / (2 * size_of::<CellRun>() + size_of::<CopyPiece>()));
        while requested > 0 && cells / MIN_STAGED_SUBMITS.count() >= requested {
            let cell_runs = self.cell_runs();
            let pieces = self.pieces(&cell_runs, cells, usize::MAX, shared.array.resources())?;
            let staged = ScatterRound::new(self, shared, &pieces)?.stage()?;
            if staged.is_some() {
                return Ok(staged);
            }
            cells /= 2;
        }
        Ok(None)
    }
}

impl<'r> ScatterRound<'r> {
    fn new(batch: &'r TileBatch, shared: &'r CopyContext<'r>, cell_runs: &[CellRun]) -> Result<ScatterRound<'r>> {
        // Sorted by tile: a counting sort.
        let mut ends: Vec<usize> = memory::filled("slabs", 0, batch.parts().0.len() + 1)?;
        cell_runs.iter().for_each(|cell_run| ends[cell_run.tile as usize + 1] += 1);
        for tile in 1..ends.len() {
            ends[tile] += ends[tile - 1];
        }
        let mut pieces = memory::filled("slabs", CopyPiece { from: 0, to: 0, count: 0 }, cell_runs.len())?;
        let mut cells = 0;
        for cell_run in cell_runs {
            let end = &mut ends[cell_run.tile as usize];
            let count = cell_run.len as usize;
            pieces[*end] = CopyPiece { from: cell_run.first as usize, to: cells, count };
            *end += 1;
            cells += count;
        }
        let mut tiles = Vec::new();
        let mut start = 0;
        for (tile, &end) in (0..).zip(&ends[..ends.len() - 1]) {
            if start < end {
                pieces[start..end].sort_unstable_by_key(|piece| (piece.from, piece.to));
                tiles.push((tile, start..end));
                start = end;
            }
        }
        let pools = shared.array.resources().pools();
        let (threads, share) = shared.access.shares(pools.compute());
        Ok(ScatterRound { batch, shared, pieces, tiles, cells, pools: Pools::new(threads, pools.io()), share })
    }

    /// Fills the columns; returns how many cells fitted.
    fn deliver(mut self, out: &mut Outputs<'_>, all: bool) -> Result<usize> {
        let mut fits = self.cells;
        let mut starts = Vec::with_capacity(out.columns.len());
        for (field, (column, requested)) in out.columns.iter_mut().zip(self.shared.fields).enumerate() {
            if !requested.is_var {
                starts.push(None);
                continue;
            }
            let own_starts = self.starts(field, column.bytes)?;
            let end = column.data.len() as u64;
            let within = own_starts.partition_point(|&start| start <= end).saturating_sub(1);
            if within < self.cells && column.data.is_empty() {
                column.show_starts(&own_starts[..self.cells])?;
            }
            fits = fits.min(within);
            starts.push(Some(own_starts));
        }
        if all && fits < self.cells {
            return Ok(0);
        }
        self.truncate_to(fits);
        let into = out.columns.iter_mut().zip(&starts).map(|(column, starts)| Destination {
            data: column.data.all(),
            validity: column.validity.as_mut().map(OutMem::all),
            before: column.cells,
            starts: starts.as_ref().map(|starts| &starts[..]),
        });
        self.fill(fits, &mut into.collect::<Vec<_>>())?;
        for ((column, starts), requested) in out.columns.iter_mut().zip(&starts).zip(self.shared.fields) {
            match (starts, &mut column.offsets) {
                (Some(starts), Some(offsets)) => {
                    offsets.put(column.cells, &starts[..fits])?;
                    column.bytes = starts[fits] as usize;
                }
                (Some(_), None) => bail!(Internal, "Variable field '{}' has no offsets buffer", column.name),
                (None, _) => column.bytes += fits * requested.cell_size,
            }
            column.cells += fits;
        }
        Ok(fits)
    }

    /// Copies the first cells to their positions, which are within the capacity.
    fn fill(&self, cells: usize, into: &mut [Destination<'_>]) -> Result<()> {
        // Fields that are copied from tiles: all but coordinates that are known in the order of the cells.
        let mut of_tiles = Vec::with_capacity(into.len());
        for (field, into) in into.iter_mut().enumerate() {
            match self.sorted(field) {
                Some((sorted, dimension)) => {
                    let size = self.shared.fields[field].cell_size;
                    let place = match into.starts {
                        Some(starts) => starts[0] as usize..starts[cells] as usize,
                        None => into.before * size..(into.before + cells) * size,
                    };
                    into.data.with(place, |out| {
                        sorted.coordinates.copy(sorted.next..sorted.next + cells, dimension, out);
                        Ok(())
                    })?;
                }
                None => of_tiles.push(field),
            }
        }
        let into = &*into;
        let resources = self.shared.array.resources();
        self.pools.for_each(self.tiles.len() * of_tiles.len(), usize::MAX, resources.cancel(), |task| {
            let (tile, field) = (task / of_tiles.len(), of_tiles[task % of_tiles.len()]);
            let Destination { data, validity, before, starts } = &into[field];
            let target = ScatterTarget {
                // SAFETY: every position in the results belongs to one piece, and a task writes those of its pieces.
                data: unsafe { data.alias() },
                // SAFETY: as above.
                validity: validity.as_ref().map(|validity| unsafe { validity.alias() }),
                before: *before,
                size: self.shared.fields[field].cell_size,
                starts: *starts,
            };
            self.task(field, tile).copy(target)
        })
    }

    /// Gathers the cells into memory of their own; nothing if the budget does not hold it.
    fn stage(&self) -> Result<Option<StagedResults>> {
        let access = self.shared.access;
        let mut columns = Vec::with_capacity(self.shared.fields.len());
        for (field, requested) in self.shared.fields.iter().enumerate() {
            let starts = match requested.is_var {
                true => within_budget(self.starts(field, 0))?,
                false => None,
            };
            let size = match &starts {
                Some(starts) => usize::try_from(starts[self.cells]).unwrap_or(usize::MAX),
                None if requested.is_var => return Ok(None),
                None => self.cells * requested.cell_size,
            };
            // Decoding takes memory, too.
            if size as u64 > access.available() / 4 {
                return Ok(None);
            }
            let Some(data) = within_budget(access.scratch(MemoryKind::Results, size))? else { return Ok(None) };
            let validity = match requested.nullable {
                true => within_budget(access.scratch(MemoryKind::Results, self.cells))?,
                false => None,
            };
            if requested.nullable && validity.is_none() {
                return Ok(None);
            }
            columns.push(StagedColumn { data, starts, validity });
        }
        let into = columns.iter_mut().map(|column| Destination {
            data: OutMem::new(column.data.slice_mut()),
            validity: column.validity.as_mut().map(|validity| OutMem::new(validity.slice_mut())),
            before: 0,
            starts: column.starts.as_ref().map(|starts| &starts[..]),
        });
        self.fill(self.cells, &mut into.collect::<Vec<_>>())?;
        let first = self.batch.sorted().map_or(0, |sorted| sorted.next);
        Ok(Some(StagedResults { first, cells: self.cells, columns }))
    }

    /// The coordinates that a field has in the order of the cells, and their dimension.
    fn sorted(&self, field: usize) -> Option<(&CoordinateCursor, usize)> {
        let tile = self.batch.parts().0.first()?;
        match self.shared.cursors[tile.cursor].sources[field] {
            FieldSource::Coordinate(dimension, _) => Some((self.batch.sorted()?, dimension)),
            _ => None,
        }
    }

    fn task(&self, field: usize, tile: usize) -> FieldTask<'_> {
        let (tile, pieces) = &self.tiles[tile];
        let pieces = &self.pieces[pieces.clone()];
        FieldTask { round: self, requested: &self.shared.fields[field], field, tile: *tile, pieces }
    }

    /// Truncates the results to the first cells.
    fn truncate_to(&mut self, cells: usize) {
        let mut end = 0;
        for (_, places) in &mut self.tiles {
            let start = end;
            for place in places.clone() {
                let piece = self.pieces[place];
                let count = cells.saturating_sub(piece.to).min(piece.count);
                if count > 0 {
                    self.pieces[end] = CopyPiece { count, ..piece };
                    end += 1;
                }
            }
            *places = start..end;
        }
        self.pieces.truncate(end);
        self.tiles.retain(|(_, places)| !places.is_empty());
    }

    /// Where the cells of a variable field begin, the first at `first`, and the end of the last.
    fn starts(&self, field: usize, first: usize) -> Result<Lease<Vec<u64>>> {
        let mut starts = self.shared.access.words(self.cells + 1)?;
        let words = starts.slice_mut();
        if let Some((sorted, dimension)) = self.sorted(field) {
            sorted.coordinates.lengths(sorted.next..sorted.next + self.cells, dimension, &mut words[1..]);
            return Ok(add_up(starts, first));
        }
        let lengths = OutMem::new(bytemuck::cast_slice_mut(&mut words[1..]));
        let resources = self.shared.array.resources();
        self.pools.for_each(self.tiles.len(), usize::MAX, resources.cancel(), |tile| {
            // SAFETY: every position of a cell in the results belongs to one piece, and a task writes those of its
            // pieces.
            let mut lengths = unsafe { lengths.alias() };
            self.task(field, tile).measure(&mut lengths)
        })?;
        Ok(add_up(starts, first))
    }
}

/// Converts the lengths of cells, preceded by one word, to their starts, the first at `first`, and the end of the last.
fn add_up(mut lengths: Lease<Vec<u64>>, first: usize) -> Lease<Vec<u64>> {
    let words = lengths.slice_mut();
    words[0] = first as u64;
    let mut end = 0u64;
    for word in words {
        end = end.saturating_add(*word);
        *word = end;
    }
    lengths
}

/// Where the cells of a field go.
struct Destination<'d> {
    data: OutMem<'d>,
    validity: Option<OutMem<'d>>,
    /// Cells that were delivered before.
    before: usize,
    starts: Option<&'d [u64]>,
}

/// Pieces of one field of one tile.
struct FieldTask<'t> {
    round: &'t ScatterRound<'t>,
    requested: &'t RequestedField,
    field: usize,
    tile: u32,
    pieces: &'t [CopyPiece],
}

impl<'t> FieldTask<'t> {
    fn column(&self) -> Result<TileField<'t>> {
        let ScatterRound { batch, shared, .. } = *self.round;
        batch.parts().0[self.tile as usize].field(batch.cursor(shared, self.tile), self.field)
    }

    /// The parts of a field that is not decoded.
    fn excerpts(&self, field: &'t Field) -> Excerpts<'t> {
        let ScatterRound { batch, shared, .. } = *self.round;
        let tile = &batch.parts().0[self.tile as usize];
        let cursor = batch.cursor(shared, self.tile);
        Excerpts { fragment: &cursor.fragment, field, tile: tile.tile, cells: tile.cells, access: shared.access }
    }

    /// Computes the lengths of variable cells.
    fn measure(&self, out: &mut OutMem<'_>) -> Result<()> {
        match self.column()? {
            TileField::Decoded(data) => {
                put_lengths(&rows_of(self.pieces, data), 0, data.cells.starts().unwrap_or_default(), out)
            }
            TileField::Stored(field) => self.excerpts(field).measure(self.pieces, self.round.share, out),
            TileField::Constant { value, .. } => {
                let length = (value.len() as u64).to_le_bytes();
                let mut cells = self.pieces.iter().flat_map(|piece| piece.to..piece.to + piece.count);
                cells.try_for_each(|to| out.put(to * 8, &length))
            }
        }
    }

    /// Copies the cells to where they go.
    fn copy(&self, mut target: ScatterTarget<'_>) -> Result<()> {
        let pieces = self.pieces;
        let share = self.round.share;
        match self.column()? {
            TileField::Decoded(data) => {
                let pieces = &*rows_of(pieces, data);
                let data = data.cells;
                match (target.starts, data.starts()) {
                    (Some(to), Some(own)) => {
                        VarValues { first: 0, starts: own, base: 0, bytes: data.bytes() }.put(
                            pieces,
                            to,
                            &mut target.data,
                        )?;
                    }
                    _ => target.put(pieces, 0, data.bytes())?,
                }
                target.put_validity(pieces, 0, data.validity())
            }
            TileField::Constant { value, valid } => target.fill(pieces, value, valid),
            TileField::Stored(field) => {
                let stored = self.excerpts(field);
                stored.access.count_field(stored.field);
                match target.starts {
                    Some(to) => stored.copy_values(pieces, share, to, &mut target.data)?,
                    None => groups(pieces, |cells| cells.len() * self.requested.cell_size <= share)
                        .iter()
                        .try_for_each(|(cells, pieces)| target.put(pieces, cells.start, &stored.fixed(cells)?))?,
                }
                if !stored.field.nullable {
                    return target.put_validity(pieces, 0, None);
                }
                groups(pieces, |cells| cells.len() <= share).iter().try_for_each(|(cells, pieces)| {
                    target.put_validity(pieces, cells.start, Some(&stored.validity(cells)?))
                })
            }
        }
    }
}

/// Pieces of the rows that decoded cells have.
fn rows_of<'p>(pieces: &'p [CopyPiece], data: FieldCells<'_>) -> Cow<'p, [CopyPiece]> {
    match data.rows {
        Some(rows) => pieces.iter().map(|piece| CopyPiece { from: rows.row(piece.from), ..*piece }).collect(),
        None => Cow::Borrowed(pieces),
    }
}

/// Where cells of a field go.
struct ScatterTarget<'t> {
    data: OutMem<'t>,
    validity: Option<OutMem<'t>>,
    /// Cells that were delivered before.
    before: usize,
    size: usize,
    starts: Option<&'t [u64]>,
}

impl ScatterTarget<'_> {
    /// Copies fixed cells out of those from `first` on.
    fn put(&mut self, pieces: &[CopyPiece], first: usize, bytes: &[u8]) -> Result<()> {
        for piece in pieces {
            let (low, high) = (piece.from - first, piece.from - first + piece.count);
            match bytes.get(low * self.size..high * self.size) {
                Some(run) => self.data.put((self.before + piece.to) * self.size, run)?,
                None => bail!(Internal, "Decoded cells end before those that are wanted"),
            }
        }
        Ok(())
    }

    fn put_validity(&mut self, pieces: &[CopyPiece], first: usize, values: Option<&[u8]>) -> Result<()> {
        let Some(out) = &mut self.validity else { return Ok(()) };
        for piece in pieces {
            let at = self.before + piece.to;
            let cells = piece.cells();
            match values {
                Some(values) => out.put(at, &values[cells.start - first..cells.end - first])?,
                None => out.with(at..at + cells.len(), |out| {
                    out.fill(0);
                    Ok(())
                })?,
            }
        }
        Ok(())
    }

    /// Fills all cells with one value.
    fn fill(&mut self, pieces: &[CopyPiece], value: &[u8], valid: bool) -> Result<()> {
        for to in pieces.iter().flat_map(|piece| piece.to..piece.to + piece.count) {
            let at = match self.starts {
                Some(starts) => starts[to] as usize,
                None => (self.before + to) * self.size,
            };
            self.data.put(at, value)?;
            if let Some(validity) = &mut self.validity {
                validity.put(self.before + to, &[u8::from(valid)])?;
            }
        }
        Ok(())
    }
}
