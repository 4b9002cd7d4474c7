//! SCALE_FLOAT: floats as rounded integers, `(float - offset) / factor`; for measurements whose precision
//! is known. What is beyond it is lost.
//!
//! Options: the factor, the offset, and the bytes of an integer: 1, 2, 4 or 8. The next filter sees
//! signed integers of that width. The values are taken for floats by their width, 4 or 8 bytes.

use super::shared::shuffled::{Shuffle, Shuffled};
use super::stage::Stage;
use crate::codec::simd::{self, Kernel};
use crate::error::{Result, bail};
use crate::types::Datatype;

/// The numbers on both sides and how they relate: `float = factor * integer + offset`.
#[derive(Clone, Copy)]
struct Scale {
    factor: f64,
    offset: f64,
    /// Bytes of the float: 4 or 8.
    float: usize,
    /// Bytes of the integer: 1, 2, 4 or 8.
    integer: usize,
}

/// The filter for floats as wide as values of `datatype`, and integers of `width` bytes.
///
/// # Errors
/// For widths that numbers do not have.
pub(super) fn stage(datatype: Datatype, factor: f64, offset: f64, width: usize) -> Result<Box<dyn Stage>> {
    match (datatype.size(), width) {
        (float @ (4 | 8), integer @ (1 | 2 | 4 | 8)) => {
            Ok(Box::new(Shuffled(Scale { factor, offset, float, integer })))
        }
        (size, _) => bail!("SCALE_FLOAT cannot make integers of {width} bytes of {datatype:?}, {size} bytes each"),
    }
}

impl Shuffle for Scale {
    fn shuffled_size(&self, len: usize) -> Result<usize> {
        if !len.is_multiple_of(self.float) {
            bail!("SCALE_FLOAT cannot take {len} bytes as floats of {} bytes", self.float);
        }
        Ok(len / self.float * self.integer)
    }

    fn original_size(&self, len: usize) -> usize {
        (len / self.integer).saturating_mul(self.float)
    }

    fn shuffle(&self, src: &[u8], dst: &mut [u8]) {
        simd::run(Shrink { scale: *self, src, dst });
    }

    fn unshuffle(&self, src: &[u8], dst: &mut [u8]) {
        simd::run(Grow { scale: *self, src, dst });
    }
}

/// Runs a loop for the types of a scale.
macro_rules! by_types {
    ($scale:expr, $kernel:ident, $($argument:expr),*) => {
        match ($scale.float, $scale.integer) {
            (4, 1) => $kernel!(f32, i8, $scale, $($argument),*),
            (4, 2) => $kernel!(f32, i16, $scale, $($argument),*),
            (4, 4) => $kernel!(f32, i32, $scale, $($argument),*),
            (4, _) => $kernel!(f32, i64, $scale, $($argument),*),
            (_, 1) => $kernel!(f64, i8, $scale, $($argument),*),
            (_, 2) => $kernel!(f64, i16, $scale, $($argument),*),
            (_, 4) => $kernel!(f64, i32, $scale, $($argument),*),
            (_, _) => $kernel!(f64, i64, $scale, $($argument),*),
        }
    };
}

/// In the precision of the float; halves are rounded away from zero.
macro_rules! shrink {
    ($float:ident, $integer:ident, $scale:expr, $src:expr, $dst:expr) => {{
        let (factor, offset) = ($scale.factor as $float, $scale.offset as $float);
        let floats = $src.as_chunks::<{ size_of::<$float>() }>().0;
        let integers = $dst.as_chunks_mut::<{ size_of::<$integer>() }>().0;
        for (to, from) in integers.iter_mut().zip(floats) {
            let scaled = (<$float>::from_le_bytes(*from) - offset) / factor;
            *to = (scaled.round() as $integer).to_le_bytes();
        }
    }};
}

/// In double precision.
macro_rules! grow {
    ($float:ident, $integer:ident, $scale:expr, $src:expr, $dst:expr) => {{
        let integers = $src.as_chunks::<{ size_of::<$integer>() }>().0;
        let floats = $dst.as_chunks_mut::<{ size_of::<$float>() }>().0;
        for (to, from) in floats.iter_mut().zip(integers) {
            let integer = <$integer>::from_le_bytes(*from) as $float;
            *to = (($scale.factor * f64::from(integer) + $scale.offset) as $float).to_le_bytes();
        }
    }};
}

struct Shrink<'a> {
    scale: Scale,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for Shrink<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        by_types!(self.scale, shrink, self.src, self.dst);
    }
}

struct Grow<'a> {
    scale: Scale,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for Grow<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        by_types!(self.scale, grow, self.src, self.dst);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::stage::Input;
    use crate::filter::testing::{decode, encode, shuffled_parts};

    #[test]
    fn parts_are_integers() {
        let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let stage = stage(Datatype::Float32, 0.5, 10.0, 1).unwrap();
        // Halves go away from zero; what is beyond the integers becomes the last one there is.
        let halves = encode(&*stage, &floats(&[10.25, 9.75, 1e9, -1e9, f32::NAN])).data;
        assert_eq!(halves, [1, 255, 127, 128, 0]);
        shuffled_parts(
            &*stage,
            &[(&floats(&[10.0, 10.5, 9.5]), &[0, 1, 255]), (&[], &[]), (&floats(&[73.0, -53.5]), &[126, 129])],
        );
        assert!(stage.forward(Input { meta: &[], parts: &[], data: &[0; 6] }, &mut Default::default()).is_err());
        assert!(super::stage(Datatype::Int16, 1.0, 0.0, 4).is_err());
    }

    proptest! {
        #[test]
        fn floats_come_back_as_far_as_the_factor_goes(
            values in prop::collection::vec(-127i8..127, 0..200),
            width in prop::sample::select(vec![1usize, 2, 4, 8]),
            offset in -100i32..100,
        ) {
            let (factor, offset) = (0.25, f64::from(offset));
            let floats = values.iter().map(|&v| f64::from(v) * factor + offset);
            let doubles: Vec<u8> = floats.clone().flat_map(f64::to_le_bytes).collect();
            let singles: Vec<u8> = floats.flat_map(|v| (v as f32).to_le_bytes()).collect();
            for (datatype, data) in [(Datatype::Float64, doubles), (Datatype::Float32, singles)] {
                let stage = stage(datatype, factor, offset, width).unwrap();
                let chunk = encode(&*stage, &data);
                prop_assert_eq!(chunk.data.len(), values.len() * width);
                let (meta, back) = decode(&*stage, &chunk.meta, &chunk.data, data.len()).unwrap();
                prop_assert!(back == data && meta.is_empty());
            }
        }
    }
}
