//! Kernels that convert columns of coordinates to parts of keys. Each adds its part to words in which its bits are
//! zero.

use crate::columns::coords::Coords;
use tiledb_core::types::{Cell, PhysicalType};
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
        _ => (),
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
