//! What a dense read selects, cut along the space tiles.
//!
//! The results of several ranges per dimension form one box: along each dimension the ranges stand one
//! behind the other in the order they were added. A position in that box is a *result position*.

use super::super::Subarray;
use super::super::grid::{Axis, Grid, Span};
use crate::error::{Error, Result};
use crate::types::Layout;

/// The selected ranges of one dimension.
struct AxisSelection {
    /// Ranges with the result position of their first coordinate.
    spans: Vec<(Span, u64)>,
    /// Result positions in all.
    total: u64,
}

/// A run of selected coordinates inside one tile, along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The coordinates, as distances from the domain's start.
    pub(super) span: Span,
    /// The result position of the first, relative to the batch or tile it belongs to.
    pub(super) at: u64,
}

/// The pieces of one tile along one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AxisTile {
    /// The tile's index along the dimension.
    pub(super) tile: u64,
    /// Its pieces.
    pub(super) pieces: Vec<Piece>,
    /// Where they lie.
    pub(super) bounds: Span,
    /// How many result positions they are.
    pub(super) count: u64,
}

impl AxisTile {
    /// The tile with its positions counted from its own first.
    pub(super) fn counted_from_zero(&self) -> AxisTile {
        let mut tile = self.clone();
        let mut at = 0;
        for piece in &mut tile.pieces {
            piece.at = at;
            at += piece.span.count();
        }
        tile
    }
}

/// All that a dense read selects.
pub(super) struct Selection {
    axes: Vec<AxisSelection>,
}

impl Selection {
    /// The selection of a subarray. In global order the ranges count in ascending order.
    ///
    /// # Errors
    /// If a range lies outside the domain.
    pub(super) fn new(grid: &Grid, subarray: &Subarray, layout: Layout) -> Result<Selection> {
        let axes = grid.axes().iter().zip(subarray.sets()).map(|(axis, set)| {
            let mut spans = set.ranges().iter().map(|range| axis.span(range)).collect::<Result<Vec<Span>>>()?;
            if layout == Layout::GlobalOrder {
                spans.sort_by_key(|span| span.low);
            }
            let mut total = 0u64;
            let mut place = |span: Span| {
                let at = total;
                total = total.checked_add(span.count())?;
                Some((span, at))
            };
            let placed: Option<Vec<_>> = spans.into_iter().map(&mut place).collect();
            let placed = placed.ok_or_else(|| Error::invalid("The ranges select more than 2^64 coordinates"))?;
            Ok(AxisSelection { spans: placed, total })
        });
        Ok(Selection { axes: axes.collect::<Result<_>>()? })
    }

    /// Result positions per dimension.
    pub(super) fn counts(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.total).collect()
    }

    /// What of the selection lies in a box; `None` if nothing does.
    pub(super) fn within(&self, bounds: &[Span]) -> Option<Selection> {
        let cut = |(axis, bounds): (&AxisSelection, &Span)| {
            let mut total = 0;
            let mut spans = Vec::new();
            for span in axis.spans.iter().filter_map(|(span, _)| span.intersect(*bounds)) {
                spans.push((span, total));
                total += span.count();
            }
            (total > 0).then_some(AxisSelection { spans, total })
        };
        let axes: Option<Vec<AxisSelection>> = self.axes.iter().zip(bounds).map(cut).collect();
        axes.map(|axes| Selection { axes })
    }

    /// The smallest box that holds the selection.
    pub(super) fn bounds(&self) -> Vec<Span> {
        let bound = |axis: &AxisSelection| {
            let low = axis.spans.iter().map(|(span, _)| span.low).min().unwrap_or(0);
            let high = axis.spans.iter().map(|(span, _)| span.high).max().unwrap_or(0);
            Span { low, high }
        };
        self.axes.iter().map(bound).collect()
    }

    /// The tiles along dimension `d` of the result positions `low..low + count`, in tile order. Positions
    /// of pieces count from `low`.
    pub(super) fn tiles(&self, d: usize, axis: &Axis, low: u64, count: u64) -> Vec<AxisTile> {
        let wanted = Span { low, high: low + (count - 1) };
        let mut tiles: Vec<AxisTile> = Vec::new();
        let spans = &self.axes[d].spans;
        let first = spans.partition_point(|(span, at)| at + (span.count() - 1) < wanted.low);
        for &(span, at) in &spans[first..] {
            let Some(part) = wanted.intersect(Span { low: at, high: at + (span.count() - 1) }) else { break };
            let end = span.low + (part.high - at);
            let mut next = span.low + (part.low - at);
            let mut position = part.low - wanted.low;
            loop {
                let tile = axis.tile(next);
                let run = Span { low: next, high: axis.tile_span(tile).high.min(end) };
                push(&mut tiles, tile, Piece { span: run, at: position });
                if run.high == end {
                    break;
                }
                position += run.count();
                next = run.high + 1;
            }
        }
        if !tiles.is_sorted_by_key(|tile| tile.tile) {
            merge(&mut tiles);
        }
        tiles
    }
}

