//! Compressing filters. Metadata: `metadata parts u32, data parts u32`, then per part `original length
//! u32, compressed length u32`. Data: the compressed parts, those of metadata first.

use super::{finish, length, put, take_mut};
use crate::filter::stage::{FilterStage, StageInput, StageOutput};
use tiledb_core::error::{Result, bail};
use tiledb_core::wire::WireReader;

/// A compressor with its parameters.
pub(in crate::filter) trait Codec {
    /// True if no part is written for data without values: libtiledb would look for values in it.
    fn omits_empty_data() -> bool {
        false
    }

    /// Appends `src`, compressed.
    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()>;

    /// Fills `dst` from `src`.
    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()>;
}

/// The filter that compresses every part, metadata included.
pub(in crate::filter) struct Compressed<C>(pub(in crate::filter) C);

/// Bytes of metadata for `parts` parts.
const fn head_size(parts: usize) -> usize {
    8 + 8 * parts
}

impl<C: Codec> FilterStage for Compressed<C> {
    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()> {
        put(&mut output.meta, input.parts.len())?;
        let data_parts = usize::from(!input.data.is_empty() || !C::omits_empty_data());
        put(&mut output.meta, data_parts)?;
        for part in input.parts().take(input.parts.len() + data_parts) {
            let start = output.data.len();
            self.0.compress(part, &mut output.data)?;
            put(&mut output.meta, part.len())?;
            put(&mut output.meta, output.data.len() - start)?;
        }
        output.parts.push(output.meta.len());
        Ok(())
    }

    fn forward_as_only_stage(&self, data: &[u8], out: &mut Vec<u8>) -> Result<Option<usize>> {
        if data.is_empty() && C::omits_empty_data() {
            out.extend_from_slice(&[0; head_size(0)]);
            return Ok(Some(head_size(0)));
        }
        let start = out.len();
        out.extend_from_slice(&[0; head_size(1)]);
        self.0.compress(data, out)?;
        let compressed = length(out.len() - start - head_size(1))?;
        let head = [0, 1, length(data.len())?, compressed];
        out[start..start + head_size(1)].copy_from_slice(bytemuck::cast_slice(&head));
        Ok(Some(head_size(1)))
    }

    fn original_size(&self, input: StageInput<'_>) -> Result<usize> {
        Ok(Head::read(input.meta)?.data_size)
    }

    fn reverse(&self, input: StageInput<'_>, meta_limit: usize, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let head = Head::read(input.meta)?;
        if head.meta_size > meta_limit {
            bail!(Corrupt, "{} bytes of filter metadata in a chunk", head.meta_size);
        }
        if head.data_size != dst.len() {
            bail!(Corrupt, "A compressed chunk of {} bytes instead of {}", head.data_size, dst.len());
        }
        meta.resize(head.meta_size, 0);
        let mut compressed = WireReader::new("compressed chunk", input.data);
        let (mut to_meta, mut to_data) = (meta.as_mut_slice(), dst);
        for part in 0..head.meta_parts + head.data_parts {
            let (original, packed) = head.part(part);
            let target = if part < head.meta_parts { &mut to_meta } else { &mut to_data };
            self.0.decompress(compressed.bytes(packed)?, take_mut(target, original)?)?;
        }
        if !compressed.is_empty() {
            return Err(compressed.corrupt(format_args!("{} bytes belong to no part", compressed.remaining())));
        }
        finish(to_data)
    }
}

/// Calls `part` with each compressed part of a chunk, those of metadata first.
pub(in crate::filter) fn for_each_part<'a>(
    meta: &'a [u8],
    data: &'a [u8],
    mut part: impl FnMut(&'a [u8]) -> Result<()>,
) -> Result<()> {
    let head = Head::read(meta)?;
    let mut compressed = WireReader::new("compressed chunk", data);
    (0..head.meta_parts + head.data_parts).try_for_each(|index| part(compressed.bytes(head.part(index).1)?))
}

/// The metadata of a compressed chunk, all of it checked for presence.
struct Head<'a> {
    meta_parts: usize,
    data_parts: usize,
    sizes: &'a [u8],
    /// Decoded bytes of metadata.
    meta_size: usize,
    /// Decoded bytes of data.
    data_size: usize,
}

impl<'a> Head<'a> {
    fn read(meta: &'a [u8]) -> Result<Head<'a>> {
        let mut r = WireReader::new("metadata of a compressed chunk", meta);
        let (meta_parts, data_parts) = (r.u32()? as usize, r.u32()? as usize);
        let capacity = r.remaining() / 8;
        if meta_parts.saturating_add(data_parts) > capacity {
            return Err(r.corrupt(format_args!("{meta_parts} + {data_parts} parts, room for {capacity}")));
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
