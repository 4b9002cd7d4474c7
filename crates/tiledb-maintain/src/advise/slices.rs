//! Typical queries of a sparse array: boxes around sampled cells, and how many tiles they read.
//!
//! Coordinates are compared by their ranks among those of a window, so that numbers and strings are treated alike, and boxes
//! follow the density of the cells.

use super::settings::SliceSides;
use crate::maintain::cell_buffers::CellBuffers;
use tiledb_array::schema::ArraySchema;
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_core::dispatch;
use tiledb_core::sort;
use tiledb_core::types::{Cell, CellRange, Datatype};

/// Typical queries for each window.
const SLICES: usize = 8;
/// Steps of the search for the size of a box.
const STEPS: u32 = 16;

/// The ranks of the coordinates of a window, per dimension.
pub(super) struct WindowRanks(Vec<DimensionRanks>);

/// The ranks of coordinates along a dimension.
struct DimensionRanks {
    /// In the order of the cells.
    ranks: Vec<u32>,
    /// The coordinate of each rank, if they are numbers.
    values: Vec<f64>,
}

/// A box of ranks in a window.
pub(super) struct Slice {
    window: usize,
    sides: Vec<(u32, u32)>,
}

impl WindowRanks {
    pub(super) fn new(schema: &ArraySchema, window: &CellBuffers) -> WindowRanks {
        let inputs = window.inputs();
        let of = |dimension: &std::sync::Arc<tiledb_array::schema::Dimension>| {
            ranks(&inputs, dimension.name().as_str(), dimension.datatype(), window.cells)
        };
        WindowRanks(schema.domain().dimensions().iter().map(of).collect())
    }

    fn cells(&self) -> usize {
        self.0.first().map_or(0, |dimension| dimension.ranks.len())
    }

    /// The box around a cell that has these lengths; all of a dimension of strings.
    fn with_sides(&self, cell: usize, sides: &SliceSides) -> Vec<(u32, u32)> {
        let side = |(dimension, side): (&DimensionRanks, &Option<f64>)| {
            let center = dimension.values.get(dimension.ranks[cell] as usize);
            let Some((center, side)) = center.zip(side.as_ref()) else { return (0, u32::MAX) };
            let (low, high) = (center - side / 2.0, center + side / 2.0);
            let first = dimension.values.partition_point(|value| *value < low);
            let end = dimension.values.partition_point(|value| *value <= high);
            (first as u32, end.saturating_sub(1) as u32)
        };
        self.0.iter().zip(sides).map(side).collect()
    }

    /// The box around a cell that has `share / 2^STEPS` of the ranks of each dimension to both sides.
    fn around(&self, cell: usize, share: u64) -> Vec<(u32, u32)> {
        let side = |dimension: &DimensionRanks| {
            let most = dimension.ranks.iter().copied().max().unwrap_or(0);
            let rank = dimension.ranks[cell];
            let half = ((u64::from(most) * share) >> STEPS) as u32;
            (rank.saturating_sub(half), rank.saturating_add(half))
        };
        self.0.iter().map(side).collect()
    }

    fn count(&self, sides: &[(u32, u32)]) -> usize {
        let is_in = |&cell: &usize| {
            self.0.iter().zip(sides).all(|(dimension, side)| (side.0..=side.1).contains(&dimension.ranks[cell]))
        };
        (0..self.cells()).filter(is_in).count()
    }

    /// How many tiles of this many cells have a bounding box that intersects a box.
    fn tiles(&self, capacity: usize, sides: &[Slice]) -> u64 {
        let mut tiles = 0;
        for first in (0..self.cells()).step_by(capacity.max(1)) {
            let cells = first..(first.saturating_add(capacity)).min(self.cells());
            let bounds = |dimension: &DimensionRanks| {
                dimension.ranks[cells.clone()]
                    .iter()
                    .fold((u32::MAX, 0), |(low, high), &rank| (low.min(rank), high.max(rank)))
            };
            let bounds: Vec<(u32, u32)> = self.0.iter().map(bounds).collect();
            let intersects = |slice: &&Slice| {
                slice.sides.iter().zip(&bounds).all(|(side, bounds)| side.0 <= bounds.1 && bounds.0 <= side.1)
            };
            tiles += sides.iter().filter(intersects).count() as u64;
        }
        tiles
    }
}

/// The bytes of the cell at an index.
pub(super) fn value<'a>(column: &'a InputColumn<'_>, size: usize, index: usize) -> &'a [u8] {
    let range = match column.starts.as_deref() {
        None => index * size..(index + 1) * size,
        Some(starts) => {
            let end = starts.get(index + 1).map_or(column.data.len(), |&end| end as usize);
            starts.get(index).map_or(end, |&start| start as usize)..end
        }
    };
    column.data.get(range).unwrap_or_default()
}

/// The ranks of values, equal ones for equal values.
fn ranks(inputs: &Inputs<'_>, name: &str, datatype: Datatype, cells: usize) -> DimensionRanks {
    let mut ranks = vec![0; cells];
    let mut values = Vec::new();
    let Some(column) = inputs.column(name) else { return DimensionRanks { ranks, values } };
    let value = |index: u32| value(column, datatype.size(), index as usize);
    let mut order: Vec<u32> = (0..cells as u32).collect();
    sort::by(&mut order, |&a, &b| CellRange::compare(datatype, value(a), value(b)));
    let mut rank = 0;
    for (position, &cell) in order.iter().enumerate() {
        if position > 0 && value(order[position - 1]) != value(cell) {
            rank += 1;
        }
        ranks[cell as usize] = rank;
        if column.starts.is_none() && values.len() <= rank as usize {
            values.push(dispatch!(datatype.physical(), T => <T as Cell>::from_le(value(cell)).to_f64()));
        }
    }
    DimensionRanks { ranks, values }
}

