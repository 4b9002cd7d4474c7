//! Sort order of the cells of one write.

use super::plan::KeyPlan;
use super::sort::{Pairs, is_ascending, sort};
use super::ties::Ties;
use super::words::CellKeys;
use tiledb_core::error::Result;
use tiledb_core::pool::{CancelToken, Pools};

/// Cells in the order of their keys.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Order {
    /// The cells' positions, or `None` if they are already in order.
    pub picks: Option<Vec<u64>>,
    /// Positions in the order whose cell has the same coordinates as the previous one; ascending.
    pub equal: Vec<usize>,
}

impl KeyPlan {
    /// Sorts cells stably; those with equal coordinates are adjacent.
    ///
    /// # Errors
    /// If memory does not suffice, or on cancellation.
    pub(crate) fn order(&self, cells: CellKeys<'_>, pools: &Pools, cancel: &CancelToken) -> Result<Order> {
        if let Ok(equal) = self.check_order(cells)
            && !(self.has_floats() && self.has_mixed(cells))
        {
            return Ok(Order { picks: None, equal });
        }
        let keys = cells.keys.first();
        let bits = 64 - (keys.len() as u64).leading_zeros();
        let mut sorted = sort(&Pairs { keys, codes: None }, bits, pools, cancel)?;
        let equal = match self.is_one_exact_word() {
            true => sorted.ties.iter().flat_map(|run| run.start + 1..run.end).collect(),
            false => Ties { plan: self, cells, bits, pools, cancel }.resolve(&mut sorted.codes, &sorted.ties)?,
        };
        Ok(Order { picks: Some(sorted.codes), equal })
    }

    /// The positions whose cell has the coordinates of the previous one, if all cells are in order.
    ///
    /// # Errors
    /// The first position whose cell precedes the previous one.
    pub fn check_order(&self, cells: CellKeys<'_>) -> std::result::Result<Vec<usize>, usize> {
        let keys = cells.keys.first();
        if !is_ascending(keys) {
            return Err(keys.windows(2).position(|pair| pair[1] < pair[0]).unwrap_or(0) + 1);
        }
        let mut equal = Vec::new();
        for at in (1..keys.len()).filter(|&at| keys[at - 1] == keys[at]) {
            match self.compare(cells, at - 1, cells, at) {
                std::cmp::Ordering::Greater => return Err(at),
                std::cmp::Ordering::Equal if self.compare_bits(cells, at - 1, cells, at).is_eq() => equal.push(at),
                _ => (),
            }
        }
        Ok(equal)
    }

    /// True if adjacent cells at the same position of the order differ, so that equal ones may not be adjacent.
    fn has_mixed(&self, cells: CellKeys<'_>) -> bool {
        let keys = cells.keys.first();
        let is_mixed = |at: usize| {
            keys[at - 1] == keys[at]
                && self.compare(cells, at - 1, cells, at).is_eq()
                && self.compare_bits(cells, at - 1, cells, at).is_ne()
        };
        (1..keys.len()).any(is_mixed)
    }
}
