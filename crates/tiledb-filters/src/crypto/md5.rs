//! MD5 (RFC 1321) of eight messages at a time, in vectors of SSE2.
#![expect(unsafe_code, reason = "functions that use SSE2 are called, which every x86-64 processor has")]

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_and_si128, _mm_or_si128, _mm_set1_epi32, _mm_slli_epi32, _mm_srli_epi32,
    _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm_xor_si128,
};

use super::multi_buffer::{Block, BlockDigest};

const LANES: usize = 8;

/// A word of each lane. The steps of one vector wait for each other; those of two do not.
type Words = [__m128i; 2];

/// Rotations of the four rounds: each repeats its own.
const SHIFTS: [[i32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The integer parts of the sines of 1 to 64, times 2^32.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// The algorithm.
pub(super) struct Md5;

impl BlockDigest<LANES, 4> for Md5 {
    const INITIAL: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    const IS_BIG_ENDIAN: bool = false;

    fn compress(&self, state: &mut [[u32; LANES]; 4], blocks: [&[Block]; LANES]) {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { compress(state, blocks) }
    }
}

#[target_feature(enable = "sse2")]
fn compress(state: &mut [[u32; LANES]; 4], blocks: [&[Block]; LANES]) {
    let mut words: [Words; 4] = bytemuck::cast(*state);
    for number in 0..blocks[0].len() {
        add_block(&mut words, &words_of(blocks.map(|blocks| &blocks[number])));
    }
    *state = bytemuck::cast(words);
}

/// The words of a block of each lane.
#[inline]
#[target_feature(enable = "sse2")]
fn words_of(blocks: [&Block; LANES]) -> [Words; 16] {
    let mut words = [[_mm_set1_epi32(0); 2]; 16];
    for (vector, blocks) in blocks.as_chunks::<4>().0.iter().enumerate() {
        for quarter in 0..4 {
            // Four words of four lanes, transposed.
            let [a, b, c, d] = blocks.map(|block| bytemuck::cast(block.as_chunks::<16>().0[quarter]));
            let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
            words[4 * quarter][vector] = _mm_unpacklo_epi64(ab, cd);
            words[4 * quarter + 1][vector] = _mm_unpackhi_epi64(ab, cd);
            let (ab, cd) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
            words[4 * quarter + 2][vector] = _mm_unpacklo_epi64(ab, cd);
            words[4 * quarter + 3][vector] = _mm_unpackhi_epi64(ab, cd);
        }
    }
    words
}

/// Adds a block of each lane to its state.
#[inline]
#[target_feature(enable = "sse2")]
fn add_block(state: &mut [Words; 4], block: &[Words; 16]) {
    let not = |x| _mm_xor_si128(x, _mm_set1_epi32(-1));
    let [mut a, mut b, mut c, mut d] = *state;
    macro_rules! step {
        ($round:expr, $number:expr, $word:expr, $mix:expr) => {{
            const SHIFT: i32 = SHIFTS[$round][$number % 4];
            let sine = _mm_set1_epi32(SINES[$round * 16 + $number].cast_signed());
            let mut next = b;
            for vector in 0..2 {
                let mixed = $mix(b[vector], c[vector], d[vector]);
                let added = _mm_add_epi32(block[$word % 16][vector], sine);
                let sum = _mm_add_epi32(_mm_add_epi32(a[vector], added), mixed);
                let rotated = _mm_or_si128(_mm_slli_epi32::<SHIFT>(sum), _mm_srli_epi32::<{ 32 - SHIFT }>(sum));
                next[vector] = _mm_add_epi32(b[vector], rotated);
            }
            (a, b, c, d) = (d, next, b, c);
        }};
    }
    // Unrolled, so that words and rotations are constants.
    macro_rules! round {
        ($round:literal, $word:expr, $mix:expr) => {
            round!($round, $word, $mix, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
        };
        ($round:literal, $word:expr, $mix:expr, $($number:literal)*) => {
            $(step!($round, $number, $word($number), $mix);)*
        };
    }
    round!(0, |i: usize| i, |b, c, d| _mm_xor_si128(d, _mm_and_si128(b, _mm_xor_si128(c, d))));
    round!(1, |i: usize| 5 * i + 1, |b, c, d| _mm_xor_si128(c, _mm_and_si128(d, _mm_xor_si128(b, c))));
    round!(2, |i: usize| 3 * i + 5, |b, c, d| _mm_xor_si128(_mm_xor_si128(b, c), d));
    round!(3, |i: usize| 7 * i, |b, c, d| _mm_xor_si128(c, _mm_or_si128(b, not(d))));
    for (words, added) in state.iter_mut().zip([a, b, c, d]) {
        *words = [_mm_add_epi32(words[0], added[0]), _mm_add_epi32(words[1], added[1])];
    }
}
