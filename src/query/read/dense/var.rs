//! Dense reads of variable cells: first their lengths, which give every cell its place, then their values.
#![expect(unsafe_code, reason = "tiles are boxes of one result")]

use super::batch::{BatchPlan, TileView};
use super::context::Context;
use super::origin::Stored;
use crate::budget::{Kind, Leased};
use crate::error::{Error, Result, bail};
use crate::fragment::Part;
use crate::pool::{Pools, Scratch};
use crate::query::columns::copy::{copy_box, fill_box};
use crate::query::columns::memory::OutMem;
use crate::query::columns::moves::Move;
use crate::query::columns::output::Column;
use crate::query::input::access::{Access, if_room};
use crate::query::input::decoded::kind_of;
use crate::query::input::excerpts::Excerpts;
use crate::query::input::pieces::Piece;
use crate::query::input::tile_source::TileSource;
use crate::query::space::grid::Odometer;
use crate::query::space::marks;
use crate::schema::Field;
use crate::stats::Timer;
use crate::types::Layout;

/// The lengths of one variable field in one batch.
pub struct VarRead {
    /// Starts of the results in bytes, and their end: one more than cells.
    starts: Leased<Vec<u64>>,
    /// Per tile of the batch and origin, the starts inside the stored tile (and their end), where there is one and memory
    /// for them.
    stored: Vec<Vec<Option<Leased<Vec<u64>>>>>,
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
        let mut starts = context.access().words(plan.cells.saturating_add(1))?;
        let words = starts.slice_mut();
        let lengths = OutMem::new(bytemuck::cast_slice_mut(&mut words[1..]));
        let cancel = context.array.resources().cancel();
        let work = plan.cells.saturating_mul(16);
        let stored = pools.map(plan.len(), work, cancel, |task| {
            // SAFETY: the tiles of a plan are boxes of its cells that do not meet; a task writes lengths of its tile's.
            let mut lengths = unsafe { lengths.again() };
            lengths_of_tile(context, &plan.tile(task), field, &mut lengths, pools.compute())
        })?;
        if let Some(marks) = marks {
            let fill = field.fill.len() as u64;
            let unmarked = words[1..].iter_mut().zip(marks).filter(|(_, mark)| **mark == 0);
            unmarked.for_each(|(length, _)| *length = fill);
        }
        let mut end = 0u64;
        for start in words {
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
    pub fn into_starts(self) -> Leased<Vec<u64>> {
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
            let mut target = VarTarget { read: self, context, field, out, marks, tasks: pools.compute() };
            let tile = plan.tile(task);
            target.copy_tile(&tile, &self.stored[task])?;
            context.count_steps(&tile, 1)
        })
    }
}

/// Where values go, and which of them.
struct VarTarget<'v> {
    read: &'v VarRead,
    context: &'v Context,
    field: &'v Field,
    out: OutMem<'v>,
    marks: Option<&'v [u8]>,
    /// So many tiles are copied at a time.
    tasks: usize,
}

impl VarTarget<'_> {
    fn copy_tile(&mut self, tile: &TileView<'_>, starts: &[Option<Leased<Vec<u64>>>]) -> Result<()> {
        for (origin, starts) in tile.origins_of(self.context, self.field)?.iter().zip(starts) {
            let moves = origin.moves(self.context, tile);
            let stored = origin.stored.and_then(|stored| Some((stored, stored.fragment.stored(self.field)?)));
            let Some((stored, field)) = stored else {
                moves.iter().try_for_each(|part| for_each_run(part, |_, to, count| self.fill(to, count)))?;
                continue;
            };
            let is_copied = match starts {
                Some(starts) => self.copy_moves(&stored, field, starts, &moves)?,
                None => false,
            };
            if !is_copied {
                self.copy_excerpts(&stored, field, &moves)?;
            }
        }
        Ok(())
    }

    /// Copies the moves of a tile whose cells are decoded some at a time.
    fn copy_excerpts(&mut self, stored: &Stored<'_>, field: &Field, moves: &[Move]) -> Result<()> {
        let access = self.context.access();
        let mut pieces = access.lease(Kind::Results, 0, || Ok(Vec::new()))?;
        for part in moves {
            for_each_run(part, |from, to, count| {
                by_mark(self.marks, to, count, |skip, count, is_marked| match is_marked {
                    true => pieces.push("pieces", Piece { from: from + skip, to: to + skip, count }),
                    false => self.fill(to + skip, count),
                })
            })?;
        }
        let share = access.shares(self.tasks).1;
        excerpts(access, stored, field).copy_values(in_order(&mut pieces), share, &self.read.starts, &mut self.out)
    }

    fn fill(&mut self, to: usize, count: usize) -> Result<()> {
        let (starts, fill) = (&self.read.starts, &self.field.fill);
        (to..to + count).try_for_each(|cell| self.out.put(starts[cell] as usize, fill))
    }

    /// Copies moves of one tile of a fragment; false if there is no memory for all that lies between them.
    fn copy_moves(&mut self, stored: &Stored<'_>, field: &Field, starts: &[u64], moves: &[Move]) -> Result<bool> {
        let first = moves.iter().map(|part| starts[part.from]).min().unwrap_or(0);
        let end = moves.iter().map(|part| starts[part.end()]).max().unwrap_or(0);
        if first == end && self.marks.is_none() {
            return Ok(true);
        }
        let size = starts.last().copied().unwrap_or(0) as usize;
        let access = self.context.access();
        let source = TileSource::new(stored.fragment, field, Part::Var, stored.tile, size, access)?;
        let Some(mut values) = if_room(access.scratch(kind_of(field), (end - first) as usize))? else {
            return Ok(false);
        };
        if moves.iter().any(|part| self.has_marked(part)) {
            source.load(first as usize..end as usize, values.slice_mut())?;
        }
        for part in moves {
            for_each_run(part, |from, to, count| {
                by_mark(self.marks, to, count, |skip, count, is_marked| {
                    if !is_marked {
                        return self.fill(to + skip, count);
                    }
                    let cell = from + skip;
                    let (low, high) = (starts[cell] - first, starts[cell + count] - first);
                    match values.get(low as usize..high as usize) {
                        Some(run) => self.out.put(self.read.starts[to + skip] as usize, run),
                        None => bail!(Corrupt, "{} (its offsets do not ascend)", source.name()),
                    }
                })
            })?;
        }
        Ok(true)
    }

    /// True if any cell of a part keeps its value.
    fn has_marked(&self, part: &Move) -> bool {
        let Some(marks) = self.marks else { return true };
        let mut found = false;
        let looked = for_each_run(part, |_, to, count| {
            found |= marks::any(&marks[to..to + count]);
            Ok(())
        });
        found || looked.is_err()
    }
}

