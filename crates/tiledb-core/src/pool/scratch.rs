//! Pool of scratch buffers: process-wide and limited in bytes.
//!
//! Not `thread_local!`, since callers may use thousands of threads. Buffers are in several shelves, each with its own lock; a
//! contended shelf is skipped; only a limit that falls waits for it.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::budget::MemoryUsage;
use crate::error::{Error, Result};
use crate::fork::Lock;
use crate::limits::cache::{MAX_RETAINED_BUFFER_BYTES, RETAINED_BUFFERS};
use crate::memory::PageRun;
use crate::platform;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// The unit of allocation; its alignment is the buffer's.
type Unit = u128;

const UNIT: usize = size_of::<Unit>();
const SHELVES: usize = 8;
/// Maximum number of bytes in all shelves together.
const MAX_BYTES: usize = 64 << 20;
/// Buffers are at least this large, so that small requests find each other's.
const MIN_SIZE: usize = 16 << 10;
/// Smaller buffers use the allocator, which is as fast; thousands of such tiles may exist at a time.
const SMALL: usize = 2 << 10;

/// Bytes that a shelf holds: its share of the least of [`MAX_BYTES`] and what the memory of the last query allows.
static BYTES_PER_SHELF: AtomicUsize = AtomicUsize::new(MAX_BYTES / SHELVES);

static STACK: [Lock<Vec<Vec<Unit>>>; SHELVES] = [const { Lock::new(Vec::new(), Vec::new) }; SHELVES];

/// Bytes of undefined content, aligned to 16, returned to the stack on drop.
pub struct Scratch {
    memory: Memory,
    len: usize,
}

enum Memory {
    Units(Vec<Unit>),
    /// Returned to the page allocator.
    PageRun(PageRun),
}

impl Memory {
    fn size(&self) -> usize {
        match self {
            Memory::Units(units) => units.len() * UNIT,
            Memory::PageRun(pages) => pages.len(),
        }
    }
}

/// Working memory of `len` bytes, whose content is undefined.
///
/// # Errors
/// `OutOfMemory` where the system has no memory of that size left.
pub fn scratch(len: usize) -> Result<Scratch> {
    let units_needed = len.div_ceil(UNIT);
    if len <= SMALL {
        return Ok(Scratch::of_units(reserve(len)?, len));
    }
    let units = STACK.iter().find_map(|shelf| take(&mut *shelf.try_lock()?, units_needed));
    match units {
        Some(units) => Ok(Scratch::of_units(units, len)),
        None => Ok(Scratch::of_units(allocate(len)?, len)),
    }
}

/// As [`scratch`], for bytes that stay in a cache: large amounts are allocated in huge pages.
///
/// # Errors
/// As [`scratch`].
pub fn scratch_for_cache(len: usize) -> Result<Scratch> {
    match PageRun::for_bytes(len) {
        Some(pages) => Ok(Scratch { memory: Memory::PageRun(pages), len }),
        None => scratch(len),
    }
}

/// Limits the bytes that are retained for reuse. A lower limit waits for shelves that others use: they are above it.
pub fn set_retained_limit(bytes: u64) {
    let limit = usize::try_from(bytes).unwrap_or(MAX_BYTES).min(MAX_BYTES) / SHELVES;
    if BYTES_PER_SHELF.swap(limit, Ordering::Relaxed) <= limit {
        return;
    }
    for shelf in &STACK {
        loop {
            let mut shelf = shelf.lock();
            let oldest = if retained_bytes(&shelf) > limit { Some(shelf.remove(0)) } else { None };
            drop(shelf);
            // Freed while the lock is not held.
            if oldest.is_none() {
                break;
            }
        }
    }
}

/// Returns memory that is not in use to the system: retained buffers, and what the allocator holds back.
pub fn trim_memory() {
    clear();
    platform::memory::trim_heap();
}

/// Frees the buffers that nobody uses.
fn clear() {
    for shelf in &STACK {
        let unused = shelf.try_lock().map(|mut shelf| std::mem::take(&mut *shelf));
        drop(unused);
    }
}

/// The smallest buffer that is large enough, unless it is wastefully large.
fn take(shelf: &mut Vec<Vec<Unit>>, units_needed: usize) -> Option<Vec<Unit>> {
    let limit = units_needed.saturating_mul(16).max(2 * MIN_SIZE / UNIT);
    let fits = |(_, buffer): &(usize, &Vec<Unit>)| (units_needed..=limit).contains(&buffer.len());
    let (position, _) = shelf.iter().enumerate().filter(fits).min_by_key(|(_, buffer)| buffer.len())?;
    Some(shelf.remove(position))
}

fn allocate(len: usize) -> Result<Vec<Unit>> {
    reserve(rounded(len))
}

/// Rounded up, so that requests of similar sizes share buffers; large ones are not wasteful.
fn rounded(len: usize) -> usize {
    if len > 1 << 20 {
        return len;
    }
    let most = len.max(MIN_SIZE).next_power_of_two();
    // Half of the power and as many of its fourths as are needed.
    if len <= MIN_SIZE { most } else { len.next_multiple_of(most / 8) }
}

