//! The process's environment.

#![expect(unsafe_code, reason = "the C library keeps the environment as an array of pointers")]

use std::ffi::CStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use crate::types::text_of_path;

/// An environment variable; `var_os` panics on names that no environment can hold.
pub(super) fn variable(key: &str) -> Option<String> {
    if key.is_empty() || key.contains(['=', '\0']) {
        return None;
    }
    std::env::var_os(key).map(|value| text_of_path(value.as_encoded_bytes()).into_owned())
}

/// Whether there is a variable whose name begins with `prefix`.
pub(super) fn has_any(prefix: &str) -> bool {
    let mut found = false;
    each(prefix, |_| {
        found = true;
        ControlFlow::Break(())
    });
    found
}

/// A digest of the variables whose names begin with `prefix`, if there are any: one walk over the environment, which
/// costs less than asking for a single variable by a name that is made first.
pub(super) fn fingerprint(prefix: &str) -> Option<u64> {
    let mut digest = None;
    each(prefix, |variable| {
        variable.hash(digest.get_or_insert_with(DefaultHasher::new));
        ControlFlow::Continue(())
    });
    digest.map(|digest| digest.finish())
}

/// Visits the variables whose names begin with `prefix`, as strings `name=value`. Every entry is compared on each call,
/// since programs may modify the array and its strings without calling a function.
fn each(prefix: &str, mut visit: impl FnMut(&CStr) -> ControlFlow<()>) {
    let (first, rest) = match prefix.as_bytes() {
        [first, rest @ ..] => (Some(*first), rest),
        [] => (None, &[][..]),
    };
    // SAFETY: `environ` is a null-terminated array of NUL-terminated texts, or null; what differs from the
    // prefix ends the comparison, at the latest its null. As with every `getenv`, a program must not change its
    // environment while other threads use it.
    unsafe {
        let mut place = entries();
        if place.is_null() {
            return;
        }
        loop {
            let entry = *place;
            if entry.is_null() {
                return;
            }
            place = place.add(1);
            // Characters have a sign on some processors.
            let bytes = entry.cast::<u8>();
            // The first byte alone rules out nearly all.
            if first.is_some_and(|first| *bytes != first) {
                continue;
            }
            let begins = rest.iter().zip(1..).all(|(byte, at)| *bytes.add(at) == *byte);
            if begins && visit(CStr::from_ptr(entry)).is_break() {
                return;
            }
        }
    }
}

#[cfg(target_vendor = "apple")]
unsafe fn entries() -> *const *const libc::c_char {
    // SAFETY: it returns the address of a variable that lives as long as the process.
    unsafe { (*libc::_NSGetEnviron()).cast() }
}

#[cfg(not(target_vendor = "apple"))]
unsafe fn entries() -> *const *const libc::c_char {
    unsafe extern "C" {
        static environ: *const *const libc::c_char;
    }
    // SAFETY: a variable of the C library, as long as the process lives.
    unsafe { environ }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_found() {
        let (name, _) = std::env::vars().next().unwrap();
        assert!(has_any(&name) && has_any(""));
        assert!(!has_any("no variable begins like this"));
        assert_eq!((fingerprint(&name), fingerprint(&name) == fingerprint("")), (fingerprint(&name), false));
    }
}
