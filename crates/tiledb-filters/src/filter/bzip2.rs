//! BZIP2: bzip2 streams: slow, and often smaller than GZIP.
//!
//! Option: the compression level, 1 to 9; anything less means 1.

use super::shared::compressed::{Codec, Compressed};
use super::stage::Stage;
use crate::codec::bzip2;
use tiledb_core::error::{Result, bail};

struct Bzip2 {
    level: i32,
}

/// The filter at this level.
pub(super) fn stage(level: i32) -> Box<dyn Stage> {
    Box::new(Compressed(Bzip2 { level }))
}

impl Codec for Bzip2 {
    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if self.level > 9 {
            bail!("BZIP2 compression level {} is not between -1 and 9", self.level);
        }
        bzip2::compress(self.level, src, out)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        bzip2::decompress(src, dst)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, compressed_parts, round_trip};

    /// The streams that bzip2 makes of "ab" and of "cd".
    #[rustfmt::skip]
    const AB: [u8; 37] = [
        0x42, 0x5a, 0x68, 0x31, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xe9, 0x93, 0xfd, 0xcd, 0x00, 0x00, 0x00, 0x01, 0x00, 0x30, 0x00, 0x20, 0x00, 0x21, 0x00, 0x82, 0xb1, 0x77, 0x24, 0x53, 0x85, 0x09, 0x0e, 0x99, 0x3f, 0xdc, 0xd0,
    ];
    #[rustfmt::skip]
    const CD: [u8; 37] = [
        0x42, 0x5a, 0x68, 0x31, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x53, 0xe7, 0x2e, 0x70, 0x00, 0x00, 0x00, 0x01, 0x00, 0x0c, 0x00, 0x20, 0x00, 0x21, 0x00, 0x82, 0xb1, 0x77, 0x24, 0x53, 0x85, 0x09, 0x05, 0x3e, 0x72, 0xe7, 0x00,
    ];

    #[test]
    fn parts_are_streams() {
        compressed_parts(&*stage(1), &[(b"ab", &AB)], &[(b"cd", &CD), (b"ab", &AB)]);
        assert!(stage(10).forward_alone(b"ab", &mut Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes(), level in -2i32..10) {
            round_trip(&*stage(level), &data);
        }
    }
}
