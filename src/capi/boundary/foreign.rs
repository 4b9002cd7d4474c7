//! Converts C++ exceptions thrown by a user's callback to errors: unwinding into Rust would abort the process.
//!
//! This is done on Linux. Elsewhere exceptions are not caught: the barrier of panics ends the process.

use tiledb_core::error::Result;

/// Calls `callback`, a closure around a user's function, and returns its result.
///
/// # Errors
/// If it throws: with the text of the exception.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn call_user<F: FnOnce() -> T, T>(callback: F) -> Result<T> {
    use super::itanium::{catch, end};
    use tiledb_core::error::Error;

    match catch(callback) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Err(Error::internal("TileDB internal: a callback did not return")),
        Err(exception) => Err(Error::invalid(format!("TileDB internal: {}", end(exception)))),
    }
}

/// Calls `callback`, a closure around a user's function, and returns its result.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) fn call_user<F: FnOnce() -> T, T>(callback: F) -> Result<T> {
    Ok(callback())
}
