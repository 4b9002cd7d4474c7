//! Sparse writes of cells in any order: every submit is checked, sorted into global order, cut into tiles and creates a
//! fragment.

use super::cells::{CellPermutation, SparseCells, WriteChecks};
use crate::columns::input::Inputs;
use crate::keys::columns::KeyedColumns;
use crate::write::encode::error_prefix;
use crate::write::fragments::FragmentSplitter;
use crate::write::spec::{CommittedFragment, QueryWriter, WriteSpec};
use tiledb_core::budget::{Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::{ErrorContext, Result};
use tiledb_core::stats::Timer;

/// A write of cells in any order.
pub(crate) struct SparseWriter {
    spec: WriteSpec,
    rules: WriteChecks,
}

impl SparseWriter {
    /// Prepares a write.
    ///
    /// # Errors
    /// For values of the configuration that cannot be understood.
    pub(crate) fn new(spec: WriteSpec) -> Result<SparseWriter> {
        let rules = WriteChecks::new(&spec)?;
        Ok(SparseWriter { spec, rules })
    }
}

impl QueryWriter for SparseWriter {
    fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        SparseCells::new(self.spec.array.schema(), inputs).map(|_| ())
    }

    fn write(&mut self, inputs: &Inputs<'_>) -> Result<Vec<CommittedFragment>> {
        let array = &self.spec.array;
        let cells = SparseCells::new(array.schema(), inputs)?;
        if cells.count == 0 {
            return Ok(Vec::new());
        }
        let list = order(&self.spec, &self.rules, &cells)?;
        let mut fragments = FragmentSplitter::new(&self.spec, None)?;
        let picks = CellPermutation::of(list.as_ref().map(|list| &list[..]), cells.count);
        cells.write(&self.spec, &mut fragments, picks, capacity(&self.spec))?;
        fragments.commit(&cells.fields)
    }

    fn finish(&mut self) -> Result<Vec<CommittedFragment>> {
        Ok(Vec::new())
    }
}

/// Checks the coordinates; returns the order in which the cells are written, without the excluded ones, or `None` for
/// the order of the input.
pub(crate) fn order(spec: &WriteSpec, rules: &WriteChecks, cells: &SparseCells<'_>) -> Result<Option<Lease<Vec<u64>>>> {
    if rules.bounds {
        let _timer = spec.stats.timer(Timer::CheckDomain);
        cells.check_bounds()?;
    }
    cells.check_current_domain(&spec.array.current_domain()).context(|| error_prefix(spec.layout))?;
    let resources = spec.array.resources();
    let _timer = spec.stats.timer(Timer::SortCells);
    let plan = rules.keys(spec.array.schema())?;
    let coords = cells.coords();
    let order = KeyedColumns::new(&plan, &coords, cells.count)?.order(resources.pools(), resources.cancel())?;
    let picks = match order.equal.first() {
        Some(&place) if rules.unique => {
            return Err(cells.duplicate(order.picks.map_or(place, |picks| picks[place] as usize)));
        }
        Some(_) if rules.dedup => {
            let _timer = spec.stats.timer(Timer::LeaveOutDuplicates);
            let picks = order.picks.unwrap_or_else(|| (0..cells.count as u64).collect());
            Some(without(picks, &order.equal))
        }
        _ => order.picks,
    };
    picks.map(|picks| spec.budget.lease(MemoryKind::Results, picks.memory_usage(), || Ok(picks))).transpose()
}

/// Cells of a tile.
pub(crate) fn capacity(spec: &WriteSpec) -> usize {
    usize::try_from(spec.array.schema().capacity()).unwrap_or(usize::MAX).max(1)
}

/// Removes the picks at these ascending positions.
pub(crate) fn without(mut picks: Vec<u64>, places: &[usize]) -> Vec<u64> {
    let mut places = places.iter().copied().peekable();
    let mut place = 0;
    picks.retain(|_| {
        let drop = places.next_if_eq(&place).is_some();
        place += 1;
        !drop
    });
    picks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_out() {
        assert_eq!(without(vec![9, 8, 7, 6], &[1, 3]), [9, 7]);
        assert_eq!(without(vec![9], &[]), [9]);
        assert!(without(vec![9], &[0]).is_empty());
    }
}
