//! The dense reader: the subarray is delivered part by part, each a box of results; the tiles of a part are read in
//! parallel and every cell is copied once.

use super::batch::{BatchPlan, TileJob};
use super::condition;
use super::coords;
use super::fixed;
use super::need;
use super::origin::{Origin, stored_tiles};
use super::parts::{Part, Parts};
use super::room::Room;
use super::singles::{SingleFragment, Singles};
use super::var::VarRead;
use crate::array::OpenArray;
use crate::budget;
use crate::error::{Result, bail};
use crate::fragment::Fragment;
use crate::pool::Pools;
use crate::query::columns::buffers::{Column, Outputs};
use crate::query::input::access::Access;
use crate::query::predicate::program::Program;
use crate::query::read::parameters::OnlyCoordinates;
use crate::query::read::spec::{Progress, ReadSpec, Reader, Reason};
use crate::query::space::cover::intersect;
use crate::query::space::grid::{Grid, Odometer, Span, strides_of, volume};
use crate::query::space::selection::{AxisTile, Selection};
use crate::schema::Field;
use crate::stats::{Counter, Stats, Timer};
use crate::types::{Layout, Name};
use std::sync::Arc;

/// What stays the same during a read.
pub struct Context {
    pub array: Arc<OpenArray>,
    pub grid: Grid,
    /// Dense fragments that touch the selection, from the earliest to the latest.
    pub fragments: Vec<Arc<Fragment>>,
    /// Their non-empty domains.
    pub domains: Vec<Vec<Span>>,
    /// What early releases wrote among them cell by cell.
    pub singles: Singles,
    /// Bytes of memory that the read may take.
    pub budget: u64,
    pub stats: Stats,
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
    /// Of cells that meet the condition only the coordinates are wanted.
    only_coordinates: bool,
    layout: Layout,
    parts: Parts,
    /// Why parts were cut.
    reason: Reason,
}

impl DenseReader {
    /// Prepares a read.
    ///
    /// # Errors
    /// If no range was set, or a field cannot be read.
    pub fn new(spec: &ReadSpec) -> Result<DenseReader> {
        let boxes = check_order(spec)?;
        if spec.fields.is_empty() {
            bail!("DenseReader: Cannot initialize dense reader; Buffers not set");
        }
        check_set(spec)?;
        let array = spec.array.clone();
        let schema = array.schema();
        let grid = Grid::new(schema)?;
        let selection = Selection::new(&grid, &spec.subarray)?;
        let field = |name: &Name| match schema.fields().iter().position(|field| field.name == *name) {
            Some(field) => Ok(field),
            None => bail!("DenseReader: Cannot read '{name}' from a dense array"),
        };
        let fields = spec.fields.iter().map(field).collect::<Result<_>>()?;
        let parts = Parts::new(&grid, &selection, boxes, spec.layout);
        let context = Context::new(spec, &selection.bounds())?;
        let (condition, layout, reason) = (spec.condition.clone(), spec.layout, Reason::UserBufferSize);
        let OnlyCoordinates(only_coordinates) = spec.config.settings()?;
        Ok(DenseReader { context, selection, fields, condition, only_coordinates, layout, parts, reason })
    }
}

/// Global order takes one range per dimension; how many boxes the ranges make.
///
/// # Errors
/// As said, and if the boxes are more than 2^64.
pub fn check_order(spec: &ReadSpec) -> Result<u64> {
    match spec.subarray.box_count() {
        Some(1) => Ok(1),
        _ if spec.layout == Layout::GlobalOrder => {
            bail!("ReaderBase: Cannot initialize reader; Multi-range reads are not supported on a global order query.")
        }
        Some(boxes) => Ok(boxes),
        None => bail!("DenseReader: Cannot initialize reader; The ranges make more than 2^64 boxes"),
    }
}

/// A dense read is of chosen cells.
///
/// # Errors
/// If no range was set.
pub fn check_set(spec: &ReadSpec) -> Result<()> {
    match spec.subarray.is_default() {
        true => bail!("DenseReader: Cannot initialize reader; Dense reads must have a subarray set"),
        false => Ok(()),
    }
}

impl Context {
    /// For a read of cells inside these bounds.
    ///
    /// # Errors
    /// If the domain cannot be divided into tiles.
    pub fn new(spec: &ReadSpec, bounds: &[Span]) -> Result<Context> {
        let (array, budget) = (spec.array.clone(), budget::total(&spec.config)?);
        let grid = Grid::new(array.schema())?;
        let compared = spec.condition.as_ref().map_or(Vec::new(), |program| program.columns().to_vec());
        let (fragments, domains, singles) = (Vec::new(), Vec::new(), Singles::default());
        let mut context =
            Context { grid, fragments, domains, singles, budget, array, stats: spec.stats.clone(), compared };
        context.find_fragments(bounds)?;
        Ok(context)
    }

