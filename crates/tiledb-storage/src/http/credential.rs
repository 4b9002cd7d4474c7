//! Credentials bound to the origins that they were issued for.
//!
//! Secret headers are kept apart from the other headers of a request, together with their audience. The client attaches
//! them once the URL is parsed, and rejects the request if its origin is not part of the audience: whatever the URL was
//! derived from (a region, a redirect, an upload session, a bucket name), no credential is sent to another host, port
//! or scheme.

use std::fmt;

use ureq::http;

use tiledb_core::error::{Error, Result, bail};

/// Scheme, host and port of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    is_https: bool,
    /// In lower case.
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of an absolute URL.
    ///
    /// # Errors
    /// If it is not an HTTP or HTTPS URL, or contains a user name, which can be mistaken for the host.
    pub fn of(address: &str) -> Result<Origin> {
        let uri = address.parse::<http::Uri>();
        uri.ok().and_then(|uri| Origin::of_uri(&uri)).ok_or_else(|| {
            Error::invalid(format!("'{}' is not an address of the form http[s]://HOST[:PORT]", shown(address)))
        })
    }

    /// That of a parsed address.
    fn of_uri(uri: &http::Uri) -> Option<Origin> {
        let is_https = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'))?;
        let host = authority.host().to_ascii_lowercase();
        // `host:` has an empty port, `host:99999` one that is none.
        let port = match authority.as_str().get(host.len()..)?.strip_prefix(':') {
            Some(port) => port.parse().ok()?,
            None => {
                if is_https {
                    443
                } else {
                    80
                }
            }
        };
        (!host.is_empty()).then_some(Origin { is_https, host, port })
    }

    /// The host in lower case, an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether traffic to it is encrypted.
    pub fn is_https(&self) -> bool {
        self.is_https
    }
}

/// An address as errors show it: without user name, password and parameters.
fn shown(address: &str) -> String {
    let plain = address.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = plain.split_once("://").map_or(("", plain), |(scheme, rest)| (scheme, rest));
    let (hidden, host) = rest.rsplit_once('@').map_or(("", rest), |(_, host)| ("...@", host));
    let mark = if scheme.is_empty() { "" } else { "://" };
    [scheme, mark, hidden, host].concat().chars().take(200).collect()
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, usual) = if self.is_https { ("https", 443) } else { ("http", 80) };
        write!(out, "{scheme}://{}", self.host)?;
        if self.port == usual { Ok(()) } else { write!(out, ":{}", self.port) }
    }
}

/// The origins that credentials may be sent to.
#[derive(Clone, Debug)]
pub struct Audience {
    origin: Origin,
    has_subdomains: bool,
    /// Hosts that the user trusts as well: `host`, `host:port`, or `*` for all.
    trusted: Vec<String>,
}

impl Audience {
    /// The origin of an address that the user, the environment or this library names; never one out of a response.
    ///
    /// # Errors
    /// If it has none.
    pub fn of(address: &str) -> Result<Audience> {
        Ok(Audience { origin: Origin::of(address)?, has_subdomains: false, trusted: Vec::new() })
    }

    /// The hosts below this one, too, at the same port.
    pub fn with_subdomains(self) -> Audience {
        Audience { has_subdomains: true, ..self }
    }

    /// Hosts that the user lists, too.
    pub fn with_trusted(self, trusted: Vec<String>) -> Audience {
        Audience { trusted, ..self }
    }

    /// Whether the host has subdomains that belong to the same owner: it is a name of several parts.
    pub fn has_domain(&self) -> bool {
        let host = &self.origin.host;
        host.contains('.') && host.parse::<std::net::IpAddr>().is_err()
    }

    /// Whether an origin is part of it. What was issued for HTTPS is never sent in clear text.
    pub fn admits(&self, origin: &Origin) -> bool {
        if *origin == self.origin {
            return true;
        }
        if self.origin.is_https && !origin.is_https {
            return false;
        }
        let is_below = || origin.host.strip_suffix(&self.origin.host).is_some_and(|rest| rest.ends_with('.'));
        let has_same_port = origin.is_https == self.origin.is_https && origin.port == self.origin.port;
        let is_trusted = |name: &String| {
            let with_port = || format!("{}:{}", origin.host, origin.port);
            name == "*" || name.eq_ignore_ascii_case(&origin.host) || name.eq_ignore_ascii_case(&with_port())
        };
        (self.has_subdomains && has_same_port && is_below()) || self.trusted.iter().any(is_trusted)
    }
}

/// The secret headers of a request.
#[derive(Clone)]
pub struct Credential {
    audience: Audience,
    headers: Vec<(String, String)>,
}

