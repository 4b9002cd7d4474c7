//! Minimum, maximum and sum of fixed-size numbers, block by block.

use super::total::Total;
use crate::codec::simd::{self, Kernel};
use crate::types::Cell;

/// Cells of a block: small enough for the first-level cache, so that each block is read once from
/// memory although it is looked at several times, and for its narrow sums not to overflow.
const BLOCK: usize = 1024;
/// Cells compared side by side.
const LANES: usize = 16;

/// Adds to [`Cell`] what sums need.
pub(super) trait Summed: Cell {
    /// True for floats: NaN and the sign of zero need care.
    const REAL: bool;
    /// The sum of a block modulo 2^64; for reals 0.
    fn block_sum(cells: &[Self]) -> u64;
    /// The value as a wide integer; for reals 0.
    fn wide(self) -> i128;
    /// Adds the cells one by one.
    fn add_each(total: &mut Total, cells: &[Self]);
}

macro_rules! summed {
    ($($type:ident $narrow:ident $wide:ident $add_each:ident;)+) => {$(
        impl Summed for $type {
            const REAL: bool = false;

            #[inline(always)]
            fn block_sum(cells: &[Self]) -> u64 {
                cells.iter().fold(0 as $narrow, |sum, &v| sum.wrapping_add(v as $narrow)) as $wide as u64
            }

            #[inline(always)]
            fn wide(self) -> i128 {
                i128::from(self)
            }

            fn add_each(total: &mut Total, cells: &[Self]) {
                total.$add_each(cells, $wide::from);
            }
        }
    )+};
    (reals $($type:ident)+) => {$(
        impl Summed for $type {
            const REAL: bool = true;

            #[inline(always)]
            fn block_sum(_: &[Self]) -> u64 {
                0
            }

            #[inline(always)]
            fn wide(self) -> i128 {
                0
            }

            fn add_each(total: &mut Total, cells: &[Self]) {
                total.add_real(cells, f64::from);
            }
        }
    )+};
}

summed! {
    i8 i32 i64 add_signed;
    i16 i32 i64 add_signed;
    i32 i64 i64 add_signed;
    i64 i64 i64 add_signed;
    u8 u32 u64 add_unsigned;
    u16 u32 u64 add_unsigned;
    u32 u64 u64 add_unsigned;
    u64 u64 u64 add_unsigned;
}
summed! { reals f32 f64 }

/// Minimum, maximum and sum of the cells seen so far.
#[derive(Clone, Copy)]
pub(super) struct Summary<T> {
    pub(super) min: T,
    pub(super) max: T,
    pub(super) total: Total,
    /// Cells that are not null.
    pub(super) valid: u64,
}

impl<T: Summed> Summary<T> {
    /// Of no cell.
    pub(super) fn new() -> Summary<T> {
        Summary { min: T::HIGHEST, max: T::LOWEST, total: Total::new(T::PHYSICAL), valid: 0 }
    }

    /// Adds the cells that `validity` does not declare null.
    pub(super) fn add(&mut self, data: &[u8], validity: Option<&[u8]>) {
        simd::run(Add { summary: self, data, validity });
    }

    /// Keeps the lesser and the greater, as [`keep_min`] and [`keep_max`] say.
    #[inline(always)]
    pub(super) fn keep(&mut self, min: T, max: T) {
        self.min = keep_min(self.min, min);
        self.max = keep_max(self.max, max);
    }

    #[inline(always)]
    fn add_block(&mut self, cells: &[T]) {
        let Some(&first) = cells.first() else { return };
        self.valid += cells.len() as u64;
        if T::REAL && has_nan(cells) {
            cells.iter().for_each(|&cell| self.keep(cell, cell));
            T::add_each(&mut self.total, cells);
            return;
        }
        let (mut min, mut max) = extremes(first, cells);
        if T::REAL {
            // Among equals the last one stays; only zeros are equal and yet differ.
            let zero = |extreme: T| match extreme == T::default() {
                true => cells.iter().copied().rfind(|&cell| cell == extreme).unwrap_or(extreme),
                false => extreme,
            };
            (min, max) = (zero(min), zero(max));
        }
        if T::REAL {
            self.keep(min, max);
            T::add_each(&mut self.total, cells);
        } else if !self.add_integers(min, max, T::block_sum(cells), cells.len()) {
            T::add_each(&mut self.total, cells);
        }
    }

