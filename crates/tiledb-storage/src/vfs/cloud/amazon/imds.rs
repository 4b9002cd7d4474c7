//! The instance metadata service (EC2 IMDSv2; IMDSv1 if that does not respond).

use super::super::ambient::{is_read_timeout, local_client, secret, send, variable};
use super::AccessKeysResult;
use super::credential_document::{self, STANDARD_NAMES};
use crate::http::{Client, Credential, Method, Request};

const ROLES: &str = "/latest/meta-data/iam/security-credentials/";

/// A session with the service.
pub(in crate::vfs::cloud) struct InstanceMetadata {
    client: Client,
    /// The session token, bound to the host that issued it.
    token: Option<Credential>,
}

/// The access keys of this instance's role.
pub(in crate::vfs::cloud) fn find() -> AccessKeysResult {
    if variable("AWS_EC2_METADATA_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Err("AWS_EC2_METADATA_DISABLED is set".to_owned());
    }
    let is_six =
        variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE").is_some_and(|mode| mode.eq_ignore_ascii_case("ipv6"));
    let usual = if is_six { "http://[fd00:ec2::254]" } else { "http://169.254.169.254" };
    let host = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT").unwrap_or_else(|| usual.to_owned());
    let host = host.trim_end_matches('/');
    InstanceMetadata::open(Some(&format!("{host}/latest/api/token")))?.keys(&format!("{host}{ROLES}"))
}

impl InstanceMetadata {
    /// Opens a session with a token from the URL `tokens` (IMDSv2); without that URL or a token, IMDSv1 is used.
    ///
    /// # Errors
    /// If the service does not respond, or rejects the request.
    pub(in crate::vfs::cloud) fn open(tokens: Option<&str>) -> Result<InstanceMetadata, String> {
        let client = local_client();
        let token = match tokens {
            Some(url) => match token(&client, url)? {
                Some(token) => Some(secret(url, vec![("x-aws-ec2-metadata-token".to_owned(), token)])?),
                None => None,
            },
            None => None,
        };
        Ok(InstanceMetadata { client, token })
    }

    /// The access keys of the first role that is listed at this URL.
    pub(in crate::vfs::cloud) fn keys(&self, roles: &str) -> AccessKeysResult {
        let names = match self.get(roles) {
            Ok(names) => names,
            Err((404, _)) => String::new(),
            Err((_, why)) => return Err(why),
        };
        let role =
            names.lines().next().map(str::trim).filter(|role| !role.is_empty()).ok_or("the machine has no role")?;
        if !is_role(role) {
            let shown: String = role.escape_default().take(100).collect();
            return Err(format!("the service names the role '{shown}', which is no name of one"));
        }
        let keys = self.text(&format!("{}/{role}", roles.trim_end_matches('/')))?;
        credential_document::in_json(&credential_document::document(keys.as_bytes())?, STANDARD_NAMES)
    }

    /// The body at a URL.
    pub(in crate::vfs::cloud) fn text(&self, url: &str) -> Result<String, String> {
        self.get(url).map_err(|(_, why)| why)
    }

    /// The body at a URL, or the status (0 without a response) and the reason.
    fn get(&self, url: &str) -> Result<String, (u16, String)> {
        let request = Request::new(Method::Get, url.to_owned(), Vec::new(), &[]).with(self.token.clone());
        let response = send(&self.client, &request).map_err(|why| (0, why))?;
        match response.status {
            200 => Ok(String::from_utf8_lossy(&response.body).into_owned()),
            status => Err((status, response.refusal())),
        }
    }
}

/// Whether a text can be the name of a role (IAM: letters, digits and `+=,.@_-`, 64 at most).
fn is_role(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"+=,.@_-".contains(&byte);
    name.len() <= 64 && name.bytes().all(is_fine) && !matches!(name, "." | "..")
}

/// A session token; `None` if the service does not issue any.
fn token(client: &Client, url: &str) -> Result<Option<String>, String> {
    let life = ("x-aws-ec2-metadata-token-ttl-seconds".to_owned(), "21600".to_owned());
    let request = Request::new(Method::Put, url.to_owned(), vec![life], &[]);
    let response = match send(client, &request) {
        Ok(response) => response,
        // The response to PUT does not reach containers, which are one network hop further (its TTL is 1); responses to
        // GET do.
        Err(why) if is_read_timeout(&why) => return Ok(None),
        Err(why) => return Err(why),
    };
    match response.status {
        200 => Ok(Some(String::from_utf8_lossy(&response.body).trim().to_owned())),
        403..=405 => Ok(None),
        _ => Err(response.refusal()),
    }
}