impl Credential {
    pub fn new(audience: Audience, headers: Vec<(String, String)>) -> Credential {
        Credential { audience, headers }
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Adds the headers to a request.
    ///
    /// # Errors
    /// If it goes to another origin than they were issued for, and for values that no header can have.
    pub(super) fn attach<B>(&self, request: &mut http::Request<B>) -> Result<()> {
        match Origin::of_uri(request.uri()) {
            Some(origin) if self.audience.admits(&origin) => {}
            Some(origin) => bail!(
                "Credentials issued for {} are not sent to {origin}: an answer or a name leads there",
                self.audience.origin
            ),
            None => bail!(
                "Credentials are not sent to '{}': no host can be told from it",
                shown(&request.uri().to_string())
            ),
        }
        for (name, value) in &self.headers {
            let unusable = || Error::invalid(format!("The credentials hold what no header '{name}' can"));
            let name_read = http::HeaderName::try_from(name.as_str()).map_err(|_| unusable())?;
            let mut value = http::HeaderValue::try_from(value.as_str()).map_err(|_| unusable())?;
            value.set_sensitive(true);
            request.headers_mut().append(name_read, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(audience: &Audience, address: &str) -> Result<http::Request<()>> {
        let mut request = http::Request::builder().uri(address).body(()).map_err(|_| Error::invalid("no address"))?;
        let headers = vec![("authorization".to_owned(), "hush".to_owned())];
        Credential::new(audience.clone(), headers).attach(&mut request)?;
        Ok(request)
    }

    #[test]
    fn origins_are_parsed_as_the_client_connects() {
        let parsed = |address: &str| Origin::of(address).map(|origin| origin.to_string()).ok();
        for (address, origin) in [
            ("http://H/x?y#z", "http://h"),
            ("https://h:443/", "https://h"),
            ("http://h:443", "http://h:443"),
            ("https://[::1]:8/x", "https://[::1]:8"),
        ] {
            assert_eq!(parsed(address).as_deref(), Some(origin), "{address}");
        }
        for address in
            ["", "/x", "h", "h:1", "ftp://h", "http://", "http://u@h", "http://u:p@h/", "http://h:", "http://h:99999/"]
        {
            assert_eq!(parsed(address), None, "{address}");
        }
        let error = Origin::of("https://user:hush@h/x?sig=hush").unwrap_err();
        assert!(error.text().contains("'https://...@h/x'"), "{error}");
    }

    #[test]
    fn credentials_go_to_the_origin_that_they_were_issued_for_alone() {
        let own = Audience::of("https://store.example/base").unwrap();
        assert_eq!(sent(&own, "https://store.example:443/x").unwrap().headers()["authorization"], "hush");
        let wrong = [
            "http://store.example/x",
            "https://store.example:444/x",
            "https://a.store.example/x",
            "https://store.example.evil/x",
            "https://evil/?https://store.example/",
            "https://store.example@evil/x",
            "https://evil#store.example",
            "/x",
        ];
        for address in wrong {
            let error = sent(&own, address).err().unwrap_or_else(|| panic!("{address}"));
            assert!(!error.text().contains("hush"), "{error}");
        }
        let below = own.clone().with_subdomains();
        assert!(sent(&below, "https://bucket.store.example/x").is_ok());
        for address in ["http://bucket.store.example/", "https://bucket.store.example:8/", "https://evilstore.example/"]
        {
            assert!(sent(&below, address).is_err(), "{address}");
        }
        let listed = |names: &[&str]| own.clone().with_trusted(names.iter().map(|&name| name.to_owned()).collect());
        assert!(sent(&listed(&["x", "Other.net"]), "https://other.net:9/").is_ok());
        assert!(sent(&listed(&["other.net:9"]), "https://other.net:9/").is_ok());
        assert!(sent(&listed(&["other.net:8"]), "https://other.net:9/").is_err());
        assert!(sent(&listed(&["*"]), "https://any/").is_ok());
        assert!(sent(&listed(&["*"]), "http://any/").is_err(), "never in clear text");
        assert!(own.has_domain() && !Audience::of("http://10.0.0.1").unwrap().has_domain());
    }

    #[test]
    fn values_that_would_add_headers_are_refused() {
        let mut request = http::Request::builder().uri("http://h/").body(()).unwrap();
        for value in ["a\r\nx-injected: 1", "a\0"] {
            let headers = vec![("authorization".to_owned(), value.to_owned())];
            assert!(Credential::new(Audience::of("http://h").unwrap(), headers).attach(&mut request).is_err());
        }
    }
}
