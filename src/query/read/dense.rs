//! The dense reader: the subarray is delivered batch by batch, each batch a box of results (or, in global
//! order, a run of space tiles); the tiles of a batch are read in parallel and every cell is copied once.

use super::cover::intersect;
use super::dense_batch::{BatchPlan, TileJob};
use super::dense_origin::{Origin, stored_tiles};
use super::dense_singles::{SingleFragment, Singles};
use super::dense_var::VarRead;
use super::selection::{AxisTile, Batch, BoxCursor, Selection};
use super::{Access, Progress, ReadSpec, Reader, Reason, dense_budget, dense_condition, dense_fixed};
use crate::array::OpenArray;
use crate::error::{Result, bail};
use crate::fragment::Fragment;
use crate::pool::Pools;
use crate::query::buffers::{Column, Outputs};
use crate::query::condition::Program;
use crate::query::grid::{Grid, Odometer, Span, strides_of};
use crate::schema::Field;
use crate::stats::{Counter, Stats, Timer};
use crate::types::{Layout, Name};
use std::sync::Arc;

/// What stays the same during a read.
pub(super) struct Context {
    pub(super) array: Arc<OpenArray>,
    pub(super) grid: Grid,
    /// Dense fragments that touch the selection, from the earliest to the latest.
    pub(super) fragments: Vec<Arc<Fragment>>,
    /// Their non-empty domains.
    pub(super) domains: Vec<Vec<Span>>,
    /// What early releases wrote among them cell by cell.
    pub(super) singles: Singles,
    /// Bytes of memory that the read may take.
    pub(super) budget: u64,
    stats: Stats,
    /// The fields that a condition compares.
    compared: Vec<Field>,
}

/// A dense read.
pub struct DenseReader {
    context: Context,
    selection: Selection,
    /// Positions of the fields asked for in the schema's table.
    fields: Vec<usize>,
    condition: Option<Arc<Program>>,
    walk: Walk,
}

/// How far the results have been delivered.
enum Walk {
    /// Row- or column-major order over the whole box of results.
    Ordered { cursor: BoxCursor, order: Layout },
    /// Tile by tile.
    Global(GlobalWalk),
}

struct GlobalWalk {
    tiles: Vec<Vec<AxisTile>>,
    next: Odometer,
    /// The rest of a tile that did not fit as a whole.
    inside: Option<BoxCursor>,
}

impl DenseReader {
    /// Prepares a read.
    ///
    /// # Errors
    /// If no range was set, or a field cannot be read.
    pub fn new(spec: &ReadSpec) -> Result<DenseReader> {
        if spec.fields.is_empty() {
            bail!("DenseReader: Cannot initialize dense reader; Buffers not set");
        }
        if spec.subarray.is_default() {
            bail!("DenseReader: Cannot initialize reader; Dense reads must have a subarray set");
        }
        let array = spec.array.clone();
        let schema = array.schema();
        let grid = Grid::new(schema)?;
        let selection = Selection::new(&grid, &spec.subarray, spec.layout)?;
        let field = |name: &Name| match schema.fields().iter().position(|field| field.name == *name) {
            Some(field) => Ok(field),
            None => bail!("DenseReader: Cannot read '{name}' from a dense array"),
        };
        let fields = spec.fields.iter().map(field).collect::<Result<_>>()?;
        let walk = walk(&grid, &selection, spec.layout);
        let context = Context::new(spec, &selection.bounds())?;
        Ok(DenseReader { context, selection, fields, condition: spec.condition.clone(), walk })
    }
}

fn walk(grid: &Grid, selection: &Selection, layout: Layout) -> Walk {
    let counts = selection.counts();
    if layout != Layout::GlobalOrder {
        let order = if layout == Layout::ColMajor { Layout::ColMajor } else { Layout::RowMajor };
        return Walk::Ordered { cursor: BoxCursor::new(counts, order), order };
    }
    let tiles: Vec<Vec<AxisTile>> =
        grid.axes().iter().enumerate().map(|(d, axis)| selection.tiles(d, axis, 0, counts[d])).collect();
    let next = Odometer::new(tiles.iter().map(|tiles| tiles.len() as u64).collect(), grid.tile_order);
    Walk::Global(GlobalWalk { tiles, next, inside: None })
}

