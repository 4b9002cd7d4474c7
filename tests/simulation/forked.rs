//! Children of the test process, made by `fork` in the middle of a history: only the thread of that history exists in them.
#![allow(unsafe_code, reason = "processes that fork")]

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Seconds after which a child that has not ended is killed.
const LIMIT: u32 = 60;

/// Runs a check in a child; the text of its panic.
///
/// # Errors
/// If the child panics, or does not end.
pub fn in_child(check: impl FnOnce()) -> Result<(), String> {
    let (mut results, mut result) = std::io::pipe().unwrap();
    // SAFETY: the child runs one thread, and ends without any exit handler of the test program.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: it has no preconditions.
        unsafe { libc::alarm(LIMIT) };
        let text = catch_unwind(AssertUnwindSafe(check)).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        });
        _ = result.write_all(text.as_ref().map_or_else(String::as_bytes, |()| b"done"));
        // SAFETY: it ends the process.
        unsafe { libc::_exit(0) };
    }
    assert!(child > 0, "{}", std::io::Error::last_os_error());
    drop(result);
    let mut text = String::new();
    results.read_to_string(&mut text).unwrap();
    let mut status = 0;
    // SAFETY: `status` is valid, and the child is one of this process.
    let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(ended, child);
    match text.as_str() {
        "done" => Ok(()),
        _ => Err(format!("in a child, status {status}: {text}")),
    }
}