    /// Adds a block of integers of which some are null, through a buffer.
    #[inline(always)]
    fn add_nullable(&mut self, cells: &[T], valid: &[u8], kept: &mut [T; BLOCK]) {
        let Some(&first) = valid.iter().position(|&valid| valid != 0).and_then(|place| cells.get(place)) else {
            return;
        };
        // In the place of a null a valid cell changes neither end, and can be taken off the sum again.
        let mut count = 0u16;
        for ((kept, &cell), &valid) in kept.iter_mut().zip(cells).zip(valid) {
            *kept = if valid != 0 { cell } else { first };
            count += u16::from(valid != 0);
        }
        let (count, kept_cells) = (usize::from(count), &kept[..cells.len()]);
        let (min, max) = extremes(first, kept_cells);
        let nulls = (cells.len() - count) as u64;
        let sum = T::block_sum(kept_cells).wrapping_sub(nulls.wrapping_mul(first.wide() as u64));
        self.valid += count as u64;
        if !self.add_integers(min, max, sum, count) {
            let count = compact(cells, valid, kept);
            T::add_each(&mut self.total, &kept[..count]);
        }
    }

    /// Adds integers between `min` and `max`; false if they must be added to the sum one by one.
    #[inline(always)]
    fn add_integers(&mut self, min: T, max: T, sum: u64, count: usize) -> bool {
        self.keep(min, max);
        self.total.add_block(sum, count, min.wide(), max.wide())
    }
}

/// The format's rule: what compares less stays, everything else (equal, or NaN on either side) is
/// replaced.
#[inline(always)]
fn keep_min<T: PartialOrd>(kept: T, cell: T) -> T {
    if kept < cell { kept } else { cell }
}

/// As [`keep_min`].
#[inline(always)]
fn keep_max<T: PartialOrd>(kept: T, cell: T) -> T {
    if kept > cell { kept } else { cell }
}

#[inline(always)]
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
fn has_nan<T: Summed>(cells: &[T]) -> bool {
    cells.iter().fold(false, |nan, cell| nan | (cell != cell))
}

/// The least and the greatest of cells without NaN.
#[inline(always)]
fn extremes<T: Summed>(first: T, cells: &[T]) -> (T, T) {
    if !T::REAL {
        // The compiler knows these as integer minimum and maximum; the order of floats it may not change.
        let min = cells.iter().copied().fold(first, keep_min);
        return (min, cells.iter().copied().fold(first, keep_max));
    }
    let (mut low, mut high) = ([first; LANES], [first; LANES]);
    let (groups, rest) = cells.as_chunks::<LANES>();
    for group in groups {
        for lane in 0..LANES {
            low[lane] = keep_min(low[lane], group[lane]);
            high[lane] = keep_max(high[lane], group[lane]);
        }
    }
    let min = low.into_iter().chain(rest.iter().copied()).fold(first, keep_min);
    (min, high.into_iter().chain(rest.iter().copied()).fold(first, keep_max))
}

struct Add<'a, T> {
    summary: &'a mut Summary<T>,
    data: &'a [u8],
    validity: Option<&'a [u8]>,
}

impl<T: Summed> Kernel for Add<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let size = size_of::<T>();
        let (mut buffer, mut kept) = ([T::default(); BLOCK], [T::default(); BLOCK]);
        for (index, block) in self.data.chunks(BLOCK * size).enumerate() {
            let count = block.len() / size;
            let cells = match bytemuck::try_cast_slice(block) {
                Ok(cells) => cells,
                Err(_) => {
                    bytemuck::cast_slice_mut(&mut buffer[..count]).copy_from_slice(block);
                    &buffer[..count]
                }
            };
            let valid = self.validity.and_then(|validity| validity.get(index * BLOCK..index * BLOCK + count));
            match valid {
                Some(valid) if T::REAL => {
                    let count = compact(cells, valid, &mut kept);
                    self.summary.add_block(&kept[..count]);
                }
                Some(valid) => self.summary.add_nullable(cells, valid, &mut kept),
                None => self.summary.add_block(cells),
            }
        }
    }
}

/// Copies the cells that are not null together; returns how many there are.
#[inline(always)]
fn compact<T: Copy>(cells: &[T], valid: &[u8], kept: &mut [T; BLOCK]) -> usize {
    let mut count = 0;
    for (&cell, &valid) in cells.iter().zip(valid) {
        // `count` is less than the number of cells seen, hence than BLOCK; the mask says so to the compiler.
        kept[count & (BLOCK - 1)] = cell;
        count += usize::from(valid != 0);
    }
    count
}
