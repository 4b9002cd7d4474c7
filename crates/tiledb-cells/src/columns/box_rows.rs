//! Iterates over the cells of a box as contiguous byte runs of the source column, for consumers that need no copy.

use super::copy::{Stride, runs_of};
use tiledb_core::limits::columns::MIN_DIRECT_RUN_BYTES;

/// The cells of a box in its order, as runs of a column that are long enough to be processed one by one.
#[derive(Clone)]
pub(crate) struct BoxRows<'a> {
    source: &'a [u8],
    /// Where the first begins.
    first: usize,
    /// From one run to the next, outermost first: how many, and their distance in bytes.
    steps: Vec<(usize, usize)>,
    /// Bytes of a run.
    run: usize,
    count: usize,
}

impl<'a> BoxRows<'a> {
    /// The cells of `cell` bytes in `source`, from cell `first` on; `steps` lead from there (`from`) to contiguous
    /// cells (`to`). `None` if runs are short, or not inside the source.
    pub(crate) fn new(source: &'a [u8], first: usize, steps: &[Stride], cell: usize) -> Option<BoxRows<'a>> {
        let (run, steps) = runs_of(steps)?;
        let run = run.checked_mul(cell)?;
        let mut end = first.checked_mul(cell)?.checked_add(run)?;
        let mut count = 1usize;
        let mut apart = Vec::with_capacity(steps.len());
        for step in steps {
            let bytes = step.from.checked_mul(cell)?;
            end = end.checked_add(bytes.checked_mul(step.count.checked_sub(1)?)?)?;
            count = count.checked_mul(step.count)?;
            apart.push((step.count, bytes));
        }
        ((run >= MIN_DIRECT_RUN_BYTES.count() || count == 1) && end <= source.len()).then(|| BoxRows {
            source,
            first: first * cell,
            steps: apart,
            run,
            count,
        })
    }

    /// Contiguous bytes.
    pub(crate) fn whole(bytes: &'a [u8]) -> BoxRows<'a> {
        BoxRows { source: bytes, first: 0, steps: Vec::new(), run: bytes.len(), count: 1 }
    }

    /// Bytes of all.
    pub(crate) fn size(&self) -> usize {
        self.run * self.count
    }

    /// The runs, one after the other.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        (0..self.count).map(|number| {
            let (mut rest, mut place) = (number, self.first);
            for &(count, apart) in self.steps.iter().rev() {
                place += rest % count * apart;
                rest /= count;
            }
            &self.source[place..place + self.run]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::copy::copy_box;
    use crate::columns::memory::OutMem;

    #[test]
    fn runs_are_the_cells_of_the_box() {
        let source: Vec<u8> = (0..60_000u32).map(|place| (place * 7 + place / 251) as u8).collect();
        // A box of 3 x 4 x 300 cells of 4 bytes in one of 5 x 6 x 400, and the same whole along the last dimension.
        for (width, all) in [(300, 400), (400, 400)] {
            let step = |count, from, to| Stride { count, from, to };
            let steps = [step(3, 6 * all, 4 * width), step(4, all, width), step(width, 1, 1)];
            let source: Vec<u8> = source.iter().copied().cycle().take(5 * 6 * all * 4).collect();
            let rows = BoxRows::new(&source, 2, &steps, 4).unwrap();
            let mut expected = vec![0; 3 * 4 * width * 4];
            copy_box(&mut OutMem::new(&mut expected), 0, &source, 2, &steps, 4).unwrap();
            assert_eq!((rows.size(), rows.runs().collect::<Vec<_>>().concat()), (expected.len(), expected));
            assert_eq!(rows.runs().count(), if width == all { 3 } else { 12 });
            assert!(BoxRows::new(&source, 5 * 6 * all, &steps, 4).is_none());
        }
        let turned = [Stride { count: 300, from: 1, to: 10 }, Stride { count: 10, from: 300, to: 1 }];
        assert!(BoxRows::new(&source, 0, &turned, 4).is_none());
        let short = [Stride { count: 10, from: 400, to: 100 }, Stride { count: 100, from: 1, to: 1 }];
        assert!(BoxRows::new(&source, 0, &short, 4).is_none());
        assert_eq!(BoxRows::new(&source, 0, &short[1..], 4).unwrap().size(), 400);
    }
}
