//! Iterates over the numbers of a tile block by block, for tile statistics and aggregates: they differ in the treatment of NaN,
//! of sums that overflow and of the order of floating-point numbers.

use super::numeric_cell::{NumericCell, min_max_with};
use crate::codec::simd::{self, Kernel};

/// Cells per block: fits into the L1 cache, so that a block is read from memory once although several loops visit it,
/// and keeps 32-bit sums of narrow cells from overflowing.
pub const BLOCK: usize = 1024;

/// Buffer for a block in which some cells are replaced.
pub type BlockBuffer<T> = [T; BLOCK];

/// Visitor of blocks of cells. Mark both functions, and what they call, `#[inline(always)]`.
pub trait BlockVisitor<T> {
    /// Visits a block with all its cells.
    fn visit(&mut self, cells: &[T]);

    /// Visits a block of which the cells with a nonzero mark are selected: `count` of them, at least one and not all.
    fn visit_selected(&mut self, cells: &[T], marks: &[u8], count: usize, capacity: &mut BlockBuffer<T>);
}

/// Visits the cells with a nonzero mark, or without `marks` all, in blocks. A cell without a mark is not selected, as
/// [`count_selected`] counts none.
pub fn for_each_block<T: NumericCell>(data: &[u8], marks: Option<&[u8]>, blocks: &mut impl BlockVisitor<T>) {
    let whole = &data[..data.len() / size_of::<T>() * size_of::<T>()];
    if let (None, Ok(cells)) = (marks, bytemuck::try_cast_slice(whole)) {
        return simd::run(PlainWalk { cells, blocks });
    }
    // On the heap: callers may have small stacks.
    let mut buffers = vec![T::default(); 2 * BLOCK].into_boxed_slice();
    if let [aligned, capacity] = buffers.as_chunks_mut().0 {
        simd::run(Walk { data, marks, blocks, aligned, capacity });
    }
}

/// Aligned cells, all of them.
struct PlainWalk<'a, T, B> {
    cells: &'a [T],
    blocks: &'a mut B,
}

impl<T: NumericCell, B: BlockVisitor<T>> Kernel for PlainWalk<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // A plain loop: `for_each` would be compiled without the wider instructions.
        for block in self.cells.chunks(BLOCK) {
            self.blocks.visit(block);
        }
    }
}

struct Walk<'a, T, B> {
    data: &'a [u8],
    marks: Option<&'a [u8]>,
    blocks: &'a mut B,
    /// The cells of a block that is not aligned.
    aligned: &'a mut BlockBuffer<T>,
    /// See [`BlockVisitor::visit_selected`].
    capacity: &'a mut BlockBuffer<T>,
}

impl<T: NumericCell, B: BlockVisitor<T>> Kernel for Walk<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let size = size_of::<T>();
        for (index, block) in self.data.chunks(BLOCK * size).enumerate() {
            let count = block.len() / size;
            let cells = match bytemuck::try_cast_slice(block) {
                Ok(cells) => cells,
                Err(_) => {
                    bytemuck::cast_slice_mut(&mut self.aligned[..count]).copy_from_slice(&block[..count * size]);
                    &self.aligned[..count]
                }
            };
            let Some(marks) = self.marks else {
                self.blocks.visit(cells);
                continue;
            };
            let marks = marks.get(index * BLOCK..).unwrap_or_default();
            let count = count.min(marks.len());
            let (cells, marks) = (&cells[..count], &marks[..count]);
            match marks.iter().map(|&mark| u16::from(mark != 0)).sum::<u16>() {
                0 => {}
                marked if usize::from(marked) == count => self.blocks.visit(cells),
                marked => self.blocks.visit_selected(cells, marks, marked.into(), self.capacity),
            }
        }
    }
}

/// Number of nonzero marks.
pub fn count_selected(marks: &[u8]) -> usize {
    // Byte sums, as long as these do not overflow.
    let count = |block: &[u8]| block.iter().map(|&mark| u8::from(mark != 0)).sum::<u8>();
    marks.chunks(usize::from(u8::MAX)).map(|block| usize::from(count(block))).sum()
}

/// The cells, with another value in place of those whose mark is 0.
#[inline(always)]
pub fn blend<'r, T: NumericCell>(capacity: &'r mut BlockBuffer<T>, cells: &[T], marks: &[u8], other: T) -> &'r [T] {
    for ((current, &cell), &mark) in capacity.iter_mut().zip(cells).zip(marks) {
        *current = if mark != 0 { cell } else { other };
    }
    &capacity[..cells.len()]
}

/// Only the marked cells.
#[inline(always)]
pub fn compact<'r, T: NumericCell>(capacity: &'r mut BlockBuffer<T>, cells: &[T], marks: &[u8]) -> &'r [T] {
    let mut count = 0;
    for (&cell, &mark) in cells.iter().zip(marks) {
        // `count` is less than the number of cells visited, hence than BLOCK; the mask tells the compiler.
        capacity[count & (BLOCK - 1)] = cell;
        count += usize::from(mark != 0);
    }
    &capacity[..count]
}

/// A block of integers, with a marked cell in the place of those that are not marked: it changes neither end, and can
/// be taken off the sum again.
pub struct MaskedBlock<'r, T> {
    /// The block.
    pub cells: &'r [T],
    /// The marked cell that replaces the others.
    pub first: T,
    /// Number of cells that are not selected.
    pub others: usize,
}

impl<'r, T: NumericCell> MaskedBlock<'r, T> {
    /// Masks a block of which some cells are selected.
    #[inline(always)]
    pub fn new(
        cells: &[T],
        marks: &[u8],
        count: usize,
        capacity: &'r mut BlockBuffer<T>,
    ) -> Option<MaskedBlock<'r, T>> {
        let first = *marks.iter().position(|&mark| mark != 0).and_then(|place| cells.get(place))?;
        Some(MaskedBlock { cells: blend(capacity, cells, marks, first), first, others: cells.len() - count })
    }

    /// The least and the greatest.
    #[inline(always)]
    pub fn ends(&self) -> (T, T) {
        min_max_with((self.first, self.first), self.cells)
    }

    /// The sum of the marked cells.
    #[inline(always)]
    pub fn sum(&self) -> i128 {
        T::sum(self.cells) - self.first.whole() * self.others as i128
    }

    /// The sum modulo 2^64.
    #[inline(always)]
    pub fn sum_modulo(&self) -> u64 {
        T::sum_modulo(self.cells).wrapping_sub((self.others as u64).wrapping_mul(self.first.whole() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The selected cells.
    #[derive(Default)]
    struct Selected(Vec<i32>);

    impl BlockVisitor<i32> for Selected {
        fn visit(&mut self, cells: &[i32]) {
            self.0.extend(cells);
        }

        fn visit_selected(&mut self, cells: &[i32], marks: &[u8], _: usize, capacity: &mut BlockBuffer<i32>) {
            self.0.extend(compact(capacity, cells, marks));
        }
    }

    #[test]
    fn cells_without_a_mark_are_not_selected() {
        let cells: Vec<i32> = (0..2 * BLOCK as i32 + 5).collect();
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, cells.len() - 1] {
            for mark in [0, 1] {
                let mut marks = vec![1; length];
                marks.iter_mut().step_by(3).for_each(|other| *other = mark);
                let mut selected = Selected::default();
                for_each_block(bytemuck::cast_slice(&cells), Some(&marks), &mut selected);
                assert_eq!(selected.0.len(), count_selected(&marks), "{length} marks");
            }
        }
    }
}
