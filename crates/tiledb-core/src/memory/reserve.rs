//! The global allocator: the system's, with an emergency reserve for small requests that the system refuses. Large requests are
//! mapped by themselves: their memory returns to the system at once when it is freed, and leaves no hole in the heap that smaller
//! allocations fragment.
//!
//! Rust aborts the process if a small allocation fails. A reserve of address space, which costs nothing until it is
//! touched, serves such requests; from then on the allocator is [`strained`], which [`super::check`] turns into an
//! error at the next step of a call. Large allocations use `try_reserve` and fail at once.
//!
//! The reserve is divided into blocks with bump allocation; a block is reset when its last allocation is freed. The
//! state of a block is one atomic word, so that no lock is held when the process forks.
#![expect(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::platform::memory::{self, LARGE};

/// Requests up to this size go to the small blocks, larger ones to the great blocks.
const SMALL: usize = 8 << 10;
const SMALL_BLOCK: usize = 64 << 10;
const SMALL_BLOCKS: usize = 64;
/// Larger requests fail.
const GREAT_BLOCK: usize = 1 << 20;
const GREAT_BLOCKS: usize = 8;
const SIZE: usize = SMALL_BLOCK * SMALL_BLOCKS + GREAT_BLOCK * GREAT_BLOCKS;
/// The greatest alignment that is served.
const ALIGNMENT: usize = 4096;

#[repr(align(4096))]
struct Bytes(UnsafeCell<[u8; SIZE]>);

// SAFETY: only the addresses of the bytes are shared; an allocated part belongs to its owner.
unsafe impl Sync for Bytes {}

static BYTES: Bytes = Bytes(UnsafeCell::new([0; SIZE]));

/// State of each block: number of live allocations in the upper half, offset of the free bytes in the lower.
static STATES: [AtomicU64; SMALL_BLOCKS + GREAT_BLOCKS] = [const { AtomicU64::new(0) }; SMALL_BLOCKS + GREAT_BLOCKS];
/// First block to search.
static NEXT: AtomicUsize = AtomicUsize::new(0);
/// Whether the reserve was used since the system last had memory.
static STRAINED: AtomicBool = AtomicBool::new(false);

/// The allocator of this library.
pub(super) struct Reserved;

#[global_allocator]
static ALLOCATOR: Reserved = Reserved;

/// Whether a request was served from the reserve since the last call of [`relieved`].
pub(super) fn strained() -> bool {
    STRAINED.load(Ordering::Relaxed)
}

/// Whether less than half of the small blocks are free.
pub(super) fn is_low() -> bool {
    let used = STATES[..SMALL_BLOCKS].iter().filter(|state| state.load(Ordering::Relaxed) != 0).count();
    used > SMALL_BLOCKS / 2
}

/// Asks the system for a small part of the memory that a call may need; if it has that, nothing is strained any more.
pub(super) fn relieved() -> bool {
    let Ok(layout) = Layout::array::<u8>(GREAT_BLOCK) else { return false };
    // SAFETY: the layout has a size, and the probe is freed.
    let is_available = unsafe {
        let probe = std::hint::black_box(System.alloc(layout));
        if !probe.is_null() {
            System.dealloc(probe, layout);
        }
        !probe.is_null()
    };
    if is_available {
        STRAINED.store(false, Ordering::Relaxed);
    }
    is_available
}

/// True for requests that are mapped by themselves: those of some size, at which a system call and the page faults no longer count.
#[inline]
fn is_large(size: usize) -> bool {
    size >= LARGE
}

/// Maps a large request; null without memory, or for an alignment beyond that of pages.
#[cold]
fn map(layout: Layout) -> *mut u8 {
    if layout.align() > ALIGNMENT {
        return null_mut();
    }
    memory::map(layout.size()).map_or(null_mut(), NonNull::as_ptr)
}

