//! Padding of tiles that extend beyond the consolidated region or beyond the domain. Padding cells have the fill value, or a
//! value that the filters can store, since they are never read.

use std::borrow::Cow;

use super::cell_buffers::{CellBuffers, FieldCellBuffers};
use tiledb_array::schema::Field;
use tiledb_cells::space::grid::{CoordSpan, Grid, Odometer, volume};
use tiledb_core::error::{Error, Result};

/// The part of a tile that is read.
pub(super) struct TilePart {
    /// First cell along each dimension, relative to the tile.
    low: Vec<u64>,
    /// Cells along each dimension.
    pub shape: Vec<u64>,
}

impl TilePart {
    /// The part of a tile, identified by its index per dimension, within bounds that intersect it.
    pub(super) fn new(grid: &Grid, tile: impl Iterator<Item = u64>, bounds: &[CoordSpan]) -> TilePart {
        let sides = grid.axes().iter().zip(tile).zip(bounds).map(|((axis, tile), &bounds)| {
            let side = axis.tile_span(tile);
            let part = side.intersect(bounds).unwrap_or(side);
            (part.low - axis.tile_start(tile), part.count())
        });
        let (low, shape) = sides.unzip();
        TilePart { low, shape }
    }
}

/// True if the filters of a field can store its fill value.
pub(super) fn has_storable_fill(field: &Field) -> bool {
    field.is_dimension || matches!(padding(field), Cow::Borrowed(_))
}

/// The value of cells that are never read: the fill value, if the filters can store it.
fn padding(field: &Field) -> Cow<'_, [u8]> {
    let mut value = Cow::Borrowed(&field.fill[..]);
    if let Some(placeholder) = field.filters.placeholder(field.datatype) {
        let mut stored = field.fill.to_vec();
        placeholder.replace(&mut stored);
        if stored != *value {
            value = Cow::Owned(stored);
        }
    }
    value
}

/// Pads parts of tiles to whole tiles.
pub(super) fn pad(grid: &Grid, parts: &[TilePart], columns: &CellBuffers) -> Result<CellBuffers> {
    let cells = parts.len() * grid.tile_cells;
    let sources = sources(grid, parts)?;
    let missing = (cells - columns.cells) as u64;
    let mut fields = Vec::with_capacity(columns.fields.len());
    for from in &columns.fields {
        let bytes = from.bytes as u64 + missing * from.field.fill.len() as u64;
        let bytes = usize::try_from(bytes).map_err(|_| Error::out_of_memory("tiles", usize::MAX))?;
        let mut to = FieldCellBuffers::new(&from.field, cells, bytes)?;
        match from.field.is_var() {
            true => pad_var(from, &mut to, columns.cells, &sources),
            false => pad_fixed(from, &mut to, &sources),
        }
        for (valid, source) in to.validity.iter_mut().zip(&sources) {
            *valid = source.map_or(u8::from(from.field.fill_valid), |source| from.validity[source]);
        }
        fields.push(to);
    }
    Ok(CellBuffers::filled(fields, cells))
}

/// Source index of every cell of the whole tiles; `None` for padding.
fn sources(grid: &Grid, parts: &[TilePart]) -> Result<Vec<Option<usize>>> {
    let mut sources = vec![None; parts.len() * grid.tile_cells];
    let mut next = 0;
    for (TilePart { low, shape }, sources) in parts.iter().zip(sources.chunks_mut(grid.tile_cells)) {
        if volume(shape)? == grid.tile_cells {
            sources.iter_mut().zip(next..).for_each(|(source, cell)| *source = Some(cell));
            next += grid.tile_cells;
            continue;
        }
        let mut odometer = Odometer::new(shape.clone(), grid.cell_order);
        while let Some(position) = odometer.position() {
            sources[grid.cell_in_tile(position.iter().zip(low).map(|(position, low)| position + low))] = Some(next);
            next += 1;
            odometer.advance();
        }
    }
    Ok(sources)
}

fn pad_fixed(from: &FieldCellBuffers, to: &mut FieldCellBuffers, sources: &[Option<usize>]) {
    let size = from.field.cell_size();
    let padding = padding(&from.field);
    for (cell, source) in to.data.chunks_exact_mut(size).zip(sources) {
        let value = source.map_or(&padding[..], |source| &from.data[source * size..(source + 1) * size]);
        cell.copy_from_slice(value);
    }
    to.bytes = sources.len() * size;
}

