//! The parts in which a dense read is delivered, one for each submit that is not the last.
//!
//! The parts are those of libtiledb, since programs depend on them: as many whole boxes of ranges as are estimated to fit;
//! larger ones are split along their slowest-varying dimension, between space tiles in global order, until they fit.

use tiledb_cells::space::grid::{CoordSpan, Grid};
use tiledb_cells::space::range_boxes;
use tiledb_cells::space::range_boxes::{RangeBoxes, dimensions};
use tiledb_cells::space::selection::Selection;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Layout;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultBox {
    /// First position per dimension.
    pub low: Vec<u64>,
    /// Positions per dimension.
    pub counts: Vec<u64>,
}

impl ResultBox {
    /// How many cells it has; saturates.
    pub fn cells(&self) -> u64 {
        self.counts.iter().fold(1, |cells, &count| cells.saturating_mul(count))
    }
}

/// Decides how large parts may be.
pub trait BufferFit {
    /// The tiles of the array.
    fn grid(&self) -> &Grid;

    /// The selection of the read.
    fn selection(&self) -> &Selection;

    /// How many of the boxes of ranges that `boxes` yields fit together.
    ///
    /// # Errors
    /// If the metadata of a fragment cannot be read.
    fn boxes(&self, boxes: &mut dyn Iterator<Item = ResultBox>) -> Result<u64>;

    /// Records how many of the remaining boxes form a part.
    fn note(&self, left: u64, taken: u64);

    /// True if a part of many boxes of ranges fits for sure.
    fn all(&self, part: &ResultBox) -> bool;

    /// True if a part is estimated to fit.
    ///
    /// # Errors
    /// As there.
    fn part(&self, part: &ResultBox) -> Result<bool>;
}

/// How parts are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CutMode {
    /// By the order of the results; several dimensions only as whole rows of ranges.
    Rows,
    /// Anywhere: the order of the results does not matter.
    Boxes,
    /// Between tiles first.
    Tiles,
}

/// The source of the present part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartOrigin {
    /// All of these boxes of ranges.
    Boxes { first: u64, last: u64 },
    /// It was cut.
    Cut,
}

/// Position of a dense read: the parts that are delivered and those that remain.
pub struct ResultParts {
    cut: CutMode,
    /// The boxes of ranges; parts are cut in their order.
    ranges: RangeBoxes,
    /// How many boxes there are, and the next of them.
    boxes: u64,
    next: u64,
    /// The parts that splitting deferred, the next one last.
    waiting: Vec<ResultBox>,
    present: Option<(ResultBox, PartOrigin)>,
}

impl ResultParts {
    /// At the start of a read of `boxes` boxes of ranges in a layout.
    pub fn new(grid: &Grid, selection: &Selection, boxes: u64, layout: Layout) -> ResultParts {
        let (cut, order) = match layout {
            Layout::GlobalOrder => (CutMode::Tiles, grid.cell_order),
            Layout::Unordered => (CutMode::Boxes, grid.cell_order),
            order => (CutMode::Rows, order),
        };
        let ranges: Vec<u64> = (0..grid.axes().len()).map(|d| selection.range_count(d)).collect();
        ResultParts { cut, ranges: RangeBoxes::new(ranges, order), boxes, next: 0, waiting: Vec::new(), present: None }
    }

    /// True when everything was delivered.
    pub fn is_done(&self) -> bool {
        self.present.is_none() && self.waiting.is_empty() && self.next == self.boxes
    }

    /// The part to be delivered now; `None` at the end.
    ///
    /// # Errors
    /// As [`BufferFit`].
    pub fn present(&mut self, fit: &impl BufferFit) -> Result<Option<&ResultBox>> {
        if self.present.is_none() {
            if !self.waiting.is_empty() {
                self.cut_to_fit(fit)?;
            } else if self.next < self.boxes {
                self.begin(fit)?;
            }
        }
        Ok(self.present.as_ref().map(|(part, _)| part))
    }

    /// Advances beyond the present part.
    pub fn advance(&mut self) {
        self.present = None;
    }

    /// Cuts the present part, which does not fit; false if it has only one cell.
    ///
    /// # Errors
    /// As [`BufferFit`].
    pub fn shrink(&mut self, fit: &impl BufferFit) -> Result<bool> {
        let Some((part, from)) = self.present.take() else { return Ok(false) };
        if let PartOrigin::Boxes { first, last } = from
            && first < last
        {
            let (last, is_row) =
                self.ranges.whole_rows(first, range_boxes::fewer(first, last), self.cut == CutMode::Rows);
            self.next = last + 1;
            let boxes = self.part_of(fit.selection(), first, last);
            if !is_row {
                self.present = Some((boxes, PartOrigin::Boxes { first, last }));
                return Ok(true);
            }
            self.waiting.push(boxes);
        } else {
            self.waiting.push(part);
        }
        let can = self.cut_top(fit);
        match can {
            true => self.cut_to_fit(fit)?,
            false => self.present = self.waiting.pop().map(|part| (part, PartOrigin::Cut)),
        }
        Ok(can)
    }