impl Context {
    /// For a read of cells inside these bounds.
    ///
    /// # Errors
    /// If the domain cannot be divided into tiles.
    pub(super) fn new(spec: &ReadSpec, bounds: &[Span]) -> Result<Context> {
        let (array, budget) = (spec.array.clone(), spec.config.u64("sm.mem.total_budget")?);
        let grid = Grid::new(array.schema())?;
        let compared = spec.condition.as_ref().map_or(Vec::new(), |program| program.columns().to_vec());
        let (fragments, domains, singles) = (Vec::new(), Vec::new(), Singles::default());
        let mut context =
            Context { grid, fragments, domains, singles, budget, array, stats: spec.stats.clone(), compared };
        context.find_fragments(bounds)?;
        Ok(context)
    }

    /// To the tiles.
    pub(super) fn access(&self) -> Access<'_> {
        Access::new(&self.array, &self.stats)
    }

    /// Counts the tiles that cells of a field come from; where the field is compared, that was done already.
    pub(super) fn count_tiles(&self, field: &Field, origins: &[Origin<'_>], count: impl Fn(&Access<'_>, &Field)) {
        if !self.compared.iter().any(|compared| compared.name == field.name) {
            (0..stored_tiles(origins, field)).for_each(|_| count(&self.access(), field));
        }
    }

    /// Counts the tiles that a condition looks at, if only at their statistics.
    pub(super) fn count_compared(&self, origins: &[Origin<'_>]) {
        for field in self.compared.iter().filter(|field| !field.is_dimension) {
            (0..stored_tiles(origins, field)).for_each(|_| self.access().count_field(field));
        }
    }

    /// True if all fragments have all the fields of the array.
    pub(super) fn has_one_schema(&self) -> bool {
        self.fragments.iter().all(|fragment| Arc::ptr_eq(fragment.schema(), self.array.schema()))
    }

    /// True if a field of a space tile may come from a dense fragment: if it has the field, and no later one covers
    /// all that it holds of the tile. What later fragments without the field cover stays as it was otherwise.
    pub(super) fn shows(&self, source: usize, index: &[u64], field: &Field) -> bool {
        if self.fragments.get(source).is_none_or(|fragment| fragment.stored(field).is_none()) {
            return false;
        }
        let axes = self.grid.axes().iter().zip(index);
        let bounds: Vec<Span> = axes.map(|(axis, &tile)| axis.tile_span(tile)).collect();
        let part = intersect(&self.domains[source], &bounds);
        let hides = |later: &Vec<Span>| part.iter().flatten().zip(later).all(|(part, later)| later.contains(*part));
        !self.domains[source + 1..].iter().any(hides)
    }

    /// The smallest box around the domains of all fragments; `None` without fragments.
    pub(super) fn hull(&self) -> Option<Vec<Span>> {
        let join = |hull: Vec<Span>, domain: &Vec<Span>| {
            hull.iter().zip(domain).map(|(a, b)| Span { low: a.low.min(b.low), high: a.high.max(b.high) }).collect()
        };
        let mut domains = self.domains.iter().chain(self.singles.fragments().iter().map(|single| &single.domain));
        let first = domains.next()?.clone();
        Some(domains.fold(first, join))
    }

    fn find_fragments(&mut self, bounds: &[Span]) -> Result<()> {
        let mut singles = Vec::new();
        for fragment in self.array.fragments() {
            let ranges = fragment.non_empty_domain().iter();
            let spans: Option<Vec<Span>> =
                self.grid.axes().iter().zip(ranges).map(|(axis, range)| axis.span_cut(range)).collect();
            let Some(spans) = spans.filter(|spans| intersect(spans, bounds).is_some()) else { continue };
            if !fragment.is_dense() {
                singles.push(SingleFragment { fragment: fragment.clone(), after: self.fragments.len(), domain: spans });
                continue;
            }
            self.fragments.push(fragment.clone());
            self.domains.push(spans);
        }
        if !singles.is_empty() {
            self.singles = Singles::load(self.access(), &self.array, &self.grid, singles, bounds, self.budget)?;
        }
        Ok(())
    }
}

