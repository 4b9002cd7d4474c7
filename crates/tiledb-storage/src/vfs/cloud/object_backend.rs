//! Files and directories of an object store: keys, and common prefixes of keys.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::page_checker::PageChecker;
use super::read_cache::ReadAheadCache;
use super::reader::ObjectFile;
use super::store::{ListPage, ListRequest, MultipartUpload, Object, ObjectLocation, ObjectStore, UnfinishedUpload};
use super::upload::{Upload, UploadBudget};
use crate::vfs::concurrent::{for_each_concurrently, map_concurrently};
use crate::vfs::{Backend, Content, DirEntry, FileSink, ReadFile, Stat, SuspendedFile, Uri};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::stats::Stats;

/// The objects of a store as a VFS backend.
pub(super) struct ObjectBackend {
    store: Arc<dyn ObjectStore>,
    read_ahead: Arc<ReadAheadCache>,
    budget: Arc<UploadBudget>,
    /// Maximum memory of a listing.
    most_listed: u64,
}

/// Lower bound of that maximum, whatever the memory budget: about 300,000 names.
const LISTED: u64 = 64 << 20;

impl ObjectBackend {
    /// `read_ahead` is the capacity of the read-ahead cache. All uploads together buffer at most a fourth of `memory`,
    /// unless single parts are larger, and a listing takes at most a fourth, or [`LISTED`].
    pub(super) fn new(store: Arc<dyn ObjectStore>, read_ahead: u64, memory: u64, stats: &Stats) -> ObjectBackend {
        let limits = store.limits();
        let most = limits.part_size.saturating_mul(limits.at_once.max(1));
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        ObjectBackend {
            store,
            read_ahead: Arc::new(ReadAheadCache::new(size(read_ahead), stats)),
            budget: Arc::new(UploadBudget::new(most.min(size(memory / 4)))),
            most_listed: LISTED.max(memory / 4),
        }
    }

    /// Lists everything below a prefix, page by page.
    fn each_page(
        &self,
        location: &ObjectLocation,
        deep: bool,
        mut take: impl FnMut(ListPage) -> Result<()>,
    ) -> Result<()> {
        let (prefix, mut next, mut pages) = (location.prefix(), None, PageChecker::new(self.most_listed));
        loop {
            let listing =
                ListRequest { bucket: &location.bucket, prefix: &prefix, deep, most: None, from: next.as_deref() };
            let mut page = self.store.list(&listing)?;
            pages.check(&listing, &page)?;
            next = page.next.take();
            take(page)?;
            if next.is_none() {
                return Ok(());
            }
        }
    }

    /// All objects below a prefix.
    fn all(&self, location: &ObjectLocation) -> Result<Vec<Object>> {
        let mut objects = Vec::new();
        self.each_page(location, true, |page| {
            objects.extend(page.objects);
            Ok(())
        })?;
        Ok(objects)
    }

    /// The keys below some directories of a bucket. If the directories are siblings, a few pages of their common prefix
    /// contain all of them; otherwise each is listed.
    fn keys_below(&self, bucket: &str, places: &[&ObjectLocation]) -> Result<Vec<String>> {
        let prefixes: Vec<String> = places.iter().map(|location| location.prefix()).collect();
        let folders: HashSet<&str> = prefixes.iter().map(String::as_str).collect();
        let (common, mut next, mut keys) = (common_start(&prefixes), None::<String>, Vec::new());
        let mut pages = PageChecker::new(self.most_listed);
        for _ in 0..prefixes.len() {
            let listing = ListRequest { bucket, prefix: common, deep: true, most: None, from: next.as_deref() };
            let page = self.store.list(&listing)?;
            pages.check(&listing, &page)?;
            keys.extend(page.objects.into_iter().map(|object| object.key).filter(|key| lies_below(key, &folders)));
            next = page.next;
            if next.is_none() {
                return Ok(keys);
            }
        }
        let each = map_concurrently(self.concurrency(), places.len(), |index| self.all(places[index]))?;
        Ok(each.into_iter().flatten().map(|object| object.key).collect())
    }

    /// Whether there is anything below a prefix.
    fn is_any(&self, location: &ObjectLocation) -> Result<bool> {
        let (prefix, mut next, mut pages) = (location.prefix(), None::<String>, PageChecker::new(self.most_listed));
        loop {
            let from = next.as_deref();
            let listing = ListRequest { bucket: &location.bucket, prefix: &prefix, deep: false, most: Some(1), from };
            let page = self.store.list(&listing)?;
            pages.check(&listing, &page)?;
            let has_entries = !page.objects.is_empty() || !page.prefixes.is_empty();
            // A page may be empty and not the last one.
            if has_entries || page.next.is_none() {
                return Ok(has_entries);
            }
            next = page.next;
        }
    }

