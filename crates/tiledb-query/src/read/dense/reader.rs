//! The dense reader: delivers the subarray in parts, each a box of results that the user's buffers hold (`part_delivery`).

use super::capacity::BatchCapacity;
use super::checks::{check_order, check_set};
use super::context::DenseContext;
use super::result_parts::{ResultBox, ResultParts};
use super::var_tiles::VarTiles;
use crate::read::parameters::OnlyCoordinates;
use crate::read::position::{PartRanges, ReadPosition, RemainingParts};
use crate::read::spec::{QueryReader, ReadProgress, ReadSpec};
use std::sync::Arc;
use tiledb_array::schema::Field;
use tiledb_cells::columns::output::Outputs;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::space::grid::Grid;
use tiledb_cells::space::selection::Selection;
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::{Layout, Name};

pub struct DenseReader {
    pub(super) context: DenseContext,
    pub(super) selection: Selection,
    /// Positions of the requested fields in the schema's table.
    fields: Vec<usize>,
    pub(super) condition: Option<Arc<Program>>,
    /// Of cells that match the condition only the coordinates are requested.
    pub(super) only_coordinates: bool,
    pub(super) layout: Layout,
    parts: ResultParts,
    /// The ranges of the part that was delivered last.
    last: Option<ResultBox>,
    /// Tiles are read one by one, since there was no memory for several.
    pub(super) one_by_one: bool,
    /// Variable tiles that the last submit delivered in part.
    pub(super) cached_tiles: VarTiles,
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
        let OnlyCoordinates(only_coordinates) = spec.config.settings()?;
        Ok(DenseReader {
            context,
            selection,
            fields,
            condition: spec.condition.clone(),
            only_coordinates,
            layout: spec.layout,
            parts,
            last: None,
            one_by_one: false,
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
            let fits = self.deliver_part(&part, &fields, &mut out.columns)?;
            let steps = if fits { part.cells().saturating_mul(fields.len() as u64) } else { 0 };
            self.context.tally.set(before.saturating_add(steps));
            if fits {
                self.parts.advance();
                self.last = Some(part);
                self.cached_tiles.goes_on = true;
                if !self.parts.is_done() {
                    return Ok(ReadProgress::Incomplete);
                }
                self.cached_tiles.clear();
                return Ok(ReadProgress::Done);
            }
            let capacity = BatchCapacity { context: &self.context, selection: &self.selection, fields: &capacities };
            if !self.parts.shrink(&capacity)? {
                return Ok(ReadProgress::Incomplete);
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
