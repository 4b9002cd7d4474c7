//! Sort keys: what sparse cells are ordered, compared and merged by.
//!
//! A key is a list of words. For the global order these are the numbers of the space tile along each
//! dimension in tile order, then the coordinates in cell order; for row- and column-major results the
//! coordinates alone; for Hilbert arrays the Hilbert value, then the coordinates in row-major order.
//! Every part is an unsigned number that keeps the order of what it stands for, narrowed by the domain,
//! and as many parts as fit share one `u64`. So most arrays need one word per cell, and nothing that
//! sorts or merges looks at types or divides. A string gives its first eight bytes, then a full comparison.
//!
//! Both zeros of a float are at the same place of that order, and so are all NaNs, behind the numbers; they are
//! different coordinates all the same, told apart by their bits.

mod hilbert;
mod kernel;
mod order;
mod plan;
mod sort;

use std::cmp::Ordering;

pub use order::Order;
pub use plan::{CellOrder, KeyPlan};
pub use sort::{Sorted, is_ascending, sort};

/// The coordinates of some cells in one dimension.
#[derive(Clone, Copy, Debug)]
pub enum Coords<'a> {
    /// Values of the dimension's datatype, one after the other.
    Fixed(&'a [u8]),
    /// Strings: where each begins in the bytes; the last one ends with them.
    Var {
        /// Starts in bytes, ascending and inside the bytes.
        starts: &'a [u64],
        /// The strings, one after the other.
        data: &'a [u8],
    },
}

impl<'a> Coords<'a> {
    /// The string of a cell; nothing for other coordinates or positions beyond the end.
    #[inline]
    pub fn text(&self, cell: usize) -> &'a [u8] {
        let Coords::Var { starts, data } = *self else { return &[] };
        let Some(&start) = starts.get(cell) else { return &[] };
        let end = starts.get(cell + 1).copied().unwrap_or(data.len() as u64);
        data.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The bytes of the coordinate of a cell; `size` is that of a fixed one.
    #[inline]
    pub fn value(&self, cell: usize, size: usize) -> &'a [u8] {
        match *self {
            Coords::Fixed(bytes) => bytes.get(cell * size..(cell + 1) * size).unwrap_or_default(),
            Coords::Var { .. } => self.text(cell),
        }
    }
}

/// The keys of some cells: word by word, in each word cell by cell.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    words: Vec<u64>,
    count: usize,
}

impl Keys {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True without cells.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first words of all cells.
    pub fn first(&self) -> &[u64] {
        &self.words[..self.count]
    }

    #[inline]
    fn word(&self, word: usize, cell: usize) -> u64 {
        self.words[word * self.count + cell]
    }
}

/// Cells with their keys, for comparisons that go beyond the first word.
#[derive(Clone, Copy)]
pub struct Keyed<'a> {
    /// The keys.
    pub keys: &'a Keys,
    /// The coordinates, one column per dimension.
    pub coords: &'a [Coords<'a>],
}

impl KeyPlan {
    /// Compares a cell of `a` with one of `b` by the order of cells.
    #[inline]
    pub fn compare(&self, a: Keyed<'_>, i: usize, b: Keyed<'_>, j: usize) -> Ordering {
        match a.keys.word(0, i).cmp(&b.keys.word(0, j)) {
            Ordering::Equal if !self.is_one_word() => self.compare_rest(a, i, b, j),
            order => order,
        }
    }

    /// As [`KeyPlan::compare`], where floats that are at the same place come in an order of their bits: equal exactly
    /// if the coordinates are.
    #[inline]
    pub fn compare_exactly(&self, a: Keyed<'_>, i: usize, b: Keyed<'_>, j: usize) -> Ordering {
        match self.compare(a, i, b, j) {
            Ordering::Equal if self.has_floats() => self.compare_bits(a, i, b, j),
            order => order,
        }
    }
}

#[cfg(test)]
mod tests;
