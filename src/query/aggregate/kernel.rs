//! Minimum, maximum and sum of the wanted cells of fixed-size numbers, block by block.

use super::total::{Real, Total};
use crate::codec::simd::{self, Kernel};
use crate::types::Cell;

/// Cells of a block: small enough for the first-level cache, so that each block is read once from memory
/// although it is looked at several times, and for sums of 32 bits of each cell not to overflow.
const BLOCK: usize = 1024;
/// Reals added or compared side by side.
const LANES: usize = 16;

/// Adds to [`Cell`] what sums need.
pub trait Number: Cell {
    /// True for floats.
    const REAL: bool;
    /// What stands for no value in a minimum, and what in a maximum.
    const ENDS: (Self, Self);
    /// A cell that changes neither end: NaN for reals, which are compared so that it never wins.
    const NONE: Self;
    /// The value as a whole number; for reals 0.
    fn whole(self) -> i128;
    /// The sum of a block of whole numbers; for reals 0.
    fn whole_sum(cells: &[Self]) -> i128;
    /// The value as a double, for reals.
    fn real(self) -> f64;
}

macro_rules! numbers {
    ($($type:ident $wide:ident;)+) => {$(
        impl Number for $type {
            const REAL: bool = false;
            const ENDS: (Self, Self) = ($type::MAX, $type::MIN);
            const NONE: Self = 0;
            #[inline(always)]
            fn whole(self) -> i128 {
                i128::from(self)
            }
            #[inline(always)]
            fn whole_sum(cells: &[Self]) -> i128 {
                i128::from(cells.iter().fold(0 as $wide, |sum, &v| sum.wrapping_add(v as $wide)))
            }
            #[inline(always)]
            fn real(self) -> f64 {
                0.0
            }
        }
    )+};
    (wide $($type:ident $sign:expr;)+) => {$(
        impl Number for $type {
            const REAL: bool = false;
            const ENDS: (Self, Self) = ($type::MAX, $type::MIN);
            const NONE: Self = 0;
            #[inline(always)]
            fn whole(self) -> i128 {
                i128::from(self)
            }
            /// Both halves of the words by themselves, with signed numbers moved up to be without sign.
            #[inline(always)]
            fn whole_sum(cells: &[Self]) -> i128 {
                let sign: u64 = $sign;
                let (low, high) = cells.iter().fold((0u64, 0u64), |(low, high), &v| {
                    let word = v as u64 ^ sign;
                    (low.wrapping_add(word & 0xffff_ffff), high.wrapping_add(word >> 32))
                });
                i128::from(low) + (i128::from(high) << 32) - i128::from(sign) * cells.len() as i128
            }
            #[inline(always)]
            fn real(self) -> f64 {
                0.0
            }
        }
    )+};
    (reals $($type:ident)+) => {$(
        impl Number for $type {
            const REAL: bool = true;
            const ENDS: (Self, Self) = ($type::INFINITY, $type::NEG_INFINITY);
            const NONE: Self = $type::NAN;
            #[inline(always)]
            fn whole(self) -> i128 {
                0
            }
            #[inline(always)]
            fn whole_sum(_: &[Self]) -> i128 {
                0
            }
            #[inline(always)]
            fn real(self) -> f64 {
                f64::from(self)
            }
        }
    )+};
}

numbers! { i8 i32; i16 i32; i32 i64; u8 u32; u16 u32; u32 u64; }
numbers! { wide i64 1 << 63; u64 0; }
numbers! { reals f32 f64 }

/// What is wanted of the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// The least and the greatest.
    pub extremes: bool,
    /// The sum.
    pub sum: bool,
    /// How many are null.
    pub nulls: bool,
}

/// Minimum, maximum and sum of the cells seen so far.
pub struct Numbers<T> {
    wants: Wants,
    min: T,
    max: T,
    whole: i128,
    real: Real,
    /// Cells seen.
    count: u64,
}

impl<T: Number> Numbers<T> {
    /// Of no cell.
    pub fn new(wants: Wants) -> Numbers<T> {
        Numbers { wants, min: T::ENDS.0, max: T::ENDS.1, whole: 0, real: Real::default(), count: 0 }
    }

    /// Adds the cells whose mark is not 0, or all.
    pub fn add(&mut self, data: &[u8], marks: Option<&[u8]>) {
        simd::run(Add { numbers: self, data, marks });
    }

