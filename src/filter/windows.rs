//! Filters that cut a chunk into windows of integers: BIT_WIDTH_REDUCTION and POSITIVE_DELTA.
//!
//! BIT_WIDTH_REDUCTION stores each value less the window's minimum in the least sufficient width.
//! Metadata: `input length u32, windows u32`, per window `base, bits u8, bytes u32`.
//!
//! POSITIVE_DELTA stores the difference to the value before. Metadata: `windows u32`, per window `first
//! value, bytes u32`. In both, what was there before follows.

use std::marker::PhantomData;

use super::compress::put;
use super::integers::{Integer, by_integer};
use super::step::{Input, Output};
use crate::codec::simd::{self, Kernel};
use crate::error::{Error, Result, bail};
use crate::types::{Datatype, Physical};
use crate::wire::Reader;

/// The integers of a chunk and the most bytes of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Windows {
    physical: Physical,
    max_window: usize,
}

impl Windows {
    pub(super) fn new(datatype: Datatype, max_window: u32) -> Windows {
        Windows { physical: datatype.physical(), max_window: max_window as usize }
    }

    fn width(self) -> usize {
        self.physical.size()
    }

    /// The windows of a part: as large as allowed, in whole values.
    fn cut<'a>(self, data: &'a [u8]) -> std::slice::Chunks<'a, u8> {
        let size = data.len().min(self.max_window) / self.width() * self.width();
        data.chunks(size.max(self.width()))
    }

    pub(super) fn narrow(self, input: Input<'_>, output: &mut Output) -> Result<()> {
        put(&mut output.meta, input.data.len())?;
        put(&mut output.meta, self.cut(input.data).len())?;
        output.data.resize(input.data.len(), 0);
        by_integer!(self.physical, T => simd::run(Narrow::<T> { windows: self, src: input.data, output, of: PhantomData }))?;
        output.parts.push(output.meta.len());
        output.pass_on(&input);
        Ok(())
    }

    /// The length of the values before they were narrowed.
    pub(super) fn original_size(meta: &[u8]) -> Result<usize> {
        Ok(Reader::new("metadata of narrowed integers", meta).u32()? as usize)
    }

    pub(super) fn widen(self, input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let mut r = Reader::new("metadata of narrowed integers", input.meta);
        r.u32()?;
        let count = r.count32(self.width() + 5)?;
        let windows = r.bytes(count * (self.width() + 5))?;
        meta.extend_from_slice(r.bytes(r.remaining())?);
        by_integer!(self.physical, T => simd::run(Widen::<T> { windows, src: input.data, dst, of: PhantomData }))
    }

    pub(super) fn differences(self, input: Input<'_>, output: &mut Output) -> Result<()> {
        put(&mut output.meta, self.cut(input.data).len())?;
        if !input.data.len().is_multiple_of(self.width()) {
            bail!("POSITIVE_DELTA cannot take {} bytes as values of {} bytes", input.data.len(), self.width());
        }
        output.data.resize(input.data.len(), 0);
        by_integer!(self.physical, T => simd::run(Differences::<T> { windows: self, src: input.data, output, of: PhantomData }))?;
        output.parts.push(output.meta.len());
        output.pass_on(&input);
        Ok(())
    }

    pub(super) fn sums(self, input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let mut r = Reader::new("metadata of differences", input.meta);
        let count = r.count32(self.width() + 4)?;
        let windows = r.bytes(count * (self.width() + 4))?;
        meta.extend_from_slice(r.bytes(r.remaining())?);
        by_integer!(self.physical, T => sums_of::<T>(windows, input.data, dst))
    }
}

struct Narrow<'a, T> {
    windows: Windows,
    src: &'a [u8],
    /// Has room for the narrowed values, which are cut to their length.
    output: &'a mut Output,
    of: PhantomData<T>,
}

impl<T: Integer> Kernel for Narrow<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Output { meta, data, .. } = self.output;
        let mut place = 0;
        for window in self.windows.cut(self.src) {
            let to = &mut data[place..];
            let (base, bits) = narrow_window::<T>(window, to);
            place += if bits == 8 * T::SIZE { window.len() } else { window.len() / T::SIZE * (bits / 8) };
            meta.extend_from_slice(&base.to_bits().to_le_bytes()[..T::SIZE]);
            meta.push(bits as u8);
            put(meta, window.len())?;
        }
        data.truncate(place);
        Ok(())
    }
}