/// The bytes of memory that a new buffer of `len` bytes takes.
#[inline]
pub fn scratch_size(len: u64) -> u64 {
    match usize::try_from(len) {
        Ok(len) if len > SMALL => rounded(len) as u64,
        _ => len,
    }
}

fn reserve(len: usize) -> Result<Vec<Unit>> {
    // Memory that the system clears when it is touched is not written twice.
    bytemuck::try_zeroed_vec(len.div_ceil(UNIT)).map_err(|()| Error::out_of_memory("working buffers", len))
}

impl Scratch {
    fn of_units(units: Vec<Unit>, len: usize) -> Scratch {
        Scratch { memory: Memory::Units(units), len }
    }

    /// Bytes of memory it takes.
    pub fn capacity(&self) -> usize {
        self.memory.size()
    }

    /// A copy that takes no more memory than these bytes need, if they take much more and there is memory.
    pub fn shrunk_copy(&self) -> Option<Arc<Scratch>> {
        if self.capacity() <= rounded(self.len).saturating_mul(5) / 4 {
            return None;
        }
        let pages = PageRun::for_bytes(self.len).map(Memory::PageRun);
        let memory = pages.or_else(|| allocate(self.len).ok().map(Memory::Units))?;
        let mut copy = Scratch { memory, len: self.len };
        copy.copy_from_slice(self);
        Some(Arc::new(copy))
    }

    /// The bytes as values of a plain type, as many as fit.
    pub fn cast_mut<T: bytemuck::Pod>(&mut self) -> &mut [T] {
        let whole = self.len - self.len % size_of::<T>().max(1);
        bytemuck::try_cast_slice_mut(&mut self[..whole]).unwrap_or_default()
    }
}

impl MemoryUsage for Scratch {
    /// The size of a new buffer of this length: a reused one may be larger, within the retained limit.
    #[inline]
    fn memory_usage(&self) -> u64 {
        scratch_size(self.len as u64)
    }
}

impl Deref for Scratch {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        let bytes: &[u8] = match &self.memory {
            Memory::Units(units) => bytemuck::cast_slice(units),
            Memory::PageRun(pages) => pages,
        };
        &bytes[..self.len]
    }
}

impl DerefMut for Scratch {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        let bytes: &mut [u8] = match &mut self.memory {
            Memory::Units(units) => bytemuck::cast_slice_mut(units),
            Memory::PageRun(pages) => pages,
        };
        &mut bytes[..self.len]
    }
}

impl Drop for Scratch {
    #[inline(never)]
    fn drop(&mut self) {
        let Memory::Units(units) = &mut self.memory else { return };
        let units = std::mem::take(units);
        let size = units.len() * UNIT;
        // Read while a shelf is locked: a limit that falls later finds the buffer there.
        let limit = || BYTES_PER_SHELF.load(Ordering::Relaxed);
        if !(MIN_SIZE..=MAX_RETAINED_BUFFER_BYTES.count().min(limit())).contains(&size) {
            return;
        }
        let has_room =
            |shelf: &Vec<Vec<Unit>>| shelf.len() < RETAINED_BUFFERS.count() && retained_bytes(shelf) + size <= limit();
        for shelf in &STACK {
            let Some(mut shelf) = shelf.try_lock() else { continue };
            if has_room(&shelf) {
                return shelf.push(units);
            }
        }
        // All shelves are full: the most recently used buffer replaces the oldest ones of a shelf.
        if let Some(mut shelf) = STACK.iter().find_map(Lock::try_lock) {
            while !has_room(&shelf) && !shelf.is_empty() {
                shelf.remove(0);
            }
            if has_room(&shelf) {
                shelf.push(units);
            }
        }
    }
}

fn retained_bytes(shelf: &[Vec<Unit>]) -> usize {
    shelf.iter().map(|buffer| buffer.len() * UNIT).sum()
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buffers_are_used_again_without_being_cleared() {
        // Other tests share the stack, so one of several attempts must succeed.
        let reused = (0..100).any(|_| {
            let mut first = scratch(300_000).unwrap();
            first.fill(0xAB);
            drop(first);
            scratch(200_000).unwrap()[..] == vec![0xAB; 200_000]
        });
        assert!(reused);
    }

    /// Bytes of buffers that nobody uses.
    fn retained() -> usize {
        STACK.iter().filter_map(|shelf| Some(retained_bytes(&shelf.try_lock()?))).sum()
    }

    #[test]
    fn buffers_that_nobody_uses_are_freed() {
        // Other tests share the stack, and fill it again.
        let freed = (0..100).any(|_| {
            drop(scratch(5_000_000).unwrap());
            let before = retained();
            clear();
            before >= 5_000_000 && retained() < before
        });
        assert!(freed);
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        assert!(scratch(usize::MAX).is_err());
        assert!(scratch(isize::MAX as usize).is_err());
    }

    proptest! {
        #[test]
        fn lengths_are_exact_and_casts_fit(len in 0usize..100_000, fill: u8) {
            for mut buffer in [scratch(len).unwrap(), scratch_for_cache(len).unwrap()] {
                prop_assert_eq!(buffer.len(), len);
                buffer.fill(fill);
                prop_assert_eq!(buffer.cast_mut::<u64>().len(), len / 8);
                prop_assert_eq!(buffer.as_ptr() as usize % 16, 0);
            }
        }
    }
}
