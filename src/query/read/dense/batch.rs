//! The tiles of one batch of a dense read, and how their cells map to the results.

use crate::error::Result;
use crate::query::columns::copy::Stride;
use crate::query::space::boxes::dimensions;
use crate::query::space::grid::{Grid, Odometer, Span, strides_of, volume};
use crate::query::space::selection::{AxisTile, Piece, Selection};
use crate::types::Layout;
use std::borrow::Cow;
use std::ops::Range;

/// One batch.
pub struct BatchPlan {
    tiles: Tiles,
    /// Result cells.
    pub cells: usize,
}

enum Tiles {
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
        BatchPlan { tiles: Tiles::Box { axes, strides, count }, cells }
    }

    /// The tiles of the results from the positions `low` on, `counts` in each dimension: in global order one behind the other.
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
            let tile = TileView::behind(base, axes.map(AxisTile::counted_from_zero).collect(), grid.cell_order)?;
            base += tile.cells()?;
            placed.push(tile);
            next.advance();
        }
        Ok(BatchPlan::of_tiles(placed, cells))
    }

    /// Tiles one behind the other.
    pub fn of_tiles(tiles: Vec<TileView<'static>>, cells: usize) -> BatchPlan {
        BatchPlan { tiles: Tiles::List(tiles), cells }
    }

    /// How many tiles it has.
    pub fn len(&self) -> usize {
        match &self.tiles {
            Tiles::Box { count, .. } => *count,
            Tiles::List(tiles) => tiles.len(),
        }
    }

    /// A tile.
    pub fn tile(&self, mut number: usize) -> TileView<'_> {
        match &self.tiles {
            Tiles::Box { axes, strides, .. } => {
                let mut picked = Vec::with_capacity(axes.len());
                for tiles in axes.iter().rev() {
                    picked.push(Cow::Borrowed(&tiles[number % tiles.len()]));
                    number /= tiles.len();
                }
                picked.reverse();
                TileView { axes: picked, base: 0, strides: Cow::Borrowed(strides) }
            }
            Tiles::List(tiles) => {
                let tile = &tiles[number];
                let axes = tile.axes.iter().map(|axis| Cow::Borrowed(&**axis)).collect();
                TileView { axes, base: tile.base, strides: Cow::Borrowed(&tile.strides) }
            }
        }
    }
}

/// A space tile of a batch.
pub struct TileView<'a> {
    /// Per dimension what is wanted of the tile.
    axes: Vec<Cow<'a, AxisTile>>,
    /// The result cell its positions count from.
    base: usize,
    /// Result cells from one position to the next, per dimension.
    strides: Cow<'a, [usize]>,
}

impl TileView<'static> {
    /// A tile whose results begin at `base` and lie one behind the other, in an order.
    ///
    /// # Errors
    /// If they are more than memory can have.
    pub fn behind(base: usize, axes: Vec<AxisTile>, order: Layout) -> Result<TileView<'static>> {
        let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
        let strides = Cow::Owned(strides_of(&counts, order)?);
        Ok(TileView { axes: axes.into_iter().map(Cow::Owned).collect(), base, strides })
    }
}

/// A box of cells that go from places in a tile to others, or to results.
pub struct Move {
    /// The place of the first cell.
    pub from: usize,
    /// Where it goes.
    pub to: usize,
    /// Counts and strides, in cells.
    pub steps: Vec<Stride>,
}

impl Move {
    /// The position behind its last cell in the tile.
    pub fn end(&self) -> usize {
        self.from + self.steps.iter().map(|step| (step.count - 1) * step.from).sum::<usize>() + 1
    }

