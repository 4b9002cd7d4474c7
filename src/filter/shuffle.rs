//! BYTESHUFFLE and XOR. Metadata of both: `parts u32`, then each part's length u32, then what was
//! there before. Writers make one part.

use std::ops::BitXor;

use super::compress::put;
use super::step::{Input, Output};
use crate::codec::planes;
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
            Shuffle::Bytes(width) => planes::scatter(width, input.data, &mut output.data),
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
                Shuffle::Bytes(width) => planes::gather(width, part, this),
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
    use super::*;

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
