//! Runs of cells that are consecutive in a tile and in the results.

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
