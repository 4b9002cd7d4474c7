//! Strings that the caller frees (`char *` out-parameters).

use std::collections::HashSet;
use std::ffi::{CString, c_char};
use std::hash::{BuildHasherDefault, DefaultHasher};

use tiledb_core::fork::{Lock, lock_with_spare};

/// Addresses of the allocated texts, so that nothing else is ever freed.
static TEXTS: Lock<HashSet<usize, BuildHasherDefault<DefaultHasher>>> =
    Lock::new(HashSet::with_hasher(BuildHasherDefault::new()), HashSet::default);

/// Allocates a text for the caller, who passes it to the documented function to free it.
pub(super) fn hand_out(text: &str) -> *mut c_char {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default().into_raw();
    lock_with_spare(1, || TEXTS.lock_across_fork()).insert(text as usize);
    text
}

/// Frees a text. False for a pointer that was not allocated here.
pub(crate) fn free_text(text: *mut c_char) -> bool {
    let known = TEXTS.lock_across_fork().remove(&(text as usize));
    if known {
        // SAFETY: `hand_out` made it with `into_raw`, and the set gave it to us alone.
        drop(unsafe { CString::from_raw(text) });
    }
    known
}
