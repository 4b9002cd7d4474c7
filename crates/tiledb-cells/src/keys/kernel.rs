//! Kernels that convert columns of coordinates to parts of keys. Each adds its part to words in which its bits are
//! zero.

use std::marker::PhantomData;

use crate::columns::coords::Coords;
use tiledb_core::types::{Cell, PhysicalType};
use tiledb_filters::codec::simd::{self, Kernel};
use tiledb_filters::tile::prefix;

/// How the space tiles of a dimension are numbered: `(coordinate - domain low) / extent`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tiling {
    /// There is no extent.
    None,
    /// Integers, an extent of a power of two; the key of the domain's low end.
    Shift { low: u64, bits: u32 },
    /// Integers, any other extent, with `2^64 / extent` rounded down.
    Divide { low: u64, extent: u64, reciprocal: u64 },
    /// The same where distances from the domain's low end and the extent are 32-bit, so that several are divided at a time.
    Narrow { low: u64, extent: u32, reciprocal: u32 },
    /// Single precision.
    Single { low: f32, extent: f32 },
    /// Double precision.
    Double { low: f64, extent: f64 },
}

impl Tiling {
    /// The tiles of a dimension of type `T` whose domain starts at `low`.
    pub(crate) fn new<T: Cell>(low: T, extent: &[u8]) -> Tiling {
        match T::PHYSICAL {
            PhysicalType::F32 => {
                Tiling::Single { low: f32::from_le(bytemuck::bytes_of(&low)), extent: f32::from_le(extent) }
            }
            PhysicalType::F64 => {
                Tiling::Double { low: f64::from_le(bytemuck::bytes_of(&low)), extent: f64::from_le(extent) }
            }
            _ => {
                let mut bytes = [0; 8];
                bytes[..extent.len().min(8)].copy_from_slice(&extent[..extent.len().min(8)]);
                match u64::from_le_bytes(bytes) {
                    0 => Tiling::None,
                    extent if extent.is_power_of_two() => {
                        Tiling::Shift { low: low.to_key(), bits: extent.trailing_zeros() }
                    }
                    extent => Tiling::Divide { low: low.to_key(), extent, reciprocal: u64::MAX / extent },
                }
            }
        }
    }

    /// The fastest way to divide distances of these bits.
    pub(crate) fn for_width(self, bits: u32) -> Tiling {
        match self {
            Tiling::Divide { low, extent, .. } if bits <= 32 => match u32::try_from(extent) {
                // An extent of one is a power of two, and no reciprocal exceeds 32 bits.
                Ok(extent) => Tiling::Narrow { low, extent, reciprocal: ((1 << 32) / u64::from(extent)) as u32 },
                Err(_) => self,
            },
            _ => self,
        }
    }

    /// Bits of the tile numbers of a domain.
    pub(crate) fn width<T: Cell>(self, high: T) -> u32 {
        let mut last = [0];
        tiles::<T>(bytemuck::bytes_of(&high), self, 0, &mut last);
        bits(last[0])
    }

    /// Bits of the distance from a tile's start, for integers.
    pub(crate) fn inside_width(self) -> Option<u32> {
        match self {
            Tiling::Shift { bits, .. } => Some(bits),
            Tiling::Divide { extent, .. } => Some(bits(extent - 1)),
            Tiling::Narrow { extent, .. } => Some(bits(u64::from(extent) - 1)),
            _ => None,
        }
    }
}

/// Bits needed for numbers up to `most`.
pub(crate) fn bits(most: u64) -> u32 {
    64 - most.leading_zeros()
}

/// `(quotient, remainder)` of a division by `extent`, from its reciprocal: the estimate is at most one low.
#[inline(always)]
fn divide(value: u64, extent: u64, reciprocal: u64) -> (u64, u64) {
    let estimate = ((u128::from(value) * u128::from(reciprocal)) >> 64) as u64;
    let rest = value.wrapping_sub(estimate.wrapping_mul(extent));
    let low = u64::from(rest >= extent);
    (estimate + low, rest - low * extent)
}

#[inline(always)]
fn each<T: Cell>(bytes: &[u8], out: &mut [u64], part: impl Fn(T) -> u64) {
    for (out, value) in out.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
        *out |= part(T::from_le(value));
    }
}

/// Numbers of space tiles.
pub(crate) fn tiles<T: Cell>(bytes: &[u8], tiling: Tiling, shift: u32, out: &mut [u64]) {
    match tiling {
        Tiling::None => (),
        Tiling::Shift { low, bits } => each::<T>(bytes, out, |v| (v.to_key().wrapping_sub(low) >> bits) << shift),
        Tiling::Divide { low, extent, reciprocal } => {
            each::<T>(bytes, out, |v| divide(v.to_key().wrapping_sub(low), extent, reciprocal).0 << shift);
        }
        Tiling::Narrow { .. } => divide_narrow::<T>(bytes, tiling, [Some(shift), None], out),
        // The quotient in the type's own precision, truncated.
        Tiling::Single { low, extent } => {
            each::<f32>(bytes, out, |v| (((v - low) / extent) as u64) << shift);
        }
        Tiling::Double { low, extent } => {
            each::<f64>(bytes, out, |v| (((v - low) / extent) as u64) << shift);
        }
    }
}

