//! Sums that saturate at the first overflow.

use super::numeric_cell::NumericCell;
use tiledb_core::types::{NumberKind, PhysicalType};

/// A running sum: `i64` for signed, `u64` for unsigned integers, `f64` for floating-point numbers. The first value that
/// would overflow sets it to the end of its range, and later values are ignored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SaturatingSum {
    sum: Sum,
    stopped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sum {
    Signed(i64),
    Unsigned(u64),
    Real(f64),
}

impl SaturatingSum {
    /// Zero, for cells of this kind.
    pub(super) fn new(physical: PhysicalType) -> SaturatingSum {
        let sum = match physical.kind() {
            NumberKind::Signed => Sum::Signed(0),
            NumberKind::Unsigned => Sum::Unsigned(0),
            NumberKind::Real => Sum::Real(0.0),
        };
        SaturatingSum { sum, stopped: false }
    }

    /// True after a value that would have overflowed.
    pub(super) fn has_overflowed(self) -> bool {
        self.stopped
    }

    /// Continues from the end of the range at which the sum saturated.
    pub(super) fn resume(&mut self) {
        self.stopped = false;
    }

    /// The eight bytes in which the format stores it.
    pub(super) fn bytes(self) -> [u8; 8] {
        match self.sum {
            Sum::Signed(sum) => sum.to_le_bytes(),
            Sum::Unsigned(sum) => sum.to_le_bytes(),
            Sum::Real(sum) => sum.to_le_bytes(),
        }
    }

    /// Adds the sum of a tile, as [`SaturatingSum::bytes`] gives it.
    pub(super) fn add_bytes(&mut self, bytes: [u8; 8]) {
        match self.sum {
            Sum::Signed(_) => self.add_each(&[i64::from_le_bytes(bytes)]),
            Sum::Unsigned(_) => self.add_each(&[u64::from_le_bytes(bytes)]),
            Sum::Real(_) => self.add_each(&[f64::from_le_bytes(bytes)]),
        }
    }

    /// Adds a block of `count` cells between `min` and `max` if no prefix of them can overflow; else
    /// says false and adds nothing. `block` is their sum modulo 2^64.
    #[inline(always)]
    pub(super) fn add_block(&mut self, block: u64, count: usize, min: i128, max: i128) -> bool {
        let (least, most) = (min.min(0) * count as i128, max.max(0) * count as i128);
        match &mut self.sum {
            _ if self.stopped => true,
            Sum::Signed(sum) => {
                let total = i128::from(*sum);
                let fits = total + least >= i128::from(i64::MIN) && total + most <= i128::from(i64::MAX);
                if fits {
                    *sum = sum.wrapping_add(block as i64);
                }
                fits
            }
            Sum::Unsigned(sum) => {
                let fits = i128::from(*sum) + most <= i128::from(u64::MAX);
                if fits {
                    *sum = sum.wrapping_add(block);
                }
                fits
            }
            Sum::Real(_) => false,
        }
    }

    /// Adds cells one by one.
    pub(super) fn add_each<T: NumericCell>(&mut self, cells: &[T]) {
        match self.sum {
            Sum::Signed(_) => self.add_signed(cells, |cell| cell.whole() as i64),
            Sum::Unsigned(_) => self.add_unsigned(cells, |cell| cell.whole() as u64),
            Sum::Real(_) => self.add_real(cells, T::real),
        }
    }

    /// Adds signed numbers one by one.
    fn add_signed<T: Copy>(&mut self, cells: &[T], widen: impl Fn(T) -> i64) {
        let Sum::Signed(sum) = &mut self.sum else { return };
        for &cell in cells.iter().take_while(|_| !self.stopped) {
            let cell = widen(cell);
            match sum.checked_add(cell) {
                Some(next) => *sum = next,
                None => {
                    *sum = if cell < 0 { i64::MIN } else { i64::MAX };
                    self.stopped = true;
                    return;
                }
            }
        }
    }

    /// Adds unsigned numbers one by one.
    fn add_unsigned<T: Copy>(&mut self, cells: &[T], widen: impl Fn(T) -> u64) {
        let Sum::Unsigned(sum) = &mut self.sum else { return };
        for &cell in cells.iter().take_while(|_| !self.stopped) {
            match sum.checked_add(widen(cell)) {
                Some(next) => *sum = next,
                None => {
                    *sum = u64::MAX;
                    self.stopped = true;
                    return;
                }
            }
        }
    }

    /// Adds floats one by one, in order, since every other order rounds differently. A value overflows if it has the
    /// sign of the sum and exceeds the remaining range.
    fn add_real<T: Copy>(&mut self, cells: &[T], widen: impl Fn(T) -> f64) {
        let Sum::Real(sum) = &mut self.sum else { return };
        if self.stopped {
            return;
        }
        let plain = cells.iter().fold(*sum, |sum, &cell| sum + widen(cell));
        if plain.is_finite() {
            *sum = plain;
            return;
        }
        for &cell in cells {
            let cell = widen(cell);
            if (*sum < 0.0) == (cell < 0.0) && sum.abs() > f64::MAX - cell.abs() {
                *sum = if *sum < 0.0 { f64::MIN } else { f64::MAX };
                self.stopped = true;
                return;
            }
            *sum += cell;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_overflow_is_the_last_word() {
        let mut total = SaturatingSum::new(PhysicalType::I64);
        total.add_each(&[i64::MAX, 1, -5]);
        assert_eq!(total.bytes(), i64::MAX.to_le_bytes());
        let mut total = SaturatingSum::new(PhysicalType::U64);
        total.add_each(&[u64::MAX, 0, 1, 7]);
        assert_eq!(total.bytes(), u64::MAX.to_le_bytes());
        let mut total = SaturatingSum::new(PhysicalType::F64);
        total.add_each(&[f64::MIN, f64::MIN, 1.0]);
        total.add_each(&[5.0]);
        assert_eq!(total.bytes(), f64::MIN.to_le_bytes());
    }

    #[test]
    fn a_block_is_only_taken_where_no_prefix_overflows() {
        let mut total = SaturatingSum::new(PhysicalType::I64);
        total.add_each(&[i64::MAX - 10]);
        assert!(!total.add_block(0, 2, -20, 20));
        assert!(total.add_block(-5i64 as u64, 2, -3, 5));
        assert_eq!(total.bytes(), (i64::MAX - 15).to_le_bytes());
    }
}
