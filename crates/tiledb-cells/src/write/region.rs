//! The region of a dense write and the space tiles that it intersects.

use crate::space::grid::{CoordSpan, Grid, volume};
use crate::write::spec::WriteSpec;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::NdRange;

/// The region of a dense write.
pub struct Region {
    pub grid: Grid,
    /// The written box, as distances from the domain's start.
    pub spans: Vec<CoordSpan>,
    /// The same as ranges of coordinates.
    pub ranges: NdRange,
    pub cells: usize,
}

impl Region {
    /// The region of a write: the subarray, which is one box.
    pub(crate) fn new(spec: &WriteSpec) -> Result<Region> {
        let grid = Grid::new(spec.array.schema())?;
        let Some(ranges) = spec.subarray.single_box() else {
            bail!(
                "WriterBase: Cannot initialize writer; Multi-range dense writes are not supported: add one range per dimension"
            );
        };
        let axes = grid.axes().iter().zip(&ranges);
        let spans = axes.map(|(axis, range)| axis.span(range)).collect::<Result<Vec<_>>>()?;
        let cells = volume(&spans.iter().map(|span| span.count()).collect::<Vec<_>>())?;
        Ok(Region { grid, spans, ranges, cells })
    }

    /// Tiles per dimension.
    pub(crate) fn tile_counts(&self) -> Vec<u64> {
        let axes = self.grid.axes().iter().zip(&self.spans);
        axes.map(|(axis, span)| axis.tile(span.high) - axis.tile(span.low) + 1).collect()
    }
}
