//! Dense reads of what has a fixed size: fixed cells, validity and coordinates.

use super::batch::{BatchPlan, Slab, TileView};
use super::context::Context;
use super::origin::Stored;
use crate::error::{Error, Result, bail};
use crate::fragment::Part;
use crate::pool::{Pools, Scratch, scratch};
use crate::query::columns::copy::{contiguous, copy_box, copy_box_of_cells};
use crate::query::columns::memory::OutMem;
use crate::query::columns::output::Column;
use crate::query::input::chunk_walk::{ChunkSink, ChunkUse};
use crate::query::input::tile_source::{MAX_CHUNK, TileSource};
use crate::schema::Field;
use std::ops::Range;

/// One column of fixed-size results: of which part of a field, and where to.
pub struct Target<'a> {
    pub field: &'a Field,
    pub part: Part,
    /// Bytes of a cell.
    pub cell: usize,
    /// The cell nobody wrote.
    pub fill: &'a [u8],
    pub out: OutMem<'a>,
}

/// Reads all fixed parts of a batch.
pub fn read(
    context: &Context,
    plan: &BatchPlan,
    fields: &[&Field],
    columns: &[Column<'_>],
    pools: &Pools,
) -> Result<()> {
    let targets = targets_of(fields, columns);
    let bytes: usize = targets.iter().map(|target| target.cell.saturating_mul(plan.cells)).sum();
    let resources = context.array.resources();
    let tiles = plan.len();
    pools.for_each(tiles * targets.len(), bytes, resources.cancel(), |task| {
        targets[task / tiles].read_tile(context, &plan.tile(task % tiles))
    })
}

/// The fixed parts of columns.
pub fn targets_of<'a>(fields: &[&'a Field], columns: &[Column<'a>]) -> Vec<Target<'a>> {
    let mut targets = Vec::with_capacity(fields.len());
    for (field, column) in fields.iter().zip(columns) {
        if !field.is_var() {
            let (cell, fill) = (field.cell_size(), &field.fill[..]);
            targets.push(Target { field, part: Part::Data, cell, fill, out: column.data });
        }
        if let Some(validity) = column.validity.filter(|_| field.nullable) {
            let fill: &[u8] = if field.fill_valid { &[1] } else { &[0] };
            targets.push(Target { field, part: Part::Validity, cell: 1, fill, out: validity });
        }
    }
    targets
}

impl Target<'_> {
    /// Reads a tile into memory of its own, without gaps.
    pub fn read_alone(&self, context: &Context, local: &TileView<'_>, cells: usize) -> Result<Scratch> {
        let size = cells.checked_mul(self.cell).ok_or_else(|| Error::out_of_memory("a tile", usize::MAX))?;
        let mut bytes = scratch(size)?;
        Target { out: OutMem::new(&mut bytes), ..*self }.read_tile(context, local)?;
        Ok(bytes)
    }

    /// Fills what is wanted of a tile.
    pub fn fill_tile(&self, context: &Context, tile: &TileView<'_>) -> Result<()> {
        self.fill_slabs(&tile.slabs(&context.grid, &tile.bounds()))
    }

    /// Reads what is wanted of a tile.
    ///
    /// # Errors
    /// If a fragment cannot be read.
    pub fn read_tile(&self, context: &Context, tile: &TileView<'_>) -> Result<()> {
        if self.field.is_dimension {
            return self.coordinates(context, tile);
        }
        let origins = tile.origins_of(context, self.field)?;
        if self.part == Part::Data {
            context.count_tiles(self.field, &origins, |access, field| access.count_field(field));
        }
        for origin in origins {
            let slabs = origin.slabs(context, tile);
            match origin.stored {
                Some(stored) => match stored.fragment.stored(self.field) {
                    Some(field) => self.copy_slabs(context, &stored, field, &slabs)?,
                    None => self.fill_slabs(&slabs)?,
                },
                None => self.fill_slabs(&slabs)?,
            }
        }
        Ok(())
    }

    fn fill_slabs(&self, slabs: &[Slab]) -> Result<()> {
        for slab in slabs {
            let mut steps = slab.steps_of(self.cell);
            steps.iter_mut().for_each(|step| step.from = 0);
            copy_box(&self.out, slab.to * self.cell, self.fill, 0, &steps, self.cell)?;
        }
        Ok(())
    }

    /// Copies the slabs of one tile of a fragment.
    fn copy_slabs(&self, context: &Context, stored: &Stored<'_>, field: &Field, slabs: &[Slab]) -> Result<()> {
        let fragment = stored.fragment;
        let first = slabs.iter().map(|slab| slab.from).min();
        let end = slabs.iter().map(Slab::end).max();
        let (Some(first), Some(end)) = (first, end) else { return Ok(()) };
        if self.part == Part::Validity && !field.nullable {
            return self.fill_with(slabs, &[1]);
        }
        if self.part == Part::Data && field.cell_size() != self.cell {
            bail!(Corrupt, "Field '{}' has cells of another size in fragment {}", field.name, fragment.uri());
        }
        let size = stored.cells.checked_mul(self.cell);
        let size = size.ok_or_else(|| Error::corrupt("A tile is beyond all memory"))?;
        let source = TileSource::new(fragment, field, self.part, stored.tile, size, context.access())?;
        let range = first * self.cell..end * self.cell;
        let is_run = slabs.len() == 1 && contiguous(&slabs[0].steps_of(self.cell), self.cell) == Some(range.len());
        if is_run && (source.is_plain() || range.len() == size) {
            let to = slabs[0].to * self.cell;
            return self.out.with(to..to + range.len(), |out| source.load(range, out));
        }
        // Unfiltered bytes cost little: for a few of them, or for many small slabs, one read of all is best.
        let at_once = source.is_plain() && (range.len() <= MAX_CHUNK || slabs.len() > 1);
        let chunked = source.whole_cells() && !at_once;
        if chunked {
            return source.deliver(range, &mut SlabSink { slabs, cell: self.cell, out: self.out });
        }
        let mut bytes = scratch(range.len())?;
        source.load(range, &mut bytes)?;
        for slab in slabs {
            let from = (slab.from - first) * self.cell;
            copy_box(&self.out, slab.to * self.cell, &bytes, from, &slab.steps_of(self.cell), self.cell)?;
        }
        Ok(())
    }

    fn fill_with(&self, slabs: &[Slab], value: &[u8]) -> Result<()> {
        Target { fill: value, ..*self }.fill_slabs(slabs)
    }

    /// Coordinates follow from the positions.
    fn coordinates(&self, context: &Context, tile: &TileView<'_>) -> Result<()> {
        let dimension = self.field.dimension_index.unwrap_or(0);
        let axis = context.grid.axes()[dimension];
        let mut values = Vec::new();
        for slab in tile.slabs(&context.grid, &tile.bounds()) {
            values.clear();
            axis.coordinates(slab.bounds[dimension], &mut values);
            let mut steps = slab.steps_of(self.cell);
            for (d, step) in steps.iter_mut().enumerate() {
                step.from = if d == dimension { self.cell } else { 0 };
            }
            copy_box(&self.out, slab.to * self.cell, &values, 0, &steps, self.cell)?;
        }
        Ok(())
    }
}

