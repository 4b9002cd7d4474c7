//! The box of space tiles around the cells of a dense fragment.

use tiledb_cells::space::grid::CoordSpan;

/// The box of space tiles around the cells of a dense fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DenseTileBox {
    /// Tile numbers per dimension.
    pub(crate) spans: Vec<CoordSpan>,
    pub(crate) tile_cells: u64,
}

impl DenseTileBox {
    /// Grows to the box around both.
    pub(crate) fn extend(&mut self, other: &DenseTileBox) {
        self.spans.iter_mut().zip(&other.spans).for_each(|(side, other)| *side = side.join(*other));
    }

    /// Number of cells.
    pub(crate) fn cells(&self) -> f64 {
        self.spans.iter().map(|span| span.count() as f64).product::<f64>() * self.tile_cells as f64
    }
}
