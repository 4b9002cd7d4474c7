//! DELTA: each value less the one before, wrapping; for values that change by little, with a compressor
//! behind it.
//!
//! Option: the datatype for which the bytes are taken, `ANY` for their own. Text counts as single bytes.

use super::shared::compressed::{Codec, Compressed};
use super::step::Step;
use crate::codec::delta;
use crate::error::Result;
use crate::types::Datatype;

struct Delta {
    width: usize,
}

/// The filter for values of this type.
pub(super) fn step(datatype: Datatype) -> Box<dyn Step> {
    Box::new(Compressed(Delta { width: width(datatype) }))
}

impl Codec for Delta {
    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        delta::compress(self.width, src, out)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        delta::decompress(self.width, src, dst)
    }
}

/// Bytes of the values that DELTA and DOUBLE_DELTA see: characters of text are single bytes, however wide.
pub(super) fn width(datatype: Datatype) -> usize {
    use Datatype::{StringUcs2, StringUcs4, StringUtf16, StringUtf32};
    match datatype {
        StringUtf16 | StringUtf32 | StringUcs2 | StringUcs4 => 1,
        _ => datatype.size(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{step, width};
    use crate::filter::testing::{bytes, compressed_parts, round_trip};
    use crate::types::Datatype;

    #[test]
    fn parts_are_counts_and_differences() {
        let rising = [2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0];
        let falling = [3, 0, 0, 0, 0, 0, 0, 0, 5, 0, 255, 255, 254, 255];
        compressed_parts(
            &*step(Datatype::Uint16),
            &[(&[1, 1, 2, 1], &rising)],
            &[(&[5, 0, 4, 0, 2, 0], &falling), (&[1, 1, 2, 1], &rising)],
        );
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes()) {
            for datatype in Datatype::all() {
                let whole = data.len() / width(datatype) * width(datatype);
                round_trip(&*step(datatype), &data[..whole]);
            }
        }
    }
}