/// Narrows one window into `to`; the least value, and the bits that were chosen.
#[inline(always)]
fn narrow_window<T: Integer>(window: &[u8], to: &mut [u8]) -> (T, usize) {
    let (min, max) = T::extremes(window);
    let bits = if window.len().is_multiple_of(T::SIZE) { bits_for(min, max) } else { 8 * T::SIZE };
    let base = min.to_bits();
    match bits {
        _ if bits == 8 * T::SIZE => to[..window.len()].copy_from_slice(window),
        8 => T::map_out::<1>(window, to, |v| [v.wrapping_sub(base) as u8]),
        16 => T::map_out::<2>(window, to, |v| (v.wrapping_sub(base) as u16).to_le_bytes()),
        _ => T::map_out::<4>(window, to, |v| (v.wrapping_sub(base) as u32).to_le_bytes()),
    }
    (min, bits)
}

/// Bits per value of a window between `min` and `max`: 8, 16, 32 or those of the type. One value more
/// than the range must fit, for signed values with a sign.
#[inline(always)]
fn bits_for<T: Integer>(min: T, max: T) -> usize {
    // The range itself always fits the unsigned type; one more may not, but then all bits are needed.
    let range = max.to_bits().wrapping_sub(min.to_bits()) & (u64::MAX >> (64 - 8 * T::SIZE));
    let sign = usize::from(T::SIGNED);
    let needed = 64 - range.saturating_add(1).leading_zeros() as usize + sign;
    [8, 16, 32].into_iter().find(|&bits| bits >= needed).unwrap_or(64).min(8 * T::SIZE)
}

struct Widen<'a, T> {
    /// The metadata of the windows, whole ones.
    windows: &'a [u8],
    src: &'a [u8],
    dst: &'a mut [u8],
    of: PhantomData<T>,
}

impl<T: Integer> Kernel for Widen<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let (mut src, mut dst) = (self.src, self.dst);
        for window in self.windows.chunks_exact(T::SIZE + 5) {
            let (base, rest) = window.split_at(T::SIZE);
            let (base, bits) = (T::load(base).to_bits(), usize::from(rest[0]));
            let len = u32::from_le_bytes([rest[1], rest[2], rest[3], rest[4]]) as usize;
            let stored = match bits {
                _ if bits >= 8 * T::SIZE => len,
                8 | 16 | 32 if len.is_multiple_of(T::SIZE) => len / T::SIZE * (bits / 8),
                _ => bail!(Corrupt, "A window of {len} bytes in values of {bits} bits"),
            };
            let from = take(&mut src, stored)?;
            let to = take_mut(&mut dst, len)?;
            match bits {
                _ if stored == len => to.copy_from_slice(from),
                8 => T::map_in::<1>(from, to, |v| base.wrapping_add(T::extend8(v))),
                16 => T::map_in::<2>(from, to, |v| base.wrapping_add(T::extend16(v))),
                _ => T::map_in::<4>(from, to, |v| base.wrapping_add(T::extend32(v))),
            }
        }
        finish(dst)
    }
}

struct Differences<'a, T> {
    windows: Windows,
    src: &'a [u8],
    /// Has room for as many bytes.
    output: &'a mut Output,
    of: PhantomData<T>,
}

impl<T: Integer> Kernel for Differences<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Output { meta, data, .. } = self.output;
        let mut place = 0;
        for window in self.windows.cut(self.src) {
            let to = &mut data[place..place + window.len()];
            place += window.len();
            if !T::differences(window, to) {
                return Err(descent::<T>(window));
            }
            to[..T::SIZE].fill(0);
            meta.extend_from_slice(&window[..T::SIZE]);
            put(meta, window.len())?;
        }
        Ok(())
    }
}

