//! Hilbert values, after J. Skilling, "Programming the Hilbert curve" (2004), with the buckets that the format defines:
//! a coordinate's relative position in its dimension's domain, in double precision.

use std::sync::Arc;

use crate::columns::coords::Coords;
use tiledb_array::schema::Dimension;
use tiledb_core::types::{Cell, PhysicalType, dispatch};
use tiledb_filters::codec::simd::{self, Kernel};

/// How one dimension is divided into buckets.
struct HilbertAxis {
    physical: PhysicalType,
    size: usize,
    low: f64,
    span: f64,
}

/// Computes the Hilbert values of cells.
pub(crate) struct Hilbert {
    axes: Vec<HilbertAxis>,
    /// Bits of a bucket number.
    bits: u32,
}

impl Hilbert {
    /// For cells of these dimensions.
    pub(crate) fn new(dimensions: &[Arc<Dimension>]) -> Hilbert {
        let axis = |dimension: &Arc<Dimension>| {
            let physical = dimension.datatype().physical();
            let (low, high) = match dimension.domain() {
                Some(domain) => dispatch!(physical, T => {
                    let (low, high) = domain.ends::<T>();
                    (low.to_f64(), high.to_f64())
                }),
                None => (0.0, 1.0),
            };
            HilbertAxis { physical, size: dimension.size(), low, span: high - low }
        };
        // With more than 63 dimensions no bits are left for a bucket; such schemas use one bit.
        let bits = (63 / dimensions.len().max(1)).max(1) as u32;
        Hilbert { axes: dimensions.iter().map(axis).collect(), bits }
    }

    /// Working memory for `cells` cells.
    pub(crate) fn buckets(&self, cells: usize) -> Vec<u64> {
        vec![0; self.axes.len() * cells]
    }

    /// The values of the cells from `start` on.
    pub(crate) fn compute(&self, coords: &[Coords<'_>], start: usize, out: &mut [u64], buckets: &mut [u64]) {
        let (bits, count) = (self.bits, out.len());
        let most = ((1u64 << bits) - 1) as f64;
        for ((axis, column), buckets) in self.axes.iter().zip(coords).zip(buckets.chunks_exact_mut(count.max(1))) {
            match column {
                Coords::Fixed(bytes) => {
                    let bytes = &bytes[start * axis.size..(start + count) * axis.size];
                    dispatch!(axis.physical, T => {
                        let values = bytes.chunks_exact(size_of::<T>()).map(<T as Cell>::from_le);
                        for (bucket, value) in buckets.iter_mut().zip(values) {
                            *bucket = ((value.to_f64() - axis.low) / axis.span * most) as u64;
                        }
                    });
                }
                Coords::Var { .. } => {
                    for (cell, bucket) in buckets.iter_mut().enumerate() {
                        *bucket = text_bucket(column.text(start + cell), bits);
                    }
                }
            }
        }
        match self.axes.len() {
            2 => simd::run(Side::<2> { buckets, bits, out }),
            3 => simd::run(Side::<3> { buckets, bits, out }),
            axes => {
                let mut point = vec![0; axes];
                for (cell, out) in out.iter_mut().enumerate() {
                    point.iter_mut().zip(buckets.chunks_exact(count)).for_each(|(own, axis)| *own = axis[cell]);
                    *out = value(&mut point, bits);
                }
            }
        }
    }
}

/// Cells whose values are computed side by side.
const LANES: usize = 8;

/// The values of many cells of `N` dimensions, whose buckets are stored axis by axis.
struct Side<'a, const N: usize> {
    buckets: &'a [u64],
    bits: u32,
    out: &'a mut [u64],
}

impl<const N: usize> Kernel for Side<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let count = self.out.len();
        for (block, out) in self.out.chunks_mut(LANES).enumerate() {
            let mut points = [[0; LANES]; N];
            for (own, axis) in points.iter_mut().zip(self.buckets.chunks_exact(count)) {
                let axis = &axis[block * LANES..block * LANES + out.len()];
                own[..axis.len()].copy_from_slice(axis);
            }
            turn(&mut points, self.bits);
            out.copy_from_slice(&interleaved(&points)[..out.len()]);
        }
    }
}

/// As the first part of [`value`], for many points and without a branch that depends on them.
#[inline(always)]
fn turn<const N: usize>(points: &mut [[u64; LANES]; N], bits: u32) {
    let is_set = |word: u64, level: u32| 0u64.wrapping_sub((word >> level) & 1);
    for level in (1..bits).rev() {
        let below = (1u64 << level) - 1;
        for lane in 0..LANES {
            let mut first = points[0][lane];
            first ^= is_set(first, level) & below;
            for axis in &mut points[1..] {
                let own = axis[lane];
                let set = is_set(own, level);
                let swap = (first ^ own) & below & !set;
                first ^= swap | (below & set);
                axis[lane] = own ^ swap;
            }
            points[0][lane] = first;
        }
    }
    for lane in 0..LANES {
        for index in 1..N {
            points[index][lane] ^= points[index - 1][lane];
        }
        let before = points[N - 1][lane];
        let last = prefixes(before, bits);
        points[N - 1][lane] = last;
        points[..N - 1].iter_mut().for_each(|axis| axis[lane] ^= before ^ last);
    }
}