    /// Removes objects in concurrent batches.
    fn remove(&self, bucket: &str, keys: &[String]) -> Result<()> {
        let limits = self.store.limits();
        let portions: Vec<&[String]> = keys.chunks(limits.removed_at_once.max(1)).collect();
        for_each_concurrently(limits.at_once, portions.len(), |index| self.store.remove(bucket, portions[index]))
    }

    /// Copies a directory recursively and concurrently, or a file if there is no such directory; returns the copied
    /// keys.
    fn copy_all(&self, from: &Uri, to: &Uri) -> Result<Vec<String>> {
        let (from, to) = (ObjectLocation::of(from)?, ObjectLocation::of(to)?);
        let keys: Vec<String> = self.all(&from)?.into_iter().map(|object| object.key).collect();
        let (prefix, target) = (from.prefix(), to.prefix());
        if keys.is_empty() {
            return match self.store.copy(&from, &to) {
                Ok(()) => Ok(vec![from.key]),
                // A missing object may be an empty directory.
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
                Err(error) => Err(error),
            };
        }
        for_each_concurrently(self.store.limits().at_once, keys.len(), |index| {
            let rest = keys[index].strip_prefix(&prefix).unwrap_or_default();
            let source = ObjectLocation { bucket: from.bucket.clone(), key: keys[index].clone() };
            self.store.copy(&source, &ObjectLocation { bucket: to.bucket.clone(), key: format!("{target}{rest}") })
        })?;
        Ok(keys)
    }

    fn upload(&self, uri: &Uri) -> Result<Upload> {
        let location = ObjectLocation::of(uri)?;
        if location.key.is_empty() || location.key.ends_with('/') {
            let text = format!("Cannot create file; URI is a directory: {uri}");
            return Err(Error::invalid(text));
        }
        Ok(Upload::new(Arc::clone(&self.store), location, uri, &self.budget))
    }
}

/// Whether a key is below one of the folders, which end with a slash; all keys are below the empty one.
fn lies_below(key: &str, folders: &HashSet<&str>) -> bool {
    folders.contains("") || key.match_indices('/').any(|(at, _)| folders.contains(&key[..=at]))
}

