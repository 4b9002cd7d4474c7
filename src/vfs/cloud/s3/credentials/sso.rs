//! Keys of a single sign-on, whose token `aws sso login` leaves in `~/.aws/sso/cache`.

use std::time::SystemTime;

use serde_json::Value;

use super::super::super::ambient::{ask, far, home, variable};
use super::super::super::encode::{hex, query};
use super::super::super::http::{Method, Network, Request};
use super::super::super::time;
use super::super::keys::Found;
use super::super::profile::{Files, Section};
use super::given;

/// Asks for the keys of the account and role that a profile names.
pub(super) fn find(files: &Files, name: &str, profile: &Section, network: &Network) -> Found {
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
    let token = token(shared.unwrap_or(start), &login)?;
    let host = variable("AWS_ENDPOINT_URL_SSO").or_else(|| variable("AWS_ENDPOINT_URL"));
    let host = host.unwrap_or_else(|| format!("https://portal.sso.{region}.amazonaws.com"));
    let parameters = query(&[("role_name", role), ("account_id", account)]);
    let url = format!("{}/federation/credentials?{parameters}", host.trim_end_matches('/'));
    let headers = vec![("x-amz-sso_bearer_token".to_owned(), token)];
    let answered = ask(&far(network), &Request { method: Method::Get, url, headers, body: &[] })?;
    match answered.status {
        200 => {
            let answer = given::document(&answered.body)?;
            let keys = answer.get("roleCredentials").unwrap_or(&Value::Null);
            given::in_json(keys, ["accessKeyId", "secretAccessKey", "sessionToken", "expiration"])
        }
        401 => Err(format!("the session is not valid any more; run {login} ({})", answered.refusal())),
        _ => Err(answered.refusal()),
    }
}

/// The token of a session, from the file that is named after it.
fn token(session: &str, login: &str) -> Result<String, String> {
    let name = hex(&openssl::sha::sha1(session.as_bytes()));
    let path = home(&format!(".aws/sso/cache/{name}.json")).ok_or("HOME is not set")?;
    let bytes = std::fs::read(&path)
        .map_err(|error| format!("there is no session in '{}' ({error}); run {login}", path.display()))?;
    let cached: Value =
        serde_json::from_slice(&bytes).map_err(|error| format!("'{}': {error}; run {login}", path.display()))?;
    let text = |name: &str| cached.get(name).and_then(Value::as_str);
    let until = text("expiresAt").and_then(time::iso);
    match (text("accessToken"), until) {
        (Some(_), Some(until)) if until <= SystemTime::now() => Err(format!("the session has expired; run {login}")),
        (Some(token), Some(_)) => Ok(token.to_owned()),
        _ => Err(format!("'{}' lacks accessToken or expiresAt; run {login}", path.display())),
    }
}