/// Distances from the start of the space tile; integers only.
pub(crate) fn insides<T: Cell>(bytes: &[u8], tiling: Tiling, shift: u32, out: &mut [u64]) {
    match tiling {
        Tiling::Shift { low, bits } => {
            let mask = (1u64 << bits) - 1;
            each::<T>(bytes, out, |v| (v.to_key().wrapping_sub(low) & mask) << shift);
        }
        Tiling::Divide { low, extent, reciprocal } => {
            each::<T>(bytes, out, |v| divide(v.to_key().wrapping_sub(low), extent, reciprocal).1 << shift);
        }
        Tiling::Narrow { .. } => divide_narrow::<T>(bytes, tiling, [None, Some(shift)], out),
        _ => (),
    }
}

/// Numbers of space tiles and distances from their starts, each with the position of its bits in a word. One pass where a division
/// yields both.
pub(crate) fn tiles_and_insides<T: Cell>(bytes: &[u8], tiling: Tiling, [tile, inside]: [u32; 2], out: &mut [u64]) {
    match tiling {
        Tiling::Narrow { .. } => divide_narrow::<T>(bytes, tiling, [Some(tile), Some(inside)], out),
        _ => {
            tiles::<T>(bytes, tiling, tile, out);
            insides::<T>(bytes, tiling, inside, out);
        }
    }
}

/// Quotients and remainders, for [`Tiling::Narrow`]; where the shift of one is missing it is left out.
fn divide_narrow<T: Cell>(bytes: &[u8], tiling: Tiling, shifts: [Option<u32>; 2], out: &mut [u64]) {
    if let Tiling::Narrow { low, extent, reciprocal } = tiling {
        simd::run(NarrowDivision::<T> { bytes, low, extent, reciprocal, shifts, out, of: PhantomData });
    }
}

/// A loop of divisions.
struct NarrowDivision<'a, T> {
    bytes: &'a [u8],
    low: u64,
    extent: u32,
    reciprocal: u32,
    shifts: [Option<u32>; 2],
    out: &'a mut [u64],
    of: PhantomData<T>,
}

impl<T: Cell> Kernel for NarrowDivision<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let NarrowDivision { bytes, low, extent, reciprocal, shifts, out, .. } = self;
        // Products of 32-bit numbers in 64 bits, and no comparison: what every vector unit has.
        let divide = |value: T| {
            let value = value.to_key().wrapping_sub(low);
            let estimate = (u64::from(value as u32) * u64::from(reciprocal)) >> 32;
            let rest = value.wrapping_sub(u64::from(estimate as u32) * u64::from(extent));
            // The estimate is at most one low.
            let low = (u64::from(extent) - 1).wrapping_sub(rest) >> 63;
            (estimate + low, rest.wrapping_sub(u64::from(extent) & low.wrapping_neg()))
        };
        match shifts {
            [Some(tile), Some(inside)] => each::<T>(bytes, out, |value| {
                let (quotient, rest) = divide(value);
                quotient << tile | rest << inside
            }),
            [Some(tile), None] => each::<T>(bytes, out, |value| divide(value).0 << tile),
            [None, Some(inside)] => each::<T>(bytes, out, |value| divide(value).1 << inside),
            [None, None] => (),
        }
    }
}

/// The keys of a dimension's coordinates.
#[derive(Clone, Copy)]
pub(crate) struct KeySpan {
    /// Low bits that no value uses.
    pub drop: u32,
    /// The minimum without these.
    pub low: u64,
    /// The largest distance from that; floats beyond it, which are NaNs, count as it.
    pub most: u64,
}

/// The coordinates themselves, from the domain's low end on.
pub(crate) fn coordinates<T: Cell>(bytes: &[u8], span: KeySpan, shift: u32, out: &mut [u64]) {
    let KeySpan { drop, low, most } = span;
    match T::PHYSICAL.is_real() {
        true => each::<T>(bytes, out, |v| (v.to_key() >> drop).wrapping_sub(low).min(most) << shift),
        false => each::<T>(bytes, out, |v| (v.to_key() >> drop).wrapping_sub(low) << shift),
    }
}

/// The first eight bytes of strings, missing ones as zero.
pub(crate) fn prefixes(coords: &Coords<'_>, start: usize, out: &mut [u64]) {
    for (index, out) in out.iter_mut().enumerate() {
        *out = prefix(coords.text(start + index));
    }
}

/// As [`prefixes`], of the strings of some cells.
pub(crate) fn gather_prefixes(coords: &Coords<'_>, cells: &[u64], out: &mut [u64]) {
    out.iter_mut().zip(cells).for_each(|(out, &cell)| *out = prefix(coords.text(cell as usize)));
}

/// Copies the values of some cells, of `size` bytes each, one after another.
pub(crate) fn gather(size: usize, bytes: &[u8], cells: &[u64], out: &mut [u8]) {
    match size {
        1 => gather_cells::<1>(bytes, cells, out),
        2 => gather_cells::<2>(bytes, cells, out),
        4 => gather_cells::<4>(bytes, cells, out),
        _ => gather_cells::<8>(bytes, cells, out),
    }
}

fn gather_cells<const W: usize>(bytes: &[u8], cells: &[u64], out: &mut [u8]) {
    let values = bytes.as_chunks::<W>().0;
    out.as_chunks_mut::<W>().0.iter_mut().zip(cells).for_each(|(out, &cell)| *out = values[cell as usize]);
}
