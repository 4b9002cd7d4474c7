//! BYTESHUFFLE and XOR. Metadata of both: `parts u32`, then each part's length u32, then what was
//! there before. Writers make one part.

use super::compress::put;
use super::step::{Input, Output};
use crate::error::{Result, bail};
use crate::wire::Reader;

/// What happens to each part; both ways of acting are given the source and a target of its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shuffle {
    /// Bytes of equal significance of elements of this many bytes side by side.
    Bytes(usize),
    /// Each element of this many bytes (1, 2, 4 or 8) XOR the one before.
    Xor(usize),
}

impl Shuffle {
    pub(super) fn forward(self, input: Input<'_>, output: &mut Output) -> Result<()> {
        put(&mut output.meta, 1)?;
        put(&mut output.meta, input.data.len())?;
        output.parts.push(output.meta.len());
        output.pass_on(&input);
        output.data.resize(input.data.len(), 0);
        match self {
            Shuffle::Bytes(width) => scatter(width, input.data, &mut output.data),
            Shuffle::Xor(width) => xor_forward(width, input.data, &mut output.data),
        }
        Ok(())
    }

    pub(super) fn reverse(self, input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let mut r = Reader::new("metadata of a shuffled chunk", input.meta);
        let parts = r.count32(4)?;
        let mut data = Reader::new("shuffled chunk", input.data);
        let mut rest = dst;
        for _ in 0..parts {
            let part = data.bytes(r.u32()? as usize)?;
            let Some((this, tail)) = std::mem::take(&mut rest).split_at_mut_checked(part.len()) else {
                bail!(Corrupt, "A shuffled chunk is longer than its original may be");
            };
            match self {
                Shuffle::Bytes(width) => gather(width, part, this),
                Shuffle::Xor(width) => xor_reverse(width, part, this),
            }
            rest = tail;
        }
        if !rest.is_empty() {
            bail!(Corrupt, "A shuffled chunk is {} bytes short", rest.len());
        }
        meta.extend_from_slice(r.bytes(r.remaining())?);
        Ok(())
    }
}

/// Chooses the constant width, for loops that the compiler can unroll.
macro_rules! by_width {
    ($width:expr, $kernel:ident, $src:expr, $dst:expr) => {
        match $width {
            2 => $kernel::<2>($src, $dst),
            4 => $kernel::<4>($src, $dst),
            8 => $kernel::<8>($src, $dst),
            _ => $dst.copy_from_slice($src),
        }
    };
}

fn scatter(width: usize, src: &[u8], dst: &mut [u8]) {
    by_width!(width, scatter_width, src, dst);
}

fn gather(width: usize, src: &[u8], dst: &mut [u8]) {
    by_width!(width, gather_width, src, dst);
}

fn scatter_width<const W: usize>(src: &[u8], dst: &mut [u8]) {
    let (elements, tail) = src.as_chunks::<W>();
    let (planes, end) = dst.split_at_mut(elements.len() * W);
    for (byte, plane) in planes.chunks_exact_mut(elements.len().max(1)).enumerate() {
        plane.iter_mut().zip(elements).for_each(|(to, element)| *to = element[byte]);
    }
    end.copy_from_slice(tail);
}

fn gather_width<const W: usize>(src: &[u8], dst: &mut [u8]) {
    let (elements, end) = dst.as_chunks_mut::<W>();
    let count = elements.len();
    let (planes, tail) = src.split_at(count * W);
    for (byte, plane) in planes.chunks_exact(count.max(1)).enumerate() {
        elements.iter_mut().zip(plane).for_each(|(element, from)| element[byte] = *from);
    }
    end.copy_from_slice(tail);
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
        1 => xor_running::<1>(src, dst),
        2 => xor_running::<2>(src, dst),
        4 => xor_running::<4>(src, dst),
        _ => xor_running::<8>(src, dst),
    }
}

fn xor_running<const W: usize>(src: &[u8], dst: &mut [u8]) {
    let (from, tail) = src.as_chunks::<W>();
    let (to, end) = dst.as_chunks_mut::<W>();
    let mut value = [0; W];
    for (to, from) in to.iter_mut().zip(from) {
        value.iter_mut().zip(from).for_each(|(value, from)| *value ^= from);
        *to = value;
    }
    end.iter_mut().zip(tail.iter().zip(value)).for_each(|(to, (from, before))| *to = from ^ before);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_lie_in_planes() {
        let mut out = [0; 10];
        scatter(4, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &mut out);
        assert_eq!(out, [1, 5, 2, 6, 3, 7, 4, 8, 9, 10]);
        let mut back = [0; 10];
        gather(4, &out, &mut back);
        assert_eq!(back, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn elements_are_combined_with_the_one_before() {
        let mut out = [0; 6];
        xor_forward(2, &[1, 2, 3, 4, 7, 7], &mut out);
        assert_eq!(out, [1, 2, 2, 6, 4, 3]);
        let mut back = [0; 6];
        xor_reverse(2, &out, &mut back);
        assert_eq!(back, [1, 2, 3, 4, 7, 7]);
    }
}
