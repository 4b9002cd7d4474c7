//! Copies cells from the tiles of a batch to the user's buffers.

use std::borrow::Cow;

use super::batch::TileBatch;
use super::cell_run::CellRun;
use super::field_source::FieldSource;
use super::fragment_cursor::FragmentCursor;
use super::loaded_tile::{FieldCells, TileField};
use super::pieces::{CopyChunk, PieceSurvey};
use super::plan::RequestedField;
use super::row_index::RowIndex;
use tiledb_array::array::OpenArray;
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::columns::output::{OutputColumn, Outputs};
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::decoded::{decoded_size, staging_size};
use tiledb_cells::input::prefetch::Prefetch;
use tiledb_core::budget::Budget;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::stats::Timer;

/// Context of all copying steps.
pub struct CopyContext<'a> {
    pub array: &'a OpenArray,
    pub access: DecodeContext<'a>,
    pub budget: &'a Budget,
    pub fields: &'a [RequestedField],
    pub cursors: &'a [FragmentCursor],
}

impl TileBatch {
    /// Delivers as many cells as fit, at most `most`, and returns how many; none if `all` and not all fit.
    pub fn deliver(
        &mut self,
        shared: &CopyContext<'_>,
        out: &mut Outputs<'_>,
        most: usize,
        all: bool,
    ) -> Result<usize> {
        let available = |(column, field): (&OutputColumn<'_>, &RequestedField)| {
            column.capacity(field.cell_size).saturating_sub(column.cells)
        };
        let limit = out.columns.iter().zip(shared.fields).map(available).min().unwrap_or(0);
        if all && limit < most {
            return Ok(0);
        }
        if self.sorted().is_some() {
            return self.deliver_sorted(shared, out, limit.min(most), all);
        }
        let cell_runs = self.cell_runs();
        let resources = shared.array.resources();
        let pieces = self.pieces(&cell_runs, limit.min(most), usize::MAX, resources)?;
        let survey = PieceSurvey::new(self, &pieces, resources)?;
        let missing = self.missing(shared, &survey.tiles);
        if self.is_pruned(shared, &missing) || !self.fits_budget(shared, &pieces, &missing)? {
            return self.scatter(shared, out, limit.min(most), all);
        }
        match self.ahead(shared, &pieces, &missing)? {
            Some(ahead) => {
                ahead.run(shared.budget, || self.deliver_pieces(shared, out, (pieces, survey), &missing, (most, all)))
            }
            None => self.deliver_pieces(shared, out, (pieces, survey), &missing, (most, all)),
        }
    }

