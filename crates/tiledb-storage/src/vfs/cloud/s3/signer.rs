//! Signers of requests, and roles to assume.

use std::time::SystemTime;

use super::super::amazon::AccessKeys;

pub(super) enum Signer {
    Keys(AccessKeys),
    /// Anonymous, as configured.
    Nobody,
    /// Anonymous, since no keys were found at that time.
    Unknown {
        why: String,
        since: SystemTime,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AssumedRole {
    /// Amazon Resource Name.
    pub(super) arn: String,
    /// Session name, for audit logs.
    pub(super) session: Option<String>,
    /// External ID that the role's trust policy requires.
    pub(super) external_id: Option<String>,
    /// Session duration.
    pub(super) seconds: Option<u32>,
}

impl AssumedRole {
    /// The session name, or a unique one.
    pub(super) fn session(&self) -> String {
        self.session.clone().unwrap_or_else(|| format!("libtiledb-rs-{}", uuid::Uuid::new_v4().simple()))
    }
}
