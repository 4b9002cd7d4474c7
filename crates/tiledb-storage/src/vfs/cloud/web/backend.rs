//! Files and directories of web servers as a VFS backend.

use std::sync::Arc;

use super::super::read_cache::ReadAheadCache;
use super::address::WebAddress;
use super::client::WebClient;
use super::file::WebFile;
use super::index::IndexCache;
use super::link_targets::LinkTargets;
use super::listing::Listings;
use super::options::WebOptions;
use super::version::FileVersion;
use crate::vfs::concurrent::map_concurrently;
use crate::vfs::indexed::{self, Located, items_of, missing, not_listed, root_of};
use crate::vfs::read_only::refuse_writes;
use crate::vfs::{Backend, Content, DirEntry, DirItem, ReadFile, Stat, Uri};
use tiledb_core::budget;
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
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
        indexed::locate(&self.indexes, uri)
    }

    /// The deepest folder above a URI whose cached index has it.
    fn cached_root(&self, uri: &Uri) -> Option<Uri> {
        indexed::cached_root(&self.indexes, uri)
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

    fn check_links(&self, object: &Uri, links: &mut dyn Iterator<Item = &str>) -> Result<()> {
        let own = WebAddress::of(object)?.origin;
        for link in links {
            if !self.client.options.link_targets.admit(&own, link) {
                bail!(
                    Unsupported,
                    "HTTP: Cannot open '{object}'; it names {link:?}, which is not on the server {own}. If you trust whoever \
                     publishes it, list '{}' in 'vfs.http.link_origins'",
                    LinkTargets::entry_of(link)
                );
            }
        }
        Ok(())
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn concurrency(&self) -> usize {
        self.client.options.max_parallel_requests
    }

    refuse_writes!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::error::ErrorKind;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
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
