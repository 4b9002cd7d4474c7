//! What the time to decompress depends on beside the number of bytes, counted without decompressing.
//!
//! A decompressor of the LZ77 family executes *sequences*: copy literals, then copy a match. Each costs some nanoseconds, however
//! short, so that equally large outputs differ in time by a factor of five and more.
//!
//! Sources: the LZ4 block format; RFC 8878, section 3.1.1 (Zstandard frames and blocks).

use std::ops::AddAssign;

use tiledb_core::error::Result;
use tiledb_core::wire::WireReader;

/// Counts of operations of a decompressor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeWork {
    /// Matches to be copied, each with the literals before it.
    pub sequences: u64,
    /// Literals that are Huffman-coded.
    pub coded_literals: u64,
}

impl AddAssign for DecodeWork {
    fn add_assign(&mut self, other: DecodeWork) {
        self.sequences += other.sequences;
        self.coded_literals += other.coded_literals;
    }
}

/// Counts those of an LZ4 block.
///
/// # Errors
/// If the block is truncated.
pub fn of_lz4(block: &[u8]) -> Result<DecodeWork> {
    let mut work = DecodeWork::default();
    let mut r = WireReader::new("LZ4 block", block);
    while !r.is_empty() {
        let token = r.u8()?;
        let literals = lz4_length(&mut r, token >> 4)?;
        r.bytes(literals)?;
        // The last sequence has literals only.
        if !r.is_empty() {
            r.bytes(2)?;
            lz4_length(&mut r, token & 15)?;
            work.sequences += 1;
        }
    }
    Ok(work)
}

/// A length that begins with four bits of a token: 15 stands for more bytes, of which the last is not 255.
fn lz4_length(r: &mut WireReader<'_>, bits: u8) -> Result<usize> {
    let mut length = usize::from(bits);
    let mut goes_on = bits == 15;
    while goes_on {
        let byte = r.u8()?;
        length = length.saturating_add(usize::from(byte));
        goes_on = byte == 255;
    }
    Ok(length)
}

/// Counts those of a Zstandard frame.
///
/// # Errors
/// If the frame is truncated.
pub fn of_zstd(frame: &[u8]) -> Result<DecodeWork> {
    let mut work = DecodeWork::default();
    let mut r = WireReader::new("Zstandard frame", frame);
    r.bytes(4)?; // magic number
    let descriptor = r.u8()?;
    let is_single_segment = descriptor & 0x20 != 0;
    let window = usize::from(!is_single_segment);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        flag => 1 << flag,
    };
    r.bytes(window + dictionary + content_size)?;
    loop {
        let header = little_endian(r.bytes(3)?);
        let size = (header >> 3) as usize;
        match header >> 1 & 3 {
            1 => _ = r.bytes(1)?, // one byte, repeated
            2 => work += of_zstd_block(r.bytes(size)?)?,
            _ => _ = r.bytes(size)?,
        }
        if header & 1 == 1 {
            return Ok(work);
        }
    }
}

/// Counts those of a compressed block: a literals section, then the number of sequences.
fn of_zstd_block(block: &[u8]) -> Result<DecodeWork> {
    let mut r = WireReader::new("Zstandard block", block);
    let first = block.first().copied().unwrap_or_default();
    let format = first >> 2 & 3;
    let is_coded = first & 2 != 0;
    let header_size = match (is_coded, format) {
        (false, 0 | 2) => 1,
        (false, 1) => 2,
        (false, _) | (true, 0 | 1) => 3,
        (true, 2) => 4,
        (true, _) => 5,
    };
    let header = little_endian(r.bytes(header_size)?);
    let coded_literals = if is_coded {
        let bits = [10, 10, 14, 18][usize::from(format)];
        let field = |index: u32| header >> (4 + index * bits) & ((1 << bits) - 1);
        r.bytes(field(1) as usize)?;
        field(0)
    } else {
        let size = if header_size == 1 { header >> 3 } else { header >> 4 };
        let is_repeated = first & 1 == 1;
        r.bytes(if is_repeated { 1 } else { size as usize })?;
        0
    };
    let sequences = match u64::from(r.u8()?) {
        few @ 0..128 => few,
        255 => little_endian(r.bytes(2)?) + 0x7f00,
        many => ((many - 128) << 8) + u64::from(r.u8()?),
    };
    Ok(DecodeWork { sequences, coded_literals })
}

/// Up to eight bytes as a number.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::codec::{lz4, zstd};

    /// Letters at random: `matches` repetitions of ten bytes of the beginning, with a new letter after each.
    fn text(matches: usize) -> Vec<u8> {
        let mut state = 7u32;
        let mut byte = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let mut text: Vec<u8> = (0..200).map(|_| byte()).collect();
        for index in 0..matches {
            let start = index * 13 % 180;
            text.extend_from_within(start..start + 10);
            text.push(byte());
        }
        text.extend((0..20).map(|_| byte()));
        text
    }

    #[test]
    fn sequences_are_counted() {
        for matches in [0, 1, 50, 127, 128, 300, 5000, 40_000] {
            let text = text(matches);
            let (mut block, mut frame) = (Vec::new(), Vec::new());
            lz4::compress(-1, &text, &mut block).unwrap();
            zstd::compress(3, &text, &mut frame).unwrap();
            for counted in [of_lz4(&block).unwrap(), of_zstd(&frame).unwrap()] {
                let (low, high) = (matches as u64 * 9 / 10, matches as u64 * 5 / 4 + 2);
                assert!((low..=high).contains(&counted.sequences), "{matches} matches, {counted:?}");
            }
        }
    }

    #[test]
    fn coded_literals_are_counted() {
        // 16 values in no order: Huffman codes of 4 bits, and hardly a match.
        let mut state = 1u32;
        let nibbles: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 28) as u8
        })
        .take(300_000)
        .collect();
        for length in [100, 1_000, 20_000, 300_000] {
            let mut frame = Vec::new();
            zstd::compress(1, &nibbles[..length], &mut frame).unwrap();
            let work = of_zstd(&frame).unwrap();
            assert!(work.coded_literals > length as u64 * 8 / 10, "{length}: {work:?}");
        }
        let mut frame = Vec::new();
        zstd::compress(1, &[5; 300_000], &mut frame).unwrap();
        assert!(of_zstd(&frame).unwrap().coded_literals < 10);
    }

    #[test]
    fn truncated_data_are_errors() {
        let text = text(300);
        let (mut block, mut frame) = (Vec::new(), Vec::new());
        lz4::compress(-1, &text, &mut block).unwrap();
        zstd::compress(3, &text, &mut frame).unwrap();
        for end in 0..frame.len() - 1 {
            _ = of_lz4(&block[..end.min(block.len())]);
            assert!(of_zstd(&frame[..end]).is_err() || end > frame.len() - 8, "{end}");
        }
    }

    proptest! {
        #[test]
        fn noise_is_no_panic(noise in proptest::collection::vec(any::<u8>(), 0..300)) {
            _ = of_lz4(&noise);
            _ = of_zstd(&noise);
            _ = of_zstd_block(&noise);
        }
    }
}
