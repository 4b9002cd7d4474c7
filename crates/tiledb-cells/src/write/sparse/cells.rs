//! The cells of one submit of a sparse write: validation, sorting, and division into tiles.

use super::bounds::{bounds_of, bounds_of_texts};
use crate::columns::coords::Coords;
use crate::columns::input::{InputColumn, InputSlice, Inputs};
use crate::keys::plan::{CellOrder, KeyPlan};
use crate::keys::words::{CellKeys, Keys};
use crate::write::encode::{Encoder, PendingStats, PendingTile, TileCells, check_values};
use crate::write::fragments::FragmentSplitter;
use crate::write::gathered_bytes::GatheredBytes;
use crate::write::spec::WriteSpec;
use crate::write::tile_bytes::{CellBytes, FixedCells, VarCells};
use crate::write::tile_tail::TileTail;
use crate::write::tiles::{TileSink, write_tiles};
use std::ops::Range;
use tiledb_array::fragment::CoordinateBounds;
use tiledb_array::schema::{ArraySchema, CurrentDomain, Dimension, Field, float_digits, number_text};
use tiledb_core::budget::Lease;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::columns::CELLS_PER_RANGE_CHECK;
use tiledb_core::memory;
use tiledb_core::pool::scratch;
use tiledb_core::types::{Cell, CellRange, Datatype, Layout, dispatch};
use tiledb_filters::filter::TileInput;
use tiledb_filters::tile::StatsOptions;

/// The checks of a write, from the schema and the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteChecks {
    /// Coordinates must not be below or above the domain (`sm.check_coord_oob`); NaN is neither, as in libtiledb.
    pub bounds: bool,
    /// Equal coordinates are rejected (`sm.check_coord_dups`).
    pub unique: bool,
    /// Of equal coordinates only the first is written (`sm.dedup_coords`).
    pub dedup: bool,
    /// Cells in global order must be in that order (`sm.check_global_order`).
    pub order: bool,
}

impl WriteChecks {
    /// As schema and configuration say.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub(crate) fn new(spec: &WriteSpec) -> Result<WriteChecks> {
        let config = &spec.config;
        let dups = spec.array.schema().allows_dups();
        let dedup = config.bool("sm.dedup_coords")?;
        Ok(WriteChecks {
            bounds: config.bool("sm.check_coord_oob")?,
            unique: !dups && !dedup && config.bool("sm.check_coord_dups")?,
            dedup,
            order: config.bool("sm.check_global_order")?,
        })
    }

    /// The keys of the write: short ones if all coordinates are known to be in the domain.
    pub(crate) fn keys(&self, schema: &ArraySchema) -> Result<KeyPlan> {
        KeyPlan::new(schema, CellOrder::Global, self.bounds)
    }
}

/// The cells of one submit, one column per field of the schema.
pub(crate) struct SparseCells<'a> {
    schema: &'a ArraySchema,
    /// All fields, attributes before dimensions before those besides the schema's.
    pub fields: Vec<&'a Field>,
    columns: Vec<&'a InputColumn<'a>>,
    /// How many cells there are.
    pub count: usize,
}

impl<'a> SparseCells<'a> {
    /// Finds the column of every field; all must have as many cells as there are coordinates.
    pub(crate) fn new(schema: &'a ArraySchema, inputs: &'a Inputs<'a>) -> Result<SparseCells<'a>> {
        SparseCells::some(schema, inputs, schema.fields().iter().collect(), None)
    }

    /// As [`SparseCells::new`] for some fields, with the number of cells of the coordinates if they are among them, or
    /// of an earlier submit.
    pub(crate) fn some(
        schema: &'a ArraySchema,
        inputs: &'a Inputs<'a>,
        fields: Vec<&'a Field>,
        count: Option<usize>,
    ) -> Result<SparseCells<'a>> {
        let mut columns = Vec::with_capacity(fields.len());
        for field in &fields {
            let Some(column) = inputs.column(&field.name) else {
                bail!(Internal, "No cells were given for field '{}'", field.name);
            };
            columns.push(column);
        }
        let cells = |index: usize| columns[index].cells(fields[index].cell_size());
        let coords = (0..fields.len()).filter(|&index| fields[index].is_dimension);
        let count = count.or_else(|| coords.map(cells).max()).unwrap_or(0);
        for (index, field) in fields.iter().enumerate() {
            let validity = columns[index].validity.map_or(count, <[u8]>::len);
            let available = cells(index).min(validity);
            if available < count {
                let kind = if field.is_dimension { "dimension" } else { "attribute" };
                bail!(
                    "WriterBase: Buffer sizes check failed; Invalid number of cells given for {kind} '{}' \
                     ({available} != {count}): its buffers hold {available} cells, those of the dimensions {count}",
                    field.name
                );
            }
        }
        Ok(SparseCells { schema, fields, columns, count })
    }