    /// Adds the same cell several times.
    pub fn add_same(&mut self, cell: T, count: u64) {
        self.add(bytemuck::bytes_of(&cell), None);
        self.count += count - 1;
        if T::REAL {
            self.real = Real::default();
            self.real.add_each([cell.real() * count as f64].into_iter());
        } else {
            self.whole = cell.whole() * i128::from(count);
        }
    }

    /// The least and the greatest cell. NaNs count only where there is nothing else.
    pub fn ends(&self) -> Option<(T, T)> {
        match self.count {
            0 => None,
            _ if T::REAL && self.max < self.min => Some((T::NONE, T::NONE)),
            _ => Some((self.min, self.max)),
        }
    }

    /// The sum.
    pub fn total(&self) -> Total {
        if T::REAL { Total::Real(self.real) } else { Total::Whole(self.whole) }
    }

    #[inline(always)]
    fn add_block(&mut self, cells: &[T]) {
        self.count += cells.len() as u64;
        if self.wants.extremes {
            self.compare(cells);
        }
        if self.wants.sum {
            match T::REAL {
                true => self.add_reals(cells),
                false => self.whole += T::whole_sum(cells),
            }
        }
    }

    #[inline(always)]
    fn compare(&mut self, cells: &[T]) {
        if !T::REAL {
            // The compiler knows these as integer minimum and maximum; the order of floats it may not change.
            self.min = cells.iter().copied().fold(self.min, least);
            self.max = cells.iter().copied().fold(self.max, greatest);
            return;
        }
        let (mut low, mut high) = ([self.min; LANES], [self.max; LANES]);
        let (groups, rest) = cells.as_chunks::<LANES>();
        for group in groups {
            for lane in 0..LANES {
                low[lane] = least(low[lane], group[lane]);
                high[lane] = greatest(high[lane], group[lane]);
            }
        }
        self.min = low.into_iter().chain(rest.iter().copied()).fold(self.min, least);
        self.max = high.into_iter().chain(rest.iter().copied()).fold(self.max, greatest);
    }

    #[inline(always)]
    fn add_reals(&mut self, cells: &[T]) {
        let mut lanes = [0f64; LANES];
        let (groups, rest) = cells.as_chunks::<LANES>();
        for group in groups {
            for lane in 0..LANES {
                lanes[lane] += group[lane].real();
            }
        }
        let sum = lanes.iter().sum::<f64>() + rest.iter().map(|cell| cell.real()).sum::<f64>();
        if sum.is_finite() {
            self.real.add(sum);
        } else {
            self.real.add_each(cells.iter().map(|cell| cell.real()));
        }
    }

    /// Adds the marked cells of a block, with another value that changes nothing, or can be taken back, in the
    /// place of the others.
    #[inline(always)]
    fn add_marked(&mut self, cells: &[T], marks: &[u8], kept: &mut [T; BLOCK]) {
        let count = marks.iter().map(|&mark| u16::from(mark != 0)).sum::<u16>();
        if usize::from(count) == cells.len() {
            return self.add_block(cells);
        }
        let Some(first) = marks.iter().position(|&mark| mark != 0).and_then(|place| cells.get(place)) else { return };
        let neutral = if T::REAL { T::NONE } else { *first };
        blend(kept, cells, marks, neutral);
        let others = cells.len() - usize::from(count);
        let kept_cells = &kept[..cells.len()];
        self.count += u64::from(count);
        if self.wants.extremes {
            self.compare(kept_cells);
        }
        if !self.wants.sum {
            return;
        }
        if T::REAL {
            blend(kept, cells, marks, T::default());
            self.add_reals(&kept[..cells.len()]);
        } else {
            self.whole += T::whole_sum(kept_cells) - first.whole() * others as i128;
        }
    }
}

#[inline(always)]
fn blend<T: Number>(kept: &mut [T; BLOCK], cells: &[T], marks: &[u8], neutral: T) {
    for ((kept, &cell), &mark) in kept.iter_mut().zip(cells).zip(marks) {
        *kept = if mark != 0 { cell } else { neutral };
    }
}

/// The lesser; NaN never is.
#[inline(always)]
fn least<T: PartialOrd>(kept: T, cell: T) -> T {
    if cell < kept { cell } else { kept }
}

/// The greater; NaN never is.
#[inline(always)]
fn greatest<T: PartialOrd>(kept: T, cell: T) -> T {
    if cell > kept { cell } else { kept }
}

struct Add<'a, T> {
    numbers: &'a mut Numbers<T>,
    data: &'a [u8],
    marks: Option<&'a [u8]>,
}

