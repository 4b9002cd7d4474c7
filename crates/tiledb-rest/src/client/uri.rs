//! URIs of objects on a server: `tiledb://WORKSPACE/TEAMSPACE/PATH`, or `tiledb://NAMESPACE/PATH` on legacy servers.

use tiledb_core::error::{Error, Result, bail};
use tiledb_storage::http::encode::percent;
use tiledb_storage::vfs::Uri;

/// A parsed `tiledb://` URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RemoteUri {
    /// `WORKSPACE/TEAMSPACE` or `NAMESPACE`, as written.
    pub(super) space: String,
    /// The path without the storage URI.
    pub(super) path: String,
    /// Storage location for creation, if specified: `s3://bucket/name`.
    pub(super) storage: Option<String>,
}

impl RemoteUri {
    /// Parses a URI; `legacy` servers have namespaces of one component.
    ///
    /// # Errors
    /// If a part is missing.
    pub(super) fn parse(uri: &Uri, legacy: bool) -> Result<RemoteUri> {
        let space = if legacy { "<namespace>" } else { "<workspace>/<teamspace>" };
        let incomplete = || {
            Error::invalid(format!(
                "[TileDB::REST] Error: Invalid array URI for REST service: '{uri}'; expected format is \
                 'tiledb://{space}/<array-name-or-uri>'."
            ))
        };
        let parts = if legacy { 2 } else { 3 };
        let pieces: Vec<&str> = uri.path().splitn(parts, '/').collect();
        if !uri.is_tiledb() || pieces.len() < parts || pieces.iter().any(|piece| piece.is_empty()) {
            return Err(incomplete());
        }
        let (space, path) = pieces.split_at(parts - 1);
        let space = space.join("/");
        let path = path.concat();
        match (legacy, path.find("://")) {
            // There the whole of it is the name.
            (true, _) => Ok(RemoteUri { space, storage: Some(path.clone()), path }),
            (false, None) => Ok(RemoteUri { space, path, storage: None }),
            (false, Some(colon)) => {
                let start = path[..colon].rfind('/').map_or(0, |slash| slash + 1);
                check_scheme(&path[start..colon])?;
                let (folder, storage) = path.split_at(start);
                let name = storage.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                Ok(RemoteUri { space, path: [folder, name].concat(), storage: Some(storage.to_owned()) })
            }
        }
    }

    /// The path in routes: one segment for each component of the space, one for all the rest.
    pub(super) fn encoded(&self) -> String {
        [&self.encoded_space(), "/", &percent(&self.path, false)].concat()
    }

    /// The space in routes.
    pub(super) fn encoded_space(&self) -> String {
        self.space.split('/').map(|part| percent(part, false)).collect::<Vec<_>>().join("/")
    }

    /// Key of the remembered host.
    pub(super) fn key(&self) -> String {
        [&self.space, ":", &self.path].concat()
    }
}

fn check_scheme(scheme: &str) -> Result<()> {
    let mut letters = scheme.bytes();
    match letters.next() {
        None => bail!("Invalid URI format; missing storage URI scheme before '://'."),
        Some(first) if !first.is_ascii_alphabetic() => {
            bail!("Invalid URI format; storage URI scheme must begin with a letter.")
        }
        _ if letters.any(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(&byte)) => {
            bail!("Invalid URI format; invalid character in storage URI scheme.")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote_uri(uri: &str, legacy: bool) -> Result<RemoteUri> {
        RemoteUri::parse(&Uri::parse(uri).unwrap(), legacy)
    }

    #[test]
    fn uri_is_split_into_workspace_and_path() {
        let parts = |uri, legacy| {
            let remote_uri = remote_uri(uri, legacy).unwrap();
            (remote_uri.encoded(), remote_uri.key(), remote_uri.storage.unwrap_or_default())
        };
        let parts = |uri, legacy| {
            let (encoded, key, storage) = parts(uri, legacy);
            format!("{encoded} {key} {storage}")
        };
        assert_eq!(parts("tiledb://ws/ts/a", false), "ws/ts/a ws/ts:a ");
        assert_eq!(
            parts("tiledb://w s/ts/a/b c/", false),
            "w%20s/ts/a%2Fb%20c%2F ws:ts".replace("ws:ts", "w s/ts:a/b c/ ")
        );
        assert_eq!(parts("tiledb://ws/ts/f/s3://bucket/x/arr", false), "ws/ts/f%2Farr ws/ts:f/arr s3://bucket/x/arr");
        assert_eq!(parts("tiledb://ws/ts/s3://bucket/arr/", false), "ws/ts/arr ws/ts:arr s3://bucket/arr/");
        assert_eq!(parts("tiledb://ns/a", true), "ns/a ns:a a");
        assert_eq!(parts("tiledb://ns/s3://b/a", true), "ns/s3%3A%2F%2Fb%2Fa ns:s3://b/a s3://b/a");
    }

    #[test]
    fn incomplete_uris_are_refused() {
        for uri in ["tiledb://", "tiledb://ws", "tiledb://ws/ts", "tiledb:///ts/a", "tiledb://ws//a", "tiledb://ws/ts/"]
        {
            let error = remote_uri(uri, false).unwrap_err();
            assert!(error.text().contains("'tiledb://<workspace>/<teamspace>/<array-name-or-uri>'"), "{error}");
        }
        for uri in ["tiledb://", "tiledb://ns", "tiledb://ns/", "tiledb:///a"] {
            let error = remote_uri(uri, true).unwrap_err();
            assert!(error.text().contains("'tiledb://<namespace>/<array-name-or-uri>'"), "{error}");
        }
        for uri in ["tiledb://ws/ts/a/://b", "tiledb://ws/ts/1a://b", "tiledb://ws/ts/a_b://c"] {
            assert!(remote_uri(uri, false).unwrap_err().text().starts_with("Invalid URI format;"));
        }
    }
}
