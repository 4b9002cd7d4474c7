//! The tiles of one batch of a dense read, and how their cells map to the results.

use super::copy::Step;
use super::cover::{Cover, cover};
use super::selection::{AxisTile, Piece};
use crate::query::grid::{Grid, Odometer, Span};
use crate::types::Layout;

/// One space tile of a batch.
pub(super) struct TileJob {
    /// Per dimension what is wanted of the tile.
    pub(super) axes: Vec<AxisTile>,
    /// The result cell its positions count from.
    pub(super) base: usize,
    /// Result cells from one position to the next, per dimension.
    pub(super) strides: Vec<usize>,
}

/// One batch.
pub(super) struct BatchPlan {
    tiles: Tiles,
    /// Result cells.
    pub(super) cells: usize,
}

enum Tiles {
    /// All combinations of the dimensions' tiles.
    Box {
        axes: Vec<Vec<AxisTile>>,
        strides: Vec<usize>,
        count: usize,
    },
    List(Vec<TileJob>),
}

impl BatchPlan {
    /// All combinations of these tiles, in one box of results.
    pub(super) fn of_box(axes: Vec<Vec<AxisTile>>, strides: Vec<usize>, cells: usize) -> BatchPlan {
        let count = axes.iter().map(Vec::len).product();
        BatchPlan { tiles: Tiles::Box { axes, strides, count }, cells }
    }

    /// Tiles one behind the other.
    pub(super) fn of_tiles(jobs: Vec<TileJob>, cells: usize) -> BatchPlan {
        BatchPlan { tiles: Tiles::List(jobs), cells }
    }

    /// How many tiles it has.
    pub(super) fn len(&self) -> usize {
        match &self.tiles {
            Tiles::Box { count, .. } => *count,
            Tiles::List(jobs) => jobs.len(),
        }
    }

    /// A tile.
    pub(super) fn tile(&self, mut number: usize) -> TileView<'_> {
        match &self.tiles {
            Tiles::Box { axes, strides, .. } => {
                let mut picked: Vec<&AxisTile> = Vec::with_capacity(axes.len());
                for tiles in axes.iter().rev() {
                    picked.push(&tiles[number % tiles.len()]);
                    number /= tiles.len();
                }
                picked.reverse();
                TileView { axes: picked, base: 0, strides }
            }
            Tiles::List(jobs) => {
                let job = &jobs[number];
                TileView { axes: job.axes.iter().collect(), base: job.base, strides: &job.strides }
            }
        }
    }
}

/// A tile of a batch.
pub(super) struct TileView<'a> {
    axes: Vec<&'a AxisTile>,
    base: usize,
    strides: &'a [usize],
}

/// A box of cells of a tile and where it goes.
pub(super) struct Slab {
    /// The cells, as distances from the domain's start.
    pub(super) bounds: Vec<Span>,
    /// The first cell's position in the tile.
    pub(super) from: usize,
    /// The first cell's result.
    pub(super) to: usize,
    /// Counts and strides, in cells.
    pub(super) steps: Vec<Step>,
}

impl Slab {
    /// The steps in bytes.
    pub(super) fn steps_of(&self, cell: usize) -> Vec<Step> {
        let scale = |step: &Step| Step { count: step.count, from: step.from * cell, to: step.to * cell };
        self.steps.iter().map(scale).collect()
    }

    /// The position behind its last cell in the tile.
    pub(super) fn end(&self) -> usize {
        self.from + self.steps.iter().map(|step| (step.count - 1) * step.from).sum::<usize>() + 1
    }
}

impl TileView<'_> {
    /// The tile's index per dimension.
    pub(super) fn index(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.tile).collect()
    }

    /// The wanted part, cut by the fragments it comes from.
    pub(super) fn covers(&self, fragments: &[Vec<Span>]) -> Vec<Cover> {
        let bounds: Vec<Span> = self.axes.iter().map(|axis| axis.bounds).collect();
        cover(&bounds, fragments)
    }

    /// The boxes of wanted cells inside `bounds`.
    pub(super) fn slabs(&self, grid: &Grid, bounds: &[Span]) -> Vec<Slab> {
        let mut slabs = Vec::new();
        let mut odometer =
            Odometer::new(self.axes.iter().map(|axis| axis.pieces.len() as u64).collect(), Layout::RowMajor);
        while let Some(position) = odometer.position() {
            let pieces = self.axes.iter().zip(position).map(|(axis, &piece)| axis.pieces[piece as usize]);
            slabs.extend(self.slab(grid, bounds, pieces));
            odometer.advance();
        }
        slabs
    }

    fn slab(&self, grid: &Grid, bounds: &[Span], pieces: impl Iterator<Item = Piece>) -> Option<Slab> {
        let dims = bounds.len();
        let mut slab =
            Slab { bounds: Vec::with_capacity(dims), from: 0, to: self.base, steps: Vec::with_capacity(dims) };
        for (d, piece) in pieces.enumerate() {
            let span = piece.span.intersect(bounds[d])?;
            let at = (piece.at + (span.low - piece.span.low)) as usize;
            let (from, to) = (grid.strides()[d], self.strides[d]);
            slab.from += (span.low % grid.axes()[d].extent) as usize * from;
            slab.to += at * to;
            slab.steps.push(Step { count: span.count() as usize, from, to });
            slab.bounds.push(span);
        }
        Some(slab)
    }
}