    /// Calls `piece(from, to, steps)` for boxes that together are the cells of the box at the places
    /// `cells` of the tile.
    pub fn clip(
        &self,
        cells: &Range<usize>,
        piece: &mut impl FnMut(usize, usize, &[Stride]) -> Result<()>,
    ) -> Result<()> {
        if cells.end <= self.from || self.end() <= cells.start {
            return Ok(());
        }
        if cells.start <= self.from && self.end() <= cells.end {
            return piece(self.from, self.to, &self.steps);
        }
        let mut steps = self.steps.clone();
        steps.sort_unstable_by_key(|step| std::cmp::Reverse(step.from));
        clip(&mut steps, 0, (self.from, self.to), cells, piece)
    }
}

/// Clips the box of the steps from `level` on, the longest first; the steps before are of one cell.
fn clip(
    steps: &mut [Stride],
    level: usize,
    (from, to): (usize, usize),
    cells: &Range<usize>,
    piece: &mut impl FnMut(usize, usize, &[Stride]) -> Result<()>,
) -> Result<()> {
    let Some(&step) = steps.get(level) else {
        return if cells.contains(&from) { piece(from, to, steps) } else { Ok(()) };
    };
    // Each of the `count` blocks holds the positions from its own first one to `inner` behind it.
    let inner: usize = steps[level + 1..].iter().map(|step| (step.count - 1) * step.from).sum();
    let stride = step.from.max(1);
    let blocks = |positions: usize| positions.div_ceil(stride).min(step.count);
    let touched =
        blocks((cells.start.saturating_sub(inner)).saturating_sub(from))..blocks(cells.end.saturating_sub(from));
    let whole = blocks(cells.start.saturating_sub(from))..blocks(cells.end.saturating_sub(from + inner));
    let whole = if whole.is_empty() { touched.end..touched.end } else { whole };
    let at = |block: usize| (from + block * step.from, to + block * step.to);
    if !whole.is_empty() {
        steps[level].count = whole.len();
        let (from, to) = at(whole.start);
        piece(from, to, steps)?;
    }
    steps[level].count = 1;
    for block in (touched.start..whole.start).chain(whole.end..touched.end) {
        clip(steps, level + 1, at(block), cells, piece)?;
    }
    steps[level] = step;
    Ok(())
}

