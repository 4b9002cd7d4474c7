//! Progress of a consolidation.

use tiledb_core::error::Result;

/// Cells of the fragments that are being merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergedCells {
    /// Cells that are written, in dense arrays those of whole tiles.
    pub cells: u64,
    /// Total number of cells; the result has fewer if cells are superseded.
    pub total: u64,
}

/// Called after each batch of cells, and with `cells` equal to `total` before the new fragment is committed. An error
/// ends the merge: the array is unchanged.
pub type OnMerged<'a> = &'a mut dyn FnMut(MergedCells) -> Result<()>;

impl MergedCells {
    /// Reports further cells.
    ///
    /// # Errors
    /// Those of `on_merged`.
    pub(super) fn add(&mut self, cells: u64, on_merged: OnMerged<'_>) -> Result<()> {
        self.cells = self.cells.saturating_add(cells).min(self.total);
        on_merged(*self)
    }

    /// Reports the last cells.
    ///
    /// # Errors
    /// Those of `on_merged`.
    pub(super) fn end(&mut self, on_merged: OnMerged<'_>) -> Result<()> {
        self.add(self.total, on_merged)
    }
}
