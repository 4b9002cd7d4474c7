//! Shared state of a verification.

use tiledb_core::budget::{Budget, StructureBudget};
use tiledb_core::error::{ErrorKind, Result};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic::{self, Check, StructurePayload};
use tiledb_storage::resources::Resources;

/// The context, its key and its memory.
pub(super) struct VerifyContext<'a> {
    pub(super) resources: &'a Resources,
    pub(super) key: EncryptionKey,
    pub(super) budget: Budget,
}

impl VerifyContext<'_> {
    /// Decodes the generic tile at the start of `bytes`, whose beginnings `check` parses.
    ///
    /// # Errors
    /// As [`generic::decode`].
    pub(super) fn decode(&self, bytes: &[u8], check: Check<'_>) -> Result<StructurePayload> {
        let budget = StructureBudget::of(self.resources.config())?;
        generic::decode(bytes, &self.key, |stored_bytes| Ok(budget.of_stored(stored_bytes)), check)
    }
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
