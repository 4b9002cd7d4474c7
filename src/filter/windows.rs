//! Filters that cut a chunk into windows of integers: BIT_WIDTH_REDUCTION and POSITIVE_DELTA.
//!
//! BIT_WIDTH_REDUCTION stores each value less the window's minimum in the least sufficient width.
//! Metadata: `input length u32, windows u32`, per window `base, bits u8, bytes u32`.
//!
//! POSITIVE_DELTA stores the difference to the value before. Metadata: `windows u32`, per window `first
//! value, bytes u32`. In both, what was there before follows.

use super::compress::put;
use super::step::{Input, Output};
use crate::error::{Result, bail};
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

    fn is_signed(self) -> bool {
        matches!(self.physical, Physical::I8 | Physical::I16 | Physical::I32 | Physical::I64)
    }

    /// The windows of a part: as large as allowed, in whole values.
    fn cut<'a>(self, data: &'a [u8]) -> std::slice::Chunks<'a, u8> {
        let size = data.len().min(self.max_window) / self.width() * self.width();
        data.chunks(size.max(self.width()))
    }

    /// One value, widened by its sign.
    fn load(self, bytes: &[u8]) -> i128 {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let shift = 64 - 8 * bytes.len() as u32;
        let word = u64::from_le_bytes(word) << shift;
        if self.is_signed() { i128::from(word as i64 >> shift) } else { i128::from(word >> shift) }
    }

    pub(super) fn narrow(self, input: Input<'_>, output: &mut Output) -> Result<()> {
        let width = self.width();
        put(&mut output.meta, input.data.len())?;
        let windows = self.cut(input.data);
        put(&mut output.meta, windows.len())?;
        for window in windows {
            let (values, rest) = window.split_at(window.len() / width * width);
            let ends = values.chunks_exact(width).map(|v| self.load(v)).fold(None, |ends, v| match ends {
                None => Some((v, v)),
                Some((min, max)) => Some((v.min(min), v.max(max))),
            });
            let (base, max) = ends.unwrap_or((0, 0));
            let bits = if rest.is_empty() { self.bits(base, max) } else { width * 8 };
            output.meta.extend_from_slice(&base.to_le_bytes()[..width]);
            output.meta.push(bits as u8);
            put(&mut output.meta, window.len())?;
            if bits == width * 8 {
                output.data.extend_from_slice(window);
                continue;
            }
            for value in values.chunks_exact(width) {
                let offset = (self.load(value) - base) as u64;
                output.data.extend_from_slice(&offset.to_le_bytes()[..bits / 8]);
            }
        }
        output.parts.push(output.meta.len());
        output.pass_on(&input);
        Ok(())
    }

    /// Bits per value of a window between `min` and `max`: 8, 16, 32 or those of the type. One value more
    /// than the range must fit, for signed values with a sign.
    fn bits(self, min: i128, max: i128) -> usize {
        let range = (max - min + 1) as u128;
        let needed = 128 - range.leading_zeros() as usize + usize::from(self.is_signed());
        [8, 16, 32].into_iter().find(|&bits| bits >= needed).unwrap_or(64).min(self.width() * 8)
    }

    /// The length of the values before they were narrowed.
    pub(super) fn original_size(meta: &[u8]) -> Result<usize> {
        Ok(Reader::new("metadata of narrowed integers", meta).u32()? as usize)
    }

    pub(super) fn widen(self, input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let width = self.width();
        let mut r = Reader::new("metadata of narrowed integers", input.meta);
        r.u32()?;
        let count = r.count32(width + 5)?;
        let mut data = Reader::new("narrowed integers", input.data);
        let mut rest = dst;
        for _ in 0..count {
            let base = self.load(r.bytes(width)?);
            let bits = usize::from(r.u8()?);
            let len = r.u32()? as usize;
            let Some((this, tail)) = std::mem::take(&mut rest).split_at_mut_checked(len) else {
                bail!(Corrupt, "Narrowed integers are longer than their chunk");
            };
            rest = tail;
            match bits {
                _ if bits >= width * 8 => this.copy_from_slice(data.bytes(len)?),
                8 | 16 | 32 if len.is_multiple_of(width) => {
                    let narrow = data.bytes(len / width * (bits / 8))?;
                    for (to, from) in this.chunks_exact_mut(width).zip(narrow.chunks_exact(bits / 8)) {
                        to.copy_from_slice(&(base + self.load(from)).to_le_bytes()[..width]);
                    }
                }
                _ => bail!(Corrupt, "A window of {len} bytes in values of {bits} bits"),
            }
        }
        finish(rest, r, meta)
    }

    pub(super) fn differences(self, input: Input<'_>, output: &mut Output) -> Result<()> {
        let width = self.width();
        let windows = self.cut(input.data);
        put(&mut output.meta, windows.len())?;
        for window in windows {
            if !window.len().is_multiple_of(width) {
                bail!("POSITIVE_DELTA cannot take {} bytes as values of {width} bytes", window.len());
            }
            output.meta.extend_from_slice(&window[..width]);
            put(&mut output.meta, window.len())?;
            let mut before = self.load(&window[..width]);
            for value in window.chunks_exact(width) {
                let value = self.load(value);
                if value < before {
                    bail!("Positive delta filter error: {value} follows {before}; values must not descend");
                }
                output.data.extend_from_slice(&(value - before).to_le_bytes()[..width]);
                before = value;
            }
        }
        output.parts.push(output.meta.len());
        output.pass_on(&input);
        Ok(())
    }

    pub(super) fn sums(self, input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let width = self.width();
        let mut r = Reader::new("metadata of differences", input.meta);
        let count = r.count32(width + 4)?;
        let mut data = Reader::new("differences", input.data);
        let mut rest = dst;
        for _ in 0..count {
            let mut value = self.load(r.bytes(width)?) as u64;
            let len = r.u32()? as usize;
            let window = data.bytes(len)?;
            let Some((this, tail)) = std::mem::take(&mut rest).split_at_mut_checked(len) else {
                bail!(Corrupt, "Differences are longer than their chunk");
            };
            rest = tail;
            for (to, from) in this.chunks_exact_mut(width).zip(window.chunks_exact(width)) {
                value = value.wrapping_add(self.load(from) as u64);
                to.copy_from_slice(&value.to_le_bytes()[..width]);
            }
        }
        finish(rest, r, meta)
    }
}

/// All must be filled; the rest of the metadata belongs to earlier filters.
fn finish(rest: &[u8], mut r: Reader<'_>, meta: &mut Vec<u8>) -> Result<()> {
    if !rest.is_empty() {
        bail!(Corrupt, "A chunk of integers is {} bytes short", rest.len());
    }
    meta.extend_from_slice(r.bytes(r.remaining())?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_leave_room_for_one_more() {
        let of = |physical, max| Windows { physical, max_window: 256 }.bits(0, max);
        assert_eq!([of(Physical::U32, 254), of(Physical::U32, 255)], [8, 16]);
        assert_eq!([of(Physical::I32, 126), of(Physical::I32, 127)], [8, 16]);
        assert_eq!(of(Physical::I64, i128::from(i64::MAX)), 64);
        assert_eq!(of(Physical::U16, 65535), 16);
    }
}
