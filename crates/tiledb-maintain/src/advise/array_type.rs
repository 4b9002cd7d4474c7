//! Compares dense and sparse: boxes of sampled cells are written to an array of either type.

use super::extents::{DenseSample, with_extents};
use super::layout::{LayoutCost, LayoutProblem, scaled};
use super::property::{AdvisedProperty, Property};
use super::refilter::refiltered;
use super::slices::value;
use super::tile_geometry::{cube, product};
use super::trial::{self, TrialSize};
use crate::maintain::cell_buffers::CellBuffers;
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::space::grid::{CoordSpan, Grid, GridAxis, Odometer};
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, CellRange, Layout, Name, NdRange};

/// Cells of a box that is compared.
const BOX_CELLS: u64 = 1 << 17;
/// A sparse array whose cells fill more than this share of a box may be dense, in percent.
const DENSE_SHARE: u64 = 50;
/// A dense array of which more than this share is fill values may be sparse, in percent.
const FILL_SHARE: u64 = 90;
/// Cells per tile of a sparse array that was dense.
const CAPACITY: u64 = 10_000;

/// A schema of the other array type, and what it gains.
pub(super) type AdvisedType = (AdvisedProperty, ArraySchema);

/// Cells of one field.
struct OwnedColumn {
    name: Name,
    data: Vec<u8>,
    starts: Option<Vec<u64>>,
    validity: Option<Vec<u8>>,
}

/// Some cells of a field, and fill values where there is none.
fn gather(field: &Field, cells: &Inputs<'_>, picked: &[Option<usize>]) -> OwnedColumn {
    let mut column = OwnedColumn {
        name: field.name.clone(),
        data: Vec::new(),
        starts: field.is_var().then(Vec::new),
        validity: field.nullable.then(Vec::new),
    };
    let source = cells.column(field.name.as_str());
    for &cell in picked {
        let value = cell.zip(source).map(|(cell, source)| value(source, field.cell_size(), cell));
        column.starts.iter_mut().for_each(|starts| starts.push(column.data.len() as u64));
        column.data.extend_from_slice(value.unwrap_or(&field.fill));
        let of_cell = cell.zip(source).and_then(|(cell, source)| source.validity?.get(cell).copied());
        let validity = of_cell.unwrap_or(u8::from(field.fill_valid));
        column.validity.iter_mut().for_each(|all| all.push(validity));
    }
    column
}

fn inputs(columns: &[OwnedColumn]) -> Inputs<'_> {
    Inputs { columns: columns.iter().map(OwnedColumn::input).collect() }
}

impl OwnedColumn {
    fn input(&self) -> InputColumn<'_> {
        InputColumn {
            name: self.name.clone(),
            data: &self.data,
            starts: self.starts.as_deref().map(Into::into),
            validity: self.validity.as_deref(),
        }
    }
}

/// The schema with the other array type; `None` if it cannot have it.
pub(super) fn of_type(schema: &ArraySchema, kind: ArrayType) -> Result<Option<ArraySchema>> {
    let mut other = ArraySchema::new(kind);
    other.set_version(schema.version());
    other.set_tile_order(schema.tile_order())?;
    let order = schema.cell_order();
    other.set_cell_order(if order == Layout::Hilbert { Layout::RowMajor } else { order })?;
    if other.set_domain(schema.domain().clone()).is_err() {
        return Ok(None);
    }
    for enumeration in schema.enumerations() {
        other.add_enumeration(enumeration.values()?)?;
    }
    for attribute in schema.attributes() {
        other.add_attribute(attribute.clone())?;
    }
    other.set_offsets_filters(schema.offsets_filters().clone());
    other.set_validity_filters(schema.validity_filters().clone());
    other.set_current_domain(schema.current_domain().clone());
    other.set_capacity(schema.capacity())?;
    Ok(Some(other))
}

/// The schema with the filters that suit these columns in a box, which are others beside fill values and without them; `None` if a
/// schema does not accept them.
fn with_suitable_filters(
    problem: &LayoutProblem<'_>,
    schema: &ArraySchema,
    boxed: &ArraySchema,
    columns: &[OwnedColumn],
    region: Option<&[CellRange]>,
) -> Result<Option<ArraySchema>> {
    let Some(sample) = trial::write(problem.resources, boxed, &[inputs(columns)], region)? else { return Ok(None) };
    Ok(Some(refiltered(problem, &sample, 1, schema)?.schema))
}

