//! Addresses of files on web servers, and of redirects.

use std::fmt::Write;

use crate::http::Origin;
use crate::vfs::Uri;
use tiledb_core::error::{Error, Result, bail};

/// The address of a request.
#[derive(Clone)]
pub(super) struct WebAddress {
    pub(super) origin: Origin,
    /// The percent-encoded URL with its query.
    pub(super) url: String,
}

impl WebAddress {
    /// The address of a file or directory.
    ///
    /// # Errors
    /// If the URI has no host, contains a password or a fragment identifier, or its path has components `.` or `..`, which
    /// servers resolve.
    pub(super) fn of(uri: &Uri) -> Result<WebAddress> {
        let text = uri.as_str();
        if text.contains('#') {
            bail!("'{uri}' has a fragment identifier ('#...'), which servers do not receive; leave it out");
        }
        if path_of(text).split('/').any(is_dot_component) {
            bail!("'{uri}' has a component '.' or '..'");
        }
        WebAddress::of_url(encoded(text))
    }

    fn of_url(url: String) -> Result<WebAddress> {
        Ok(WebAddress { origin: Origin::of(&url)?, url })
    }

    /// The address that a response redirects to: absolute, or relative to this one (RFC 3986, section 5.2).
    ///
    /// # Errors
    /// If it is not HTTP or HTTPS, and if it leads from HTTPS to HTTP.
    pub(super) fn redirected(&self, location: &str) -> Result<WebAddress> {
        let location = location.trim().split('#').next().unwrap_or_default();
        let target = WebAddress::of_url(encoded(&self.resolve(location)))?;
        if self.origin.is_https() && !target.origin.is_https() {
            bail!(Io, "it redirects from {} to {}, which is not encrypted", self.origin, target.origin);
        }
        Ok(target)
    }

    fn resolve(&self, location: &str) -> String {
        let scheme_end = self.url.find("://").unwrap_or_default();
        let authority_end = self.url.get(scheme_end + 3..).and_then(|rest| rest.find(['/', '?']));
        let authority_end = authority_end.map_or(self.url.len(), |end| scheme_end + 3 + end);
        let (authority, rest) = self.url.split_at(authority_end);
        let path = rest.split('?').next().unwrap_or_default();
        let is_absolute = location.split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
        });
        match location {
            _ if is_absolute => location.to_owned(),
            _ if location.starts_with("//") => [&self.url[..scheme_end], ":", location].concat(),
            _ if location.starts_with('/') => [authority, location].concat(),
            _ if location.starts_with('?') || location.is_empty() => [authority, path, location].concat(),
            _ => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                [authority, folder, "/", location].concat()
            }
        }
    }

    /// The same server at another path, which is encoded, with a query.
    ///
    /// # Errors
    /// If there is no such address.
    pub(super) fn at_path(&self, path: &str, query: &str) -> Result<WebAddress> {
        WebAddress::of_url(format!("{}{path}?{query}", self.origin))
    }

    /// Whether this is the other address with a slash after its path, to which servers redirect for folders.
    pub(super) fn is_folder_of(&self, other: &WebAddress) -> bool {
        !other.path().is_empty() && self.path().strip_suffix('/') == Some(other.path())
    }

    /// The path, encoded, without a leading slash.
    pub(super) fn path(&self) -> &str {
        path_of(&self.url)
    }
}

/// What is between the host and the query.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('?').next().unwrap_or_default();
    rest.split_once('/').map_or("", |(_, path)| path)
}

fn is_dot_component(component: &str) -> bool {
    matches!(decoded(component).as_deref(), Some(b"." | b".."))
}

/// A URL in which the characters that no URL can have are encoded; those that are encoded already stay as they are.
fn encoded(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for (at, byte) in url.bytes().enumerate() {
        let is_escape = || url.as_bytes().get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        match byte {
            b'%' if !is_escape() => out.push_str("%25"),
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0..=b' ' | 0x7f.. => {
                _ = write!(out, "%{byte:02X}");
            }
            _ => out.push(byte.into()),
        }
    }
    out
}

/// Percent-decoded bytes; `None` for an escape that is none.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            (rest, _) = (after, out.push(byte));
            continue;
        }
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok())?;
        out.push(u8::from_str_radix(hex, 16).ok().filter(|_| hex.bytes().all(|digit| digit.is_ascii_hexdigit()))?);
        rest = after.get(2..)?;
    }
    Some(out)
}

/// An error about an address without its query, which may sign it.
pub(super) fn unusable(uri: &Uri, verb: &str, reason: &Error) -> Error {
    Error::new(reason.kind(), format!("HTTP: Cannot {verb} '{uri}'; {}", reason.text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Result<WebAddress> {
        WebAddress::of(&Uri::parse(text).unwrap())
    }

    #[test]
    fn urls_are_encoded_once() {
        for (text, url) in [
            ("https://h/a b/é%20c?x=y z", "https://h/a%20b/%C3%A9%20c?x=y%20z"),
            ("http://h:8/100%/50%zz", "http://h:8/100%25/50%25zz"),
            ("https://h", "https://h"),
        ] {
            assert_eq!(address(text).unwrap().url, url);
        }
        let joined = Uri::parse("https://h/a?s=1").unwrap().join("x%20y.tdb");
        assert_eq!(WebAddress::of(&joined).unwrap().url, "https://h/a/x%2520y.tdb?s=1");
    }

    #[test]
    fn addresses_that_are_read_differently_elsewhere_are_refused() {
        for text in [
            "https://h/a/../b",
            "https://h/%2e%2E/b",
            "https://h/./b",
            "https://h/b/..",
            "https://h/a#b",
            "https://user:hush@h/a",
            "https:///a",
            "https://h:99999/a",
        ] {
            let error = address(text).err().unwrap_or_else(|| panic!("{text}"));
            assert!(!error.text().contains("hush"), "{error}");
        }
        assert!(address("https://h/..a/.b/...?x=../..").is_ok());
    }

    #[test]
    fn redirects_are_resolved_and_never_lose_encryption() {
        let own = address("https://h:8/a/b?sig=hush").unwrap();
        let to = |location: &str| own.redirected(location).map(|address| address.url);
        for (location, url) in [
            ("https://other/x?y#z", "https://other/x?y"),
            ("//other/x", "https://other/x"),
            ("/x?y", "https://h:8/x?y"),
            ("c d", "https://h:8/a/c%20d"),
            ("?v=2", "https://h:8/a/b?v=2"),
        ] {
            assert_eq!(to(location).unwrap(), url);
        }
        for location in ["http://h:8/a", "ftp://h/a", "https://u:p@h/a", "javascript:x", "file:///etc/passwd"] {
            let error = to(location).unwrap_err();
            assert!(!error.text().contains("hush"), "{error}");
        }
    }

    #[test]
    fn escapes_are_decoded_or_refused() {
        assert_eq!(decoded("a%20%C3%a9+").as_deref(), Some("a é+".as_bytes()));
        for broken in ["%", "%2", "%zz", "a%+1"] {
            assert_eq!(decoded(broken), None, "{broken}");
        }
    }
}
