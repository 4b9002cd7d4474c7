//! Minimum, maximum and sum of the selected cells of a fixed-size numeric field.

use super::running_sum::{RealSum, RunningSum};
use tiledb_filters::tile::blocks::{BlockBuffer, BlockVisitor, MaskedBlock, blend, for_each_block};
use tiledb_filters::tile::numeric_cell::{NumericCell, min_max_with};

/// Number of floating-point accumulators, so that additions are vectorized.
const LANES: usize = 16;

/// The statistics that an aggregate requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequiredStats {
    /// Minimum and maximum.
    pub extremes: bool,
    pub sum: bool,
    /// How many are null.
    pub nulls: bool,
}

/// Minimum, maximum and sum of the cells added so far.
pub(crate) struct NumericStats<T> {
    wants: RequiredStats,
    ends: (T, T),
    whole: i128,
    real: RealSum,
    /// Number of cells added.
    count: u64,
}

impl<T: NumericCell> NumericStats<T> {
    /// Of no cell.
    pub(crate) fn new(wants: RequiredStats) -> NumericStats<T> {
        NumericStats { wants, ends: T::ENDS, whole: 0, real: RealSum::default(), count: 0 }
    }

    /// Adds the cells whose mark is not 0, or all.
    pub(crate) fn add(&mut self, data: &[u8], marks: Option<&[u8]>) {
        for_each_block(data, marks, self);
    }

    /// Adds the same cell several times.
    pub(crate) fn add_same(&mut self, cell: T, count: u64) {
        self.add(bytemuck::bytes_of(&cell), None);
        self.count += count - 1;
        if T::REAL {
            self.real = RealSum::default();
            self.real.add_each([cell.real() * count as f64].into_iter());
        } else {
            self.whole = cell.whole() * i128::from(count);
        }
    }

    /// The minimum and maximum cell. NaNs count only if there are no other values.
    pub(crate) fn ends(&self) -> Option<(T, T)> {
        match self.count {
            0 => None,
            _ if T::REAL && self.ends.1 < self.ends.0 => Some((T::NAN, T::NAN)),
            _ => Some(self.ends),
        }
    }

    /// The sum.
    pub(crate) fn total(&self) -> RunningSum {
        if T::REAL { RunningSum::Real(self.real) } else { RunningSum::Whole(self.whole) }
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
}

impl<T: NumericCell> BlockVisitor<T> for NumericStats<T> {
    #[inline(always)]
    fn visit(&mut self, cells: &[T]) {
        self.count += cells.len() as u64;
        if self.wants.extremes {
            self.ends = min_max_with(self.ends, cells);
        }
        if self.wants.sum {
            match T::REAL {
                true => self.add_reals(cells),
                false => self.whole += T::sum(cells),
            }
        }
    }

    #[inline(always)]
    fn visit_selected(&mut self, cells: &[T], marks: &[u8], count: usize, room: &mut BlockBuffer<T>) {
        self.count += count as u64;
        if T::REAL {
            if self.wants.extremes {
                self.ends = min_max_with(self.ends, blend(room, cells, marks, T::NAN));
            }
            if self.wants.sum {
                self.add_reals(blend(room, cells, marks, T::default()));
            }
            return;
        }
        let Some(block) = MaskedBlock::new(cells, marks, count, room) else { return };
        if self.wants.extremes {
            self.ends = min_max_with(self.ends, block.cells);
        }
        if self.wants.sum {
            self.whole += block.sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: RequiredStats = RequiredStats { extremes: true, sum: true, nulls: false };

    fn numbers<T: NumericCell>(cells: &[T], marks: Option<&[u8]>) -> NumericStats<T> {
        let mut numbers = NumericStats::new(ALL);
        numbers.add(bytemuck::cast_slice(cells), marks);
        numbers
    }

    fn check<T: NumericCell + Ord + std::fmt::Debug>(cells: &[T], marks: &[u8]) -> Result<(), TestCaseError> {
        let expected = |marked: bool| {
            let cells = cells.iter().zip(marks).filter(move |(_, mark)| !marked || **mark != 0).map(|(v, _)| *v);
            (cells.clone().min().zip(cells.clone().max()), RunningSum::Whole(cells.map(T::whole).sum()))
        };
        let (some, all) = (numbers(cells, Some(marks)), numbers(cells, None));
        prop_assert_eq!((some.ends(), some.total()), expected(true));
        prop_assert_eq!((all.ends(), all.total()), expected(false));
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
            let selected: Vec<f32> = values.iter().zip(&marks).filter(|(_, mark)| **mark != 0).map(|(v, _)| *v).collect();
            let got = numbers(&values, Some(&marks));
            let real = |pick: fn(f32, f32) -> f32| selected.iter().copied().reduce(pick);
            prop_assert_eq!(got.count, selected.len() as u64);
            let ends = got.ends();
            prop_assert_eq!(ends.is_some(), !selected.is_empty());
            if let Some((min, max)) = ends {
                // `f32::min` and its relatives skip NaN, too.
                prop_assert_eq!(format!("{min} {max}"), format!("{} {}", real(f32::min).unwrap(), real(f32::max).unwrap()));
            }
            let RunningSum::Real(sum) = got.total() else { unreachable!() };
            let expected: f64 = selected.iter().map(|v| f64::from(*v)).sum();
            prop_assert_eq!(sum.value().is_nan(), expected.is_nan());
            prop_assert!(expected.is_nan() || sum.value() == expected);
        }
    }

    #[test]
    fn bytes_out_of_line_and_same_cells() {
        let bytes: Vec<u8> = std::iter::once(9).chain((0..5000i32).flat_map(i32::to_le_bytes)).collect();
        let mut numbers = NumericStats::<i32>::new(ALL);
        numbers.add(&bytes[1..], None);
        assert_eq!((numbers.ends(), numbers.total()), (Some((0, 4999)), RunningSum::Whole(4999 * 2500)));
        let mut same = NumericStats::<i64>::new(ALL);
        same.add_same(i64::MIN, 3);
        assert_eq!((same.count, same.total()), (3, RunningSum::Whole(i128::from(i64::MIN) * 3)));
    }
}
