//! Credential provider: containers (ECS, EKS Pod Identity).

use super::super::super::amazon::AccessKeysResult;
use super::super::super::amazon::credential_document::{self, STANDARD_NAMES};
use super::super::super::ambient::{local_client, read_text, remote_client, secret, send, variable};
use crate::http::{Method, Network, Request};

const RELATIVE: &str = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
const FULL: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";

/// Whether the environment configures the service.
pub(super) fn is_named() -> bool {
    variable(RELATIVE).or_else(|| variable(FULL)).is_some()
}

/// Requests access keys from the service.
pub(super) fn find(network: &Network) -> AccessKeysResult {
    let url = match (variable(RELATIVE), variable(FULL)) {
        (Some(path), _) if path.starts_with('/') => format!("http://169.254.170.2{path}"),
        (Some(_), _) => return Err(format!("{RELATIVE} does not begin with a slash")),
        (None, Some(url)) if url.starts_with("https://") || is_local(&url) => url,
        (None, Some(url)) => return Err(format!("{FULL} ({url}) is neither https nor on this machine")),
        (None, None) => return Err(format!("{RELATIVE} and {FULL} are not set")),
    };
    let mut headers = Vec::new();
    headers.extend(token()?.map(|token| ("authorization".to_owned(), token)));
    let client = if url.starts_with("https://") { remote_client(network) } else { local_client() };
    let credential = secret(&url, headers)?;
    let response = send(&client, &Request::new(Method::Get, url, Vec::new(), &[]).with(Some(credential)))?;
    match response.status {
        200 => credential_document::in_json(&credential_document::document(&response.body)?, STANDARD_NAMES),
        _ => Err(response.refusal()),
    }
}

/// The authorization token of the service.
fn token() -> Result<Option<String>, String> {
    const FILE: &str = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
    let token = match variable(FILE) {
        Some(path) => {
            let text = read_text(&path).map_err(|error| format!("{FILE} ({path}): {error}"))?;
            Some(text.trim().to_owned())
        }
        None => variable("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
    };
    match token {
        Some(token) if token.contains(['\r', '\n']) => Err("the authorization token has more than one line".to_owned()),
        token => Ok(token),
    }
}

/// Whether the response cannot be intercepted: the URL is that of a local service.
fn is_local(url: &str) -> bool {
    let Some(host) = url.strip_prefix("http://").and_then(|rest| rest.split('/').next()) else {
        return false;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    match name.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback() || ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"].contains(&name),
        Err(_) => name == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_without_tls_go_to_local_services_only() {
        for url in [
            "http://127.0.0.1:80/x",
            "http://[::1]/",
            "http://169.254.170.23/v1",
            "http://[fd00:ec2::23]/",
            "http://localhost",
        ] {
            assert!(is_local(url), "{url}");
        }
        for url in [
            "http://10.0.0.1/",
            "http://example.org",
            "http://127.0.0.1.example.org/",
            "ftp://127.0.0.1",
            "http://user@127.0.0.1",
        ] {
            assert!(!is_local(url), "{url}");
        }
    }
}
