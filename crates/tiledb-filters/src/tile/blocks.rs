//! The walk over the numbers of a tile, block by block, which statistics and aggregates share: they differ in what they
//! make of NaN, of sums that overflow and of the order of reals.

use super::number::{Number, ends_with};
use crate::codec::simd::{self, Kernel};

/// Cells of a block: small enough for the first-level cache, so that each block is read once from
/// memory although it is looked at several times, and for sums of 32 bits of narrow cells not to overflow.
pub const BLOCK: usize = 1024;

/// Room for a block in which some cells are replaced.
pub type Room<T> = [T; BLOCK];

/// What is made of blocks. Mark both functions, and what they call, `#[inline(always)]`.
pub trait Blocks<T> {
    /// Takes all cells of a block.
    fn take(&mut self, cells: &[T]);

    /// Takes those cells whose mark is not 0: `count` of them, more than none and less than all.
    fn take_marked(&mut self, cells: &[T], marks: &[u8], count: usize, room: &mut Room<T>);
}

/// Hands over the cells whose mark is not 0, or all.
pub fn walk<T: Number>(data: &[u8], marks: Option<&[u8]>, blocks: &mut impl Blocks<T>) {
    simd::run(Walk { data, marks, blocks, cells: std::marker::PhantomData });
}

struct Walk<'a, T, B> {
    data: &'a [u8],
    marks: Option<&'a [u8]>,
    blocks: &'a mut B,
    cells: std::marker::PhantomData<T>,
}

impl<T: Number, B: Blocks<T>> Kernel for Walk<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let size = size_of::<T>();
        let whole = &self.data[..self.data.len() / size * size];
        if let (None, Ok(cells)) = (self.marks, bytemuck::try_cast_slice(whole)) {
            // Many are short, and need no room.
            // A loop of its own: a call of `for_each` is compiled without the wider instructions.
            for block in cells.chunks(BLOCK) {
                self.blocks.take(block);
            }
            return;
        }
        let (mut aligned, mut room) = ([T::default(); BLOCK], [T::default(); BLOCK]);
        for (index, block) in self.data.chunks(BLOCK * size).enumerate() {
            let count = block.len() / size;
            let cells = match bytemuck::try_cast_slice(block) {
                Ok(cells) => cells,
                Err(_) => {
                    bytemuck::cast_slice_mut(&mut aligned[..count]).copy_from_slice(&block[..count * size]);
                    &aligned[..count]
                }
            };
            let Some(marks) = self.marks.and_then(|marks| marks.get(index * BLOCK..index * BLOCK + count)) else {
                self.blocks.take(cells);
                continue;
            };
            match marks.iter().map(|&mark| u16::from(mark != 0)).sum::<u16>() {
                0 => {}
                marked if usize::from(marked) == count => self.blocks.take(cells),
                marked => self.blocks.take_marked(cells, marks, marked.into(), &mut room),
            }
        }
    }
}

/// How many marks are not 0.
pub fn marked(marks: &[u8]) -> usize {
    // In bytes as long as these do not overflow.
    let count = |block: &[u8]| block.iter().map(|&mark| u8::from(mark != 0)).sum::<u8>();
    marks.chunks(usize::from(u8::MAX)).map(|block| usize::from(count(block))).sum()
}

/// The cells, with another value in the place of those whose mark is 0.
#[inline(always)]
pub fn blend<'r, T: Number>(room: &'r mut Room<T>, cells: &[T], marks: &[u8], other: T) -> &'r [T] {
    for ((kept, &cell), &mark) in room.iter_mut().zip(cells).zip(marks) {
        *kept = if mark != 0 { cell } else { other };
    }
    &room[..cells.len()]
}

/// The marked cells alone.
#[inline(always)]
pub fn compact<'r, T: Number>(room: &'r mut Room<T>, cells: &[T], marks: &[u8]) -> &'r [T] {
    let mut count = 0;
    for (&cell, &mark) in cells.iter().zip(marks) {
        // `count` is less than the number of cells seen, hence than BLOCK; the mask says so to the compiler.
        room[count & (BLOCK - 1)] = cell;
        count += usize::from(mark != 0);
    }
    &room[..count]
}

/// A block of whole numbers, with a marked cell in the place of those that are not marked: it changes neither end, and can
/// be taken off the sum again.
pub struct Blended<'r, T> {
    /// The block.
    pub cells: &'r [T],
    /// The marked cell that stands for the others.
    pub first: T,
    /// How many those are.
    pub others: usize,
}

impl<'r, T: Number> Blended<'r, T> {
    /// Of a block of which some cells are marked.
    #[inline(always)]
    pub fn new(cells: &[T], marks: &[u8], count: usize, room: &'r mut Room<T>) -> Option<Blended<'r, T>> {
        let first = *marks.iter().position(|&mark| mark != 0).and_then(|place| cells.get(place))?;
        Some(Blended { cells: blend(room, cells, marks, first), first, others: cells.len() - count })
    }

    /// The least and the greatest.
    #[inline(always)]
    pub fn ends(&self) -> (T, T) {
        ends_with((self.first, self.first), self.cells)
    }

    /// The sum of the marked cells.
    #[inline(always)]
    pub fn sum(&self) -> i128 {
        T::sum(self.cells) - self.first.whole() * self.others as i128
    }

    /// The same modulo 2^64.
    #[inline(always)]
    pub fn sum_modulo(&self) -> u64 {
        T::sum_modulo(self.cells).wrapping_sub((self.others as u64).wrapping_mul(self.first.whole() as u64))
    }
}
