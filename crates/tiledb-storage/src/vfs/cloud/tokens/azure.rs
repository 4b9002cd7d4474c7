//! Access tokens of Microsoft Entra ID, from the providers that libtiledb uses, in its order.

use std::time::{Duration, SystemTime};

use openssl::hash::MessageDigest;
use openssl::x509::X509;
use serde_json::{Value, json};

use super::super::ambient::{self, local_client, read_bytes, read_text, remote_client, variable};
use super::super::expiring_cache::Expiring;
use super::jwt;
use super::token_endpoint::{RequestBody, TokenResult, document, token};
use crate::http::Network;
use crate::http::encode::query;

/// Resource and scope of tokens.
const RESOURCE: &str = "https://storage.azure.com";
const SCOPE: &str = "https://storage.azure.com/.default";

/// Type of a client assertion.
const STATEMENT: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Lifetime of an assertion, and of a token without expiry.
const SHORT: Duration = Duration::from_secs(300);

/// The token of the first provider that has one.
pub(in crate::vfs::cloud) fn find(network: &Network) -> TokenResult {
    let mut reasons = Vec::new();
    for name in ["environment", "Azure CLI", "managed identity", "workload identity"] {
        let token = match name {
            "environment" => environment(network),
            "Azure CLI" => command_line(),
            "managed identity" => managed(),
            _ => workload(network),
        };
        match token {
            Ok(token) => return Ok(token),
            Err(why) => reasons.push(format!("{name}: {why}")),
        }
    }
    Err(reasons.join("; "))
}

fn set<const N: usize>(names: [&str; N]) -> Result<[String; N], String> {
    let values = names.map(|name| variable(name).unwrap_or_default());
    match names.iter().zip(&values).find(|(_, value)| value.is_empty()) {
        Some((name, _)) => Err(format!("{name} is not set")),
        None => Ok(values),
    }
}

/// The token endpoint of a tenant.
fn authority(tenant: &str) -> String {
    let host = variable("AZURE_AUTHORITY_HOST").unwrap_or_else(|| "https://login.microsoftonline.com".to_owned());
    format!("{}/{tenant}/oauth2/v2.0/token", host.trim_end_matches('/'))
}

/// Service principal with a client secret or certificate.
fn environment(network: &Network) -> TokenResult {
    let [tenant, client] = set(["AZURE_TENANT_ID", "AZURE_CLIENT_ID"])?;
    let url = authority(&tenant);
    if let Some(secret) = variable("AZURE_CLIENT_SECRET") {
        return application(network, &url, &client, &[("client_secret", &secret)]);
    }
    let Some(path) = variable("AZURE_CLIENT_CERTIFICATE_PATH") else {
        return Err("neither AZURE_CLIENT_SECRET nor AZURE_CLIENT_CERTIFICATE_PATH is set".to_owned());
    };
    let statement = read_bytes(&path).map_err(|error| error.to_string());
    let statement =
        statement.and_then(|pem| certified(&pem, &client, &url)).map_err(|why| format!("'{path}': {why}"))?;
    stated(network, &url, &client, &statement)
}

/// A client assertion signed with a certificate's key.
fn certified(pem: &[u8], client: &str, url: &str) -> Result<String, String> {
    let key = jwt::private_key(pem)?;
    let print = X509::from_pem(pem).and_then(|certificate| certificate.digest(MessageDigest::sha1()));
    let print = print.map_err(|error| format!("the certificate cannot be read: {error}"))?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let claims = json!({
        "aud": url, "iss": client, "sub": client, "jti": uuid::Uuid::new_v4().to_string(),
        "nbf": now, "exp": now + SHORT.as_secs(),
    });
    jwt::signed(json!({"x5t": jwt::base64_url(&print)}), &claims, &key)
}

/// Workload identity: a federated token that the application trusts (Kubernetes).
fn workload(network: &Network) -> TokenResult {
    let names = ["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE"];
    let [tenant, client, file] = set(names)?;
    // The file is rotated.
    let statement = read_text(&file).map_err(|error| format!("'{file}': {error}"))?;
    stated(network, &authority(&tenant), &client, statement.trim())
}

fn stated(network: &Network, url: &str, client: &str, statement: &str) -> TokenResult {
    application(network, url, client, &[("client_assertion_type", STATEMENT), ("client_assertion", statement)])
}

fn application(network: &Network, url: &str, client: &str, proof: &[(&str, &str)]) -> TokenResult {
    let common = [("client_id", client), ("scope", SCOPE), ("grant_type", "client_credentials")];
    token(&document(&remote_client(network), url, &[], RequestBody::Form(&[&common, proof].concat()))?)
}

/// The user signed in with `az login`.
fn command_line() -> TokenResult {
    let words = ["az", "account", "get-access-token", "--output", "json", "--scope", SCOPE].map(str::to_owned);
    let output = ambient::output_of(&words)?;
    let said: Value =
        serde_json::from_slice(&output).map_err(|error| format!("what 'az' prints is no JSON: {error}"))?;
    let token = said.get("accessToken").and_then(Value::as_str).ok_or("what 'az' prints lacks accessToken")?;
    // Older versions report the expiry in local time only.
    let until = said.get("expires_on").and_then(Value::as_u64).map(Duration::from_secs);
    let until = until.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    Ok(Expiring { value: token.to_owned(), until: until.or_else(|| SystemTime::now().checked_add(SHORT)) })
}

/// Managed identity of the machine or service.
fn managed() -> TokenResult {
    let is_application = ["AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_FEDERATED_TOKEN_FILE"]
        .iter()
        .any(|name| variable(name).is_some());
    let client = variable("AZURE_CLIENT_ID").filter(|_| !is_application);
    let ask = |host: &str, version: &str, name: &'static str, header: (&str, &str)| {
        let mut parameters = vec![("api-version", version), ("resource", RESOURCE)];
        parameters.extend(client.as_ref().map(|client| (name, client.as_str())));
        let url = format!("{host}?{}", query(&parameters));
        token(&document(&local_client(), &url, &[header], RequestBody::Nothing)?)
    };
    if let (Some(url), Some(word)) = (variable("IDENTITY_ENDPOINT"), variable("IDENTITY_HEADER")) {
        return ask(&url, "2019-08-01", "client_id", ("x-identity-header", &word));
    }
    if let (Some(url), Some(word)) = (variable("MSI_ENDPOINT"), variable("MSI_SECRET")) {
        return ask(&url, "2017-09-01", "clientid", ("secret", &word));
    }
    let host = variable("AZURE_POD_IDENTITY_AUTHORITY_HOST").unwrap_or_else(|| "http://169.254.169.254".to_owned());
    let url = format!("{}/metadata/identity/oauth2/token", host.trim_end_matches('/'));
    ask(&url, "2018-02-01", "client_id", ("metadata", "true"))
}
