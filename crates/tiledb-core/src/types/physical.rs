//! The ten physical types of values, and the dispatch to generic code.

use std::cmp::Ordering;

use bytemuck::Pod;

use crate::error::{Result, bail};

/// Physical type of a value: width and kind of number. All are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicalType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Floats.
    Real,
}

impl PhysicalType {
    /// The kind of number.
    pub const fn kind(self) -> NumberKind {
        match self {
            PhysicalType::I8 | PhysicalType::I16 | PhysicalType::I32 | PhysicalType::I64 => NumberKind::Signed,
            PhysicalType::U8 | PhysicalType::U16 | PhysicalType::U32 | PhysicalType::U64 => NumberKind::Unsigned,
            PhysicalType::F32 | PhysicalType::F64 => NumberKind::Real,
        }
    }

    /// True for floats.
    pub const fn is_real(self) -> bool {
        matches!(self.kind(), NumberKind::Real)
    }

    /// The digits a float surely holds and one more; integers are written with all they have.
    pub const fn float_digits(self) -> Option<u8> {
        match self {
            PhysicalType::F32 => Some(7),
            PhysicalType::F64 => Some(16),
            _ => None,
        }
    }

    /// The last bits of a key that are always the same: a single-precision number fills only the upper 35 of its
    /// double-precision key.
    pub const fn spare_key_bits(self) -> u32 {
        if matches!(self, PhysicalType::F32) { 29 } else { 0 }
    }

    /// Bytes of one value.
    pub const fn size(self) -> usize {
        match self {
            PhysicalType::I8 | PhysicalType::U8 => 1,
            PhysicalType::I16 | PhysicalType::U16 => 2,
            PhysicalType::I32 | PhysicalType::U32 | PhysicalType::F32 => 4,
            PhysicalType::I64 | PhysicalType::U64 | PhysicalType::F64 => 8,
        }
    }
}

/// A value of one of the ten physical types.
pub trait Cell: Pod + PartialOrd + Default + Send + Sync + std::fmt::Display + 'static {
    /// The physical type this is.
    const PHYSICAL: PhysicalType;
    /// The least value (for floats the lowest finite one).
    const LOWEST: Self;
    /// The greatest value (for floats the greatest finite one).
    const HIGHEST: Self;

    /// The value as a double, rounded where it has more than 53 bits.
    fn to_f64(self) -> f64;

    /// Order-preserving sort key: `a < b` exactly when `a.to_key() < b.to_key()`. Both zeros of a float have the same
    /// key; all NaNs share one, greater than that of any number.
    fn to_key(self) -> u64;

    /// The successor; the greatest integer wraps around to the least one.
    #[must_use]
    fn next(self) -> Self;

    /// The value in the middle between this and a higher one, rounded as libtiledb does.
    #[must_use]
    fn middle(self, high: Self) -> Self;

    /// Compares values by their bits: zeros and NaNs with different ones are not the same.
    fn compare_bits(self, other: Self) -> Ordering;

    /// Reads a value from the front of `bytes`; zero if there are too few.
    #[inline]
    fn from_le(bytes: &[u8]) -> Self {
        bytes.get(..size_of::<Self>()).map(bytemuck::pod_read_unaligned).unwrap_or_default()
    }
}

macro_rules! cell {
    ($($type:ident $physical:ident $key:expr, $next:expr, $middle:expr, $compare:expr;)+) => {$(
        impl Cell for $type {
            const PHYSICAL: PhysicalType = PhysicalType::$physical;
            const LOWEST: Self = $type::MIN;
            const HIGHEST: Self = $type::MAX;

            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline]
            fn to_key(self) -> u64 {
                let key: fn($type) -> u64 = $key;
                key(self)
            }

            fn next(self) -> Self {
                let next: fn($type) -> $type = $next;
                next(self)
            }

            fn middle(self, high: Self) -> Self {
                let middle: fn($type, $type) -> $type = $middle;
                middle(self, high)
            }

            fn compare_bits(self, other: Self) -> Ordering {
                let compare: fn(&$type, &$type) -> Ordering = $compare;
                compare(&self, &other)
            }
        }
    )+};
}

/// Implementation for integers, with the unsigned type of the same width.
macro_rules! whole {
    ($($type:ident $unsigned:ident $physical:ident $key:expr;)+) => {
        cell! {$(
            $type $physical $key, |value| value.wrapping_add(1),
            |low, high| low.wrapping_add(((high as $unsigned).wrapping_sub(low as $unsigned) / 2) as $type), Ord::cmp;
        )+}
    };
}

