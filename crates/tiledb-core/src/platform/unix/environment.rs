//! The environment of the process.
#![expect(unsafe_code, reason = "the C library keeps the environment as an array of pointers")]

use std::ffi::CStr;
use std::ops::ControlFlow;

/// The variable that names the home directory.
pub const HOME: &str = "HOME";

/// The folder in the home directory where programs keep their settings.
pub const SETTINGS: &str = ".config";

/// Visits the variables whose names begin with `prefix`, as `name=value`. Every entry is compared on each call, since
/// programs may modify the array and its strings without calling a function.
pub fn each(prefix: &str, mut visit: impl FnMut(&[u8]) -> ControlFlow<()>) {
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
            if begins && visit(CStr::from_ptr(entry).to_bytes()).is_break() {
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
