//! AWS access keys.

use super::super::expiring_cache::Expiring;

/// Access keys of an account or of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::vfs::cloud) struct AccessKeys {
    pub(in crate::vfs::cloud) id: String,
    pub(in crate::vfs::cloud) secret: String,
    /// Session token.
    pub(in crate::vfs::cloud) token: Option<String>,
}

/// Access keys of a credential provider, or why it has none.
pub(in crate::vfs::cloud) type AccessKeysResult = Result<Expiring<AccessKeys>, String>;
