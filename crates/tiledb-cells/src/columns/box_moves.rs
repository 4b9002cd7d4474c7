//! Box copies: boxes of cells moved from positions in a tile to other positions.

use std::ops::Range;

use super::copy::{Stride, Strides};
use tiledb_core::error::Result;

/// A box of cells to be copied from positions in a tile to other positions, or to results.
pub struct BoxMove {
    /// The position of the first cell.
    pub from: usize,
    /// Its destination.
    pub to: usize,
    /// Counts and strides, in cells.
    pub steps: Vec<Stride>,
}

impl BoxMove {
    /// The position after its last cell in the tile.
    pub fn end(&self) -> usize {
        self.from + self.steps.iter().map(|step| (step.count - 1) * step.from).sum::<usize>() + 1
    }

    /// True if any of its cells is at the positions `cells` of the tile.
    pub fn meets(&self, cells: &Range<usize>) -> Result<bool> {
        let (start, end) = (cells.start.max(self.from), cells.end.min(self.end()));
        let longest = self.steps.iter().filter(|step| step.count > 1).max_by_key(|step| step.from);
        let (last, stride) =
            longest.map_or((self.from, 1), |step| (self.from + (step.count - 1) * step.from, step.from));
        // One of the first cells along the longest step.
        if start <= last && start + stride <= end {
            return Ok(true);
        }
        let mut met = false;
        self.clip(cells, &mut |_, _, _| {
            met = true;
            Ok(())
        })?;
        Ok(met)
    }

    /// Calls `piece(from, to, steps)` for boxes that together are the cells of the box at the positions `cells` of the
    /// tile.
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
        let mut steps = Strides::of(&self.steps);
        let steps = steps.all();
        steps.sort_unstable_by_key(|step| std::cmp::Reverse(step.from));
        clip(steps, 0, (self.from, self.to), cells, piece)
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
    // Each of the `count` blocks holds the positions from its own first one to `inner` positions later.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX_DIMENSIONS: usize = if cfg!(miri) { 4 } else { 7 };

    fn cells(part: &BoxMove, range: &Range<usize>) -> Vec<(usize, usize)> {
        let mut cells = Vec::new();
        let mut add = |from: usize, to: usize, steps: &[Stride]| {
            let mut places = vec![(from, to)];
            for step in steps {
                let along = |&(from, to): &(usize, usize)| {
                    (0..step.count).map(move |at| (from + at * step.from, to + at * step.to)).collect::<Vec<_>>()
                };
                places = places.iter().flat_map(along).collect();
            }
            cells.extend(places);
            Ok(())
        };
        part.clip(range, &mut add).unwrap();
        cells.sort_unstable();
        cells
    }

    proptest! {
        #[test]
        fn a_clipped_box_is_its_cells_in_the_range(
            dims in prop::collection::vec((1usize..5, 0usize..3, 0usize..3), 1..MAX_DIMENSIONS),
            reversed: bool,
            thousandth in 0usize..1000,
            bits in 0u32..18,
        ) {
            // Along each dimension `count` cells of a tile that has more cells before and after them.
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
            let part = BoxMove { from, to: 7, steps };
            let all = cells(&part, &(0..usize::MAX));
            prop_assert_eq!(all.len(), part.steps.iter().map(|step| step.count).product::<usize>());
            let start = thousandth * (part.end() + 9) / 1000;
            let range = start..start + (1 << bits) - 1;
            prop_assert_eq!(part.meets(&range).unwrap(), all.iter().any(|(from, _)| range.contains(from)));
            let expected: Vec<_> = all.into_iter().filter(|(from, _)| range.contains(from)).collect();
            prop_assert_eq!(cells(&part, &range), expected);
        }
    }
}