/// Each bit with all those above it added, modulo 2.
#[inline(always)]
fn prefixes(mut word: u64, bits: u32) -> u64 {
    let mut distance = 1;
    while distance < bits {
        word ^= word >> distance;
        distance <<= 1;
    }
    word
}

/// As [`interleave`], for many points.
#[inline(always)]
fn interleaved<const N: usize>(points: &[[u64; LANES]; N]) -> [u64; LANES] {
    let mut values = [0; LANES];
    for axis in points {
        for (value, &word) in values.iter_mut().zip(axis) {
            *value = match N {
                2 => (*value << 1) | spread(word),
                _ => (*value << 1) | spread_by_two(word),
            };
        }
    }
    values
}

/// The first eight bytes as a number, cut to `bits`. Bytes from 0x80 on are sign-extended first, as the format
/// requires.
fn text_bucket(text: &[u8], bits: u32) -> u64 {
    let byte = |index: usize| text.get(index).map_or(0, |&byte| i64::from(byte as i8) as u64);
    (0..8).fold(0u64, |word, index| (word << 8) | byte(index)) >> (64 - bits)
}

/// Turns a point into its distance along the curve.
fn value(point: &mut [u64], bits: u32) -> u64 {
    let last = point.len() - 1;
    for level in (1..bits).rev() {
        let (bit, below) = (1u64 << level, (1u64 << level) - 1);
        if point[0] & bit != 0 {
            point[0] ^= below;
        }
        for index in 1..=last {
            if point[index] & bit != 0 {
                point[0] ^= below;
            } else {
                let swap = (point[0] ^ point[index]) & below;
                point[0] ^= swap;
                point[index] ^= swap;
            }
        }
    }
    for index in 1..=last {
        point[index] ^= point[index - 1];
    }
    let before = point[last];
    point[last] = prefixes(before, bits);
    let change = before ^ point[last];
    for axis in &mut point[..last] {
        *axis ^= change;
    }
    interleave(point, bits)
}

/// One bit of every axis after the other, the first axis highest.
fn interleave(point: &[u64], bits: u32) -> u64 {
    let mut value = 0;
    for bit in (0..bits).rev() {
        for axis in point {
            value = (value << 1) | ((axis >> bit) & 1);
        }
    }
    value
}

/// The low 31 bits with a gap before each.
#[inline(always)]
fn spread(word: u64) -> u64 {
    let mut word = word & 0x7fff_ffff;
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555u64),
    ] {
        word = (word | (word << shift)) & mask;
    }
    word
}

/// The low 21 bits with two gaps before each.
#[inline(always)]
fn spread_by_two(word: u64) -> u64 {
    let mut word = word & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249u64),
    ] {
        word = (word | (word << shift)) & mask;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The values of points whose axes are these.
    fn values<const N: usize>(axes: &[Vec<u64>; N], bits: u32) -> Vec<u64> {
        let mut out = vec![0; axes[0].len()];
        Side::<N> { buckets: &axes.concat(), bits, out: &mut out }.run();
        out
    }

    proptest! {
        #[test]
        fn many_at_a_time_are_as_one_by_one(points in prop::collection::vec(any::<[u64; 3]>(), 1..40)) {
            let axis = |index: usize, bits: u32| points.iter().map(|point| point[index] >> (64 - bits)).collect();
            let two: [Vec<u64>; 2] = [axis(0, 31), axis(1, 31)];
            let alone: Vec<u64> = (0..points.len()).map(|p| value(&mut [two[0][p], two[1][p]], 31)).collect();
            prop_assert_eq!(values(&two, 31), alone);
            let three: [Vec<u64>; 3] = [axis(0, 21), axis(1, 21), axis(2, 21)];
            let alone: Vec<u64> =
                (0..points.len()).map(|p| value(&mut [three[0][p], three[1][p], three[2][p]], 21)).collect();
            prop_assert_eq!(values(&three, 21), alone);
        }
    }

    #[test]
    fn a_corner_comes_before_all_else() {
        for bits in [31, 20] {
            let mut values = std::collections::BTreeSet::new();
            for x in 0..4u64 {
                for y in 0..4u64 {
                    values.insert(value(&mut [x, y], bits));
                }
            }
            assert_eq!(values.into_iter().collect::<Vec<_>>(), (0..16).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        let mut points: Vec<([u64; 3], u64)> = Vec::new();
        for x in 0..8 {
            for y in 0..8 {
                for z in 0..8 {
                    points.push(([x, y, z], value(&mut [x, y, z], 21)));
                }
            }
        }
        points.sort_by_key(|point| point.1);
        for pair in points.windows(2) {
            let distance: u64 = (0..3).map(|axis| pair[0].0[axis].abs_diff(pair[1].0[axis])).sum();
            assert_eq!(distance, 1, "{pair:?}");
        }
    }

    #[test]
    fn text_buckets_extend_the_sign() {
        assert_eq!(text_bucket(b"a", 8), 0x61);
        assert_eq!(text_bucket(&[0x80], 8), 0x80);
        assert_eq!(text_bucket(&[0x41, 0x80], 8), 0xff);
    }
}