/// The error of a window whose values descend.
#[cold]
fn descent<T: Integer>(window: &[u8]) -> Error {
    let values = || window.chunks_exact(T::SIZE).map(T::load);
    match values().zip(values().skip(1)).find(|(before, value)| value < before) {
        Some((before, value)) => {
            Error::invalid(format!("Positive delta filter error: {value} follows {before}; values must not descend"))
        }
        None => Error::internal("Values that descend do not"),
    }
}

fn sums_of<T: Integer>(windows: &[u8], src: &[u8], dst: &mut [u8]) -> Result<()> {
    let (mut src, mut dst) = (src, dst);
    for window in windows.chunks_exact(T::SIZE + 4) {
        let (first, len) = window.split_at(T::SIZE);
        let len = u32::from_le_bytes([len[0], len[1], len[2], len[3]]) as usize;
        let (from, to) = (take(&mut src, len)?, take_mut(&mut dst, len)?);
        T::running_sums(T::load(first), from, to);
    }
    finish(dst)
}

/// Takes `len` bytes off the front.
#[inline(always)]
fn take<'a>(src: &mut &'a [u8], len: usize) -> Result<&'a [u8]> {
    match src.split_at_checked(len) {
        Some((front, rest)) => {
            *src = rest;
            Ok(front)
        }
        None => bail!(Corrupt, "A chunk of integers has {} bytes left of {len}", src.len()),
    }
}

/// Takes `len` bytes off the front.
#[inline(always)]
fn take_mut<'a>(dst: &mut &'a mut [u8], len: usize) -> Result<&'a mut [u8]> {
    match std::mem::take(dst).split_at_mut_checked(len) {
        Some((front, rest)) => {
            *dst = rest;
            Ok(front)
        }
        None => bail!(Corrupt, "Integers are longer than their chunk"),
    }
}

/// All must be filled.
#[inline(always)]
fn finish(rest: &[u8]) -> Result<()> {
    if !rest.is_empty() {
        bail!(Corrupt, "A chunk of integers is {} bytes short", rest.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bits_leave_room_for_one_more() {
        assert_eq!([bits_for(0u32, 254), bits_for(0u32, 255)], [8, 16]);
        assert_eq!([bits_for(0i32, 126), bits_for(0i32, 127)], [8, 16]);
        assert_eq!([bits_for(0, i64::MAX), bits_for(i64::MIN, i64::MAX), bits_for(0, u64::MAX)], [64; 3]);
        assert_eq!([bits_for(0, u16::MAX), bits_for(i16::MIN, i16::MAX)], [16; 2]);
        assert_eq!(bits_for(-100i64, 26), 8);
    }

    fn round_trip(datatype: Datatype, values: &[u64], max_window: u32) {
        let windows = Windows::new(datatype, max_window);
        let size = datatype.size();
        let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect();
        let input = Input { meta: &[7], parts: &[1], data: &data };
        let mut output = Output::default();
        windows.narrow(input, &mut output).unwrap();
        let (mut back, mut meta) = (vec![1; data.len()], Vec::new());
        windows.widen(output.as_input(), &mut meta, &mut back).unwrap();
        assert!(back == data && meta == [7]);
        output.clear();
        meta.clear();
        let ascending = by_integer!(datatype.physical(), T => data.chunks(size).is_sorted_by_key(T::load));
        match windows.differences(input, &mut output) {
            Err(error) => assert!(!ascending && error.text().contains("must not descend")),
            Ok(()) => {
                back.fill(1);
                windows.sums(output.as_input(), &mut meta, &mut back).unwrap();
                assert!(back == data && meta == [7]);
            }
        }
    }

    proptest! {
        #[test]
        fn integers_come_back(
            values in prop::collection::vec(any::<u64>(), 0..300),
            shift in 0u32..64,
            offset: u64,
            sorted: bool,
            max_window in 0u32..600,
        ) {
            for datatype in Datatype::all().filter(|datatype| datatype.is_integer()) {
                let mut values: Vec<u64> = values.iter().map(|v| (v >> shift).wrapping_add(offset)).collect();
                if sorted {
                    values.sort_unstable();
                }
                round_trip(datatype, &values, max_window);
            }
        }
    }
}
