//! DOUBLE_DELTA: differences of differences in as few bits as the largest needs; for values that increase
//! evenly, such as timestamps.
//!
//! Option: the datatype that the bytes are interpreted as, `ANY` for their own. Text is interpreted as single bytes.

use super::delta;
use super::shared::compressed::{Codec, Compressed};
use super::stage::FilterStage;
use crate::codec::double_delta::{self, Integers};
use tiledb_core::error::Result;
use tiledb_core::types::{Datatype, NumberKind};

/// The filter for values of this type, taken for those of another one if that is not `ANY`.
///
/// # Errors
/// If they are to be taken for text.
pub(super) fn stage(datatype: Datatype, reinterpret: Datatype) -> Result<Box<dyn FilterStage>> {
    let datatype = delta::taken_for(datatype, reinterpret)?;
    let signed = datatype.physical().kind() == NumberKind::Signed;
    Ok(Box::new(Compressed(Integers { width: delta::width(datatype), signed })))
}

impl Codec for Integers {
    fn omits_empty_data() -> bool {
        true
    }

    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        double_delta::compress(*self, src, out)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        double_delta::decompress(*self, src, dst)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, compressed_parts, round_trip};
    use tiledb_core::types::Datatype;

    #[test]
    fn parts_are_few_bits_or_the_values() {
        // 10, 12, 13: the first difference is 2, so two bits; then -1 as a sign and 01, from the top of a word.
        let few = [2, 3, 0, 0, 0, 0, 0, 0, 0, 10, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0xa0];
        // 15 bits save no space.
        let whole = [15, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0];
        compressed_parts(
            &*stage(Datatype::Blob, Datatype::Int16).unwrap(),
            &[(&[7, 0], &whole)],
            &[(&[10, 0, 12, 0, 13, 0], &few), (&[7, 0], &whole)],
        );
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes(), first: i32, stage_by in -900i32..900) {
            let even: Vec<u8> = (0..100).flat_map(|i| (first / 2 + i * stage_by).to_le_bytes()).collect();
            round_trip(&*stage(Datatype::Int32, Datatype::Any).unwrap(), &even);
            for datatype in [Datatype::Int8, Datatype::Uint16, Datatype::Uint32, Datatype::DatetimeDay] {
                let narrow: Vec<u8> = data.iter().flat_map(|&v| u64::from(v).to_le_bytes()[..datatype.size()].to_vec()).collect();
                round_trip(&*stage(datatype, Datatype::Any).unwrap(), &narrow);
            }
        }
    }
}