impl TileView<'_> {
    /// What is wanted of the tile as a batch of its own: without gaps, in the order of the results.
    pub fn alone(&self) -> Result<BatchPlan> {
        let by_column = self.strides.first() < self.strides.last();
        self.alone_in(if by_column { Layout::ColMajor } else { Layout::RowMajor })
    }

    /// What is wanted of the tile as a batch of its own, in row- or column-major order.
    pub fn alone_in(&self, order: Layout) -> Result<BatchPlan> {
        let tile = TileView::behind(0, self.axes.iter().map(|axis| axis.counted_from_zero()).collect(), order)?;
        let cells = tile.cells()?;
        Ok(BatchPlan::of_tiles(vec![tile], cells))
    }

    /// How the wanted cells come from their places in `local`, the same tile in another batch.
    pub fn moves_from(&self, local: &TileView<'_>) -> Vec<Move> {
        let mut moves = Vec::new();
        let counts = self.axes.iter().map(|axis| axis.pieces.len() as u64).collect();
        let mut odometer = Odometer::new(counts, Layout::RowMajor);
        while let Some(position) = odometer.position() {
            let mut part = Move { from: local.base, to: self.base, steps: Vec::with_capacity(self.axes.len()) };
            for (d, &piece) in position.iter().enumerate() {
                let (inner, outer) = (local.axes[d].pieces[piece as usize], self.axes[d].pieces[piece as usize]);
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

    /// How many cells are wanted of it.
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

    /// True if all the cells of the tile, which are so many, are wanted once each and lie in `bounds`.
    pub fn is_run_of(&self, cells: usize, bounds: &[Span]) -> bool {
        let once = self.axes.iter().all(|axis| axis.pieces.len() == 1);
        let wanted = self.axes.iter().map(|axis| u128::from(axis.count)).product::<u128>();
        let covered = bounds.iter().map(|span| u128::from(span.count())).product::<u128>();
        once && wanted == cells as u128 && covered == wanted
    }

    /// The first half of what is wanted, and the second, along the dimension that cells go through the slowest.
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

    /// The box around all wanted cells.
    pub fn bounds(&self) -> Vec<Span> {
        self.axes.iter().map(|axis| axis.bounds).collect()
    }

    /// How the wanted cells inside `bounds` come from their places in the tile.
    pub fn moves(&self, grid: &Grid, bounds: &[Span]) -> Vec<Move> {
        let mut moves = Vec::new();
        self.each_box(grid, bounds, |_, part| moves.push(part));
        moves
    }

    /// Gives the boxes of wanted cells inside `bounds`, as distances from the domain's start, too.
    pub fn each_box(&self, grid: &Grid, bounds: &[Span], mut give: impl FnMut(&[Span], Move)) {
        let mut spans = Vec::with_capacity(bounds.len());
        let mut odometer =
            Odometer::new(self.axes.iter().map(|axis| axis.pieces.len() as u64).collect(), Layout::RowMajor);
        while let Some(position) = odometer.position() {
            let pieces = self.axes.iter().zip(position).map(|(axis, &piece)| axis.pieces[piece as usize]);
            spans.clear();
            if let Some(part) = self.move_of(grid, bounds, pieces, &mut spans) {
                give(&spans, part);
            }
            odometer.advance();
        }
    }

    fn move_of(
        &self,
        grid: &Grid,
        bounds: &[Span],
        pieces: impl Iterator<Item = Piece>,
        spans: &mut Vec<Span>,
    ) -> Option<Move> {
        let mut part = Move { from: 0, to: self.base, steps: Vec::with_capacity(bounds.len()) };
        for (d, piece) in pieces.enumerate() {
            let span = piece.span.intersect(bounds[d])?;
            let at = (piece.at + (span.low - piece.span.low)) as usize;
            let (from, to) = (grid.strides()[d], self.strides[d]);
            part.from += (span.low % grid.axes()[d].extent) as usize * from;
            part.to += at * to;
            part.steps.push(Stride { count: span.count() as usize, from, to });
            spans.push(span);
        }
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(part: &Move, range: &Range<usize>) -> Vec<(usize, usize)> {
        let mut cells = Vec::new();
        let mut add = |from: usize, to: usize, steps: &[Stride]| {
            let mut odometer = Odometer::new(steps.iter().map(|step| step.count as u64).collect(), Layout::RowMajor);
            while let Some(position) = odometer.position() {
                let sum = |stride: fn(&Stride) -> usize| {
                    steps.iter().zip(position).map(|(step, &at)| stride(step) * at as usize).sum::<usize>()
                };
                cells.push((from + sum(|step| step.from), to + sum(|step| step.to)));
                odometer.advance();
            }
            Ok(())
        };
        part.clip(range, &mut add).unwrap();
        cells.sort_unstable();
        cells
    }

    proptest! {
        #[test]
        fn a_clipped_box_is_its_cells_in_the_range(
            dims in prop::collection::vec((1usize..6, 0usize..3, 0usize..3), 1..4),
            reversed: bool,
            start in 0usize..200,
            len in 0usize..200,
        ) {
            // Along each dimension `count` cells of a tile that has some more before and behind them.
            let mut steps = Vec::new();
            let (mut from, mut stride, mut to) = (0, 1, 1);
            for &(count, before, behind) in &dims {
                steps.push(Stride { count, from: stride, to });
                from += before * stride;
                stride *= before + count + behind;
                to *= count;
            }
            if reversed {
                steps.reverse();
            }
            let part = Move { from, to: 7, steps };
            let all = cells(&part, &(0..usize::MAX));
            prop_assert_eq!(all.len(), part.steps.iter().map(|step| step.count).product::<usize>());
            let range = start..start + len;
            let wanted: Vec<_> = all.into_iter().filter(|(from, _)| range.contains(from)).collect();
            prop_assert_eq!(cells(&part, &range), wanted);
        }
    }
}
