//! Minimum, maximum and sum of fixed-size numbers, by the rules of the format.

use super::blocks::{BlockBuffer, BlockVisitor, MaskedBlock, compact, for_each_block};
use super::numeric_cell::{NumericCell, min_max_with};
use super::saturating_sum::SaturatingSum;

/// Running minimum, maximum and sum.
#[derive(Clone, Copy)]
pub(super) struct NumericSummary<T> {
    pub(super) min: T,
    pub(super) max: T,
    pub(super) total: SaturatingSum,
    /// Cells that are not null.
    pub(super) valid: u64,
}

impl<T: NumericCell> NumericSummary<T> {
    pub(super) fn new() -> NumericSummary<T> {
        NumericSummary { min: T::HIGHEST, max: T::LOWEST, total: SaturatingSum::new(T::PHYSICAL), valid: 0 }
    }

    /// Adds the cells that `validity` does not declare null.
    pub(super) fn add(&mut self, data: &[u8], validity: Option<&[u8]>) {
        for_each_block(data, validity, self);
    }

    /// Keeps the lesser and the greater by the format's rule: what compares less, or greater, stays, everything else
    /// (equal, or NaN on either side) is replaced.
    #[inline(always)]
    pub(super) fn merge_min_max(&mut self, min: T, max: T) {
        self.min = if self.min < min { self.min } else { min };
        self.max = if self.max > max { self.max } else { max };
    }

    #[inline(always)]
    fn add_reals(&mut self, cells: &[T]) {
        let Some(&first) = cells.first() else { return };
        self.total.add_each(cells);
        if has_nan(cells) {
            return cells.iter().for_each(|&cell| self.merge_min_max(cell, cell));
        }
        // Among equals the last one stays; only zeros are equal and yet differ.
        let zero = |end: T| match end == T::default() {
            true => cells.iter().copied().rfind(|&cell| cell == end).unwrap_or(end),
            false => end,
        };
        let (min, max) = min_max_with((first, first), cells);
        self.merge_min_max(zero(min), zero(max));
    }

    /// Adds integers between two ends; false if they must be added to the sum one by one.
    #[inline(always)]
    fn add_whole(&mut self, (min, max): (T, T), sum: u64, count: usize) -> bool {
        self.merge_min_max(min, max);
        self.total.add_block(sum, count, min.whole(), max.whole())
    }
}

impl<T: NumericCell> BlockVisitor<T> for NumericSummary<T> {
    #[inline(always)]
    fn visit(&mut self, cells: &[T]) {
        let Some(&first) = cells.first() else { return };
        self.valid += cells.len() as u64;
        if T::REAL {
            self.add_reals(cells);
        } else if !self.add_whole(min_max_with((first, first), cells), T::sum_modulo(cells), cells.len()) {
            self.total.add_each(cells);
        }
    }

    #[inline(always)]
    fn visit_selected(&mut self, cells: &[T], marks: &[u8], count: usize, capacity: &mut BlockBuffer<T>) {
        self.valid += count as u64;
        if T::REAL {
            return self.add_reals(compact(capacity, cells, marks));
        }
        let Some(block) = MaskedBlock::new(cells, marks, count, capacity) else { return };
        if !self.add_whole(block.ends(), block.sum_modulo(), count) {
            self.total.add_each(compact(capacity, cells, marks));
        }
    }
}

#[inline(always)]
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
fn has_nan<T: NumericCell>(cells: &[T]) -> bool {
    cells.iter().fold(false, |nan, cell| nan | (cell != cell))
}
