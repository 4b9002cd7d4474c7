//! Dense reads of variable cells: first their lengths, which determine the position of every cell, then their values.
#![expect(unsafe_code, reason = "tiles are boxes of one result")]

use std::sync::Arc;

use super::batch::{BatchPlan, TileView};
use super::cell_source::StoredTile;
use super::context::DenseContext;
use super::var_tiles::{TileKey, VarTile, VarTiles};
use tiledb_array::fragment::FieldPart;
use tiledb_array::schema::Field;
use tiledb_cells::columns::box_moves::BoxMove;
use tiledb_cells::columns::copy::{copy_box, fill_box};
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::input::copy_pieces::CopyPiece;
use tiledb_cells::input::decode_context::{DecodeContext, within_budget};
use tiledb_cells::input::decoded::kind_of;
use tiledb_cells::input::excerpts::Excerpts;
use tiledb_cells::input::tile_source::TileSource;
use tiledb_cells::space::grid::Odometer;
use tiledb_cells::space::selection_mask;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::dense_read::{LENGTHS_PART, MIN_ROW_CELLS};
use tiledb_core::pool::Pools;
use tiledb_core::stats::Timer;
use tiledb_core::types::Layout;

/// One variable field of a batch.
#[derive(Clone, Copy)]
pub struct VarBatch<'b> {
    pub context: &'b DenseContext,
    pub plan: &'b BatchPlan,
    pub field: &'b Field,
    pub pools: &'b Pools,
    /// The selection mask, if only some cells are selected; the others get the fill value.
    pub marks: Option<&'b [u8]>,
    /// The starts of the cells of its tiles stay decoded until the values are copied, where memory allows.
    pub retains_starts: bool,
}

/// The measured values of one variable field of a batch.
pub struct VarRead {
    /// Bytes of all values.
    size: usize,
    /// Per tile of the batch and origin, the stored tile, if there is one and memory for its starts.
    stored: Vec<Vec<Option<StoredVar>>>,
    /// Values of tiles that are delivered in part are decoded as a whole, for the next submit.
    caches_tiles: bool,
}

/// A stored tile whose starts are decoded.
struct StoredVar {
    key: TileKey,
    tile: Arc<VarTile>,
    /// Not all of its cells are delivered.
    is_part: bool,
}

