//! Dense reads of variable cells: first their lengths, which give every cell its place, then their values.
#![expect(unsafe_code, reason = "tiles are boxes of one result")]

use super::batch::{BatchPlan, Slab, TileView};
use super::context::Context;
use super::origin::Stored;
use crate::error::{Error, Result, bail};
use crate::fragment::Part;
use crate::pool::{Pools, scratch};
use crate::query::columns::copy::copy_box;
use crate::query::columns::memory::OutMem;
use crate::query::columns::output::Column;
use crate::query::input::tile_source::TileSource;
use crate::query::space::grid::Odometer;
use crate::schema::Field;
use crate::stats::Timer;
use crate::types::Layout;

/// The lengths of one variable field in one batch.
pub struct VarRead {
    /// Starts of the results in bytes, and their end: one more than cells.
    starts: Vec<u64>,
    /// Per tile of the batch and origin, the starts inside the stored tile (and their end); `None`: fill.
    stored: Vec<Vec<Option<Vec<u64>>>>,
}

impl VarRead {
    /// Finds the lengths of all cells of a batch. Cells whose mark is 0 get the fill value.
    pub fn measure(
        context: &Context,
        plan: &BatchPlan,
        field: &Field,
        pools: &Pools,
        marks: Option<&[u8]>,
    ) -> Result<VarRead> {
        let _timer = context.stats.timer(Timer::ReadDenseOffsets);
        let mut starts = Vec::new();
        let count = plan.cells.saturating_add(1);
        starts.try_reserve_exact(count).map_err(|_| Error::out_of_memory("offsets", count.saturating_mul(8)))?;
        starts.resize(count, 0u64);
        let lengths = OutMem::new(bytemuck::cast_slice_mut(&mut starts[1..]));
        let cancel = context.array.resources().cancel();
        let work = plan.cells.saturating_mul(16);
        let stored = pools.map(plan.len(), work, cancel, |task| {
            // SAFETY: the tiles of a plan are boxes of its cells that do not meet; a task writes lengths of its tile's.
            let mut lengths = unsafe { lengths.again() };
            lengths_of_tile(context, &plan.tile(task), field, &mut lengths)
        })?;
        if let Some(marks) = marks {
            let fill = field.fill.len() as u64;
            let unmarked = starts[1..].iter_mut().zip(marks).filter(|(_, mark)| **mark == 0);
            unmarked.for_each(|(length, _)| *length = fill);
        }
        let mut end = 0u64;
        for start in &mut starts {
            end = end.checked_add(*start).ok_or_else(|| Error::corrupt("Cell lengths add up to more than 2^64"))?;
            *start = end;
        }
        Ok(VarRead { starts, stored })
    }

    /// Writes values and offsets; returns the bytes of the values.
    pub fn deliver(
        self,
        context: &Context,
        plan: &BatchPlan,
        field: &Field,
        column: &mut Column<'_>,
        pools: &Pools,
        marks: Option<&[u8]>,
    ) -> Result<usize> {
        let _timer = context.stats.timer(Timer::ReadDenseVar);
        self.copy_values(context, plan, field, &mut column.data, pools, marks)?;
        match &mut column.offsets {
            Some(offsets) => offsets.put(0, &self.starts[..plan.cells])?,
            None => bail!(Internal, "Variable field '{}' has no offsets buffer", field.name),
        }
        Ok(self.size())
    }

    /// Bytes of all values.
    pub fn size(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// The starts of the results in bytes, and their end.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// The same for good.
    pub fn into_starts(self) -> Vec<u64> {
        self.starts
    }

    /// Writes the values.
    pub fn copy_values(
        &self,
        context: &Context,
        plan: &BatchPlan,
        field: &Field,
        out: &mut OutMem<'_>,
        pools: &Pools,
        marks: Option<&[u8]>,
    ) -> Result<()> {
        let cancel = context.array.resources().cancel();
        pools.for_each(plan.len(), self.size(), cancel, |task| {
            // SAFETY: the tiles of a plan are boxes of its cells that do not meet, values lie in the places that the
            // cells' starts give them, one behind the other, and a task writes those of the cells of its tile.
            let out = unsafe { out.again() };
            let mut values = Values { read: self, context, field, out, marks };
            values.copy_tile(&plan.tile(task), &self.stored[task])
        })
    }
}

/// Where values go, and which of them.
struct Values<'v> {
    read: &'v VarRead,
    context: &'v Context,
    field: &'v Field,
    out: OutMem<'v>,
    marks: Option<&'v [u8]>,
}

