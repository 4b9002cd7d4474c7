//! Paths as bytes.

use std::path::PathBuf;

/// Whether paths have drives and backslashes, and `file` URIs are percent-encoded.
pub const IS_WINDOWS: bool = false;

/// The path with these bytes. Bytes that are not UTF-8 become the replacement character: no file is opened by a path.
pub fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
