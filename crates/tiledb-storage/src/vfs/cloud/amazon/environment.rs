//! Keys in variables.

use super::super::ambient::variable;
use super::super::refresh::Fetched;
use super::{Found, Keys};

/// The keys that the environment holds.
pub(in crate::vfs::cloud) fn find() -> Found {
    match (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY")) {
        (Some(id), Some(secret)) => {
            Ok(Fetched { value: Keys { id, secret, token: variable("AWS_SESSION_TOKEN") }, until: None })
        }
        (None, None) => Err("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set".to_owned()),
        (None, Some(_)) => Err("AWS_ACCESS_KEY_ID is not set".to_owned()),
        (Some(_), None) => Err("AWS_SECRET_ACCESS_KEY is not set".to_owned()),
    }
}
