//! Dense reads of fixed-size data: fixed cells, validity and coordinates.
#![expect(unsafe_code, reason = "tiles are boxes of one result")]

use super::batch::{BatchPlan, TileView};
use super::cell_source::StoredTile;
use super::context::DenseContext;
use std::ops::Range;
use tiledb_array::fragment::FieldPart;
use tiledb_array::schema::Field;
use tiledb_cells::columns::box_moves::BoxMove;
use tiledb_cells::columns::copy::{copy_box, fill_box, run_of};
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::columns::output::OutputColumn;
use tiledb_cells::input::chunk_walk::{ChunkSink, ChunkUse};
use tiledb_cells::input::decoded::kind_of;
use tiledb_cells::input::tile_source::TileSource;
use tiledb_core::budget::Lease;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::dense_read::MIN_SHARED_RESULT_BYTES;
use tiledb_core::pool::{Pools, Scratch};
use tiledb_filters::filter::CHUNK_SIZE;

/// One column of fixed-size results: a part of a field.
#[derive(Clone, Copy)]
pub struct FixedTarget<'a> {
    pub field: &'a Field,
    pub part: FieldPart,
}

/// Reads fixed parts of a batch, each into its memory.
pub fn read_targets(
    context: &DenseContext,
    plan: &BatchPlan,
    targets: &[(FixedTarget<'_>, OutMem<'_>)],
    pools: &Pools,
) -> Result<()> {
    let bytes: usize = targets.iter().map(|(target, _)| target.cell().saturating_mul(plan.cells)).sum();
    let tiles = plan.len();
    let count = plan.len() * targets.len();
    let read = |task: usize| {
        let (target, out) = &targets[task / tiles];
        // SAFETY: the tiles of a plan are disjoint boxes of its cells, and a task writes those of its tile.
        let mut out = unsafe { out.alias() };
        let tile = plan.tile(task % tiles);
        let decoded = target.read_tile(context, &tile, &mut out)?;
        context.count_steps(&tile, usize::from(target.part == FieldPart::Data))?;
        Ok(decoded)
    };
    // Few cells may be costly if their chunks are not cached: the first tile shows whether they are.
    let is_little = count > 1 && bytes < MIN_SHARED_RESULT_BYTES.count();
    let decoded = if is_little { read(0)? } else { 0 };
    let first = usize::from(is_little);
    let work = bytes.max(decoded.saturating_mul(count - first));
    let cancel = context.array.resources().cancel();
    pools.for_each(count - first, work, cancel, |task| read(first + task).map(drop))
}

/// The fixed parts of columns, with their memory, in which a batch has `cells` cells.
pub fn targets_of<'a>(
    fields: &[&'a Field],
    columns: &'a mut [OutputColumn<'_>],
    cells: usize,
) -> Vec<(FixedTarget<'a>, OutMem<'a>)> {
    let mut targets = Vec::with_capacity(fields.len());
    let mut add = |field: &'a Field, part: FieldPart, out: OutMem<'a>| {
        let target = FixedTarget { field, part };
        targets.push((target, out.of_result(target.cell().saturating_mul(cells))));
    };
    for (field, column) in fields.iter().zip(columns) {
        if !field.is_var() {
            add(field, FieldPart::Data, column.data.all());
        }
        if let Some(validity) = column.validity.as_mut().filter(|_| field.nullable) {
            add(field, FieldPart::Validity, validity.all());
        }
    }
    targets
}

impl<'a> FixedTarget<'a> {
    /// Bytes of a cell.
    pub fn cell(&self) -> usize {
        if self.part == FieldPart::Validity { 1 } else { self.field.cell_size() }
    }

