//! Dense reads with a query condition: cells that do not match it get fill values. The compared fields are decoded tile by
//! tile into scratch memory, from which the selection mask is computed; they are not decoded again for the results.
#![expect(unsafe_code, reason = "tiles are boxes of one result")]

use std::cell::OnceCell;
use std::sync::Arc;

use super::batch::{BatchPlan, TileView};
use super::cell_source::CellSource;
use super::context::DenseContext;
use super::fixed::{FixedTarget, targets_of};
use super::var::VarBatch;
use super::var_tiles::{ComparedTiles, TileKey, VarTile, VarTiles};
use crate::read::sparse::filter::stats_of;
use tiledb_array::fragment::FieldPart;
use tiledb_array::schema::Field;
use tiledb_cells::columns::box_moves::BoxMove;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::columns::copy::{copy_box, fill_box, run_of};
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::columns::output::OutputColumn;
use tiledb_cells::input::decode_context::within_budget;
use tiledb_cells::input::decoded::kind_of;
use tiledb_cells::input::encoded::{EncodedTile, read_encoded};
use tiledb_cells::input::tile_source::TileSource;
use tiledb_cells::predicate::column_test::ColumnInput;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::predicate::verdict::{ColumnStats, Verdict};
use tiledb_cells::space::selection_mask;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::pool::{Pools, Scratch, scratch_size};
use tiledb_core::types::{CellRange, Name};

