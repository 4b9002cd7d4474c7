//! Memory that results go to.
//!
//! # Safety contract
//!
//! An [`OutMem`] stands for memory that is written and never read: a C caller's result buffer
//! (see `user.rs`) or a slice of ours. Every access is checked against its length. Tasks
//! of one step write to disjoint places; the readers see to that by cutting the result into
//! disjoint boxes, and no reference to such memory outlives the closure it is lent to. That is the one
//! contract in the engine that types do not hold: where debug assertions are on, as in all tests, it is an error to
//! lend a place that is lent.
#![expect(unsafe_code, reason = "tasks write disjoint boxes of the caller's buffer in parallel")]

use std::marker::PhantomData;
use std::ops::Range;

use crate::error::{Error, Result};

/// Bytes of a buffer that are believed. Some callers name a size beyond all memory for "as much as it takes".
pub const MOST: u64 = 1 << 40;

/// Memory for results, shared by the tasks of one step.
#[derive(Clone, Copy, Debug)]
pub struct OutMem<'a> {
    pub(super) start: *mut u8,
    len: usize,
    borrow: PhantomData<&'a mut [u8]>,
}

// SAFETY: the memory is exclusively lent for 'a and tasks write disjoint parts of it (file contract).
unsafe impl Send for OutMem<'_> {}

// SAFETY: as above.
unsafe impl Sync for OutMem<'_> {}

impl<'a> OutMem<'a> {
    /// The memory of a slice.
    pub fn new(bytes: &'a mut [u8]) -> OutMem<'a> {
        OutMem { start: bytes.as_mut_ptr(), len: bytes.len(), borrow: PhantomData }
    }

    /// Memory at an address.
    ///
    /// # Safety
    /// `start..start + len` must be writable and not otherwise used while the value lives.
    pub(in crate::query) unsafe fn from_raw(start: *mut u8, len: usize) -> OutMem<'a> {
        OutMem { start, len, borrow: PhantomData }
    }

    /// Bytes of it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if it holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A part of it.
    ///
    /// # Errors
    /// If the range lies outside.
    pub fn part(&self, range: Range<usize>) -> Result<OutMem<'a>> {
        if range.start > range.end || range.end > self.len {
            return Err(outside(self.len, range));
        }
        // SAFETY: the range was checked, so the sum stays inside the memory.
        let start = if range.is_empty() { self.start } else { unsafe { self.start.add(range.start) } };
        Ok(OutMem { start, len: range.len(), borrow: PhantomData })
    }

    /// Lends a part as a slice to be written.
    ///
    /// # Errors
    /// If the range lies outside, or what the closure returns.
    pub fn with<R>(&self, range: Range<usize>, write: impl FnOnce(&mut [u8]) -> Result<R>) -> Result<R> {
        let part = self.part(range)?;
        if part.is_empty() {
            return write(&mut []);
        }
        #[cfg(debug_assertions)]
        let _lent = lent::Lent::new(part.start as usize, part.len)?;
        // SAFETY: in bounds, not empty hence not null; exclusive by the contract of this file.
        write(unsafe { std::slice::from_raw_parts_mut(part.start, part.len) })
    }

    /// Copies bytes to a position.
    ///
    /// # Errors
    /// If they do not fit there.
    pub fn put(&self, at: usize, bytes: &[u8]) -> Result<()> {
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

/// What is lent at the moment.
#[cfg(debug_assertions)]
mod lent {
    use crate::error::{Result, bail};
    use crate::fork::Lock;

    static LENT: Lock<Vec<(usize, usize)>> = Lock::new(Vec::new(), Vec::new);

    /// A place that is lent while this lives.
    pub(super) struct Lent(usize);

    impl Lent {
        pub(super) fn new(start: usize, len: usize) -> Result<Lent> {
            let mut lent = LENT.lock();
            if let Some((other, end)) = lent.iter().find(|(other, end)| start < *end && *other < start + len) {
                bail!(Internal, "{len} bytes of a result at {start} are lent while {other} to {end} are");
            }
            lent.push((start, start + len));
            Ok(Lent(start))
        }
    }

    impl Drop for Lent {
        fn drop(&mut self) {
            let mut lent = LENT.lock();
            if let Some(place) = lent.iter().position(|(start, _)| *start == self.0) {
                lent.swap_remove(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lent_is_not_lent_again() {
        let mut bytes = [0; 8];
        let memory = OutMem::new(&mut bytes);
        let inner = |range| memory.with(0..4, |_| memory.put(range, &[1]));
        assert!(inner(3).is_err() && inner(4).is_ok());
        memory.put(3, &[1]).unwrap();
    }
}