    fn dimensions(&self) -> impl Iterator<Item = (&'a Dimension, &'a InputColumn<'a>)> + '_ {
        let columns = self.fields.iter().zip(&self.columns).filter(|(field, _)| field.is_dimension);
        self.schema.domain().dimensions().iter().zip(columns).map(|(dimension, (_, column))| (&**dimension, *column))
    }

    /// The coordinates, one column per dimension.
    pub(crate) fn coords(&self) -> Vec<Coords<'a>> {
        let coords = |(_, column): (_, &'a InputColumn<'a>)| match column.starts.as_deref() {
            Some(starts) => Coords::Var { starts, data: column.data },
            None => Coords::Fixed(column.data),
        };
        self.dimensions().map(coords).collect()
    }

    /// Rejects coordinates outside the domain.
    pub(crate) fn check_bounds(&self) -> Result<()> {
        for (dimension, column) in self.dimensions() {
            let Some(domain) = dimension.domain() else { continue };
            let bytes = &column.data[..self.count * dimension.size()];
            if let Some(cell) = first_outside(dimension.datatype(), bytes, domain) {
                bail!(
                    "[TileDB::Dimension] Error: Dimension: Coordinate {} is out of domain bounds [{}] on dimension '{}'",
                    exact_text(dimension.datatype(), &bytes[cell * dimension.size()..]),
                    [domain.low(), domain.high()].map(|end| exact_text(dimension.datatype(), end)).join(", "),
                    dimension.name()
                );
            }
        }
        Ok(())
    }

    /// Rejects coordinates outside the current domain, whether or not those outside the domain are.
    pub(crate) fn check_current_domain(&self, current_domain: &CurrentDomain) -> Result<()> {
        let rectangle = current_domain.rectangle();
        let Some(ranges) = rectangle.and_then(|rectangle| rectangle.complete()) else { return Ok(()) };
        for ((dimension, column), range) in self.dimensions().zip(&ranges) {
            let datatype = dimension.datatype();
            let outside = match &column.starts {
                None => first_outside(datatype, &column.data[..self.count * dimension.size()], range),
                Some(starts) => {
                    let coords = Coords::Var { starts, data: column.data };
                    (0..self.count).find(|&cell| !(range.low()..=range.high()).contains(&coords.text(cell)))
                }
            };
            if let Some(cell) = outside {
                bail!(
                    "FragmentMetadata: Cells are written outside of the defined current domain. Coordinate {} of dimension \
                     '{}' is outside of {}",
                    self.coordinate_text(dimension, column, cell),
                    dimension.name(),
                    range.display(datatype)
                );
            }
        }
        Ok(())
    }

    fn coordinate_text(&self, dimension: &Dimension, column: &InputColumn<'_>, cell: usize) -> String {
        match column.starts.as_deref() {
            Some(starts) => String::from_utf8_lossy(Coords::Var { starts, data: column.data }.text(cell)).into_owned(),
            None => {
                let bytes = Coords::Fixed(column.data).value(cell, dimension.size());
                number_text(dimension.datatype(), bytes)
            }
        }
    }

    /// The coordinates of a cell as a person reads them: `(1, 1)`.
    pub(crate) fn text(&self, cell: usize) -> String {
        let texts: Vec<String> =
            self.dimensions().map(|(dimension, column)| self.coordinate_text(dimension, column, cell)).collect();
        format!("({})", texts.join(", "))
    }

    /// The error for a cell whose coordinates another cell has too.
    pub(crate) fn duplicate(&self, cell: usize) -> Error {
        Error::invalid(format!(
            "[TileDB::Writer] Error: Duplicate coordinates {} are not allowed: write one of the cells, set sm.dedup_coords to true to \
             drop the others, or allow duplicates in the schema",
            self.text(cell)
        ))
    }

    /// Rejects cells that the filters of their fields cannot store.
    pub(crate) fn check_values(&self, picks: CellPermutation<'_>, layout: Layout) -> Result<()> {
        self.fields.iter().zip(&self.columns).try_for_each(|(field, column)| match picks {
            CellPermutation::Run { first, count } => {
                check_values(field, column, layout, std::iter::once(first..first + count))
            }
            CellPermutation::List(list) => {
                let cells = list.iter().map(|&cell| cell as usize..cell as usize + 1);
                check_values(field, column, layout, cells)
            }
        })
    }

