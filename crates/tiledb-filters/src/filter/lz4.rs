//! LZ4: raw LZ4 blocks, if speed matters more than size.
//!
//! Option: a compression level, which has no effect.

use super::shared::compressed::{Codec, Compressed};
use super::stage::FilterStage;
use crate::codec::lz4;
use tiledb_core::error::Result;

struct Lz4 {
    level: i32,
}

/// The filter at this level.
pub(super) fn stage(level: i32) -> Box<dyn FilterStage> {
    Box::new(Compressed(Lz4 { level }))
}

impl Codec for Lz4 {
    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        lz4::compress(self.level, src, out)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        lz4::decompress(src, dst)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, compressed_parts, round_trip};

    #[test]
    fn parts_are_blocks() {
        // Literals alone; and one literal, which 14 bytes repeat, before the five that end a block.
        let repeated: [u8; 10] = [0x1a, b'x', 1, 0, 0x50, b'1', b'2', b'3', b'4', b'5'];
        compressed_parts(
            &*stage(-1),
            &[(b"ab", &[0x20, b'a', b'b'])],
            &[(b"xxxxxxxxxxxxxxx12345", &repeated), (b"cd", &[0x20, b'c', b'd'])],
        );
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes(), level in -2i32..4) {
            round_trip(&*stage(level), &data);
        }
    }
}
