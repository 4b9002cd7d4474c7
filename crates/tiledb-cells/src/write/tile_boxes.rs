//! Divides the tiles of a dense write, in tile order, into runs that form boxes, since a dense fragment covers a box.

use super::region::Region;
use crate::space::grid::{CoordSpan, GridAxis};
use tiledb_core::error::Result;
use tiledb_core::types::{Layout, NdRange};

/// The tiles of a region in tile order.
pub struct TileBoxes {
    axes: Vec<GridAxis>,
    /// The region.
    spans: Vec<CoordSpan>,
    /// Dimensions, the slowest first.
    order: Vec<usize>,
    /// Tiles per dimension, the slowest first.
    counts: Vec<u64>,
}

impl TileBoxes {
    /// The tiles of a dense write.
    pub fn new(region: &Region) -> TileBoxes {
        let tiles = region.tile_counts();
        let mut order: Vec<usize> = (0..tiles.len()).collect();
        if region.grid.tile_order == Layout::ColMajor {
            order.reverse();
        }
        let counts = order.iter().map(|&dimension| tiles[dimension]).collect();
        TileBoxes { axes: region.grid.axes().to_vec(), spans: region.spans.clone(), order, counts }
    }

    /// The position of a tile, the slowest dimension first.
    fn position(&self, tile: u64) -> Vec<u64> {
        let mut rest = tile;
        let mut position = vec![0; self.counts.len()];
        for (place, &count) in position.iter_mut().zip(&self.counts).rev() {
            *place = rest % count;
            rest /= count;
        }
        position
    }

    /// The slowest dimension along which a box can grow that begins with tile `first`.
    fn growing(&self, first: &[u64]) -> usize {
        let full = first.iter().rev().take_while(|&&place| place == 0).count();
        first.len().saturating_sub(full + 1)
    }

    /// The tile after the largest box that begins with tile `first`.
    pub(crate) fn end_of_largest(&self, first: u64) -> u64 {
        self.end_within(first, u64::MAX)
    }

    /// The tile after the largest box that begins with tile `first` and contains none from `limit` on, which comes
    /// after it.
    pub fn end_within(&self, first: u64, limit: u64) -> u64 {
        let position = self.position(first);
        let boxes = (self.growing(&position)..self.counts.len()).map(|growing| {
            let run: u64 = self.counts[growing + 1..].iter().product();
            first + (self.counts[growing] - position[growing]).min((limit - first) / run) * run
        });
        boxes.max().unwrap_or(limit)
    }

    /// True if the tiles `first..end` are a box.
    pub(crate) fn is_box(&self, first: u64, end: u64) -> bool {
        let (low, high) = (self.position(first), self.position(end - 1));
        let split = low.iter().zip(&high).position(|(low, high)| low != high).unwrap_or(low.len());
        let faster = split.saturating_add(1).min(low.len())..low.len();
        faster.into_iter().all(|place| low[place] == 0 && high[place] == self.counts[place] - 1)
    }

    /// The part of the region in the tiles `first..end`, which are a box.
    pub fn domain(&self, first: u64, end: u64) -> Result<NdRange> {
        let (low, high) = (self.position(first), self.position(end - 1));
        let mut domain = self.spans.clone();
        for (place, &dimension) in self.order.iter().enumerate() {
            let (axis, span) = (&self.axes[dimension], self.spans[dimension]);
            let origin = axis.tile(span.low);
            let tiles = CoordSpan {
                low: axis.tile_start(origin + low[place]),
                high: axis.tile_span(origin + high[place]).high,
            };
            domain[dimension] = tiles.intersect(span).unwrap_or(span);
        }
        self.axes.iter().zip(domain).map(|(axis, span)| axis.range(span)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes(counts: Vec<u64>) -> TileBoxes {
        TileBoxes { axes: Vec::new(), spans: Vec::new(), order: (0..counts.len()).collect(), counts }
    }

    /// True if there are as many tiles as their bounding box has.
    fn fills_its_box(tiles: &TileBoxes, first: u64, end: u64) -> bool {
        let places: Vec<Vec<u64>> = (first..end).map(|tile| tiles.position(tile)).collect();
        let side = |dimension: usize| {
            let side = places.iter().map(|place| place[dimension]);
            side.clone().max().unwrap() - side.min().unwrap() + 1
        };
        (0..tiles.counts.len()).map(side).product::<u64>() == end - first
    }

    proptest! {
        #[test]
        fn tile_boxes_are_the_boxes_of_their_cells(counts in prop::collection::vec(1u64..5, 1..4), a in 0u64..64, b in 0u64..64) {
            let tiles = boxes(counts);
            let all: u64 = tiles.counts.iter().product();
            let (first, end) = ((a % all).min(b % all), (a % all).max(b % all) + 1);
            prop_assert_eq!(tiles.is_box(first, end), fills_its_box(&tiles, first, end));
            let largest = (first + 1..=all).rev().find(|&end| fills_its_box(&tiles, first, end));
            prop_assert_eq!(Some(tiles.end_of_largest(first)), largest);
            let within = (first + 1..=end).rev().find(|&end| fills_its_box(&tiles, first, end));
            prop_assert_eq!(Some(tiles.end_within(first, end)), within);
        }
    }
}
