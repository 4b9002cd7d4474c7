//! Non-temporal stores, which bypass the caches.
//!
//! An ordinary store reads the cache line first, and evicts another one for it. A result that is larger than the caches is
//! evicted before it is used anyway, so both are wasted: whole cache lines of such results ([`MIN_STREAMED_RESULT_BYTES`](tiledb_core::limits::columns::MIN_STREAMED_RESULT_BYTES)) are written with
//! non-temporal stores. Smaller results stay in cache for their user.
#![expect(unsafe_code, reason = "cells are stored by address, inside a box that was checked")]

/// Whether there are such stores.
pub(super) const AVAILABLE: bool = cfg!(all(target_arch = "x86_64", not(miri)));

#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::{copy, fence, fill};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use ordinary::{copy, fence, fill};

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

    /// Bytes of a cache line, and the vectors in it.
    const LINE: usize = 64;
    const VECTORS: usize = LINE / size_of::<__m128i>();

    /// Copies bytes: whole cache lines with non-temporal stores, the rest as usual.
    ///
    /// # Safety
    /// As [`std::ptr::copy_nonoverlapping`]. Other threads may read the bytes after [`fence`].
    pub(in super::super) unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
        let head = to.align_offset(LINE).min(len);
        let lines = (len - head) / LINE;
        let tail = head + lines * LINE;
        // SAFETY: all bytes are among the `len` that the caller promises; lines are aligned after the head.
        unsafe {
            std::ptr::copy_nonoverlapping(from, to, head);
            let (line_to, line_from) = (to.add(head).cast::<__m128i>(), from.add(head).cast::<__m128i>());
            for vector in 0..lines * VECTORS {
                _mm_stream_si128(line_to.add(vector), _mm_loadu_si128(line_from.add(vector)));
            }
            std::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), len - tail);
        }
    }

    /// Writes a value of at most 16 bytes, a power of two, `count` times: whole cache lines with non-temporal
    /// stores.
    ///
    /// # Safety
    /// The `count` values must be writable. Other threads may read them after [`fence`].
    pub(in super::super) unsafe fn fill<T: Copy>(to: *mut u8, value: T, count: usize) {
        let (to, size) = (to.cast::<T>(), size_of::<T>());
        let to_line = to.cast::<u8>().align_offset(LINE);
        let head = if to_line % size == 0 { (to_line / size).min(count) } else { count };
        let lines = (count - head) * size / LINE;
        let tail = head + lines * LINE / size;
        // SAFETY: all values are among those that the caller promises; lines are aligned after the head, and if there
        // are lines, their values begin there. A vector consists of whole values.
        unsafe {
            let mut vector = std::mem::MaybeUninit::<__m128i>::uninit();
            for index in 0..size_of::<__m128i>() / size {
                vector.as_mut_ptr().cast::<T>().add(index).write_unaligned(value);
            }
            let vector = vector.assume_init();
            (0..head).for_each(|index| to.add(index).write_unaligned(value));
            let vectors = to.add(head).cast::<__m128i>();
            for index in 0..lines * VECTORS {
                _mm_stream_si128(vectors.add(index), vector);
            }
            (tail..count).for_each(|index| to.add(index).write_unaligned(value));
        }
    }

    /// Makes earlier stores of this thread visible before its later ones: synchronization between threads does not order
    /// non-temporal stores.
    pub(in super::super) fn fence() {
        // SAFETY: every x86-64 processor has the instruction.
        unsafe { _mm_sfence() };
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod ordinary {
    /// # Safety
    /// As [`std::ptr::copy_nonoverlapping`].
    pub(in super::super) unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from, to, len) };
    }

    /// # Safety
    /// The `count` values must be writable.
    pub(in super::super) unsafe fn fill<T: Copy>(to: *mut u8, value: T, count: usize) {
        // SAFETY: the caller's promise.
        (0..count).for_each(|index| unsafe { to.cast::<T>().add(index).write_unaligned(value) });
    }

    /// Nothing is to be ordered.
    pub(in super::super) fn fence() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no non-temporal stores")]
    fn every_alignment_and_length_is_copied() {
        let source: Vec<u8> = (0..1000u32).map(|value| (value * 7 + value / 256) as u8).collect();
        for at in (0..80).chain([127, 128]) {
            for len in (0..300).step_by(7).chain([512, 640]) {
                let (mut got, mut want) = (vec![9; 1100], vec![9; 1100]);
                want[at..at + len].copy_from_slice(&source[3..3 + len]);
                // SAFETY: both ranges are inside.
                unsafe { copy(got.as_mut_ptr().add(at), source.as_ptr().add(3), len) };
                fence();
                assert!(got == want, "{len} bytes at {at}");
            }
        }
    }

    fn check_fill<T: bytemuck::Pod>(value: T) {
        for at in (0..80).chain([127, 128]) {
            for count in (0..70).chain([100, 120]) {
                let (mut got, mut want) = (vec![9; 1100], vec![9; 1100]);
                let values = want[at..at + count * size_of::<T>()].chunks_exact_mut(size_of::<T>());
                values.for_each(|place| place.copy_from_slice(bytemuck::bytes_of(&value)));
                // SAFETY: the values are inside.
                unsafe { fill(got.as_mut_ptr().add(at), value, count) };
                fence();
                assert!(got == want, "{count} values of {} bytes at {at}", size_of::<T>());
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no non-temporal stores")]
    fn every_alignment_and_count_is_filled() {
        check_fill(5u8);
        check_fill(0x0605_u16);
        check_fill(0x0807_0605_u32);
        check_fill(0x0c0b_0a09_0807_0605_u64);
    }
}
