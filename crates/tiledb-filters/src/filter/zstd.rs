//! ZSTD: Zstandard frames, the first choice for most data.
//!
//! Option: the compression level, -7 to 22; anything less means 3.

use super::shared::compressed::{Codec, Compressed};
use super::stage::Stage;
use crate::codec::zstd;
use tiledb_core::error::Result;

struct Zstd {
    level: i32,
}

/// The filter at this level.
pub(super) fn stage(level: i32) -> Box<dyn Stage> {
    Box::new(Compressed(Zstd { level }))
}

impl Codec for Zstd {
    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        zstd::compress(self.level, src, out)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        zstd::decompress(src, dst)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, compressed_parts, round_trip};

    #[test]
    fn parts_are_frames() {
        // Frames of one raw block each.
        let frame = |text: &[u8; 2]| [&[0x28, 0xb5, 0x2f, 0xfd, 0x20, 2, 0x11, 0, 0][..], text].concat();
        let (first, second) = (frame(b"ab"), frame(b"cd"));
        compressed_parts(&*stage(3), &[(b"ab", &first)], &[(b"cd", &second), (b"ab", &first)]);
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes(), level in -9i32..8) {
            round_trip(&*stage(level), &data);
        }
    }
}
