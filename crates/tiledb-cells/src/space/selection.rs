//! The selection of a dense read, cut along the space tiles.
//!
//! The results of several ranges per dimension form one box: along each dimension the ranges follow one another in the
//! order they were added. A position in that box is a *result position*.

use super::grid::{CoordSpan, Grid, GridAxis};
use super::subarray::Subarray;
use tiledb_core::error::{Error, Result};
use tiledb_core::sort;

/// The selected ranges of one dimension.
struct AxisSelection {
    /// Ranges with the result position of their first coordinate.
    spans: Vec<(CoordSpan, u64)>,
    /// Result positions in all.
    total: u64,
}

/// A run of selected coordinates inside one tile, along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedSpan {
    /// The coordinates, as distances from the domain's start.
    pub span: CoordSpan,
    /// The result position of the first, relative to the batch or tile it belongs to.
    pub at: u64,
}

/// The stretches of one tile along one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisTile {
    /// The tile's index along the dimension.
    pub tile: u64,
    pub stretches: Vec<SelectedSpan>,
    /// The interval that contains them.
    pub bounds: CoordSpan,
    /// Number of result positions.
    pub count: u64,
}

impl AxisTile {
    /// The tile with its positions counted from its own first.
    pub fn counted_from_zero(&self) -> AxisTile {
        let mut tile = self.clone();
        let mut at = 0;
        for stretch in &mut tile.stretches {
            stretch.at = at;
            at += stretch.span.count();
        }
        tile
    }
}

impl AxisTile {
    /// The first half of several positions, and the second.
    pub fn halves(&self) -> (AxisTile, AxisTile) {
        let (mut left, mut first, mut second) = (self.count / 2, Vec::new(), Vec::new());
        for stretch in &self.stretches {
            let taken = left.min(stretch.span.count());
            left -= taken;
            if taken > 0 {
                push(
                    &mut first,
                    self.tile,
                    SelectedSpan {
                        span: CoordSpan { high: stretch.span.low + (taken - 1), ..stretch.span },
                        ..*stretch
                    },
                );
            }
            if taken < stretch.span.count() {
                let span = CoordSpan { low: stretch.span.low + taken, ..stretch.span };
                push(&mut second, self.tile, SelectedSpan { span, at: stretch.at + taken });
            }
        }
        let whole = |mut tiles: Vec<AxisTile>| tiles.pop().unwrap_or_else(|| self.clone());
        (whole(first), whole(second))
    }
}

/// All that a dense read selects.
pub struct Selection {
    axes: Vec<AxisSelection>,
}