/// Reads all fixed parts of a batch; returns the mask of its cells if there are variable fields to come. Variable tiles that it
/// decodes and the results need are added to `compared`.
pub fn read(
    context: &DenseContext,
    program: &Program,
    plan: &BatchPlan,
    compared: &ComparedTiles<'_>,
    columns: &mut [OutputColumn<'_>],
    pools: &Pools,
) -> Result<Option<Lease<Scratch>>> {
    let fields = compared.fields();
    let mut marks = match fields.iter().any(|field| field.is_var()) {
        true => Some(context.access().scratch(MemoryKind::Results, plan.cells)?),
        false => None,
    };
    let out = marks.as_mut().map(|marks| OutMem::new(marks.slice_mut()));
    let targets = targets_of(fields, columns, plan.cells);
    let data = targets.iter().filter(|(target, _)| target.part == FieldPart::Data).count();
    let bytes: usize = targets.iter().map(|(target, _)| target.cell().saturating_mul(plan.cells)).sum();
    let work = bytes.saturating_add(plan.cells.saturating_mul(4));
    pools.for_each(plan.len(), work, context.array.resources().cancel(), |task| {
        // SAFETY: the tiles of a plan are disjoint boxes of its cells, and a task writes those of its tile.
        let targets = targets.iter().map(|(target, out)| (*target, unsafe { out.alias() })).collect();
        // SAFETY: as above.
        let marks = out.as_ref().map(|out| unsafe { out.alias() });
        let tile = plan.tile(task);
        TileRead { context, program, tile: &tile, targets, marks, compared: Some(compared) }.run()?;
        context.count_steps(&tile, data)
    })?;
    Ok(marks)
}

/// Mask of the cells of a batch that match the condition, or that were not written.
pub fn marks_of(context: &DenseContext, program: &Program, plan: &BatchPlan, pools: &Pools) -> Result<Lease<Scratch>> {
    let mut marks = context.access().scratch(MemoryKind::Results, plan.cells)?;
    let out = OutMem::new(marks.slice_mut());
    let work = plan.cells.saturating_mul(4);
    pools.for_each(plan.len(), work, context.array.resources().cancel(), |task| {
        let tile = plan.tile(task);
        // SAFETY: as in `read`; of the two, the second is made when the first is gone.
        let alias = || unsafe { out.alias() };
        TileRead { context, program, tile: &tile, targets: Vec::new(), marks: Some(alias()), compared: None }.run()?;
        let mut out = alias();
        for origin in tile.origins(context)?.iter().filter(|origin| origin.stored.is_none()) {
            for part in origin.moves(context, &tile) {
                fill_box(&mut out, part.to, &[1], &part.steps)?;
            }
        }
        Ok(())
    })?;
    Ok(marks)
}

/// One tile.
pub struct TileRead<'r, 'a> {
    context: &'r DenseContext,
    program: &'r Program,
    tile: &'r TileView<'r>,
    targets: Vec<(FixedTarget<'a>, OutMem<'a>)>,
    /// Where the marks of the batch go.
    marks: Option<OutMem<'a>>,
    /// Where variable tiles go that the results need too.
    compared: Option<&'r ComparedTiles<'r>>,
}

/// A decoded field with its name.
pub type NamedColumn = (Name, LocalColumn);

/// The cells of a field of a tile, without gaps in the order of the results.
#[derive(Default)]
pub struct LocalColumn {
    /// Text in encoded form, which replaces data and starts; the codes if they are in another order than in the tile.
    encoded: Option<(EncodedTile, Option<Lease<Scratch>>)>,
    /// Variable cells of a stored tile in its order, which replace data and starts.
    tile: Option<(TileKey, Arc<VarTile>)>,
    data: Option<Lease<Scratch>>,
    /// Starts of variable cells and their end.
    starts: Option<Lease<Vec<u64>>>,
    validity: Option<Lease<Scratch>>,
}

impl<'r> TileRead<'r, '_> {
    /// A tile that nothing is delivered of.
    pub fn search(context: &'r DenseContext, program: &'r Program, tile: &'r TileView<'r>) -> Self {
        TileRead { context, program, tile, targets: Vec::new(), marks: None, compared: None }
    }

    fn run(&mut self) -> Result<()> {
        match self.verdict()? {
            Verdict::Never => self.fill_all(),
            Verdict::Always => self.read_all(),
            Verdict::Maybe => self.evaluate(),
        }
    }

    /// The verdict of the statistics of the tile in all fragments that it comes from. Cells that were not written have
    /// fill values whatever the condition says.
    pub fn verdict(&self) -> Result<Verdict> {
        let origins = self.tile.origins(self.context)?;
        self.context.count_compared(&origins);
        self.decide(&origins)
    }

    /// The same for these sources, without counting comparisons.
    pub fn decide(&self, origins: &[CellSource<'_>]) -> Result<Verdict> {
        let (mut never, mut always) = (true, true);
        let sides = self.sides()?;
        for stored in origins.iter().filter_map(|origin| origin.stored) {
            let fragment = stored.fragment;
            let number = stored.tile;
            let verdict = self.program.verdict(
                |_| Ok(None),
                |column| {
                    let compared = &self.program.columns()[column];
                    if let Some(side) = &sides[column] {
                        return Ok(Some(ColumnStats { min_max: (side.low(), side.high()), has_nulls: false }));
                    }
                    match fragment.stored(compared) {
                        Some(field) if !field.is_dimension => stats_of(fragment, field, compared, number),
                        _ => Ok(None),
                    }
                },
            )?;
            never &= verdict == Verdict::Never;
            always &= verdict == Verdict::Always;
            if !never && !always {
                break;
            }
        }
        Ok(match (always, never) {
            (true, _) => Verdict::Always,
            (_, true) => Verdict::Never,
            _ => Verdict::Maybe,
        })
    }

    /// Of the columns that are dimensions, the sides of the bounding box of the selected cells.
    fn sides(&self) -> Result<Vec<Option<CellRange>>> {
        let bounds = self.tile.bounds();
        let side = |column: &Field| {
            let dimension = column.dimension_index?;
            Some(self.context.grid.axes().get(dimension)?.range(*bounds.get(dimension)?))
        };
        self.program.columns().iter().map(|column| side(column).transpose()).collect()
    }

    fn fill_all(&mut self) -> Result<()> {
        for (target, out) in &mut self.targets {
            match target.field.is_dimension {
                true => _ = target.read_tile(self.context, self.tile, out)?,
                false => target.fill_tile(self.context, self.tile, out)?,
            }
        }
        self.put_same_marks(0)
    }

    fn read_all(&mut self) -> Result<()> {
        for (target, out) in &mut self.targets {
            target.read_tile(self.context, self.tile, out)?;
        }
        self.put_same_marks(1)
    }

    fn put_same_marks(&mut self, mark: u8) -> Result<()> {
        let Some(out) = &mut self.marks else { return Ok(()) };
        self.tile.moves_from(self.tile).iter().try_for_each(|part| fill_box(out, part.to, &[mark], &part.steps))
    }

    /// Computes the mask of the tile and reads its selected cells.
    fn evaluate(&mut self) -> Result<()> {
        let plan = self.tile.alone()?;
        let local = plan.tile(0);
        let columns: Vec<OnceCell<LocalColumn>> = self.program.columns().iter().map(|_| OnceCell::new()).collect();
        let marks = self.compare(&plan, &columns)?;
        if !selection_mask::any(&marks) {
            return self.fill_all();
        }
        let mut columns: Vec<Option<LocalColumn>> = columns.into_iter().map(OnceCell::into_inner).collect();
        for (field, column) in self.program.columns().iter().zip(&columns) {
            if let (Some(compared), Some((key, tile))) =
                (self.compared, column.as_ref().and_then(|loaded| loaded.tile.as_ref()))
            {
                compared.offer(field, *key, tile);
            }
        }
        let moves = self.tile.moves_from(&local);
        let all = !marks.contains(&0);
        for (target, out) in &mut self.targets {
            let column = self.program.column(&target.field.name);
            let loaded = column.and_then(|column| columns[column].as_mut()).and_then(|loaded| loaded.take(target.part));
            if target.field.is_dimension || (all && loaded.is_none()) {
                target.read_tile(self.context, self.tile, out)?;
                continue;
            }
            let mut bytes = match loaded {
                Some(loaded) => loaded,
                None => target.read_alone(self.context, &local, plan.cells)?,
            };
            if !all {
                blend(bytes.slice_mut(), target.cell(), &marks, target.fill());
            }
            put(out, &moves, &bytes, target.cell())?;
        }
        match &mut self.marks {
            Some(out) => put(out, &moves, &marks, 1),
            None => Ok(()),
        }
    }

    /// The mask of the cells of the tile, which is `plan`, that match the condition, and the fields decoded for that.
    pub fn marks(&self, plan: &BatchPlan) -> Result<(Lease<Scratch>, Vec<NamedColumn>)> {
        let columns: Vec<OnceCell<LocalColumn>> = self.program.columns().iter().map(|_| OnceCell::new()).collect();
        let marks = self.compare(plan, &columns)?;
        let names = self.program.columns().iter().map(|field| field.name.clone());
        let decoded = names.zip(columns).filter_map(|(name, column)| Some((name, column.into_inner()?)));
        Ok((marks, decoded.collect()))
    }

    /// As [`TileRead::marks`]; caches what it decodes.
    fn compare(&self, plan: &BatchPlan, columns: &[OnceCell<LocalColumn>]) -> Result<Lease<Scratch>> {
        let access = self.context.access();
        let all = scratch_size(plan.cells as u64).saturating_mul(self.program.marks_per_cell() as u64);
        let marks = access.lease(MemoryKind::Results, all, || {
            self.program.run(
                plan.cells,
                |_| Ok(None),
                |column| {
                    if columns[column].get().is_none() {
                        _ = columns[column].set(load(self.context, plan, &self.program.columns()[column])?);
                    }
                    Ok(columns[column]
                        .get()
                        .map_or(ColumnInput::Constant { value: &[], valid: false }, LocalColumn::input))
                },
            )
        })?;
        Ok(marks.fit())
    }
}

/// Decodes a field of a tile, which is all of a batch.
pub fn load(context: &DenseContext, plan: &BatchPlan, field: &Field) -> Result<LocalColumn> {
    if let Some(column) = load_encoded(context, plan, field)? {
        return Ok(column);
    }
    if let Some(column) = load_whole(context, plan, field)? {
        return Ok(column);
    }
    let local = plan.tile(0);
    let read = |part: FieldPart| FixedTarget { field, part }.read_alone(context, &local, plan.cells);
    let validity = if field.nullable { Some(read(FieldPart::Validity)?) } else { None };
    if !field.is_var() {
        let data = read(FieldPart::Data)?;
        return Ok(LocalColumn { data: Some(data), validity, ..LocalColumn::default() });
    }
    let pools = Pools::new(1, 1);
    let batch = VarBatch { context, plan, field, pools: &pools, marks: None, retains_starts: true };
    let mut starts = context.access().words(plan.cells)?;
    let var = batch.measure(&VarTiles::default(), starts.slice_mut())?;
    let mut data = context.access().scratch(kind_of(field), var.size())?;
    var.copy_values(&batch, &starts, &mut OutMem::new(data.slice_mut()))?;
    Ok(LocalColumn { data: Some(data), starts: Some(starts), validity, ..LocalColumn::default() })
}

/// Reads a variable field without copying its cells, if they are those of one stored tile in its order.
fn load_whole(context: &DenseContext, plan: &BatchPlan, field: &Field) -> Result<Option<LocalColumn>> {
    if !field.is_var() {
        return Ok(None);
    }
    let local = plan.tile(0);
    let origins = local.origins(context)?;
    let [origin] = origins.as_slice() else { return Ok(None) };
    let Some(stored) = origin.stored else { return Ok(None) };
    let Some(own) = stored.fragment.stored(field) else { return Ok(None) };
    if !is_whole(&origin.moves(context, &local), stored.cells, plan) {
        return Ok(None);
    }
    let access = context.access();
    let Some(tile) = within_budget(VarTile::read(access, &stored, own))? else { return Ok(None) };
    let source = TileSource::new(stored.fragment, own, FieldPart::Var, stored.tile, tile.size() as usize, access)?;
    if tile.values(access, own, Some(&source))?.is_none() {
        return Ok(None);
    }
    context.count_tiles(field, &origins, |access, field| access.count_field(field));
    let mut column = LocalColumn { tile: Some((TileKey::new(&stored, own), Arc::new(tile))), ..LocalColumn::default() };
    if field.nullable {
        let validity = FixedTarget { field, part: FieldPart::Validity };
        column.validity = Some(validity.read_alone(context, &local, plan.cells)?);
    }
    Ok(Some(column))
}

/// True if a batch has the cells of a stored tile in its order.
fn is_whole(moves: &[BoxMove], cells: usize, plan: &BatchPlan) -> bool {
    let is_run = matches!(moves, [part] if part.from == 0 && part.to == 0 && run_of(&part.steps) == Some(cells));
    is_run && cells == plan.cells
}

/// Reads a text field in encoded form, if all cells come from one stored tile whose filters encode strings.
fn load_encoded(context: &DenseContext, plan: &BatchPlan, field: &Field) -> Result<Option<LocalColumn>> {
    if !field.is_var() {
        return Ok(None);
    }
    let local = plan.tile(0);
    let origins = local.origins(context)?;
    let [origin] = origins.as_slice() else { return Ok(None) };
    let Some(stored) = origin.stored else { return Ok(None) };
    let Some(own) = stored.fragment.stored(field).filter(|own| own.nullable == field.nullable) else { return Ok(None) };
    let access = context.access();
    let Some(encoded) = read_encoded(stored.fragment, own, stored.tile, stored.cells, access)? else { return Ok(None) };
    let moves = origin.moves(context, &local);
    let gather = |bytes: &[u8], cell: usize| -> Result<Lease<Scratch>> {
        let mut gathered = access.scratch(kind_of(field), plan.cells.saturating_mul(cell))?;
        put(&mut OutMem::new(gathered.slice_mut()), &moves, bytes, cell)?;
        Ok(gathered)
    };
    let validity = encoded.validity().map(|validity| gather(validity, 1)).transpose()?;
    let codes = match is_whole(&moves, stored.cells, plan) {
        true => None,
        false => Some(gather(bytemuck::cast_slice(encoded.codes()), size_of::<u32>())?),
    };
    Ok(Some(LocalColumn { encoded: Some((encoded, codes)), validity, ..LocalColumn::default() }))
}

impl LocalColumn {
    /// The cells as input of conditions.
    pub fn input(&self) -> ColumnInput<'_> {
        if let Some((encoded, codes)) = &self.encoded {
            let codes = codes.as_ref().map(|codes| bytemuck::try_cast_slice(codes).unwrap_or_default());
            return encoded.input_of(codes, self.validity.as_ref().map(|validity| &validity[..]));
        }
        let validity = self.validity.as_ref().map(|validity| &validity[..]);
        if let Some((starts, data)) = self.tile.as_ref().and_then(|(_, tile)| tile.cells()) {
            return ColumnInput::Cells { data: Coords::Var { starts, data }, validity };
        }
        let data = self.data.as_ref().map_or(&[][..], |data| data);
        let data = match &self.starts {
            Some(starts) => Coords::Var { starts, data },
            None => Coords::Fixed(data),
        };
        ColumnInput::Cells { data, validity }
    }

    /// Takes the bytes of a fixed part.
    fn take(&mut self, part: FieldPart) -> Option<Lease<Scratch>> {
        match part {
            FieldPart::Validity => self.validity.take(),
            _ if self.starts.is_some() || self.encoded.is_some() || self.tile.is_some() => None,
            _ => self.data.take(),
        }
    }
}

