//! Written cells of a tile of a dense fragment.

use std::ops::Range;

use tiledb_array::fragment::Fragment;
use tiledb_cells::space::grid::{CoordSpan, Grid, Odometer};
use tiledb_core::types::Layout;

/// The cells of a tile within the fragment's region, as runs in cell order; `None` if all are. The others have fill
/// values, which statistics ignore.
pub(super) fn written_cells(fragment: &Fragment, grid: &Grid, tile: u64) -> Option<Vec<Range<usize>>> {
    let tiles = fragment.dense_tile_box()?;
    let mut index = vec![0; grid.axes().len()];
    tiles.index_of(tile, &mut index);
    let mut counts = Vec::new();
    let mut spans = Vec::new();
    let mut is_whole = true;
    for ((axis, range), &tile) in grid.axes().iter().zip(fragment.non_empty_domain()).zip(&index) {
        let (start, end) = (axis.tile_start(tile), axis.tile_start(tile).saturating_add(axis.extent - 1));
        let span = axis.span(range).ok()?.intersect(CoordSpan { low: start, high: end })?;
        is_whole &= span.low == start && span.high == end;
        counts.push(span.count());
        spans.push(span);
    }
    if is_whole {
        return None;
    }
    // The fastest dimension makes runs.
    let fastest = if grid.cell_order == Layout::ColMajor { 0 } else { counts.len().checked_sub(1)? };
    let run = usize::try_from(std::mem::replace(&mut counts[fastest], 1)).ok()?;
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut odometer = Odometer::new(counts, grid.cell_order);
    while let Some(position) = odometer.position() {
        let start = grid.cell_in_tile(spans.iter().zip(position).map(|(span, step)| span.low + step));
        match runs.last_mut().filter(|last| last.end == start) {
            Some(last) => last.end = start + run,
            None => runs.push(start..start + run),
        }
        odometer.advance();
    }
    Some(runs)
}
