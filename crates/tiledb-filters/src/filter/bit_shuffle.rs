//! BITSHUFFLE: transposes bits, so that those of equal significance are adjacent and the next compressor finds long
//! runs.
//!
//! A chunk whose length is not a multiple of 8 becomes two parts: the largest multiple of 8, and the rest, which is
//! copied.

use super::shared::shuffled::{Shuffle, Shuffled};
use super::stage::FilterStage;
use crate::codec::planes;
use tiledb_core::error::Result;
use tiledb_core::types::Datatype;

/// Bytes that are transposed together.
const BLOCK: usize = 8192;

struct Bits {
    width: usize,
}

/// The filter for values of this type.
pub(super) fn stage(datatype: Datatype) -> Box<dyn FilterStage> {
    Box::new(Shuffled(Bits { width: datatype.size() }))
}

impl Bits {
    /// Transposes a part in blocks, or copies it if it is not whole values in whole words.
    fn in_blocks(&self, src: &[u8], dst: &mut [u8], transpose: impl Fn(usize, &[u8], &mut [u8])) {
        if !src.len().is_multiple_of(self.width) || !src.len().is_multiple_of(8) {
            dst.copy_from_slice(src);
            return;
        }
        for (from, to) in src.chunks(BLOCK).zip(dst.chunks_mut(BLOCK)) {
            transpose(self.width, from, to);
        }
    }
}

impl Shuffle for Bits {
    fn cut(&self, len: usize) -> usize {
        len / 8 * 8
    }

    fn shuffle(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        self.in_blocks(src, dst, split);
        Ok(())
    }

    fn unshuffle(&self, src: &[u8], dst: &mut [u8]) {
        self.in_blocks(src, dst, join);
    }
}

/// The bytes of a block whose elements are transposed: eighths of elements beyond those stay as they are.
fn whole(width: usize, block: &[u8]) -> usize {
    block.len() / width / 8 * 8 * width
}

/// One block: plane `byte * 8 + bit` gets that bit of every element, 8 elements to a byte. First bytes of
/// equal significance come together, then their bits as matrices of 8 by 8, then the rows of those.
fn split(width: usize, src: &[u8], dst: &mut [u8]) {
    let whole = whole(width, src);
    dst[whole..].copy_from_slice(&src[whole..]);
    let mut planes = [0; BLOCK];
    let planes = &mut planes[..whole];
    planes::scatter(width, &src[..whole], planes);
    planes::transpose_bits(planes);
    let size = (whole / width).max(1);
    for (from, to) in planes.chunks_exact(size).zip(dst[..whole].chunks_exact_mut(size)) {
        planes::scatter(8, from, to);
    }
}

/// Inverse of [`split`].
fn join(width: usize, src: &[u8], dst: &mut [u8]) {
    let whole = whole(width, src);
    dst[whole..].copy_from_slice(&src[whole..]);
    let mut planes = [0; BLOCK];
    let planes = &mut planes[..whole];
    let size = (whole / width).max(1);
    for (from, to) in src[..whole].chunks_exact(size).zip(planes.chunks_exact_mut(size)) {
        planes::gather(8, from, to);
    }
    planes::transpose_bits(planes);
    planes::gather(width, planes, &mut dst[..whole]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::testing::{bytes, round_trip, shuffled_parts};

    #[test]
    fn bits_lie_in_planes() {
        let src: Vec<u8> = (0..16u16).flat_map(|v| (v * 4099).to_le_bytes()).collect();
        let mut out = vec![0; 32];
        split(2, &src, &mut out);
        for element in 0..16 {
            for bit in 0..16 {
                let of_source = src[element * 2 + bit / 8] >> (bit % 8) & 1;
                let of_plane = out[bit * 2 + element / 8] >> (element % 8) & 1;
                assert_eq!(of_source, of_plane, "element {element} bit {bit}");
            }
        }
        let mut back = vec![0; 32];
        join(2, &out, &mut back);
        assert_eq!(back, src);
    }

    #[test]
    fn parts_are_planes_of_bits_or_stay() {
        let bits: [u8; 8] = [1, 3, 1, 1, 1, 1, 1, 0x81];
        shuffled_parts(
            &*stage(Datatype::Uint8),
            &[
                (&bits, &[0xff, 2, 0, 0, 0, 0, 0, 0x80]),
                (&[1, 2, 3], &[1, 2, 3]),
                (&bits, &[0xff, 2, 0, 0, 0, 0, 0, 0x80]),
            ],
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