impl Reader for DenseReader {
    fn step(&mut self, out: &mut Outputs<'_>) -> Result<Progress> {
        let array = self.context.array.clone();
        let fields: Vec<&Field> = self.fields.iter().map(|&field| &array.schema().fields()[field]).collect();
        let sizes = fields.iter().map(|field| field.cell_size());
        let mut limit = out.columns.iter().zip(sizes).map(|(column, size)| column.capacity(size)).min().unwrap_or(0);
        if self.walk.is_done() {
            return Ok(Progress::Done);
        }
        let mut reason = Reason::UserBufferSize;
        loop {
            let Some((plan, taken)) = self.walk.plan(&self.context.grid, &self.selection, limit)? else {
                return Ok(Progress::Incomplete(reason));
            };
            let held = dense_budget::of_batch(&self.context, &plan, &fields, self.condition.as_deref());
            if held > self.context.budget / 2 && plan.cells > 1 {
                (limit, reason) = (plan.cells / 2, Reason::MemoryBudget);
                continue;
            }
            let room = self.context.budget.saturating_sub(held);
            let pools = dense_budget::pools(&self.context, &plan, &fields, self.condition.as_deref(), room)?;
            let timer = self.context.stats.timer(Timer::ReadDense);
            self.context.stats.add(Counter::ReaderSpaceTiles, plan.len() as u64);
            let delivered = self.deliver(&plan, &fields, &mut out.columns, &pools)?;
            drop(timer);
            match delivered {
                Delivered::All => {
                    self.walk.advance(taken);
                    return Ok(if self.walk.is_done() { Progress::Done } else { Progress::Incomplete(reason) });
                }
                // Variable cells need more room than there is: deliver fewer.
                Delivered::Fits(cells) => {
                    (limit, reason) = (cells.min(plan.cells.saturating_sub(1)), Reason::UserBufferSize);
                }
            }
        }
    }
}

enum Delivered {
    All,
    /// Only this many cells of the batch fit.
    Fits(usize),
}

impl DenseReader {
    fn deliver(
        &self,
        plan: &BatchPlan,
        fields: &[&Field],
        columns: &mut [Column<'_>],
        pools: &Pools,
    ) -> Result<Delivered> {
        let marks = match &self.condition {
            Some(program) => dense_condition::read(&self.context, program, plan, fields, columns, pools)?,
            None => None,
        };
        let marks = marks.as_deref();
        let mut var_reads: Vec<Option<VarRead>> = Vec::new();
        for (field, column) in fields.iter().zip(&*columns) {
            var_reads.push(if field.is_var() {
                Some(VarRead::measure(&self.context, plan, field, pools, marks)?)
            } else {
                None
            });
            if let Some(Some(read)) = var_reads.last() {
                let fits = read.cells_within(column.data.len());
                if fits < plan.cells {
                    return Ok(Delivered::Fits(fits));
                }
            }
        }
        if self.condition.is_none() {
            dense_fixed::read(&self.context, plan, fields, columns, pools)?;
        }
        for ((field, column), read) in fields.iter().zip(columns).zip(var_reads) {
            column.cells = plan.cells;
            column.bytes = match read {
                Some(read) => read.deliver(&self.context, plan, field, column, pools, marks)?,
                None => plan.cells * field.cell_size(),
            };
        }
        Ok(Delivered::All)
    }
}

/// What a batch took of the walk.
enum Taken {
    Ordered(Batch),
    Tiles(usize),
    Inside(BoxCursor, Batch),
}

impl Walk {
    fn is_done(&self) -> bool {
        match self {
            Walk::Ordered { cursor, .. } => cursor.is_done(),
            Walk::Global(walk) => walk.inside.is_none() && walk.next.position().is_none(),
        }
    }

    /// The next batch of at most `limit` cells, `None` where not one fits.
    fn plan(&self, grid: &Grid, selection: &Selection, limit: usize) -> Result<Option<(BatchPlan, Taken)>> {
        match self {
            Walk::Ordered { cursor, order } => {
                let Some(batch) = cursor.peek(limit) else { return Ok(None) };
                let tiles = grid.axes().iter().enumerate();
                let tiles: Vec<_> =
                    tiles.map(|(d, axis)| selection.tiles(d, axis, batch.low[d], batch.counts[d])).collect();
                let strides = strides_of(&batch.counts, *order)?;
                let plan = BatchPlan::of_box(tiles, strides, batch.cells);
                Ok(Some((plan, Taken::Ordered(batch))))
            }
            Walk::Global(walk) => walk.plan(grid, limit),
        }
    }

