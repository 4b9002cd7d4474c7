//! RLE and DICTIONARY on variable-sized text. The whole tile is one chunk, and the offsets of the cells are not
//! stored but computed when the tile is decoded.
//!
//! Metadata, little-endian: `0 u32, 1 u32, data length u32, encoded length u32, offsets length u32`, the
//! widths of the two kinds of encoded numbers, one byte each; for DICTIONARY `dictionary length u32,
//! dictionary`.

use super::put;
use crate::codec::{NumberWidths, StringTarget};
use crate::filter::stage::{FilterStage, StageInput, StageOutput};
use tiledb_core::error::{Result, bail};
use tiledb_core::wire::WireReader;

/// A string encoding.
pub(in crate::filter) trait TextCodec {
    /// Encodes the cells that start at `starts` into `out`, and the bytes after the header into `extra`.
    fn encode(&self, data: &[u8], starts: &[u64], extra: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<NumberWidths>;

    /// Decodes `cells` cells; `extra` follows the header.
    fn decode(
        &self,
        widths: NumberWidths,
        extra: &mut WireReader<'_>,
        src: &[u8],
        cells: usize,
        target: StringTarget<'_>,
    ) -> Result<()>;
}

/// The filter that encodes the cells that start at `starts`. It must be the first filter of the pipeline.
pub(in crate::filter) struct Text<'a, C> {
    pub(in crate::filter) codec: C,
    pub(in crate::filter) starts: &'a [u64],
}

impl<C: TextCodec> Text<'_, C> {
    fn decode(&self, input: StageInput<'_>, target: StringTarget<'_>) -> Result<()> {
        let mut r = WireReader::new("metadata of encoded strings", input.meta);
        let head = Head::read(&mut r)?;
        let size = target.size();
        if head.data_size != size || head.encoded_size != input.data.len() {
            bail!(
                Corrupt,
                "{} bytes of encoded strings for {} bytes, but {} bytes for {size} are wanted",
                head.encoded_size,
                head.data_size,
                input.data.len()
            );
        }
        self.codec.decode(head.widths, &mut r, input.data, head.cells, target)
    }
}

impl<C: TextCodec> FilterStage for Text<'_, C> {
    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()> {
        let mut extra = Vec::new();
        let widths = self.codec.encode(input.data, self.starts, &mut extra, &mut output.data)?;
        let meta = &mut output.meta;
        for number in [0, 1, input.data.len(), output.data.len(), self.starts.len().saturating_mul(8)] {
            put(meta, number)?;
        }
        meta.extend_from_slice(&[widths.first, widths.length]);
        meta.extend_from_slice(&extra);
        output.parts.push(meta.len());
        Ok(())
    }

    fn original_size(&self, input: StageInput<'_>) -> Result<usize> {
        Ok(Head::read(&mut WireReader::new("metadata of encoded strings", input.meta))?.data_size)
    }

    fn reverse(&self, input: StageInput<'_>, _: usize, _: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        self.decode(input, StringTarget::Values(dst))
    }

    fn encodes_text(&self) -> bool {
        true
    }

    fn reverse_strings(&self, input: StageInput<'_>, target: StringTarget<'_>) -> Result<()> {
        self.decode(input, target)
    }
}

struct Head {
    data_size: usize,
    encoded_size: usize,
    cells: usize,
    widths: NumberWidths,
}

impl Head {
    fn read(r: &mut WireReader<'_>) -> Result<Head> {
        let parts = (r.u32()?, r.u32()?);
        let (data_size, encoded_size, offsets_size) = (r.u32()? as usize, r.u32()? as usize, r.u32()? as usize);
        if parts != (0, 1) || !offsets_size.is_multiple_of(8) {
            return Err(r.corrupt(format_args!("{parts:?} parts, {offsets_size} bytes of offsets")));
        }
        let widths = NumberWidths { first: r.u8()?, length: r.u8()? };
        Ok(Head { data_size, encoded_size, cells: offsets_size / 8, widths })
    }
}
