//! Credential provider: the `credential_process` of a profile.

use serde_json::Value;

use super::super::super::amazon::{AccessKeysResult, credential_document};
use super::super::super::ambient;
use super::super::profile::ProfileSection;

pub(super) fn find(profile: &ProfileSection) -> AccessKeysResult {
    let line = profile.get("credential_process").ok_or("the profile names none")?;
    let printed = ambient::output_of(&ambient::split(line)?)?;
    let keys = credential_document::document(&printed)?;
    if keys.get("Version").and_then(Value::as_u64) != Some(1) {
        return Err("what it prints lacks 'Version': 1".to_owned());
    }
    credential_document::in_json(&keys, ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"])
}
