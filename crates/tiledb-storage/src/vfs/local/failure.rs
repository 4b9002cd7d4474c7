//! Errors of system calls.

use std::fmt;
use std::io;
use std::path::Path;

use tiledb_core::error::{Error, ErrorKind};
use tiledb_core::platform::error::{REMOVED_DIRECTORY, is_link_loop};
use tiledb_core::types::DisplayPath;

/// The error `IO Error: what; reason` of a failed system call.
#[cold]
pub(super) fn failed(error: &io::Error, what: impl fmt::Display) -> Error {
    Error::new(kind_of(error), format!("IO Error: {what}; {}", reason(error)))
}

/// As [`failed`], if a parent is a file: with libtiledb's text.
#[cold]
pub(super) fn no_parents(error: &io::Error, path: &Path, what: impl fmt::Display) -> Error {
    match error.kind() {
        io::ErrorKind::NotADirectory => {
            let path = DisplayPath(path);
            let text = format!(
                "[TileDB::IO] Error: Cannot create parent directories of '{path}' (generic:20): {}",
                reason(error)
            );
            Error::new(ErrorKind::Io, text)
        }
        _ => failed(error, what),
    }
}

/// Whether a path does not exist. A path without search permission counts as missing, as for `access`; other failures
/// do not.
pub(super) fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | InvalidInput | InvalidFilename)
        || is_link_loop(error)
}

/// Whether the removal of a file failed since it is a directory.
pub(super) fn is_directory(error: &io::Error, path: &Path) -> bool {
    error.kind() == REMOVED_DIRECTORY && path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

pub(super) fn kind_of(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
        _ => ErrorKind::Io,
    }
}

/// The system's own words, without the number that Rust adds.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_in_words() {
        let words = [
            (libc::ENOTDIR, "Not a directory"),
            (libc::EISDIR, "Is a directory"),
            (libc::ENOTEMPTY, "Directory not empty"),
            (libc::ENAMETOOLONG, "File name too long"),
            (libc::ELOOP, "Too many levels of symbolic links"),
            (libc::ENOSPC, "No space left on device"),
            (libc::EDQUOT, "Disk quota exceeded"),
            (libc::EROFS, "Read-only file system"),
            (libc::EXDEV, "Invalid cross-device link"),
            (libc::ESTALE, "Stale file handle"),
            (libc::EMFILE, "Too many open files"),
            (libc::EFBIG, "File too large"),
            (libc::EIO, "Input/output error"),
        ];
        for (code, words) in words {
            let error = io::Error::from_raw_os_error(code);
            for error in [failed(&error, "Cannot write"), no_parents(&error, Path::new("/a/b"), "Cannot write")] {
                assert!(error.text().ends_with(words), "{error}");
            }
        }
    }
}
