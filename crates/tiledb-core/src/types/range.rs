//! Ranges of cells in one dimension, and boxes of them.

use super::{Cell, Datatype, dispatch};
use crate::error::{Result, bail};
use std::fmt;

/// An inclusive range of one dimension, as bytes of its datatype. Fixed-size ends have equal
/// lengths of at most eight bytes and are stored in place; strings have any length.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CellRange(Ends);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Ends {
    Fixed { size: u8, low: [u8; 8], high: [u8; 8] },
    Var { low: Box<[u8]>, high: Box<[u8]> },
}

/// One range per dimension: a box.
pub type NdRange = Vec<CellRange>;

impl CellRange {
    /// A range of fixed-size values.
    ///
    /// # Errors
    /// If the ends have different lengths or more than eight bytes.
    pub fn fixed(low: &[u8], high: &[u8]) -> Result<CellRange> {
        let size = low.len();
        if size != high.len() || size > 8 {
            bail!("A fixed-size range has two ends of equal size up to 8 bytes, not {size} and {}", high.len());
        }
        let mut range = ([0; 8], [0; 8]);
        range.0[..size].copy_from_slice(low);
        range.1[..size].copy_from_slice(high);
        Ok(CellRange(Ends::Fixed { size: size as u8, low: range.0, high: range.1 }))
    }

    /// A range of strings.
    pub fn var(low: &[u8], high: &[u8]) -> CellRange {
        CellRange(Ends::Var { low: low.into(), high: high.into() })
    }

    /// A range of two values.
    pub fn of<T: Cell>(low: T, high: T) -> CellRange {
        let mut range = ([0; 8], [0; 8]);
        let size = size_of::<T>();
        range.0[..size].copy_from_slice(bytemuck::bytes_of(&low));
        range.1[..size].copy_from_slice(bytemuck::bytes_of(&high));
        CellRange(Ends::Fixed { size: size as u8, low: range.0, high: range.1 })
    }

    /// True if both are the same range of values of a datatype: the bytes of zeros with different signs are not the same.
    pub fn equals(&self, other: &CellRange, datatype: Datatype) -> bool {
        if self.is_var() || other.is_var() {
            return self == other;
        }
        dispatch!(datatype.physical(), T => {
            let keys = |range: &CellRange| {
                let (low, high) = range.ends::<T>();
                (low.to_key(), high.to_key())
            };
            keys(self) == keys(other)
        })
    }

    /// True for a range of strings.
    pub fn is_var(&self) -> bool {
        matches!(self.0, Ends::Var { .. })
    }

    /// The bytes of the low end.
    #[inline]
    pub fn low(&self) -> &[u8] {
        match &self.0 {
            Ends::Fixed { size, low, .. } => &low[..usize::from(*size)],
            Ends::Var { low, .. } => low,
        }
    }

    /// The bytes of the high end.
    #[inline]
    pub fn high(&self) -> &[u8] {
        match &self.0 {
            Ends::Fixed { size, high, .. } => &high[..usize::from(*size)],
            Ends::Var { high, .. } => high,
        }
    }

    /// Both ends as values of `T`; zeros for a range of another size.
    pub fn ends<T: Cell>(&self) -> (T, T) {
        (T::from_le(self.low()), T::from_le(self.high()))
    }

    /// Compares two single values of a dimension: numbers by value, strings bytewise.
    pub fn compare(datatype: Datatype, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        if datatype == Datatype::StringAscii {
            return a.cmp(b);
        }
        dispatch!(datatype.physical(), T => <T as Cell>::from_le(a).to_key().cmp(&<T as Cell>::from_le(b).to_key()))
    }

    /// True if both ranges have a value in common.
    pub fn overlaps(&self, datatype: Datatype, other: &CellRange) -> bool {
        Self::compare(datatype, self.low(), other.high()).is_le()
            && Self::compare(datatype, other.low(), self.high()).is_le()
    }

    /// True if `other` is within this range.
    pub fn contains(&self, datatype: Datatype, other: &CellRange) -> bool {
        Self::compare(datatype, self.low(), other.low()).is_le()
            && Self::compare(datatype, other.high(), self.high()).is_le()
    }

