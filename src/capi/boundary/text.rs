//! Text that goes out to be freed by the caller.

use std::collections::BTreeSet;
use std::ffi::{CString, c_char};

use tiledb_core::fork::Lock;

/// Addresses of the texts handed out, so that nothing else is ever freed.
static TEXTS: Lock<BTreeSet<usize>> = Lock::new(BTreeSet::new(), BTreeSet::new);

/// Hands a text out; the caller gives it back to the function the documentation names.
pub(super) fn hand_out(text: &str) -> *mut c_char {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default().into_raw();
    TEXTS.lock_across_fork().insert(text as usize);
    text
}

/// Takes a text back. False for a pointer that was not handed out.
pub(crate) fn free_text(text: *mut c_char) -> bool {
    let known = TEXTS.lock_across_fork().remove(&(text as usize));
    if known {
        // SAFETY: `hand_out` made it with `into_raw`, and the set gave it to us alone.
        drop(unsafe { CString::from_raw(text) });
    }
    known
}