/// The common prefix of all texts.
fn common_start(texts: &[String]) -> &str {
    let Some((first, others)) = texts.split_first() else { return "" };
    others.iter().fold(first, |start, text| {
        let same = start.char_indices().zip(text.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
        &start[..same.unwrap_or(start.len().min(text.len()))]
    })
}

/// The URI of a key in the bucket of `directory`.
fn uri_of(directory: &Uri, bucket: &str, key: &str) -> Result<Uri> {
    Uri::parse(&format!("{}://{bucket}/{}", directory.scheme(), key.trim_end_matches('/')))
}

#[cold]
fn missing(uri: &Uri) -> Error {
    Error::new(ErrorKind::NotFound, format!("'{uri}' does not exist"))
}

impl Backend for ObjectBackend {
    fn stat(&self, uri: &Uri) -> Result<Stat> {
        if self.is_file(uri)? {
            return Ok(Stat::File(self.size(uri)?));
        }
        Ok(if self.is_dir(uri)? { Stat::Dir } else { Stat::Missing })
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        let location = ObjectLocation::of(uri)?;
        Ok(!location.key.is_empty() && !location.key.ends_with('/') && self.store.size(&location)?.is_some())
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.is_any(&ObjectLocation::of(uri)?)
    }

    fn size(&self, uri: &Uri) -> Result<u64> {
        self.store.size(&ObjectLocation::of(uri)?)?.ok_or_else(|| missing(uri))
    }

    fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let location = ObjectLocation::of(directory)?;
        let (prefix, mut entries) = (location.prefix(), Vec::new());
        let listed = self.each_page(&location, false, |page| {
            // An object named like the directory marks an empty directory.
            let files = page.objects.into_iter().filter(|object| object.key != prefix);
            for Object { key, size } in files {
                entries.push(DirEntry { uri: uri_of(directory, &location.bucket, &key)?, size, is_dir: false });
            }
            for prefix in page.prefixes {
                entries.push(DirEntry { uri: uri_of(directory, &location.bucket, &prefix)?, size: 0, is_dir: true });
            }
            Ok(())
        });
        listed.map(|()| entries)
    }

    fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let location = ObjectLocation::of(directory)?;
        let all = self.all(&location)?;
        let objects = all.into_iter().filter(|object| !object.key.ends_with('/'));
        let entry = |Object { key, size }: Object| {
            Ok(DirEntry { uri: uri_of(directory, &location.bucket, &key)?, size, is_dir: false })
        };
        objects.map(entry).collect()
    }

    fn open(&self, uri: &Uri) -> Result<ReadFile> {
        let location = ObjectLocation::of(uri)?;
        let most = self.store.limits().read_ahead;
        let initial_read = self.store.initial_read(&location, most)?.ok_or_else(|| missing(uri))?;
        Ok(ReadFile::new(ObjectFile::with_initial_read(
            Arc::clone(&self.store),
            location,
            initial_read,
            &self.read_ahead,
        )))
    }

    fn open_persistent(&self, uri: &Uri, size: Option<u64>, _content: Content) -> Result<ReadFile> {
        match size {
            Some(size) => Ok(ReadFile::new(ObjectFile::new(
                Arc::clone(&self.store),
                ObjectLocation::of(uri)?,
                size,
                &self.read_ahead,
            ))),
            None => self.open(uri),
        }
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn max_unsent_bytes(&self) -> u64 {
        self.budget.most().max(self.store.limits().part_size) as u64
    }

    fn concurrency(&self) -> usize {
        self.store.limits().at_once
    }

    fn create(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        Ok(Box::new(self.upload(uri)?))
    }

    fn put(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let mut upload = self.upload(uri)?;
        if upload.is_single_request(bytes.len()) {
            return upload.put(bytes);
        }
        let written = upload.write(bytes).and_then(|()| upload.finish(true));
        if written.is_err() {
            upload.abandon();
        }
        written
    }

    fn appends(&self) -> bool {
        false
    }

    fn resume(&self, uri: &Uri, draft: &SuspendedFile) -> Result<Box<dyn FileSink>> {
        Ok(Box::new(self.upload(uri)?.resume_from(draft)?))
    }

    fn append(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        let text = format!("Cannot append to '{uri}': object stores keep what was written as it is");
        Err(Error::new(ErrorKind::Unsupported, text))
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.upload(uri)?;
        self.store.touch(&ObjectLocation::of(uri)?)
    }

    fn mark(&self, uri: &Uri) -> Result<()> {
        self.upload(uri)?.put(&[])
    }

    fn first_of(&self, directory: &Uri, candidates: &[(&str, bool)]) -> Result<Option<usize>> {
        let location = ObjectLocation::of(directory)?;
        let prefix = location.prefix();
        let listing = ListRequest { bucket: &location.bucket, prefix: &prefix, deep: false, most: None, from: None };
        let page = self.store.list(&listing)?;
        for (number, (name, is_dir)) in candidates.iter().enumerate() {
            let is_named = |key: &str| key.strip_prefix(&prefix).map(|rest| rest.trim_end_matches('/')) == Some(*name);
            let is_there = match is_dir {
                true => page.prefixes.iter().any(|prefix| is_named(prefix)),
                false => page.objects.iter().any(|object| is_named(&object.key)),
            };
            let uri = directory.join(name);
            // A name that is not on the first page may be on a later one.
            let elsewhere = !is_there && page.next.is_some();
            if is_there || elsewhere && if *is_dir { self.is_dir(&uri)? } else { self.is_file(&uri)? } {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        ObjectLocation::of(uri).map(|_| ())
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.store.remove_file(&ObjectLocation::of(uri)?)
    }

    fn remove_files(&self, uris: &[Uri]) -> Result<()> {
        let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for uri in uris {
            let ObjectLocation { bucket, key } = ObjectLocation::of(uri)?;
            keys.entry(bucket).or_default().push(key);
        }
        keys.iter().try_for_each(|(bucket, keys)| self.remove(bucket, keys))
    }

    fn remove_dirs(&self, groups: &[&[Uri]]) -> Result<()> {
        let places: Vec<Vec<ObjectLocation>> =
            groups.iter().map(|group| group.iter().map(ObjectLocation::of).collect()).collect::<Result<_>>()?;
        let Some(first) = places.iter().flatten().next() else { return Ok(()) };
        if let Some(other) = places.iter().flatten().find(|location| location.bucket != first.bucket) {
            return Err(Error::internal(format!("Buckets '{}' and '{}' in one removal", first.bucket, other.bucket)));
        }
        let mut keys = self.keys_below(&first.bucket, &places.iter().flatten().collect::<Vec<_>>())?;
        for group in &places {
            let prefixes: Vec<String> = group.iter().map(ObjectLocation::prefix).collect();
            let folders: HashSet<&str> = prefixes.iter().map(String::as_str).collect();
            let (now, later): (Vec<String>, Vec<String>) = keys.into_iter().partition(|key| lies_below(key, &folders));
            self.remove(&first.bucket, &now)?;
            keys = later;
        }
        Ok(())
    }

    fn remove_empty_dir(&self, _: &Uri) -> Result<()> {
        Ok(())
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        let location = ObjectLocation::of(uri)?;
        let keys: Vec<String> = self.all(&location)?.into_iter().map(|object| object.key).collect();
        self.remove(&location.bucket, &keys)
    }

    fn sweep_uploads(&self, directory: &Uri) -> Result<u64> {
        let location = ObjectLocation::of(directory)?;
        let prefix = location.prefix();
        let all = self.store.unfinished(&location.bucket, &prefix)?;
        // Servers may ignore the prefix here.
        let below: Vec<_> = all.into_iter().filter(|upload| upload.key.starts_with(&prefix)).collect();
        for_each_concurrently(self.store.limits().at_once, below.len(), |index| {
            let UnfinishedUpload { key, id } = &below[index];
            self.store.abort(&MultipartUpload {
                location: &ObjectLocation { bucket: location.bucket.clone(), key: key.clone() },
                id,
            })
        })?;
        Ok(below.len() as u64)
    }

    fn move_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.copy_file(from, to)?;
        self.remove_file(from)
    }

    fn move_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        let keys = self.copy_all(from, to)?;
        self.remove(&ObjectLocation::of(from)?.bucket, &keys)
    }

    fn can_publish(&self, directory: &Uri) -> Result<bool> {
        self.store.has_atomic_copies(&ObjectLocation::of(directory)?)
    }

    fn publish(&self, from: &Uri, to: &Uri) -> Result<()> {
        let (source, target) = (ObjectLocation::of(from)?, ObjectLocation::of(to)?);
        if let Err(error) = self.store.copy_atomically(&source, &target) {
            // The response may be lost though the object was copied.
            if !self.store.is_complete(&target)? {
                return Err(error);
            }
        }
        // The file has its name, and nobody reads an original that remains.
        _ = self.store.remove(&source.bucket, std::slice::from_ref(&source.key));
        Ok(())
    }

    fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.store.copy(&ObjectLocation::of(from)?, &ObjectLocation::of(to)?)
    }

    fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.copy_all(from, to).map(|_| ())
    }

    fn create_bucket(&self, uri: &Uri) -> Result<()> {
        self.store.create_bucket(&ObjectLocation::of(uri)?.bucket)
    }

    fn remove_bucket(&self, uri: &Uri) -> Result<()> {
        self.empty_bucket(uri)?;
        self.store.remove_bucket(&ObjectLocation::of(uri)?.bucket)
    }

    fn empty_bucket(&self, uri: &Uri) -> Result<()> {
        let bucket = ObjectLocation { key: String::new(), ..ObjectLocation::of(uri)? };
        let keys: Vec<String> = self.all(&bucket)?.into_iter().map(|object| object.key).collect();
        self.remove(&bucket.bucket, &keys)
    }

    fn is_empty_bucket(&self, uri: &Uri) -> Result<bool> {
        let bucket = ObjectLocation { key: String::new(), ..ObjectLocation::of(uri)? };
        Ok(!self.is_any(&bucket)?)
    }

    fn is_bucket(&self, uri: &Uri) -> Result<bool> {
        self.store.is_bucket(&ObjectLocation::of(uri)?.bucket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lie_below_folders() {
        let below = |key: &str, folders: &[&str]| lies_below(key, &folders.iter().copied().collect());
        assert!(
            below("a/b/c", &["x/", "a/b/"])
                && below("a/b/", &["a/b/"])
                && below("a/é/c", &["a/é/"])
                && below("a", &[""])
        );
        assert!(
            !below("a/b", &["a/b/"]) && !below("a/bc/d", &["a/b/"]) && !below("x/a/b/c", &["a/b/"]) && !below("a", &[])
        );
    }

    #[test]
    fn what_directories_have_in_common() {
        let start =
            |texts: &[&str]| common_start(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).to_owned();
        assert_eq!(start(&["a/b1/", "a/b2/", "a/b/"]), "a/b");
        assert_eq!(start(&["a/b/"]), "a/b/");
        assert_eq!(start(&["a/é", "a/è", "a/éé"]), "a/");
        assert_eq!((start(&["x", "y"]), start(&[])), (String::new(), String::new()));
    }
}
