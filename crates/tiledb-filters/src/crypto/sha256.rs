//! SHA-256 (FIPS 180-4) of two messages at a time, by the SHA instructions of x86-64: each takes four cycles, and a second
//! one can begin after two.
#![expect(unsafe_code, reason = "a function compiled for instructions may only be called where the processor has them")]

use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_sha256msg1_epu32, _mm_sha256msg2_epu32, _mm_sha256rnds2_epu32,
    _mm_shuffle_epi8, _mm_shuffle_epi32,
};

use super::multi_buffer::{Block, BlockDigest};

const LANES: usize = 2;

/// The fractional parts of the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROOTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The algorithm. There is one only where the processor has the instructions.
pub(super) struct Sha256(());

impl Sha256 {
    /// The algorithm, if this processor has the instructions.
    pub(super) fn detect() -> Option<Sha256> {
        (has!("sha") && has!("ssse3") && has!("sse4.1")).then_some(Sha256(()))
    }
}

impl BlockDigest<LANES, 8> for Sha256 {
    #[rustfmt::skip]
    const INITIAL: [u32; 8] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ];
    const IS_BIG_ENDIAN: bool = true;

    fn compress(&self, state: &mut [[u32; LANES]; 8], blocks: [&[Block]; LANES]) {
        // SAFETY: `detect` found the instructions.
        unsafe { compress(state, blocks) }
    }
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn compress(state: &mut [[u32; LANES]; 8], blocks: [&[Block]; LANES]) {
    // The instructions take the words A, B, E, F in one register and C, D, G, H in another, each from the highest down.
    const ORDER: [[usize; 4]; 2] = [[5, 4, 1, 0], [7, 6, 3, 2]];
    let mut registers: [[__m128i; 2]; LANES] =
        std::array::from_fn(|lane| ORDER.map(|words| bytemuck::cast(words.map(|word| state[word][lane]))));
    for number in 0..blocks[0].len() {
        add_block(&mut registers, blocks.map(|blocks| &blocks[number]));
    }
    for (lane, registers) in registers.into_iter().enumerate() {
        for (words, register) in ORDER.into_iter().zip(registers) {
            let values: [u32; 4] = bytemuck::cast(register);
            words.into_iter().zip(values).for_each(|(word, value)| state[word][lane] = value);
        }
    }
}

/// Adds a block of each lane to its registers.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn add_block(registers: &mut [[__m128i; 2]; LANES], blocks: [&Block; LANES]) {
    let swap = bytemuck::cast::<[u8; 16], _>([3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]);
    let mut words: [[__m128i; 4]; LANES] = blocks
        .map(|block| std::array::from_fn(|i| _mm_shuffle_epi8(bytemuck::cast(block.as_chunks::<16>().0[i]), swap)));
    let mut sums = *registers;
    // Unrolled, so that the words stay in registers.
    macro_rules! steps {
        ($($step:literal)*) => {
            $(
                let roots = bytemuck::cast(ROOTS.as_chunks::<4>().0[$step]);
                for ([low, high], words) in sums.iter_mut().zip(&mut words) {
                    if $step >= 4 {
                        // New words replace those of 16 steps before.
                        let [first, second, third, fourth] = [0, 1, 2, 3].map(|word| words[($step + word) % 4]);
                        let sum = _mm_add_epi32(_mm_sha256msg1_epu32(first, second), _mm_alignr_epi8::<4>(fourth, third));
                        words[$step % 4] = _mm_sha256msg2_epu32(sum, fourth);
                    }
                    let added = _mm_add_epi32(words[$step % 4], roots);
                    *high = _mm_sha256rnds2_epu32(*high, *low, added);
                    *low = _mm_sha256rnds2_epu32(*low, *high, _mm_shuffle_epi32::<0x0e>(added));
                }
            )*
        };
    }
    steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    for (registers, sums) in registers.iter_mut().zip(sums) {
        for (register, sum) in registers.iter_mut().zip(sums) {
            *register = _mm_add_epi32(*register, sum);
        }
    }
}