    /// The tiles to prefetch from remote storage before pieces are delivered.
    fn ahead<'s>(
        &self,
        shared: &CopyContext<'s>,
        pieces: &[CellRun],
        missing: &[(u32, usize)],
    ) -> Result<Option<Prefetch<'s>>> {
        let Some(mut ahead) = Prefetch::new(shared.array)? else { return Ok(None) };
        for field in 0..shared.fields.len() {
            let direct = pieces.iter().filter(|piece| self.is_direct(shared, field, **piece)).map(|piece| piece.tile);
            let missing = missing.iter().filter(|missing| missing.1 == field).map(|missing| missing.0);
            for number in direct.chain(missing) {
                let tile = &self.tiles[number as usize];
                let cursor = self.cursor(shared, number);
                if let Some(field) = cursor.sources[field].field() {
                    ahead.add(&cursor.fragment, field, tile.tile, true)?;
                }
            }
        }
        Ok(Some(ahead))
    }

    fn deliver_pieces(
        &mut self,
        shared: &CopyContext<'_>,
        out: &mut Outputs<'_>,
        (mut pieces, mut survey): (Cow<'_, [CellRun]>, PieceSurvey),
        missing: &[(u32, usize)],
        (most, all): (usize, bool),
    ) -> Result<usize> {
        self.load(shared, missing)?;
        let mut tables = self.tables(shared);
        let total = survey.cells;
        let mut fits = total;
        for (field, column) in out.columns.iter_mut().enumerate().filter(|(field, _)| shared.fields[*field].is_var) {
            let available = column.data.len().saturating_sub(column.bytes);
            let size = self.sizes(shared, field, &tables[field]);
            let within = cells_within(&size, &pieces, available);
            if within < total && column.data.is_empty() {
                column.show_starts(&starts_of(&size, &pieces)?)?;
            }
            fits = fits.min(within);
        }
        if all && fits < most {
            return Ok(0);
        }
        if fits < total {
            // The last tile does not fit as a whole: now it is needed in memory.
            cut(pieces.to_mut(), fits);
            survey = PieceSurvey::new(self, &pieces, shared.array.resources())?;
            self.load(shared, &self.missing(shared, &survey.tiles))?;
            tables = self.tables(shared);
        }
        self.copy(shared, (&pieces, &survey.chunks), &tables, out)?;
        drop(tables);
        self.leave(pieces.len(), pieces.last().map_or(0, |last| last.len as usize));
        Ok(fits)
    }

    /// The cursor of a tile.
    pub fn cursor<'s>(&self, shared: &CopyContext<'s>, tile: u32) -> &'s FragmentCursor {
        &shared.cursors[self.tiles[tile as usize].cursor]
    }

    /// True if a piece is a whole tile, and a field of it is decoded straight into the result.
    fn is_direct(&self, shared: &CopyContext<'_>, field: usize, piece: CellRun) -> bool {
        self.is_tile(piece) && self.goes_direct(shared, field, piece.tile)
    }

    /// True if a piece is a whole tile.
    pub fn is_tile(&self, piece: CellRun) -> bool {
        piece.len as usize == self.tiles[piece.tile as usize].cells
    }

    /// True if a field of a whole tile is decoded straight into the result.
    fn goes_direct(&self, shared: &CopyContext<'_>, field: usize, tile: u32) -> bool {
        let requested = &shared.fields[field];
        let cursor = self.cursor(shared, tile);
        !requested.is_var
            && !requested.nullable
            && cursor.sources[field].field().is_some()
            && self.tiles[tile as usize].data(cursor, field).is_none()
    }

    /// The tiles and fields that pieces need and that are not decoded, but for those that need not be.
    fn missing(&self, shared: &CopyContext<'_>, tiles: &[(u32, bool)]) -> Vec<(u32, usize)> {
        let mut missing = Vec::new();
        for &(tile, is_part) in tiles {
            let cursor = self.cursor(shared, tile);
            for field in 0..shared.fields.len() {
                let is_stored = cursor.sources[field].field().is_some();
                if (is_part || !self.goes_direct(shared, field, tile))
                    && is_stored
                    && self.tiles[tile as usize].data(cursor, field).is_none()
                {
                    missing.push((tile, field));
                }
            }
        }
        missing
    }

    /// True if few cells of these tiles and fields are needed, and nothing is cached: each is decoded while it is
    /// copied from, in memory that is reused for the next. The starts of variable cells would have to be decoded twice.
    fn is_pruned(&self, shared: &CopyContext<'_>, missing: &[(u32, usize)]) -> bool {
        let is_pruned = |&(number, field): &(u32, usize)| {
            let tile = &self.tiles[number as usize];
            let cursor = self.cursor(shared, number);
            let is_fixed = !shared.fields[field].is_var;
            let stored = cursor.sources[field].field();
            is_fixed && tile.is_for_few() && stored.is_some_and(|stored| !tile.caches(&cursor.fragment, stored))
        };
        !missing.is_empty() && missing.iter().all(is_pruned)
    }

    /// True if there is memory to decode these tiles, and one more that cannot be decoded into the results.
    fn fits_budget(&self, shared: &CopyContext<'_>, pieces: &[CellRun], missing: &[(u32, usize)]) -> Result<bool> {
        let (mut need, mut staging) = (size_of_val(pieces) as u64, 0);
        for &(tile, field) in missing {
            need = need.saturating_add(self.decoded_size(shared, tile, field)?);
            staging = self.staging_size(shared, tile, field)?.max(staging);
        }
        need = need.saturating_add(staging.saturating_mul(shared.array.resources().pools().compute() as u64));
        if let Some(last) = pieces.last() {
            for field in (0..shared.fields.len()).filter(|&field| self.is_direct(shared, field, *last)) {
                need = need.saturating_add(self.decoded_size(shared, last.tile, field)?);
            }
        }
        // A fourth is reserved in case the next cells do not fit and must be scattered.
        Ok(need <= shared.budget.available().saturating_sub(shared.budget.limit() / 4))
    }

    fn decoded_size(&self, shared: &CopyContext<'_>, tile: u32, field: usize) -> Result<u64> {
        let (tile, cursor) = (&self.tiles[tile as usize], self.cursor(shared, tile));
        match cursor.sources[field].field() {
            Some(field) => decoded_size(&cursor.fragment, field, tile.tile, tile.cells),
            None => Ok(0),
        }
    }

    fn staging_size(&self, shared: &CopyContext<'_>, tile: u32, field: usize) -> Result<u64> {
        let (tile, cursor) = (&self.tiles[tile as usize], self.cursor(shared, tile));
        match cursor.sources[field].field() {
            Some(field) => staging_size(&cursor.fragment, field, tile.tile, tile.cells, shared.access),
            None => Ok(0),
        }
    }

    /// Decodes tiles and fields.
    fn load(&self, shared: &CopyContext<'_>, missing: &[(u32, usize)]) -> Result<()> {
        let work = |&(number, field): &(u32, usize)| {
            let tile = &self.tiles[number as usize];
            match tile.is_cached(self.cursor(shared, number), field) {
                true => 0,
                false => tile.cells.saturating_mul(shared.fields[field].cell_size.max(16)),
            }
        };
        let work = missing.iter().map(work).fold(0, usize::saturating_add);
        let resources = shared.array.resources();
        let _timer = shared.access.timer(Timer::ReadAttributes);
        resources.pools().for_each(missing.len(), work, resources.cancel(), |task| {
            let (tile, field) = missing[task];
            self.tiles[tile as usize].load(self.cursor(shared, tile), field, shared.access)
        })
    }

    /// Per field and tile the decoded cells, if they are decoded.
    fn tables<'s>(&'s self, shared: &CopyContext<'s>) -> Vec<Vec<Option<FieldCells<'s>>>> {
        let of_field = |field| self.tiles.iter().map(|tile| tile.data(&shared.cursors[tile.cursor], field)).collect();
        (0..shared.fields.len()).map(of_field).collect()
    }

    /// The bytes of any piece of a variable field.
    fn sizes<'s>(
        &'s self,
        shared: &'s CopyContext<'_>,
        field: usize,
        table: &'s [Option<FieldCells<'s>>],
    ) -> impl Fn(CellRun) -> usize + 's {
        move |piece| match table[piece.tile as usize] {
            Some(data) => {
                let first = data.row(piece.first as usize);
                let starts = data.cells.starts().unwrap_or_default();
                (starts[first + piece.len as usize] - starts[first]) as usize
            }
            None => match &self.cursor(shared, piece.tile).sources[field] {
                FieldSource::Constant { value, .. } => value.len() * piece.len as usize,
                _ => 0,
            },
        }
    }

    fn copy(
        &self,
        shared: &CopyContext<'_>,
        (pieces, chunks): (&[CellRun], &[CopyChunk]),
        tables: &[Vec<Option<FieldCells<'_>>>],
        out: &mut Outputs<'_>,
    ) -> Result<()> {
        let fields = shared.fields.len();
        let cells: usize = chunks.iter().map(|chunk| chunk.cells).sum();
        // Where each chunk's values begin, per variable field.
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); fields];
        let mut work = 0usize;
        for (field, column) in out.columns.iter().enumerate() {
            let mut at = column.bytes;
            if shared.fields[field].is_var {
                let size = self.sizes(shared, field, &tables[field]);
                for chunk in chunks {
                    places[field].push(at);
                    at += pieces[chunk.pieces.clone()].iter().map(|piece| size(*piece)).sum::<usize>();
                }
            } else {
                at += cells * shared.fields[field].cell_size;
            }
            work += at - column.bytes;
            places[field].push(at);
        }
        // Each chunk fills a separate part of each column.
        let mut rests = out.columns.iter_mut().map(OutputColumn::rest).collect::<Result<Vec<_>>>()?;
        let mut parts = Vec::with_capacity(chunks.len() * fields);
        for (number, chunk) in chunks.iter().enumerate() {
            for (field, rest) in rests.iter_mut().enumerate() {
                let bytes = match shared.fields[field].is_var {
                    true => places[field][number + 1] - places[field][number],
                    false => chunk.cells * shared.fields[field].cell_size,
                };
                parts.push(rest.take_front(chunk.cells, bytes)?);
            }
        }
        let resources = shared.array.resources();
        resources.pools().for_each_mut(&mut parts, work, resources.cancel(), |task, part| {
            let chunk = &chunks[task / fields];
            let field = task % fields;
            let view =
                FieldView { batch: self, shared, field, table: &tables[field], pieces: &pieces[chunk.pieces.clone()] };
            match shared.fields[field].is_var {
                true => view.copy_var(part, places[field][task / fields])?,
                false => view.copy_fixed(&mut part.data, shared.fields[field].cell_size)?,
            }
            match &mut part.validity {
                Some(validity) if shared.fields[field].nullable => view.copy_validity(validity),
                _ => Ok(()),
            }
        })?;
        drop((parts, rests));
        for (column, places) in out.columns.iter_mut().zip(&places) {
            column.cells += cells;
            column.bytes = places.last().copied().unwrap_or(column.bytes);
        }
        Ok(())
    }
}

