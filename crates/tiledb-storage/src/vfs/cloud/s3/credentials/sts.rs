//! AWS Security Token Service (STS): assuming roles.

use std::time::{Duration, SystemTime};

use super::super::super::amazon::sign::{self, SigningInput};
use super::super::super::amazon::{AccessKeys, AccessKeysResult};
use super::super::super::ambient::{ServiceResponse, remote_client, secret, send, variable};
use super::super::super::expiring_cache::Expiring;
use super::super::super::time::{self, Date};
use super::super::super::xml::XmlElement;
use super::super::options::S3Options;
use super::super::signer::AssumedRole;
use crate::http::encode::query;
use crate::http::{Client, Method, Request};

/// Clock skew above which a request is signed again with the service's time.
const TOLERANCE: Duration = Duration::from_secs(240);

pub(super) struct Sts {
    client: Client,
    region: String,
    /// Amazon's endpoint.
    amazon: String,
    /// Endpoint for AssumeRole: S3-compatible stores implement it themselves.
    store: String,
}

impl Sts {
    pub(super) fn new(options: &S3Options, region: &str) -> Sts {
        let end = if region.starts_with("cn-") { ".cn" } else { "" };
        let named = variable("AWS_ENDPOINT_URL_STS");
        let amazon = named.clone().or_else(|| variable("AWS_ENDPOINT_URL"));
        let amazon = amazon.unwrap_or_else(|| format!("https://sts.{region}.amazonaws.com{end}"));
        let store = named.or_else(|| options.address.foreign()).unwrap_or_else(|| amazon.clone());
        let client = remote_client(&options.network);
        Sts { client, region: region.to_owned(), amazon, store }
    }

    pub(super) fn amazon(&self) -> &str {
        &self.amazon
    }

    pub(super) fn store(&self) -> &str {
        &self.store
    }

    /// Assumes a role with access keys.
    pub(super) fn assume(&self, own: &AccessKeys, role: &AssumedRole) -> AccessKeysResult {
        let (session, seconds) = (role.session(), role.seconds.map(|seconds| seconds.to_string()));
        let mut form = vec![("Action", "AssumeRole"), ("RoleArn", &role.arn), ("RoleSessionName", &session)];
        form.extend(role.external_id.as_ref().map(|id| ("ExternalId", id.as_str())));
        form.extend(seconds.as_ref().map(|seconds| ("DurationSeconds", seconds.as_str())));
        self.keys(&self.store, form, Some(own))
    }

    /// Assumes a role with a web identity token.
    pub(super) fn assume_with_token(&self, location: &str, role: &AssumedRole, token: &str) -> AccessKeysResult {
        let session = role.session();
        let form = vec![
            ("Action", "AssumeRoleWithWebIdentity"),
            ("RoleArn", &role.arn),
            ("RoleSessionName", &session),
            ("WebIdentityToken", token),
        ];
        self.keys(location, form, None)
    }

    fn keys(&self, endpoint: &str, mut form: Vec<(&str, &str)>, own: Option<&AccessKeys>) -> AccessKeysResult {
        form.push(("Version", "2011-06-15"));
        let body = query(&form);
        let failed = |why: String| format!("{endpoint}: {why}");
        let mut response = self.send(endpoint, &body, own, SystemTime::now()).map_err(failed)?;
        let theirs = response.date.as_deref().and_then(time::header);
        if let (Some(theirs), 400 | 403) = (theirs, response.status) {
            let now = SystemTime::now();
            let apart = theirs.duration_since(now).unwrap_or_else(|before| before.duration());
            if apart > TOLERANCE {
                response = self.send(endpoint, &body, own, theirs).map_err(failed)?;
            }
        }
        read(&response).map_err(failed)
    }

    fn send(
        &self,
        endpoint: &str,
        body: &str,
        own: Option<&AccessKeys>,
        now: SystemTime,
    ) -> Result<ServiceResponse, String> {
        let host = endpoint.split("://").nth(1).unwrap_or(endpoint).trim_end_matches('/');
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers = vec![header("content-type", "application/x-www-form-urlencoded; charset=utf-8")];
        let mut proof = Vec::new();
        if let Some(keys) = own {
            let date = Date::of(now);
            proof.push(header("x-amz-date", &date.basic()));
            proof.extend(keys.token.as_ref().map(|token| header("x-amz-security-token", token)));
            let mut named = [&headers[..], &proof].concat();
            named.push(header("host", host));
            let digest = sign::digest(body.as_bytes());
            let signed =
                SigningInput { service: "sts", method: "POST", path: "/", query: "", headers: &named, digest: &digest };
            let authorization = sign::authorization(&signed, keys, &self.region, &date);
            proof.push(header("authorization", &authorization.map_err(|error| error.text().to_owned())?));
        }
        let url = format!("{}/", endpoint.trim_end_matches('/'));
        let credential = secret(&url, proof)?;
        send(&self.client, &Request::new(Method::Post, url, headers, body.as_bytes()).with(Some(credential)))
    }
}

/// Parses the access keys or the error of a response.
fn read(response: &ServiceResponse) -> AccessKeysResult {
    let document = XmlElement::parse(&response.body);
    if response.status != 200 {
        let error = document.ok().and_then(|document| {
            // Amazon wraps the error in a document, others do not.
            let error = document.child("Error").unwrap_or(&document);
            Some(format!("{}: {} ({})", error.text_of("Code")?, error.text_of("Message")?, response.status))
        });
        return Err(error.unwrap_or_else(|| response.refusal()));
    }
    let document = document.map_err(|error| error.text().to_owned())?;
    let result = document.first().and_then(|result| result.child("Credentials"));
    let text = |name: &str| result?.text_of(name).map(|text| text.trim().to_owned());
    let (Some(id), Some(secret)) = (text("AccessKeyId"), text("SecretAccessKey")) else {
        return Err("the answer lacks keys".to_owned());
    };
    let until = text("Expiration").and_then(|end| time::iso(&end));
    Ok(Expiring { value: AccessKeys { id, secret, token: text("SessionToken") }, until })
}