    /// Writes the cells of `picks` as tiles of `capacity` cells, the last of which may have fewer.
    pub(crate) fn write(
        &self,
        spec: &WriteSpec,
        fragments: &mut FragmentSplitter,
        picks: CellPermutation<'_>,
        capacity: usize,
    ) -> Result<()> {
        let tiles = picks.len().div_ceil(capacity);
        let bytes = capacity.min(picks.len()).saturating_mul(self.cell_bytes());
        // The last tile of a global-order write is made as if it were to be filled, unless it is the only one.
        let follows = spec.layout == Layout::GlobalOrder && fragments.has_tiles();
        write_tiles(spec, fragments, &self.fields, tiles, bytes, &|encoder, field, f, tile, take| {
            let picks = picks.part(tile * capacity, capacity);
            if let CellPermutation::List(list) = picks
                && (field.is_var() || !field.is_dimension)
                && encoder.takes_apart(list.len().saturating_mul(bytes_of(field, self.columns[f], self.count)))
            {
                return take_apart(encoder, field, self.columns[f], list, take);
            }
            let (data, starts) = gather(field, self.columns[f], picks)?;
            let validity = match self.columns[f].validity.filter(|_| field.nullable) {
                Some(validity) => Some(gather_fixed(validity, 1, picks)?),
                None => None,
            };
            let cells =
                TileCells { data: CellBytes::Here(&data), starts: starts.as_deref(), validity: validity.as_deref() };
            // Null texts alone have no minimum and maximum, which the fragment would take over.
            let padded = follows && picks.len() < capacity && !field.is_var();
            let stats = PendingStats::OfCells(StatsOptions { padded, ..StatsOptions::WHOLE });
            let bounds = field.is_dimension.then(|| bounds_of(field, &data, starts.as_deref(), encoder.stores_ends()));
            take(PendingTile { cells, rows: if starts.is_none() { data.rows() } else { None }, stats, bounds })
        })
    }

    /// Bytes of a cell over all fields, on average.
    fn cell_bytes(&self) -> usize {
        self.fields.iter().zip(&self.columns).map(|(field, column)| bytes_of(field, column, self.count)).sum()
    }

    /// Appends cells to a tail, field by field.
    pub(crate) fn append_to_tails(&self, picks: CellPermutation<'_>, tails: &mut [Lease<TileTail>]) -> Result<()> {
        for ((field, column), tail) in self.fields.iter().zip(&self.columns).zip(tails) {
            let (data, starts) = gather(field, column, picks)?;
            let validity = match column.validity.filter(|_| field.nullable) {
                Some(validity) => Some(gather_fixed(validity, 1, picks)?),
                None => None,
            };
            let cells = InputSlice { data: &data, starts: starts.as_deref(), origin: 0, validity: validity.as_deref() };
            tail.change(|tail| tail.append(cells))??;
        }
        Ok(())
    }
}

/// Selected cells of a submit, in write order.
#[derive(Clone, Copy)]
pub(crate) enum CellPermutation<'a> {
    /// Consecutive cells.
    Run {
        first: usize,
        /// How many.
        count: usize,
    },
    /// Any cells.
    List(&'a [u64]),
}

impl<'a> CellPermutation<'a> {
    /// The listed ones, or all `count` in their order.
    pub(crate) fn of(list: Option<&'a [u64]>, count: usize) -> CellPermutation<'a> {
        list.map_or(CellPermutation::Run { first: 0, count }, CellPermutation::List)
    }

    /// How many cells.
    pub(crate) fn len(&self) -> usize {
        match self {
            CellPermutation::Run { count, .. } => *count,
            CellPermutation::List(list) => list.len(),
        }
    }

    /// The `count` picks from `start` on, clamped to those that exist.
    pub(crate) fn part(self, start: usize, count: usize) -> CellPermutation<'a> {
        let start = start.min(self.len());
        let count = count.min(self.len() - start);
        match self {
            CellPermutation::Run { first, .. } => CellPermutation::Run { first: first + start, count },
            CellPermutation::List(list) => CellPermutation::List(&list[start..start + count]),
        }
    }
}

