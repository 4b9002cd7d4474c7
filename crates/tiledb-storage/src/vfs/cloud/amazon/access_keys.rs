//! AccessKeys that sign requests.

use super::super::expiring_cache::Expiring;

/// The keys of an account or of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::vfs::cloud) struct AccessKeys {
    pub(in crate::vfs::cloud) id: String,
    pub(in crate::vfs::cloud) secret: String,
    /// What a session adds.
    pub(in crate::vfs::cloud) token: Option<String>,
}

/// The keys of a source, or why it gave none.
pub(in crate::vfs::cloud) type AccessKeysResult = Result<Expiring<AccessKeys>, String>;
