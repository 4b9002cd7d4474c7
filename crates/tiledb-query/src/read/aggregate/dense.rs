//! Aggregates of dense arrays. Counts include all result cells; values are those of cells that were written and match the
//! condition; a field that a cell lacks has its fill value, as a read returns it.

use std::ops::Range;

use super::stats::{self, Stored};
use super::totals::{AggregatedField, CellTotals};
use crate::read::dense::batch::{BatchPlan, TileView};
use crate::read::dense::cell_source::{CellSource, StoredTile};
use crate::read::dense::checks::{check_order, check_set};
use crate::read::dense::condition;
use crate::read::dense::condition::{NamedColumn, TileRead};
use crate::read::dense::context::DenseContext;
use crate::read::dense::fixed::FixedTarget;
use crate::read::dense::prefetch::add_tile;
use crate::read::spec::ReadSpec;
use tiledb_array::fragment::FieldPart;
use tiledb_array::schema::Field;
use tiledb_cells::aggregate::summary::FieldSummary;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::columns::copy::fill_box;
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::input::prefetch::Prefetch;
use tiledb_cells::predicate::column_test::ColumnInput;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::predicate::verdict::Verdict;
use tiledb_cells::space::grid::Grid;
use tiledb_cells::space::selection::Selection;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::limits::aggregate::TILES_PER_ROUND;
use tiledb_core::pool::{Pools, Scratch};
use tiledb_core::types::NamedList;

/// Statistics of the cells that a dense read would deliver.
///
/// # Errors
/// As the dense reader.
pub fn totals(spec: &ReadSpec, aggregated: &[AggregatedField]) -> Result<CellTotals> {
    let schema = spec.array.schema();
    check_order(spec)?;
    check_set(spec)?;
    let grid = Grid::new(schema)?;
    let selection = Selection::new(&grid, &spec.subarray)?;
    let mut totals = CellTotals::new(aggregated);
    let counts = selection.counts().into_iter().try_fold(1u64, |cells, count| cells.checked_mul(count));
    totals.cells = counts.ok_or_else(|| Error::invalid("The ranges select more than 2^64 cells"))?;
    if aggregated.is_empty() {
        return Ok(totals);
    }
    let fields: Vec<&Field> = aggregated
        .iter()
        .map(|aggregated| match schema.field(&aggregated.name) {
            Some(field) => Ok(field),
            None => bail!("DenseReader: Cannot aggregate '{}' in a dense array", aggregated.name),
        })
        .collect::<Result<_>>()?;
    let context = DenseContext::new(spec, grid, &selection.bounds())?;
    let Some(selection) = context.hull().and_then(|hull| selection.within(&hull)) else { return Ok(totals) };
    let axes = context.grid.axes().iter().zip(selection.counts()).enumerate();
    let tiles = axes.map(|(d, (axis, count))| selection.tiles(d, axis, 0, count)).collect();
    // Results are aggregated in place, so they have no positions; at most one tile is in memory at a time.
    let plan = BatchPlan::of_box(tiles, vec![0; schema.domain().len()], context.grid.tile_cells);
    let search =
        DenseScan { context: &context, plan: &plan, program: spec.condition.as_deref(), aggregated, fields: &fields };
    search.run(&mut totals)?;
    Ok(totals)
}

struct DenseScan<'a> {
    context: &'a DenseContext,
    plan: &'a BatchPlan,
    program: Option<&'a Program>,
    aggregated: &'a [AggregatedField],
    fields: &'a [&'a Field],
}

