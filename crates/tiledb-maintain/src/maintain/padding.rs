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
    pub fn new(grid: &Grid, tile: impl Iterator<Item = u64>, bounds: &[CoordSpan]) -> TilePart {
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