/// Another type is recommended if it saves more bytes than this, and a fiftieth: writers and readers have to be changed.
const LEAST_GAIN: u64 = 512;

/// The costs of both types, and the bytes of the sample, as a recommendation.
fn property(problem: &LayoutProblem<'_>, costs: [u64; 2], is_dense: bool, sampled: u64) -> AdvisedProperty {
    let name = |is_dense| if is_dense { "dense" } else { "sparse" };
    let is_better = costs[1].saturating_add(LEAST_GAIN.max(costs[0] / 50)) < costs[0];
    let texts = [name(is_dense), name(is_dense != is_better)].map(str::to_owned);
    let cost = |stored| LayoutCost { stored, ..LayoutCost::default() };
    problem.property(Property::ArrayType, texts, [cost(costs[0]), cost(costs[usize::from(is_better)])], sampled)
}

/// Positions of the cells of a sparse box in row-major order; `None` if two cells have the same one.
fn positions(
    grid: &Grid,
    region: &NdRange,
    schema: &ArraySchema,
    cells: &CellBuffers,
) -> Result<Option<Vec<Option<usize>>>> {
    let inputs = cells.inputs();
    let mut counts = Vec::new();
    let mut position = vec![0u64; cells.cells];
    for ((axis, side), dimension) in grid.axes().iter().zip(region).zip(schema.domain().dimensions()) {
        let span = axis.span(side)?;
        let data = inputs.column(dimension.name().as_str()).map_or(&[][..], |column| column.data);
        for (position, distance) in position.iter_mut().zip(axis.distances(data)) {
            *position = *position * span.count() + distance.saturating_sub(span.low).min(span.count() - 1);
        }
        counts.push(span.count());
    }
    let mut picked = vec![None; product(&counts) as usize];
    for (cell, position) in position.into_iter().enumerate() {
        match picked.get_mut(position as usize) {
            Some(place @ None) => *place = Some(cell),
            _ => return Ok(None),
        }
    }
    Ok(Some(picked))
}

/// Recommends a dense array for sparse cells that fill most of a box; `None` if they do not, or no such array can have them.
///
/// # Errors
/// If cells cannot be read or memory does not suffice.
pub(super) fn dense_instead(problem: &LayoutProblem<'_>) -> Result<Option<AdvisedType>> {
    let Some(dense) = of_type(problem.schema, ArrayType::Dense)? else { return Ok(None) };
    let Ok(grid) = Grid::new(&dense) else { return Ok(None) };
    let Ok(mut sample) = DenseSample::unread(problem, &grid) else { return Ok(None) };
    let counts = sample.counts();
    if u128::from(problem.cells) * 100 <= product(&counts).saturating_mul(DENSE_SHARE.into()) {
        return Ok(None);
    }
    let extents = cube(&counts, problem.schema.capacity());
    let Ok(mut dense) = with_extents(&dense, &extents, None) else { return Ok(None) };
    let Ok(grid) = Grid::new(&dense) else { return Ok(None) };
    sample.set_sides(&grid, BOX_CELLS.into());
    let mut sizes = [TrialSize::default(); 2];
    let mut cells = 0u64;
    let mut bytes = 0u64;
    let regions = sample.regions()?;
    for region in &regions {
        let read = trial::read_cells(problem.array, Some(region), Layout::GlobalOrder, sample.cells_of_box())?;
        let Some(picked) = positions(&grid, region, problem.schema, &read)? else { return Ok(None) };
        let inputs_read = read.inputs();
        let columns: Vec<OwnedColumn> = dense
            .fields()
            .iter()
            .filter(|field| !field.is_dimension)
            .map(|field| gather(field, &inputs_read, &picked))
            .collect();
        if cells == 0 {
            let Ok(boxed) = with_extents(&dense, &sample.extents_within(&extents), Some(region)) else {
                return Ok(None);
            };
            let suitable = with_suitable_filters(problem, &dense, &boxed, &columns, Some(region))?;
            let Some(suitable) = suitable else { return Ok(None) };
            dense = suitable;
        }
        let boxed = with_extents(&dense, &sample.extents_within(&extents), Some(region));
        let Ok(boxed) = boxed else { return Ok(None) };
        let of_sparse = trial::size(problem.resources, problem.schema, &mut std::iter::once((inputs_read, None)))?;
        let mut boxes = std::iter::once((inputs(&columns), Some(region.as_slice())));
        let of_dense = trial::size(problem.resources, &boxed, &mut boxes)?;
        let (Some(of_sparse), Some(of_dense)) = (of_sparse, of_dense) else { return Ok(None) };
        sizes = [sizes[0].plus(of_sparse), sizes[1].plus(of_dense)];
        cells += read.cells as u64;
        bytes += read.fields.iter().map(|field| field.bytes as u64).sum::<u64>();
    }
    let boxed = sample.cells_of_box() * regions.len() as u64;
    if u128::from(cells) * 100 <= u128::from(boxed) * u128::from(DENSE_SHARE) {
        return Ok(None);
    }
    let all = u64::try_from(product(&counts)).unwrap_or(u64::MAX);
    let costs = [scaled(sizes[0].total(), problem.cells, cells), scaled(sizes[1].total(), all, boxed)];
    Ok(Some((property(problem, costs, false, bytes), dense)))
}

