//! Output memory of reads.
//!
//! # Safety contract
//!
//! An [`OutMem`] represents memory that results are written to: a C caller's buffer (see `user_buffer.rs`) or a slice
//! of the engine. It has exclusive access to that memory: it moves, is split into disjoint parts, and is written
//! through an exclusive borrow; every access is bounds-checked. Tasks that write boxes of a result have adjacent cells,
//! which no split separates: they alias the same memory by [`OutMem::alias`], which is unsafe, and each of them
//! justifies why the cells that it writes are its own. With debug assertions, as in all tests, overlapping simultaneous
//! access is an error.
#![expect(unsafe_code, reason = "results go to a caller's memory, and tasks write their own boxes of it in parallel")]

use std::marker::PhantomData;
use std::ops::Range;

use super::streaming;
use tiledb_core::error::{Error, Result};
use tiledb_core::limits::columns::MIN_STREAMED_RESULT_BYTES;

/// Maximum size of a buffer that is accepted as stated. Some callers pass a size beyond the address space to mean "unlimited".
pub(crate) const MOST: u64 = 1 << 40;

/// Memory for results, with exclusive access except for what [`OutMem::alias`] promises.
#[derive(Debug)]
pub struct OutMem<'a> {
    pub(super) start: *mut u8,
    len: usize,
    /// The result, of which this may be a part, is larger than the caches.
    is_large: bool,
    borrow: PhantomData<&'a mut [u8]>,
}

// SAFETY: as a `&mut [u8]`.
unsafe impl Send for OutMem<'_> {}

// SAFETY: as above; shared references write nothing.
unsafe impl Sync for OutMem<'_> {}

impl<'a> OutMem<'a> {
    /// The memory of a slice.
    pub fn new(bytes: &'a mut [u8]) -> OutMem<'a> {
        OutMem { start: bytes.as_mut_ptr(), len: bytes.len(), is_large: false, borrow: PhantomData }
    }

    /// No memory.
    pub(crate) fn none() -> OutMem<'a> {
        OutMem::new(&mut [])
    }

    /// Memory of a caller at an address.
    ///
    /// # Safety
    /// What is written of `start..start + len` must be writable and not otherwise used while the value lives.
    pub(super) unsafe fn from_raw(start: *mut u8, len: usize) -> OutMem<'a> {
        // The caller's memory may be uninitialized, to which no reference may be made. The compiler must assume that
        // this line writes there; it costs nothing. WebAssembly has no callers in C, and no assembly.
        #[cfg(not(any(miri, target_arch = "wasm32")))]
        // SAFETY: no instruction at all.
        unsafe {
            std::arch::asm!("/* {0} */", in(reg) start, options(nostack, preserves_flags));
        }
        OutMem { start, len, is_large: false, borrow: PhantomData }
    }

    /// States the size in bytes of the result, of which this may be a part, or which may be a part of this.
    #[must_use]
    pub fn of_result(self, bytes: usize) -> OutMem<'a> {
        OutMem { is_large: streaming::AVAILABLE && bytes >= MIN_STREAMED_RESULT_BYTES.count(), ..self }
    }

    /// True if boxes of it are written with non-temporal stores.
    pub(super) fn is_large(&self) -> bool {
        self.is_large
    }

    /// The same memory for another task.
    ///
    /// # Safety
    /// As long as both live, no byte is touched through one that is touched through the other, nor through parts of them.
    pub unsafe fn alias(&self) -> OutMem<'a> {
        OutMem { borrow: PhantomData, ..*self }
    }

    /// Bytes of it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if it holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of it, for a while.
    pub fn all(&mut self) -> OutMem<'_> {
        OutMem { borrow: PhantomData, ..*self }
    }

    /// A part of it, for a while.
    ///
    /// # Errors
    /// If the range exceeds the memory.
    #[inline]
    pub fn part(&mut self, range: Range<usize>) -> Result<OutMem<'_>> {
        if range.start > range.end || range.end > self.len {
            return Err(outside(self.len, range));
        }
        // SAFETY: the range was checked, so the sum stays inside the memory.
        let start = if range.is_empty() { self.start } else { unsafe { self.start.add(range.start) } };
        Ok(OutMem { start, len: range.len(), ..*self })
    }

    /// Cuts off its first bytes.
    ///
    /// # Errors
    /// If there are fewer.
    #[inline]
    pub fn take_front(&mut self, len: usize) -> Result<OutMem<'a>> {
        if len > self.len {
            return Err(outside(self.len, 0..len));
        }
        let front = OutMem { len, ..*self };
        if len > 0 {
            // SAFETY: no more than the length, so the sum stays inside the memory or at its end.
            self.start = unsafe { self.start.add(len) };
            self.len -= len;
        }
        Ok(front)
    }

    /// Passes a part to `write` as a mutable slice.
    ///
    /// # Errors
    /// If the range exceeds the memory, or what the closure returns.
    pub fn with<R>(&mut self, range: Range<usize>, write: impl FnOnce(&mut [u8]) -> Result<R>) -> Result<R> {
        let part = self.part(range)?;
        if part.is_empty() {
            return write(&mut []);
        }
        #[cfg(debug_assertions)]
        let _guard = access_tracker::BorrowGuard::new(part.start as usize, part.len)?;
        // SAFETY: in bounds, not empty hence not null; exclusively accessed, by the contract of this file.
        write(unsafe { std::slice::from_raw_parts_mut(part.start, part.len) })
    }

    /// Its first `count` words; `None` if it has fewer or is not aligned to words.
    pub fn words(&mut self, count: usize) -> Option<&mut [u64]> {
        let start = self.start.cast::<u64>();
        if count > self.len / size_of::<u64>() || start.is_null() || !start.is_aligned() {
            return None;
        }
        // SAFETY: in bounds, aligned, not null; exclusively accessed, by the contract of this file.
        Some(unsafe { std::slice::from_raw_parts_mut(start, count) })
    }

    /// Copies bytes to a position.
    ///
    /// # Errors
    /// If they do not fit there.
    #[inline]
    pub fn put(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let end = at.checked_add(bytes.len()).ok_or_else(|| outside(self.len, at..usize::MAX))?;
        self.with(at..end, |out| {
            out.copy_from_slice(bytes);
            Ok(())
        })
    }
}

