//! SCALE_FLOAT: floats as rounded integers, `(float - offset) / factor`; for measurements whose precision
//! is known. Lossy: digits beyond that precision are lost. Values that no integer represents (NaN, values out of range) are
//! errors.
//!
//! Options: the factor, the offset, and the size of an integer in bytes: 1, 2, 4 or 8. The next filter sees
//! signed integers of that width. Values of 4 or 8 bytes are interpreted as floats of that width.

use super::shared::shuffled::{Shuffle, Shuffled};
use super::stage::FilterStage;
use crate::codec::simd::{self, Kernel};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::filter::CHECKED_VALUES;
use tiledb_core::types::Datatype;

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
pub(super) fn stage(datatype: Datatype, factor: f64, offset: f64, width: usize) -> Result<Box<dyn FilterStage>> {
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

    fn shuffle(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        match simd::run(Shrink { scale: *self, src, dst }) {
            true => Ok(()),
            false => Err(self.out_of_range(src)),
        }
    }

    fn unshuffle(&self, src: &[u8], dst: &mut [u8]) {
        simd::run(Grow { scale: *self, src, dst });
    }
}

/// Range check of float scaling, and the replacement for values out of range in cells that are never read: null cells
/// and padding.
#[derive(Clone, Copy)]
pub struct Placeholder(Scale);

/// Values that the buffer holds: the value of [`CHECKED_VALUES`].
const MAX_CHECKED: usize = 512;

impl Placeholder {
    /// `None` for widths that numbers do not have.
    pub(super) fn new(datatype: Datatype, factor: f64, offset: f64, width: usize) -> Option<Placeholder> {
        let (float, integer) = (datatype.size(), width);
        let is_sound = matches!((float, integer), (4 | 8, 1 | 2 | 4 | 8));
        is_sound.then_some(Placeholder(Scale { factor, offset, float, integer }))
    }

    /// Rejects values that cannot be stored.
    ///
    /// # Errors
    /// As when they are filtered.
    pub fn check(&self, values: &[u8]) -> Result<()> {
        let scale = self.0;
        let mut integers = [0; MAX_CHECKED * size_of::<u64>()];
        for src in values.chunks(CHECKED_VALUES.count().min(MAX_CHECKED) * scale.float) {
            let dst = &mut integers[..src.len() / scale.float * scale.integer];
            if !simd::run(Shrink { scale, src, dst }) {
                return Err(scale.out_of_range(src));
            }
        }
        Ok(())
    }

    /// Replaces the values that cannot be stored by the offset, which always can. All others stay as they are, so that the same
    /// bytes are stored as libtiledb stores.
    pub fn replace(&self, values: &mut [u8]) {
        let Scale { offset, float, .. } = self.0;
        for value in values.chunks_exact_mut(float).filter(|value| !self.0.fits(value)) {
            match float {
                4 => value.copy_from_slice(&(offset as f32).to_le_bytes()),
                _ => value.copy_from_slice(&offset.to_le_bytes()),
            }
        }
    }
}

impl Scale {
    /// True if an integer represents a value.
    fn fits(&self, value: &[u8]) -> bool {
        simd::run(Shrink { scale: *self, src: value, dst: &mut [0; 8][..self.integer] })
    }

    /// The error for floats of which one cannot be stored.
    #[cold]
    fn out_of_range(&self, src: &[u8]) -> Error {
        let value = src.chunks_exact(self.float).find(|value| !self.fits(value)).unwrap_or_default();
        let value = match self.float {
            4 => bytemuck::pod_read_unaligned::<f32>(value).to_string(),
            _ => bytemuck::pod_read_unaligned::<f64>(value).to_string(),
        };
        let Scale { factor, offset, integer, .. } = self;
        Error::invalid(format!(
            "[TileDB::Filter] Error: Float scaling filter error: value {value} cannot be stored with scale {factor}, offset {offset} \
             and byte width {integer}; give a greater scale or byte width, or no such filter"
        ))
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

/// Scales in the precision of the float, rounding halves away from zero. False if a float is out of range. The greatest
/// integers are rounded up where the float cannot distinguish them, as in the reverse direction.
macro_rules! shrink {
    ($float:ident, $integer:ident, $scale:expr, $src:expr, $dst:expr) => {{
        let (factor, offset) = ($scale.factor as $float, $scale.offset as $float);
        let floats = $src.as_chunks::<{ size_of::<$float>() }>().0;
        let integers = $dst.as_chunks_mut::<{ size_of::<$integer>() }>().0;
        let (low, high) = ($integer::MIN as $float, $integer::MAX as $float);
        integers.iter_mut().zip(floats).fold(true, |fits, (to, from)| {
            let rounded = ((<$float>::from_le_bytes(*from) - offset) / factor).round();
            *to = (rounded as $integer).to_le_bytes();
            fits & (rounded >= low) & (rounded <= high)
        })
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
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        by_types!(self.scale, shrink, self.src, self.dst)
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
    use crate::filter::stage::StageInput;
    use crate::filter::testing::{decode, encode, shuffled_parts};

    #[test]
    fn parts_are_integers() {
        let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let stage = stage(Datatype::Float32, 0.5, 10.0, 1).unwrap();
        // Halves go away from zero.
        assert_eq!(encode(&*stage, &floats(&[10.25, 9.75])).data, [1, 255]);
        shuffled_parts(
            &*stage,
            &[(&floats(&[10.0, 10.5, 9.5]), &[0, 1, 255]), (&[], &[]), (&floats(&[73.0, -53.5]), &[126, 129])],
        );
        assert!(stage.forward(StageInput { meta: &[], parts: &[], data: &[0; 6] }, &mut Default::default()).is_err());
        assert!(super::stage(Datatype::Int16, 1.0, 0.0, 4).is_err());
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refused = |datatype, width, value: f64| {
            let stage = stage(datatype, 0.5, 10.0, width).unwrap();
            let data = match datatype {
                Datatype::Float32 => [10f32, value as f32].concat_bytes(),
                _ => [10f64, value].concat_bytes(),
            };
            let filtered = stage.forward(StageInput { meta: &[], parts: &[], data: &data }, &mut Default::default());
            filtered.err().map(|error| error.text().to_owned())
        };
        for datatype in [Datatype::Float32, Datatype::Float64] {
            for width in [1, 2, 4, 8] {
                for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e30, -1e30] {
                    let text = refused(datatype, width, value).unwrap();
                    assert!(
                        text.contains("scale 0.5, offset 10") && text.contains(&format!("byte width {width};")),
                        "{text}"
                    );
                }
            }
            assert!(refused(datatype, 1, 73.5).is_none() && refused(datatype, 1, -54.0).is_none());
            assert!(refused(datatype, 1, 74.0).unwrap().contains("value 74 cannot"));
            assert!(refused(datatype, 1, -54.5).unwrap().contains("value -54.5 cannot"));
        }
    }

    trait ConcatBytes {
        fn concat_bytes(self) -> Vec<u8>;
    }

    impl<T: bytemuck::NoUninit, const N: usize> ConcatBytes for [T; N] {
        fn concat_bytes(self) -> Vec<u8> {
            bytemuck::cast_slice(&self).to_vec()
        }
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
