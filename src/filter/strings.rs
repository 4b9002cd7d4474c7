//! RLE and DICTIONARY on variable-sized text. The whole tile is one chunk, and the cells' offsets are not
//! stored but rebuilt.
//!
//! Metadata, little-endian: `0 u32, 1 u32, data length u32, encoded length u32, offsets length u32`, the
//! widths of the two kinds of number inside, one byte each; for DICTIONARY `dictionary length u32,
//! dictionary`.

use super::compress::{length, put};
use super::step::{Input, Output};
use crate::codec::{Target, Widths, string_dictionary, string_rle};
use crate::error::{Result, bail};
use crate::wire::Reader;

/// How text is encoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Strings {
    Rle,
    Dictionary,
}

impl Strings {
    /// Encodes the cells that start at `starts`. No filter may have been there before.
    pub(super) fn forward(self, starts: &[u64], input: Input<'_>, output: &mut Output) -> Result<()> {
        let mut dictionary = Vec::new();
        let widths = match self {
            Strings::Rle => string_rle::compress(input.data, starts, &mut output.data)?,
            Strings::Dictionary => string_dictionary::compress(input.data, starts, &mut dictionary, &mut output.data)?,
        };
        let meta = &mut output.meta;
        for number in [0, 1, input.data.len(), output.data.len(), starts.len().saturating_mul(8)] {
            put(meta, number)?;
        }
        meta.extend_from_slice(&[widths.first, widths.length]);
        if self == Strings::Dictionary {
            put(meta, length(dictionary.len())? as usize)?;
            meta.extend_from_slice(&dictionary);
        }
        output.parts.push(meta.len());
        Ok(())
    }

    /// Bytes of the values before they were encoded.
    pub(super) fn original_size(meta: &[u8]) -> Result<usize> {
        Ok(Head::read(&mut Reader::new("metadata of encoded strings", meta))?.data_size)
    }

    /// Decodes the values or their starts.
    pub(super) fn reverse(self, input: Input<'_>, target: Target<'_>) -> Result<()> {
        let mut r = Reader::new("metadata of encoded strings", input.meta);
        let head = Head::read(&mut r)?;
        let size = match &target {
            Target::Values(out) => out.len(),
            Target::Starts(_, size) => *size,
        };
        if head.data_size != size || head.encoded_size != input.data.len() {
            bail!(
                Corrupt,
                "{} bytes of encoded strings for {} bytes, but {} bytes for {size} are wanted",
                head.encoded_size,
                head.data_size,
                input.data.len()
            );
        }
        match self {
            Strings::Rle => string_rle::decompress(head.widths, input.data, head.cells, target),
            Strings::Dictionary => {
                let len = r.count32(1)?;
                let dictionary = r.bytes(len)?;
                string_dictionary::decompress(head.widths, dictionary, input.data, head.cells, target)
            }
        }
    }
}

struct Head {
    data_size: usize,
    encoded_size: usize,
    cells: usize,
    widths: Widths,
}

impl Head {
    fn read(r: &mut Reader<'_>) -> Result<Head> {
        let parts = (r.u32()?, r.u32()?);
        let (data_size, encoded_size, offsets_size) = (r.u32()? as usize, r.u32()? as usize, r.u32()? as usize);
        if parts != (0, 1) || !offsets_size.is_multiple_of(8) {
            return Err(r.corrupt(format_args!("{parts:?} parts, {offsets_size} bytes of offsets")));
        }
        let widths = Widths { first: r.u8()?, length: r.u8()? };
        Ok(Head { data_size, encoded_size, cells: offsets_size / 8, widths })
    }
}
