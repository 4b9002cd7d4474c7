//! Paths as bytes.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Whether paths have drives and backslashes, and `file` URIs are percent-encoded.
pub const IS_WINDOWS: bool = false;

/// The path with these bytes, which need not be UTF-8.
pub fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}
