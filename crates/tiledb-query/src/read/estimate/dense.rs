//! Size estimates of a box of a dense array.

use super::share::DenseTiles;
use super::sparse;
use super::sum::{CellSizes, SizeSum};
use tiledb_array::fragment::Fragment;
use tiledb_cells::space::grid::{CoordSpan, Grid};
use tiledb_core::error::Result;

impl SizeSum {
    /// Sizes of a box of a dense array in all fragments.
    ///
    /// # Errors
    /// If their metadata cannot be read.
    pub fn of_dense_box(
        grid: &Grid,
        fragments: &[&Fragment],
        spans: &[CoordSpan],
        sizes: &CellSizes<'_>,
    ) -> Result<SizeSum> {
        let mut sum = SizeSum::default();
        for fragment in fragments {
            if fragment.is_dense() {
                sum.add_dense(fragment, grid, spans, sizes)?;
                continue;
            }
            // Single cells written by early releases.
            let ranges = grid.axes().iter().zip(spans).map(|(axis, span)| axis.range(*span).map(|range| vec![range]));
            let ranges = ranges.collect::<Result<Vec<_>>>()?;
            sparse::add_fragment(fragment, &ranges, std::slice::from_ref(sizes), std::slice::from_mut(&mut sum))?;
        }
        sum.cap(spans.iter().fold(1, |cells: u64, span| cells.saturating_mul(span.count())), sizes);
        Ok(sum)
    }

    /// Adds shares of the tiles of a dense fragment: runs of whole tiles first.
    fn add_dense(
        &mut self,
        fragment: &Fragment,
        grid: &Grid,
        spans: &[CoordSpan],
        sizes: &CellSizes<'_>,
    ) -> Result<()> {
        let Some(stored) = sizes.stored(fragment) else { return Ok(()) };
        let Some(tiles) = DenseTiles::new(fragment, grid, spans) else { return Ok(()) };
        let mut waiting = Vec::new();
        // The whole tile before this one, and whether it was added.
        let mut last: Option<(u64, bool)> = None;
        for (tile, share) in tiles {
            let follows = share == 1.0 && last.is_some_and(|(last, _)| last + 1 == tile);
            if let Some((alone, false)) = last.take() {
                match follows {
                    true => self.add_tile(fragment, stored, alone, 1.0, sizes)?,
                    false => waiting.push((alone, 1.0)),
                }
            }
            if follows {
                self.add_tile(fragment, stored, tile, 1.0, sizes)?;
            }
            match share == 1.0 {
                true => last = Some((tile, follows)),
                false => waiting.push((tile, share)),
            }
        }
        waiting.extend(last.filter(|(_, added)| !added).map(|(tile, _)| (tile, 1.0)));
        waiting.iter().try_for_each(|&(tile, share)| self.add_tile(fragment, stored, tile, share, sizes))
    }
}