/// The cells that are not fill values.
fn written(fields: &[&Field], cells: &CellBuffers) -> Vec<usize> {
    let inputs = cells.inputs();
    let columns: Vec<_> =
        fields.iter().filter_map(|field| Some((field, inputs.column(field.name.as_str())?))).collect();
    let is_fill = |cell: usize| {
        columns.iter().all(|(field, column)| match column.validity.and_then(|validity| validity.get(cell)) {
            Some(&0) => !field.fill_valid,
            Some(_) if !field.fill_valid => false,
            _ => *value(column, field.cell_size(), cell) == *field.fill,
        })
    };
    (0..cells.cells).filter(|&cell| !is_fill(cell)).collect()
}

/// Recommends a sparse array for dense cells of which most are fill values; `None` if they are not.
///
/// # Errors
/// If cells cannot be read or memory does not suffice.
pub(super) fn sparse_instead(problem: &LayoutProblem<'_>) -> Result<Option<AdvisedType>> {
    let Some(mut sparse) = of_type(problem.schema, ArrayType::Sparse)? else { return Ok(None) };
    sparse.set_capacity(CAPACITY)?;
    let sample = DenseSample::new(problem)?;
    let fields: Vec<&Field> = problem.schema.fields().iter().filter(|field| !field.is_dimension).collect();
    let picked: Vec<Vec<usize>> = sample.boxes.iter().map(|sampled| written(&fields, &sampled.cells)).collect();
    let stored = picked.iter().map(|cells| cells.len() as u64).sum::<u64>();
    let cells = sample.boxes.iter().map(|sampled| sampled.cells.cells as u64).sum::<u64>();
    // Before anything is written to compare sizes.
    if stored == 0 || u128::from(cells - stored) * 100 <= u128::from(cells) * u128::from(FILL_SHARE) {
        return Ok(None);
    }
    let mut sizes = [TrialSize::default(); 2];
    let mut bytes = 0u64;
    for (sampled, picked) in sample.boxes.iter().zip(&picked) {
        bytes += sampled.cells.fields.iter().map(|field| field.bytes as u64).sum::<u64>();
        let Ok(boxed) = sample.schema(problem.schema, sampled, &sample.extents()) else { return Ok(None) };
        let mut boxes = std::iter::once((sampled.cells.inputs(), Some(sampled.region.as_slice())));
        let Some(of_dense) = trial::size(problem.resources, &boxed, &mut boxes)? else { return Ok(None) };
        sizes[0] = sizes[0].plus(of_dense);
        if picked.is_empty() {
            continue;
        }
        let picks: Vec<Option<usize>> = picked.iter().copied().map(Some).collect();
        let read = sampled.cells.inputs();
        let mut columns: Vec<OwnedColumn> = fields.iter().map(|field| gather(field, &read, &picks)).collect();
        columns.extend(
            coordinates(&sample.axes, problem.schema, &sampled.region, picked)?
                .into_iter()
                .map(|(name, data)| OwnedColumn { name, data, starts: None, validity: None }),
        );
        if sizes[1].fragments == 0 {
            let suitable = with_suitable_filters(problem, &sparse, &sparse, &columns, None)?;
            let Some(suitable) = suitable else { return Ok(None) };
            sparse = suitable;
        }
        let mut all = std::iter::once((inputs(&columns), None));
        let Some(of_sparse) = trial::size(problem.resources, &sparse, &mut all)? else { return Ok(None) };
        sizes[1] = sizes[1].plus(of_sparse);
    }
    let all = u64::try_from(product(&sample.counts())).unwrap_or(u64::MAX);
    let costs = sizes.map(|size| scaled(size.total(), all, cells));
    Ok(Some((property(problem, costs, true, bytes), sparse)))
}

