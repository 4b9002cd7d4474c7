//! Redirects, and which hosts receive credentials.

use tiledb_core::error::Result;
use tiledb_storage::http::{Audience, Origin};

/// The scheme and authority of an address: `https://host:port`.
pub(super) fn origin(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let is_plain = !rest[..end].is_empty() && !rest[..end].contains('@');
    (is_web && is_plain).then(|| &address[..scheme.len() + 3 + end])
}

/// Resolves a `Location` header relative to the URL `from`; `None` unless it is HTTP or HTTPS.
pub(super) fn target(from: &str, location: &str) -> Option<String> {
    if location.starts_with('/') && !location.starts_with("//") {
        return Some([origin(from)?, location].concat());
    }
    origin(location).map(|_| location.to_owned())
}

/// The audience of credentials: the server itself, its subdomains, and trusted hosts (`host`, `host:port`, or `*` for
/// all).
///
/// # Errors
/// If the server's address is none.
pub(super) fn audience(server: &str, trusted: Vec<String>) -> Result<Audience> {
    let audience = Audience::of(server)?.with_trusted(trusted);
    Ok(if audience.has_domain() { audience.with_subdomains() } else { audience })
}

/// Whether a redirect from one address to another leads from HTTPS to HTTP.
pub(super) fn is_downgrade(from: &str, to: &str) -> bool {
    let is_https = |address: &str| Origin::of(address).is_ok_and(|origin| origin.is_https());
    is_https(from) && !is_https(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirect_locations_are_absolute_or_of_the_same_host() {
        let from = "https://h:1/v1/a?b";
        assert_eq!(target(from, "/x?y").as_deref(), Some("https://h:1/x?y"));
        assert_eq!(target(from, "http://other/x").as_deref(), Some("http://other/x"));
        for nowhere in ["", "x", "//other/x", "ftp://h/x", "http://", "https://u:p@h/x"] {
            assert_eq!(target(from, nowhere), None, "{nowhere}");
        }
        assert_eq!(origin("http://h:8?x"), Some("http://h:8"));
    }

    #[test]
    fn credentials_go_to_the_server_its_subdomains_and_trusted_hosts() {
        let trusts = |server: &str, origin: &str, listed: &[&str]| {
            let listed = listed.iter().map(|&name| name.to_owned()).collect();
            audience(server, listed).unwrap().admits(&Origin::of(origin).unwrap())
        };
        let server = "https://api.example.org";
        assert!(trusts(server, "https://API.example.org", &[]));
        assert!(trusts(server, "https://eu.api.example.org", &[]));
        for other in [
            "http://api.example.org",
            "http://eu.api.example.org",
            "https://example.org",
            "https://evil-api.example.org",
            "https://api.example.org.evil.net",
            "https://api.example.org:8443",
            "https://eu.api.example.org:8443",
        ] {
            assert!(!trusts(server, other, &[]), "{other}");
        }
        assert!(trusts(server, "https://other.net", &["x", "other.net"]));
        assert!(trusts(server, "https://other.net:8", &["other.net:8"]));
        assert!(!trusts(server, "https://other.net:8", &["other.net:9"]));
        assert!(trusts(server, "https://any", &["*"]));
        assert!(!trusts(server, "http://any", &["*"]), "not in the open");
        assert!(!trusts("http://127.0.0.1:1", "http://127.0.0.1:2", &[]));
        assert!(!trusts("http://localhost", "http://a.localhost", &[]));
        assert!(trusts("http://127.0.0.1:1", "http://127.0.0.1:2", &["127.0.0.1"]));
    }

    #[test]
    fn redirects_never_lead_from_https_to_http() {
        assert!(is_downgrade("https://h/x", "http://h/x") && is_downgrade("https://h/x", "ftp://h/x"));
        assert!(!is_downgrade("https://h/x", "https://i/x") && !is_downgrade("http://h/x", "http://i/x"));
    }
}
