//! Access tokens of Google for external identities (workload identity federation).

use serde_json::Value;

use super::super::ambient::{read_bytes, remote_client, secret, send};
use super::google_amazon;
use super::google_impersonation::{SCOPE, impersonate, text};
use super::token_endpoint::{RequestBody, TokenResult, document, token};
use crate::http::{Method, Network, Request};

/// Exchanges the other's token.
pub(super) fn find(account: &Value, network: &Network) -> TokenResult {
    let source = account.get("credential_source").ok_or("it lacks 'credential_source'")?;
    // Amazon's have addresses as well, at which there are keys and no token.
    let subject = match source.get("environment_id") {
        Some(_) => google_amazon::subject(source, text(account, "audience")?)?,
        None => subject(source, network)?,
    };
    let form = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ("audience", text(account, "audience")?),
        ("scope", SCOPE),
        ("subject_token_type", text(account, "subject_token_type")?),
        ("subject_token", &subject),
    ];
    let own = token(&document(&remote_client(network), text(account, "token_url")?, &[], RequestBody::Form(&form))?)?;
    match text(account, "service_account_impersonation_url") {
        Ok(url) => impersonate(&own.value, url, &[], network),
        Err(_) => Ok(own),
    }
}

/// The other's token, from a file or an address.
fn subject(source: &Value, network: &Network) -> Result<String, String> {
    let bytes = match (text(source, "file"), text(source, "url")) {
        (Ok(path), _) => read_bytes(path).map_err(|error| format!("'{path}': {error}"))?,
        (_, Ok(url)) => fetched(url, source, network)?,
        _ => return Err(unknown(source)),
    };
    let format = source.get("format").filter(|format| text(format, "type") == Ok("json"));
    let token = match format {
        Some(format) => {
            let name = text(format, "subject_token_field_name")?;
            let document: Value =
                serde_json::from_slice(&bytes).map_err(|error| format!("the token is no JSON: {error}"))?;
            text(&document, name)?.to_owned()
        }
        None => String::from_utf8_lossy(&bytes).trim().to_owned(),
    };
    if token.is_empty() { Err("the token is empty".to_owned()) } else { Ok(token) }
}

/// Why a source cannot be used, and which can.
fn unknown(source: &Value) -> String {
    let named = match source.get("executable") {
        Some(_) => "is an executable",
        None => "names no source that is known",
    };
    format!(
        "its 'credential_source' {named}; tokens are read from a 'file' or asked for at a 'url', or Amazon's keys sign"
    )
}

fn fetched(url: &str, source: &Value, network: &Network) -> Result<Vec<u8>, String> {
    let mut headers = Vec::new();
    for (name, value) in source.get("headers").and_then(Value::as_object).into_iter().flatten() {
        headers.extend(value.as_str().map(|value| (name.clone(), value.to_owned())));
    }
    let credential = secret(url, headers)?;
    let request = Request::new(Method::Get, url.to_owned(), Vec::new(), &[]).with(Some(credential));
    let response = send(&remote_client(network), &request)?;
    if response.status == 200 { Ok(response.body) } else { Err(format!("'{url}': {}", response.refusal())) }
}