impl DenseScan<'_> {
    fn run(&self, totals: &mut CellTotals) -> Result<()> {
        let context = self.context;
        let pools = *context.array.resources().pools();
        let cell: usize = self.fields.iter().map(|field| field.cell_size().clamp(1, 64)).sum();
        context.tally.expect((self.plan.len() as u64).saturating_mul(context.grid.tile_cells as u64));
        let is_remote = context.array.resources().vfs().is_remote(context.array.uri())?;
        let round = TILES_PER_ROUND.count();
        for first in (0..self.plan.len()).step_by(round) {
            let count = round.min(self.plan.len() - first);
            // Statistics in remote storage are read together with what is prefetched; conditions are decided tile by
            // tile.
            let left = match is_remote || self.program.is_some() {
                true => (first..first + count).collect(),
                false => self.add_stored(first..first + count, totals)?,
            };
            let work = left.len().saturating_mul(context.grid.tile_cells).saturating_mul(cell);
            let cancel = context.array.resources().cancel();
            let look = || match pools.map(left.len(), work, cancel, |task| self.tile(&self.plan.tile(left[task]))) {
                Err(error) if error.kind() == ErrorKind::Budget => {
                    let one = Pools::new(1, pools.io());
                    one.map(left.len(), work, cancel, |task| self.some(self.plan.tile(left[task])))
                }
                parts => parts,
            };
            let parts = Prefetch::with(self.ahead(&left)?, &context.budget, look)?;
            parts.into_iter().flatten().for_each(|part| totals.merge(self.aggregated, part));
            context.tally.add((count as u64).saturating_mul(context.grid.tile_cells as u64));
        }
        Ok(())
    }

    /// Adds the tiles that have stored statistics of all fields; returns the others. Only these are worth the threads that
    /// a round of decoded tiles is.
    fn add_stored(&self, tiles: Range<usize>, totals: &mut CellTotals) -> Result<Vec<usize>> {
        let tiles: Vec<usize> = tiles.collect();
        let lookup = |number: usize, selected: &CellTotals| self.stored(&self.plan.tile(number), selected);
        stats::add_stored(self.context.array.resources(), self.aggregated, &tiles, totals, lookup)
    }

    /// The statistics of a tile that are stored, beside the totals of other tiles.
    fn stored(&self, tile: &TileView<'_>, selected: &CellTotals) -> Result<Stored<CellTotals>> {
        let origins = tile.origins(self.context)?;
        let [origin] = origins.as_slice() else { return Ok(Stored::Absent) };
        stats::of_fields(self.aggregated, 0, |field| {
            let of_field = (&self.aggregated[field], self.fields[field]);
            self.of_stats(tile, origin, of_field, Some(&selected.fields[field]))
        })
    }

    /// The tiles to prefetch from remote storage for an aggregation.
    fn ahead(&self, tiles: &[usize]) -> Result<Option<Prefetch<'_>>> {
        let context = self.context;
        let Some(mut ahead) = Prefetch::new(&context.array)? else { return Ok(None) };
        let vfs = context.array.resources().vfs();
        let uri = context.array.uri();
        // Tables of many fragments may have to be read.
        let read = vfs.map(uri, tiles.len(), |task| self.read_of(&self.plan.tile(tiles[task])))?;
        for (&number, fields) in tiles.iter().zip(read) {
            let tile = self.plan.tile(number);
            fields.into_iter().try_for_each(|field| add_tile(context, &tile, field, &mut ahead))?;
        }
        Ok(Some(ahead))
    }

    /// The fields of a tile that are decoded: those without stored statistics.
    fn read_of(&self, tile: &TileView<'_>) -> Result<Vec<&Field>> {
        let origins = tile.origins(self.context)?;
        let verdict = match self.program {
            Some(program) => TileRead::search(self.context, program, tile).decide(&origins)?,
            None => Verdict::Always,
        };
        if verdict == Verdict::Never || origins.iter().all(|origin| origin.stored.is_none()) {
            return Ok(Vec::new());
        }
        let mut fields: Vec<&Field> = Vec::new();
        if verdict == Verdict::Maybe {
            fields.extend(&self.context.compared);
        }
        for (aggregated, &field) in self.aggregated.iter().zip(self.fields) {
            let known = match origins.as_slice() {
                [origin] if verdict == Verdict::Always => {
                    self.of_stats(tile, origin, (aggregated, field), None)?.complete()
                }
                _ => None,
            };
            if known.is_none() && (aggregated.wants.extremes || aggregated.wants.sum) {
                fields.push(field);
            }
        }
        fields.retain(|field| !field.is_dimension);
        Ok(fields)
    }

    /// True if the decoded cells of a tile exceed half of the available memory. One half is not always available for
    /// the next tile: the C library may retain it.
    fn is_much(&self, tile: &TileView<'_>) -> Result<bool> {
        let (cells, cell) = (tile.cells()?, self.fields.iter().map(|field| field.cell_size()).max().unwrap_or(0));
        Ok(cells > 1 && cells.saturating_mul(cell) as u64 > self.context.budget.available() / 2)
    }

    /// As [`DenseScan::tile`]; if memory does not suffice for all cells of the tile, the tile is processed in halves.
    fn some(&self, tile: TileView<'_>) -> Result<Option<CellTotals>> {
        let mut totals: Option<CellTotals> = None;
        let mut tiles = vec![tile];
        while let Some(tile) = tiles.pop() {
            let part = match self.is_much(&tile)? {
                true => None,
                false => match self.tile(&tile) {
                    Err(error) if error.kind() == ErrorKind::Budget && tile.cells()? > 1 => None,
                    part => Some(part?),
                },
            };
            let Some(part) = part else {
                tiles.extend(tile.halves(self.context.grid.cell_order).into_iter().flat_map(|(a, b)| [b, a]));
                continue;
            };
            totals = match (totals, part) {
                (Some(mut totals), Some(part)) => {
                    totals.merge(self.aggregated, part);
                    Some(totals)
                }
                (totals, part) => totals.or(part),
            };
        }
        Ok(totals)
    }

    /// Statistics of the selected cells of a tile; `None` if there are none.
    fn tile(&self, tile: &TileView<'_>) -> Result<Option<CellTotals>> {
        let origins = tile.origins(self.context)?;
        if origins.iter().all(|origin| origin.stored.is_none()) {
            return Ok(None);
        }
        let mut verdict = Verdict::Always;
        if let Some(program) = self.program {
            verdict = TileRead::search(self.context, program, tile).verdict()?;
        }
        if verdict == Verdict::Never {
            return Ok(None);
        }
        let mut totals = CellTotals::new(self.aggregated);
        let mut look: Option<SelectedTile<'_>> = None;
        for (place, field) in self.aggregated.iter().enumerate() {
            if verdict == Verdict::Always
                && let [origin] = origins.as_slice()
                && let Some(known) = self.of_stats(tile, origin, (field, self.fields[place]), None)?.complete()
            {
                totals.fields[place] = known;
                continue;
            }
            if look.is_none() {
                look = Some(SelectedTile::new(self, tile, verdict)?);
            }
            if let Some(look) = &look {
                totals.fields[place] = look.field(field, self.fields[place])?;
            }
        }
        Ok(Some(totals))
    }

    /// The stored statistics of a field in a tile that comes from one stored tile as a whole, beside cells that are known to be
    /// selected.
    fn of_stats(
        &self,
        tile: &TileView<'_>,
        origin: &CellSource<'_>,
        (aggregated, field): (&AggregatedField, &Field),
        selected: Option<&FieldSummary>,
    ) -> Result<Stored<FieldSummary>> {
        let (Some(StoredTile { fragment, tile: number, cells }), Some(bounds)) = (origin.stored, origin.bounds())
        else {
            return Ok(Stored::Absent);
        };
        if !tile.is_run_of(cells, bounds) {
            return Ok(Stored::Absent);
        }
        match fragment.stored(field).filter(|stored| !stored.is_dimension) {
            Some(stored) => stats::of_tile_beside(fragment, stored, aggregated, number, cells as u64, selected),
            None => Ok(Stored::Absent),
        }
    }
}

