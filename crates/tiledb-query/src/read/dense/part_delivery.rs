//! Delivers a part of a dense read. The tiles of a part are read in parallel, and each cell is copied once.
//!
//! A part has as many cells as the user's buffers hold, whatever the memory budget: if this does not hold the part at
//! once, it is delivered in pieces, consecutive boxes of results, which fill the buffers one after another. What was
//! decoded for a piece is released before the next one.

use std::sync::Arc;

use super::batch::BatchPlan;
use super::batch_memory::{self, BatchMemory};
use super::condition;
use super::coords;
use super::fixed::{read_targets, targets_of};
use super::prefetch;
use super::reader::DenseReader;
use super::result_parts::ResultBox;
use super::var::VarBatch;
use super::var_column::VarColumn;
use super::var_tiles::{ComparedTiles, TileKey, VarTile};
use tiledb_array::schema::Field;
use tiledb_cells::columns::output::OutputColumn;
use tiledb_cells::input::prefetch::Prefetch;
use tiledb_cells::space::grid::Grid;
use tiledb_cells::space::range_boxes::dimensions;
use tiledb_cells::space::selection::Selection;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::limits::dense_read::{COMPARED_TILES_PART, MAX_COMPARED_BYTES};
use tiledb_core::pool::Pools;
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::Layout;

/// What became of a piece.
enum PieceOutcome {
    Delivered,
    /// Its variable cells exceed the user's buffers.
    TooManyValues,
    /// The memory budget does not hold it, but may hold a part of it.
    TooMuchMemory,
}

/// A piece that is delivered at once.
struct PieceRead<'p> {
    plan: &'p BatchPlan,
    fields: &'p [&'p Field],
    pools: &'p Pools,
    /// The starts of variable cells of its tiles stay decoded until their values are copied.
    retains_starts: bool,
    /// Bytes of each column that were delivered before.
    filled: &'p [usize],
}

