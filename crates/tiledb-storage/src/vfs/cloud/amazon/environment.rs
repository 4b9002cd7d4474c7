//! Access keys from environment variables.

use super::super::ambient::variable;
use super::super::expiring_cache::Expiring;
use super::{AccessKeys, AccessKeysResult};

pub(in crate::vfs::cloud) fn find() -> AccessKeysResult {
    match (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY")) {
        (Some(id), Some(secret)) => {
            Ok(Expiring { value: AccessKeys { id, secret, token: variable("AWS_SESSION_TOKEN") }, until: None })
        }
        (None, None) => Err("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set".to_owned()),
        (None, Some(_)) => Err("AWS_ACCESS_KEY_ID is not set".to_owned()),
        (Some(_), None) => Err("AWS_SECRET_ACCESS_KEY is not set".to_owned()),
    }
}