impl VarBatch<'_> {
    /// Computes the starts of all cells, in bytes. Cached tiles are not decoded again.
    ///
    /// # Errors
    /// If a tile cannot be read or the budget does not suffice.
    pub fn measure(&self, cached_tiles: &VarTiles, starts: &mut [u64]) -> Result<VarRead> {
        let VarBatch { context, plan, field, pools, marks, .. } = *self;
        let _timer = context.stats.timer(Timer::ReadDenseOffsets);
        let lengths = OutMem::new(bytemuck::cast_slice_mut(starts));
        let cancel = context.array.resources().cancel();
        let work = plan.cells.saturating_mul(16);
        let stored = pools.map(plan.len(), work, cancel, |task| {
            // SAFETY: the tiles of a plan are disjoint boxes of its cells; a task writes lengths of its tile's.
            let mut lengths = unsafe { lengths.alias() };
            self.lengths_of_tile(&plan.tile(task), &mut lengths, cached_tiles)
        })?;
        if let Some(marks) = marks {
            let fill = field.fill.len() as u64;
            let unmarked = starts.iter_mut().zip(marks).filter(|(_, mark)| **mark == 0);
            unmarked.for_each(|(length, _)| *length = fill);
        }
        let mut end = 0u64;
        for start in starts {
            let next =
                end.checked_add(*start).ok_or_else(|| Error::corrupt("Cell lengths add up to more than 2^64"))?;
            *start = std::mem::replace(&mut end, next);
        }
        Ok(VarRead { size: end as usize, stored, caches_tiles: cached_tiles.goes_on })
    }

    /// Writes the lengths of one tile's cells; returns the stored tiles, per origin.
    fn lengths_of_tile(
        &self,
        tile: &TileView<'_>,
        lengths: &mut OutMem<'_>,
        cached_tiles: &VarTiles,
    ) -> Result<Vec<Option<StoredVar>>> {
        let context = self.context;
        let field = self.field;
        let tasks = self.pools.compute();
        let access = context.access();
        let mut stored: Vec<Option<StoredVar>> = Vec::new();
        let origins = tile.origins(context)?;
        context.count_tiles(field, &origins, |access, field| access.count_field(field));
        for origin in origins {
            let moves = origin.moves(context, tile);
            let stored_tile = origin.stored.and_then(|stored| Some((stored, stored.fragment.stored(field)?)));
            let Some((stored_tile, field)) = stored_tile else {
                let length = (field.fill.len() as u64).to_le_bytes();
                moves.iter().try_for_each(|part| fill_box(lengths, part.to, &length, &part.steps))?;
                stored.push(None);
                continue;
            };
            let key = TileKey::new(&stored_tile, field);
            let cached = cached_tiles.get(key);
            let read = match &cached {
                Some(_) => None,
                None => within_budget(VarTile::read(access, &stored_tile, field))?,
            };
            let cells: usize =
                moves.iter().map(|part| part.steps.iter().map(|step| step.count).product::<usize>()).sum();
            let is_copied = match cached.as_deref().or(read.as_ref()) {
                Some(decoded) => put_lengths_of(access, decoded, &stored_tile, &moves, cells, lengths)?,
                None => false,
            };
            if !is_copied {
                let mut pieces = access.lease(MemoryKind::Results, 0, || Ok(Vec::new()))?;
                for part in &moves {
                    for_each_run(part, |from, to, count| pieces.push("pieces", CopyPiece { from, to, count }))?;
                }
                excerpts(access, &stored_tile, field).measure(
                    in_order(&mut pieces),
                    access.shares(tasks).1,
                    lengths,
                )?;
                stored.push(None);
                continue;
            }
            if !self.retains_starts && cached.is_none() {
                stored.push(None);
                continue;
            }
            let read = read.map(|tile| match row_of(&moves, stored_tile.cells).filter(|_| self.marks.is_none()) {
                Some(row) => tile.into_rows(row, &context.budget),
                None => tile.compact(&context.budget),
            });
            let tile = match cached {
                Some(tile) => Some(tile),
                None => read.transpose()?.map(Arc::new),
            };
            stored.push(tile.map(|tile| StoredVar { key, tile, is_part: cells < stored_tile.cells }));
        }
        Ok(stored)
    }
}

impl VarRead {
    /// The tiles that are delivered in part.
    pub fn parts_of_tiles(&self) -> Vec<(TileKey, Arc<VarTile>)> {
        let parts = self.stored.iter().flatten().flatten().filter(|stored| stored.is_part);
        parts.map(|stored| (stored.key, stored.tile.clone())).collect()
    }

    /// Bytes of all values.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Writes the values of the measured batch to the starts that were computed.
    ///
    /// # Errors
    /// If a tile cannot be read or the budget does not suffice.
    pub fn copy_values(&self, batch: &VarBatch<'_>, starts: &[u64], out: &mut OutMem<'_>) -> Result<()> {
        let VarBatch { context, plan, field, pools, marks, .. } = *batch;
        let _timer = context.stats.timer(Timer::ReadDenseVar);
        let cancel = context.array.resources().cancel();
        pools.for_each(plan.len(), self.size(), cancel, |task| {
            // SAFETY: the tiles of a plan are disjoint boxes of its cells, values are written to the disjoint ranges
            // given by the cells' starts, and a task writes those of the cells of its tile.
            let out = unsafe { out.alias() };
            let mut target = VarTarget { read: self, context, field, starts, out, marks, tasks: pools.compute() };
            let tile = plan.tile(task);
            target.copy_tile(&tile, &self.stored[task])?;
            context.count_steps(&tile, 1)
        })
    }
}

