//! User buffers: recorded addresses, result memory for readers, checked slices for writers.
//!
//! # Safety contract
//!
//! A C caller supplies the addresses of a buffer and of its size variable. Both stay valid, and nothing else uses the
//! buffer during a submit, until the query is freed or the buffer replaced. For reads the capacity is the size
//! variable's value when the buffer was set; for writes the size is read at submit. A size variable is written only
//! after a successful submit. Rust code obtains a [`UserPtr`] only by [`UserPtr::new`], which is unsafe and called by
//! the C boundary, where it represents the caller's promise, and by `scoped_buffers.rs`, which borrows memory for one
//! submit and clears the address at its end. Copies of a buffer refer to the same memory; only
//! [`Buffers`](super::buffers::Buffers) derives result memory from them, through an exclusive borrow of all buffers of
//! a query.
#![expect(unsafe_code, reason = "results are written to and cells read from memory that belongs to a C caller")]

use super::memory::{MOST, OutMem};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;

/// An address in a caller's memory.
pub struct UserPtr<T>(*mut T);

impl<T> Clone for UserPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for UserPtr<T> {}

// SAFETY: a plain address; code that dereferences it upholds the contract of this file.
unsafe impl<T> Send for UserPtr<T> {}

// SAFETY: as above.
unsafe impl<T> Sync for UserPtr<T> {}

impl<T> UserPtr<T> {
    /// No memory.
    pub const NULL: UserPtr<T> = UserPtr(std::ptr::null_mut());

    /// Records an address.
    ///
    /// # Safety
    /// The contract of this file must hold for it as long as a query has it.
    pub unsafe fn new(address: *mut T) -> UserPtr<T> {
        UserPtr(address)
    }

    /// Records an address in a test that upholds the contract.
    #[cfg(any(test, feature = "testing"))]
    pub fn in_test(address: *mut T) -> UserPtr<T> {
        UserPtr(address)
    }

    /// The same memory as bytes.
    pub fn bytes(self) -> UserPtr<u8> {
        UserPtr(self.0.cast())
    }

    /// True for the null address.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub fn address(self) -> *mut T {
        self.0
    }
}

impl UserPtr<u8> {
    /// The address of bytes that outlive every use of the address.
    pub fn borrowed_from(bytes: &[u8]) -> UserPtr<u8> {
        UserPtr(bytes.as_ptr().cast_mut())
    }

    /// The address `bytes` later in the same memory.
    pub fn after(self, bytes: usize) -> UserPtr<u8> {
        if self.is_null() { self } else { UserPtr(self.0.wrapping_add(bytes)) }
    }

    /// The bytes from the address on.
    ///
    /// # Errors
    /// For more than there can be.
    pub fn as_slice(&self, size: u64) -> Result<&[u8]> {
        let Ok(len) = isize::try_from(size) else {
            bail!("C API: Cannot access a buffer of {size} bytes; the limit is {} bytes", isize::MAX)
        };
        if len == 0 || self.0.is_null() {
            return Ok(&[]);
        }
        // SAFETY: valid for as many bytes as the caller stated, by the contract of this file.
        Ok(unsafe { std::slice::from_raw_parts(self.0, len as usize) })
    }
}

impl UserPtr<u64> {
    pub(super) fn value(self) -> u64 {
        // SAFETY: not null (checked when recorded) and valid by the contract of this file.
        unsafe { self.0.read_unaligned() }
    }

