//! Error codes of system calls, which are those of WASI.

use std::io;

/// `EEXIST`.
pub const ALREADY_EXISTS: i32 = 20;
/// `EINVAL`.
pub const INVALID_ARGUMENT: i32 = 28;
/// `EISDIR`.
pub const IS_A_DIRECTORY: i32 = 31;
/// The kind of the error of [`std::fs::remove_file`] for a directory.
pub const REMOVED_DIRECTORY: io::ErrorKind = io::ErrorKind::IsADirectory;

/// Whether the process has no more file descriptors: it has none in use.
pub fn is_out_of_descriptors(_error: &io::Error) -> bool {
    false
}

/// Whether a path has too many symbolic links.
pub fn is_link_loop(_error: &io::Error) -> bool {
    false
}
