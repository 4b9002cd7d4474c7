//! BIT_WIDTH_REDUCTION: stores integers minus their window's minimum in the narrowest sufficient width; for integers
//! within a small range.
//!
//! Option: maximum number of bytes of a window. Datetimes are integers since format version 20; other types are not
//! changed.
//!
//! Metadata: `input length u32, windows u32`, per window `base, bits u8, bytes u32`, then the metadata of earlier
//! filters.

use std::marker::PhantomData;

use super::shared::integers::{Integer, by_integer};
use super::shared::windows::{self, Windows, take};
use super::shared::{finish, put, take_mut};
use super::stage::{FilterStage, StageInput, StageOutput};
use crate::codec::simd::{self, Kernel};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Datatype, FormatVersion};
use tiledb_core::wire::WireReader;

struct BitWidthReduction(Windows);

/// The filter for values of this type, if it does anything to them.
pub(super) fn stage(datatype: Datatype, version: FormatVersion, max_window: u32) -> Option<Box<dyn FilterStage>> {
    let active = windows::take_values_of(datatype, version) && datatype.size() > 1;
    active.then(|| -> Box<dyn FilterStage> { Box::new(BitWidthReduction(Windows::new(datatype, max_window))) })
}

impl FilterStage for BitWidthReduction {
    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()> {
        let windows = self.0;
        put(&mut output.meta, input.data.len())?;
        put(&mut output.meta, windows.cut(input.data).len())?;
        output.data.resize(input.data.len(), 0);
        by_integer!(windows.physical, T => simd::run(Narrow::<T> { windows, src: input.data, output, of: PhantomData }))?;
        output.append_earlier_metadata(&input);
        Ok(())
    }

    fn original_size(&self, input: StageInput<'_>) -> Result<usize> {
        Ok(WireReader::new("metadata of narrowed integers", input.meta).u32()? as usize)
    }

    fn reverse(&self, input: StageInput<'_>, _: usize, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let entry = self.0.width() + 5;
        let mut r = WireReader::new("metadata of narrowed integers", input.meta);
        r.u32()?;
        let count = r.count32(entry)?;
        let windows = r.bytes(count * entry)?;
        meta.extend_from_slice(r.bytes(r.remaining())?);
        by_integer!(self.0.physical, T => simd::run(Widen::<T> { windows, src: input.data, dst, of: PhantomData }))
    }
}

struct Narrow<'a, T> {
    windows: Windows,
    src: &'a [u8],
    /// Has capacity for the narrowed values; truncated to their length.
    output: &'a mut StageOutput,
    of: PhantomData<T>,
}

impl<T: Integer> Kernel for Narrow<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let StageOutput { meta, data, .. } = self.output;
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
                // Windows that are not whole values are stored unchanged, whatever their bit width.
                _ if bits >= 8 * T::SIZE || !len.is_multiple_of(T::SIZE) => len,
                8 | 16 | 32 => len / T::SIZE * (bits / 8),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::testing::{decode, refuses_other_numbers, round_trip};
    use tiledb_core::types::CURRENT_VERSION;

    #[test]
    fn bits_leave_room_for_one_more() {
        assert_eq!([bits_for(0u32, 254), bits_for(0u32, 255)], [8, 16]);
        assert_eq!([bits_for(0i32, 126), bits_for(0i32, 127)], [8, 16]);
        assert_eq!([bits_for(0, i64::MAX), bits_for(i64::MIN, i64::MAX), bits_for(0, u64::MAX)], [64; 3]);
        assert_eq!([bits_for(0, u16::MAX), bits_for(i16::MIN, i16::MAX)], [16; 2]);
        assert_eq!(bits_for(-100i64, 26), 8);
    }

    #[test]
    fn windows_have_a_base_and_a_width() {
        let stage = stage(Datatype::Int32, CURRENT_VERSION, 256).unwrap();
        // Two values of 8 bits from -2 on, one of 16 bits from 5 on, one as it is, a window without values.
        let meta = [
            &[16, 0, 0, 0, 4, 0, 0, 0][..],
            &[254, 255, 255, 255, 8, 8, 0, 0, 0],
            &[5, 0, 0, 0, 16, 4, 0, 0, 0],
            &[9, 9, 9, 9, 32, 4, 0, 0, 0],
            &[1, 1, 1, 1, 8, 0, 0, 0, 0],
            b"before",
        ]
        .concat();
        let data = [1, 3, 0, 1, 4, 3, 2, 1];
        let (rest, back) = decode(&*stage, &meta, &data, 16).unwrap();
        assert_eq!(rest, b"before");
        assert_eq!(back, [255, 255, 255, 255, 1, 0, 0, 0, 5, 1, 0, 0, 4, 3, 2, 1]);
        refuses_other_numbers(&*stage, &meta, &data, 16, &[0, 4, 13, 22, 31, 40]);
        for bits in [0, 7, 24] {
            let mut lie = meta.clone();
            lie[12] = bits;
            assert!(decode(&*stage, &lie, &data, 16).is_err(), "{bits} bits");
        }
    }

    #[test]
    fn windows_that_are_not_whole_values_lie_there_as_they_are() {
        let stage = stage(Datatype::Int32, CURRENT_VERSION, 256).unwrap();
        // libtiledb states the bits of the whole values among them.
        let meta = [&[6, 0, 0, 0, 1, 0, 0, 0][..], &[1, 0, 0, 0, 8, 6, 0, 0, 0]].concat();
        let data = [1, 2, 3, 4, 5, 6];
        assert_eq!(decode(&*stage, &meta, &data, 6).unwrap().1, data);
        round_trip(&*stage, &data);
    }

    #[test]
    fn some_types_are_left_alone() {
        let old = FormatVersion::from_number(19).unwrap();
        assert!(
            stage(Datatype::DatetimeDay, CURRENT_VERSION, 256).is_some()
                && stage(Datatype::DatetimeDay, old, 256).is_none()
        );
        assert!(stage(Datatype::Int8, old, 256).is_none() && stage(Datatype::Float32, old, 256).is_none());
    }

    proptest! {
        #[test]
        fn integers_come_back(
            values in prop::collection::vec(any::<u64>(), 0..300),
            shift in 0u32..64,
            offset: u64,
            max_window in 0u32..600,
        ) {
            for datatype in Datatype::all() {
                let Some(stage) = stage(datatype, CURRENT_VERSION, max_window) else { continue };
                let values = values.iter().map(|v| (v >> shift).wrapping_add(offset));
                let data: Vec<u8> = values.flat_map(|v| v.to_le_bytes()[..datatype.size()].to_vec()).collect();
                round_trip(&*stage, &data);
            }
        }
    }
}
