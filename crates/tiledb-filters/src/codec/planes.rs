//! Byte and bit transposition: gathers bytes, or bits, of equal significance.
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "vectors are loaded from and stored to checked blocks")
)]

use super::simd::{self, Kernel};

/// Transposes elements of `width` bytes to byte planes: byte `j` of all elements, for `j` = 0, 1, ...; bytes after the
/// last whole element are copied. Both slices have the same length.
pub fn scatter(width: usize, src: &[u8], dst: &mut [u8]) {
    match width {
        2 => scatter_width::<2>(src, dst),
        4 => scatter_width::<4>(src, dst),
        8 => scatter_width::<8>(src, dst),
        _ => dst.copy_from_slice(src),
    }
}

/// Inverse of [`scatter`].
pub fn gather(width: usize, src: &[u8], dst: &mut [u8]) {
    match width {
        2 => gather_width::<2>(src, dst),
        4 => gather_width::<4>(src, dst),
        8 => gather_width::<8>(src, dst),
        _ => dst.copy_from_slice(src),
    }
}

/// Elements that are moved at a time.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const GROUP: usize = 16;

fn scatter_width<const W: usize>(src: &[u8], dst: &mut [u8]) {
    let count = src.len() / W;
    let (elements, tail) = src.split_at(count * W);
    let (planes, end) = dst.split_at_mut(count * W);
    end.copy_from_slice(tail);
    let whole = vector::scatter::<W>(elements, planes, count);
    for (index, element) in elements.as_chunks::<W>().0.iter().enumerate().skip(whole) {
        for (byte, value) in element.iter().enumerate() {
            planes[byte * count + index] = *value;
        }
    }
}

fn gather_width<const W: usize>(src: &[u8], dst: &mut [u8]) {
    let count = src.len() / W;
    let (planes, tail) = src.split_at(count * W);
    let (elements, end) = dst.split_at_mut(count * W);
    end.copy_from_slice(tail);
    let whole = vector::gather::<W>(planes, elements, count);
    for (index, element) in elements.as_chunks_mut::<W>().0.iter_mut().enumerate().skip(whole) {
        for (byte, value) in element.iter_mut().enumerate() {
            *value = planes[byte * count + index];
        }
    }
}

/// Implementation with 16-byte vectors: `W` of them hold 16 elements. The address of a byte in them is the element's
/// number, then the byte's. Interleaving the first with the second half of all bytes rotates the bits of the addresses
/// by one; four rotations exchange element and byte.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vector {
    use super::GROUP;
    use super::lanes::{V, interleave, load, store, zero};

    /// Interleaves the first with the second half of the bytes.
    #[inline(always)]
    fn rotate<const W: usize>(v: [V; W]) -> [V; W] {
        let mut out = v;
        for i in 0..W / 2 {
            (out[2 * i], out[2 * i + 1]) = interleave(v[i], v[i + W / 2]);
        }
        out
    }

    /// Transposes as many whole groups as possible; returns their number of elements.
    pub(super) fn scatter<const W: usize>(elements: &[u8], planes: &mut [u8], count: usize) -> usize {
        let groups = elements.as_chunks::<16>().0.as_chunks::<W>().0;
        for (index, group) in groups.iter().enumerate() {
            let mut v = [zero(); W];
            for (v, bytes) in v.iter_mut().zip(group) {
                *v = load(bytes);
            }
            let v = rotate(rotate(rotate(rotate(v))));
            for (byte, v) in v.into_iter().enumerate() {
                if let Some(place) = planes[byte * count + index * GROUP..].first_chunk_mut() {
                    store(place, v);
                }
            }
        }
        groups.len() * GROUP
    }

    /// The inverse of [`scatter`].
    pub(super) fn gather<const W: usize>(planes: &[u8], elements: &mut [u8], count: usize) -> usize {
        let groups = elements.as_chunks_mut::<16>().0.as_chunks_mut::<W>().0;
        for (index, group) in groups.iter_mut().enumerate() {
            let mut v = [zero(); W];
            for (byte, v) in v.iter_mut().enumerate() {
                if let Some(bytes) = planes[byte * count + index * GROUP..].first_chunk() {
                    *v = load(bytes);
                }
            }
            for _ in 0..W.ilog2() {
                v = rotate(v);
            }
            for (v, place) in v.into_iter().zip(group) {
                store(place, v);
            }
        }
        groups.len() * GROUP
    }
}

