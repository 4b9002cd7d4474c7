//! The dense reader: delivers the subarray in parts, each a box of results. The tiles of a part are read in parallel, and each
//! cell is copied once.

use super::batch::BatchPlan;
use super::batch_memory;
use super::capacity::BatchCapacity;
use super::checks::{check_order, check_set};
use super::condition;
use super::context::DenseContext;
use super::coords;
use super::fixed::{read_targets, targets_of};
use super::prefetch;
use super::result_parts::{ResultBox, ResultParts};
use super::var::VarBatch;
use super::var_column::VarColumn;
use super::var_tiles::{TileKey, VarTile, VarTiles};
use crate::read::parameters::OnlyCoordinates;
use crate::read::position::{PartRanges, ReadPosition, RemainingParts};
use crate::read::spec::{IncompleteReason, QueryReader, ReadProgress, ReadSpec};
use std::sync::Arc;
use tiledb_array::schema::Field;
use tiledb_cells::columns::output::{OutputColumn, Outputs};
use tiledb_cells::input::prefetch::Prefetch;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::space::grid::Grid;
use tiledb_cells::space::selection::Selection;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::pool::Pools;
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::{Layout, Name};

pub struct DenseReader {
    context: DenseContext,
    selection: Selection,
    /// Positions of the requested fields in the schema's table.
    fields: Vec<usize>,
    condition: Option<Arc<Program>>,
    /// Of cells that match the condition only the coordinates are requested.
    only_coordinates: bool,
    layout: Layout,
    parts: ResultParts,
    /// Why parts were cut.
    reason: IncompleteReason,
    /// The ranges of the part that was delivered last.
    last: Option<ResultBox>,
    /// Tiles are read one by one, since there was no memory for several.
    one_by_one: bool,
    /// Variable tiles that the last submit delivered in part.
    cached_tiles: VarTiles,
}

impl DenseReader {
    /// Prepares a read.
    ///
    /// # Errors
    /// If no range was set, or a field cannot be read.
    pub fn new(spec: &ReadSpec) -> Result<DenseReader> {
        let _timer = spec.stats.timer(Timer::ReadPrepare);
        let boxes = check_order(spec)?;
        // Which tiles the ranges touch is determined once; all parts of the read share it.
        spec.array.resources().stats().add(Counter::TileOverlapHits, 1);
        if spec.fields.is_empty() {
            bail!(
                "DenseReader: Cannot initialize dense reader; Buffers not set: call tiledb_query_set_data_buffer for the fields to read"
            );
        }
        check_set(spec)?;
        let array = spec.array.clone();
        let schema = array.schema();
        let grid = Grid::new(schema)?;
        let selection = Selection::new(&grid, &spec.subarray)?;
        let field = |name: &Name| match schema.field_position(name) {
            Some(field) => Ok(field),
            None => bail!("DenseReader: Cannot read '{name}' from a dense array"),
        };
        let fields = spec.fields.iter().map(field).collect::<Result<_>>()?;
        let parts = ResultParts::new(&grid, &selection, boxes, spec.layout);
        let context = DenseContext::new(spec, grid, &selection.bounds())?;
        let (condition, layout, reason) = (spec.condition.clone(), spec.layout, IncompleteReason::UserBufferSize);
        let (last, one_by_one) = (None, false);
        let OnlyCoordinates(only_coordinates) = spec.config.settings()?;
        Ok(DenseReader {
            context,
            selection,
            fields,
            condition,
            only_coordinates,
            layout,
            parts,
            reason,
            last,
            one_by_one,
            cached_tiles: VarTiles::default(),
        })
    }
}

