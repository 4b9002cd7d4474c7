//! XOR: each value XOR the previous one; for floats that change slowly, followed by a shuffle and a compressor.
//!
//! The next filter sees signed integers of the same width.

use std::ops::BitXor;

use super::shared::shuffled::{Shuffle, Shuffled};
use super::stage::FilterStage;
use tiledb_core::error::Result;
use tiledb_core::types::Datatype;

struct Xor {
    width: usize,
}

/// The filter for values of this type.
pub(super) fn stage(datatype: Datatype) -> Box<dyn FilterStage> {
    Box::new(Shuffled(Xor { width: datatype.size() }))
}

impl Shuffle for Xor {
    fn shuffle(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        xor_forward(self.width, src, dst);
        Ok(())
    }

    fn unshuffle(&self, src: &[u8], dst: &mut [u8]) {
        xor_reverse(self.width, src, dst);
    }
}

/// Each byte XOR the byte one element before: the same as by elements.
fn xor_forward(width: usize, src: &[u8], dst: &mut [u8]) {
    let first = width.min(src.len());
    dst[..first].copy_from_slice(&src[..first]);
    let pairs = src[first..].iter().zip(src);
    dst[first..].iter_mut().zip(pairs).for_each(|(to, (now, before))| *to = now ^ before);
}

fn xor_reverse(width: usize, src: &[u8], dst: &mut [u8]) {
    match width {
        1 => xor_running::<1, _>(src, dst, u8::from_le_bytes, u8::to_le_bytes),
        2 => xor_running::<2, _>(src, dst, u16::from_le_bytes, u16::to_le_bytes),
        4 => xor_running::<4, _>(src, dst, u32::from_le_bytes, u32::to_le_bytes),
        _ => xor_running::<8, _>(src, dst, u64::from_le_bytes, u64::to_le_bytes),
    }
}

fn xor_running<const W: usize, T: Copy + Default + BitXor<Output = T>>(
    src: &[u8],
    dst: &mut [u8],
    load: impl Fn([u8; W]) -> T,
    store: impl Fn(T) -> [u8; W],
) {
    let (from, tail) = src.as_chunks::<W>();
    let (to, end) = dst.as_chunks_mut::<W>();
    let mut value = T::default();
    for (to, from) in to.iter_mut().zip(from) {
        value = value ^ load(*from);
        *to = store(value);
    }
    let last = store(value);
    end.iter_mut().zip(tail.iter().zip(last)).for_each(|(to, (from, before))| *to = from ^ before);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stage;
    use crate::filter::testing::{bytes, round_trip, shuffled_parts};
    use tiledb_core::types::Datatype;

    #[test]
    fn values_are_combined_with_the_one_before() {
        shuffled_parts(
            &*stage(Datatype::Uint16),
            &[(&[1, 2, 3, 4, 7, 7], &[1, 2, 2, 6, 4, 3]), (&[9, 8], &[9, 8]), (&[5, 5, 5, 4], &[5, 5, 0, 1])],
        );
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes()) {
            for datatype in [Datatype::Uint8, Datatype::Int16, Datatype::Float32, Datatype::Float64] {
                round_trip(&*stage(datatype), &data);
            }
        }
    }
}