/// The coordinates of cells of a box, given by their ascending positions in row-major order.
fn coordinates(
    axes: &[GridAxis],
    schema: &ArraySchema,
    region: &NdRange,
    picked: &[usize],
) -> Result<Vec<(Name, Vec<u8>)>> {
    let dimensions = schema.domain().dimensions();
    let mut columns: Vec<(Name, Vec<u8>)> =
        dimensions.iter().map(|dimension| (dimension.name().clone(), Vec::new())).collect();
    let spans: Vec<CoordSpan> = axes.iter().zip(region).map(|(axis, side)| axis.span(side)).collect::<Result<_>>()?;
    let mut odometer = Odometer::new(spans.iter().map(|span| span.count()).collect(), Layout::RowMajor);
    let mut next = 0;
    for &cell in picked {
        while next < cell {
            odometer.advance();
            next += 1;
        }
        let Some(position) = odometer.position() else { break };
        for (((column, axis), span), offset) in columns.iter_mut().zip(axes).zip(&spans).zip(position) {
            let at = span.low + offset;
            axis.coordinates(CoordSpan { low: at, high: at }, &mut column.1);
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use tiledb_array::schema::{Attribute, Dimension, Domain, Enumeration};
    use tiledb_core::types::Datatype;
    use tiledb_filters::filter::{Filter, FilterType, Pipeline};

    fn schema(kind: ArrayType, orders: [Layout; 2]) -> ArraySchema {
        let ends = [0i32, 99].map(i32::to_le_bytes).concat();
        let mut dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap();
        dimension.set_filters(Pipeline::new(vec![Filter::new(FilterType::Lz4)])).unwrap();
        let mut schema = ArraySchema::new(kind);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.set_cell_order(orders[0]).unwrap();
        schema.set_tile_order(orders[1]).unwrap();
        schema.set_capacity(77).unwrap();
        let values = Enumeration::new("e", Datatype::Int32, 1, true, &5i32.to_le_bytes(), None).unwrap();
        schema.add_enumeration(Arc::new(values)).unwrap();
        let mut coded = Attribute::new("b", Datatype::Uint8);
        coded.set_enumeration("e").unwrap();
        coded.set_nullable(true);
        for attribute in [Attribute::new("a", Datatype::Int64), coded] {
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        schema.set_offsets_filters(Pipeline::new(vec![Filter::new(FilterType::Rle)]));
        schema.set_validity_filters(Pipeline::new(vec![Filter::new(FilterType::Gzip)]));
        schema
    }

    #[test]
    fn schema_of_the_other_type_has_everything_else() {
        let row = Layout::RowMajor;
        let col = Layout::ColMajor;
        for (from, to) in [(ArrayType::Sparse, ArrayType::Dense), (ArrayType::Dense, ArrayType::Sparse)] {
            for orders in [[row, row], [col, row], [row, col]] {
                let schema = schema(from, orders);
                let other = of_type(&schema, to).unwrap().unwrap();
                assert_eq!((other.array_type(), other.version()), (to, schema.version()));
                assert_eq!([other.cell_order(), other.tile_order()], orders);
                assert_eq!((other.capacity(), other.enumerations().len()), (77, 1));
                assert_eq!(other.offsets_filters(), schema.offsets_filters());
                assert_eq!(other.validity_filters(), schema.validity_filters());
                let described = |schema: &ArraySchema| {
                    let fields = schema.fields().iter();
                    fields.map(|field| (field.name.clone(), field.filters.clone(), field.nullable)).collect::<Vec<_>>()
                };
                assert_eq!(described(&other), described(&schema));
            }
        }
        let hilbert = schema(ArrayType::Sparse, [Layout::Hilbert, row]);
        assert_eq!(of_type(&hilbert, ArrayType::Dense).unwrap().unwrap().cell_order(), row);
        // Dense arrays have no dimensions of texts.
        let text = Dimension::new("t", Datatype::StringAscii, None, None).unwrap();
        let mut texts = ArraySchema::new(ArrayType::Sparse);
        texts.set_domain(Arc::new(Domain::of(vec![Arc::new(text)]))).unwrap();
        assert!(of_type(&texts, ArrayType::Dense).unwrap().is_none());
    }

    /// Some cells of a column of each kind, and fill values in between.
    #[test]
    fn gathered_cells_have_fill_values_where_there_are_none() {
        let field = |datatype: Datatype, values: u32, nullable: bool| {
            let mut attribute = Attribute::new("a", datatype);
            attribute.set_cell_val_num(values).unwrap();
            attribute.set_nullable(nullable);
            let mut schema = ArraySchema::new(ArrayType::Sparse);
            schema.add_attribute(Arc::new(attribute)).unwrap();
            schema.fields()[0].clone()
        };
        let picked = [Some(2), None, Some(0)];
        let numbers = [7i16, 8, 9].map(i16::to_le_bytes).concat();
        let column = |data, starts: Option<&[u64]>, validity| Inputs {
            columns: vec![InputColumn {
                name: Name::new("a"),
                data,
                starts: starts.map(|starts| starts.to_vec().into()),
                validity,
            }]
            .into(),
        };
        let fixed = gather(&field(Datatype::Int16, 1, false), &column(&numbers, None, None), &picked);
        assert_eq!(fixed.data, [9i16, i16::MIN, 7].map(i16::to_le_bytes).concat());
        assert!(fixed.starts.is_none() && fixed.validity.is_none());
        let nullable = gather(&field(Datatype::Int16, 1, true), &column(&numbers, None, Some(&[0, 1, 1])), &picked);
        assert_eq!(nullable.validity, Some(vec![1, 0, 0]));
        let texts = field(Datatype::StringAscii, u32::MAX, false);
        let gathered = gather(&texts, &column(b"abbccc", Some(&[0, 1, 3]), None), &picked);
        let fill = texts.fill.len() as u64;
        assert_eq!(gathered.starts, Some(vec![0, 3, 3 + fill]));
        assert_eq!(gathered.data, [&b"ccc"[..], &texts.fill, b"a"].concat());
    }

    #[test]
    fn coordinates_are_those_of_the_picked_cells() {
        let dimension = |name: &str, ends: [i16; 2], extent: i16| {
            let ends = ends.map(i16::to_le_bytes).concat();
            Arc::new(Dimension::new(name, Datatype::Int16, Some(&ends), Some(&extent.to_le_bytes())).unwrap())
        };
        let mut schema = ArraySchema::new(ArrayType::Dense);
        let domain = Domain::of(vec![dimension("r", [-5, 20], 3), dimension("c", [100, 199], 10)]);
        schema.set_domain(Arc::new(domain)).unwrap();
        let grid = Grid::new(&schema).unwrap();
        // Rows of four cells.
        let region = vec![CellRange::of(-1i16, 3), CellRange::of(107i16, 110)];
        let picked = [0, 3, 4, 9, 19];
        let of = coordinates(grid.axes(), &schema, &region, &picked).unwrap();
        assert_eq!((of[0].0.as_str(), of[1].0.as_str()), ("r", "c"));
        assert_eq!(of[0].1, [-1i16, -1, 0, 1, 3].map(i16::to_le_bytes).concat());
        assert_eq!(of[1].1, [107i16, 110, 107, 108, 110].map(i16::to_le_bytes).concat());
    }

    /// Of a nullable attribute both the value and the validity of a fill value count.
    #[test]
    fn cells_are_written_unless_they_equal_the_fill_value() {
        // Whether fill values are valid; validity and values of cells, of which 7 is the fill value; and which are written.
        for (fill_valid, expected) in [(false, [1, 2]), (true, [0, 2])] {
            let mut attribute = Attribute::new("a", Datatype::Uint8);
            attribute.set_nullable(true);
            attribute.set_fill_nullable(Some(&[7]), fill_valid).unwrap();
            let mut schema = ArraySchema::new(ArrayType::Sparse);
            schema.add_attribute(Arc::new(attribute)).unwrap();
            let fields = schema.fields().to_vec();
            let mut cells = CellBuffers::new(&fields, 3, &[0]).unwrap();
            cells.cells = 3;
            cells.fields[0].bytes = 3;
            cells.fields[0].data.iter_mut().zip([7, 7, 8]).for_each(|(byte, value)| *byte = value);
            cells.fields[0].validity.iter_mut().zip([0, 1, 1]).for_each(|(byte, value)| *byte = value);
            assert_eq!(written(&[&fields[0]], &cells), expected, "{fill_valid}");
        }
    }
}