impl<T: Number> Kernel for Add<'_, T> {
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
                    bytemuck::cast_slice_mut(&mut buffer[..count]).copy_from_slice(&block[..count * size]);
                    &buffer[..count]
                }
            };
            match self.marks.and_then(|marks| marks.get(index * BLOCK..index * BLOCK + count)) {
                Some(marks) => self.numbers.add_marked(cells, marks, &mut kept),
                None => self.numbers.add_block(cells),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: Wants = Wants { extremes: true, sum: true, nulls: false };

    fn numbers<T: Number>(cells: &[T], marks: Option<&[u8]>) -> Numbers<T> {
        let mut numbers = Numbers::new(ALL);
        numbers.add(bytemuck::cast_slice(cells), marks);
        numbers
    }

    fn check<T: Number + Ord + std::fmt::Debug>(cells: &[T], marks: &[u8]) -> Result<(), TestCaseError> {
        let wanted = |marked: bool| {
            let cells = cells.iter().zip(marks).filter(move |(_, mark)| !marked || **mark != 0).map(|(v, _)| *v);
            (cells.clone().min().zip(cells.clone().max()), Total::Whole(cells.map(T::whole).sum()))
        };
        let (some, all) = (numbers(cells, Some(marks)), numbers(cells, None));
        prop_assert_eq!((some.ends(), some.total()), wanted(true));
        prop_assert_eq!((all.ends(), all.total()), wanted(false));
        Ok(())
    }

    proptest! {
        #[test]
        fn whole_numbers(cells in prop::collection::vec((any::<u64>(), 0u8..3), 0..3000), shift in 0u32..64) {
            let marks: Vec<u8> = cells.iter().map(|cell| cell.1).collect();
            let words: Vec<u64> = cells.iter().map(|cell| cell.0 >> shift).collect();
            check(&words, &marks)?;
            check(&words.iter().map(|v| *v as i64).collect::<Vec<_>>(), &marks)?;
            check(&words.iter().map(|v| *v as u32).collect::<Vec<_>>(), &marks)?;
            check(&words.iter().map(|v| *v as i16).collect::<Vec<_>>(), &marks)?;
            check(&words.iter().map(|v| *v as u8).collect::<Vec<_>>(), &marks)?;
        }

        #[test]
        fn reals(cells in prop::collection::vec((-100i8..100, 0u8..3, any::<bool>()), 0..3000), nans: bool) {
            let marks: Vec<u8> = cells.iter().map(|cell| cell.1).collect();
            let value = |cell: &(i8, u8, bool)| if nans && cell.2 { f32::NAN } else { f32::from(cell.0) };
            let values: Vec<f32> = cells.iter().map(value).collect();
            let kept: Vec<f32> = values.iter().zip(&marks).filter(|(_, mark)| **mark != 0).map(|(v, _)| *v).collect();
            let got = numbers(&values, Some(&marks));
            let real = |pick: fn(f32, f32) -> f32| kept.iter().copied().reduce(pick);
            prop_assert_eq!(got.count, kept.len() as u64);
            let ends = got.ends();
            prop_assert_eq!(ends.is_some(), !kept.is_empty());
            if let Some((min, max)) = ends {
                // The methods of floats pass over NaN too.
                prop_assert_eq!(format!("{min} {max}"), format!("{} {}", real(f32::min).unwrap(), real(f32::max).unwrap()));
            }
            let Total::Real(sum) = got.total() else { unreachable!() };
            let wanted: f64 = kept.iter().map(|v| f64::from(*v)).sum();
            prop_assert_eq!(sum.value().is_nan(), wanted.is_nan());
            prop_assert!(wanted.is_nan() || sum.value() == wanted);
        }
    }

    #[test]
    fn bytes_out_of_line_and_same_cells() {
        let bytes: Vec<u8> = std::iter::once(9).chain((0..5000i32).flat_map(i32::to_le_bytes)).collect();
        let mut numbers = Numbers::<i32>::new(ALL);
        numbers.add(&bytes[1..], None);
        assert_eq!((numbers.ends(), numbers.total()), (Some((0, 4999)), Total::Whole(4999 * 2500)));
        let mut same = Numbers::<i64>::new(ALL);
        same.add_same(i64::MIN, 3);
        assert_eq!((same.count, same.total()), (3, Total::Whole(i128::from(i64::MIN) * 3)));
    }
}
