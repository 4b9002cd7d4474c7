//! Credential provider: sessions of `aws login`, whose access keys and refresh token are in `~/.aws/login/cache`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::super::super::amazon::{AccessKeysResult, credential_document};
use super::super::super::ambient::{home, remote_client, secret, send, variable};
use super::super::super::time::Date;
use super::super::profile::ProfileSection;
use super::{dpop, session_cache};
use crate::http::encode::hex;
use crate::http::{Method, Network, Request};

/// Keys that last no longer are refreshed.
const MARGIN: Duration = Duration::from_secs(300);

/// Names of the access keys in a session, which are those of the response to a refresh.
const NAMES: credential_document::FieldNames = ["accessKeyId", "secretAccessKey", "sessionToken", "expiresAt"];

/// The access keys of the session that a profile names.
pub(super) fn find(name: &str, profile: &ProfileSection, network: &Network) -> AccessKeysResult {
    let session = profile.get("login_session").ok_or("the profile names no login_session")?;
    let path = session_file(session).ok_or("HOME is not set")?;
    let remedy = format!("run `aws login --profile {name}`");
    let unusable = |why: &str| format!("profile '{name}': session '{}': {why}; {remedy}", path.display());
    let mut cached = session_cache::read(&path).map_err(|why| unusable(&why))?;
    let keys = credential_document::in_json(&cached["accessToken"], NAMES)
        .map_err(|_| unusable("it lacks an accessToken with accessKeyId and secretAccessKey"))?;
    let Some(until) = keys.until.filter(|_| keys.value.token.is_some()) else {
        return Err(unusable("its accessToken lacks sessionToken, or a time as expiresAt"));
    };
    let now = SystemTime::now();
    if now + MARGIN < until {
        return Ok(keys);
    }
    match refreshed(&mut cached, profile, network) {
        Ok(next) => {
            // If it cannot be stored, it is refreshed again the next time.
            _ = session_cache::store(&path, &cached);
            Ok(next)
        }
        Err(_) if now < until => Ok(keys),
        Err(why) => {
            let time = Date::of(until).iso();
            Err(unusable(&format!("it expired at {time} and cannot be refreshed ({why})")))
        }
    }
}

/// The file of a session is named after it.
fn session_file(session: &str) -> Option<PathBuf> {
    let folder = variable("AWS_LOGIN_CACHE_DIRECTORY").map(PathBuf::from).or_else(|| home(".aws/login/cache"))?;
    Some(folder.join(format!("{}.json", hex(&openssl::sha::sha256(session.as_bytes())))))
}

/// Requests other access keys, and puts them into the session.
fn refreshed(cached: &mut Value, profile: &ProfileSection, network: &Network) -> AccessKeysResult {
    let text = |name: &str| cached.get(name).and_then(Value::as_str).ok_or_else(|| format!("there is no {name}"));
    let host = variable("AWS_ENDPOINT_URL_SIGNIN").or_else(|| variable("AWS_ENDPOINT_URL"));
    let host = host.map_or_else(|| endpoint(profile), Ok)?;
    let url = format!("{}/v1/token", host.trim_end_matches('/'));
    let body = json!({
        "clientId": text("clientId")?, "grantType": "refresh_token", "refreshToken": text("refreshToken")?,
    });
    let proof = secret(&url, vec![("dpop".to_owned(), dpop::proof(text("dpopKey")?, &url)?)])?;
    let (body, headers) = (body.to_string(), vec![("content-type".to_owned(), "application/json".to_owned())]);
    let request = Request::new(Method::Post, url, headers, body.as_bytes()).with(Some(proof));
    let response = send(&remote_client(network), &request)?;
    if response.status != 200 {
        return Err(response.refusal());
    }
    let answer = credential_document::document(&response.body)?;
    let token = answer.get("accessToken").unwrap_or(&Value::Null);
    let mut keys = credential_document::in_json(token, NAMES)?;
    let life = answer.get("expiresIn").and_then(Value::as_u64).ok_or("the answer lacks expiresIn")?;
    let until = SystemTime::now().checked_add(Duration::from_secs(life)).ok_or("the answer lasts too long")?;
    keys.until = Some(until);
    for name in NAMES {
        cached["accessToken"][name] = token.get(name).cloned().unwrap_or_default();
    }
    cached["accessToken"]["expiresAt"] = json!(Date::of(until).iso());
    if let Some(next) = answer.get("refreshToken") {
        cached["refreshToken"] = next.clone();
    }
    Ok(keys)
}

/// The sign-in service of the region of a profile.
fn endpoint(profile: &ProfileSection) -> Result<String, String> {
    let region = profile.text("region").or_else(|| variable("AWS_REGION")).or_else(|| variable("AWS_DEFAULT_REGION"));
    let region = region.ok_or("the profile names no region, and AWS_REGION is not set")?;
    match region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        true => Ok(format!("https://{region}.signin.aws.amazon.com")),
        false => Err(format!("'{region}' is no name of a region")),
    }
}