/// Flips the sign bit, so that signed numbers sort as unsigned ones.
const SIGN: u64 = 1 << 63;

whole! {
    i8 u8 I8 |v| (i64::from(v) as u64) ^ SIGN;
    u8 u8 U8 |v| u64::from(v);
    i16 u16 I16 |v| (i64::from(v) as u64) ^ SIGN;
    u16 u16 U16 |v| u64::from(v);
    i32 u32 I32 |v| (i64::from(v) as u64) ^ SIGN;
    u32 u32 U32 |v| u64::from(v);
    i64 u64 I64 |v| (v as u64) ^ SIGN;
    u64 u64 U64 |v| v;
}

cell! {
    f32 F32 |v| float_key(f64::from(v)), f32::next_up,
        |low, high| (f64::from(low) + (f64::from(high) - f64::from(low)) / 2.0) as f32, f32::total_cmp;
    f64 F64 |v| float_key(v), f64::next_up, |low, high| low + (high / 2.0 - low / 2.0), f64::total_cmp;
}

#[inline]
fn float_key(value: f64) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// Runs `$body` with the type alias `$T` bound to the Rust type of a [`PhysicalType`]. It is used in
/// callers; the kernels it calls are plain generic functions.
#[macro_export]
macro_rules! dispatch {
    ($physical:expr, $T:ident => $body:expr) => {
        match $physical {
            $crate::types::PhysicalType::I8 => {
                type $T = i8;
                $body
            }
            $crate::types::PhysicalType::U8 => {
                type $T = u8;
                $body
            }
            $crate::types::PhysicalType::I16 => {
                type $T = i16;
                $body
            }
            $crate::types::PhysicalType::U16 => {
                type $T = u16;
                $body
            }
            $crate::types::PhysicalType::I32 => {
                type $T = i32;
                $body
            }
            $crate::types::PhysicalType::U32 => {
                type $T = u32;
                $body
            }
            $crate::types::PhysicalType::I64 => {
                type $T = i64;
                $body
            }
            $crate::types::PhysicalType::U64 => {
                type $T = u64;
                $body
            }
            $crate::types::PhysicalType::F32 => {
                type $T = f32;
                $body
            }
            $crate::types::PhysicalType::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}
pub use dispatch;

/// The bytes as cells of `T`.
///
/// # Errors
/// If the length is not a multiple of the cell size or the bytes are not aligned to it.
pub fn cells_of<T: Cell>(bytes: &[u8]) -> Result<&[T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(cells) => Ok(cells),
        Err(error) => bail!(Internal, "{} bytes are not cells of {:?}: {error}", bytes.len(), T::PHYSICAL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order() {
        let floats = [f64::NEG_INFINITY, f64::MIN, -1.5, -0.0, 0.0, f64::MIN_POSITIVE, 2.0, f64::INFINITY];
        for pair in floats.windows(2) {
            assert_eq!(pair[0] < pair[1], pair[0].to_key() < pair[1].to_key(), "{pair:?}");
        }
        assert!((-1i32).to_key() < 0i32.to_key());
        assert!(i64::MIN.to_key() < i64::MAX.to_key());
        assert!((-1.0f32).to_key() < 1.0f32.to_key());
        assert_eq!((0.0f64.to_key(), f64::NAN.to_key()), ((-0.0f64).to_key(), (-f64::NAN).to_key()));
        assert!(f64::INFINITY.to_key() < f64::NAN.to_key() && f32::INFINITY.to_key() < f32::NAN.to_key());
    }

    #[test]
    fn middles_and_the_next_ones_wrap_around_signs() {
        assert_eq!((i8::MIN.middle(i8::MAX), (-3i32).middle(4), 250u8.middle(255)), (-1, 0, 252));
        assert_eq!((i64::MIN.middle(i64::MAX), u64::MAX.next(), i16::MAX.next()), (-1, 0, i16::MIN));
        assert_eq!((f32::MIN.middle(f32::MAX), 1f64.middle(2.0), Cell::next(1f32)), (0.0, 1.5, 1.0 + f32::EPSILON));
        assert!((-0.0f64).compare_bits(0.0).is_lt() && 1u8.compare_bits(2).is_lt());
    }

    #[test]
    fn dispatch_chooses_by_width() {
        for physical in [PhysicalType::I8, PhysicalType::U16, PhysicalType::F32, PhysicalType::U64] {
            assert_eq!(dispatch!(physical, T => size_of::<T>()), physical.size());
        }
    }
}
