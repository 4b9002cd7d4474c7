//! Memory, which is a single region that grows: no part of it is mapped by itself, or returned.
#![expect(unsafe_code, reason = "the interface of memory that is mapped")]

use std::ptr::NonNull;

/// No allocation is mapped by itself.
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

/// None: large alignments waste memory, and callers have another way.
pub fn map_aligned(_size: usize) -> Option<NonNull<u8>> {
    None
}

/// Memory is not returned to the system.
pub fn trim_heap() {}

/// Not used.
///
/// # Safety
/// None is needed.
pub unsafe fn unmap(_place: NonNull<u8>, _size: usize) {}