impl QueryReader for DenseReader {
    fn step(&mut self, out: &mut Outputs<'_>) -> Result<ReadProgress> {
        let array = self.context.array.clone();
        let fields: Vec<&Field> = self.fields.iter().map(|&field| &array.schema().fields()[field]).collect();
        let capacities = BatchCapacity::of_columns(&fields, &out.columns);
        loop {
            let capacity = BatchCapacity { context: &self.context, selection: &self.selection, fields: &capacities };
            let Some(part) = self.parts.present(&capacity)?.cloned() else {
                return Ok(ReadProgress::Done);
            };
            let before = self.context.tally.done();
            self.context.budget.begin_part();
            let missing = self.deliver_part(&part, &fields, &mut out.columns)?;
            let steps = if missing.is_some() { 0 } else { part.cells().saturating_mul(fields.len() as u64) };
            self.context.tally.set(before.saturating_add(steps));
            let Some(reason) = missing else {
                self.parts.advance();
                self.last = Some(part);
                self.cached_tiles.goes_on = true;
                if self.parts.is_done() {
                    self.cached_tiles.clear();
                }
                return Ok(if self.parts.is_done() {
                    ReadProgress::Done
                } else {
                    ReadProgress::Incomplete(self.reason)
                });
            };
            self.reason = reason;
            let capacity = BatchCapacity { context: &self.context, selection: &self.selection, fields: &capacities };
            if !self.parts.shrink(&capacity)? {
                return Ok(ReadProgress::Incomplete(reason));
            }
        }
    }

    fn steps(&self) -> u64 {
        let all = self.selection.counts().into_iter().fold(1, u64::saturating_mul);
        let (next, boxes, divided, present) = self.parts.left();
        let boxes_left = u128::from(all) * u128::from(boxes.saturating_sub(next)) / u128::from(boxes.max(1));
        let parts_left = divided.chain(present).map(ResultBox::cells).fold(0, u64::saturating_add);
        (boxes_left as u64).saturating_add(parts_left).saturating_mul(self.fields.len() as u64)
    }

    fn position(&self) -> Result<ReadPosition> {
        let (next, boxes, divided, stuck) = self.parts.left();
        let divided = divided.map(|part| self.ranges_of(part)).collect::<Result<_>>()?;
        let stuck = stuck.map(|part| self.ranges_of(part)).transpose()?;
        Ok(ReadPosition::Parts(RemainingParts {
            next,
            boxes,
            divided,
            stuck,
            last: self.last.as_ref().map(|part| self.ranges_of(part)).transpose()?,
        }))
    }

    fn resume_from(&mut self, position: &ReadPosition) -> Result<()> {
        let left = position.parts()?;
        let divided = left.divided.iter().map(|ranges| self.part_of(ranges)).collect::<Result<_>>()?;
        let stuck = left.stuck.as_ref().map(|ranges| self.part_of(ranges)).transpose()?;
        self.parts.resume_with(left.next, divided, stuck)
    }
}

/// Position of the read.
impl DenseReader {
    /// The ranges of a part.
    fn ranges_of(&self, part: &ResultBox) -> Result<PartRanges> {
        let axes = self.context.grid.axes().iter().enumerate();
        let ranges = axes.map(|(d, axis)| {
            let spans = self.selection.spans(d, part.low[d], part.counts[d]);
            spans.into_iter().map(|span| axis.range(span)).collect()
        });
        ranges.collect()
    }

    /// The part that has these ranges.
    fn part_of(&self, ranges: &PartRanges) -> Result<ResultBox> {
        let axes = self.context.grid.axes();
        if ranges.len() != axes.len() {
            bail!("Cannot go on with the read; a part of it has {} dimensions, the array {}", ranges.len(), axes.len());
        }
        let (mut low, mut counts) = (Vec::new(), Vec::new());
        for (d, (axis, ranges)) in axes.iter().zip(ranges).enumerate() {
            let spans = ranges.iter().map(|range| axis.span(range)).collect::<Result<Vec<_>>>()?;
            let Some((first, count)) = self.selection.find(d, &spans) else {
                bail!("Cannot go on with the read; a part of it lies outside of its ranges");
            };
            low.push(first);
            counts.push(count);
        }
        Ok(ResultBox { low, counts })
    }
}