/// Calls `copy(from, to, count)` for every run of cells that follow one another in tile and result.
fn for_each_run(part: &Move, mut copy: impl FnMut(usize, usize, usize) -> Result<()>) -> Result<()> {
    let inner = part.steps.iter().position(|step| step.from == 1 && step.to == 1);
    let run = inner.map_or(1, |d| part.steps[d].count);
    let mut counts: Vec<u64> = part.steps.iter().map(|step| step.count as u64).collect();
    if let Some(d) = inner {
        counts[d] = 1;
    }
    let mut odometer = Odometer::new(counts, Layout::RowMajor);
    while let Some(position) = odometer.position() {
        let (mut from, mut to) = (part.from, part.to);
        for (step, &at) in part.steps.iter().zip(position) {
            from += at as usize * step.from;
            to += at as usize * step.to;
        }
        copy(from, to, run)?;
        odometer.advance();
    }
    Ok(())
}

/// Calls `take(skip, count, is_marked)` for every run of results that are all marked or none; without marks for all.
fn by_mark(
    marks: Option<&[u8]>,
    to: usize,
    count: usize,
    mut take: impl FnMut(usize, usize, bool) -> Result<()>,
) -> Result<()> {
    let Some(marks) = marks else { return take(0, count, true) };
    let mut skip = 0;
    marks[to..to + count].chunk_by(|a, b| a == b).try_for_each(|run| {
        let start = skip;
        skip += run.len();
        take(start, run.len(), run[0] != 0)
    })
}

/// Pieces as they lie in the tile.
fn in_order(pieces: &mut Leased<Vec<Piece>>) -> &[Piece] {
    pieces.slice_mut().sort_unstable_by_key(|piece| (piece.from, piece.to));
    pieces
}

fn excerpts<'a>(access: Access<'a>, stored: &Stored<'a>, field: &'a Field) -> Excerpts<'a> {
    Excerpts { fragment: stored.fragment, field, tile: stored.tile, cells: stored.cells, access }
}

/// Writes the lengths of one tile's cells; returns the starts inside the stored tiles, per origin.
fn lengths_of_tile(
    context: &Context,
    tile: &TileView<'_>,
    field: &Field,
    lengths: &mut OutMem<'_>,
    tasks: usize,
) -> Result<Vec<Option<Leased<Vec<u64>>>>> {
    let access = context.access();
    let mut stored: Vec<Option<Leased<Vec<u64>>>> = Vec::new();
    let origins = tile.origins_of(context, field)?;
    context.count_tiles(field, &origins, |access, field| access.count_field(field));
    for origin in origins {
        let moves = origin.moves(context, tile);
        let held = origin.stored.and_then(|stored| Some((stored, stored.fragment.stored(field)?)));
        let Some((held, field)) = held else {
            let length = (field.fill.len() as u64).to_le_bytes();
            moves.iter().try_for_each(|part| fill_box(lengths, part.to, &length, &part.steps))?;
            stored.push(None);
            continue;
        };
        let Some((starts, own)) = if_room(stored_starts(access, &held, field))? else {
            let mut pieces = access.lease(Kind::Results, 0, || Ok(Vec::new()))?;
            for part in &moves {
                for_each_run(part, |from, to, count| pieces.push("pieces", Piece { from, to, count }))?;
            }
            excerpts(access, &held, field).measure(in_order(&mut pieces), access.shares(tasks).1, lengths)?;
            stored.push(None);
            continue;
        };
        moves.iter().try_for_each(|part| copy_box(lengths, part.to, &own, part.from, &part.steps, 8))?;
        stored.push(Some(starts));
    }
    Ok(stored)
}

/// The starts of the cells of a stored tile, and their end, checked to ascend; and the lengths as words.
fn stored_starts(
    access: Access<'_>,
    stored: &Stored<'_>,
    field: &Field,
) -> Result<(Leased<Vec<u64>>, Leased<Scratch>)> {
    let Stored { fragment, tile, cells } = *stored;
    let mut starts = access.words(cells + 1)?;
    let mut lengths = access.scratch(Kind::Results, cells * 8)?;
    let end = fragment.var_tile_size(field, tile)?;
    let source = TileSource::new(fragment, field, Part::Data, tile, cells * 8, access)?;
    source.load(0..cells * 8, bytemuck::cast_slice_mut(&mut starts.slice_mut()[..cells]))?;
    starts.slice_mut()[cells] = end;
    if !starts.is_sorted() {
        bail!(Corrupt, "{} (its offsets do not ascend)", source.name());
    }
    let words = bytemuck::try_cast_slice_mut::<u8, u64>(lengths.slice_mut()).unwrap_or_default();
    words.iter_mut().zip(starts.windows(2)).for_each(|(length, pair)| *length = pair[1] - pair[0]);
    Ok((starts, lengths))
}
