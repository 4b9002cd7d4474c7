//! Where the files of a published array or group may lead: to the same origin, and to places that the user lists.
//!
//! A group names its members by URIs, and an array the arrays of its labels. One from a server of somebody else could name a service of
//! the reader's private network, a local file, or a bucket that the reader's keys open. Web pages are restricted likewise: another
//! origin is read only if it agrees (<https://fetch.spec.whatwg.org/>), private networks and files are not.

use crate::http::Origin;

/// Origins and prefixes of URIs.
pub(super) struct LinkTargets {
    origins: Vec<Origin>,
    /// Prefixes of URIs of other storage, without a slash at the end: `s3://bucket/folder`.
    prefixes: Vec<String>,
    is_any: bool,
}

impl LinkTargets {
    /// A list, separated by commas or spaces, of `https://HOST:PORT`, of `s3://BUCKET` and the like, or `*`.
    pub(super) fn new(listed: &str) -> LinkTargets {
        let entries = || listed.split([',', ' ']).filter(|entry| !entry.is_empty());
        LinkTargets {
            origins: entries().filter_map(|entry| Origin::of(entry).ok()).collect(),
            prefixes: entries()
                .filter(|entry| Origin::of(entry).is_err())
                .map(|entry| entry.trim_end_matches('/').to_owned())
                .collect(),
            is_any: entries().any(|entry| entry == "*"),
        }
    }

    /// Whether an object of an origin may lead to a URI.
    pub(super) fn admit(&self, own: &Origin, link: &str) -> bool {
        if self.is_any {
            return true;
        }
        match Origin::of(link) {
            Ok(origin) => origin == *own || self.origins.contains(&origin),
            Err(_) => self.prefixes.iter().any(|prefix| is_below(link, prefix)),
        }
    }

    /// The entry that admits a URI: its origin, or what is up to the first slash after the host or bucket.
    pub(super) fn entry_of(link: &str) -> String {
        match (Origin::of(link), link.split_once("://")) {
            (Ok(origin), _) => origin.to_string(),
            (_, Some((scheme, rest))) => format!("{scheme}://{}", rest.split('/').next().unwrap_or_default()),
            (_, None) => link.to_owned(),
        }
    }
}

/// Whether a URI lies in a folder; components `..` could lead out of it.
fn is_below(link: &str, folder: &str) -> bool {
    let rest = link.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    rest.is_some_and(|rest| !rest.split('/').any(|component| component == ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_lead_to_their_origin_and_to_listed_places() {
        let own = Origin::of("https://data.example").unwrap();
        let none = LinkTargets::new("");
        for link in ["https://data.example/a", "https://DATA.example:443/b?x=y"] {
            assert!(none.admit(&own, link), "{link}");
        }
        let elsewhere = [
            "http://data.example/a",
            "https://data.example:8443/a",
            "https://data.example.evil.example/a",
            "https://user@data.example/a",
            "https://cdn.example/a",
            "http://127.0.0.1:8080/a",
            "http://[::1]/",
            "http://169.254.169.254/latest/meta-data",
            "file:///etc/passwd",
            "/etc/passwd",
            "s3://bucket/a",
            "mem://a",
            "tiledb://a/b",
            "",
        ];
        for link in elsewhere {
            assert!(!none.admit(&own, link), "{link}");
            assert!(LinkTargets::new("*").admit(&own, link), "{link}");
        }
        let listed = LinkTargets::new("https://cdn.example, s3://bucket/, file:///srv/data");
        for link in ["https://cdn.example/x", "s3://bucket", "s3://bucket/a/b", "file:///srv/data/a"] {
            assert!(listed.admit(&own, link), "{link}");
        }
        for link in [
            "http://cdn.example/x",
            "s3://bucket2/a",
            "s3://bucket/../other/a",
            "file:///srv/database",
            "file:///srv/data/../x",
        ] {
            assert!(!listed.admit(&own, link), "{link}");
        }
        for (link, entry) in [
            ("https://cdn.example/x/y", "https://cdn.example"),
            ("s3://bucket/x/y", "s3://bucket"),
            ("file:///etc/passwd", "file://"),
        ] {
            assert_eq!(LinkTargets::entry_of(link), entry);
            assert!(LinkTargets::new(entry).admit(&own, link), "{link}");
        }
    }
}