fn pad_var(from: &FieldCellBuffers, to: &mut FieldCellBuffers, cells: usize, sources: &[Option<usize>]) {
    let starts = &bytemuck::try_cast_slice::<u8, u64>(&from.starts).unwrap_or_default()[..cells];
    let padding = padding(&from.field);
    let end_of = |cell: usize| starts.get(cell + 1).map_or(from.bytes, |&start| start as usize);
    for (start, source) in to.starts.cast_mut::<u64>().iter_mut().zip(sources) {
        let value = source.map_or(&padding[..], |cell| &from.data[starts[cell] as usize..end_of(cell)]);
        *start = to.bytes as u64;
        to.data[to.bytes..to.bytes + value.len()].copy_from_slice(value);
        to.bytes += value.len();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_core::types::{ArrayType, Datatype, Layout};

    /// Rows and columns of a tile.
    const EXTENTS: [u64; 2] = [2, 3];

    fn schema(order: Layout) -> ArraySchema {
        let mut domain = Domain::new();
        for extent in EXTENTS {
            let name = format!("d{extent}");
            let ends = [0i32, 11].map(i32::to_le_bytes).concat();
            let dimension = Dimension::new(&name, Datatype::Int32, Some(&ends), Some(&(extent as i32).to_le_bytes()));
            domain.add(Arc::new(dimension.unwrap()));
        }
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(domain)).unwrap();
        schema.set_cell_order(order).unwrap();
        let number = Attribute::new("a", Datatype::Int16);
        let mut nullable = Attribute::new("n", Datatype::Uint8);
        nullable.set_nullable(true);
        nullable.set_fill_nullable(Some(&[7]), true).unwrap();
        let mut text = Attribute::new("t", Datatype::StringAscii);
        text.set_cell_val_num(u32::MAX).unwrap();
        text.set_fill(Some(b"fill")).unwrap();
        for attribute in [number, nullable, text] {
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        schema
    }

    fn text(number: usize) -> String {
        "x".repeat(number % 4) + &number.to_string()
    }

    /// Cells with these numbers.
    fn columns(schema: &ArraySchema, cells: usize) -> CellBuffers {
        let fields = schema.attributes().iter().map(|one| {
            let field = schema.field(one.name().as_str()).unwrap();
            let mut of = FieldCellBuffers::new(field, cells, 1000).unwrap();
            of.validity.iter_mut().zip(0..).for_each(|(valid, number)| *valid = u8::from(number % 3 != 1));
            for number in 0..cells {
                let value = match one.name().as_str() {
                    "a" => (number as i16 + 100).to_le_bytes().to_vec(),
                    "n" => vec![number as u8],
                    _ => text(number).into_bytes(),
                };
                if field.is_var() {
                    of.starts.cast_mut::<u64>()[number] = of.bytes as u64;
                }
                of.data[of.bytes..of.bytes + value.len()].copy_from_slice(&value);
                of.bytes += value.len();
            }
            of
        });
        CellBuffers::filled(fields.collect(), cells)
    }

    /// Parts of tiles within bounds, and the numbers of the cells of whole tiles, in their order; none of padding.
    fn parts(grid: &Grid, tiles: &[[u64; 2]], bounds: [(u64, u64); 2]) -> (Vec<TilePart>, Vec<Option<usize>>) {
        let bounds = bounds.map(|(low, high)| CoordSpan { low, high });
        let parts = tiles.iter().map(|tile| TilePart::new(grid, tile.iter().copied(), &bounds)).collect();
        let mut next = 0;
        let mut numbers = Vec::new();
        for tile in tiles {
            let mut cells: Vec<[u64; 2]> = (0..2).flat_map(|row| (0..3).map(move |col| [row, col])).collect();
            if grid.cell_order == Layout::ColMajor {
                cells.sort_by_key(|&[row, col]| (col, row));
            }
            for cell in cells {
                let at = [0, 1].map(|d| tile[d] * EXTENTS[d] + cell[d]);
                let is_in = (0..2).all(|d| (bounds[d].low..=bounds[d].high).contains(&at[d]));
                numbers.push(is_in.then_some(next));
                next += usize::from(is_in);
            }
        }
        (parts, numbers)
    }

    #[test]
    fn cells_of_parts_of_tiles_have_fill_values_around_them() {
        for order in [Layout::RowMajor, Layout::ColMajor] {
            let schema = schema(order);
            let grid = Grid::new(&schema).unwrap();
            for (tiles, bounds) in [
                (&[[0, 0], [0, 1], [1, 0], [1, 1]][..], [(1, 2), (1, 4)]),
                (&[[0, 0], [0, 1]], [(0, 1), (0, 4)]),
                (&[[1, 1], [2, 1]], [(3, 4), (3, 5)]),
                (&[[2, 3]], [(5, 5), (11, 11)]),
            ] {
                let (parts, numbers) = parts(&grid, tiles, bounds);
                let cells = numbers.iter().flatten().count();
                let padded = pad(&grid, &parts, &columns(&schema, cells)).unwrap();
                let context = format!("{tiles:?} in {bounds:?}, {order:?}");
                assert_eq!(padded.cells, numbers.len(), "{context}");
                let [fixed, nullable, texts] = &padded.fields[..] else { panic!("{context}") };
                let of_numbers = |value: &dyn Fn(usize) -> Vec<u8>, fill: &[u8]| {
                    let values = numbers.iter().map(|number| number.map_or(fill.to_vec(), value));
                    values.collect::<Vec<_>>()
                };
                let expected =
                    of_numbers(&|number| (number as i16 + 100).to_le_bytes().to_vec(), &i16::MIN.to_le_bytes());
                assert_eq!(fixed.data[..fixed.bytes], expected.concat(), "{context}");
                assert_eq!(nullable.data[..nullable.bytes], of_numbers(&|number| vec![number as u8], &[7]).concat());
                let validity = of_numbers(&|number| vec![u8::from(number % 3 != 1)], &[1]).concat();
                assert_eq!(nullable.validity[..numbers.len()], validity, "{context}");
                let expected = of_numbers(&|number| text(number).into_bytes(), b"fill");
                let starts =
                    expected.iter().scan(0, |end, value| Some(std::mem::replace(end, *end + value.len() as u64)));
                let starts: Vec<u64> = starts.collect();
                assert_eq!(texts.data[..texts.bytes], expected.concat(), "{context}");
                assert_eq!(bytemuck::cast_slice::<u8, u64>(&texts.starts)[..numbers.len()], starts, "{context}");
            }
        }
    }
}
