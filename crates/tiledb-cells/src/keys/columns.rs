//! Cells whose keys are computed from columns of coordinates whenever they are needed, so that none are stored.

use std::cmp::Ordering;
use std::ops::Range;

use super::plan::{KeyComparison, KeyPlan};
use super::sort::{BLOCK, Codes, KeySource};
use crate::columns::coords::Coords;
use tiledb_core::error::Result;
use tiledb_core::limits::keys::{CELLS_PER_KEY_TASK, CELLS_PER_SORT_BLOCK};
use tiledb_core::memory;
use tiledb_core::pool::{CancelToken, Pools};

/// The cells of some columns, with the plan of their keys.
#[derive(Clone, Copy)]
pub struct KeyedColumns<'a> {
    plan: &'a KeyPlan,
    coords: &'a [Coords<'a>],
    count: usize,
}

/// What a check of the order of cells finds.
#[derive(Debug, Default, PartialEq)]
pub struct OrderCheck {
    /// The first position whose cell precedes the previous one; the check ends there.
    pub first_disorder: Option<usize>,
    /// Positions whose cell has the coordinates of the previous one; ascending.
    pub equal: Vec<usize>,
    /// True if adjacent cells at the same position of the order differ, so that equal ones may not be adjacent.
    pub(crate) has_mixed: bool,
}

impl<'a> KeyedColumns<'a> {
    /// The first `count` cells of these columns, one column per dimension.
    ///
    /// # Errors
    /// If a column is missing or has fewer cells.
    pub fn new(plan: &'a KeyPlan, coords: &'a [Coords<'a>], count: usize) -> Result<KeyedColumns<'a>> {
        plan.check(coords, count)?;
        Ok(KeyedColumns { plan, coords, count })
    }

    pub(crate) fn plan(&self) -> &'a KeyPlan {
        self.plan
    }

    pub(crate) fn coords(&self) -> &'a [Coords<'a>] {
        self.coords
    }

    /// A word of the keys of the `out.len()` cells from `first` on.
    fn words(&self, word: usize, first: usize, out: &mut [u64]) {
        self.plan.fill_word(word, self.coords, first, out);
    }

    /// A word of the keys of some cells.
    pub(crate) fn gather(&self, word: usize, cells: &[u64], out: &mut [u64]) {
        self.plan.gather_word(word, self.coords, cells, out);
    }

    /// Compares two cells by the steps from one on.
    pub(crate) fn compare_from(&self, step: usize, i: usize, j: usize) -> Ordering {
        let key = |word, cell| {
            let mut key = [0];
            self.words(word, cell, &mut key);
            key
        };
        let order = |step: &KeyComparison| match *step {
            KeyComparison::Word(word) => key(word, i).cmp(&key(word, j)),
            KeyComparison::Text(dimension) => self.coords[dimension].text(i).cmp(self.coords[dimension].text(j)),
        };
        self.plan.steps()[step..].iter().map(order).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Compares the bits of the floats of two cells with the same position in the order.
    pub(crate) fn compare_bits(&self, i: usize, j: usize) -> Ordering {
        self.plan.compare_bits(self.coords, i, self.coords, j)
    }

    /// Checks that no cell precedes the previous one.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn check_order(&self) -> Result<OrderCheck> {
        self.check_pairs(1..self.count)
    }

    /// As [`KeyedColumns::check_order`], in parallel.
    ///
    /// # Errors
    /// If memory does not suffice, or on cancellation.
    pub(crate) fn check_order_in_parallel(&self, pools: &Pools, cancel: &CancelToken) -> Result<OrderCheck> {
        let (parts, bytes) =
            (pools.parts(self.count, CELLS_PER_KEY_TASK.count()), self.count.saturating_mul(size_of::<u64>()));
        let check = |part: Range<usize>| self.check_pairs(part.start.max(1)..part.end);
        let mut all = OrderCheck::default();
        for mut part in pools.map_parts(self.count, parts, bytes, cancel, check)? {
            memory::reserve("equal keys", &mut all.equal, part.equal.len())?;
            all.equal.append(&mut part.equal);
            all.has_mixed |= part.has_mixed;
            all.first_disorder = part.first_disorder;
            if all.first_disorder.is_some() {
                break;
            }
        }
        Ok(all)
    }

    /// Compares the cells at some positions with those before them, up to the first that precedes it.
    fn check_pairs(&self, positions: Range<usize>) -> Result<OrderCheck> {
        let (mut check, mut keys) = (OrderCheck::default(), [0; BLOCK]);
        let block = CELLS_PER_SORT_BLOCK.count().min(BLOCK) - 1;
        for start in positions.clone().step_by(block) {
            let end = positions.end.min(start + block);
            let keys = &mut keys[..end - start + 1];
            self.words(0, start - 1, keys);
            // Without an early exit, which the compiler can vectorise.
            if keys.iter().zip(&keys[1..]).fold(true, |ascends, (a, b)| ascends & (a < b)) {
                continue;
            }
            for (at, pair) in (start..end).zip(keys.windows(2)) {
                match pair[0].cmp(&pair[1]).then_with(|| self.compare_from(1, at - 1, at)) {
                    Ordering::Less => (),
                    Ordering::Equal if self.compare_bits(at - 1, at).is_ne() => check.has_mixed = true,
                    Ordering::Equal => memory::push("equal keys", &mut check.equal, at)?,
                    Ordering::Greater => {
                        check.first_disorder = Some(at);
                        return Ok(check);
                    }
                }
            }
        }
        Ok(check)
    }
}

impl KeySource for KeyedColumns<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn is_computed(&self) -> bool {
        true
    }

    fn block<'a>(&'a self, range: Range<usize>, buffers: &'a mut [[u64; BLOCK]; 2]) -> (&'a [u64], Codes<'a>) {
        let keys = &mut buffers[0][..range.len()];
        self.words(0, range.start, keys);
        (keys, Codes::From(range.start as u64))
    }

    fn keys_of(&self, codes: &[u64], out: &mut [u64]) {
        self.gather(0, codes, out);
    }
}