/// The cells of a column and, where they are variable, their starts.
fn gather<'a>(
    field: &Field,
    column: &'a InputColumn<'a>,
    picks: CellPermutation<'_>,
) -> Result<(GatheredBytes<'a>, Option<Vec<u64>>)> {
    let Some(starts) = column.starts.as_deref() else {
        return Ok((gather_fixed(column.data, field.cell_size(), picks)?, None));
    };
    let end_of = |cell: usize| starts.get(cell + 1).map_or(column.data.len(), |&start| start as usize);
    match picks {
        CellPermutation::Run { first, count } => {
            let (data, starts) = GatheredBytes::run_of(field.datatype, &column.slice(1, first, count))?;
            Ok((data, Some(starts)))
        }
        CellPermutation::List(list) => {
            let cells = list.iter().map(|&cell| cell as usize);
            let total = cells.clone().map(|cell| end_of(cell) - starts[cell] as usize).sum();
            let mut data = memory::with_capacity("a tile", total)?;
            let mut own = memory::with_capacity("offsets", list.len())?;
            for cell in cells {
                own.push(data.len() as u64);
                data.extend_from_slice(&column.data[starts[cell] as usize..end_of(cell)]);
            }
            Ok((GatheredBytes::Joined(data), Some(own)))
        }
    }
}

fn gather_fixed<'a>(data: &'a [u8], cell: usize, picks: CellPermutation<'_>) -> Result<GatheredBytes<'a>> {
    let list = match picks {
        CellPermutation::Run { first, count } => {
            return GatheredBytes::aligned(&data[first * cell..(first + count) * cell]);
        }
        CellPermutation::List(list) => list,
    };
    let mut out = scratch(list.len() * cell)?;
    pick_cells(data, cell, list, &mut out);
    Ok(GatheredBytes::Owned(out))
}

/// The cells of a list, side by side in `out`.
fn pick_cells(data: &[u8], cell: usize, list: &[u64], out: &mut [u8]) {
    match cell {
        1 => pick::<1>(data, list, out),
        2 => pick::<2>(data, list, out),
        4 => pick::<4>(data, list, out),
        8 => pick::<8>(data, list, out),
        _ => {
            for (out, &pick) in out.chunks_exact_mut(cell).zip(list) {
                out.copy_from_slice(&data[pick as usize * cell..][..cell]);
            }
        }
    }
}

fn pick<const W: usize>(data: &[u8], list: &[u64], out: &mut [u8]) {
    let cells = data.as_chunks::<W>().0;
    for (out, &pick) in out.as_chunks_mut::<W>().0.iter_mut().zip(list) {
        *out = cells[pick as usize];
    }
}

/// Average bytes per cell of a column of `count` cells.
fn bytes_of(field: &Field, column: &InputColumn<'_>, count: usize) -> usize {
    match field.is_var() {
        true => 8 + column.data.len() / count.max(1),
        false => field.cell_size(),
    }
}

/// Passes a tile of these cells on, which are gathered piece by piece.
fn take_apart(
    encoder: &Encoder<'_>,
    field: &Field,
    column: &InputColumn<'_>,
    list: &[u64],
    take: TileSink<'_, '_>,
) -> Result<()> {
    let validity = column.validity.filter(|_| field.nullable);
    let validity = validity.map(|validity| gather_fixed(validity, 1, CellPermutation::List(list))).transpose()?;
    let mut hand_over = |data: &dyn TileInput, starts: Option<&[u64]>, bounds: Option<CoordinateBounds>| {
        let cells = TileCells { data: CellBytes::Apart(data), starts, validity: validity.as_deref() };
        take(PendingTile { cells, rows: None, stats: PendingStats::OfCells(StatsOptions::WHOLE), bounds })
    };
    let cell = field.cell_size();
    let Some(source_starts) = column.starts.as_deref() else {
        let gather = |cells: Range<usize>, out: &mut [u8]| {
            pick_cells(column.data, cell, &list[cells], out);
            Ok(())
        };
        return hand_over(&FixedCells { cell, count: list.len(), gather: &gather }, None, None);
    };
    let end_of = |cell: usize| source_starts.get(cell + 1).map_or(column.data.len(), |&start| start as usize);
    let place = |cell: usize| source_starts[list[cell] as usize] as usize..end_of(list[cell] as usize);
    let (mut starts, mut size) = (memory::with_capacity("offsets", list.len())?, 0);
    for cell in 0..list.len() {
        starts.push(size as u64);
        size += place(cell).len();
    }
    let texts = (0..list.len()).map(|cell| column.data.get(place(cell)).unwrap_or_default());
    let bounds = field.is_dimension.then(|| bounds_of_texts(texts, encoder.stores_ends()));
    hand_over(&VarCells { starts: &starts, size, source: column.data, place: &place }, Some(&starts), bounds)
}

