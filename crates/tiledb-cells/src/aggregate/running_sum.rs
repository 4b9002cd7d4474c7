//! Sums without overflow: integers in 128 bits, floating-point numbers with a second accumulator for values too large
//! for the first.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunningSum {
    /// Of integers; 2^64 cells of 64 bits cannot overflow it.
    Whole(i128),
    Real(RealSum),
}

/// A sum of doubles. If it would overflow, it continues in units of [`UNIT`], so that neither the order of the cells
/// nor a large value that later ones cancel matters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RealSum {
    sum: f64,
    units: f64,
}

/// 2^64: no sum of 2^64 doubles, in these units, is beyond the range of doubles.
const UNIT: f64 = 18_446_744_073_709_551_616.0;

impl RealSum {
    /// Adds a sum of some cells, which is finite.
    #[inline]
    pub(crate) fn add(&mut self, block: f64) {
        let sum = self.sum + block;
        if sum.is_finite() {
            self.sum = sum;
        } else {
            self.units += self.sum / UNIT + block / UNIT;
            self.sum = 0.0;
        }
    }

    /// Adds cells one by one, of which some may be infinite, not a number, or too great together.
    pub(crate) fn add_each(&mut self, cells: impl Iterator<Item = f64>) {
        cells.for_each(|cell| self.add(cell));
    }

    fn merge(&mut self, other: RealSum) {
        self.add(other.sum);
        self.units += other.units;
    }

    /// The sum. The nearest double where it is out of range; infinite only if cells were.
    pub(crate) fn value(self) -> f64 {
        if self.units == 0.0 {
            return self.sum;
        }
        let units = self.units + self.sum / UNIT;
        if units.is_finite() { (units * UNIT).clamp(f64::MIN, f64::MAX) } else { units }
    }

    /// The sum divided by a number of cells.
    fn mean(self, cells: u64) -> f64 {
        let cells = cells as f64;
        if self.units == 0.0 { self.sum / cells } else { (self.units + self.sum / UNIT) / cells * UNIT }
    }
}

impl RunningSum {
    /// A finite sum of floating-point numbers.
    pub fn real(sum: f64) -> RunningSum {
        let mut real = RealSum::default();
        real.add(sum);
        RunningSum::Real(real)
    }

    /// Adds another sum of the same kind.
    pub(crate) fn merge(&mut self, other: RunningSum) {
        match (self, other) {
            (RunningSum::Whole(sum), RunningSum::Whole(more)) => *sum = sum.saturating_add(more),
            (RunningSum::Real(sum), RunningSum::Real(more)) => sum.merge(more),
            _ => {}
        }
    }

    /// The mean of `cells` cells.
    pub(crate) fn mean(self, cells: u64) -> f64 {
        match self {
            RunningSum::Whole(sum) => sum as f64 / cells as f64,
            RunningSum::Real(sum) => sum.mean(cells),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(cells: &[f64]) -> RealSum {
        let mut real = RealSum::default();
        real.add_each(cells.iter().copied());
        real
    }

    #[test]
    fn great_values_that_are_taken_back() {
        assert_eq!(sum(&[1.5e308, 1.5e308, -1.5e308]).value(), 1.5e308);
        assert_eq!(sum(&[1.5e308, 1.5e308]).value(), f64::MAX);
        assert_eq!(sum(&[-1.5e308, -1.5e308, 7.0]).value(), f64::MIN);
        assert_eq!(sum(&[f64::INFINITY, 1.0]).value(), f64::INFINITY);
        assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).value().is_nan());
        assert!(sum(&[1.0, f64::NAN, 2.0]).value().is_nan());
        assert_eq!(RunningSum::Real(sum(&[1.5e308, 1.5e308])).mean(2), 1.5e308);
    }

    proptest! {
        #[test]
        fn parts_add_up(cells in prop::collection::vec((-1000i32..1000, any::<bool>()), 0..50), cut in 0usize..50) {
            let cells: Vec<f64> =
                cells.iter().map(|&(v, great)| f64::from(v) * if great { f64::MAX / 1024.0 } else { 1.0 }).collect();
            let (head, tail) = cells.split_at(cut.min(cells.len()));
            let mut whole = RunningSum::Real(sum(head));
            whole.merge(RunningSum::Real(sum(tail)));
            let exact: f64 = cells.iter().map(|v| v / 1e300).sum::<f64>();
            let RunningSum::Real(whole) = whole else { unreachable!() };
            let got = whole.value() / 1e300;
            let expected = exact.clamp(f64::MIN / 1e300, f64::MAX / 1e300);
            prop_assert!((got - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "{got} {expected}");
        }
    }
}
