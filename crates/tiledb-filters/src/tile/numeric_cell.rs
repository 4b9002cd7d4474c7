//! Numeric operations of statistics and aggregates, one implementation per type.

use tiledb_core::types::Cell;

/// Number of floating-point lanes that are compared in parallel.
const LANES: usize = 16;

/// Operations of numeric cells for sums and comparisons, in addition to [`Cell`].
pub trait NumericCell: Cell {
    /// True for floats: NaN and the sign of zero need care.
    const REAL: bool;
    /// Neutral elements of minimum and maximum.
    const ENDS: (Self, Self);
    /// NaN for floats; else 0.
    const NAN: Self;
    /// The value as an integer; for floating-point numbers 0.
    fn whole(self) -> i128;
    /// The value as a double, for floating-point numbers.
    fn real(self) -> f64;
    /// The sum of a block (see [`BLOCK`](super::blocks::BLOCK)) of integers; for floating-point numbers 0.
    fn sum(cells: &[Self]) -> i128;

    /// The sum modulo 2^64.
    #[inline(always)]
    fn sum_modulo(cells: &[Self]) -> u64 {
        Self::sum(cells) as u64
    }
}

macro_rules! whole {
    ($type:ident { $($sums:tt)+ }) => {
        impl NumericCell for $type {
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
        impl NumericCell for $type {
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

/// Extends a minimum and maximum by cells. NaN is ignored; zeros of both signs are equal, and either may be returned.
#[inline(always)]
pub fn min_max_with<T: NumericCell>(current: (T, T), cells: &[T]) -> (T, T) {
    if !T::REAL {
        // The compiler knows these as integer minimum and maximum; the order of floats it may not change.
        let min = cells.iter().copied().fold(current.0, lesser);
        return (min, cells.iter().copied().fold(current.1, greater));
    }
    let (mut low, mut high) = ([current.0; LANES], [current.1; LANES]);
    let (groups, rest) = cells.as_chunks::<LANES>();
    for group in groups {
        for lane in 0..LANES {
            low[lane] = lesser(low[lane], group[lane]);
            high[lane] = greater(high[lane], group[lane]);
        }
    }
    let min = low.into_iter().chain(rest.iter().copied()).fold(current.0, lesser);
    (min, high.into_iter().chain(rest.iter().copied()).fold(current.1, greater))
}

#[inline(always)]
fn lesser<T: PartialOrd>(current: T, cell: T) -> T {
    if cell < current { cell } else { current }
}

#[inline(always)]
fn greater<T: PartialOrd>(current: T, cell: T) -> T {
    if cell > current { cell } else { current }
}
