//! This library in the memory of the process.
#![expect(unsafe_code, reason = "a system call that the standard library does not offer")]

use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN, GetModuleHandleExW,
};

/// Keeps the library loaded until the process ends: its threads execute its code after `FreeLibrary`, too.
pub fn keep_loaded() {
    let (flags, mut module) =
        (GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, std::ptr::null_mut());
    let here: fn() = keep_loaded;
    // SAFETY: the address lies in this library. A failure leaves the library as it is.
    _ = unsafe { GetModuleHandleExW(flags, here as *const u16, &raw mut module) };
}

/// Does nothing: the loader relocates pages when they are needed.
pub fn release_relocations() {}
