//! Where servers send a client, and who of them is told who the user is.

/// The scheme and authority of an address: `https://host:port`.
pub(super) fn origin(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let is_plain = !rest[..end].is_empty() && !rest[..end].contains('@');
    (is_web && is_plain).then(|| &address[..scheme.len() + 3 + end])
}

/// Where a `Location` leads, seen from the address `from`; none where it leads nowhere on the web.
pub(super) fn target(from: &str, location: &str) -> Option<String> {
    if location.starts_with('/') && !location.starts_with("//") {
        return Some([origin(from)?, location].concat());
    }
    origin(location).map(|_| location.to_owned())
}

/// Whether `origin` may be told who the user is: the server itself, a host below its own, and who is listed as trusted
/// (`host`, `host:port`, or `*` for anyone). Nobody is told in the open what was meant for a secret ear.
pub(super) fn is_trusted(origin: &str, server: &str, trusted: &[String]) -> bool {
    if origin.eq_ignore_ascii_case(server) {
        return true;
    }
    let parts = |origin: &str| {
        let (scheme, authority) = origin.split_once("://").unwrap_or(("", origin));
        (scheme.to_ascii_lowercase(), authority.to_ascii_lowercase())
    };
    let ((scheme, authority), (server_scheme, server)) = (parts(origin), parts(server));
    if scheme != "https" && server_scheme == "https" {
        return false;
    }
    let host = host_of(&authority);
    let is_below = || {
        let above = host_of(&server);
        let is_name = above.contains('.') && above.parse::<std::net::IpAddr>().is_err() && !above.starts_with('[');
        is_name && host.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'))
    };
    let is_listed =
        |name: &String| name == "*" || name.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(&authority);
    is_below() || trusted.iter().any(is_listed)
}

/// An authority without its port.
fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_absolute_or_of_the_same_host() {
        let from = "https://h:1/v1/a?b";
        assert_eq!(target(from, "/x?y").as_deref(), Some("https://h:1/x?y"));
        assert_eq!(target(from, "http://other/x").as_deref(), Some("http://other/x"));
        for nowhere in ["", "x", "//other/x", "ftp://h/x", "http://", "https://u:p@h/x"] {
            assert_eq!(target(from, nowhere), None, "{nowhere}");
        }
        assert_eq!(origin("http://h:8?x"), Some("http://h:8"));
    }

    #[test]
    fn secrets_go_to_the_server_and_to_hosts_below_it_and_to_whom_the_user_trusts() {
        let trusts = |server, origin, listed: &[&str]| {
            is_trusted(origin, server, &listed.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
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
}
