//! Tiles that reach beyond the domain: what lies there has the fill value.

use super::columns::{Columns, FieldCells};
use crate::error::{Error, Result};
use crate::query::space::grid::{Grid, Odometer, volume};

/// Makes whole tiles of tiles that have `shapes`, the counts of cells per dimension.
pub(super) fn pad(grid: &Grid, shapes: &[Vec<u64>], columns: &Columns) -> Result<Columns> {
    let cells = shapes.len() * grid.tile_cells;
    let sources = sources(grid, shapes)?;
    let missing = (cells - columns.cells) as u64;
    let mut fields = Vec::with_capacity(columns.fields.len());
    for from in &columns.fields {
        let bytes = from.bytes as u64 + missing * from.field.fill.len() as u64;
        let bytes = usize::try_from(bytes).map_err(|_| Error::out_of_memory("tiles", usize::MAX))?;
        let mut to = FieldCells::new(&from.field, cells, bytes)?;
        match from.field.is_var() {
            true => pad_var(from, &mut to, columns.cells, &sources),
            false => pad_fixed(from, &mut to, &sources),
        }
        for (valid, source) in to.validity.iter_mut().zip(&sources) {
            *valid = source.map_or(u8::from(from.field.fill_valid), |source| from.validity[source]);
        }
        fields.push(to);
    }
    Ok(Columns::filled(fields, cells))
}

/// For every cell of the whole tiles its place among those there are.
fn sources(grid: &Grid, shapes: &[Vec<u64>]) -> Result<Vec<Option<usize>>> {
    let mut sources = vec![None; shapes.len() * grid.tile_cells];
    let mut next = 0;
    for (shape, sources) in shapes.iter().zip(sources.chunks_mut(grid.tile_cells)) {
        if volume(shape)? == grid.tile_cells {
            sources.iter_mut().zip(next..).for_each(|(source, cell)| *source = Some(cell));
            next += grid.tile_cells;
            continue;
        }
        let mut odometer = Odometer::new(shape.clone(), grid.cell_order);
        while let Some(position) = odometer.position() {
            sources[grid.cell_in_tile(position.iter().copied())] = Some(next);
            next += 1;
            odometer.advance();
        }
    }
    Ok(sources)
}

fn pad_fixed(from: &FieldCells, to: &mut FieldCells, sources: &[Option<usize>]) {
    let size = from.field.cell_size();
    for (cell, source) in to.data.chunks_exact_mut(size).zip(sources) {
        let value = source.map_or(&from.field.fill[..], |source| &from.data[source * size..(source + 1) * size]);
        cell.copy_from_slice(value);
    }
    to.bytes = sources.len() * size;
}

fn pad_var(from: &FieldCells, to: &mut FieldCells, cells: usize, sources: &[Option<usize>]) {
    let starts = &bytemuck::try_cast_slice::<u8, u64>(&from.starts).unwrap_or_default()[..cells];
    let end_of = |cell: usize| starts.get(cell + 1).map_or(from.bytes, |&start| start as usize);
    for (start, source) in to.starts.cast_mut::<u64>().iter_mut().zip(sources) {
        let value = source.map_or(&from.field.fill[..], |cell| &from.data[starts[cell] as usize..end_of(cell)]);
        *start = to.bytes as u64;
        to.data[to.bytes..to.bytes + value.len()].copy_from_slice(value);
        to.bytes += value.len();
    }
}