// SAFETY: allocations come from the system, or are parts of a block that are not reused until they are freed. Which are mapped
// follows from their size, which the caller repeats.
unsafe impl GlobalAlloc for Reserved {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size()) {
            return map(layout);
        }
        // SAFETY: the caller's promise is passed on.
        let place = unsafe { System.alloc(layout) };
        if place.is_null() { take(layout) } else { place }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size()) {
            return map(layout);
        }
        // SAFETY: the caller's promise is passed on.
        let place = unsafe { System.alloc_zeroed(layout) };
        if place.is_null() { take_zeroed(layout) } else { place }
    }

    #[inline]
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if is_large(layout.size()) {
            // SAFETY: a request of this size was mapped, and the caller gives it up.
            return NonNull::new(place).map_or((), |place| unsafe { memory::unmap(place, layout.size()) });
        }
        match offset(place) {
            Some(at) => free(at),
            // SAFETY: it is not of the reserve, so it is the system's.
            None => unsafe { System.dealloc(place, layout) },
        }
    }

    #[inline]
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_large(layout.size()) && is_large(size) && layout.align() <= ALIGNMENT {
            // SAFETY: a request of this size was mapped, and the caller uses the new place only.
            let moved = NonNull::new(place).and_then(|place| unsafe { memory::remap(place, layout.size(), size) });
            if let Some(moved) = moved {
                return moved.as_ptr();
            }
        } else if !is_large(layout.size()) && !is_large(size) && offset(place).is_none() {
            // SAFETY: it is the system's, and the caller's promise is passed on.
            let moved = unsafe { System.realloc(place, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.relocate(place, layout, size) }
    }
}

impl Reserved {
    /// Moves an allocation of the reserve, one that becomes large or small, or one that the system cannot grow.
    #[cold]
    unsafe fn relocate(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller has promised that the size does not overflow when rounded up to the alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the caller has promised that the size is not 0.
        let moved = unsafe { self.alloc(new) };
        if !moved.is_null() {
            // SAFETY: both are valid for the smaller size and distinct, and the old one was of this allocator.
            unsafe {
                std::ptr::copy_nonoverlapping(place, moved, layout.size().min(size));
                self.dealloc(place, layout);
            }
        }
        moved
    }
}

/// Offset of an address in the reserve.
#[inline]
fn offset(place: *mut u8) -> Option<usize> {
    let at = (place as usize).wrapping_sub(BYTES.0.get() as usize);
    (at < SIZE).then_some(at)
}

#[cold]
fn take(layout: Layout) -> *mut u8 {
    if layout.size() > GREAT_BLOCK || layout.align() > ALIGNMENT {
        return null_mut();
    }
    STRAINED.store(true, Ordering::Relaxed);
    let first = NEXT.load(Ordering::Relaxed);
    let small = layout.size() <= SMALL;
    let blocks = if small { 0..SMALL_BLOCKS } else { SMALL_BLOCKS..STATES.len() };
    let offset = (0..blocks.len()).map(|step| blocks.start + (first + step) % blocks.len()).find_map(|block| {
        let place = take_from(block, layout)?;
        NEXT.store(block - blocks.start, Ordering::Relaxed);
        Some(place)
    });
    // SAFETY: the offset is within the bytes.
    offset.map_or(null_mut(), |at| unsafe { BYTES.0.get().cast::<u8>().add(at) })
}

#[cold]
fn take_zeroed(layout: Layout) -> *mut u8 {
    let place = take(layout);
    if !place.is_null() {
        // SAFETY: the allocation has this many bytes.
        unsafe { place.write_bytes(0, layout.size()) };
    }
    place
}

/// The first byte and the size of a block.
fn extent(block: usize) -> (usize, usize) {
    match block.checked_sub(SMALL_BLOCKS) {
        None => (block * SMALL_BLOCK, SMALL_BLOCK),
        Some(great) => (SMALL_BLOCKS * SMALL_BLOCK + great * GREAT_BLOCK, GREAT_BLOCK),
    }
}

/// Allocates from a block; returns the offset in the reserve.
fn take_from(block: usize, layout: Layout) -> Option<usize> {
    let (start, size) = extent(block);
    let begin = |state: u64| (state as u32 as usize).next_multiple_of(layout.align());
    let take = |state: u64| {
        let end = begin(state) + layout.size();
        (end <= size).then(|| ((state >> 32) + 1) << 32 | end as u64)
    };
    let before = STATES[block].fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok()?;
    Some(start + begin(before))
}

