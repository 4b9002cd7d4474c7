//! What sums and comparisons need of numbers, one type at a time.

use tiledb_core::types::Cell;

/// Reals compared side by side.
const LANES: usize = 16;

/// Adds to [`Cell`] what sums and comparisons need.
pub trait Number: Cell {
    /// True for floats: NaN and the sign of zero need care.
    const REAL: bool;
    /// What stands for no value in a minimum, and what in a maximum.
    const ENDS: (Self, Self);
    /// Not a number, for reals; else 0.
    const NAN: Self;
    /// The value as a whole number; for reals 0.
    fn whole(self) -> i128;
    /// The value as a double, for reals.
    fn real(self) -> f64;
    /// The sum of a block (see [`BLOCK`](super::blocks::BLOCK)) of whole numbers; for reals 0.
    fn sum(cells: &[Self]) -> i128;

    /// The same modulo 2^64.
    #[inline(always)]
    fn sum_modulo(cells: &[Self]) -> u64 {
        Self::sum(cells) as u64
    }
}

macro_rules! whole {
    ($type:ident { $($sums:tt)+ }) => {
        impl Number for $type {
            const REAL: bool = false;
            const ENDS: (Self, Self) = ($type::MAX, $type::MIN);
            const NAN: Self = 0;

            #[inline(always)]
            fn whole(self) -> i128 {
                i128::from(self)
            }

            #[inline(always)]
            fn real(self) -> f64 {
                0.0
            }

            $($sums)+
        }
    };
}

macro_rules! narrow {
    ($($type:ident $sum:ident;)+) => {$(
        whole! { $type {
            #[inline(always)]
            fn sum(cells: &[Self]) -> i128 {
                i128::from(cells.iter().fold(0 as $sum, |sum, &v| sum.wrapping_add(v as $sum)))
            }
        } }
    )+};
}

macro_rules! wide {
    ($($type:ident $sign:expr;)+) => {$(
        whole! { $type {
            /// Both halves of the words by themselves, with signed numbers moved up to be without sign.
            #[inline(always)]
            fn sum(cells: &[Self]) -> i128 {
                let sign: u64 = $sign;
                let (low, high) = cells.iter().fold((0u64, 0u64), |(low, high), &v| {
                    let word = v as u64 ^ sign;
                    (low.wrapping_add(word & 0xffff_ffff), high.wrapping_add(word >> 32))
                });
                i128::from(low) + (i128::from(high) << 32) - i128::from(sign) * cells.len() as i128
            }

            #[inline(always)]
            fn sum_modulo(cells: &[Self]) -> u64 {
                cells.iter().fold(0u64, |sum, &v| sum.wrapping_add(v as u64))
            }
        } }
    )+};
}

macro_rules! reals {
    ($($type:ident)+) => {$(
        impl Number for $type {
            const REAL: bool = true;
            const ENDS: (Self, Self) = ($type::INFINITY, $type::NEG_INFINITY);
            const NAN: Self = $type::NAN;

            #[inline(always)]
            fn whole(self) -> i128 {
                0
            }

            #[inline(always)]
            fn real(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn sum(_: &[Self]) -> i128 {
                0
            }
        }
    )+};
}

narrow! { i8 i32; i16 i32; i32 i64; u8 u32; u16 u32; u32 u64; }
wide! { i64 1 << 63; u64 0; }
reals! { f32 f64 }

/// The lesser of `kept` and the least cell, the greater of the other and the greatest. NaN never wins; of zeros of both
/// signs any.
#[inline(always)]
pub fn ends_with<T: Number>(kept: (T, T), cells: &[T]) -> (T, T) {
    if !T::REAL {
        // The compiler knows these as integer minimum and maximum; the order of floats it may not change.
        let min = cells.iter().copied().fold(kept.0, lesser);
        return (min, cells.iter().copied().fold(kept.1, greater));
    }
    let (mut low, mut high) = ([kept.0; LANES], [kept.1; LANES]);
    let (groups, rest) = cells.as_chunks::<LANES>();
    for group in groups {
        for lane in 0..LANES {
            low[lane] = lesser(low[lane], group[lane]);
            high[lane] = greater(high[lane], group[lane]);
        }
    }
    let min = low.into_iter().chain(rest.iter().copied()).fold(kept.0, lesser);
    (min, high.into_iter().chain(rest.iter().copied()).fold(kept.1, greater))
}

#[inline(always)]
fn lesser<T: PartialOrd>(kept: T, cell: T) -> T {
    if cell < kept { cell } else { kept }
}

#[inline(always)]
fn greater<T: PartialOrd>(kept: T, cell: T) -> T {
    if cell > kept { cell } else { kept }
}
