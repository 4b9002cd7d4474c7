//! Page allocator for long-lived buffers such as cached chunks, backed by huge pages where the system has them.
//!
//! The first access to a page costs a page fault, and scattered reads cost TLB misses; a huge page reduces both.
//! Buffers that live in a cache are therefore allocated from regions of the size of a huge page. Processes that cache
//! little allocate no region.
#![expect(unsafe_code, reason = "memory that is asked of the system")]

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fork::{Lock, lock_with_spare};
use crate::platform;

/// The size of a large page, and of a region.
const REGION: usize = 2 << 20;
/// Unit of allocation.
const PAGE: usize = 4096;
const PAGES: usize = REGION / PAGE;
/// Smaller requests use the allocator.
const LEAST: usize = 16 << 10;
/// Larger requests would waste much of a region.
const MAX_BYTES: usize = REGION / 4;
/// The first bytes of a process come from the allocator: twice the size of a region, and all under a sanitizer, which finds
/// accesses beyond the end of an allocation only.
const FIRST: usize = if option_env!("SANITIZER").is_some() { usize::MAX } else { 2 * REGION };

/// Bytes requested so far, up to [`FIRST`].
static REQUESTED: AtomicUsize = AtomicUsize::new(0);

static REGIONS: Lock<Vec<Region>> = Lock::new(Vec::new(), Vec::new);

/// Consecutive pages of a region, returned on drop. Their content is initialized but arbitrary.
pub struct PageRun {
    place: NonNull<u8>,
    len: usize,
}

// SAFETY: the memory belongs to this value alone.
unsafe impl Send for PageRun {}
// SAFETY: shared references only read it.
unsafe impl Sync for PageRun {}

impl PageRun {
    /// Pages for `len` bytes; nothing where the allocator serves as well, or the system gives none.
    #[inline(never)]
    pub fn for_bytes(len: usize) -> Option<PageRun> {
        if !(LEAST..=MAX_BYTES).contains(&len) {
            return None;
        }
        if REQUESTED.load(Ordering::Relaxed) < FIRST {
            REQUESTED.fetch_add(len, Ordering::Relaxed);
            return None;
        }
        let count = len.div_ceil(PAGE);
        let taken = take(&mut REGIONS.lock(), count);
        let place = match taken {
            Some(place) => place,
            None => {
                // Mapped while the lock is not held.
                let region = Region::new()?;
                let mut regions = lock_with_spare(1, || REGIONS.lock());
                regions.push(region);
                take(&mut regions, count)?
            }
        };
        Some(PageRun { place, len: count * PAGE })
    }
}

impl Deref for PageRun {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the pages are mapped, the system has cleared them once, and they belong to this value.
        unsafe { std::slice::from_raw_parts(self.place.as_ptr(), self.len) }
    }
}

impl DerefMut for PageRun {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and this is the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.place.as_ptr(), self.len) }
    }
}

impl Drop for PageRun {
    // Not inlined: called wherever scratch memory is dropped.
    #[inline(never)]
    fn drop(&mut self) {
        let free = free_pages(&mut REGIONS.lock(), self.place.as_ptr() as usize, self.len / PAGE);
        if let Some(region) = free {
            region.unmap();
        }
    }
}

/// A memory mapping.
struct Region {
    place: NonNull<u8>,
    /// One bit per page: set while the page is allocated.
    allocated: [u64; PAGES / 64],
    /// Upper bound of the number of consecutive free pages.
    most: usize,
}

// SAFETY: the memory is reached through `PageRun` only, each of which has pages of its own.
unsafe impl Send for Region {}

impl Region {
    /// A region at a multiple of its size; nothing if the system has no memory for it.
    fn new() -> Option<Region> {
        let place = platform::memory::map_aligned(REGION)?;
        Some(Region { place, allocated: [0; PAGES / 64], most: PAGES })
    }

    fn unmap(self) {
        // SAFETY: no page of it is allocated.
        unsafe { platform::memory::unmap(self.place, REGION) };
    }

    fn start(&self) -> usize {
        self.place.as_ptr() as usize
    }

