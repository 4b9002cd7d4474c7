//! What all parts of a verification share.

use crate::budget::Budget;
use crate::crypto::EncryptionKey;
use crate::error::{ErrorKind, Result};
use crate::resources::Resources;

/// The context, its key and its memory.
pub(super) struct Work<'a> {
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
