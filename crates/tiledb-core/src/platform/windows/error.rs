//! Error codes of system calls.

use std::io;

/// `ERROR_FILE_EXISTS`.
pub const ALREADY_EXISTS: i32 = 80;
/// `ERROR_INVALID_PARAMETER`.
pub const INVALID_ARGUMENT: i32 = 87;
/// `ERROR_DIRECTORY_NOT_SUPPORTED`.
pub const IS_A_DIRECTORY: i32 = 336;
/// The kind of the error of [`std::fs::remove_file`] for a directory.
pub const REMOVED_DIRECTORY: io::ErrorKind = io::ErrorKind::PermissionDenied;
/// `ERROR_TOO_MANY_OPEN_FILES`.
const OUT_OF_HANDLES: i32 = 4;
/// `ERROR_CANT_RESOLVE_FILENAME`.
const LINK_LOOP: i32 = 1921;

/// Whether the process has no more handles.
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    error.raw_os_error() == Some(OUT_OF_HANDLES)
}

/// Whether a path has too many symbolic links.
pub fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(LINK_LOOP)
}
