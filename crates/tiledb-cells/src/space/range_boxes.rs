//! The boxes formed by one range of each dimension, numbered in the order of a read; and which of them form a part of
//! it, as in libtiledb.

use tiledb_core::stats::{Counter, Stats};
use tiledb_core::types::Layout;

pub struct RangeBoxes {
    /// How many ranges each dimension has.
    ranges: Vec<u64>,
    order: Layout,
}

impl RangeBoxes {
    /// The boxes for the number of ranges of each dimension.
    pub fn new(ranges: Vec<u64>, order: Layout) -> RangeBoxes {
        RangeBoxes { ranges, order }
    }

    /// The dimensions from the slowest to the fastest.
    pub fn dimensions(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        dimensions(self.ranges.len(), self.order)
    }

    /// The number of the range of each dimension that makes a box.
    pub fn coordinates(&self, mut number: u64) -> Vec<u64> {
        let mut coordinates = vec![0; self.ranges.len()];
        for d in self.dimensions().rev() {
            coordinates[d] = number % self.ranges[d];
            number /= self.ranges[d];
        }
        coordinates
    }

    /// The largest prefix of the boxes `first..=last` that is itself a box of ranges, `by_rows` of several dimensions
    /// only whole rows; true if it was extended to a whole row, which may not fit.
    pub fn whole_rows(&self, first: u64, last: u64, by_rows: bool) -> (u64, bool) {
        let (start, mut end) = (self.coordinates(first), self.coordinates(last));
        let order: Vec<usize> = self.dimensions().collect();
        for (level, &major) in order.iter().enumerate() {
            let minor = &order[level + 1..];
            let begins = minor.iter().all(|&d| start[d] == 0);
            let ends = minor.iter().all(|&d| end[d] == self.ranges[d] - 1);
            let several = start[major] < end[major];
            if begins && ends {
                break;
            }
            if several {
                end[major] = if begins { end[major] - 1 } else { start[major] };
                minor.iter().for_each(|&d| end[d] = self.ranges[d] - 1);
            }
            if begins && several {
                break;
            }
        }
        let mut is_row = false;
        if let (true, [_, .., fastest]) = (by_rows, order.as_slice()) {
            is_row = end[*fastest] != self.ranges[*fastest] - 1;
            end[*fastest] = self.ranges[*fastest] - 1;
        }
        (order.iter().fold(0, |number, &d| number * self.ranges[d] + end[d]), is_row)
    }
}

/// Dimensions from the slowest to the fastest.
pub fn dimensions(count: usize, order: Layout) -> impl DoubleEndedIterator<Item = usize> {
    let last_first = order == Layout::ColMajor;
    (0..count).map(move |place| if last_first { count - 1 - place } else { place })
}

/// The last box of a smaller part, if this one did not fit: three of ten boxes are left out.
pub fn fewer(first: u64, last: u64) -> u64 {
    let remaining = ((last - first + 1) as f64 * (1.0 - 0.3)) as u64;
    first + remaining.max(1) - 1
}

/// Counts how many boxes, of those that are left, are estimated to fit.
pub fn count(stats: &Stats, left: u64, taken: u64) {
    if taken == 0 {
        return stats.add(Counter::PartitionNotFound, 1);
    }
    stats.add(Counter::PartitionFound, 1);
    stats.add(Counter::PartitionRanges, left);
    stats.add(Counter::PartitionTaken, taken);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_rows() {
        let boxes = RangeBoxes::new(vec![3, 2], Layout::RowMajor);
        assert_eq!(boxes.coordinates(3), [1, 1]);
        assert_eq!(boxes.whole_rows(0, 4, true), (3, false));
        assert_eq!(boxes.whole_rows(2, 2, true), (3, true));
        assert_eq!(boxes.whole_rows(2, 2, false), (2, false));
        assert_eq!(RangeBoxes::new(vec![3, 2], Layout::ColMajor).coordinates(4), [1, 1]);
        assert_eq!([fewer(0, 9), fewer(4, 5)], [6, 4]);
    }
}
