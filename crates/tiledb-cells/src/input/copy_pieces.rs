//! Runs of cells to be copied from a tile to the results, split into groups.

use std::ops::Range;

use crate::columns::memory::OutMem;
use tiledb_core::error::{Result, bail};

/// Cells that follow one another in a tile and in the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyPiece {
    /// The first in the tile.
    pub from: usize,
    /// The first in the results.
    pub to: usize,
    pub count: usize,
}

impl CopyPiece {
    /// The cells in the tile.
    pub fn cells(&self) -> Range<usize> {
        self.from..self.from + self.count
    }

    /// The remainder after the first cells.
    fn after(self, cells: usize) -> CopyPiece {
        CopyPiece { from: self.from + cells, to: self.to + cells, count: self.count - cells }
    }
}

/// Groups ascending pieces as long as the cells from the first to the last fit; a piece that does not fit by itself is
/// divided, a single cell is not.
pub fn groups(pieces: &[CopyPiece], fits: impl Fn(&Range<usize>) -> bool) -> Vec<(Range<usize>, Vec<CopyPiece>)> {
    let mut groups: Vec<(Range<usize>, Vec<CopyPiece>)> = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        while rest.count > 0 {
            let cells = rest.cells();
            if let Some((window, group)) = groups.last_mut() {
                let joined = window.start..window.end.max(cells.end);
                if fits(&joined) {
                    *window = joined;
                    group.push(rest);
                    break;
                }
            }
            let (mut low, mut high) = (1, cells.len());
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                (low, high) =
                    if fits(&(cells.start..cells.start + middle)) { (middle, high) } else { (low, middle - 1) };
            }
            groups.push((cells.start..cells.start + low, vec![CopyPiece { count: low, ..rest }]));
            rest = rest.after(low);
        }
    }
    groups
}

/// Writes the lengths of variable cells, of which `starts` has those from `first` on.
pub fn put_lengths(pieces: &[CopyPiece], first: usize, starts: &[u64], out: &mut OutMem<'_>) -> Result<()> {
    pieces.iter().try_for_each(|piece| {
        let starts = &starts[piece.from - first..=piece.from - first + piece.count];
        let mut lengths = starts.windows(2).zip(piece.to..);
        lengths.try_for_each(|(pair, to)| out.put(to * 8, &(pair[1] - pair[0]).to_le_bytes()))
    })
}

/// Values of variable cells of a tile.
pub struct VarValues<'v> {
    /// The first of the cells.
    pub first: usize,
    /// Where they start, and the end of the last, in the tile.
    pub starts: &'v [u64],
    /// Where the bytes do.
    pub base: u64,
    pub bytes: &'v [u8],
}

impl VarValues<'_> {
    /// Copies cells to where `to` has them start.
    pub fn put(&self, pieces: &[CopyPiece], to: &[u64], out: &mut OutMem<'_>) -> Result<()> {
        pieces.iter().try_for_each(|piece| {
            let at = |cell: usize| self.starts[cell - self.first].wrapping_sub(self.base) as usize;
            match self.bytes.get(at(piece.from)..at(piece.from + piece.count)) {
                Some(run) => out.put(to[piece.to] as usize, run),
                None => bail!(Internal, "Decoded cells end before those that are wanted"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_as_large_as_fits() {
        let piece = |from, count, to| CopyPiece { from, to, count };
        let pieces = [piece(0, 2, 5), piece(3, 1, 0), piece(10, 7, 20)];
        let actual = groups(&pieces, |cells| cells.len() <= 4);
        let expected = [
            (0..4, vec![piece(0, 2, 5), piece(3, 1, 0)]),
            (10..14, vec![piece(10, 4, 20)]),
            (14..17, vec![piece(14, 3, 24)]),
        ];
        assert_eq!(actual, expected);
        let cells = |fits: bool| groups(&pieces, |_| fits).iter().flat_map(|group| group.1.clone()).count();
        assert_eq!((cells(true), cells(false)), (3, 10));
    }
}