#[cold]
fn free(at: usize) {
    let block = match at.checked_sub(SMALL_BLOCKS * SMALL_BLOCK) {
        None => at / SMALL_BLOCK,
        Some(at) => SMALL_BLOCKS + at / GREAT_BLOCK,
    };
    let give = |state: u64| Some(if state >> 32 == 1 { 0 } else { state - (1 << 32) });
    let _ = STATES[block].fetch_update(Ordering::AcqRel, Ordering::Acquire, give);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_distinct_and_blocks_are_used_again() {
        /// More than a block has.
        const COUNT: usize = if cfg!(miri) { 100 } else { 1000 };
        let layout = Layout::from_size_align(1000, 64).unwrap();
        for _ in 0..3 {
            let places: Vec<*mut u8> = (0..COUNT).map(|_| take(layout)).collect();
            let mut sorted = places.clone();
            sorted.sort();
            assert!(places.iter().all(|place| !place.is_null() && place.align_offset(64) == 0));
            assert!(sorted.windows(2).all(|pair| pair[1] as usize - pair[0] as usize >= 1000));
            places.into_iter().for_each(|place| free(offset(place).unwrap()));
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        assert!(take(Layout::from_size_align(GREAT_BLOCK + 1, 1).unwrap()).is_null());
        assert!(take(Layout::from_size_align(8, 2 * ALIGNMENT).unwrap()).is_null());
        let whole = take_zeroed(Layout::from_size_align(GREAT_BLOCK, 1).unwrap());
        assert!(!whole.is_null());
        // SAFETY: the allocation has this many bytes.
        assert!(unsafe { std::slice::from_raw_parts(whole, GREAT_BLOCK) } == vec![0; GREAT_BLOCK]);
        free(offset(whole).unwrap());
    }

    #[test]
    fn what_grows_keeps_its_bytes_and_leaves_the_reserve() {
        let layout = Layout::from_size_align(100, 8).unwrap();
        let place = take(layout);
        // SAFETY: the sizes are those of the layouts.
        unsafe {
            place.write_bytes(7, 100);
            let moved = ALLOCATOR.realloc(place, layout, 5000);
            assert!(offset(moved).is_none());
            assert!(std::slice::from_raw_parts(moved, 100).iter().all(|&byte| byte == 7));
            ALLOCATOR.dealloc(moved, Layout::from_size_align(5000, 8).unwrap());
        }
        assert!(relieved());
    }

    #[cfg(all(unix, not(miri)))]
    #[test]
    fn large_requests_are_mapped_and_keep_their_bytes_at_every_size() {
        /// Under a sanitizer these come from the system, too.
        const LARGE: usize = if super::LARGE == usize::MAX { 8 << 20 } else { super::LARGE };
        let layout = |size| Layout::from_size_align(size, 8).unwrap();
        let sizes = [100, LARGE - 1, LARGE, 3 * LARGE + 5, LARGE + 1, 2 * LARGE, LARGE - 8, 3 * LARGE, 100];
        // SAFETY: the sizes are those of the layouts.
        unsafe {
            let mut place = ALLOCATOR.alloc(layout(sizes[0]));
            place.write_bytes(7, sizes[0]);
            for pair in sizes.windows(2) {
                place = ALLOCATOR.realloc(place, layout(pair[0]), pair[1]);
                assert!(!place.is_null() && offset(place).is_none());
                assert!(std::slice::from_raw_parts(place, 100).iter().all(|&byte| byte == 7));
                place.add(pair[1] - 1).write(7);
            }
            ALLOCATOR.dealloc(place, layout(100));
            let zeros = ALLOCATOR.alloc_zeroed(layout(LARGE));
            assert!(std::slice::from_raw_parts(zeros, LARGE).iter().all(|&byte| byte == 0));
            ALLOCATOR.dealloc(zeros, layout(LARGE));
            assert!(ALLOCATOR.alloc(layout(isize::MAX as usize - 7)).is_null());
            if super::LARGE == LARGE {
                assert!(ALLOCATOR.alloc(Layout::from_size_align(LARGE, 2 * ALIGNMENT).unwrap()).is_null());
            }
        }
    }
}
