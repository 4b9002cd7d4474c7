//! Files and directories of web servers as a VFS backend.

use std::sync::Arc;

use super::super::read_cache::ReadAheadCache;
use super::address::WebAddress;
use super::client::WebClient;
use super::file::WebFile;
use super::index::{FoundIndex, IndexCache, not_listed};
use super::listing::Listings;
use super::options::WebOptions;
use super::version::FileVersion;
use crate::vfs::concurrent::map_concurrently;
use crate::vfs::directory_index::{DirectoryIndex, INDEX_NAME, IndexEntry, IndexFolder, IndexLookup};
use crate::vfs::{Backend, Content, DirEntry, DirItem, FileSink, ReadFile, Stat, Uri};
use tiledb_core::budget;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::stats::Stats;

/// Lower bound of the memory of a listing, whatever the memory budget.
const MIN_LISTED_BYTES: u64 = 64 << 20;

/// Maximum depth of folders of a recursive listing.
const MAX_DEPTH: usize = 32;

pub(in crate::vfs::cloud) struct WebBackend {
    client: Arc<WebClient>,
    read_ahead: Arc<ReadAheadCache>,
    indexes: IndexCache,
    listings: Listings,
}

/// What an index tells about a URI.
enum Located {
    Missing,
    File(u64),
    /// A folder: its index, and its path there.
    Folder(Arc<DirectoryIndex>, Vec<String>),
    /// There is no index, for this reason.
    NoIndex(Arc<str>),
}

impl WebBackend {
    /// The web servers for a configuration. No request is made.
    ///
    /// # Errors
    /// For invalid parameters.
    pub(in crate::vfs::cloud) fn new(config: &Config, stats: &Stats) -> Result<WebBackend> {
        let client = Arc::new(WebClient::new(WebOptions::new(config)?));
        let capacity = usize::try_from(config.u64("vfs.read_ahead_cache_size")?).unwrap_or(usize::MAX);
        Ok(WebBackend {
            read_ahead: Arc::new(ReadAheadCache::new(capacity, stats)),
            indexes: IndexCache::new(&client),
            listings: Listings::new(&client, MIN_LISTED_BYTES.max(budget::total(config)? / 4)),
            client,
        })
    }