/// The vectors of SSE2, which every x86-64 processor has.
#[cfg(target_arch = "x86_64")]
mod lanes {
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm_setzero_si128, _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpacklo_epi8,
    };

    pub(super) use std::arch::x86_64::__m128i as V;

    #[inline(always)]
    pub(super) fn zero() -> V {
        // SAFETY: every x86-64 processor has this instruction.
        unsafe { _mm_setzero_si128() }
    }

    #[inline(always)]
    pub(super) fn load(bytes: &[u8; 16]) -> V {
        // SAFETY: 16 bytes are readable, at any alignment.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    pub(super) fn store(bytes: &mut [u8; 16], value: V) {
        // SAFETY: 16 bytes are writable, at any alignment.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), value) };
    }

    /// The bytes of both in turn.
    #[inline(always)]
    pub(super) fn interleave(a: V, b: V) -> (V, V) {
        // SAFETY: every x86-64 processor has these instructions.
        unsafe { (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)) }
    }
}

/// The vectors of NEON, which every aarch64 processor has.
#[cfg(target_arch = "aarch64")]
mod lanes {
    use std::arch::aarch64::{vdupq_n_u8, vld1q_u8, vst1q_u8, vzip1q_u8, vzip2q_u8};

    pub(super) use std::arch::aarch64::uint8x16_t as V;

    #[inline(always)]
    pub(super) fn zero() -> V {
        // SAFETY: every aarch64 processor has this instruction.
        unsafe { vdupq_n_u8(0) }
    }

    #[inline(always)]
    pub(super) fn load(bytes: &[u8; 16]) -> V {
        // SAFETY: 16 bytes are readable, at any alignment.
        unsafe { vld1q_u8(bytes.as_ptr()) }
    }

    #[inline(always)]
    pub(super) fn store(bytes: &mut [u8; 16], value: V) {
        // SAFETY: 16 bytes are writable, at any alignment.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), value) };
    }

    /// The bytes of both in turn.
    #[inline(always)]
    pub(super) fn interleave(a: V, b: V) -> (V, V) {
        // SAFETY: every aarch64 processor has these instructions.
        unsafe { (vzip1q_u8(a, b), vzip2q_u8(a, b)) }
    }
}

/// Without vectors all elements are moved one by one, by the caller.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod vector {
    pub(super) fn scatter<const W: usize>(_: &[u8], _: &mut [u8], _: usize) -> usize {
        0
    }

    pub(super) fn gather<const W: usize>(_: &[u8], _: &mut [u8], _: usize) -> usize {
        0
    }
}

/// Transposes matrices of 8 by 8 bits, each of 8 bytes, which is its own inverse.
pub fn transpose_bits(bytes: &mut [u8]) {
    simd::run(Transpose(bytes));
}

struct Transpose<'a>(&'a mut [u8]);

impl Kernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for bytes in self.0.as_chunks_mut::<8>().0 {
            *bytes = transpose(u64::from_le_bytes(*bytes)).to_le_bytes();
        }
    }
}

/// Swaps ever larger squares.
#[inline(always)]
fn transpose(x: u64) -> u64 {
    let swap = |x: u64, mask: u64, shift: u32| {
        let t = (x ^ (x >> shift)) & mask;
        x ^ t ^ (t << shift)
    };
    let x = swap(x, 0x00aa_00aa_00aa_00aa, 7);
    let x = swap(x, 0x0000_cccc_0000_cccc, 14);
    swap(x, 0x0000_0000_f0f0_f0f0, 28)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_lie_in_planes(width in prop::sample::select(vec![1usize, 2, 4, 8]), src in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut out = vec![0; src.len()];
            scatter(width, &src, &mut out);
            let count = src.len() / width;
            for (index, byte) in src.iter().enumerate().take(count * width) {
                prop_assert_eq!(out[index % width * count + index / width], *byte);
            }
            prop_assert_eq!(&out[count * width..], &src[count * width..]);
            let mut back = vec![0; src.len()];
            gather(width, &out, &mut back);
            prop_assert_eq!(back, src);
        }

        #[test]
        fn bits_are_transposed(src in prop::collection::vec(any::<u8>(), 8..100)) {
            let mut out = src.clone();
            transpose_bits(&mut out);
            for (row, line) in src.iter().enumerate().take(8) {
                for (column, plane) in out.iter().enumerate().take(8) {
                    prop_assert_eq!(line >> column & 1, plane >> row & 1);
                }
            }
            transpose_bits(&mut out);
            prop_assert_eq!(out, src);
        }
    }
}
