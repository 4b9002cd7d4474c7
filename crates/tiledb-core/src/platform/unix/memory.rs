//! Mapped memory.
#![expect(unsafe_code, reason = "memory that is requested from the system")]

use std::ptr::{NonNull, null_mut};

use super::kernel;

/// Maps `size` bytes of zeros at a multiple of `size`, a power of two: if possible on one huge page of that size, which is
/// present when the function returns. `None` without memory.
pub fn map_aligned(size: usize) -> Option<NonNull<u8>> {
    let (len, protection) = (size.checked_mul(2)?, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: a new mapping somewhere.
    let all = unsafe { libc::mmap(null_mut(), len, protection, libc::MAP_PRIVATE | libc::MAP_ANON, -1, 0) };
    if all == libc::MAP_FAILED {
        return None;
    }
    let before = all.align_offset(size);
    let place = all.wrapping_byte_add(before);
    // SAFETY: both ranges are parts of the new mapping outside of what is returned.
    unsafe {
        if before > 0 {
            libc::munmap(all, before);
        }
        libc::munmap(place.byte_add(size), size - before);
    }
    let place = NonNull::new(place.cast())?;
    kernel::prefer_huge_page(place, size);
    Some(place)
}

/// Returns free memory of the process to the system, where its allocator holds it back.
pub fn trim_heap() {
    kernel::trim_heap();
}

/// Unmaps what [`map_aligned`] returned.
///
/// # Safety
/// `place` was returned for this size, and nothing in it is used any more.
pub unsafe fn unmap(place: NonNull<u8>, size: usize) {
    // SAFETY: as the caller promises.
    unsafe { libc::munmap(place.as_ptr().cast(), size) };
}
