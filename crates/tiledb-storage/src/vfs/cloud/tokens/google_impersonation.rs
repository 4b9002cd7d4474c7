//! Service account impersonation, and helpers for Google's credential files.

use serde_json::{Value, json};

use super::super::ambient::remote_client;
use super::super::expiring_cache::Expiring;
use super::super::time;
use super::token_endpoint::{RequestBody, TokenResult, document};
use crate::http::Network;

/// Scope of tokens.
pub(super) const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// A string field of a credential file.
pub(super) fn text<'a>(account: &'a Value, name: &str) -> Result<&'a str, String> {
    account.get(name).and_then(Value::as_str).ok_or_else(|| format!("it lacks '{name}'"))
}

/// An access token of an impersonated service account.
pub(super) fn impersonate(own: &str, url: &str, delegates: &[&str], network: &Network) -> TokenResult {
    let delegates: Vec<String> = delegates.iter().map(|name| format!("projects/-/serviceAccounts/{name}")).collect();
    let wish = json!({"delegates": delegates, "scope": [SCOPE], "lifetime": "3600s"});
    let bearer = format!("Bearer {own}");
    let answer = document(&remote_client(network), url, &[("authorization", &bearer)], RequestBody::Json(wish))?;
    let value = answer.get("accessToken").and_then(Value::as_str).ok_or("the answer lacks accessToken")?;
    let until = answer.get("expireTime").and_then(Value::as_str).and_then(time::iso);
    Ok(Expiring { value: value.to_owned(), until })
}