/// How many cells of the pieces fit into `available` bytes.
fn cells_within(size: &impl Fn(CellRun) -> usize, pieces: &[CellRun], available: usize) -> usize {
    let mut cells = 0;
    let mut used = 0usize;
    for piece in pieces {
        let bytes = size(*piece);
        if used + bytes <= available {
            used += bytes;
            cells += piece.len as usize;
            continue;
        }
        let (mut low, mut high) = (0, piece.len);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if used + size(CellRun { len: middle, ..*piece }) <= available {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return cells + low as usize;
    }
    cells
}

/// Where the cells of the pieces would begin.
fn starts_of(size: &impl Fn(CellRun) -> usize, pieces: &[CellRun]) -> Result<Vec<u64>> {
    let cells = pieces
        .iter()
        .flat_map(|piece| (0..piece.len).map(|cell| CellRun { first: piece.first + cell, len: 1, ..*piece }));
    let mut starts = memory::with_capacity("offsets", pieces.iter().map(|piece| piece.len as usize).sum())?;
    let mut end = 0;
    for cell in cells {
        starts.push(end);
        end += size(cell) as u64;
    }
    Ok(starts)
}

/// Truncates to the first cells.
fn cut(pieces: &mut Vec<CellRun>, cells: usize) {
    let mut left = cells;
    pieces.retain_mut(|piece| {
        piece.len = left.min(piece.len as usize) as u32;
        left -= piece.len as usize;
        piece.len > 0
    });
}

/// One task: pieces of one field.
struct FieldView<'a> {
    batch: &'a TileBatch,
    shared: &'a CopyContext<'a>,
    field: usize,
    table: &'a [Option<FieldCells<'a>>],
    pieces: &'a [CellRun],
}

