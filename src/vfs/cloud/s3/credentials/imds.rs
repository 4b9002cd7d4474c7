//! The metadata service of a machine (EC2, version 2; version 1 where that does not answer).

use super::super::super::ambient::{Answered, ask, is_silent, near, variable};
use super::super::keys::Found;
use super::given::{self, USUAL};
use crate::http::{Client, Method, Request};

const ROLES: &str = "/latest/meta-data/iam/security-credentials/";

/// Asks the service.
pub(super) fn find() -> Found {
    if variable("AWS_EC2_METADATA_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Err("AWS_EC2_METADATA_DISABLED is set".to_owned());
    }
    let is_six =
        variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE").is_some_and(|mode| mode.eq_ignore_ascii_case("ipv6"));
    let usual = if is_six { "http://[fd00:ec2::254]" } else { "http://169.254.169.254" };
    let host = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT").unwrap_or_else(|| usual.to_owned());
    let (client, host) = (near(), host.trim_end_matches('/'));
    let token = token(&client, host)?;
    let get = |path: &str| -> Result<Answered, String> {
        let headers = token.clone().map(|token| ("x-aws-ec2-metadata-token".to_owned(), token));
        let headers = headers.into_iter().collect();
        ask(&client, &Request { method: Method::Get, url: format!("{host}{path}"), headers, body: &[] })
    };
    let roles = get(ROLES)?;
    let names = String::from_utf8_lossy(&roles.body).into_owned();
    let role = match (roles.status, names.lines().next().map(str::trim)) {
        (200, Some(role)) if !role.is_empty() => role,
        (200 | 404, _) => return Err("the machine has no role".to_owned()),
        _ => return Err(roles.refusal()),
    };
    let keys = get(&format!("{ROLES}{role}"))?;
    match keys.status {
        200 => given::in_json(&given::document(&keys.body)?, USUAL),
        _ => Err(keys.refusal()),
    }
}

/// What questions have to carry; `None` where the service does not give it.
fn token(client: &Client, host: &str) -> Result<Option<String>, String> {
    let life = ("x-aws-ec2-metadata-token-ttl-seconds".to_owned(), "21600".to_owned());
    let request =
        Request { method: Method::Put, url: format!("{host}/latest/api/token"), headers: vec![life], body: &[] };
    let answered = match ask(client, &request) {
        Ok(answered) => answered,
        // The answer does not reach containers, whose network is one step further away; those to simple questions do.
        Err(why) if is_silent(&why) => return Ok(None),
        Err(why) => return Err(why),
    };
    match answered.status {
        200 => Ok(Some(String::from_utf8_lossy(&answered.body).trim().to_owned())),
        403..=405 => Ok(None),
        _ => Err(answered.refusal()),
    }
}
