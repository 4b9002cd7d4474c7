//! Selection masks: a byte for each cell, 1 for selected ones and 0 for the others.

use tiledb_filters::codec::simd::{self, Kernel};

/// Mask bytes that are tested together.
const BLOCK: usize = 256;
/// Mask bytes whose selected cells are listed together: a multiple of the width of all vectors.
const LISTED: usize = 64;
/// Mask bytes that are added up in a byte.
const COUNTED: usize = 192;

/// True if a cell is marked.
pub fn any(marks: &[u8]) -> bool {
    simd::run(AnyMarked(marks))
}

/// The numbers of the marked cells, in ascending order; `None` if all are.
pub fn indexes(marks: &[u8]) -> Option<Vec<u32>> {
    simd::run(MarkedIndexes(marks))
}

/// True if a cell is marked, of a few.
#[inline(always)]
pub(crate) fn any_of_block(marks: &[u8]) -> bool {
    // Without an early exit, which the compiler turns into wide instructions; a search for a byte has one.
    let mut any = 0;
    for mark in marks {
        any |= mark;
    }
    any != 0
}

struct AnyMarked<'a>(&'a [u8]);

impl Kernel for AnyMarked<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        for marks in self.0.chunks(BLOCK) {
            if any_of_block(marks) {
                return true;
            }
        }
        false
    }
}

struct MarkedIndexes<'a>(&'a [u8]);

impl Kernel for MarkedIndexes<'_> {
    type Output = Option<Vec<u32>>;

    #[inline(always)]
    fn run(self) -> Option<Vec<u32>> {
        let mut count = 0;
        for marks in self.0.chunks(COUNTED) {
            let mut sum = 0u8;
            for mark in marks {
                sum += mark;
            }
            count += usize::from(sum);
        }
        if count == self.0.len() {
            return None;
        }
        let mut list = Vec::with_capacity(count);
        for (first, marks) in (0u32..).step_by(LISTED).zip(self.0.chunks(LISTED)) {
            if any_of_block(marks) {
                // Branchless: every cell is written to the position of the next selected one.
                let (mut listed, mut end) = ([0; LISTED], 0);
                for (cell, mark) in (first..).zip(marks) {
                    listed[end % LISTED] = cell;
                    end += usize::from(*mark);
                }
                list.extend_from_slice(&listed[..end]);
            }
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_mark_is_detected_at_every_place() {
        for len in [0, 1, BLOCK, 3 * BLOCK + 7] {
            let mut marks = vec![0; len];
            assert!(!any(&marks));
            for at in 0..len {
                marks[at] = 1;
                assert!(any(&marks), "{at} of {len}");
                assert_eq!(indexes(&marks), (len > 1).then(|| vec![at as u32]), "{at} of {len}");
                marks[at] = 0;
            }
        }
    }

    #[test]
    fn marked_cells_are_listed_in_order() {
        for len in [1, LISTED, COUNTED, 1000] {
            assert_eq!(indexes(&vec![1; len]), None);
            let marks: Vec<u8> = (0..len).map(|cell| u8::from(cell % 7 != 3 && cell / 100 != 2)).collect();
            let expected: Vec<u32> = (0..len as u32).filter(|&cell| marks[cell as usize] == 1).collect();
            assert_eq!(indexes(&marks), (expected.len() < len).then_some(expected), "{len}");
        }
        assert_eq!(indexes(&[]), None);
    }
}