/// Where values go, and which of them.
struct VarTarget<'v> {
    read: &'v VarRead,
    context: &'v DenseContext,
    field: &'v Field,
    /// Starts of the results in bytes.
    starts: &'v [u64],
    out: OutMem<'v>,
    marks: Option<&'v [u8]>,
    /// The number of tiles that are copied at a time.
    tasks: usize,
}

impl VarTarget<'_> {
    fn copy_tile(&mut self, tile: &TileView<'_>, decoded: &[Option<StoredVar>]) -> Result<()> {
        for (origin, decoded) in tile.origins(self.context)?.iter().zip(decoded) {
            let moves = origin.moves(self.context, tile);
            let stored = origin.stored.and_then(|stored| Some((stored, stored.fragment.stored(self.field)?)));
            let Some((stored, field)) = stored else {
                moves.iter().try_for_each(|part| for_each_run(part, |_, to, count| self.fill(to, count)))?;
                continue;
            };
            let is_copied = match decoded {
                Some(decoded) => self.copy_moves(&stored, field, (&decoded.tile, decoded.is_part), &moves)?,
                None => match within_budget(VarTile::read(self.context.access(), &stored, field))? {
                    Some(tile) => self.copy_moves(&stored, field, (&tile, false), &moves)?,
                    None => false,
                },
            };
            if !is_copied {
                self.copy_excerpts(&stored, field, &moves)?;
            }
        }
        Ok(())
    }

    /// Copies the moves of a tile whose cells are decoded some at a time.
    fn copy_excerpts(&mut self, stored: &StoredTile<'_>, field: &Field, moves: &[BoxMove]) -> Result<()> {
        let access = self.context.access();
        let mut pieces = access.lease(MemoryKind::Results, 0, || Ok(Vec::new()))?;
        for part in moves {
            for_each_run(part, |from, to, count| {
                by_mark(self.marks, to, count, |skip, count, is_marked| match is_marked {
                    true => pieces.push("pieces", CopyPiece { from: from + skip, to: to + skip, count }),
                    false => self.fill(to + skip, count),
                })
            })?;
        }
        let share = access.shares(self.tasks).1;
        excerpts(access, stored, field).copy_values(in_order(&mut pieces), share, self.starts, &mut self.out)
    }

    fn fill(&mut self, to: usize, count: usize) -> Result<()> {
        let starts = self.starts;
        let fill = &self.field.fill;
        (to..to + count).try_for_each(|cell| self.out.put(starts[cell] as usize, fill))
    }

    /// Copies moves of one tile of a fragment; false if there is no memory for the range that they span.
    fn copy_moves(
        &mut self,
        stored: &StoredTile<'_>,
        field: &Field,
        (tile, is_part): (&VarTile, bool),
        moves: &[BoxMove],
    ) -> Result<bool> {
        let first = moves.iter().map(|part| tile.start(part.from)).min().unwrap_or(0);
        let end = moves.iter().map(|part| tile.start(part.end())).max().unwrap_or(0);
        if first == end && self.marks.is_none() {
            return Ok(true);
        }
        let access = self.context.access();
        let source =
            TileSource::new(stored.fragment, field, FieldPart::Var, stored.tile, tile.size() as usize, access)?;
        let is_read = moves.iter().any(|part| self.has_selected(part));
        let caches_tiles = self.read.caches_tiles && is_part && is_read;
        if let Some(values) = tile.values(access, field, caches_tiles.then_some(&source))? {
            return self.copy_values(moves, tile, values, 0, &source).map(|()| true);
        }
        let Some(mut values) = within_budget(access.scratch(kind_of(field), (end - first) as usize))? else {
            return Ok(false);
        };
        if is_read {
            source.load(first as usize..end as usize, values.slice_mut())?;
        }
        self.copy_values(moves, tile, &values, first, &source).map(|()| true)
    }

    /// Copies values of cells of a tile; those in memory begin at the byte `first` of the tile.
    fn copy_values(
        &mut self,
        moves: &[BoxMove],
        tile: &VarTile,
        values: &[u8],
        first: u64,
        source: &TileSource<'_>,
    ) -> Result<()> {
        for part in moves {
            for_each_run(part, |from, to, count| {
                by_mark(self.marks, to, count, |skip, count, is_marked| {
                    if !is_marked {
                        return self.fill(to + skip, count);
                    }
                    let cell = from + skip;
                    let (low, high) = (tile.start(cell) - first, tile.start(cell + count) - first);
                    match values.get(low as usize..high as usize) {
                        Some(run) => self.out.put(self.starts[to + skip] as usize, run),
                        None => bail!(Corrupt, "{} (its offsets do not ascend)", source.name()),
                    }
                })
            })?;
        }
        Ok(())
    }

    /// True if any cell of a box is selected by the mask.
    fn has_selected(&self, part: &BoxMove) -> bool {
        let Some(marks) = self.marks else { return true };
        let mut has_selected = false;
        let walked = for_each_run(part, |_, to, count| {
            has_selected |= selection_mask::any(&marks[to..to + count]);
            Ok(())
        });
        has_selected || walked.is_err()
    }
}

