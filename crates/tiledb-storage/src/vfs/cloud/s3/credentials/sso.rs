//! Credential provider: AWS IAM Identity Center (single sign-on), with the token that `aws sso login` stores in
//! `~/.aws/sso/cache`.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::super::super::amazon::{AccessKeysResult, credential_document};
use super::super::super::ambient::{home, remote_client, secret, send, variable};
use super::super::super::time::{self, Date};
use super::super::profile::{ProfileFiles, ProfileSection};
use super::session_cache;
use crate::http::encode::{hex, query};
use crate::http::{Method, Network, Request};

/// A token that lasts no longer is renewed.
const MARGIN: Duration = Duration::from_secs(60);

/// Requests the access keys of the account and role that a profile names.
pub(super) fn find(files: &ProfileFiles, name: &str, profile: &ProfileSection, network: &Network) -> AccessKeysResult {
    let shared = profile.get("sso_session");
    let session = match shared {
        Some(shared) => {
            files.sso_session(shared).ok_or_else(|| format!("there is no section [sso-session {shared}]"))?
        }
        None => profile,
    };
    let (Some(start), Some(region)) = (session.get("sso_start_url"), session.get("sso_region")) else {
        return Err("the profile names no sso_start_url with sso_region".to_owned());
    };
    let (Some(account), Some(role)) = (profile.get("sso_account_id"), profile.get("sso_role_name")) else {
        return Err("the profile names no sso_account_id with sso_role_name".to_owned());
    };
    let login = format!("`aws sso login --profile {name}`");
    let token = token(shared.unwrap_or(start), region, &login, network)?;
    let host = variable("AWS_ENDPOINT_URL_SSO").or_else(|| variable("AWS_ENDPOINT_URL"));
    let host = host.unwrap_or_else(|| format!("https://portal.sso.{region}.amazonaws.com"));
    let parameters = query(&[("role_name", role), ("account_id", account)]);
    let url = format!("{}/federation/credentials?{parameters}", host.trim_end_matches('/'));
    let credential = secret(&url, vec![("x-amz-sso_bearer_token".to_owned(), token)])?;
    let response =
        send(&remote_client(network), &Request::new(Method::Get, url, Vec::new(), &[]).with(Some(credential)))?;
    match response.status {
        200 => {
            let answer = credential_document::document(&response.body)?;
            let keys = answer.get("roleCredentials").unwrap_or(&Value::Null);
            credential_document::in_json(keys, ["accessKeyId", "secretAccessKey", "sessionToken", "expiration"])
        }
        401 => Err(format!("the session is not valid any more; run {login} ({})", response.refusal())),
        _ => Err(response.refusal()),
    }
}

/// The token of a session, from the file that is named after it. It is renewed where its file says how.
fn token(session: &str, region: &str, login: &str, network: &Network) -> Result<String, String> {
    let name = hex(&openssl::sha::sha1(session.as_bytes()));
    let path = home(&format!(".aws/sso/cache/{name}.json")).ok_or("HOME is not set")?;
    let mut cached = session_cache::read(&path)
        .map_err(|why| format!("there is no session in '{}' ({why}); run {login}", path.display()))?;
    let text = |name: &str| cached.get(name).and_then(Value::as_str);
    let (Some(token), Some(until)) = (text("accessToken"), text("expiresAt").and_then(time::iso)) else {
        return Err(format!("'{}' lacks accessToken or expiresAt; run {login}", path.display()));
    };
    let now = SystemTime::now();
    let token = token.to_owned();
    if now + MARGIN < until {
        return Ok(token);
    }
    match renewed(&mut cached, region, network) {
        Ok(next) => {
            // If it cannot be stored, it is refreshed again the next time.
            _ = session_cache::store(&path, &cached);
            Ok(next)
        }
        Err(_) if now < until => Ok(token),
        Err(why) => Err(format!("the session has expired and cannot be renewed ({why}); run {login}")),
    }
}

/// Refreshes the token of a session and stores it.
fn renewed(cached: &mut Value, region: &str, network: &Network) -> Result<String, String> {
    let text = |name: &str| cached.get(name).and_then(Value::as_str).ok_or_else(|| format!("there is no {name}"));
    let body = json!({
        "grantType": "refresh_token", "refreshToken": text("refreshToken")?,
        "clientId": text("clientId")?, "clientSecret": text("clientSecret")?,
    });
    let host = variable("AWS_ENDPOINT_URL_SSO_OIDC").or_else(|| variable("AWS_ENDPOINT_URL"));
    let host = host.unwrap_or_else(|| format!("https://oidc.{region}.amazonaws.com"));
    let (url, body) = (format!("{}/token", host.trim_end_matches('/')), body.to_string());
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    let response = send(&remote_client(network), &Request::new(Method::Post, url, headers, body.as_bytes()))?;
    if response.status != 200 {
        return Err(response.refusal());
    }
    let answer = credential_document::document(&response.body)?;
    let token = answer.get("accessToken").and_then(Value::as_str).ok_or("the answer lacks accessToken")?;
    let life = answer.get("expiresIn").and_then(Value::as_u64).unwrap_or(0);
    let until = SystemTime::now().checked_add(Duration::from_secs(life)).ok_or("the answer lasts too long")?;
    cached["accessToken"] = json!(token);
    cached["expiresAt"] = json!(Date::of(until).iso());
    if let Some(next) = answer.get("refreshToken") {
        cached["refreshToken"] = next.clone();
    }
    Ok(token.to_owned())
}
