//! Strings that the caller frees (`char *` out-parameters).

use std::collections::HashSet;
use std::ffi::{CString, c_char};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::ptr;

use super::arg::{NO_OUTPUT, set};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::fork::{Lock, lock_with_spare};

/// Addresses of the allocated texts, so that nothing else is ever freed.
static TEXTS: Lock<HashSet<usize, BuildHasherDefault<DefaultHasher>>> =
    Lock::new(HashSet::with_hasher(BuildHasherDefault::new()), HashSet::default);

/// Allocates a text for the caller, who passes it to the documented function to free it.
fn hand_out(text: &str) -> *mut c_char {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default().into_raw();
    lock_with_spare(1, || TEXTS.lock_across_fork()).insert(text as usize);
    text
}

/// Copies a text into memory that the caller releases with `free()`; null if there is none left.
fn copy_for_free(text: &[u8]) -> *mut c_char {
    let length = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    // SAFETY: the copy has a byte more than what is copied, for the NUL, and nobody else knows it yet.
    unsafe {
        let copy = libc::malloc(length + 1).cast::<u8>();
        if !copy.is_null() {
            copy.copy_from_nonoverlapping(text.as_ptr(), length);
            copy.add(length).write(0);
        }
        copy.cast()
    }
}

/// Frees a text. False for a pointer that was not allocated here.
fn free_text(text: *mut c_char) -> bool {
    let known = TEXTS.lock_across_fork().remove(&(text as usize));
    if known {
        // SAFETY: `hand_out` made it with `into_raw`, and the set gave it to us alone.
        drop(unsafe { CString::from_raw(text) });
    }
    known
}

/// Where a text goes that the caller frees with the function the documentation names: `char **`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutText(*mut *mut c_char);

impl OutText {
    /// Hands a copy of the text out.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, text: &str) -> Result<()> {
        if self.0.is_null() {
            return Err(Error::invalid(NO_OUTPUT));
        }
        set(self.0, hand_out(text))
    }

    /// Refuses a null output pointer, with an error.
    pub(crate) fn check(self) -> Result<()> {
        if self.0.is_null() { Err(Error::invalid(NO_OUTPUT)) } else { Ok(()) }
    }

    /// Stores null: there is no such text.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set_null(self) -> Result<()> {
        set(self.0, ptr::null_mut())
    }

    /// Stores a copy of the bytes, up to a NUL, that the caller releases with `free()`.
    ///
    /// # Errors
    /// For a null output pointer, and if there is no memory.
    pub(crate) fn set_for_free(self, text: &[u8]) -> Result<()> {
        self.check()?;
        let copy = copy_for_free(text);
        if copy.is_null() {
            return Err(Error::out_of_memory("a text", text.len()));
        }
        set(self.0, copy)
    }

    /// Takes the text back and sets the pointer to null; a null pointer or text is fine.
    ///
    /// # Errors
    /// For a text that was not handed out.
    pub(crate) fn free(self) -> Result<()> {
        if self.0.is_null() {
            return Ok(());
        }
        // SAFETY: a non-null `char **` of the caller is valid for a read.
        let text = unsafe { self.0.read_unaligned() };
        if !text.is_null() && !free_text(text) {
            bail!("C API: this text was not handed out by the library, or was freed before");
        }
        set(self.0, ptr::null_mut())
    }
}
