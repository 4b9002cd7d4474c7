//! Hilbert values, after J. Skilling, "Programming the Hilbert curve" (2004), with the buckets that the
//! format defines: a coordinate's place in its dimension's domain, in double precision.

use std::sync::Arc;

use crate::query::columns::coords::Coords;
use crate::schema::Dimension;
use crate::types::{Cell, Physical, dispatch};

/// How one dimension is divided into buckets.
struct Axis {
    physical: Physical,
    size: usize,
    low: f64,
    span: f64,
}

/// Computes the Hilbert values of cells.
pub struct Hilbert {
    axes: Vec<Axis>,
    /// Bits of a bucket number.
    bits: u32,
}

impl Hilbert {
    /// For cells of these dimensions.
    pub fn new(dimensions: &[Arc<Dimension>]) -> Hilbert {
        let axis = |dimension: &Arc<Dimension>| {
            let physical = dimension.datatype().physical();
            let (low, high) = match dimension.domain() {
                Some(domain) => dispatch!(physical, T => {
                    let (low, high) = domain.ends::<T>();
                    (low.to_f64(), high.to_f64())
                }),
                None => (0.0, 1.0),
            };
            Axis { physical, size: dimension.size(), low, span: high - low }
        };
        // Beyond 63 dimensions nothing is left of a bucket; such schemas keep one bit.
        let bits = (63 / dimensions.len().max(1)).max(1) as u32;
        Hilbert { axes: dimensions.iter().map(axis).collect(), bits }
    }

    /// Working memory for `cells` cells.
    pub fn buckets(&self, cells: usize) -> Vec<u64> {
        vec![0; self.axes.len() * cells]
    }

    /// The values of the cells from `start` on.
    pub fn compute(&self, coords: &[Coords<'_>], start: usize, out: &mut [u64], buckets: &mut [u64]) {
        let count = self.axes.len();
        let most = ((1u64 << self.bits) - 1) as f64;
        for (index, (axis, column)) in self.axes.iter().zip(coords).enumerate() {
            match column {
                Coords::Fixed(bytes) => {
                    let bytes = &bytes[start * axis.size..(start + out.len()) * axis.size];
                    dispatch!(axis.physical, T => {
                        let values = bytes.chunks_exact(size_of::<T>()).map(<T as Cell>::from_le);
                        for (cell, value) in values.enumerate() {
                            buckets[cell * count + index] = ((value.to_f64() - axis.low) / axis.span * most) as u64;
                        }
                    });
                }
                Coords::Var { .. } => {
                    for cell in 0..out.len() {
                        buckets[cell * count + index] = text_bucket(column.text(start + cell), self.bits);
                    }
                }
            }
        }
        for (out, point) in out.iter_mut().zip(buckets.chunks_exact_mut(count)) {
            *out = value(point, self.bits);
        }
    }
}

/// The first eight bytes as a number, cut to `bits`. Bytes from 0x80 on are sign-extended first, as the
/// format wants it.
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
    let mut distance = 1;
    while distance < bits {
        point[last] ^= point[last] >> distance;
        distance <<= 1;
    }
    let change = before ^ point[last];
    for axis in &mut point[..last] {
        *axis ^= change;
    }
    interleave(point, bits)
}

/// One bit of every axis after the other, the first axis highest.
fn interleave(point: &[u64], bits: u32) -> u64 {
    if let ([x, y], 31) = (point, bits) {
        return (spread(*x) << 1) | spread(*y);
    }
    let mut value = 0;
    for bit in (0..bits).rev() {
        for axis in point {
            value = (value << 1) | ((axis >> bit) & 1);
        }
    }
    value
}

/// The low 31 bits with a gap before each.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_comes_before_all_else() {
        for bits in [31, 20] {
            let mut seen = std::collections::BTreeSet::new();
            for x in 0..4u64 {
                for y in 0..4u64 {
                    seen.insert(value(&mut [x, y], bits));
                }
            }
            assert_eq!(seen.into_iter().collect::<Vec<_>>(), (0..16).collect::<Vec<u64>>());
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