impl DenseReader {
    /// Delivers a part, or returns why it has to be smaller.
    fn deliver_part(
        &mut self,
        part: &ResultBox,
        fields: &[&Field],
        columns: &mut [OutputColumn<'_>],
    ) -> Result<Option<IncompleteReason>> {
        let sizes = fields.iter().map(|field| field.cell_size());
        let limit = columns.iter().zip(sizes).map(|(column, size)| column.capacity(size)).min().unwrap_or(0);
        if part.cells() > limit as u64 {
            return Ok(Some(IncompleteReason::UserBufferSize));
        }
        let (context, condition) = (&self.context, self.condition.as_deref());
        let timer = context.stats.timer(Timer::ReadDensePlan);
        let plan = BatchPlan::of_part(&context.grid, &self.selection, &part.low, &part.counts, self.layout)?;
        drop(timer);
        let own_starts = columns.iter_mut().map(|column| VarColumn::has_own_starts(column, plan.cells));
        let own_starts = own_starts.filter(|&has| has).count();
        let held = batch_memory::of_batch(context, &plan, fields, own_starts, condition);
        // Cached tiles are among those that the batch needs, or are evicted.
        if held > context.budget.available().saturating_add(self.cached_tiles.bytes()) / 2 && plan.cells > 1 {
            return Ok(Some(IncompleteReason::MemoryBudget));
        }
        let _timer = context.stats.timer(Timer::ReadDense);
        context.stats.add(Counter::ReaderSpaceTiles, plan.len() as u64);
        loop {
            let all = *context.array.resources().pools();
            let pools = if self.one_by_one { Pools::new(1, all.io()) } else { all };
            let ahead = prefetch::of_batch(context, &plan, fields, condition)?;
            let mut used = Vec::new();
            let delivered =
                Prefetch::with(ahead, &context.budget, || self.deliver(&plan, fields, columns, &pools, &mut used));
            if delivered.is_ok() {
                self.cached_tiles.replace(used, &context.budget)?;
            }
            match delivered {
                Ok(true) => return Ok(None),
                Ok(false) => return Ok(Some(IncompleteReason::UserBufferSize)),
                Err(error) if error.kind() != ErrorKind::Budget => return Err(error),
                Err(_) if self.cached_tiles.clear() => (),
                Err(_) if !self.one_by_one => self.one_by_one = true,
                Err(_) if plan.cells > 1 => return Ok(Some(IncompleteReason::MemoryBudget)),
                Err(error) => return Err(error),
            }
        }
    }

    /// Delivers a batch; false, without effect, if its variable cells exceed the capacity. The variable tiles that it
    /// contains in part are added to `used`.
    fn deliver(
        &self,
        plan: &BatchPlan,
        fields: &[&Field],
        columns: &mut [OutputColumn<'_>],
        pools: &Pools,
        used: &mut Vec<(TileKey, Arc<VarTile>)>,
    ) -> Result<bool> {
        if let Some(program) = self.condition.as_deref().filter(|_| self.only_coordinates) {
            coords::read(&self.context, program, plan, fields, columns, pools)?;
            return Ok(true);
        }
        let stats = &self.context.stats;
        let marks = match &self.condition {
            Some(program) => {
                let _timer = stats.timer(Timer::ReadCondition);
                condition::read(&self.context, program, plan, fields, columns, pools)?
            }
            None => None,
        };
        let marks = marks.as_ref().map(|marks| &marks[..]);
        let mut var_columns: Vec<Option<VarColumn<'_>>> = Vec::new();
        for (field, column) in fields.iter().zip(&mut *columns) {
            if !field.is_var() {
                var_columns.push(None);
                continue;
            }
            let batch = VarBatch { context: &self.context, plan, field, pools, marks };
            let measured = VarColumn::measure(batch, &self.cached_tiles, column)?;
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
        for ((field, column), measured) in fields.iter().zip(columns).zip(var_columns) {
            column.cells = plan.cells;
            column.bytes = match measured {
                Some(measured) => measured.deliver(column)?,
                None => plan.cells * field.cell_size(),
            };
        }
        Ok(true)
    }
}