    /// Intersection with another range.
    pub fn within(&self, datatype: Datatype, other: &CellRange) -> Option<CellRange> {
        if !self.overlaps(datatype, other) {
            return None;
        }
        let low = if Self::compare(datatype, self.low(), other.low()).is_lt() { other } else { self };
        let high = if Self::compare(datatype, self.high(), other.high()).is_gt() { other } else { self };
        match self.is_var() {
            true => Some(CellRange::var(low.low(), high.high())),
            false => CellRange::fixed(low.low(), high.high()).ok(),
        }
    }

    /// Grows this range so that it holds `other` too.
    pub fn expand(&mut self, datatype: Datatype, other: &CellRange) {
        let low = if Self::compare(datatype, other.low(), self.low()).is_lt() { other } else { &*self };
        let high = if Self::compare(datatype, other.high(), self.high()).is_gt() { other } else { &*self };
        let grown = match (low.low(), high.high()) {
            (low, high) if !self.is_var() => CellRange::fixed(low, high).unwrap_or_else(|_| self.clone()),
            (low, high) => CellRange::var(low, high),
        };
        *self = grown;
    }

    /// Distance between the ends; `None` for strings and floats.
    pub fn distance(&self, datatype: Datatype) -> Option<u64> {
        if self.is_var() || datatype.is_float() {
            return None;
        }
        Some(dispatch!(datatype.physical(), T => {
            let (low, high) = self.ends::<T>();
            high.to_key().wrapping_sub(low.to_key())
        }))
    }

    /// The range as a person reads it, such as `[1, 4]`.
    pub fn display(&self, datatype: Datatype) -> String {
        if self.is_var() {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            return format!("[{}, {}]", text(self.low()), text(self.high()));
        }
        dispatch!(datatype.physical(), T => {
            let (low, high) = self.ends::<T>();
            let text = |value: T| match datatype.is_float() {
                true => float_text(value.to_f64(), value.to_string(), &format!("{value:e}")),
                false => value.to_string(),
            };
            format!("[{}, {}]", text(low), text(high))
        })
    }
}

/// Chooses between two shortest round-trip notations of a float: scientific if the plain one has more than 15 digits
/// before the decimal point, or more than four zeros after it.
fn float_text(value: f64, plain: String, scientific: &str) -> String {
    let size = value.abs();
    let digits =
        scientific.split_once('e').and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?)));
    match digits {
        Some((digits, exponent)) if size >= 1e15 || (size > 0.0 && size < 1e-5) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => plain,
    }
}

impl fmt::Debug for CellRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:?}, {:?}]", self.low(), self.high())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_floats_have_an_exponent() {
        let text = |low: f64, high: f64| CellRange::of(low, high).display(Datatype::Float64);
        assert_eq!(text(-1.5, 999_999_999_999_999.0), "[-1.5, 999999999999999]");
        assert_eq!(text(f64::MIN, f64::MAX), "[-1.7976931348623157e+308, 1.7976931348623157e+308]");
        assert_eq!(text(1e15, f64::INFINITY), "[1e+15, inf]");
        assert_eq!(text(0.0, 0.1 + 0.2), "[0, 0.30000000000000004]");
        assert_eq!(text(5e-324, 0.000_01), "[5e-324, 0.00001]");
        assert_eq!(CellRange::of(-3e30f32, 16_777_216f32).display(Datatype::Float32), "[-3e+30, 16777216]");
        assert_eq!(CellRange::of(i64::MIN, 7).display(Datatype::Int64), format!("[{}, 7]", i64::MIN));
    }

    #[test]
    fn overlap_contain_expand() {
        let t = Datatype::Int32;
        let mut a = CellRange::of(-5i32, 3);
        let b = CellRange::of(3i32, 9);
        assert!(a.overlaps(t, &b) && !a.contains(t, &b));
        a.expand(t, &b);
        assert_eq!(a.ends::<i32>(), (-5, 9));
        assert_eq!(a.display(t), "[-5, 9]");
        let s = Datatype::StringAscii;
        let mut x = CellRange::var(b"b", b"c");
        x.expand(s, &CellRange::var(b"aa", b"bb"));
        assert_eq!((x.low(), x.high()), (&b"aa"[..], &b"c"[..]));
    }
}
