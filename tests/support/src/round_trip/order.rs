//! The global order of cells for row- and column-major tile and cell orders.

use std::cmp::Ordering;

use crate::round_trip::scenario::{Dimension, Scenario};

pub struct Order<'a> {
    scenario: &'a Scenario,
}

impl Order<'_> {
    pub fn new(scenario: &Scenario) -> Order<'_> {
        Order { scenario }
    }

    /// Compares the tiles of two cells, then their coordinates.
    pub fn compare(&self, a: &[i64], b: &[i64]) -> Ordering {
        let dimensions = &self.scenario.dimensions;
        let tile = |i: usize| tile(&dimensions[i], a[i]).cmp(&tile(&dimensions[i], b[i]));
        let cell = |i: usize| a[i].cmp(&b[i]);
        let count = dimensions.len();
        first(self.scenario.tile_order, count, tile).then_with(|| first(self.scenario.cell_order, count, cell))
    }
}

fn tile(dimension: &Dimension, value: i64) -> i64 {
    dimension.extent.map_or(0, |extent| (value - dimension.low) / extent)
}

/// The first difference, from the first dimension on in row-major order, from the last on in column-major order.
fn first(order: u64, count: usize, compare: impl Fn(usize) -> Ordering) -> Ordering {
    let place = |i: usize| if order == 0 { i } else { count - 1 - i };
    (0..count).map(|i| compare(place(i))).find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}
