//! Runs of cells that are consecutive in a tile and in the results.

use std::ops::Range;

use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::RUNS_PER_TASK;
use tiledb_storage::resources::Resources;

/// Cells that follow one another in a tile and in the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRun {
    /// The tile's index in the batch.
    pub tile: u32,
    pub first: u32,
    pub len: u32,
}

impl CellRun {
    /// The cells without the first.
    pub fn without(self, first: u32) -> CellRun {
        CellRun { first: self.first + first, len: self.len.saturating_sub(first), ..self }
    }

    /// True if the cells of another follow in the same tile.
    #[inline(always)]
    pub fn is_followed_by(&self, next: &CellRun) -> bool {
        self.tile == next.tile && u64::from(self.first) + u64::from(self.len) == u64::from(next.first)
    }
}

/// The cells of runs.
///
/// # Errors
/// On cancellation.
pub fn cells_of(cell_runs: &[CellRun], resources: &Resources) -> Result<usize> {
    let sum = |cell_runs: &[CellRun]| cell_runs.iter().map(|cell_run| cell_run.len as usize).sum::<usize>();
    Ok(in_parts(cell_runs, resources, |range| Ok(sum(&cell_runs[range])))?.into_iter().sum())
}

/// What `look` finds in each part of some runs, on several threads if there are many.
///
/// # Errors
/// Those of `look`, and on cancellation.
pub fn in_parts<T: Send>(
    cell_runs: &[CellRun],
    resources: &Resources,
    look: impl Fn(Range<usize>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let pools = resources.pools();
    let count = cell_runs.len();
    pools.map_parts(
        count,
        pools.parts(count, RUNS_PER_TASK.count_or(cfg!(test), 7)),
        size_of_val(cell_runs),
        resources.cancel(),
        look,
    )
}
