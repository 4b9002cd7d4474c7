//! RLE: runs of equal cells, or of equal strings; for columns where the same values follow one another.
//!
//! Option: a compression level, which has no effect. Variable-sized ASCII and UTF-8 text is encoded as
//! strings; for it this must be the first filter.

use super::shared::compressed::{Codec, Compressed};
use super::shared::text::{Text, TextCodec};
use super::stage::FilterStage;
use crate::codec::{NumberWidths, StringTarget, rle, string_rle};
use tiledb_core::error::Result;
use tiledb_core::wire::WireReader;

struct Cells {
    size: usize,
}

struct Strings;

/// The filter for cells of this many bytes.
pub(super) fn stage(cell_size: usize) -> Box<dyn FilterStage> {
    Box::new(Compressed(Cells { size: cell_size }))
}

/// The filter for strings that start at `starts`.
pub(super) fn of_strings(starts: &[u64]) -> Box<dyn FilterStage + '_> {
    Box::new(Text { codec: Strings, starts })
}

impl Codec for Cells {
    fn omits_empty_data() -> bool {
        true
    }

    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        rle::compress(self.size, src, out)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        rle::decompress(self.size, src, dst)
    }
}

impl TextCodec for Strings {
    fn encode(&self, data: &[u8], starts: &[u64], _: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<NumberWidths> {
        string_rle::compress(data, starts, out)
    }

    fn decode(
        &self,
        widths: NumberWidths,
        _: &mut WireReader<'_>,
        src: &[u8],
        cells: usize,
        target: StringTarget<'_>,
    ) -> Result<()> {
        string_rle::decompress(widths, src, cells, target)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{of_strings, stage};
    use crate::filter::testing::{bytes, compressed_parts, round_trip, strings, strings_come_back, text_chunk};

    #[test]
    fn parts_are_cells_and_big_endian_counts() {
        let (six, one) = ([7, 8, 0, 6], [1, 2, 0, 1, 3, 4, 0, 1]);
        compressed_parts(&*stage(2), &[(&[7, 8].repeat(6), &six)], &[(&[1, 2, 3, 4], &one), (&[7, 8].repeat(6), &six)]);
    }

    #[test]
    fn strings_are_runs() {
        // A run of two "ab", and one of 258 empty strings.
        text_chunk(&*of_strings(&[]), (2, 1), &[], &[0, 2, 2, b'a', b'b', 1, 2, 0], b"abab", 260);
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes(), size in prop::sample::select(vec![1usize, 2, 4, 8])) {
            round_trip(&*stage(size), &data[..data.len() / size * size]);
        }

        #[test]
        fn text_comes_back((data, starts) in strings()) {
            strings_come_back(&*of_strings(&starts), &data, &starts);
        }
    }
}
