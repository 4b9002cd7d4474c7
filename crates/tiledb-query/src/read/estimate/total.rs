//! Result size of a read: the sizes of tiles of a field, times the selected share of each tile.

use super::sparse;
use super::sum::{CellSizes, ResultSize, SizeSum};
use std::sync::Arc;
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_cells::space::grid::{CoordSpan, Grid, Odometer};
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Error, Result};
use tiledb_core::types::{CellRange, Layout};

/// The subject of an estimate.
#[derive(Clone, Copy, Debug)]
pub enum EstimateTarget<'a> {
    Field(&'a Field),
    /// The coordinates of all dimensions, cell by cell.
    Coordinates,
}

/// Estimates the results of a field read in a layout.
///
/// # Errors
/// If the metadata of a fragment cannot be read.
pub fn estimate(
    array: &OpenArray,
    subarray: &Subarray,
    layout: Layout,
    target: EstimateTarget<'_>,
) -> Result<ResultSize> {
    let schema = array.schema();
    let dense = if schema.is_dense() { Some(Grid::new(schema)?) } else { None };
    let sizes = match target {
        EstimateTarget::Field(field) => CellSizes::of_field(field),
        EstimateTarget::Coordinates => CellSizes::of_coordinates(schema),
    };
    if let Some(grid) = dense.as_ref().filter(|_| !sizes.is_var) {
        // Every cell has a value, whatever fragments have.
        let cells = cells_of_dense(grid, subarray)?;
        return Ok(sizes.size_of_cells(cells));
    }
    let order = match layout {
        Layout::Unordered if schema.cell_order() == Layout::ColMajor => Layout::ColMajor,
        Layout::ColMajor => Layout::ColMajor,
        _ => Layout::RowMajor,
    };
    if subarray.box_count().is_none() {
        return Err(Error::invalid("Query: query estimated result size: there are more than 2^64 boxes of ranges"));
    }
    // A tile at the edge of a fragment may reach further than its cells: these decide.
    let touched = |fragment: &&Arc<Fragment>| subarray.touches(fragment.non_empty_domain());
    let fragments: Vec<&Fragment> = array.fragments()?.iter().filter(touched).map(|fragment| &**fragment).collect();
    let mut sum = SizeSum::default();
    let counts = subarray.sets().iter().map(|set| set.ranges().len() as u64).collect();
    let mut boxes = Odometer::new(counts, order);
    while let Some(position) = boxes.position() {
        let ranges: Vec<&CellRange> =
            subarray.sets().iter().zip(position).filter_map(|(set, &at)| set.ranges().get(at as usize)).collect();
        let part = match &dense {
            Some(grid) => {
                let spans = grid.axes().iter().zip(&ranges).map(|(axis, range)| axis.span(range));
                SizeSum::of_dense_box(grid, &fragments, &spans.collect::<Result<Vec<_>>>()?, &sizes)?
            }
            None => {
                let mut part = [SizeSum::default()];
                sparse::add_box(schema, &fragments, subarray.sets(), &ranges, std::slice::from_ref(&sizes), &mut part)?;
                part[0]
            }
        };
        sum.add(&part);
        boxes.advance();
    }
    if let Some(grid) = &dense {
        sum.raise(cells_of_dense(grid, subarray)?, &sizes);
    }
    Ok(sum.rounded(&sizes))
}

/// The cells of a dense selection.
fn cells_of_dense(grid: &Grid, subarray: &Subarray) -> Result<u64> {
    let mut cells = 1u64;
    for (axis, set) in grid.axes().iter().zip(subarray.sets()) {
        let counts = set.ranges().iter().map(|range| axis.span(range).map(CoordSpan::count));
        let count = counts.sum::<Result<u64>>()?;
        cells = cells.saturating_mul(count);
    }
    Ok(cells)
}
