//! CHECKSUM_MD5: MD5 digests of every part, verified by reads unless `sm.skip_checksum_validation` is set; detects
//! corruption by unreliable storage.

use super::shared::digests::Digests;
use super::stage::FilterStage;
use crate::crypto::Digest;

/// The filter, which computes the digests of each chunk if it is to `compute` them.
pub(super) fn stage(compute: bool) -> Box<dyn FilterStage> {
    Box::new(Digests { digest: Digest::Md5, compute })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, digested_parts, round_trip};

    /// The digests of "ab" and of "cde".
    #[rustfmt::skip]
    const AB: [u8; 16] = [0x18, 0x7e, 0xf4, 0x43, 0x61, 0x22, 0xd1, 0xcc, 0x2f, 0x40, 0xdc, 0x2b, 0x92, 0xf0, 0xeb, 0xa0];
    #[rustfmt::skip]
    const CDE: [u8; 16] = [0xa2, 0x56, 0xe6, 0xb3, 0x36, 0xaf, 0xdc, 0x38, 0xc5, 0x64, 0x78, 0x9c, 0x39, 0x9b, 0x51, 0x6c];

    #[test]
    fn every_part_has_its_digest() {
        digested_parts(stage, &AB, &CDE);
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes(), check: bool) {
            round_trip(&*stage(check), &data);
        }
    }
}