    /// To the tiles.
    pub fn access(&self) -> Access<'_> {
        Access::new(&self.array, &self.stats)
    }

    /// Counts the tiles that cells of a field come from; where the field is compared, that was done already.
    pub fn count_tiles(&self, field: &Field, origins: &[Origin<'_>], count: impl Fn(&Access<'_>, &Field)) {
        if !self.compared.iter().any(|compared| compared.name == field.name) {
            (0..stored_tiles(origins, field)).for_each(|_| count(&self.access(), field));
        }
    }

    /// Counts the tiles that a condition looks at, if only at their statistics.
    pub fn count_compared(&self, origins: &[Origin<'_>]) {
        for field in self.compared.iter().filter(|field| !field.is_dimension) {
            (0..stored_tiles(origins, field)).for_each(|_| self.access().count_field(field));
        }
    }

    /// True if all fragments have all the fields of the array.
    pub fn has_one_schema(&self) -> bool {
        self.fragments.iter().all(|fragment| Arc::ptr_eq(fragment.schema(), self.array.schema()))
    }

    /// True if a field of a space tile may come from a dense fragment: if it has the field, and no later one covers
    /// all that it holds of the tile. What later fragments without the field cover stays as it was otherwise.
    pub fn shows(&self, source: usize, index: &[u64], field: &Field) -> bool {
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
    pub fn hull(&self) -> Option<Vec<Span>> {
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
        let rooms = Room::of_columns(&fields, &out.columns);
        loop {
            let room = Room { context: &self.context, selection: &self.selection, fields: &rooms };
            let Some(part) = self.parts.present(&self.context.grid, &self.selection, &room)?.cloned() else {
                return Ok(Progress::Done);
            };
            let Some(reason) = self.deliver_part(&part, &fields, &mut out.columns)? else {
                self.parts.advance();
                return Ok(if self.parts.is_done() { Progress::Done } else { Progress::Incomplete(self.reason) });
            };
            self.reason = reason;
            let room = Room { context: &self.context, selection: &self.selection, fields: &rooms };
            if !self.parts.shrink(&self.context.grid, &self.selection, &room)? {
                return Ok(Progress::Incomplete(reason));
            }
        }
    }
}

impl DenseReader {
    /// Delivers a part, or tells why it has to be smaller.
    fn deliver_part(&self, part: &Part, fields: &[&Field], columns: &mut [Column<'_>]) -> Result<Option<Reason>> {
        let sizes = fields.iter().map(|field| field.cell_size());
        let limit = columns.iter().zip(sizes).map(|(column, size)| column.capacity(size)).min().unwrap_or(0);
        if part.cells() > limit as u64 {
            return Ok(Some(Reason::UserBufferSize));
        }
        let (context, condition) = (&self.context, self.condition.as_deref());
        let plan = plan(&context.grid, &self.selection, part, self.layout)?;
        let held = need::of_batch(context, &plan, fields, condition);
        if held > context.budget / 2 && plan.cells > 1 {
            return Ok(Some(Reason::MemoryBudget));
        }
        let pools = need::pools(context, &plan, fields, condition, context.budget.saturating_sub(held))?;
        let _timer = context.stats.timer(Timer::ReadDense);
        context.stats.add(Counter::ReaderSpaceTiles, plan.len() as u64);
        let fits = self.deliver(&plan, fields, columns, &pools)?;
        Ok(if fits { None } else { Some(Reason::UserBufferSize) })
    }

    /// Delivers a batch; false, and nothing that counts, if its variable cells need more room than there is.
    fn deliver(&self, plan: &BatchPlan, fields: &[&Field], columns: &mut [Column<'_>], pools: &Pools) -> Result<bool> {
        if let Some(program) = self.condition.as_deref().filter(|_| self.only_coordinates) {
            coords::read(&self.context, program, plan, fields, columns, pools)?;
            return Ok(true);
        }
        let marks = match &self.condition {
            Some(program) => condition::read(&self.context, program, plan, fields, columns, pools)?,
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
            if let Some(Some(read)) = var_reads.last()
                && read.size() > column.data.len()
            {
                column.show_starts(&read.starts()[..plan.cells])?;
                return Ok(false);
            }
        }
        if self.condition.is_none() {
            fixed::read(&self.context, plan, fields, columns, pools)?;
        }
        for ((field, column), read) in fields.iter().zip(columns).zip(var_reads) {
            column.cells = plan.cells;
            column.bytes = match read {
                Some(read) => read.deliver(&self.context, plan, field, column, pools, marks)?,
                None => plan.cells * field.cell_size(),
            };
        }
        Ok(true)
    }
}

/// The tiles of a part: in global order one behind the other.
fn plan(grid: &Grid, selection: &Selection, part: &Part, layout: Layout) -> Result<BatchPlan> {
    let cells = volume(&part.counts)?;
    let axes = grid.axes().iter().enumerate();
    let tiles: Vec<Vec<AxisTile>> =
        axes.map(|(d, axis)| selection.tiles(d, axis, part.low[d], part.counts[d])).collect();
    if layout != Layout::GlobalOrder {
        let order = if layout == Layout::ColMajor { Layout::ColMajor } else { Layout::RowMajor };
        return Ok(BatchPlan::of_box(tiles, strides_of(&part.counts, order)?, cells));
    }
    let (mut jobs, mut base) = (Vec::new(), 0);
    let mut next = Odometer::new(tiles.iter().map(|tiles| tiles.len() as u64).collect(), grid.tile_order);
    while let Some(position) = next.position() {
        let axes: Vec<AxisTile> = axis_tiles(&tiles, position).map(AxisTile::counted_from_zero).collect();
        let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
        jobs.push(TileJob { axes, base, strides: strides_of(&counts, grid.cell_order)? });
        base += volume(&counts)?;
        next.advance();
    }
    Ok(BatchPlan::of_tiles(jobs, cells))
}

fn axis_tiles<'a>(tiles: &'a [Vec<AxisTile>], position: &'a [u64]) -> impl Iterator<Item = &'a AxisTile> {
    tiles.iter().zip(position).filter_map(|(tiles, &index)| tiles.get(index as usize))
}
