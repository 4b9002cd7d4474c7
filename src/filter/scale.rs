//! SCALE_FLOAT: floats as rounded integers. Metadata: `parts u32`, then each part's length as integers
//! u32, then what was there before.

use super::compress::put;
use super::step::{Input, Output};
use crate::codec::simd::{self, Kernel};
use crate::error::{Result, bail};
use crate::wire::Reader;

/// The numbers on both sides and how they relate: `float = factor * integer + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) factor: f64,
    pub(super) offset: f64,
    /// Bytes of the float: 4 or 8.
    pub(super) float: usize,
    /// Bytes of the integer: 1, 2, 4 or 8.
    pub(super) integer: usize,
}

impl Scale {
    pub(super) fn forward(self, input: Input<'_>, output: &mut Output) -> Result<()> {
        if !input.data.len().is_multiple_of(self.float) {
            bail!("SCALE_FLOAT cannot take {} bytes as floats of {} bytes", input.data.len(), self.float);
        }
        let len = input.data.len() / self.float * self.integer;
        put(&mut output.meta, 1)?;
        put(&mut output.meta, len)?;
        output.parts.push(output.meta.len());
        output.pass_on(&input);
        output.data.resize(len, 0);
        simd::run(Shrink { scale: self, src: input.data, dst: &mut output.data });
        Ok(())
    }

    /// Bytes of the floats of which `data` are the integers.
    pub(super) fn original_size(self, data: &[u8]) -> usize {
        (data.len() / self.integer).saturating_mul(self.float)
    }

    pub(super) fn reverse(self, input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let mut r = Reader::new("metadata of scaled floats", input.meta);
        let parts = r.count32(4)?;
        let mut lengths = Reader::new("lengths of scaled floats", r.bytes(parts * 4)?);
        let mut total = 0u64;
        while !lengths.is_empty() {
            total += u64::from(lengths.u32()?);
        }
        let whole = input.data.len().is_multiple_of(self.integer) && self.original_size(input.data) == dst.len();
        if total != input.data.len() as u64 || !whole {
            bail!(Corrupt, "{} bytes of scaled floats for {} bytes", input.data.len(), dst.len());
        }
        meta.extend_from_slice(r.bytes(r.remaining())?);
        simd::run(Grow { scale: self, src: input.data, dst });
        Ok(())
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
    use super::*;

    #[test]
    fn floats_come_back_as_far_as_the_factor_goes() {
        for (float, integer) in [(4, 1), (4, 2), (4, 4), (4, 8), (8, 1), (8, 2), (8, 4), (8, 8)] {
            let scale = Scale { factor: 0.5, offset: 10.0, float, integer };
            let floats = [10.0, 10.25, 9.75, 73.0, -53.6];
            let bytes: Vec<u8> = match float {
                4 => floats.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect(),
                _ => floats.iter().flat_map(|&v: &f64| v.to_le_bytes()).collect(),
            };
            let mut output = Output::default();
            scale.forward(Input { meta: &[], parts: &[], data: &bytes }, &mut output).unwrap();
            let firsts: Vec<i8> = output.data.chunks(integer).map(|v| v[0] as i8).collect();
            assert_eq!(firsts, [0, 1, -1, 126, -127], "halves go away from zero");
            let mut back = vec![0; bytes.len()];
            scale.reverse(output.as_input(), &mut Vec::new(), &mut back).unwrap();
            let back: Vec<f64> = match float {
                4 => back.as_chunks::<4>().0.iter().map(|v| f64::from(f32::from_le_bytes(*v))).collect(),
                _ => back.as_chunks::<8>().0.iter().map(|v| f64::from_le_bytes(*v)).collect(),
            };
            assert_eq!(back, [10.0, 10.5, 9.5, 73.0, -53.5]);
            assert!(scale.reverse(output.as_input(), &mut Vec::new(), &mut [0; 8]).is_err());
        }
    }
}
