//! Minimum, maximum and sum of fixed-size numbers, by the format's rules.

use super::blocks::{Blended, Blocks, Room, compact, walk};
use super::number::{Number, ends_with};
use super::total::Total;

/// Minimum, maximum and sum of the cells seen so far.
#[derive(Clone, Copy)]
pub(super) struct Summary<T> {
    pub(super) min: T,
    pub(super) max: T,
    pub(super) total: Total,
    /// Cells that are not null.
    pub(super) valid: u64,
}

impl<T: Number> Summary<T> {
    /// Of no cell.
    pub(super) fn new() -> Summary<T> {
        Summary { min: T::HIGHEST, max: T::LOWEST, total: Total::new(T::PHYSICAL), valid: 0 }
    }

    /// Adds the cells that `validity` does not declare null.
    pub(super) fn add(&mut self, data: &[u8], validity: Option<&[u8]>) {
        walk(data, validity, self);
    }

    /// Keeps the lesser and the greater by the format's rule: what compares less, or greater, stays, everything else
    /// (equal, or NaN on either side) is replaced.
    #[inline(always)]
    pub(super) fn keep(&mut self, min: T, max: T) {
        self.min = if self.min < min { self.min } else { min };
        self.max = if self.max > max { self.max } else { max };
    }

    #[inline(always)]
    fn add_reals(&mut self, cells: &[T]) {
        let Some(&first) = cells.first() else { return };
        self.total.add_each(cells);
        if has_nan(cells) {
            return cells.iter().for_each(|&cell| self.keep(cell, cell));
        }
        // Among equals the last one stays; only zeros are equal and yet differ.
        let zero = |end: T| match end == T::default() {
            true => cells.iter().copied().rfind(|&cell| cell == end).unwrap_or(end),
            false => end,
        };
        let (min, max) = ends_with((first, first), cells);
        self.keep(zero(min), zero(max));
    }

    /// Adds whole numbers between two ends; false if they must be added to the sum one by one.
    #[inline(always)]
    fn add_whole(&mut self, (min, max): (T, T), sum: u64, count: usize) -> bool {
        self.keep(min, max);
        self.total.add_block(sum, count, min.whole(), max.whole())
    }
}

impl<T: Number> Blocks<T> for Summary<T> {
    #[inline(always)]
    fn take(&mut self, cells: &[T]) {
        let Some(&first) = cells.first() else { return };
        self.valid += cells.len() as u64;
        if T::REAL {
            self.add_reals(cells);
        } else if !self.add_whole(ends_with((first, first), cells), T::sum_modulo(cells), cells.len()) {
            self.total.add_each(cells);
        }
    }

    #[inline(always)]
    fn take_marked(&mut self, cells: &[T], marks: &[u8], count: usize, room: &mut Room<T>) {
        self.valid += count as u64;
        if T::REAL {
            return self.add_reals(compact(room, cells, marks));
        }
        let Some(block) = Blended::new(cells, marks, count, room) else { return };
        if !self.add_whole(block.ends(), block.sum_modulo(), count) {
            self.total.add_each(compact(room, cells, marks));
        }
    }
}

#[inline(always)]
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
fn has_nan<T: Number>(cells: &[T]) -> bool {
    cells.iter().fold(false, |nan, cell| nan | (cell != cell))
}
