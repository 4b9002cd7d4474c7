//! Who signs requests, and roles that lend keys.

use std::time::SystemTime;

use super::super::amazon::AccessKeys;

/// Who signs requests.
pub(super) enum Signer {
    Keys(AccessKeys),
    /// Nobody, as is wished.
    Nobody,
    /// Nobody, as no keys were found at that time.
    Unknown {
        why: String,
        since: SystemTime,
    },
}

/// A role that lends keys to those who may have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AssumedRole {
    /// Its name.
    pub(super) arn: String,
    /// What the session is called in records.
    pub(super) session: Option<String>,
    /// A word agreed on with the owner of the role.
    pub(super) external_id: Option<String>,
    /// How long the keys are to be good.
    pub(super) seconds: Option<u32>,
}

impl AssumedRole {
    /// The name of the session, or one that nobody else has.
    pub(super) fn session(&self) -> String {
        self.session.clone().unwrap_or_else(|| format!("libtiledb-rs-{}", uuid::Uuid::new_v4().simple()))
    }
}