/// The selected cells of a tile, one after the other.
struct SelectedTile<'s> {
    search: &'s DenseScan<'s>,
    plan: BatchPlan,
    /// Those that count; nothing if all do.
    marks: Option<Lease<Scratch>>,
    /// Fields that are decoded already.
    decoded: NamedList<NamedColumn>,
}

impl<'s> SelectedTile<'s> {
    fn new(search: &'s DenseScan<'s>, tile: &TileView<'_>, verdict: Verdict) -> Result<SelectedTile<'s>> {
        let plan = tile.alone_in(search.context.grid.cell_order)?;
        let mut look = SelectedTile { search, plan, marks: None, decoded: NamedList::default() };
        look.marks = look.written(&look.plan.tile(0).origins(search.context)?)?;
        if let (Some(program), Verdict::Maybe) = (search.program, verdict) {
            let local = look.plan.tile(0);
            let (mut met, decoded) = TileRead::search(search.context, program, &local).marks(&look.plan)?;
            if let Some(written) = &look.marks {
                met.slice_mut().iter_mut().zip(&***written).for_each(|(met, written)| *met &= written);
            }
            drop(local);
            (look.marks, look.decoded) = (Some(met), decoded.into());
        }
        Ok(look)
    }

    /// The mask of cells that were written, according to their sources; `None` if all were.
    fn written(&self, origins: &[CellSource<'_>]) -> Result<Option<Lease<Scratch>>> {
        let context = self.search.context;
        let local = self.plan.tile(0);
        if origins.iter().all(|origin| origin.stored.is_some()) {
            return Ok(None);
        }
        let mut marks = context.access().scratch(MemoryKind::Results, self.plan.cells)?;
        marks.slice_mut().fill(0);
        let mut out = OutMem::new(marks.slice_mut());
        for origin in origins.iter().filter(|origin| origin.stored.is_some()) {
            for part in origin.moves(context, &local) {
                fill_box(&mut out, part.to, &[1], &part.steps)?;
            }
        }
        Ok(Some(marks))
    }

    /// Decodes a field and aggregates its cells.
    fn field(&self, aggregated: &AggregatedField, field: &Field) -> Result<FieldSummary> {
        let context = self.search.context;
        let cells = self.plan.cells;
        let marks = self.marks.as_ref().map(|marks| &***marks);
        let of = |input| FieldSummary::of(aggregated.shape, aggregated.wants, input, marks, cells);
        if let Some((_, column)) = self.decoded.get(&aggregated.name) {
            return Ok(of(column.input()));
        }
        if !(aggregated.wants.extremes || aggregated.wants.sum) {
            let target = FixedTarget { field, part: FieldPart::Validity };
            let origins = self.plan.tile(0).origins(context)?;
            context.count_tiles(field, &origins, |access, _| access.count_part());
            let validity = target.read_alone(context, &self.plan.tile(0), cells)?;
            return Ok(of(ColumnInput::Cells { data: Coords::Fixed(&[]), validity: Some(&validity) }));
        }
        let column = condition::load(context, &self.plan, field)?;
        Ok(of(column.input()))
    }
}