/// Copies the cells of a tile to where they belong in the results.
fn put(out: &mut OutMem<'_>, moves: &[BoxMove], bytes: &[u8], cell: usize) -> Result<()> {
    moves.iter().try_for_each(|part| copy_box(out, part.to, bytes, part.from, &part.steps, cell))
}

/// Replaces cells that are not selected by the fill value.
fn blend(bytes: &mut [u8], cell: usize, marks: &[u8], fill: &[u8]) {
    match cell {
        1 => blend_words::<u8>(bytes, marks, fill),
        2 => blend_words::<u16>(bytes, marks, fill),
        4 => blend_words::<u32>(bytes, marks, fill),
        8 => blend_words::<u64>(bytes, marks, fill),
        _ => {
            let unmarked = bytes.chunks_exact_mut(cell.max(1)).zip(marks).filter(|(_, mark)| **mark == 0);
            unmarked.filter(|(bytes, _)| bytes.len() == fill.len()).for_each(|(bytes, _)| bytes.copy_from_slice(fill));
        }
    }
}

fn blend_words<T: bytemuck::Pod>(bytes: &mut [u8], marks: &[u8], fill: &[u8]) {
    let Ok(cells) = bytemuck::try_cast_slice_mut::<u8, T>(bytes) else { return };
    let Ok(fill) = bytemuck::try_pod_read_unaligned::<T>(fill) else { return };
    cells.iter_mut().zip(marks).for_each(|(cell, mark)| *cell = if *mark != 0 { *cell } else { fill });
}
