//! Shared state of a verification.

use tiledb_core::budget::Budget;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;

/// The context, its key and its memory.
pub(super) struct VerifyContext<'a> {
    pub(super) resources: &'a Resources,
    pub(super) key: EncryptionKey,
    pub(super) budget: Budget,
}

/// Separates errors that stop the verification from those of damaged data.
///
/// # Errors
/// Errors that stop the verification.
pub(super) fn unless_stopped<T>(result: Result<T>) -> Result<Result<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        result => Ok(result),
    }
}