#[cold]
pub(super) fn outside(len: usize, range: Range<usize>) -> Error {
    Error::internal(format!("Bytes {} to {} do not lie in a result of {len} bytes", range.start, range.end))
}

/// Tracks the ranges that are accessed at the moment, to detect aliasing.
#[cfg(debug_assertions)]
mod access_tracker {
    use tiledb_core::error::{Result, bail};
    use tiledb_core::fork::Lock;

    static ACCESSED: Lock<Vec<(usize, usize)>> = Lock::new(Vec::new(), Vec::new);

    /// A range that is accessed during this guard's lifetime.
    pub(super) struct BorrowGuard(usize);

    impl BorrowGuard {
        pub(super) fn new(start: usize, len: usize) -> Result<BorrowGuard> {
            let mut accessed = ACCESSED.lock();
            if let Some((other, end)) = accessed.iter().find(|(other, end)| start < *end && *other < start + len) {
                bail!(Internal, "{len} bytes of a result at {start} are lent while {other} to {end} are");
            }
            accessed.push((start, start + len));
            Ok(BorrowGuard(start))
        }
    }

    impl Drop for BorrowGuard {
        fn drop(&mut self) {
            let mut accessed = ACCESSED.lock();
            if let Some(place) = accessed.iter().position(|(start, _)| *start == self.0) {
                accessed.swap_remove(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrowed_part_is_not_borrowed_again() {
        let mut bytes = [0; 8];
        let mut memory = OutMem::new(&mut bytes);
        // SAFETY: overlapping accesses are rejected.
        let mut other = unsafe { memory.alias() };
        let mut inner = |range| memory.with(0..4, |_| other.put(range, &[1]));
        assert!(inner(3).is_err() && inner(4).is_ok());
        memory.put(3, &[1]).unwrap();
    }

    #[test]
    fn parts_lie_inside_and_do_not_meet() {
        let mut bytes = [0; 8];
        let mut memory = OutMem::new(&mut bytes);
        assert!(memory.part(3..9).is_err() && memory.part(9..9).is_err());
        #[expect(clippy::reversed_empty_ranges, reason = "to be refused")]
        let reversed = memory.part(3..2).is_err();
        assert!(reversed && memory.part(8..8).unwrap().is_empty());
        memory.part(2..4).unwrap().put(0, &[1, 1]).unwrap();
        let mut front = memory.take_front(5).unwrap();
        memory.put(0, &[2]).unwrap();
        front.put(4, &[3]).unwrap();
        assert!(front.put(5, &[4]).is_err() && memory.take_front(4).is_err());
        assert_eq!((memory.len(), bytes), (3, [0, 0, 1, 1, 3, 2, 0, 0]));
    }
}
