//! Compressing filters. Metadata: `metadata parts u32, data parts u32`, then per part `original length
//! u32, compressed length u32`. Data: the compressed parts, those of metadata first.

use super::step::{Input, Output};
use crate::codec::double_delta::{self, Integers};
use crate::codec::{bzip2, delta, gzip, lz4, rle, zstd};
use crate::error::{Result, bail};
use crate::wire::Reader;

/// A compressor with what it needs to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Compressor {
    Gzip { level: i32 },
    Zstd { level: i32 },
    Lz4 { level: i32 },
    Rle { cell_size: usize },
    Delta { width: usize },
    DoubleDelta(Integers),
    Bzip2 { level: i32 },
}

/// Bytes of metadata for `parts` parts.
const fn head_size(parts: usize) -> usize {
    8 + 8 * parts
}

impl Compressor {
    /// Appends `src`, compressed.
    pub(super) fn compress(self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match self {
            Compressor::Gzip { level } => gzip::compress(level, src, out),
            Compressor::Zstd { level } => zstd::compress(level, src, out),
            Compressor::Lz4 { level } => lz4::compress(level, src, out),
            Compressor::Rle { cell_size } => rle::compress(cell_size, src, out),
            Compressor::Delta { width } => delta::compress(width, src, out),
            Compressor::DoubleDelta(integers) => double_delta::compress(integers, src, out),
            Compressor::Bzip2 { level } => bzip2::compress(level, src, out),
        }
    }

    /// Fills `dst` from `src`.
    pub(super) fn decompress(self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        match self {
            Compressor::Gzip { .. } => gzip::decompress(src, dst),
            Compressor::Zstd { .. } => zstd::decompress(src, dst),
            Compressor::Lz4 { .. } => lz4::decompress(src, dst),
            Compressor::Rle { cell_size } => rle::decompress(cell_size, src, dst),
            Compressor::Delta { width } => delta::decompress(width, src, dst),
            Compressor::DoubleDelta(integers) => double_delta::decompress(integers, src, dst),
            Compressor::Bzip2 { .. } => bzip2::decompress(src, dst),
        }
    }

    /// Appends the metadata and the compressed bytes of a chunk that no other filter has touched, as
    /// they lie on disk; returns the length of the metadata.
    pub(super) fn forward_alone(self, data: &[u8], out: &mut Vec<u8>) -> Result<usize> {
        let start = out.len();
        out.extend_from_slice(&[0; head_size(1)]);
        self.compress(data, out)?;
        let compressed = length(out.len() - start - head_size(1))?;
        let head = [0, 1, length(data.len())?, compressed];
        out[start..start + head_size(1)].copy_from_slice(bytemuck::cast_slice(&head));
        Ok(head_size(1))
    }

    pub(super) fn forward(self, input: Input<'_>, output: &mut Output) -> Result<()> {
        let parts = input.part_count();
        put(&mut output.meta, input.parts.len())?;
        put(&mut output.meta, 1)?;
        for part in input.parts() {
            let start = output.data.len();
            self.compress(part, &mut output.data)?;
            put(&mut output.meta, part.len())?;
            put(&mut output.meta, output.data.len() - start)?;
        }
        output.parts.push(head_size(parts));
        Ok(())
    }

    /// Decodes to `dst` if the metadata speaks of data of its length.
    pub(super) fn reverse(self, input: Input<'_>, meta_limit: usize, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let head = Head::read(input.meta)?;
        if head.meta_size > meta_limit {
            bail!(Corrupt, "{} bytes of filter metadata in a chunk", head.meta_size);
        }
        if head.data_size != dst.len() {
            bail!(Corrupt, "A compressed chunk of {} bytes instead of {}", head.data_size, dst.len());
        }
        meta.resize(head.meta_size, 0);
        let mut compressed = Reader::new("compressed chunk", input.data);
        let (mut to_meta, mut to_data) = (meta.as_mut_slice(), dst);
        for part in 0..head.meta_parts + head.data_parts {
            let (original, packed) = head.part(part);
            let target = if part < head.meta_parts { &mut to_meta } else { &mut to_data };
            let Some((this, rest)) = std::mem::take(target).split_at_mut_checked(original) else {
                bail!(Internal, "the parts of a chunk do not add up");
            };
            self.decompress(compressed.bytes(packed)?, this)?;
            *target = rest;
        }
        Ok(())
    }
}

/// The metadata of a compressed chunk, all of it checked for presence.
pub(super) struct Head<'a> {
    meta_parts: usize,
    data_parts: usize,
    sizes: &'a [u8],
    /// Decoded bytes of metadata.
    pub(super) meta_size: usize,
    /// Decoded bytes of data.
    pub(super) data_size: usize,
}

impl<'a> Head<'a> {
    pub(super) fn read(meta: &'a [u8]) -> Result<Head<'a>> {
        let mut r = Reader::new("metadata of a compressed chunk", meta);
        let (meta_parts, data_parts) = (r.u32()? as usize, r.u32()? as usize);
        let room = r.remaining() / 8;
        if meta_parts.saturating_add(data_parts) > room {
            return Err(r.corrupt(format_args!("{meta_parts} + {data_parts} parts, room for {room}")));
        }
        let sizes = r.bytes((meta_parts + data_parts) * 8)?;
        let mut head = Head { meta_parts, data_parts, sizes, meta_size: 0, data_size: 0 };
        head.meta_size = (0..meta_parts).fold(0, |sum: usize, part| sum.saturating_add(head.part(part).0));
        let data = meta_parts..meta_parts + data_parts;
        head.data_size = data.fold(0, |sum: usize, part| sum.saturating_add(head.part(part).0));
        Ok(head)
    }

    /// Original and compressed size of one part.
    fn part(&self, index: usize) -> (usize, usize) {
        let word = |at: usize| {
            let bytes = self.sizes.get(at..at + 4).unwrap_or(&[0; 4]);
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
        };
        (word(index * 8), word(index * 8 + 4))
    }
}

/// A length as chunks store it.
pub(super) fn length(len: usize) -> Result<u32> {
    match u32::try_from(len) {
        Ok(len) => Ok(len),
        Err(_) => bail!("A chunk of {len} bytes is too large; give the filter list a chunk size"),
    }
}

/// Appends a length.
pub(super) fn put(out: &mut Vec<u8>, len: usize) -> Result<()> {
    out.extend_from_slice(&length(len)?.to_le_bytes());
    Ok(())
}