/// Boxes around cells that are spread over the windows: with the given lengths, otherwise with about `wanted` cells each.
pub(super) fn slices(windows: &[WindowRanks], wanted: u64, sides: &[SliceSides]) -> Vec<Slice> {
    let mut slices = Vec::new();
    for (window, ranks) in windows.iter().enumerate() {
        let cells = ranks.cells();
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX).min(cells);
        for cell in (0..SLICES).map(|number| cells * (2 * number + 1) / (2 * SLICES)) {
            if cell >= cells {
                continue;
            }
            for sides in sides {
                slices.push(Slice { window, sides: ranks.with_sides(cell, sides) });
            }
            if !sides.is_empty() {
                continue;
            }
            // The largest share that is too small, by bisection.
            let mut share = 0;
            for step in (0..STEPS).rev() {
                let more = share | 1 << step;
                if ranks.count(&ranks.around(cell, more)) < wanted {
                    share = more;
                }
            }
            slices.push(Slice { window, sides: ranks.around(cell, share + 1) });
        }
    }
    slices
}

/// The tiles of this many cells that all queries read. Windows of cells in another order have the same ranks.
pub(super) fn tiles_read(windows: &[WindowRanks], slices: &[Slice], capacity: u64) -> u64 {
    let capacity = usize::try_from(capacity).unwrap_or(usize::MAX);
    let of = |(window, ranks): (usize, &WindowRanks)| {
        let first = slices.partition_point(|slice| slice.window < window);
        let count = slices[first..].iter().take_while(|slice| slice.window == window).count();
        ranks.tiles(capacity, &slices[first..first + count])
    };
    windows.iter().enumerate().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(side: u32) -> WindowRanks {
        let cells = 0..side * side;
        let dimension = |ranks: Vec<u32>| DimensionRanks { values: (0..side).map(f64::from).collect(), ranks };
        WindowRanks(vec![
            dimension(cells.clone().map(|cell| cell / side).collect()),
            dimension(cells.map(|cell| cell % side).collect()),
        ])
    }

    #[test]
    fn boxes_have_the_given_lengths() {
        let windows = [grid(100)];
        let rows = slices(&windows, 1, &[vec![Some(1.0), None]]);
        assert!(rows.iter().all(|slice| windows[0].count(&slice.sides) == 100));
        // Every query reads one row, a tile.
        assert_eq!(tiles_read(&windows, &rows, 100), SLICES as u64);
        let columns = slices(&windows, 1, &[vec![None, Some(1.0)], vec![None, Some(2.0)]]);
        assert_eq!(columns.len(), 2 * SLICES);
        assert_eq!(tiles_read(&windows, &columns, 100), 100 * 2 * SLICES as u64);
    }

    #[test]
    fn boxes_have_the_wanted_cells() {
        let windows = [grid(100)];
        for wanted in [1, 10, 1000, 20_000] {
            for slice in slices(&windows, wanted, &[]) {
                let count = windows[0].count(&slice.sides) as u64;
                assert!(count >= wanted.min(10_000), "{count} of {wanted}");
                assert!(count <= 2 * wanted + 200, "{count} of {wanted}");
            }
        }
    }

    #[test]
    fn tiles_are_counted_by_their_boxes() {
        let windows = [grid(100)];
        let all = slices(&windows, 20_000, &[]);
        assert_eq!(all.len(), SLICES);
        // Every query reads everything.
        assert_eq!(tiles_read(&windows, &all, 100), 100 * SLICES as u64);
        assert_eq!(tiles_read(&windows, &all, 1 << 40), SLICES as u64);
        let some = slices(&windows, 100, &[]);
        // Rows are tiles: about ten of them.
        let tiles = tiles_read(&windows, &some, 100) as usize / SLICES;
        assert!((5..=15).contains(&tiles), "{tiles}");
    }

    #[test]
    fn equal_coordinates_have_equal_ranks() {
        let data = [3i32, 1, 3, 2].map(i32::to_le_bytes).concat();
        let column =
            InputColumn { name: tiledb_core::types::Name::new("x"), data: &data, starts: None, validity: None };
        let inputs = Inputs { columns: vec![column].into() };
        let found = ranks(&inputs, "x", Datatype::Int32, 4);
        assert_eq!((found.ranks, found.values), (vec![2, 0, 2, 1], vec![1.0, 2.0, 3.0]));
        assert_eq!(ranks(&inputs, "other", Datatype::Int32, 4).ranks, [0; 4]);
    }

    /// Along a line each share has other cells.
    #[test]
    fn boxes_are_the_smallest_with_enough_cells() {
        let values = (0..1000).map(f64::from).collect();
        let windows = [WindowRanks(vec![DimensionRanks { values, ranks: (0..1000).collect() }])];
        for wanted in [1, 9, 101, 500] {
            for slice in slices(&windows, wanted, &[]) {
                let count = windows[0].count(&slice.sides) as u64;
                assert!((wanted..=wanted + 1).contains(&count), "{count} of {wanted}");
            }
        }
    }
}