impl DenseReader {
    /// Delivers a part; false if the buffers do not hold it.
    pub(super) fn deliver_part(
        &mut self,
        part: &ResultBox,
        fields: &[&Field],
        columns: &mut [OutputColumn<'_>],
    ) -> Result<bool> {
        let sizes = fields.iter().map(|field| field.cell_size());
        let limit = columns.iter().zip(sizes).map(|(column, size)| column.capacity(size)).min().unwrap_or(0);
        if part.cells() > limit as u64 {
            return Ok(false);
        }
        let order = self.layout;
        // The next piece is last.
        let mut pieces = vec![part.clone()];
        let mut max_cells = u64::MAX;
        while let Some(piece) = pieces.pop() {
            let outcome = match piece.cells() > max_cells {
                true => PieceOutcome::TooMuchMemory,
                false => self.deliver_piece(&piece, fields, columns)?,
            };
            match outcome {
                PieceOutcome::Delivered => (),
                PieceOutcome::TooManyValues => {
                    columns.iter_mut().for_each(|column| (column.cells, column.bytes) = (0, 0));
                    return Ok(false);
                }
                PieceOutcome::TooMuchMemory => {
                    let halves = piece.tile_halves(&self.context.grid, &self.selection, order);
                    let halves = halves.or_else(|| piece.halves(&self.selection, self.cell_order()));
                    let Some((first, second)) = halves else {
                        bail!(Internal, "A single cell of a dense read was to be divided");
                    };
                    // Tiles are delivered in parts.
                    self.cached_tiles.goes_on = true;
                    max_cells = first.cells().max(second.cells());
                    pieces.extend([second, first]);
                }
            }
        }
        Ok(true)
    }

    /// The order of the results within a tile.
    fn cell_order(&self) -> Layout {
        match self.layout {
            Layout::GlobalOrder => self.context.grid.cell_order,
            Layout::ColMajor => Layout::ColMajor,
            _ => Layout::RowMajor,
        }
    }

    /// Delivers a piece after those that were delivered.
    fn deliver_piece(
        &mut self,
        piece: &ResultBox,
        fields: &[&Field],
        columns: &mut [OutputColumn<'_>],
    ) -> Result<PieceOutcome> {
        let context = &self.context;
        let condition = self.condition.as_deref();
        let timer = context.stats.timer(Timer::ReadDensePlan);
        let plan = BatchPlan::of_part(&context.grid, &self.selection, &piece.low, &piece.counts, self.layout)?;
        drop(timer);
        let before: Vec<usize> = columns.iter().map(|column| column.bytes).collect();
        let mut rests = columns.iter_mut().map(OutputColumn::rest).collect::<Result<Vec<_>>>()?;
        let own_starts = rests.iter_mut().map(|column| VarColumn::has_own_starts(column, plan.cells));
        let own_starts = own_starts.filter(|&has| has).count();
        let BatchMemory { results, starts } = batch_memory::of_batch(context, &plan, fields, own_starts, condition);
        // Cached tiles are among those that the batch needs, or are evicted.
        let most = context.budget.available().saturating_add(self.cached_tiles.bytes()) / 2;
        let retains_starts = results.saturating_add(starts) <= most;
        let is_divisible = || piece.tile_halves(&context.grid, &self.selection, self.layout).is_some();
        if plan.cells > 1 && (results > most || !retains_starts && is_divisible()) {
            return Ok(PieceOutcome::TooMuchMemory);
        }
        let _timer = context.stats.timer(Timer::ReadDense);
        context.stats.add(Counter::ReaderSpaceTiles, plan.len() as u64);
        loop {
            let all = *context.array.resources().pools();
            let pools = if self.one_by_one { Pools::new(1, all.io()) } else { all };
            let ahead = prefetch::of_batch(context, &plan, fields, condition)?;
            let mut used = Vec::new();
            let read = PieceRead { plan: &plan, fields, pools: &pools, retains_starts, filled: &before };
            let delivered = Prefetch::with(ahead, &context.budget, || self.deliver(&read, &mut rests, &mut used));
            if delivered.is_ok() {
                self.cached_tiles.replace(used, &context.budget)?;
            }
            match delivered {
                Ok(true) => break,
                Ok(false) => return Ok(PieceOutcome::TooManyValues),
                Err(error) if error.kind() != ErrorKind::Budget => return Err(error),
                Err(_) if self.cached_tiles.clear() => (),
                Err(_) if !self.one_by_one => self.one_by_one = true,
                Err(_) if plan.cells > 1 => return Ok(PieceOutcome::TooMuchMemory),
                Err(error) => return Err(error),
            }
        }
        let filled: Vec<(usize, usize)> = rests.iter().map(|column| (column.cells, column.bytes)).collect();
        drop(rests);
        for (column, (cells, bytes)) in columns.iter_mut().zip(filled) {
            column.cells += cells;
            column.bytes += bytes;
        }
        Ok(PieceOutcome::Delivered)
    }

    /// Delivers a piece; false, without effect, if its variable cells exceed the capacity. The variable tiles that it
    /// contains in part are added to `used`.
    fn deliver(
        &self,
        read: &PieceRead<'_>,
        columns: &mut [OutputColumn<'_>],
        used: &mut Vec<(TileKey, Arc<VarTile>)>,
    ) -> Result<bool> {
        let PieceRead { plan, fields, pools, retains_starts, filled } = *read;
        if let Some(program) = self.condition.as_deref().filter(|_| self.only_coordinates) {
            coords::read(&self.context, program, plan, fields, columns, pools)?;
            return Ok(true);
        }
        let stats = &self.context.stats;
        let mut compared = None;
        let marks = match &self.condition {
            Some(program) => {
                let _timer = stats.timer(Timer::ReadCondition);
                let part = self.context.budget.available() / COMPARED_TILES_PART.bytes();
                let limit = if self.one_by_one { 0 } else { part.min(MAX_COMPARED_BYTES.bytes()) };
                let tiles = ComparedTiles::new(fields, &self.cached_tiles, limit);
                let marks = condition::read(&self.context, program, plan, &tiles, columns, pools)?;
                compared = Some(tiles.into_tiles());
                marks
            }
            None => None,
        };
        let cached_tiles = compared.as_ref().unwrap_or(&self.cached_tiles);
        let marks = marks.as_ref().map(|marks| &marks[..]);
        let mut var_columns: Vec<Option<VarColumn<'_>>> = Vec::new();
        for (field, column) in fields.iter().zip(&mut *columns) {
            if !field.is_var() {
                var_columns.push(None);
                continue;
            }
            let batch = VarBatch { context: &self.context, plan, field, pools, marks, retains_starts };
            let measured = VarColumn::measure(batch, cached_tiles, column)?;
            used.extend(measured.read.parts_of_tiles());
            if measured.read.size() > column.data.len() {
                measured.show_starts(column)?;
                return Ok(false);
            }
            var_columns.push(Some(measured));
        }
        if self.condition.is_none() {
            let _timer = stats.timer(Timer::ReadDenseFixed);
            read_targets(&self.context, plan, &targets_of(fields, columns, plan.cells), pools)?;
        }
        for (((field, column), measured), &filled) in fields.iter().zip(columns).zip(var_columns).zip(filled) {
            column.cells = plan.cells;
            column.bytes = match measured {
                Some(measured) => measured.deliver(column, filled as u64)?,
                None => plan.cells * field.cell_size(),
            };
        }
        Ok(true)
    }
}

/// Pieces: the results of the first half precede those of the second.
impl ResultBox {
    /// The halves of a box of several rows of tiles, between two of these; `None` if the rows are cut by ranges, or if there is
    /// one only.
    fn tile_halves(&self, grid: &Grid, selection: &Selection, layout: Layout) -> Option<(ResultBox, ResultBox)> {
        let order = match layout {
            Layout::GlobalOrder => grid.tile_order,
            order => order,
        };
        for d in dimensions(self.counts.len(), if order == Layout::ColMajor { order } else { Layout::RowMajor }) {
            let axis = &grid.axes()[d];
            if let [span] = selection.spans(d, self.low[d], self.counts[d])[..] {
                let tiles = axis.tile(span.high) - axis.tile(span.low);
                if tiles > 0 {
                    let second = axis.tile_start(axis.tile(span.low) + tiles.div_ceil(2));
                    return Some(self.cut(d, second - span.low));
                }
            }
            if layout != Layout::GlobalOrder && self.counts[d] > 1 {
                return None;
            }
        }
        None
    }

    /// The halves along the slowest dimension of several cells; `None` for a single cell.
    fn halves(&self, selection: &Selection, order: Layout) -> Option<(ResultBox, ResultBox)> {
        let d = dimensions(self.counts.len(), order).find(|&d| self.counts[d] > 1)?;
        let spans = selection.spans(d, self.low[d], self.counts[d]);
        let half = match spans.len() {
            1 => self.counts[d].div_ceil(2),
            several => spans[..several.div_ceil(2)].iter().map(|span| span.count()).sum(),
        };
        Some(self.cut(d, half))
    }

    /// The first positions along a dimension, and the others.
    fn cut(&self, d: usize, count: u64) -> (ResultBox, ResultBox) {
        let (mut first, mut second) = (self.clone(), self.clone());
        first.counts[d] = count;
        second.low[d] += count;
        second.counts[d] -= count;
        (first, second)
    }
}
