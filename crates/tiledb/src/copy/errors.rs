//! Errors that name files.

use crate::error::{Error, ErrorKind};

/// An error whose message names a file or folder.
pub(super) fn about(error: Error, uri: &str) -> Error {
    if error.message().contains(uri) {
        return error;
    }
    Error::new(error.kind(), format!("{uri}: {}", error.message()))
}

/// The error of an operation of the operating system.
pub(super) fn of_system(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Store, error.to_string())
}
