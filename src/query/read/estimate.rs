//! How large the results of a read will be, estimated from above.

use super::selection::Selection;
use crate::array::OpenArray;
use crate::error::Result;
use crate::query::Subarray;
use crate::query::grid::{Grid, Odometer};
use crate::schema::Field;
use crate::types::{Layout, NdRange};

/// Bytes of the results of one field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultSize {
    /// Fixed cells, or the values of variable ones.
    pub data: u64,
    /// 64-bit starts of variable cells.
    pub offsets: u64,
    /// One byte per cell.
    pub validity: u64,
}

/// Estimates the results of one field.
///
/// # Errors
/// If the metadata of a fragment cannot be read.
pub fn estimate(array: &OpenArray, subarray: &Subarray, field: &Field) -> Result<ResultSize> {
    let (cells, values) = match array.schema().is_dense() {
        true => dense(array, subarray, field)?,
        false => sparse(array, subarray, field)?,
    };
    let validity = if field.nullable { cells } else { 0 };
    Ok(match field.is_var() {
        true => ResultSize { data: values, offsets: cells.saturating_mul(8), validity },
        false => ResultSize { data: cells.saturating_mul(field.cell_size() as u64), offsets: 0, validity },
    })
}

/// Cells of a dense selection, and an upper bound of the bytes of their variable values.
fn dense(array: &OpenArray, subarray: &Subarray, field: &Field) -> Result<(u64, u64)> {
    let grid = Grid::new(array.schema())?;
    let selection = Selection::new(&grid, subarray, Layout::RowMajor)?;
    let counts = selection.counts();
    let cells = counts.iter().fold(1u64, |cells, &count| cells.saturating_mul(count));
    if !field.is_var() {
        return Ok((cells, 0));
    }
    let axes = grid.axes().iter().enumerate();
    let tiles: Vec<_> = axes.map(|(d, axis)| selection.tiles(d, axis, 0, counts[d])).collect();
    // Cells nobody wrote take the fill value.
    let mut values = cells.saturating_mul(field.fill.len() as u64);
    for fragment in array.fragments() {
        let Some(held) = fragment.stored(field) else { continue };
        if !fragment.is_dense() {
            for tile in 0..fragment.tile_count() {
                values = values.saturating_add(fragment.var_tile_size(held, tile)?);
            }
            continue;
        }
        let mut odometer = Odometer::new(tiles.iter().map(|tiles| tiles.len() as u64).collect(), Layout::RowMajor);
        while let Some(position) = odometer.position() {
            let picked = tiles.iter().zip(position).map(|(tiles, &at)| &tiles[at as usize]);
            let (index, wanted): (Vec<u64>, Vec<u64>) = picked.map(|tile| (tile.tile, tile.count)).unzip();
            if let Some(tile) = fragment.dense_tile_box().and_then(|tiles| tiles.tile(&index)) {
                let size = u128::from(fragment.var_tile_size(held, tile)?);
                let share = wanted.iter().fold(1u128, |share, &count| share.saturating_mul(count.into()));
                let part = size.saturating_mul(share).div_ceil(grid.tile_cells.max(1) as u128).min(size.max(share));
                values = values.saturating_add(u64::try_from(part).unwrap_or(u64::MAX));
            }
            odometer.advance();
        }
    }
    Ok((cells, values))
}

/// Cells of the sparse tiles that overlap the subarray, and the bytes of their variable values.
fn sparse(array: &OpenArray, subarray: &Subarray, field: &Field) -> Result<(u64, u64)> {
    let (mut cells, mut values) = (0u64, 0u64);
    for fragment in array.fragments() {
        let held = fragment.stored(field);
        for tile in 0..fragment.tile_count() {
            if !subarray.is_default()
                && !fragment.rtree()?.leaf(tile as usize).is_some_and(|mbr| overlaps(array, subarray, &mbr))
            {
                continue;
            }
            let count = fragment.cells_in_tile(tile);
            cells = cells.saturating_add(count);
            if field.is_var() {
                // Cells of fragments without the field take its fill value.
                let size = match held {
                    Some(held) => fragment.var_tile_size(held, tile)?,
                    None => count.saturating_mul(field.fill.len() as u64),
                };
                values = values.saturating_add(size);
            }
        }
    }
    Ok((cells, values))
}

fn overlaps(array: &OpenArray, subarray: &Subarray, mbr: &NdRange) -> bool {
    let mut axes = array.schema().domain().dimensions().iter().zip(subarray.sets()).zip(mbr);
    axes.all(|((dimension, set), mbr)| {
        set.is_default() || set.ranges().iter().any(|range| range.overlaps(dimension.datatype(), mbr))
    })
}
