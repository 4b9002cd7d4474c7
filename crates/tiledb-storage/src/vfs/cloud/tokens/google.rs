//! Access tokens of Google Cloud: configured accounts, or application default credentials.

use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::super::ambient::{home, local_client, read_bytes, remote_client, variable};
use super::google_impersonation::{SCOPE, impersonate, text};
use super::token_endpoint::{RequestBody, TokenResult, document, token};
use super::{google_external, jwt};
use crate::http::Network;
use tiledb_core::platform::environment::{HOME, SETTINGS};

/// Default token endpoint.
const TOKENS: &str = "https://oauth2.googleapis.com/token";

/// The credential parameters.
#[derive(Clone, Debug, Default)]
pub(in crate::vfs::cloud) struct GoogleParameters {
    /// Key of a service account, as JSON.
    pub(in crate::vfs::cloud) service_account_key: String,
    /// External account (workload identity federation), as JSON.
    pub(in crate::vfs::cloud) workload_identity: String,
    /// Service account to impersonate; `a,b,c` impersonates `c` through the delegation chain `a`, `b`.
    pub(in crate::vfs::cloud) impersonate: String,
}

/// The token of the configured account, or of the application default credentials.
pub(in crate::vfs::cloud) fn find(parameters: &GoogleParameters, network: &Network) -> TokenResult {
    let of = |name: &str, text: &str| {
        let account = serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"));
        account.and_then(|account| of_account(&account, network)).map_err(|why| format!("'{name}': {why}"))
    };
    let own = match (parameters.service_account_key.as_str(), parameters.workload_identity.as_str()) {
        ("", "") => usual(network),
        ("", text) => of("vfs.gcs.workload_identity_configuration", text),
        (text, _) => of("vfs.gcs.service_account_key", text),
    }?;
    match parameters.impersonate.as_str() {
        "" => Ok(own),
        chain => impersonated(&own.value, chain, network)
            .map_err(|why| format!("'vfs.gcs.impersonate_service_account': {why}")),
    }
}

/// Application default credentials.
fn usual(network: &Network) -> TokenResult {
    let mut reasons = Vec::new();
    let file = |name: &str, path: PathBuf| {
        let text = read_bytes(&path).map_err(|error| error.to_string());
        let account = text.and_then(|text| serde_json::from_slice(&text).map_err(|error| error.to_string()));
        account
            .and_then(|account| of_account(&account, network))
            .map_err(|why| format!("{name} ('{}'): {why}", path.display()))
    };
    match variable("GOOGLE_APPLICATION_CREDENTIALS") {
        // A named file is used even if it is invalid.
        Some(path) => return file("GOOGLE_APPLICATION_CREDENTIALS", PathBuf::from(path)),
        None => reasons.push("GOOGLE_APPLICATION_CREDENTIALS is not set".to_owned()),
    }
    let folder = variable("CLOUDSDK_CONFIG").map(PathBuf::from).or_else(|| home(&format!("{SETTINGS}/gcloud")));
    match folder.map(|folder| file("gcloud", folder.join("application_default_credentials.json"))) {
        Some(Ok(token)) => return Ok(token),
        Some(Err(why)) => reasons.push(why),
        None => reasons.push(format!("gcloud: {HOME} is not set")),
    }
    match machine() {
        Ok(token) => return Ok(token),
        Err(why) => reasons.push(format!("machine: {why}")),
    }
    Err(format!("{}; `gcloud auth application-default login` makes some", reasons.join("; ")))
}

/// The token of the machine's service account.
fn machine() -> TokenResult {
    let host = variable("GCE_METADATA_HOST").or_else(|| variable("GCE_METADATA_ROOT"));
    let host = host.unwrap_or_else(|| "metadata.google.internal".to_owned());
    let url = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
    token(&document(&local_client(), &url, &[("metadata-flavor", "Google")], RequestBody::Nothing)?)
}

/// The token of an account from a credential file.
fn of_account(account: &Value, network: &Network) -> TokenResult {
    let url = text(account, "token_uri").unwrap_or(TOKENS);
    match text(account, "type")? {
        "service_account" => {
            let statement = statement(account, url)?;
            let kind = "urn:ietf:params:oauth:grant-type:jwt-bearer";
            let form = [("grant_type", kind), ("assertion", statement.as_str())];
            token(&document(&remote_client(network), url, &[], RequestBody::Form(&form))?)
        }
        "authorized_user" => {
            let form = [
                ("grant_type", "refresh_token"),
                ("client_id", text(account, "client_id")?),
                ("client_secret", text(account, "client_secret")?),
                ("refresh_token", text(account, "refresh_token")?),
            ];
            token(&document(&remote_client(network), url, &[], RequestBody::Form(&form))?)
        }
        "external_account" => google_external::find(account, network),
        other => Err(format!("accounts of the type '{other}' cannot be used")),
    }
}

/// The signed assertion (JWT) of a service account.
fn statement(account: &Value, url: &str) -> Result<String, String> {
    let key = jwt::private_key(text(account, "private_key")?.as_bytes())?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let claims = json!({
        "iss": text(account, "client_email")?, "scope": SCOPE, "aud": url, "iat": now, "exp": now + 3_600,
    });
    jwt::signed(json!({"kid": text(account, "private_key_id").unwrap_or_default()}), &claims, &key)
}

/// A token of the last account of the chain; the others are delegates.
fn impersonated(own: &str, chain: &str, network: &Network) -> TokenResult {
    let mut accounts: Vec<&str> = chain.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let target = accounts.pop().ok_or("it names no account")?;
    let host = variable("GOOGLE_CLOUD_CPP_IAM_CREDENTIALS_ENDPOINT");
    let host = host.unwrap_or_else(|| "https://iamcredentials.googleapis.com".to_owned());
    let url = format!("{host}/v1/projects/-/serviceAccounts/{target}:generateAccessToken");
    impersonate(own, &url, &accounts, network)
}
