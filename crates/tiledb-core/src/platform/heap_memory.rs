//! Memory in large aligned pieces from the allocator: on Windows, and in Miri, which knows no mappings of this kind.
#![expect(unsafe_code, reason = "memory that is requested from the allocator")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// No allocation is mapped by itself: the heap does that for large ones.
pub const LARGE: usize = usize::MAX;

/// Not used.
pub fn map(_: usize) -> Option<NonNull<u8>> {
    None
}

/// Not used.
///
/// # Safety
/// None is needed.
pub unsafe fn remap(_: NonNull<u8>, _: usize, _: usize) -> Option<NonNull<u8>> {
    None
}

/// `size` bytes of zeros at a multiple of `size`, a power of two. `None` without memory.
pub fn map_aligned(size: usize) -> Option<NonNull<u8>> {
    let layout = Layout::from_size_align(size, size).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { alloc_zeroed(layout) })
}

/// Returns free memory of the process to the system: its heap does that by itself.
pub fn trim_heap() {}

/// Frees what [`map_aligned`] returned.
///
/// # Safety
/// `place` was returned for this size, and nothing in it is used any more.
pub unsafe fn unmap(place: NonNull<u8>, size: usize) {
    if let Ok(layout) = Layout::from_size_align(size, size) {
        // SAFETY: as the caller promises; the layout is the same.
        unsafe { dealloc(place.as_ptr(), layout) };
    }
}
