//! Which web pages may read from a server of this machine.
//!
//! A server on the loopback address is reachable by every page that the user visits. Two things keep such pages from its files:
//! without headers of CORS (<https://fetch.spec.whatwg.org/#http-cors-protocol>) a browser shows a response to pages of the same origin
//! only, and a name that an attacker makes resolve to this machine (DNS rebinding), by which a page of that name would be of the same
//! origin, is none that the server answers to.

use std::net::IpAddr;

/// The origins of pages that may read, and the names of the server.
pub(super) struct BrowserAccess {
    /// `https://page.example:8000`, in lower case.
    origins: Vec<String>,
    is_any_origin: bool,
    /// Names without ports, in lower case, beside addresses and those of the loopback interface.
    hosts: Vec<String>,
}

impl BrowserAccess {
    /// Access for the origins that the user lists, `*` for all, and for pages of this machine.
    pub(super) fn new(origins: &[String], hosts: &[String]) -> BrowserAccess {
        let origins = origins.iter().map(|origin| origin.trim_end_matches('/').to_lowercase());
        let origins: Vec<String> = origins.collect();
        BrowserAccess {
            is_any_origin: origins.iter().any(|origin| origin == "*"),
            origins,
            hosts: hosts.iter().map(|host| host_of(host).to_lowercase()).collect(),
        }
    }

    /// Whether the server answers to this header `Host`.
    pub(super) fn admits_host(&self, host: &str) -> bool {
        let name = host_of(host).to_lowercase();
        // No name resolves to an address that is written out.
        is_loopback_name(&name) || address_of(&name).is_some() || self.hosts.contains(&name)
    }

    /// The headers of a response to a request from a page of this origin, or from no page.
    pub(super) fn headers(&self, origin: Option<&str>) -> Vec<(&'static str, String)> {
        let policy = if self.is_any_origin { "cross-origin" } else { "same-origin" };
        let mut headers = vec![("Cross-Origin-Resource-Policy", policy.to_owned()), ("Vary", "Origin".to_owned())];
        if let Some(origin) = origin.filter(|origin| self.admits_origin(origin)) {
            let value = if self.is_any_origin { "*" } else { origin };
            let exposed = "Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified";
            headers.push(("Access-Control-Allow-Origin", value.to_owned()));
            headers.push(("Access-Control-Expose-Headers", exposed.to_owned()));
            headers.push(("Access-Control-Allow-Private-Network", "true".to_owned()));
        }
        headers
    }

    fn admits_origin(&self, origin: &str) -> bool {
        let origin = origin.to_lowercase();
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")).map(host_of);
        // Pages that programs of this machine serve, such as the server of a web application under development.
        let is_of_this_machine = host.is_some_and(|host| {
            is_loopback_name(host) || address_of(host).is_some_and(|address| address.is_loopback())
        });
        self.is_any_origin || is_of_this_machine || self.origins.contains(&origin)
    }
}

/// A host without its port.
fn host_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

fn address_of(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse().ok().map(IpAddr::V6),
        None => host.parse().ok().map(IpAddr::V4),
    }
}

/// Whether a name always means this machine (RFC 6761, section 6.3).
fn is_loopback_name(host: &str) -> bool {
    host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn pages_of_this_machine_and_of_listed_origins_may_read() {
        let of_list = BrowserAccess::new(&texts(&["https://Viewer.example/", "http://other.example:8000"]), &[]);
        let allowed = |access: &BrowserAccess, origin: &str| {
            let headers = access.headers(Some(origin));
            headers.into_iter().find(|(name, _)| *name == "Access-Control-Allow-Origin").map(|(_, value)| value)
        };
        for origin in [
            "http://localhost:5173",
            "https://app.localhost",
            "http://127.0.0.1:8080",
            "http://127.1.2.3",
            "http://[::1]:8080",
            "https://viewer.example",
            "http://other.example:8000",
        ] {
            assert_eq!(allowed(&of_list, origin).as_deref(), Some(origin));
        }
        for origin in [
            "null",
            "",
            "https://evil.example",
            "http://viewer.example",
            "http://other.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://192.168.1.1",
            "file://localhost",
            "https://viewer.example.evil.example",
        ] {
            assert_eq!(allowed(&of_list, origin), None, "{origin}");
        }
        let of_all = BrowserAccess::new(&texts(&["*"]), &[]);
        assert_eq!(allowed(&of_all, "https://any.example").as_deref(), Some("*"));
        assert!(of_all.headers(None).iter().all(|(name, _)| !name.starts_with("Access-Control")));
    }

    #[test]
    fn names_that_may_resolve_to_this_machine_are_refused() {
        let access = BrowserAccess::new(&[], &texts(&["Data.Lan", "other.lan:8080"]));
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "a.localhost:1",
            "127.0.0.1:8080",
            "[::1]:8080",
            "10.0.0.7",
            "data.lan:9",
            "other.lan",
        ] {
            assert!(access.admits_host(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "data.lan.evil",
            "[::1",
            "::1",
        ] {
            assert!(!access.admits_host(host), "{host}");
        }
    }
}
