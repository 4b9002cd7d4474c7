//! Parses responses of GCS.

use serde_json::Value;

use super::super::request::ErrorResponse;
use super::super::store::{ListPage, Object};
use tiledb_core::error::{Error, ErrorKind, Result};

/// Parses an error response.
pub(super) fn refusal(status: u16, body: &[u8]) -> ErrorResponse {
    let response: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = &response["error"];
    let text = |value: &Value| value.as_str().unwrap_or_default().trim().to_owned();
    ErrorResponse::new(status, text(&error["errors"][0]["reason"]), text(&error["message"]))
}

/// A JSON response.
///
/// # Errors
/// `Io` if the body is not JSON.
pub(super) fn json(body: &[u8]) -> Result<Value> {
    serde_json::from_slice(body)
        .map_err(|error| Error::new(ErrorKind::Io, format!("GCS: The answer makes no sense: {error}")))
}

/// A number, which GCS writes as a string.
pub(super) fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// # Errors
/// `Io` if the body is not a listing.
pub(super) fn page(body: &[u8]) -> Result<ListPage> {
    let list = json(body)?;
    let broken = || Error::new(ErrorKind::Io, "GCS: The answer to a listing makes no sense");
    let all = |name: &str| list.get(name).and_then(Value::as_array).into_iter().flatten();
    let mut page = ListPage::default();
    if !list.is_object() {
        return Err(broken());
    }
    for object in all("items") {
        let key = object["name"].as_str().ok_or_else(broken)?.to_owned();
        page.objects.push(Object { key, size: number(&object["size"]).ok_or_else(broken)? });
    }
    for prefix in all("prefixes") {
        page.prefixes.push(prefix.as_str().ok_or_else(broken)?.to_owned());
    }
    page.next = list["nextPageToken"].as_str().filter(|token| !token.is_empty()).map(str::to_owned);
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let body = br#"{"items":[{"name":"d/a","size":"7"}],"prefixes":["d/e/"],"nextPageToken":"n"}"#;
        let listed = page(body).unwrap();
        assert_eq!(listed.objects, [Object { key: "d/a".to_owned(), size: 7 }]);
        assert_eq!((listed.prefixes, listed.next), (vec!["d/e/".to_owned()], Some("n".to_owned())));
        assert_eq!(page(b"{}").unwrap(), ListPage::default());
        for bad in ["", "[]", "{\"items\":[{}]}", "{\"prefixes\":[1]}"] {
            assert!(page(bad.as_bytes()).is_err(), "{bad}");
        }
        let refusal = refusal(403, br#"{"error":{"code":403,"message":"no","errors":[{"reason":"forbidden"}]}}"#);
        assert_eq!((refusal.code.as_str(), refusal.message.as_str()), ("forbidden", "no"));
    }
}
