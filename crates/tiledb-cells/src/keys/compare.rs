//! Comparison of cells by their sort keys.

use std::cmp::Ordering;

use super::plan::KeyPlan;
use super::words::CellKeys;

impl KeyPlan {
    /// Compares a cell of `a` with one of `b` by the order of cells.
    #[inline]
    pub fn compare(&self, a: CellKeys<'_>, i: usize, b: CellKeys<'_>, j: usize) -> Ordering {
        match a.keys.word(0, i).cmp(&b.keys.word(0, j)) {
            Ordering::Equal if !self.is_one_word() => self.compare_rest(a, i, b, j),
            order => order,
        }
    }

    /// As [`KeyPlan::compare`], with floats at the same position ordered by their bits: equal exactly if the
    /// coordinates are.
    #[inline]
    pub fn compare_exactly(&self, a: CellKeys<'_>, i: usize, b: CellKeys<'_>, j: usize) -> Ordering {
        match self.compare(a, i, b, j) {
            Ordering::Equal if self.has_floats() => self.compare_bits(a.coords, i, b.coords, j),
            order => order,
        }
    }
}
