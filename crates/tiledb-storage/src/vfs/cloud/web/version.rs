//! The version of a file on a web server.

use crate::http::{Headers, Response};

/// What a server tells about the version of a file: its validators (RFC 9110, section 8.8) and its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileVersion {
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) size: Option<u64>,
}

impl FileVersion {
    /// That of a response; `size` is the size of the whole file, if it is known.
    pub(super) fn of(response: &Response, size: Option<u64>) -> FileVersion {
        let header = |name: &str| response.header(name).map(str::to_owned);
        FileVersion { etag: header("etag"), last_modified: header("last-modified"), size }
    }

    /// Whether two responses cannot be of the same version. Tags decide where both have them: servers behind one name agree
    /// on them more often than on times. A tag that is weak at first and strong later is the same: Apache sends weak ones of files that
    /// were written within the last second.
    pub(super) fn differs_from(&self, other: &FileVersion) -> bool {
        let opaque = |etag: &Option<String>| etag.as_ref().map(|etag| etag.trim_start_matches("W/").to_owned());
        let differ = |one: &Option<String>, other: &Option<String>| match (one, other) {
            (Some(one), Some(other)) => Some(one != other),
            _ => None,
        };
        let sizes_differ = matches!((self.size, other.size), (Some(one), Some(other)) if one != other);
        let by_validators = differ(&opaque(&self.etag), &opaque(&other.etag))
            .or_else(|| differ(&self.last_modified, &other.last_modified));
        sizes_differ || by_validators.unwrap_or(false)
    }

    /// This version with what another response of it tells.
    pub(super) fn completed_by(&self, other: &FileVersion) -> FileVersion {
        FileVersion {
            etag: self.etag.clone().or_else(|| other.etag.clone()),
            last_modified: self.last_modified.clone().or_else(|| other.last_modified.clone()),
            size: self.size.or(other.size),
        }
    }

    /// The precondition by which a server refuses to send another version. Weak tags never meet `If-Match`.
    pub(super) fn precondition(&self) -> Headers {
        let strong = self.etag.as_ref().filter(|etag| etag.starts_with('"'));
        let header = match (strong, &self.etag, &self.last_modified) {
            (Some(etag), ..) => Some(("if-match", etag)),
            (None, None, Some(time)) => Some(("if-unmodified-since", time)),
            _ => None,
        };
        header.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(etag: &str, last_modified: &str, size: Option<u64>) -> FileVersion {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        FileVersion { etag: text(etag), last_modified: text(last_modified), size }
    }

    #[test]
    fn versions_differ_by_tag_else_time_or_by_size() {
        let own = version("\"a\"", "t1", Some(5));
        for (other, differs) in [
            (version("\"a\"", "t2", Some(5)), false),
            (version("\"b\"", "t1", Some(5)), true),
            (version("W/\"a\"", "t1", Some(5)), false),
            (version("W/\"b\"", "t1", Some(5)), true),
            (version("", "t2", Some(5)), true),
            (version("", "t1", None), false),
            (version("\"a\"", "t1", Some(6)), true),
            (version("", "", None), false),
        ] {
            assert_eq!(own.differs_from(&other), differs, "{other:?}");
        }
    }

    #[test]
    fn preconditions_are_by_strong_tag_or_time() {
        let of = |etag, time| version(etag, time, None).precondition().pop().map(|(name, _)| name);
        assert_eq!(of("\"a\"", "t").as_deref(), Some("if-match"));
        assert_eq!(of("W/\"a\"", "t"), None);
        assert_eq!(of("", "t").as_deref(), Some("if-unmodified-since"));
        assert_eq!(of("", ""), None);
    }
}
