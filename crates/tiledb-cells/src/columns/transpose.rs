//! Transposition of planes of cells with vector instructions.
//!
//! A block has as many rows as a vector has cells. The position of a cell in a block is the number of its row, then that
//! of its column. Interleaving the first with the second half of the rows rotates the bits of all positions by one, so
//! as many rotations as a row number has bits exchange row and column.
#![expect(unsafe_code, reason = "blocks are loaded and stored by address, inside a box that was checked")]

/// A plane whose cells are contiguous along its columns in the source, and along its rows in the result. Strides are in
/// bytes: of the source from one row to the next, of the result from one column to the next.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "without vectors the caller copies all cells")
)]
pub(super) struct Plane {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Copies whole blocks of the plane; returns the numbers of rows and columns that they cover.
///
/// # Safety
/// Every cell of the plane must lie inside memory valid for writing (`to`) and reading (`from`).
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) unsafe fn transpose(to: *mut u8, from: *const u8, plane: Plane, cell: usize) -> (usize, usize) {
    // SAFETY: the caller's promise; AVX2 is only used where the processor has it.
    unsafe {
        match cell {
            1 => blocks::<lanes::V, 1, 16>(to, from, plane),
            2 => blocks::<lanes::V, 2, 8>(to, from, plane),
            #[cfg(target_arch = "x86_64")]
            4 if is_x86_feature_detected!("avx2") => wide::<4, 8>(to, from, plane),
            #[cfg(target_arch = "x86_64")]
            8 if is_x86_feature_detected!("avx2") => wide::<8, 4>(to, from, plane),
            4 => blocks::<lanes::V, 4, 4>(to, from, plane),
            8 => blocks::<lanes::V, 8, 2>(to, from, plane),
            _ => (0, 0),
        }
    }
}

/// No vectors: the caller copies all cells.
///
/// # Safety
/// None is needed.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) unsafe fn transpose(_: *mut u8, _: *const u8, _: Plane, _: usize) -> (usize, usize) {
    (0, 0)
}

/// [`blocks`] with vectors of 32 bytes.
///
/// # Safety
/// As [`transpose`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn wide<const CELL: usize, const N: usize>(to: *mut u8, from: *const u8, plane: Plane) -> (usize, usize) {
    // SAFETY: the caller's promise.
    unsafe { blocks::<lanes::Wide, CELL, N>(to, from, plane) }
}

/// A vector, whose methods are only called where the processor has its instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
trait Vector: Copy {
    /// # Safety
    /// The vector's bytes at the address must be readable.
    unsafe fn load(from: *const u8) -> Self;

    /// # Safety
    /// The vector's bytes at the address must be writable.
    unsafe fn store(self, to: *mut u8);

    /// Alternates the cells of two vectors of cells of `CELL` bytes.
    ///
    /// # Safety
    /// The processor must have the vector's instructions.
    unsafe fn interleave<const CELL: usize>(self, other: Self) -> (Self, Self);
}

/// Blocks of `N` rows, which are stored one after the other along the rows of the result: each of the `N` rows is
/// written from its start to its end, which the processor prefetches.
///
/// # Safety
/// As [`transpose`], on a processor with the vector's instructions, of which each holds `N` cells of `CELL` bytes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn blocks<V: Vector, const CELL: usize, const N: usize>(
    to: *mut u8,
    from: *const u8,
    plane: Plane,
) -> (usize, usize) {
    let (rows, columns) = (plane.rows / N * N, plane.columns / N * N);
    for column in (0..columns).step_by(N) {
        for row in (0..rows).step_by(N) {
            // SAFETY: the block's cells are inside the plane.
            unsafe {
                let from = from.add(row * plane.from + column * CELL);
                let to = to.add(column * plane.to + row * CELL);
                let mut block: [V; N] = std::array::from_fn(|row| V::load(from.add(row * plane.from)));
                for _ in 0..N.ilog2() {
                    let before = block;
                    for half in 0..N / 2 {
                        (block[2 * half], block[2 * half + 1]) = before[half].interleave::<CELL>(before[half + N / 2]);
                    }
                }
                for (column, cells) in block.into_iter().enumerate() {
                    cells.store(to.add(column * plane.to));
                }
            }
        }
    }
    (rows, columns)
}