impl FieldView<'_> {
    /// How the tile of a piece has the field.
    fn column(&self, piece: CellRun) -> Result<TileField<'_>> {
        self.batch.tiles[piece.tile as usize].field(self.batch.cursor(self.shared, piece.tile), self.field)
    }

    fn copy_fixed(&self, out: &mut OutMem<'_>, cell: usize) -> Result<()> {
        let plain = self.pieces.iter().all(|piece| self.table[piece.tile as usize].is_some());
        if plain {
            return out.with(0..out.len(), |out| match cell {
                1 => self.copy_cells::<1>(out),
                2 => self.copy_cells::<2>(out),
                4 => self.copy_cells::<4>(out),
                8 => self.copy_cells::<8>(out),
                _ => self.copy_runs(out, cell),
            });
        }
        let mut rest = out.all();
        for &piece in self.pieces {
            let size = piece.len as usize * cell;
            let mut part = rest.take_front(size)?;
            match self.column(piece)? {
                TileField::Decoded(data) => part.put(0, run_of(data, piece, cell)?)?,
                TileField::Constant { value, .. } => part.with(0..size, |out| {
                    if value.len() == cell {
                        out.chunks_exact_mut(cell).for_each(|out| out.copy_from_slice(value));
                    }
                    Ok(())
                })?,
                TileField::Stored(stored) => {
                    let cursor = self.batch.cursor(self.shared, piece.tile);
                    self.batch.tiles[piece.tile as usize].load_into(cursor, stored, self.shared.access, &mut part)?;
                }
            }
        }
        Ok(())
    }

    /// Runs of cells of a known width; single cells cost one load and one store.
    fn copy_cells<const W: usize>(&self, out: &mut [u8]) -> Result<()> {
        let cells = self
            .table
            .iter()
            .map(|data| (data.map_or(&[][..], |data| data.cells.bytes()), data.and_then(|data| data.rows)));
        let tiles: Vec<(&[[u8; W]], Option<&RowIndex>)> =
            cells.map(|(bytes, rows)| (bytes.as_chunks::<W>().0, rows)).collect();
        let mut out = out.as_chunks_mut::<W>().0;
        for piece in self.pieces {
            let (tile, rows) = tiles[piece.tile as usize];
            let first = rows.map_or(piece.first as usize, |rows| rows.row(piece.first as usize));
            let (part, rest) = std::mem::take(&mut out).split_at_mut(piece.len as usize);
            out = rest;
            if let [out] = part {
                *out = *tile.get(first).ok_or_else(lost)?;
            } else {
                part.copy_from_slice(tile.get(first..first + part.len()).ok_or_else(lost)?);
            }
        }
        Ok(())
    }

    fn copy_runs(&self, out: &mut [u8], cell: usize) -> Result<()> {
        let mut at = 0;
        for &piece in self.pieces {
            let Some(data) = self.table[piece.tile as usize] else { return Err(lost()) };
            let run = run_of(data, piece, cell)?;
            out[at..at + run.len()].copy_from_slice(run);
            at += run.len();
        }
        Ok(())
    }

    fn copy_validity(&self, out: &mut OutMem<'_>) -> Result<()> {
        let mut rest = out.all();
        for &piece in self.pieces {
            let len = piece.len as usize;
            let mut part = rest.take_front(len)?;
            match self.table[piece.tile as usize].and_then(|data| Some((data, data.cells.validity()?))) {
                Some((data, validity)) => part.put(0, &validity[data.row(piece.first as usize)..][..len])?,
                None => {
                    let valid = matches!(self.column(piece)?, TileField::Constant { valid: true, .. });
                    part.with(0..len, |out| {
                        out.fill(u8::from(valid));
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Copies values, of which the first has the position `place` in the results.
    fn copy_var(&self, column: &mut OutputColumn<'_>, place: usize) -> Result<()> {
        let Some(offsets) = &mut column.offsets else {
            bail!(Internal, "Variable field '{}' has no offsets buffer", column.name);
        };
        let cells = self.pieces.iter().map(|piece| piece.len as usize).sum();
        let mut starts: Vec<u64> = memory::with_capacity("offsets", cells)?;
        let mut at = place;
        for &piece in self.pieces {
            let len = piece.len as usize;
            if let Some(data) = self.table[piece.tile as usize] {
                let begin = data.row(piece.first as usize);
                let own = data.cells.starts().unwrap_or_default();
                let (low, high) = (own[begin], own[begin + len]);
                starts.extend(own[begin..begin + len].iter().map(|start| start - low + at as u64));
                column.data.put(at - place, &data.cells.bytes()[low as usize..high as usize])?;
                at += (high - low) as usize;
            } else if let TileField::Constant { value, .. } = self.column(piece)? {
                for _ in 0..len {
                    starts.push(at as u64);
                    column.data.put(at - place, value)?;
                    at += value.len();
                }
            }
        }
        offsets.put(0, &starts)
    }
}

fn run_of(data: FieldCells<'_>, piece: CellRun, cell: usize) -> Result<&[u8]> {
    let first = data.row(piece.first as usize) * cell;
    data.cells.bytes().get(first..first + piece.len as usize * cell).ok_or_else(lost)
}

#[cold]
fn lost() -> tiledb_core::error::Error {
    tiledb_core::error::Error::internal("A tile of a sparse read was not decoded")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell_run(tile: u32, first: u32, len: u32) -> CellRun {
        CellRun { tile, first, len }
    }

    #[test]
    fn piece_is_cut_where_the_cells_no_longer_fit() {
        // Cell i of any tile has i bytes.
        let size = |piece: CellRun| (piece.first..piece.first + piece.len).sum::<u32>() as usize;
        let pieces = [cell_run(0, 1, 3), cell_run(0, 10, 4)];
        let fits: Vec<usize> = [0, 1, 3, 5, 6, 15, 16, 27, 1000]
            .iter()
            .map(|&available| cells_within(&size, &pieces, available))
            .collect();
        assert_eq!(fits, [0, 1, 2, 2, 3, 3, 4, 5, 7]);
        let mut remaining = pieces.to_vec();
        cut(&mut remaining, 4);
        assert_eq!(remaining, [cell_run(0, 1, 3), cell_run(0, 10, 1)]);
    }
}
