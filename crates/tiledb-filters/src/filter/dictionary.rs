//! DICTIONARY_ENCODING: replaces strings by their number in a dictionary; for columns with few distinct strings.
//!
//! Option: a compression level, which has no effect. Accepts only variable-sized ASCII and UTF-8 text, and
//! must be the first filter.

use super::shared::put;
use super::shared::text::{Text, TextCodec};
use super::stage::FilterStage;
use crate::codec::{NumberWidths, StringTarget, string_dictionary};
use tiledb_core::error::Result;
use tiledb_core::wire::WireReader;

struct Dictionary;

/// The filter for strings that start at `starts`.
pub(super) fn of_strings(starts: &[u64]) -> Box<dyn FilterStage + '_> {
    Box::new(Text { codec: Dictionary, starts })
}

impl TextCodec for Dictionary {
    fn encode(&self, data: &[u8], starts: &[u64], extra: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<NumberWidths> {
        let mut dictionary = Vec::new();
        let widths = string_dictionary::compress(data, starts, &mut dictionary, out)?;
        put(extra, dictionary.len())?;
        extra.extend_from_slice(&dictionary);
        Ok(widths)
    }

    fn decode(
        &self,
        widths: NumberWidths,
        extra: &mut WireReader<'_>,
        src: &[u8],
        cells: usize,
        target: StringTarget<'_>,
    ) -> Result<()> {
        let len = extra.count32(1)?;
        string_dictionary::decompress(widths, extra.bytes(len)?, src, cells, target)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::of_strings;
    use crate::filter::testing::{strings, strings_come_back, text_chunk};

    #[test]
    fn strings_are_numbers() {
        // The dictionary: "ab", nothing, "c".
        let dictionary = [9, 0, 0, 0, 0, 2, b'a', b'b', 0, 0, 0, 1, b'c'];
        text_chunk(&*of_strings(&[]), (1, 2), &dictionary, &[2, 0, 1, 0], b"cabab", 4);
    }

    proptest! {
        #[test]
        fn text_comes_back((data, starts) in strings()) {
            strings_come_back(&*of_strings(&starts), &data, &starts);
        }
    }
}
