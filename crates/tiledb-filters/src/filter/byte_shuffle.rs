//! BYTESHUFFLE: transposes bytes, so that those of equal significance are adjacent for the next compressor.

use super::shared::shuffled::{Shuffle, Shuffled};
use super::stage::FilterStage;
use crate::codec::planes;
use tiledb_core::error::Result;
use tiledb_core::types::Datatype;

struct Bytes {
    width: usize,
}

/// The filter for values of this type.
pub(super) fn stage(datatype: Datatype) -> Box<dyn FilterStage> {
    Box::new(Shuffled(Bytes { width: datatype.size() }))
}

impl Shuffle for Bytes {
    fn shuffle(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        planes::scatter(self.width, src, dst);
        Ok(())
    }

    fn unshuffle(&self, src: &[u8], dst: &mut [u8]) {
        planes::gather(self.width, src, dst);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, round_trip, shuffled_parts};
    use tiledb_core::types::Datatype;

    #[test]
    fn bytes_lie_in_planes_and_the_rest_as_it_was() {
        shuffled_parts(
            &*stage(Datatype::Int16),
            &[(&[1, 2, 3, 4, 5, 6, 7], &[1, 3, 5, 2, 4, 6, 7]), (&[], &[]), (&[8, 9, 10, 11], &[8, 10, 9, 11])],
        );
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes()) {
            for datatype in [Datatype::Uint8, Datatype::Int16, Datatype::Float32, Datatype::Int64] {
                round_trip(&*stage(datatype), &data);
            }
        }
    }
}
