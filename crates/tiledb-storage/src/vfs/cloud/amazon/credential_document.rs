//! Access keys in JSON documents, as credential services and programs return them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::super::expiring_cache::Expiring;
use super::super::time;
use super::{AccessKeys, AccessKeysResult};

/// Field names of the ID, secret, token and expiry.
pub(in crate::vfs::cloud) type FieldNames = [&'static str; 4];

/// Field names of most services.
pub(in crate::vfs::cloud) const STANDARD_NAMES: FieldNames = ["AccessKeyId", "SecretAccessKey", "Token", "Expiration"];

pub(in crate::vfs::cloud) fn document(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| format!("the answer is no JSON: {error}"))
}

pub(in crate::vfs::cloud) fn in_json(value: &Value, names: FieldNames) -> AccessKeysResult {
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let (Some(id), Some(secret)) = (text(names[0]), text(names[1])) else {
        return Err(format!("the answer lacks '{}' or '{}'", names[0], names[1]));
    };
    let until = value.get(names[3]).and_then(moment);
    Ok(Expiring { value: AccessKeys { id, secret, token: text(names[2]) }, until })
}

fn moment(value: &Value) -> Option<SystemTime> {
    match (value.as_str(), value.as_u64()) {
        (Some(text), _) => time::iso(text),
        (None, Some(number)) => UNIX_EPOCH.checked_add(Duration::from_millis(number)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read() {
        let read = |text: &str| in_json(&document(text.as_bytes()).unwrap(), STANDARD_NAMES);
        let keys = read(r#"{"AccessKeyId":"a","SecretAccessKey":"b","Token":"c","Expiration":"1970-01-01T00:01:00Z"}"#);
        let keys = keys.ok().unwrap();
        assert_eq!(keys.value, AccessKeys { id: "a".to_owned(), secret: "b".to_owned(), token: Some("c".to_owned()) });
        assert_eq!(keys.until, Some(UNIX_EPOCH + Duration::from_secs(60)));
        let keys = read(r#"{"AccessKeyId":"a","SecretAccessKey":"b","Expiration":60000}"#).ok().unwrap();
        assert_eq!((keys.value.token, keys.until), (None, Some(UNIX_EPOCH + Duration::from_secs(60))));
        assert!(read(r#"{"AccessKeyId":"a","SecretAccessKey":""}"#).is_err());
        assert!(document(b"<html>").is_err());
    }
}
