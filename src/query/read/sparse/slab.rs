//! Runs of cells on their way to the results.

/// Cells that follow one another in a tile and in the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slab {
    /// The tile's place in the batch.
    pub tile: u32,
    pub first: u32,
    pub len: u32,
}