/// The vectors of SSE2, which every x86-64 processor has, and of AVX2.
#[cfg(target_arch = "x86_64")]
mod lanes {
    use super::Vector;
    pub(super) use std::arch::x86_64::{__m128i as V, __m256i as Wide};
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32,
        _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
        _mm256_loadu_si256, _mm256_permute2x128_si256, _mm256_storeu_si256, _mm256_unpackhi_epi32,
        _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
    };

    impl Vector for V {
        #[inline(always)]
        unsafe fn load(from: *const u8) -> V {
            // SAFETY: the caller's promise.
            unsafe { _mm_loadu_si128(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { _mm_storeu_si128(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn interleave<const CELL: usize>(self, other: V) -> (V, V) {
            // SAFETY: the caller's promise.
            unsafe {
                match CELL {
                    1 => (_mm_unpacklo_epi8(self, other), _mm_unpackhi_epi8(self, other)),
                    2 => (_mm_unpacklo_epi16(self, other), _mm_unpackhi_epi16(self, other)),
                    4 => (_mm_unpacklo_epi32(self, other), _mm_unpackhi_epi32(self, other)),
                    _ => (_mm_unpacklo_epi64(self, other), _mm_unpackhi_epi64(self, other)),
                }
            }
        }
    }

    impl Vector for Wide {
        #[inline(always)]
        unsafe fn load(from: *const u8) -> Wide {
            // SAFETY: the caller's promise.
            unsafe { _mm256_loadu_si256(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { _mm256_storeu_si256(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn interleave<const CELL: usize>(self, other: Wide) -> (Wide, Wide) {
            // SAFETY: the caller's promise. The instructions interleave the halves of a vector separately.
            unsafe {
                let (low, high) = match CELL {
                    4 => (_mm256_unpacklo_epi32(self, other), _mm256_unpackhi_epi32(self, other)),
                    _ => (_mm256_unpacklo_epi64(self, other), _mm256_unpackhi_epi64(self, other)),
                };
                (_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high))
            }
        }
    }
}

/// The vectors of NEON, which every aarch64 processor has.
#[cfg(target_arch = "aarch64")]
mod lanes {
    use super::Vector;
    pub(super) use std::arch::aarch64::uint8x16_t as V;
    use std::arch::aarch64::{
        vld1q_u8, vreinterpretq_u8_u16, vreinterpretq_u8_u32, vreinterpretq_u8_u64, vreinterpretq_u16_u8,
        vreinterpretq_u32_u8, vreinterpretq_u64_u8, vst1q_u8, vzip1q_u8, vzip1q_u16, vzip1q_u32, vzip1q_u64, vzip2q_u8,
        vzip2q_u16, vzip2q_u32, vzip2q_u64,
    };

    impl Vector for V {
        #[inline(always)]
        unsafe fn load(from: *const u8) -> V {
            // SAFETY: the caller's promise.
            unsafe { vld1q_u8(from) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { vst1q_u8(to, self) }
        }

        #[inline(always)]
        unsafe fn interleave<const CELL: usize>(self, other: V) -> (V, V) {
            // SAFETY: the caller's promise.
            unsafe {
                match CELL {
                    1 => (vzip1q_u8(self, other), vzip2q_u8(self, other)),
                    2 => {
                        let (a, b) = (vreinterpretq_u16_u8(self), vreinterpretq_u16_u8(other));
                        (vreinterpretq_u8_u16(vzip1q_u16(a, b)), vreinterpretq_u8_u16(vzip2q_u16(a, b)))
                    }
                    4 => {
                        let (a, b) = (vreinterpretq_u32_u8(self), vreinterpretq_u32_u8(other));
                        (vreinterpretq_u8_u32(vzip1q_u32(a, b)), vreinterpretq_u8_u32(vzip2q_u32(a, b)))
                    }
                    _ => {
                        let (a, b) = (vreinterpretq_u64_u8(self), vreinterpretq_u64_u8(other));
                        (vreinterpretq_u8_u64(vzip1q_u64(a, b)), vreinterpretq_u8_u64(vzip2q_u64(a, b)))
                    }
                }
            }
        }
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;

    /// Vectors of 16 bytes, which processors with AVX2 do not use for all cells.
    #[test]
    fn short_vectors_transpose_all_cells() {
        fn check<const CELL: usize, const N: usize>() {
            const ROWS: usize = 35;
            const COLUMNS: usize = 50;
            let source: Vec<u8> = (0..ROWS * COLUMNS * CELL).map(|byte| (byte * 7 + byte / 256) as u8).collect();
            let mut got = vec![0; source.len()];
            let plane = Plane { rows: ROWS, columns: COLUMNS, from: COLUMNS * CELL, to: ROWS * CELL };
            // SAFETY: both slices hold all cells of the plane.
            let covered = unsafe { blocks::<lanes::V, CELL, N>(got.as_mut_ptr(), source.as_ptr(), plane) };
            assert_eq!(covered, (ROWS / N * N, COLUMNS / N * N));
            for (row, column) in (0..covered.0).flat_map(|row| (0..covered.1).map(move |column| (row, column))) {
                let (to, from) = ((column * ROWS + row) * CELL, (row * COLUMNS + column) * CELL);
                assert_eq!(got[to..to + CELL], source[from..from + CELL], "{row}, {column} of {CELL} bytes");
            }
        }
        check::<1, 16>();
        check::<2, 8>();
        check::<4, 4>();
        check::<8, 2>();
    }
}
