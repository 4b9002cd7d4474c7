//! GZIP: zlib streams (RFC 1950; not the gzip file format), for data that is written once and read by many programs.
//!
//! Option: the compression level, 0 to 9; anything less means 6.

use super::shared::compressed::{Codec, Compressed};
use super::stage::FilterStage;
use crate::codec::gzip;
use tiledb_core::error::Result;

struct Gzip {
    level: i32,
}

/// The filter at this level.
pub(super) fn stage(level: i32) -> Box<dyn FilterStage> {
    Box::new(Compressed(Gzip { level }))
}

impl Codec for Gzip {
    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        gzip::compress(self.level, src, out)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        gzip::decompress(src, dst)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, compressed_parts, round_trip};

    #[test]
    fn parts_are_zlib_streams() {
        // Two streams of one stored block each.
        let stream = |text: &[u8; 2], sum: [u8; 4]| [&[0x78, 1, 1, 2, 0, 0xfd, 0xff][..], text, &sum].concat();
        let (first, second) = (stream(b"ab", [1, 0x26, 0, 0xc4]), stream(b"cd", [1, 0x2c, 0, 0xc8]));
        compressed_parts(&*stage(6), &[(b"ab", &first)], &[(b"cd", &second), (b"ab", &first)]);
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes(), level in -3i32..10) {
            round_trip(&*stage(level), &data);
        }
    }
}