/// Calls `copy(from, to, count)` for every run of cells that follow one another in tile and result.
fn for_each_run(part: &BoxMove, mut copy: impl FnMut(usize, usize, usize) -> Result<()>) -> Result<()> {
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

/// Pieces in the order of the tile.
fn in_order(pieces: &mut Lease<Vec<CopyPiece>>) -> &[CopyPiece] {
    pieces.slice_mut().sort_unstable_by_key(|piece| (piece.from, piece.to));
    pieces
}

fn excerpts<'a>(access: DecodeContext<'a>, stored: &StoredTile<'a>, field: &'a Field) -> Excerpts<'a> {
    Excerpts { fragment: stored.fragment, field, tile: stored.tile, cells: stored.cells, access }
}

/// The cells of a row, if a move copies all of the cells of a tile row by row.
fn row_of(moves: &[BoxMove], cells: usize) -> Option<usize> {
    let [all] = moves else { return None };
    let row = all.steps.iter().find(|step| step.from == 1 && step.to == 1)?.count;
    let is_whole = all.from == 0 && all.steps.iter().map(|step| step.count).product::<usize>() == cells;
    let are_rows = all.steps.iter().all(|step| step.from == 1 || step.from.is_multiple_of(row));
    (is_whole && are_rows && row >= MIN_ROW_CELLS.count()).then_some(row)
}

/// Writes the lengths of `cells` cells of a stored tile; false if there is no memory for the lengths of all its cells,
/// which are copied faster where many are selected.
fn put_lengths_of(
    access: DecodeContext<'_>,
    tile: &VarTile,
    stored: &StoredTile<'_>,
    moves: &[BoxMove],
    cells: usize,
    out: &mut OutMem<'_>,
) -> Result<bool> {
    if cells < stored.cells / LENGTHS_PART.count() {
        for part in moves {
            for_each_run(part, |from, to, count| {
                out.with(to * 8..(to + count) * 8, |out| {
                    let lengths = out.as_chunks_mut::<8>().0.iter_mut().zip(tile.lengths(from, count));
                    lengths.for_each(|(out, length)| *out = length.to_le_bytes());
                    Ok(())
                })
            })?;
        }
        return Ok(true);
    }
    let Some(mut own) = within_budget(access.scratch(MemoryKind::Results, stored.cells * 8))? else { return Ok(false) };
    let words = own.slice_mut().as_chunks_mut::<8>().0;
    words.iter_mut().zip(tile.lengths(0, stored.cells)).for_each(|(word, length)| *word = length.to_le_bytes());
    moves.iter().try_for_each(|part| copy_box(out, part.to, &own, part.from, &part.steps, 8))?;
    Ok(true)
}