/// The first cell below or above a range; a NaN is neither.
fn first_outside(datatype: Datatype, bytes: &[u8], range: &CellRange) -> Option<usize> {
    let block = CELLS_PER_RANGE_CHECK.count();
    dispatch!(datatype.physical(), T => {
        let (low, high) = range.ends::<T>();
        let inside = |value: &[u8]| {
            let value = <T as Cell>::from_le(value);
            !((value < low) | (high < value))
        };
        let all_inside = |block: &[u8]| block.chunks_exact(size_of::<T>()).fold(true, |all, value| all & inside(value));
        let start = bytes.chunks(block * size_of::<T>()).position(|cells| !all_inside(cells))? * block;
        let rest = bytes[start * size_of::<T>()..].chunks_exact(size_of::<T>());
        rest.enumerate().find(|(_, value)| !inside(value)).map(|(cell, _)| start + cell)
    })
}

/// As [`number_text`], floats with all digits that their type surely holds and one more.
fn exact_text(datatype: Datatype, bytes: &[u8]) -> String {
    let physical = datatype.physical();
    match physical.float_digits() {
        Some(digits) => float_digits(dispatch!(physical, T => <T as Cell>::from_le(bytes).to_f64()), digits),
        None => number_text(datatype, bytes),
    }
}

/// A cell's coordinates with their key, to be compared with the cells of the next submit.
pub(crate) struct LastCell {
    values: Vec<Vec<u8>>,
    keys: Keys,
}

impl LastCell {
    /// Copies the coordinates of a cell.
    pub(crate) fn new(plan: &KeyPlan, coords: &[Coords<'_>], cell: usize) -> Result<LastCell> {
        let value = |(dimension, column): (usize, &Coords<'_>)| column.value(cell, plan.size(dimension)).to_vec();
        let mut last = LastCell { values: coords.iter().enumerate().map(value).collect(), keys: Keys::default() };
        let mut keys = Keys::default();
        plan.compute(&last.coords(coords), 1, &mut keys)?;
        last.keys = keys;
        Ok(last)
    }

    /// The cell of these coordinates.
    ///
    /// # Errors
    /// If they are not those of a cell.
    pub(crate) fn of(plan: &KeyPlan, values: Vec<Vec<u8>>) -> Result<LastCell> {
        let is_fit =
            |(dimension, value): (usize, &Vec<u8>)| plan.is_var(dimension) || value.len() == plan.size(dimension);
        if values.len() != plan.dimension_count() || !values.iter().enumerate().all(is_fit) {
            bail!("Cannot go on with the write; the coordinates of its last cell are not those of a cell");
        }
        let column = |(dimension, value)| match plan.is_var(dimension) {
            true => Coords::Var { starts: &[0], data: value },
            false => Coords::Fixed(value),
        };
        let coords: Vec<Coords<'_>> = values.iter().map(Vec::as_slice).enumerate().map(column).collect();
        LastCell::new(plan, &coords, 0)
    }

    /// Its coordinates.
    pub(crate) fn values(&self) -> &[Vec<u8>] {
        &self.values
    }

    /// The coordinates as columns of one cell; `like` has their kinds.
    pub(crate) fn coords(&self, like: &[Coords<'_>]) -> Vec<Coords<'_>> {
        let column = |(value, like): (_, &Coords<'_>)| match like {
            Coords::Fixed(_) => Coords::Fixed(value),
            Coords::Var { .. } => Coords::Var { starts: &[0], data: value },
        };
        self.values.iter().map(Vec::as_slice).zip(like).map(column).collect()
    }

    /// How the cell compares with the first one of some columns, and whether it has the same coordinates.
    ///
    /// # Errors
    /// If a column has no cells.
    pub(crate) fn compare(&self, plan: &KeyPlan, others: &[Coords<'_>]) -> Result<(std::cmp::Ordering, bool)> {
        let coords = self.coords(others);
        let mut keys = Keys::default();
        plan.compute(others, 1, &mut keys)?;
        let (own, other) = (CellKeys { keys: &self.keys, coords: &coords }, CellKeys { keys: &keys, coords: others });
        Ok((plan.compare(own, 0, other, 0), plan.compare_exactly(own, 0, other, 0).is_eq()))
    }
}