impl Selection {
    /// The selection of a subarray.
    ///
    /// # Errors
    /// If a range exceeds the domain.
    pub fn new(grid: &Grid, subarray: &Subarray) -> Result<Selection> {
        let axes = grid.axes().iter().zip(subarray.sets()).map(|(axis, set)| {
            let spans = set.ranges().iter().map(|range| axis.span(range)).collect::<Result<Vec<CoordSpan>>>()?;
            let mut total = 0u64;
            let mut place = |span: CoordSpan| {
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
    pub fn counts(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.total).collect()
    }

    /// How many ranges dimension `d` has.
    pub fn range_count(&self, d: usize) -> u64 {
        self.axes[d].spans.len() as u64
    }

    /// The result positions of ranges of dimension `d`, from one to another.
    pub fn positions(&self, d: usize, first: usize, last: usize) -> CoordSpan {
        let spans = &self.axes[d].spans;
        let at = |number: usize| spans.get(number).copied().unwrap_or((CoordSpan { low: 0, high: 0 }, 0));
        let ((_, low), (span, start)) = (at(first), at(last));
        CoordSpan { low, high: start + (span.count() - 1) }
    }

    /// The coordinates along dimension `d` of the result positions `low..low + count`, range by range.
    pub fn spans(&self, d: usize, low: u64, count: u64) -> Vec<CoordSpan> {
        let positions = CoordSpan { low, high: low + (count - 1) };
        let spans = &self.axes[d].spans;
        let first = spans.partition_point(|(span, at)| at + (span.count() - 1) < low);
        let parts = spans[first..].iter().map_while(|&(span, at)| {
            let part = positions.intersect(CoordSpan { low: at, high: at + (span.count() - 1) })?;
            Some(CoordSpan { low: span.low + (part.low - at), high: span.low + (part.high - at) })
        });
        parts.collect()
    }

    /// The result positions along dimension `d` of these spans, consecutive, as the first and their count; `None` if no
    /// results are laid out so. If several are, as with overlapping ranges, they are of equal coordinates.
    pub fn find(&self, d: usize, spans: &[CoordSpan]) -> Option<(u64, u64)> {
        let count = spans.iter().try_fold(0u64, |count, span| count.checked_add(span.count()))?;
        let (first, axis) = (spans.first()?, &self.axes[d]);
        let starts = axis.spans.iter().filter(|(span, _)| span.contains(*first));
        let mut lows = starts.map(|(span, at)| at + (first.low - span.low));
        let low = lows.find(|&low| {
            low.checked_add(count).is_some_and(|end| end <= axis.total) && self.spans(d, low, count) == spans
        })?;
        Some((low, count))
    }

    /// The intersection of the selection with a box; `None` if it is empty.
    pub fn within(&self, bounds: &[CoordSpan]) -> Option<Selection> {
        let cut = |(axis, bounds): (&AxisSelection, &CoordSpan)| {
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
    pub fn bounds(&self) -> Vec<CoordSpan> {
        let bound = |axis: &AxisSelection| {
            let low = axis.spans.iter().map(|(span, _)| span.low).min().unwrap_or(0);
            let high = axis.spans.iter().map(|(span, _)| span.high).max().unwrap_or(0);
            CoordSpan { low, high }
        };
        self.axes.iter().map(bound).collect()
    }

    /// The tiles along dimension `d` of the result positions `low..low + count`, in tile order. Positions
    /// of stretches count from `low`.
    pub fn tiles(&self, d: usize, axis: &GridAxis, low: u64, count: u64) -> Vec<AxisTile> {
        let positions = CoordSpan { low, high: low + (count - 1) };
        let mut tiles: Vec<AxisTile> = Vec::new();
        let spans = &self.axes[d].spans;
        let first = spans.partition_point(|(span, at)| at + (span.count() - 1) < positions.low);
        for &(span, at) in &spans[first..] {
            let Some(part) = positions.intersect(CoordSpan { low: at, high: at + (span.count() - 1) }) else { break };
            let end = span.low + (part.high - at);
            let mut next = span.low + (part.low - at);
            let mut position = part.low - positions.low;
            loop {
                let tile = axis.tile(next);
                let run = CoordSpan { low: next, high: axis.tile_span(tile).high.min(end) };
                push(&mut tiles, tile, SelectedSpan { span: run, at: position });
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

fn push(tiles: &mut Vec<AxisTile>, tile: u64, stretch: SelectedSpan) {
    match tiles.last_mut() {
        Some(last) if last.tile == tile => {
            last.bounds.low = last.bounds.low.min(stretch.span.low);
            last.bounds.high = last.bounds.high.max(stretch.span.high);
            last.count += stretch.span.count();
            last.stretches.push(stretch);
        }
        _ => tiles.push(AxisTile { tile, bounds: stretch.span, count: stretch.span.count(), stretches: vec![stretch] }),
    }
}

/// Ranges were not in ascending order: brings the stretches of each tile together.
fn merge(tiles: &mut Vec<AxisTile>) {
    let mut all: Vec<(u64, SelectedSpan)> = Vec::new();
    for tile in tiles.drain(..) {
        all.extend(tile.stretches.into_iter().map(|stretch| (tile.tile, stretch)));
    }
    sort::by_key(&mut all, |(tile, _)| *tile);
    for (tile, stretch) in all {
        push(tiles, tile, stretch);
    }
}