    pub(super) fn set(self, value: u64) {
        // SAFETY: as above.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// One recorded buffer.
#[derive(Clone, Copy)]
pub struct UserBuffer {
    start: UserPtr<u8>,
    size: UserPtr<u64>,
    capacity: u64,
}

impl UserBuffer {
    /// Records a buffer and its size variable; `what` names it in errors. A null buffer is accepted if `may_be_empty`
    /// and the size is 0.
    ///
    /// # Errors
    /// For a null address.
    pub fn record(what: &str, start: UserPtr<u8>, size: UserPtr<u64>, may_be_empty: bool) -> Result<UserBuffer> {
        if start.is_null() && !(may_be_empty && !size.is_null() && size.value() == 0) {
            bail!("[TileDB::Query] Error: Cannot set buffer; {what} buffer is null");
        }
        if size.is_null() {
            bail!("[TileDB::Query] Error: Cannot set buffer; {what} buffer size is null");
        }
        Ok(UserBuffer { start, size, capacity: size.value() })
    }

    /// Limits the bytes that are used.
    pub(crate) fn limit(&mut self, most: u64) {
        self.capacity = self.capacity.min(most);
    }

    /// The buffer's address.
    pub fn start(&self) -> UserPtr<u8> {
        self.start
    }

    /// The size variable's address.
    pub fn size(&self) -> UserPtr<u64> {
        self.size
    }

    /// True if only its size is known.
    pub(crate) fn is_awaited(&self) -> bool {
        self.start.is_null() && self.capacity > 0
    }

    /// The current value of the size variable.
    pub fn stated(&self) -> u64 {
        self.size.value()
    }

    /// Sets the size variable.
    pub fn state(&self, size: u64) {
        self.size.set(size);
    }

    /// Writes bytes to the buffer at a position.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn put(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        self.out().put(usize::try_from(at).unwrap_or(usize::MAX), bytes)
    }

    /// Bytes of the buffer when it was set.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    pub(super) fn out(&mut self) -> OutMem<'_> {
        if self.start.is_null() {
            return OutMem::none();
        }
        let len = usize::try_from(self.capacity).unwrap_or(usize::MAX).min(isize::MAX as usize);
        // SAFETY: not null; the caller's memory is writable for the recorded capacity if that is not zero, and
        // not used otherwise (contract of this file).
        unsafe { OutMem::from_raw(self.start.0, len) }
    }

    pub(super) fn bytes(&self) -> Result<&[u8]> {
        self.first_bytes(self.size.value())
    }

    /// The first bytes; the rest is not accessed.
    pub(super) fn first_bytes(&self, size: u64) -> Result<&[u8]> {
        let Ok(len) = isize::try_from(size) else {
            bail!("[TileDB::Query] Error: Cannot set buffer; {size} bytes exceed the limit of {} bytes", isize::MAX);
        };
        if len == 0 {
            return Ok(&[]);
        }
        if self.start.is_null() {
            bail!("[TileDB::Query] Error: Cannot set buffer; a buffer is null");
        }
        // SAFETY: not null; readable for the stated size during the submit (contract of this file).
        Ok(unsafe { std::slice::from_raw_parts(self.start.0, len as usize) })
    }

    /// The addresses that the buffer covers: only its first one if its stated size exceeds any memory.
    pub(super) fn span(&self) -> (usize, usize) {
        let start = self.start.0 as usize;
        let size = if self.capacity > MOST { 1 } else { self.capacity as usize };
        (start, start.saturating_add(size))
    }
}

/// The size variable of a buffer and, unless the data belong to a message, its memory: owned by a query for as long as
/// it has the buffer.
pub struct OwnedBuffer {
    size: Vec<u64>,
    bytes: Vec<u8>,
}

impl OwnedBuffer {
    /// Allocates a buffer of this size.
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn allocate(bytes: u64) -> Result<OwnedBuffer> {
        let count = usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok(OwnedBuffer { size: vec![bytes], bytes: memory::filled("results", 0, count)? })
    }

    /// A size variable for a requested size, or for memory owned by someone else; no memory.
    pub fn size(bytes: u64) -> OwnedBuffer {
        OwnedBuffer { size: vec![bytes], bytes: Vec::new() }
    }

    /// The buffer in its own memory; none if there is no memory.
    pub fn own(&mut self) -> UserBuffer {
        let start = if self.bytes.is_empty() { UserPtr::NULL } else { UserPtr(self.bytes.as_mut_ptr()) };
        self.at(start)
    }

    /// The buffer in memory of another.
    pub fn at(&mut self, start: UserPtr<u8>) -> UserBuffer {
        UserBuffer { start, size: UserPtr(self.size.as_mut_ptr()), capacity: self.size[0] }
    }
}
