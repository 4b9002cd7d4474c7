//! CHECKSUM_SHA256: SHA-256 digests of every part, verified by reads unless `sm.skip_checksum_validation` is set;
//! detects corruption by unreliable storage.

use super::shared::digests::Digests;
use super::stage::FilterStage;
use crate::crypto::Digest;

/// The filter, which computes the digests of each chunk if it is to `compute` them.
pub(super) fn stage(compute: bool) -> Box<dyn FilterStage> {
    Box::new(Digests { digest: Digest::Sha256, compute })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, digested_parts, round_trip};

    /// The digests of "ab" and of "cde".
    #[rustfmt::skip]
    const AB: [u8; 32] = [0xfb, 0x8e, 0x20, 0xfc, 0x2e, 0x4c, 0x3f, 0x24, 0x8c, 0x60, 0xc3, 0x9b, 0xd6, 0x52, 0xf3, 0xc1, 0x34, 0x72, 0x98, 0xbb, 0x97, 0x7b, 0x8b, 0x4d, 0x59, 0x03, 0xb8, 0x50, 0x55, 0x62, 0x06, 0x03];
    #[rustfmt::skip]
    const CDE: [u8; 32] = [0x08, 0xa0, 0x18, 0xa9, 0x54, 0x92, 0x20, 0xd7, 0x07, 0xe1, 0x1c, 0x5c, 0x4f, 0xe9, 0x4d, 0x8d, 0xd6, 0x08, 0x25, 0xf0, 0x10, 0xe7, 0x1e, 0xfa, 0xa9, 0x1e, 0x5e, 0x78, 0x4f, 0x36, 0x4d, 0x7b];

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
