//! BITSHUFFLE. Metadata as BYTESHUFFLE's, except that a part whose length is no multiple of 8 counts as
//! two: the largest multiple of 8, and the rest, which stays as it is.

use super::compress::put;
use super::step::{Input, Output};
use crate::codec::planes;
use crate::error::{Result, bail};
use crate::wire::Reader;

/// Bytes that are transposed together.
const BLOCK: usize = 8192;

pub(super) fn forward(width: usize, input: Input<'_>, output: &mut Output) -> Result<()> {
    let whole = input.data.len() / 8 * 8;
    let lengths = match (whole, input.data.len() - whole) {
        (_, 0) => vec![whole],
        (whole, rest) => vec![whole, rest],
    };
    put(&mut output.meta, lengths.len())?;
    for &len in &lengths {
        put(&mut output.meta, len)?;
    }
    output.parts.push(output.meta.len());
    output.pass_on(&input);
    output.data.resize(input.data.len(), 0);
    transpose_parts(width, Direction::Forward, lengths.into_iter(), input.data, &mut output.data)
}

pub(super) fn reverse(width: usize, input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
    let mut r = Reader::new("metadata of a bit-shuffled chunk", input.meta);
    let count = r.count32(4)?;
    let mut lengths = Reader::new("lengths of bit-shuffled parts", r.bytes(count * 4)?);
    let lengths = std::iter::from_fn(|| lengths.u32().ok()).map(|len| len as usize);
    meta.extend_from_slice(r.bytes(r.remaining())?);
    transpose_parts(width, Direction::Reverse, lengths, input.data, dst)
}

#[derive(Clone, Copy)]
enum Direction {
    Forward,
    Reverse,
}

fn transpose_parts(
    width: usize,
    direction: Direction,
    lengths: impl Iterator<Item = usize>,
    mut src: &[u8],
    mut dst: &mut [u8],
) -> Result<()> {
    for len in lengths {
        let (Some((from, rest)), Some((to, tail))) =
            (src.split_at_checked(len), std::mem::take(&mut dst).split_at_mut_checked(len))
        else {
            bail!(Corrupt, "A bit-shuffled part of {len} bytes is longer than its chunk");
        };
        (src, dst) = (rest, tail);
        if !len.is_multiple_of(width) || !len.is_multiple_of(8) {
            to.copy_from_slice(from);
            continue;
        }
        for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
            match direction {
                Direction::Forward => split(width, from, to),
                Direction::Reverse => join(width, from, to),
            }
        }
    }
    match (src, dst.len()) {
        ([], 0) => Ok(()),
        _ => bail!(Corrupt, "The parts of a bit-shuffled chunk do not add up to its size"),
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

/// Undoes [`split`].
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
    use super::*;

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
}