fn push(tiles: &mut Vec<AxisTile>, tile: u64, piece: Piece) {
    match tiles.last_mut() {
        Some(last) if last.tile == tile => {
            last.bounds.low = last.bounds.low.min(piece.span.low);
            last.bounds.high = last.bounds.high.max(piece.span.high);
            last.count += piece.span.count();
            last.pieces.push(piece);
        }
        _ => tiles.push(AxisTile { tile, bounds: piece.span, count: piece.span.count(), pieces: vec![piece] }),
    }
}

/// Ranges were not in ascending order: brings the pieces of each tile together.
fn merge(tiles: &mut Vec<AxisTile>) {
    let mut all: Vec<(u64, Piece)> = Vec::new();
    for tile in tiles.drain(..) {
        all.extend(tile.pieces.into_iter().map(|piece| (tile.tile, piece)));
    }
    all.sort_by_key(|(tile, _)| *tile);
    for (tile, piece) in all {
        push(tiles, tile, piece);
    }
}

/// A part of a box of results, in the order of delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// First position per dimension.
    pub(super) low: Vec<u64>,
    /// Positions per dimension.
    pub(super) counts: Vec<u64>,
    /// Cells.
    pub(super) cells: usize,
}

/// Delivers a box of results piece by piece in row- or column-major order: each batch is a box itself.
#[derive(Clone, Debug)]
pub(super) struct BoxCursor {
    counts: Vec<u64>,
    /// Dimensions from the slowest to the fastest.
    order: Vec<usize>,
    position: Vec<u64>,
    done: bool,
}

impl BoxCursor {
    /// At the start of a box with these counts.
    pub(super) fn new(counts: Vec<u64>, order: Layout) -> BoxCursor {
        let mut dims: Vec<usize> = (0..counts.len()).collect();
        if order == Layout::ColMajor {
            dims.reverse();
        }
        BoxCursor { position: vec![0; counts.len()], done: counts.contains(&0), order: dims, counts }
    }

    /// True when everything was delivered.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// The largest next batch of at most `limit` cells; `None` at the end and where not one cell fits.
    pub(super) fn peek(&self, limit: usize) -> Option<Batch> {
        if self.done || limit == 0 {
            return None;
        }
        // The cells of one step along each level, from the innermost outwards, while steps begin aligned.
        let limit = limit as u64;
        let (mut level, mut unit) = (self.order.len(), 1u64);
        while level > 0 {
            let inside = level == self.order.len() || self.position[self.order[level]] == 0;
            let size = if level == self.order.len() { 1 } else { self.counts[self.order[level]] };
            match unit.checked_mul(size) {
                Some(next) if inside && next <= limit => unit = next,
                _ => break,
            }
            level -= 1;
        }
        let d = self.order.get(level).copied()?;
        let steps = (limit / unit).min(self.counts[d] - self.position[d]);
        let mut batch = Batch { low: self.position.clone(), counts: vec![1; self.counts.len()], cells: 0 };
        for &inner in &self.order[level + 1..] {
            batch.counts[inner] = self.counts[inner];
        }
        batch.counts[d] = steps;
        batch.cells = usize::try_from(unit * steps).ok()?;
        Some(batch)
    }

    /// Goes behind a batch that [`BoxCursor::peek`] gave.
    pub(super) fn advance(&mut self, batch: &Batch) {
        let mut carry = true;
        for &d in self.order.iter().rev() {
            if !carry {
                break;
            }
            self.position[d] += batch.counts[d];
            carry = self.position[d] == self.counts[d];
            if carry {
                self.position[d] = 0;
            }
        }
        self.done = carry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(counts: &[u64], order: Layout, limit: usize) -> Vec<usize> {
        let mut cursor = BoxCursor::new(counts.to_vec(), order);
        let mut sizes = Vec::new();
        while let Some(batch) = cursor.peek(limit) {
            assert_eq!(batch.cells as u64, batch.counts.iter().product::<u64>());
            sizes.push(batch.cells);
            cursor.advance(&batch);
        }
        sizes
    }

    #[test]
    fn batches_are_whole_slabs_where_they_fit() {
        use Layout::{ColMajor, RowMajor};
        assert_eq!(batches(&[4, 3], RowMajor, 100), [12]);
        assert_eq!(batches(&[4, 3], RowMajor, 7), [6, 6]);
        assert_eq!(batches(&[4, 3], RowMajor, 2), [2, 1, 2, 1, 2, 1, 2, 1]);
        assert_eq!(batches(&[4, 3], ColMajor, 9), [8, 4]);
        assert_eq!(batches(&[2, 3, 4], RowMajor, 13), [12, 12]);
        assert_eq!(batches(&[2, 3, 4], RowMajor, 9), [8, 4, 8, 4]);
        assert_eq!(batches(&[1, 1], RowMajor, 1), [1]);
        assert_eq!(batches(&[4, 3], RowMajor, 0), [0usize; 0]);
        assert_eq!(batches(&[4, 0], RowMajor, 5), [0usize; 0]);
    }
}