    /// The remainder: the next box of ranges and their number, the divided parts with the next one first, and the
    /// present part.
    pub fn left(&self) -> (u64, u64, impl Iterator<Item = &ResultBox>, Option<&ResultBox>) {
        (self.next, self.boxes, self.waiting.iter().rev(), self.present.as_ref().map(|(part, _)| part))
    }

    /// Continues with the remainder of another read of the same ranges.
    ///
    /// # Errors
    /// For a box of ranges that there is not.
    pub fn resume_with(&mut self, next: u64, divided: Vec<ResultBox>, present: Option<ResultBox>) -> Result<()> {
        if next > self.boxes {
            bail!("Cannot go on with the read at box of ranges {next}; it has {}", self.boxes);
        }
        self.next = next;
        self.waiting = divided;
        self.waiting.reverse();
        self.present = present.map(|part| (part, PartOrigin::Cut));
        Ok(())
    }

    /// Starts with the next boxes of ranges.
    fn begin(&mut self, fit: &impl BufferFit) -> Result<()> {
        let first = self.next;
        if first == 0 {
            let last = self.boxes - 1;
            let all = self.part_of(fit.selection(), 0, self.boxes - 1);
            if fit.all(&all) {
                fit.note(self.boxes, self.boxes);
                self.next = self.boxes;
                self.present = Some((all, PartOrigin::Boxes { first, last }));
                return Ok(());
            }
        }
        let fitting =
            fit.boxes(&mut (first..self.boxes).map(|number| self.part_of(fit.selection(), number, number)))?;
        fit.note(self.boxes - first, fitting);
        let (last, is_row) = match (fitting, self.cut) {
            (0, CutMode::Boxes | CutMode::Tiles) => (first, false),
            _ => self.ranges.whole_rows(first, first + fitting.max(1) - 1, self.cut == CutMode::Rows),
        };
        self.next = last + 1;
        let part = self.part_of(fit.selection(), first, last);
        if fitting > 0 && !is_row {
            self.present = Some((part, PartOrigin::Boxes { first, last }));
            return Ok(());
        }
        self.waiting.push(part);
        self.cut_top(fit);
        self.cut_to_fit(fit)
    }

    /// Cuts the first of the waiting parts until it fits.
    fn cut_to_fit(&mut self, fit: &impl BufferFit) -> Result<()> {
        while let Some(part) = self.waiting.last() {
            if fit.part(part)? || !self.cut_top(fit) {
                break;
            }
        }
        self.present = self.waiting.pop().map(|part| (part, PartOrigin::Cut));
        Ok(())
    }

    fn cut_top(&mut self, fit: &impl BufferFit) -> bool {
        let Some((d, count)) = self.waiting.last().and_then(|part| self.place_to_cut(part, fit)) else {
            return false;
        };
        if let Some(part) = self.waiting.last_mut() {
            let mut first = part.clone();
            first.counts[d] = count;
            part.low[d] += count;
            part.counts[d] -= count;
            self.waiting.push(first);
        }
        true
    }

    /// The dimension to cut along, and the positions of the first half.
    fn place_to_cut(&self, part: &ResultBox, fit: &impl BufferFit) -> Option<(usize, u64)> {
        let grid = fit.grid();
        let selection = fit.selection();
        if self.cut == CutMode::Tiles {
            for d in dimensions(part.counts.len(), grid.tile_order) {
                let axis = &grid.axes()[d];
                let spans = selection.spans(d, part.low[d], part.counts[d]);
                let span = *spans.first()?;
                let apart = axis.tile(span.high) - axis.tile(span.low);
                if apart > 0 {
                    let end = axis.tile_start(axis.tile(span.low) + (apart / 2).max(1));
                    return Some((d, end - span.low));
                }
            }
        }
        let d = self.ranges.dimensions().find(|&d| part.counts[d] > 1)?;
        let spans = selection.spans(d, part.low[d], part.counts[d]);
        let half = match spans.len() {
            1 => (part.counts[d] - 1) / 2 + 1,
            several => spans[..=(several - 1) / 2].iter().map(|span| span.count()).sum(),
        };
        Some((d, half))
    }

    /// The results of boxes of ranges.
    fn part_of(&self, selection: &Selection, first: u64, last: u64) -> ResultBox {
        let (first, last) = (self.ranges.coordinates(first), self.ranges.coordinates(last));
        let ends = |d| selection.positions(d, first[d] as usize, last[d] as usize);
        let (low, counts) = (0..first.len()).map(ends).map(|span: CoordSpan| (span.low, span.count())).unzip();
        ResultBox { low, counts }
    }
}
