//! Error codes of system calls.

use std::io;

pub const ALREADY_EXISTS: i32 = libc::EEXIST;
pub const INVALID_ARGUMENT: i32 = libc::EINVAL;
pub const IS_A_DIRECTORY: i32 = libc::EISDIR;

/// The kind of the error of [`std::fs::remove_file`] for a directory.
pub const REMOVED_DIRECTORY: io::ErrorKind = super::kernel::REMOVED_DIRECTORY;

/// Whether the process, or the system, has no more file descriptors.
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Whether a path has too many symbolic links.
pub fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}
