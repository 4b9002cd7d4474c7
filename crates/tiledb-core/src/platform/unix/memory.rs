//! Mapped memory.
#![expect(unsafe_code, reason = "memory that is requested from the system")]

use std::ptr::{NonNull, null_mut};

use super::kernel;

const PROTECTION: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Size from which an allocation is mapped by itself: none under a sanitizer, which knows only the bounds of what is allocated
/// (`tools/sanitizer.sh` sets the variable).
pub const LARGE: usize = if option_env!("SANITIZER").is_some() { usize::MAX } else { 8 << 20 };

/// Maps `size` bytes of zeros, or more; `None` without memory.
pub fn map(size: usize) -> Option<NonNull<u8>> {
    // SAFETY: a new mapping somewhere.
    let place = unsafe { libc::mmap(null_mut(), size, PROTECTION, libc::MAP_PRIVATE | libc::MAP_ANON, -1, 0) };
    if place == libc::MAP_FAILED { None } else { NonNull::new(place.cast()) }
}

/// Changes the size of what [`map`] returned; `None`, without effect, if the system cannot.
///
/// # Safety
/// `place` was returned for the size `old`, and is not used any more if there is a new place.
pub unsafe fn remap(place: NonNull<u8>, old: usize, new: usize) -> Option<NonNull<u8>> {
    // SAFETY: as the caller promises.
    unsafe { kernel::remap(place, old, new) }
}

/// Maps `size` bytes of zeros at a multiple of `size`, a power of two: if possible on one huge page of that size, which is
/// present when the function returns. `None` without memory.
pub fn map_aligned(size: usize) -> Option<NonNull<u8>> {
    let all = map(size.checked_mul(2)?)?.as_ptr().cast::<libc::c_void>();
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

/// Unmaps what [`map`] or [`map_aligned`] returned.
///
/// # Safety
/// `place` was returned for this size, and nothing in it is used any more.
pub unsafe fn unmap(place: NonNull<u8>, size: usize) {
    // SAFETY: as the caller promises.
    unsafe { libc::munmap(place.as_ptr().cast(), size) };
}
