//! The tiles of one batch of a dense read, and the mapping from their cells to the results.

use std::borrow::Cow;
use tiledb_cells::columns::box_moves::BoxMove;
use tiledb_cells::columns::copy::Stride;
use tiledb_cells::space::grid::{CoordSpan, Grid, Odometer, strides_of, volume};
use tiledb_cells::space::range_boxes::dimensions;
use tiledb_cells::space::selection::{AxisTile, SelectedSpan, Selection};
use tiledb_core::error::Result;
use tiledb_core::types::Layout;

/// The tiles of one batch.
pub struct BatchPlan {
    tiles: BatchTiles,
    /// Result cells.
    pub cells: usize,
}

enum BatchTiles {
    /// All combinations of the dimensions' tiles.
    Box {
        axes: Vec<Vec<AxisTile>>,
        strides: Vec<usize>,
        count: usize,
    },
    List(Vec<TileView<'static>>),
}

impl BatchPlan {
    /// All combinations of these tiles, in one box of results.
    pub fn of_box(axes: Vec<Vec<AxisTile>>, strides: Vec<usize>, cells: usize) -> BatchPlan {
        let count = axes.iter().map(Vec::len).product();
        BatchPlan { tiles: BatchTiles::Box { axes, strides, count }, cells }
    }

    /// The tiles of the results from the positions `low` on, `counts` in each dimension: in global order one after the
    /// other.
    ///
    /// # Errors
    /// If they are more than memory can have.
    pub fn of_part(
        grid: &Grid,
        selection: &Selection,
        low: &[u64],
        counts: &[u64],
        layout: Layout,
    ) -> Result<BatchPlan> {
        let cells = volume(counts)?;
        let axes = grid.axes().iter().enumerate();
        let tiles: Vec<Vec<AxisTile>> = axes.map(|(d, axis)| selection.tiles(d, axis, low[d], counts[d])).collect();
        if layout != Layout::GlobalOrder {
            let order = if layout == Layout::ColMajor { Layout::ColMajor } else { Layout::RowMajor };
            return Ok(BatchPlan::of_box(tiles, strides_of(counts, order)?, cells));
        }
        let (mut placed, mut base) = (Vec::new(), 0);
        let mut next = Odometer::new(tiles.iter().map(|tiles| tiles.len() as u64).collect(), grid.tile_order);
        while let Some(position) = next.position() {
            let axes = tiles.iter().zip(position).filter_map(|(tiles, &index)| tiles.get(index as usize));
            let tile = TileView::contiguous(base, axes.map(AxisTile::counted_from_zero).collect(), grid.cell_order)?;
            base += tile.cells()?;
            placed.push(tile);
            next.advance();
        }
        Ok(BatchPlan::of_tiles(placed, cells))
    }

    /// Consecutive tiles.
    pub fn of_tiles(tiles: Vec<TileView<'static>>, cells: usize) -> BatchPlan {
        BatchPlan { tiles: BatchTiles::List(tiles), cells }
    }

    /// How many tiles it has.
    pub fn len(&self) -> usize {
        match &self.tiles {
            BatchTiles::Box { count, .. } => *count,
            BatchTiles::List(tiles) => tiles.len(),
        }
    }

    pub fn tile(&self, mut number: usize) -> TileView<'_> {
        match &self.tiles {
            BatchTiles::Box { axes, strides, .. } => {
                let mut picked = Vec::with_capacity(axes.len());
                for tiles in axes.iter().rev() {
                    picked.push(Cow::Borrowed(&tiles[number % tiles.len()]));
                    number /= tiles.len();
                }
                picked.reverse();
                TileView { axes: picked, base: 0, strides: Cow::Borrowed(strides) }
            }
            BatchTiles::List(tiles) => {
                let tile = &tiles[number];
                let axes = tile.axes.iter().map(|axis| Cow::Borrowed(&**axis)).collect();
                TileView { axes, base: tile.base, strides: Cow::Borrowed(&tile.strides) }
            }
        }
    }
}

/// A space tile of a batch.
pub struct TileView<'a> {
    /// Per dimension the selected spans of the tile.
    axes: Vec<Cow<'a, AxisTile>>,
    /// The result cell its positions count from.
    base: usize,
    /// Result cells from one position to the next, per dimension.
    strides: Cow<'a, [usize]>,
}

impl TileView<'static> {
    /// A tile whose results begin at `base` and are contiguous in an order.
    ///
    /// # Errors
    /// If they are more than memory can have.
    pub fn contiguous(base: usize, axes: Vec<AxisTile>, order: Layout) -> Result<TileView<'static>> {
        let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
        let strides = Cow::Owned(strides_of(&counts, order)?);
        Ok(TileView { axes: axes.into_iter().map(Cow::Owned).collect(), base, strides })
    }
}

