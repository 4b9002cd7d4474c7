//! Owning wrappers of C handles, which are freed on drop.

use std::ffi::{CStr, CString, c_char};

use super::error::{Error, Result};
use super::sys;

/// An object of the C interface and the function that frees it.
pub struct Handle<T> {
    raw: *mut T,
    free: unsafe extern "C" fn(*mut *mut T),
}

impl<T> Handle<T> {
    /// The object that a call stored in an out-parameter.
    pub fn new(raw: *mut T, free: unsafe extern "C" fn(*mut *mut T)) -> Self {
        Self { raw, free }
    }

    /// The object as the C interface takes it; it lives as long as the handle.
    pub fn raw(&self) -> *mut T {
        self.raw
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: the object was returned by the interface, is freed by this function, and is not freed elsewhere.
        unsafe { (self.free)(&raw mut self.raw) }
    }
}

/// A text for the C interface.
///
/// # Errors
/// For a zero byte: no argument can hold one, so that the text comes from a file or a store.
pub fn text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::failed(format!("{text:?} contains a zero byte")))
}

/// Copies a string that the library owns.
pub fn lent(place: *const c_char) -> String {
    if place.is_null() {
        return String::new();
    }
    // SAFETY: the interface ends its texts with a zero byte; it is copied before anything else is called.
    unsafe { CStr::from_ptr(place) }.to_string_lossy().into_owned()
}

/// Takes a string that the caller owns.
pub fn taken(mut place: *mut sys::tiledb_string_t) -> String {
    let (mut data, mut length) = (std::ptr::null(), 0);
    if place.is_null() {
        return String::new();
    }
    // SAFETY: the string is ours; its text is copied before it is freed.
    unsafe {
        sys::tiledb_string_view(place, &raw mut data, &raw mut length);
        let copy = bytes(data.cast(), length as u64);
        sys::tiledb_string_free(&raw mut place);
        String::from_utf8_lossy(&copy).into_owned()
    }
}

/// A copy of bytes that the interface lends.
///
/// # Safety
///
/// There are `length` bytes, unless the place is null.
pub unsafe fn bytes(place: *const u8, length: u64) -> Vec<u8> {
    if place.is_null() || length == 0 {
        return Vec::new();
    }
    // SAFETY: see above.
    unsafe { std::slice::from_raw_parts(place, usize::try_from(length).unwrap_or(0)) }.to_vec()
}
