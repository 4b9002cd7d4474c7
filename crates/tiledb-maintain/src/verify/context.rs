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

/// What came out, or the error of something that is damaged.
///
/// # Errors
/// What stops the verification.
pub(super) fn unless_stopped<T>(result: Result<T>) -> Result<Result<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        result => Ok(result),
    }
}
