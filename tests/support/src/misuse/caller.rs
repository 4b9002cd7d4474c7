//! Calls functions of the library by name.

use std::ffi::{CString, c_void};
use std::path::Path;

/// The most parameters a function has, rounded up.
pub const MOST: usize = 16;

type Function = extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> i64;

/// A loaded library.
pub struct Library(*mut c_void);

impl Library {
    pub fn open(path: &Path) -> Library {
        let name = CString::new(path.to_str().expect("UTF-8")).expect("no NUL");
        // SAFETY: loading runs the library's initialisers, which is what the test is about.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "cannot load {}", path.display());
        Library(handle)
    }

    /// Calls a function all of whose parameters are integers or pointers.
    pub fn call(&self, function: &str, arguments: &[u64]) -> i64 {
        let name = CString::new(function).expect("no NUL");
        // SAFETY: the handle is a loaded library's.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!address.is_null(), "the library does not export {function}");
        // SAFETY: the calling convention passes integers and pointers alike and lets the caller clean
        // up, so arguments beyond the function's own do no harm.
        let function: Function = unsafe { std::mem::transmute(address) };
        let mut a = [0; MOST];
        a[..arguments.len()].copy_from_slice(arguments);
        function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15])
    }
}

/// A zeroed variable that is never freed.
pub fn slot() -> u64 {
    Box::leak(Box::new(0u64)) as *mut u64 as u64
}

/// A variable with a value.
pub fn slot_of(value: u64) -> u64 {
    Box::leak(Box::new(value)) as *mut u64 as u64
}

/// What a variable holds.
pub fn read(slot: u64) -> u64 {
    // SAFETY: only addresses from `slot` and `slot_of` come here.
    unsafe { (slot as *const u64).read() }
}

/// A text that is never freed.
pub fn text(text: &[u8]) -> u64 {
    CString::new(text).expect("no NUL").into_raw() as u64
}

/// A large zeroed buffer that is never freed.
pub fn buffer() -> u64 {
    vec![0u64; 8192].leak().as_ptr() as u64
}

/// The text a function gave out.
pub fn text_at(address: u64) -> String {
    if address == 0 {
        return String::new();
    }
    // SAFETY: only texts that the library gave out come here.
    unsafe { std::ffi::CStr::from_ptr(address as *const std::ffi::c_char) }.to_string_lossy().into_owned()
}

/// A stream that takes anything.
pub fn stream() -> u64 {
    // SAFETY: both texts are NUL-ended.
    unsafe { libc::fopen(c"/dev/null".as_ptr(), c"w".as_ptr()) as u64 }
}

/// Sets a variable.
#[allow(dead_code, reason = "not every test that calls by name marks outputs")]
pub fn write(slot: u64, value: u64) {
    // SAFETY: only addresses from `slot`, `slot_of` and `buffer` come here.
    unsafe { (slot as *mut u64).write(value) }
}