    /// The fill value of the cell.
    pub fn fill(&self) -> &'a [u8] {
        match (self.part, self.field.fill_valid) {
            (FieldPart::Validity, true) => &[1],
            (FieldPart::Validity, false) => &[0],
            _ => &self.field.fill,
        }
    }

    /// Reads a tile into separate memory, without gaps.
    pub fn read_alone(&self, context: &DenseContext, local: &TileView<'_>, cells: usize) -> Result<Lease<Scratch>> {
        let size = cells.checked_mul(self.cell()).ok_or_else(|| Error::out_of_memory("a tile", usize::MAX))?;
        let mut bytes = context.access().scratch(kind_of(self.field), size)?;
        self.read_tile(context, local, &mut OutMem::new(bytes.slice_mut()))?;
        Ok(bytes)
    }

    /// Writes fill values to the selected cells of a tile.
    pub fn fill_tile(&self, context: &DenseContext, tile: &TileView<'_>, out: &mut OutMem<'_>) -> Result<()> {
        self.fill_moves(&tile.moves(&context.grid, &tile.bounds()), self.fill(), out)
    }

    /// Reads the selected cells of a tile; returns how many bytes were decoded chunk by chunk.
    ///
    /// # Errors
    /// If a fragment cannot be read.
    pub fn read_tile(&self, context: &DenseContext, tile: &TileView<'_>, out: &mut OutMem<'_>) -> Result<usize> {
        if self.field.is_dimension {
            return self.coordinates(context, tile, out).map(|()| 0);
        }
        let origins = tile.origins(context)?;
        if self.part == FieldPart::Data {
            context.count_tiles(self.field, &origins, |access, field| access.count_field(field));
        }
        let mut decoded = 0;
        for origin in origins {
            let moves = origin.moves(context, tile);
            match origin.stored {
                Some(stored) => match stored.fragment.stored(self.field) {
                    Some(field) => decoded += self.copy_moves(context, &stored, field, &moves, out)?,
                    None => self.fill_moves(&moves, self.fill(), out)?,
                },
                None => self.fill_moves(&moves, self.fill(), out)?,
            }
        }
        Ok(decoded)
    }

    fn fill_moves(&self, moves: &[BoxMove], fill: &[u8], out: &mut OutMem<'_>) -> Result<()> {
        moves.iter().try_for_each(|part| fill_box(out, part.to, fill, &part.steps))
    }

    /// Copies the moves of one tile of a fragment; returns how many bytes were decoded chunk by chunk.
    fn copy_moves(
        &self,
        context: &DenseContext,
        stored: &StoredTile<'_>,
        field: &Field,
        moves: &[BoxMove],
        out: &mut OutMem<'_>,
    ) -> Result<usize> {
        let fragment = stored.fragment;
        let cell = self.cell();
        let first = moves.iter().map(|part| part.from).min();
        let end = moves.iter().map(BoxMove::end).max();
        let (Some(first), Some(end)) = (first, end) else { return Ok(0) };
        if self.part == FieldPart::Validity && !field.nullable {
            return self.fill_moves(moves, &[1], out).map(|()| 0);
        }
        if self.part == FieldPart::Data && field.cell_size() != cell {
            bail!(Corrupt, "Field '{}' has cells of another size in fragment {}", field.name, fragment.uri());
        }
        let size = stored.cells.checked_mul(cell);
        let size = size.ok_or_else(|| {
            let (tile, cells, name, uri) = (stored.tile, stored.cells, &field.name, fragment.uri());
            Error::corrupt(format!(
                "Tile {tile} of field '{name}' in '{uri}' has {cells} cells of {cell} bytes, more than can be addressed"
            ))
        })?;
        let source = TileSource::new(fragment, field, self.part, stored.tile, size, context.access())?;
        let range = first * cell..end * cell;
        let is_run = moves.len() == 1 && run_of(&moves[0].steps) == Some(end - first);
        if is_run && (source.is_plain() || range.len() == size) {
            let to = moves[0].to * cell;
            return out.with(to..to + range.len(), |out| source.load(range, out)).map(|()| 0);
        }
        // Unfiltered bytes cost little: for a few of them, or for many small moves, one read of all is best.
        let at_once = source.is_plain() && (range.len() <= CHUNK_SIZE || moves.len() > 1 && !source.is_large());
        let chunked = source.whole_cells() && !at_once;
        if chunked {
            return source.deliver(range, &mut MoveSink { moves, cell, out });
        }
        let mut bytes = source.access.scratch(kind_of(field), range.len())?;
        source.load(range, bytes.slice_mut())?;
        for part in moves {
            copy_box(out, part.to, &bytes, part.from - first, &part.steps, cell)?;
        }
        Ok(0)
    }

    /// Coordinates follow from the positions.
    fn coordinates(&self, context: &DenseContext, tile: &TileView<'_>, out: &mut OutMem<'_>) -> Result<()> {
        let dimension = self.field.dimension_index.unwrap_or(0);
        let axis = context.grid.axes()[dimension];
        let mut values = Vec::new();
        let mut boxes = Vec::new();
        tile.each_box(&context.grid, &tile.bounds(), |spans, part| boxes.push((spans[dimension], part)));
        for (span, mut part) in boxes {
            values.clear();
            axis.coordinates(span, &mut values);
            for (d, step) in part.steps.iter_mut().enumerate() {
                step.from = usize::from(d == dimension);
            }
            copy_box(out, part.to, &values, 0, &part.steps, self.cell())?;
        }
        Ok(())
    }
}

/// Copies the cells of moves from the chunks of a tile.
struct MoveSink<'s, 'a> {
    moves: &'s [BoxMove],
    cell: usize,
    out: &'s mut OutMem<'a>,
}

impl MoveSink<'_, '_> {
    fn cells(&self, chunk: &Range<usize>) -> Range<usize> {
        chunk.start / self.cell..chunk.end.div_ceil(self.cell)
    }
}

impl ChunkSink for MoveSink<'_, '_> {
    fn touches(&self, chunk: &Range<usize>) -> Result<bool> {
        let cells = self.cells(chunk);
        self.moves.iter().try_fold(false, |met, part| Ok(met || part.meets(&cells)?))
    }

    fn wants(&mut self, chunk: &Range<usize>) -> Result<ChunkUse<'_>> {
        let cells = self.cells(chunk);
        let mut selected = 0;
        let mut run = None;
        for part in self.moves {
            part.clip(&cells, &mut |_, to, steps| {
                selected += steps.iter().map(|step| step.count).product::<usize>();
                run = (run_of(steps) == Some(cells.len())).then_some(to);
                Ok(())
            })?;
        }
        Ok(match run {
            _ if selected == 0 => ChunkUse::Nothing,
            Some(to) if selected == cells.len() => {
                ChunkUse::Into(self.out.part(to * self.cell..(to + cells.len()) * self.cell)?)
            }
            _ if selected >= cells.len() => ChunkUse::All,
            _ => ChunkUse::Part,
        })
    }

    fn take(&mut self, chunk: &Range<usize>, bytes: &[u8]) -> Result<()> {
        let cells = self.cells(chunk);
        let cell = self.cell;
        let out = &mut *self.out;
        for part in self.moves {
            part.clip(&cells, &mut |from, to, steps| copy_box(out, to, bytes, from - cells.start, steps, cell))?;
        }
        Ok(())
    }
}