impl TileView<'_> {
    /// The selection of the tile as a batch of its own: without gaps, in the order of the results.
    pub fn alone(&self) -> Result<BatchPlan> {
        let by_column = self.strides.first() < self.strides.last();
        self.alone_in(if by_column { Layout::ColMajor } else { Layout::RowMajor })
    }

    /// The selection of the tile as a batch of its own, in row- or column-major order.
    pub fn alone_in(&self, order: Layout) -> Result<BatchPlan> {
        let tile = TileView::contiguous(0, self.axes.iter().map(|axis| axis.counted_from_zero()).collect(), order)?;
        let cells = tile.cells()?;
        Ok(BatchPlan::of_tiles(vec![tile], cells))
    }

    /// Copies of the selected cells from their positions in `local`, the same tile in another batch.
    pub fn moves_from(&self, local: &TileView<'_>) -> Vec<BoxMove> {
        let mut moves = Vec::new();
        let counts = self.axes.iter().map(|axis| axis.stretches.len() as u64).collect();
        let mut odometer = Odometer::new(counts, Layout::RowMajor);
        while let Some(position) = odometer.position() {
            let mut part = BoxMove { from: local.base, to: self.base, steps: Vec::with_capacity(self.axes.len()) };
            for (d, &stretch) in position.iter().enumerate() {
                let (inner, outer) =
                    (local.axes[d].stretches[stretch as usize], self.axes[d].stretches[stretch as usize]);
                let (from, to) = (local.strides[d], self.strides[d]);
                part.from += inner.at as usize * from;
                part.to += outer.at as usize * to;
                part.steps.push(Stride { count: outer.span.count() as usize, from, to });
            }
            moves.push(part);
            odometer.advance();
        }
        moves
    }

    /// Number of selected cells.
    ///
    /// # Errors
    /// If they are more than memory can have.
    pub fn cells(&self) -> Result<usize> {
        volume(&self.axes.iter().map(|axis| axis.count).collect::<Vec<_>>())
    }

    /// The tile's index per dimension.
    pub fn index(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.tile).collect()
    }

    /// True if all `cells` cells of the tile are selected once each and are in `bounds`.
    pub fn is_run_of(&self, cells: usize, bounds: &[CoordSpan]) -> bool {
        let once = self.axes.iter().all(|axis| axis.stretches.len() == 1);
        let total = self.axes.iter().map(|axis| u128::from(axis.count)).product::<u128>();
        let covered = bounds.iter().map(|span| u128::from(span.count())).product::<u128>();
        once && total == cells as u128 && covered == total
    }

    /// The first half of the selection, and the second, along the slowest dimension of the cell order.
    pub fn halves(self, order: Layout) -> Option<(Self, Self)> {
        let d = dimensions(self.axes.len(), order).find(|&d| self.axes[d].count > 1)?;
        let half = |part: AxisTile| {
            let mut axes = self.axes.clone();
            axes[d] = Cow::Owned(part);
            TileView { axes, base: self.base, strides: self.strides.clone() }
        };
        let (first, second) = self.axes[d].halves();
        Some((half(first), half(second)))
    }

    /// The bounding box of all selected cells.
    pub fn bounds(&self) -> Vec<CoordSpan> {
        self.axes.iter().map(|axis| axis.bounds).collect()
    }

    /// Copies of the selected cells inside `bounds` from their positions in the tile.
    pub fn moves(&self, grid: &Grid, bounds: &[CoordSpan]) -> Vec<BoxMove> {
        let mut moves = Vec::new();
        self.each_box(grid, bounds, |_, part| moves.push(part));
        moves
    }

    /// Also passes the boxes of selected cells inside `bounds`, as distances from the domain's start.
    pub fn each_box(&self, grid: &Grid, bounds: &[CoordSpan], mut give: impl FnMut(&[CoordSpan], BoxMove)) {
        let mut spans = Vec::with_capacity(bounds.len());
        let mut odometer =
            Odometer::new(self.axes.iter().map(|axis| axis.stretches.len() as u64).collect(), Layout::RowMajor);
        while let Some(position) = odometer.position() {
            let stretches = self.axes.iter().zip(position).map(|(axis, &stretch)| axis.stretches[stretch as usize]);
            spans.clear();
            if let Some(part) = self.move_of(grid, bounds, stretches, &mut spans) {
                give(&spans, part);
            }
            odometer.advance();
        }
    }

    fn move_of(
        &self,
        grid: &Grid,
        bounds: &[CoordSpan],
        stretches: impl Iterator<Item = SelectedSpan>,
        spans: &mut Vec<CoordSpan>,
    ) -> Option<BoxMove> {
        let mut part = BoxMove { from: 0, to: self.base, steps: Vec::with_capacity(bounds.len()) };
        for (d, stretch) in stretches.enumerate() {
            let span = stretch.span.intersect(bounds[d])?;
            let at = (stretch.at + (span.low - stretch.span.low)) as usize;
            let (from, to) = (grid.strides()[d], self.strides[d]);
            part.from += (span.low % grid.axes()[d].extent) as usize * from;
            part.to += at * to;
            part.steps.push(Stride { count: span.count() as usize, from, to });
            spans.push(span);
        }
        Some(part)
    }
}