impl Values<'_> {
    fn copy_tile(&mut self, tile: &TileView<'_>, stored: &[Option<Vec<u64>>]) -> Result<()> {
        for (origin, starts) in tile.origins_of(self.context, self.field)?.iter().zip(stored) {
            let slabs = origin.slabs(self.context, tile);
            match (starts, &origin.stored) {
                (Some(starts), Some(stored)) => {
                    let Some(field) = stored.fragment.stored(self.field) else { continue };
                    self.copy_slabs(stored, field, starts, &slabs)?;
                }
                _ => slabs.iter().try_for_each(|slab| for_each_run(slab, |_, to, count| self.fill(to, count)))?,
            }
        }
        Ok(())
    }

    fn fill(&mut self, to: usize, count: usize) -> Result<()> {
        let (starts, fill) = (&self.read.starts, &self.field.fill);
        (to..to + count).try_for_each(|cell| self.out.put(starts[cell] as usize, fill))
    }

    fn copy_slabs(&mut self, stored: &Stored<'_>, field: &Field, starts: &[u64], slabs: &[Slab]) -> Result<()> {
        let first = slabs.iter().map(|slab| starts[slab.from]).min().unwrap_or(0);
        let end = slabs.iter().map(|slab| starts[slab.end()]).max().unwrap_or(0);
        if first == end && self.marks.is_none() {
            return Ok(());
        }
        let size = starts.last().copied().unwrap_or(0) as usize;
        let source = TileSource::new(stored.fragment, field, Part::Var, stored.tile, size, self.context.access())?;
        let mut values = scratch((end - first) as usize)?;
        if slabs.iter().any(|slab| self.has_marked(slab)) {
            source.load(first as usize..end as usize, &mut values)?;
        }
        let copy = |to_values: &mut Self, from: usize, to: usize, count: usize| {
            let (low, high) = (starts[from] - first, starts[from + count] - first);
            match values.get(low as usize..high as usize) {
                Some(run) => to_values.out.put(to_values.read.starts[to] as usize, run),
                None => bail!(Corrupt, "{} (its offsets do not ascend)", source.name()),
            }
        };
        for slab in slabs {
            for_each_run(slab, |from, to, count| {
                let Some(marks) = self.marks else { return copy(self, from, to, count) };
                let mut at = 0;
                marks[to..to + count].chunk_by(|a, b| a == b).try_for_each(|run| {
                    let start = at;
                    at += run.len();
                    match run[0] {
                        0 => self.fill(to + start, run.len()),
                        _ => copy(self, from + start, to + start, run.len()),
                    }
                })
            })?;
        }
        Ok(())
    }

    /// True if any cell of a slab keeps its value.
    fn has_marked(&self, slab: &Slab) -> bool {
        let Some(marks) = self.marks else { return true };
        let mut found = false;
        let looked = for_each_run(slab, |_, to, count| {
            found |= marks[to..to + count].contains(&1);
            Ok(())
        });
        found || looked.is_err()
    }
}

/// Calls `copy(from, to, count)` for every run of cells that follow one another in tile and result.
fn for_each_run(slab: &Slab, mut copy: impl FnMut(usize, usize, usize) -> Result<()>) -> Result<()> {
    let inner = slab.steps.iter().position(|step| step.from == 1 && step.to == 1);
    let run = inner.map_or(1, |d| slab.steps[d].count);
    let mut counts: Vec<u64> = slab.steps.iter().map(|step| step.count as u64).collect();
    if let Some(d) = inner {
        counts[d] = 1;
    }
    let mut odometer = Odometer::new(counts, Layout::RowMajor);
    while let Some(position) = odometer.position() {
        let (mut from, mut to) = (slab.from, slab.to);
        for (step, &at) in slab.steps.iter().zip(position) {
            from += at as usize * step.from;
            to += at as usize * step.to;
        }
        copy(from, to, run)?;
        odometer.advance();
    }
    Ok(())
}

/// Writes the lengths of one tile's cells; returns the starts inside the stored tiles, per origin.
fn lengths_of_tile(
    context: &Context,
    tile: &TileView<'_>,
    field: &Field,
    lengths: &mut OutMem<'_>,
) -> Result<Vec<Option<Vec<u64>>>> {
    let mut stored: Vec<Option<Vec<u64>>> = Vec::new();
    let origins = tile.origins_of(context, field)?;
    context.count_tiles(field, &origins, |access, field| access.count_field(field));
    for origin in origins {
        let slabs = origin.slabs(context, tile);
        let held = origin.stored.and_then(|stored| Some((stored, stored.fragment.stored(field)?)));
        let Some((held, field)) = held else {
            let length = (field.fill.len() as u64).to_le_bytes();
            copy_lengths(&slabs, &length, lengths, true)?;
            stored.push(None);
            continue;
        };
        let starts = stored_starts(context, &held, field)?;
        let cell_lengths: Vec<u64> = starts.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
        copy_lengths(&slabs, bytemuck::cast_slice(&cell_lengths), lengths, false)?;
        stored.push(Some(starts));
    }
    Ok(stored)
}

fn copy_lengths(slabs: &[Slab], lengths: &[u8], out: &mut OutMem<'_>, repeat: bool) -> Result<()> {
    for slab in slabs {
        let mut steps = slab.steps_of(8);
        let mut from = slab.from * 8;
        if repeat {
            steps.iter_mut().for_each(|step| step.from = 0);
            from = 0;
        }
        copy_box(out, slab.to * 8, lengths, from, &steps, 8)?;
    }
    Ok(())
}

/// The starts of the cells of a stored tile, and their end; checked to ascend.
fn stored_starts(context: &Context, stored: &Stored<'_>, field: &Field) -> Result<Vec<u64>> {
    let Stored { fragment, tile, cells } = *stored;
    let mut starts = Vec::new();
    starts.try_reserve_exact(cells + 1).map_err(|_| Error::out_of_memory("offsets", cells.saturating_mul(8)))?;
    starts.resize(cells + 1, 0u64);
    let end = fragment.var_tile_size(field, tile)?;
    let source = TileSource::new(fragment, field, Part::Data, tile, cells * 8, context.access())?;
    source.load(0..cells * 8, bytemuck::cast_slice_mut(&mut starts[..cells]))?;
    starts[cells] = end;
    if !starts.is_sorted() {
        bail!(Corrupt, "{} (its offsets do not ascend)", source.name());
    }
    Ok(starts)
}
