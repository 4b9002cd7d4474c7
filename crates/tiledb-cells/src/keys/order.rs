//! Sort order of the cells of one write.

use super::columns::KeyedColumns;
use super::sort::{KeySource, sort};
use super::ties::Ties;
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

impl KeyedColumns<'_> {
    /// Sorts cells stably; those with equal coordinates are adjacent.
    ///
    /// # Errors
    /// If memory does not suffice, or on cancellation.
    pub(crate) fn order(&self, pools: &Pools, cancel: &CancelToken) -> Result<Order> {
        let check = self.check_order_in_parallel(pools, cancel)?;
        if check.first_disorder.is_none() && !check.has_mixed {
            return Ok(Order { picks: None, equal: check.equal });
        }
        let bits = 64 - (self.count() as u64).leading_zeros();
        let mut sorted = sort(self, bits, pools, cancel)?;
        let equal = match self.plan().is_one_exact_word() {
            true => sorted.ties.iter().flat_map(|run| run.start + 1..run.end).collect(),
            false => Ties { cells: *self, pools, cancel }.resolve(&mut sorted.codes, &sorted.ties)?,
        };
        Ok(Order { picks: Some(sorted.codes), equal })
    }
}