/// Copies what slabs want of the chunks of a tile.
struct SlabSink<'s, 'a> {
    slabs: &'s [Slab],
    cell: usize,
    out: OutMem<'a>,
}

impl SlabSink<'_, '_> {
    fn cells(&self, chunk: &Range<usize>) -> Range<usize> {
        chunk.start / self.cell..chunk.end.div_ceil(self.cell)
    }
}

impl<'a> ChunkSink<'a> for SlabSink<'_, 'a> {
    fn wants(&mut self, chunk: &Range<usize>) -> Result<ChunkUse<'a>> {
        let cells = self.cells(chunk);
        let (mut wanted, mut run) = (0, None);
        for slab in self.slabs {
            slab.clip(&cells, &mut |_, to, steps| {
                wanted += steps.iter().map(|step| step.count).product::<usize>();
                run = (contiguous(steps, 1) == Some(cells.len())).then_some(to);
                Ok(())
            })?;
        }
        Ok(match run {
            _ if wanted == 0 => ChunkUse::Nothing,
            Some(to) if wanted == cells.len() => {
                ChunkUse::Into(self.out.part(to * self.cell..(to + cells.len()) * self.cell)?)
            }
            _ if wanted >= cells.len() => ChunkUse::All,
            _ => ChunkUse::Part,
        })
    }

    fn take(&mut self, chunk: &Range<usize>, bytes: &[u8]) -> Result<()> {
        let (cells, cell) = (self.cells(chunk), self.cell);
        for slab in self.slabs {
            slab.clip(&cells, &mut |from, to, steps| {
                copy_box_of_cells(&self.out, to, bytes, from - cells.start, steps, cell)
            })?;
        }
        Ok(())
    }
}
