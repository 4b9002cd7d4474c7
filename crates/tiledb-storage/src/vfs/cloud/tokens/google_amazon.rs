//! Subject token of an AWS identity: a signed request to AWS, which Google verifies with AWS.
//!
//! The request is `GetCallerIdentity` of AWS STS, as URL-encoded JSON (AIP-4117, "External Account Credentials",
//! section on AWS).

use std::time::SystemTime;

use serde_json::{Value, json};

use super::super::amazon::imds::InstanceMetadata;
use super::super::amazon::sign::{SigningInput, authorization, digest};
use super::super::amazon::{AccessKeys, environment};
use super::super::ambient::variable;
use super::super::time::Date;
use super::google_impersonation::text;
use crate::http::encode::percent;
use tiledb_core::sort;

/// The subject token.
pub(super) fn subject(source: &Value, audience: &str) -> Result<String, String> {
    let environment = text(source, "environment_id")?;
    if environment != "aws1" {
        return Err(format!("its 'credential_source' is of the environment '{environment}'; only 'aws1' is known"));
    }
    let mut machine = LazyInstanceMetadata { source, service: None };
    let region = match variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")) {
        Some(region) => region,
        None => machine.region()?,
    };
    let keys = match environment::find() {
        Ok(keys) => keys.value,
        Err(why) => machine.keys().map_err(|other| format!("environment: {why}; machine: {other}"))?,
    };
    let url = text(source, "regional_cred_verification_url")?.replace("{region}", &region);
    question(&url, audience, &region, &keys, &Date::of(SystemTime::now()))
}

/// The instance metadata service at the URLs of a credential source; no request is made before it is needed.
struct LazyInstanceMetadata<'a> {
    source: &'a Value,
    service: Option<InstanceMetadata>,
}

impl LazyInstanceMetadata<'_> {
    fn service(&mut self) -> Result<&InstanceMetadata, String> {
        let service = match self.service.take() {
            Some(service) => service,
            None => InstanceMetadata::open(text(self.source, "imdsv2_session_token_url").ok())?,
        };
        Ok(self.service.insert(service))
    }

    /// The region of the availability zone, whose name adds a letter.
    fn region(&mut self) -> Result<String, String> {
        let url = text(self.source, "region_url")?;
        let zone = self.service()?.text(url)?;
        let zone = zone.trim();
        Ok(zone.strip_suffix(|letter: char| letter.is_ascii_lowercase()).unwrap_or(zone).to_owned())
    }

    fn keys(&mut self) -> Result<AccessKeys, String> {
        let url = text(self.source, "url")?;
        Ok(self.service()?.keys(url)?.value)
    }
}

/// The signed request to `url`.
fn question(url: &str, audience: &str, region: &str, keys: &AccessKeys, date: &Date) -> Result<String, String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (location, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = location.split_once('/').unwrap_or((location, ""));
    let path = format!("/{path}");
    let mut parameters: Vec<&str> = query.split('&').filter(|part| !part.is_empty()).collect();
    sort::by(&mut parameters, Ord::cmp);
    let mut headers = vec![("host", host.to_owned()), ("x-amz-date", date.basic())];
    headers.extend(keys.token.clone().map(|token| ("x-amz-security-token", token)));
    headers.push(("x-goog-cloud-target-resource", audience.to_owned()));
    let mut headers: Vec<(String, String)> =
        headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let signed = SigningInput {
        service: "sts",
        method: "POST",
        path: &path,
        query: &parameters.join("&"),
        headers: &headers,
        digest: &digest(&[]),
    };
    let signature = authorization(&signed, keys, region, date).map_err(|error| error.text().to_owned())?;
    headers.insert(0, ("Authorization".to_owned(), signature));
    let headers: Vec<Value> = headers.iter().map(|(key, value)| json!({"key": key, "value": value})).collect();
    Ok(percent(&json!({"headers": headers, "method": "POST", "url": url}).to_string(), false))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    /// The signature is botocore's of the same request.
    #[test]
    fn the_question_is_signed() {
        let keys = AccessKeys {
            id: "AKIDEXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            token: Some("TOKEN/1+2".to_owned()),
        };
        let date = Date::of(UNIX_EPOCH + Duration::from_secs(1_440_938_160));
        let url = "https://sts.us-east-2.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15";
        let signed = question(url, "//iam.googleapis.com/pool", "us-east-2", &keys, &date).unwrap();
        assert!(signed.starts_with("%7B%22headers%22%3A%5B%7B%22key%22%3A%22Authorization%22"), "{signed}");
        assert!(signed.contains("%2F%2Fiam.googleapis.com%2Fpool") && signed.contains("TOKEN%2F1%2B2"), "{signed}");
        assert!(signed.contains("5bdab0fa47f86c23935a2f3dd83103b22a9a4f5eaf4950ed6c290dd2d662da15"), "{signed}");
    }
}