    fn is_allocated(&self, page: usize) -> bool {
        self.allocated[page / 64] >> (page % 64) & 1 == 1
    }

    fn toggle(&mut self, first: usize, count: usize) {
        for page in first..first + count {
            self.allocated[page / 64] ^= 1 << (page % 64);
        }
    }

    /// The first of `count` consecutive free pages.
    fn find(&self, count: usize) -> Option<usize> {
        let mut free = 0;
        for page in 0..PAGES {
            free = if self.is_allocated(page) { 0 } else { free + 1 };
            if free == count {
                return Some(page + 1 - count);
            }
        }
        None
    }

    fn take(&mut self, count: usize) -> Option<NonNull<u8>> {
        if count > self.most {
            return None;
        }
        let Some(first) = self.find(count) else {
            self.most = count - 1;
            return None;
        };
        self.toggle(first, count);
        // SAFETY: the page is part of the region.
        Some(unsafe { self.place.byte_add(first * PAGE) })
    }

    fn is_free(&self) -> bool {
        self.allocated == [0; PAGES / 64]
    }
}

/// Pages of the first region that has them.
fn take(regions: &mut [Region], count: usize) -> Option<NonNull<u8>> {
    regions.iter_mut().find_map(|region| region.take(count))
}

/// Frees pages; returns their region if it is now unused and another unused region remains.
fn free_pages(regions: &mut Vec<Region>, start: usize, count: usize) -> Option<Region> {
    // A forked child that found the list in the midst of a change has a new one, and leaves the old regions alone.
    let region = regions.iter_mut().find(|region| (region.start()..region.start() + REGION).contains(&start))?;
    region.toggle((start - region.start()) / PAGE, count);
    region.most = PAGES;
    if !region.is_free() || regions.iter().filter(|region| region.is_free()).count() < 2 {
        return None;
    }
    let number = regions.iter().position(Region::is_free)?;
    Some(regions.swap_remove(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Maximum number of runs that are requested.
    const MAX_RUNS: usize = if cfg!(miri) { 8 } else { 200 };

    fn holds_only(pages: &PageRun, value: u8) -> bool {
        pages[..] == vec![value; pages.len()]
    }

    proptest! {
        #[test]
        fn nobody_writes_into_the_pages_of_another(lens in prop::collection::vec((1usize..700_000, 0usize..40), 1..MAX_RUNS)) {
            REQUESTED.store(FIRST, Ordering::Relaxed);
            let mut runs: Vec<(PageRun, u8)> = Vec::new();
            for (number, (len, other)) in lens.into_iter().enumerate() {
                if let Some(mut pages) = PageRun::for_bytes(len) {
                    prop_assert!(pages.len() >= len && pages.len() < len + PAGE);
                    prop_assert!((pages.as_ptr() as usize).is_multiple_of(PAGE));
                    pages.fill(number as u8);
                    runs.push((pages, number as u8));
                } else {
                    prop_assert!(!(LEAST..=MAX_BYTES).contains(&len));
                }
                if other < runs.len() {
                    let (pages, value) = runs.swap_remove(other);
                    prop_assert!(holds_only(&pages, value));
                }
            }
            prop_assert!(runs.iter().all(|(pages, value)| holds_only(pages, *value)));
        }
    }

    #[test]
    fn free_regions_are_returned_to_the_system() {
        let mut regions = vec![Region::new().unwrap(), Region::new().unwrap()];
        let places = [100, 500, 400].map(|count| take(&mut regions, count).unwrap().as_ptr() as usize);
        assert!(take(&mut regions, 20).is_none() && regions.iter().all(|region| region.start().is_multiple_of(REGION)));
        assert!(free_pages(&mut regions, places[1], 500).is_none());
        assert!(free_pages(&mut regions, places[0], 100).is_none());
        free_pages(&mut regions, places[2], 400).expect("two are free").unmap();
        assert!(free_pages(&mut regions, 4096, 1).is_none(), "pages of an unknown region");
        assert_eq!(regions.len(), 1);
        assert_eq!(take(&mut regions, PAGES).map(|place| place.as_ptr() as usize), Some(regions[0].start()));
    }
}
