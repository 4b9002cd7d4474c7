//! Lookups in the indexes of published arrays and groups, for storage that lists no directories.

use std::sync::Arc;

use super::directory_index::{DirectoryIndex, INDEX_NAME, IndexEntry, IndexFolder, IndexLookup};
use super::{DirItem, Uri};
use tiledb_core::error::{Error, ErrorKind, Result};

/// The index of a directory, or why it has none.
#[derive(Clone)]
pub(super) enum FoundIndex {
    Index(Arc<DirectoryIndex>),
    Absent(Arc<str>),
}

/// Where indexes come from.
pub(super) trait IndexSource {
    /// The index of a directory.
    ///
    /// # Errors
    /// If the storage fails, or the index is invalid.
    fn get(&self, directory: &Uri) -> Result<FoundIndex>;

    /// The index of a directory if it is cached; no request is made.
    fn cached(&self, directory: &Uri) -> Option<Arc<DirectoryIndex>>;
}

/// What an index tells about a URI.
pub(super) enum Located {
    Missing,
    File(u64),
    /// A folder: its index, and its path there.
    Folder(Arc<DirectoryIndex>, Vec<String>),
    /// There is no index, for this reason.
    NoIndex(Arc<str>),
}

/// Looks up a URI in the index of its array or group.
///
/// # Errors
/// Those of the source.
pub(super) fn locate(indexes: &impl IndexSource, uri: &Uri) -> Result<Located> {
    let mut root = cached_root(indexes, uri).unwrap_or_else(|| root_of(uri));
    loop {
        let index = match indexes.get(&root)? {
            FoundIndex::Index(index) => index,
            FoundIndex::Absent(reason) => return Ok(Located::NoIndex(reason)),
        };
        let path = path_below(uri, &root);
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        match index.find(&names) {
            IndexLookup::Missing => return Ok(Located::Missing),
            IndexLookup::File(size) => return Ok(Located::File(size)),
            IndexLookup::Folder(_) => return Ok(Located::Folder(index, path)),
            // Each step leads further down, so that this ends.
            IndexLookup::Linked(depth) => {
                root = names.iter().take(depth).fold(root, |root, name| root.join(name));
            }
        }
    }
}

/// The deepest folder above a URI whose cached index has it.
pub(super) fn cached_root(indexes: &impl IndexSource, uri: &Uri) -> Option<Uri> {
    std::iter::successors(Some(uri.without_trailing_slash()), Uri::parent).find(|root| {
        indexes.cached(root).is_some_and(|index| {
            let path = path_below(uri, root);
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            index.find(&names) != IndexLookup::Missing
        })
    })
}

/// The directory whose index tells about a URI: that above the first component of an array or group, else the URI itself.
pub(super) fn root_of(uri: &Uri) -> Uri {
    let whole = uri.without_trailing_slash();
    let inner = std::iter::successors(Some(whole.clone()), Uri::parent)
        .filter(|uri| uri.last_part().starts_with("__") && uri.last_part() != INDEX_NAME)
        .last();
    inner.and_then(|inner| inner.parent()).unwrap_or(whole)
}

/// The components of a URI below a directory, as names.
fn path_below(uri: &Uri, directory: &Uri) -> Vec<String> {
    let uri = uri.without_trailing_slash();
    let mut names = Vec::new();
    for uri in std::iter::successors(Some(uri), Uri::parent).take_while(|uri| uri != directory) {
        names.push(uri.name().into_owned());
    }
    names.reverse();
    names
}

/// The entries of a folder of an index, with the sizes of files.
pub(super) fn items_of(index: &DirectoryIndex, path: &[String]) -> Vec<(DirItem, Option<u64>)> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let empty = IndexFolder::new();
    let folder = match index.find(&names) {
        IndexLookup::Folder(folder) => folder,
        _ => &empty,
    };
    let item = |(name, entry): (&String, &IndexEntry)| {
        let (is_dir, size) = match entry {
            IndexEntry::File(size, _) => (false, *size),
            IndexEntry::Folder(_) | IndexEntry::Linked => (true, 0),
        };
        (DirItem { name: name.clone(), is_dir }, Some(size))
    };
    folder.iter().map(item).collect()
}

#[cold]
pub(super) fn missing(uri: &Uri) -> Error {
    Error::new(ErrorKind::NotFound, format!("'{uri}' does not exist"))
}

/// The error for a directory that cannot be listed.
#[cold]
pub(super) fn not_listed(directory: &Uri, reason: &str) -> Error {
    Error::new(
        ErrorKind::Unsupported,
        format!(
            "HTTP: Cannot list '{directory}'; web servers list no folders, and there is no index '{INDEX_NAME}' ({reason}). \
             If there is an array or group, publish it with `tiledb-rs publish`, or write its index with `tiledb-rs publish \
             --index-only`; pages of links are accepted with 'vfs.http.html_listing'"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    #[test]
    fn indexes_are_beside_arrays_and_groups() {
        for (of, root) in [
            ("https://h/a/b", "https://h/a/b"),
            ("https://h/a/b/", "https://h/a/b"),
            ("https://h/a/__schema", "https://h/a"),
            ("https://h/a/__labels/l/__fragments/__1_1_x/a0.tdb?s=1", "https://h/a?s=1"),
            ("https://h/a/__tiledb_index.json", "https://h/a/__tiledb_index.json"),
            ("https://h/__schema", "https://h"),
            ("https://h", "https://h"),
        ] {
            assert_eq!(root_of(&uri(of)), uri(root), "{of}");
        }
        assert_eq!(path_below(&uri("https://h/a/x%25/y?s=1"), &uri("https://h/a?s=1")), ["x%", "y"]);
        assert_eq!(path_below(&uri("https://h/a/"), &uri("https://h/a")), Vec::<String>::new());
    }
}