    /// Looks up a URI in the index of its array or group.
    fn locate(&self, uri: &Uri) -> Result<Located> {
        WebAddress::of(uri)?;
        let mut root = self.cached_root(uri).unwrap_or_else(|| root_of(uri));
        loop {
            let index = match self.indexes.get(&root)? {
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
    fn cached_root(&self, uri: &Uri) -> Option<Uri> {
        std::iter::successors(Some(uri.without_trailing_slash()), Uri::parent).find(|root| {
            self.indexes.cached(root).is_some_and(|index| {
                let path = path_below(uri, root);
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                index.find(&names) != IndexLookup::Missing
            })
        })
    }

    /// What the index tells about a file. Files outside of arrays and groups have none.
    fn locate_file(&self, uri: &Uri) -> Result<Option<Located>> {
        let has_index = root_of(uri) != uri.without_trailing_slash() || self.cached_root(uri).is_some();
        if !has_index {
            return Ok(None);
        }
        Ok(Some(self.locate(uri)?).filter(|located| !matches!(located, Located::NoIndex(_))))
    }

    /// Size of a file; `None` if there is none.
    fn size_of(&self, uri: &Uri) -> Result<Option<u64>> {
        match self.locate_file(uri)? {
            Some(Located::File(size)) => Ok(Some(size)),
            Some(_) => Ok(None),
            None => Ok(self.client.head(uri)?.and_then(|version| version.size)),
        }
    }

    /// The entries of a directory whose sizes need not be known.
    fn items(&self, directory: &Uri) -> Result<Vec<(DirItem, Option<u64>)>> {
        let reason = match self.locate(directory)? {
            Located::Missing | Located::File(_) => return Ok(Vec::new()),
            Located::Folder(index, path) => return Ok(items_of(&index, &path)),
            Located::NoIndex(reason) => reason,
        };
        if let Some((objects, folders)) = self.listings.objects(directory, false)? {
            let file =
                |object: super::super::store::Object| (DirItem { name: object.key, is_dir: false }, Some(object.size));
            let folder = |name: String| (DirItem { name, is_dir: true }, Some(0));
            return Ok(objects.into_iter().map(file).chain(folders.into_iter().map(folder)).collect());
        }
        let links = self.listings.links(directory)?.ok_or_else(|| not_listed(directory, &reason))?;
        Ok(links.into_iter().map(|item| (item, None)).collect())
    }

    /// Adds all files and folders below a directory.
    fn collect(&self, directory: &Uri, depth: usize, entries: &mut Vec<DirEntry>) -> Result<()> {
        if depth == 0 {
            bail!(Corrupt, "HTTP: Cannot list '{directory}'; its folders are too deep");
        }
        for entry in self.list(directory)? {
            let folder = entry.is_dir.then(|| entry.uri.clone());
            entries.push(entry);
            if let Some(folder) = folder {
                self.collect(&folder, depth - 1, entries)?;
            }
        }
        Ok(())
    }
}

/// The directory whose index tells about a URI: that above the first component of an array or group, else the URI itself.
fn root_of(uri: &Uri) -> Uri {
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

fn items_of(index: &DirectoryIndex, path: &[String]) -> Vec<(DirItem, Option<u64>)> {
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
fn missing(uri: &Uri) -> Error {
    Error::new(ErrorKind::NotFound, format!("'{uri}' does not exist"))
}

/// The error of everything that writes.
#[cold]
fn read_only<T>(uri: &Uri) -> Result<T> {
    let text = format!(
        "HTTP: Cannot write '{uri}'; web servers are read-only storage. Write to a local folder or an object store, and publish \
         the result with `tiledb-rs publish`"
    );
    Err(Error::new(ErrorKind::Unsupported, text))
}

impl Backend for WebBackend {
    fn stat(&self, uri: &Uri) -> Result<Stat> {
        let reason = match self.locate(uri)? {
            Located::Missing => return Ok(Stat::Missing),
            Located::File(size) => return Ok(Stat::File(size)),
            Located::Folder(..) => return Ok(Stat::Dir),
            Located::NoIndex(reason) => reason,
        };
        if let Some(size) = self.size_of(uri)? {
            return Ok(Stat::File(size));
        }
        let is_any = match self.listings.objects(uri, false)? {
            Some((objects, folders)) => !objects.is_empty() || !folders.is_empty(),
            None => !self.listings.links(uri)?.ok_or_else(|| not_listed(uri, &reason))?.is_empty(),
        };
        Ok(if is_any { Stat::Dir } else { Stat::Missing })
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        Ok(!uri.path().ends_with('/') && uri.path().contains('/') && self.size_of(uri)?.is_some())
    }

    fn size(&self, uri: &Uri) -> Result<u64> {
        self.size_of(uri)?.ok_or_else(|| missing(uri))
    }

    fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let items = self.items(directory)?;
        map_concurrently(self.concurrency(), items.len(), |at| {
            let (DirItem { name, is_dir }, size) = &items[at];
            let uri = directory.join(name);
            let size = match size {
                Some(size) => *size,
                None if *is_dir => 0,
                None => self.client.head(&uri)?.and_then(|version| version.size).ok_or_else(|| missing(&uri))?,
            };
            Ok(DirEntry { uri, size, is_dir: *is_dir })
        })
    }

    fn names(&self, directory: &Uri) -> Result<Vec<DirItem>> {
        Ok(self.items(directory)?.into_iter().map(|(item, _)| item).collect())
    }

    fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        if matches!(self.locate(directory)?, Located::NoIndex(_))
            && let Some((objects, _)) = self.listings.objects(directory, true)?
        {
            let entry = |object: super::super::store::Object| DirEntry {
                uri: directory.join(&object.key),
                size: object.size,
                is_dir: false,
            };
            return Ok(objects.into_iter().map(entry).collect());
        }
        let mut entries = Vec::new();
        self.collect(directory, MAX_DEPTH, &mut entries)?;
        Ok(entries)
    }

    fn open(&self, uri: &Uri) -> Result<ReadFile> {
        let size = match self.locate_file(uri)? {
            Some(Located::File(size)) => Some(size),
            Some(_) => return Err(missing(uri)),
            None => None,
        };
        let known = FileVersion { size, ..FileVersion::default() };
        let most = self.client.options.read_ahead_bytes.max(1) as u64;
        let range = match size {
            Some(0) => return Ok(ReadFile::new(WebFile::new(&self.client, uri, 0, known, &self.read_ahead))),
            // Footers are at the end.
            Some(size) => size.saturating_sub(most)..size,
            None => 0..most,
        };
        let part = self.client.first_part(uri, range, &known)?.ok_or_else(|| missing(uri))?;
        Ok(ReadFile::new(WebFile::with_part(&self.client, uri, part, &self.read_ahead)))
    }

    fn open_persistent(&self, uri: &Uri, size: Option<u64>, _content: Content) -> Result<ReadFile> {
        let Some(len) = size else { return self.open(uri) };
        let listed = match self.cached_root(uri) {
            Some(_) => self.size_of(uri)?,
            None => None,
        };
        let version = FileVersion { size: listed, ..FileVersion::default() };
        Ok(ReadFile::new(WebFile::new(&self.client, uri, len, version, &self.read_ahead)))
    }

    fn first_of(&self, directory: &Uri, candidates: &[(&str, bool)]) -> Result<Option<usize>> {
        let names = self.names(directory)?;
        let is_there = |name: &str, is_dir: bool| names.iter().any(|item| item.name == name && item.is_dir == is_dir);
        Ok(candidates.iter().position(|(name, is_dir)| is_there(name, *is_dir)))
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn concurrency(&self) -> usize {
        self.client.options.max_parallel_requests
    }

    fn appends(&self) -> bool {
        false
    }

    fn create(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        read_only(uri)
    }

    fn append(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        read_only(uri)
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        read_only(uri)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        read_only(uri)
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        read_only(uri)
    }

    fn remove_files(&self, uris: &[Uri]) -> Result<()> {
        uris.first().map_or(Ok(()), read_only)
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        read_only(uri)
    }

    fn remove_dirs(&self, groups: &[&[Uri]]) -> Result<()> {
        groups.iter().copied().flatten().next().map_or(Ok(()), read_only)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<()> {
        read_only(uri)
    }

    fn move_file(&self, from: &Uri, _to: &Uri) -> Result<()> {
        read_only(from)
    }

    fn move_dir(&self, from: &Uri, _to: &Uri) -> Result<()> {
        read_only(from)
    }

    fn copy_file(&self, _from: &Uri, to: &Uri) -> Result<()> {
        read_only(to)
    }

    fn copy_dir(&self, _from: &Uri, to: &Uri) -> Result<()> {
        read_only(to)
    }
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

    #[test]
    fn nothing_is_written() {
        let backend = WebBackend::new(&Config::new(), &Stats::unlisted()).unwrap();
        let there = uri("https://h/a?sig=hush");
        let results = [
            backend.create(&there).map(|_| ()),
            backend.append(&there).map(|_| ()),
            backend.put(&there, b"x"),
            backend.touch(&there),
            backend.create_dir(&there),
            backend.remove_file(&there),
            backend.remove_dir(&there),
            backend.remove_files(std::slice::from_ref(&there)),
            backend.move_file(&there, &there),
            backend.copy_dir(&there, &there),
        ];
        for result in results {
            let error = result.unwrap_err();
            assert!(error.kind() == ErrorKind::Unsupported && error.text().contains("read-only"), "{error}");
            assert!(error.text().contains("'https://h/a?...'") && !error.text().contains("hush"), "{error}");
        }
    }
}
