//! Requests to token endpoints.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::super::ambient::{ServiceResponse, secret, send};
use super::super::expiring_cache::Expiring;
use crate::http::encode::query;
use crate::http::{Client, Method, Request};

/// A token, or why there is none.
pub(in crate::vfs::cloud) type TokenResult = Result<Expiring<String>, String>;

pub(super) enum RequestBody<'a> {
    Nothing,
    Form(&'a [(&'a str, &'a str)]),
    Json(Value),
}

/// Sends a request with these secret headers; returns the JSON document of the response.
pub(super) fn document(
    client: &Client,
    url: &str,
    headers: &[(&str, &str)],
    sent: RequestBody<'_>,
) -> Result<Value, String> {
    let (method, kind, body) = match sent {
        RequestBody::Nothing => (Method::Get, None, String::new()),
        RequestBody::Form(form) => (Method::Post, Some("application/x-www-form-urlencoded"), query(form)),
        RequestBody::Json(value) => (Method::Post, Some("application/json"), value.to_string()),
    };
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let credential = secret(url, headers.iter().copied().map(owned).collect())?;
    let plain = kind.map(|kind| owned(("content-type", kind))).into_iter().collect();
    let response = send(client, &Request::new(method, url.to_owned(), plain, body.as_bytes()).with(Some(credential)))?;
    let host = url.split('/').nth(2).unwrap_or_default();
    match response.status {
        200 => {
            serde_json::from_slice(&response.body).map_err(|error| format!("{host}: the answer is no JSON: {error}"))
        }
        _ => Err(format!("{host}: {}", refusal(&response))),
    }
}

/// The message of an error response.
fn refusal(response: &ServiceResponse) -> String {
    let document: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    match (text("error"), text("error_description")) {
        (Some(error), Some(more)) => {
            // The lines after the first are of use to the service's operators.
            format!("{error}: {} ({})", more.lines().next().unwrap_or_default(), response.status)
        }
        _ => response.refusal(),
    }
}

/// The token of a response.
pub(super) fn token(answer: &Value) -> TokenResult {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let token = text("access_token").filter(|token| !token.is_empty()).ok_or("the answer holds no access_token")?;
    let seconds = |name: &str| {
        let value = answer.get(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok()).map(Duration::from_secs)
    };
    let left = seconds("expires_in").and_then(|left| SystemTime::now().checked_add(left));
    let until = left.or_else(|| UNIX_EPOCH.checked_add(seconds("expires_on")?));
    Ok(Expiring { value: token.to_owned(), until })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read() {
        let read = |text: &str| token(&serde_json::from_str(text).unwrap());
        let token = read(r#"{"access_token":"a","expires_on":"60"}"#).ok().unwrap();
        assert_eq!((token.value.as_str(), token.until), ("a", Some(UNIX_EPOCH + Duration::from_secs(60))));
        let token = read(r#"{"access_token":"a","expires_in":3600,"expires_on":"x"}"#).ok().unwrap();
        assert!(token.until.unwrap() > SystemTime::now() + Duration::from_secs(3500));
        assert_eq!(read(r#"{"access_token":"a"}"#).ok().unwrap().until, None);
        assert!(read(r#"{"token":"a"}"#).is_err());
    }
}