    fn advance(&mut self, taken: Taken) {
        match (self, taken) {
            (Walk::Ordered { cursor, .. }, Taken::Ordered(batch)) => cursor.advance(&batch),
            (Walk::Global(walk), Taken::Tiles(count)) => (0..count).for_each(|_| walk.next.advance()),
            (Walk::Global(walk), Taken::Inside(mut cursor, batch)) => {
                cursor.advance(&batch);
                if cursor.is_done() {
                    walk.next.advance();
                    walk.inside = None;
                } else {
                    walk.inside = Some(cursor);
                }
            }
            _ => {}
        }
    }
}

impl GlobalWalk {
    fn plan(&self, grid: &Grid, limit: usize) -> Result<Option<(BatchPlan, Taken)>> {
        let mut jobs = Vec::new();
        let mut cells = 0usize;
        let mut next = self.next.clone();
        while self.inside.is_none()
            && let Some(position) = next.position()
        {
            let axes: Vec<AxisTile> = axis_tiles(&self.tiles, position).map(AxisTile::counted_from_zero).collect();
            let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
            let (strides, count) = (strides_of(&counts, grid.cell_order)?, crate::query::grid::volume(&counts)?);
            match cells.checked_add(count).filter(|&sum| sum <= limit) {
                Some(sum) => {
                    jobs.push(TileJob { axes, base: cells, strides });
                    cells = sum;
                }
                None => break,
            }
            next.advance();
        }
        if !jobs.is_empty() {
            let count = jobs.len();
            return Ok(Some((BatchPlan::of_tiles(jobs, cells), Taken::Tiles(count))));
        }
        self.plan_inside(grid, limit)
    }

    /// Part of one tile.
    fn plan_inside(&self, grid: &Grid, limit: usize) -> Result<Option<(BatchPlan, Taken)>> {
        let Some(position) = self.next.position() else { return Ok(None) };
        let axes: Vec<AxisTile> = axis_tiles(&self.tiles, position).map(AxisTile::counted_from_zero).collect();
        let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
        let cursor = self.inside.clone().unwrap_or_else(|| BoxCursor::new(counts, grid.cell_order));
        let Some(batch) = cursor.peek(limit) else { return Ok(None) };
        let axes = axes.iter().enumerate().map(|(d, axis)| cut(axis, batch.low[d], batch.counts[d])).collect();
        let strides = strides_of(&batch.counts, grid.cell_order)?;
        let plan = BatchPlan::of_tiles(vec![TileJob { axes, base: 0, strides }], batch.cells);
        Ok(Some((plan, Taken::Inside(cursor, batch))))
    }
}

fn axis_tiles<'a>(tiles: &'a [Vec<AxisTile>], position: &'a [u64]) -> impl Iterator<Item = &'a AxisTile> {
    tiles.iter().zip(position).filter_map(|(tiles, &index)| tiles.get(index as usize))
}

/// The positions `low..low + count` of a tile whose positions count from its first.
fn cut(tile: &AxisTile, low: u64, count: u64) -> AxisTile {
    let wanted = Span { low, high: low + (count - 1) };
    let mut part = AxisTile { pieces: Vec::new(), count, ..tile.clone() };
    let mut bounds: Option<Span> = None;
    for piece in &tile.pieces {
        let held = Span { low: piece.at, high: piece.at + (piece.span.count() - 1) };
        let Some(common) = held.intersect(wanted) else { continue };
        let start = piece.span.low + (common.low - held.low);
        let span = Span { low: start, high: start + (common.high - common.low) };
        bounds = Some(bounds.map_or(span, |b| Span { low: b.low.min(span.low), high: b.high.max(span.high) }));
        part.pieces.push(super::selection::Piece { span, at: common.low - low });
    }
    part.bounds = bounds.unwrap_or(tile.bounds);
    part
}
