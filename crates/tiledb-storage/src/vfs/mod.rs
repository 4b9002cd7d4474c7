//! Virtual file system: files and directories on local disks, in memory and in object stores.
//!
//! The engine uses only operations that object stores support: listings with sizes, range reads, sequential writes of
//! whole files, removal. The rest (move, copy, append) serves users of the C interface.

mod backend;
mod buckets;
#[cfg(any(feature = "s3", feature = "azure", feature = "gcs", feature = "web"))]
mod cloud;
mod concurrent;
mod configured;
#[cfg(test)]
mod conformance;
mod directory_index;
mod file;
mod handle;
#[cfg(feature = "host")]
mod host;
#[cfg(any(feature = "host", feature = "web"))]
mod indexed;
mod local;
mod mem;
#[cfg(not(any(feature = "s3", feature = "azure", feature = "gcs", feature = "web")))]
mod no_cloud;
mod options;
mod prefetch;
#[cfg_attr(
    not(any(feature = "s3", feature = "azure", feature = "gcs", feature = "web")),
    allow(dead_code, reason = "only far storage is read piece by piece")
)]
mod range_cache;
mod read_log;
#[cfg(any(feature = "host", feature = "web"))]
mod read_only;
mod relative;
mod shared_state;
#[cfg(any(test, feature = "simulation"))]
mod simulated;
mod stat_cache;
mod transfer;
mod uri;
mod validation;

use std::any::Any;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub use backend::{Backend, DirEntry, DirHandle, DirItem, Stat};
#[cfg(all(feature = "simulation", any(feature = "s3", feature = "azure", feature = "gcs", feature = "web")))]
pub use cloud::simulated::*;
pub use directory_index::{DirectoryIndex, INDEX_NAME, IndexEntry, IndexFolder, IndexLookup};
pub use file::{FileSink, ReadAt, ReadFile, SuspendedFile, WriteFile};
pub use handle::{FileHandle, OpenMode};
#[cfg(feature = "host")]
pub use host::{HostFiles, HostRequest};
pub use options::VfsOptions;
pub use relative::{check_component, check_relative, normalize_relative};
pub use uri::Uri;
pub use validation::{Content, Stamp};

#[cfg(not(any(feature = "s3", feature = "azure", feature = "gcs", feature = "web")))]
use no_cloud as cloud;
use prefetch::CoalescingPolicy;
use read_log::ReadLog;
use shared_state::SharedState;

use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::limits::storage::{LOCAL_READ_BYTES, REMOTE_READ_BYTES};
use tiledb_core::pool::{CancelToken, Pools};
use tiledb_core::sort;
use tiledb_core::stats::{Counter, Stats};

/// Cost of removing a local directory in the scheduler's unit, bytes.
const DIR_REMOVAL_WORK: usize = 8 << 10;

/// The file systems of a context. A clone increments a reference count.
#[derive(Clone)]
pub struct Vfs(Arc<VfsInner>);

struct VfsInner {
    local: local::Local,
    object_stores: cloud::ObjectStores,
    pools: Pools,
    min_parallel_size: u64,
    coalescing: CoalescingPolicy,
    reads: Option<Arc<ReadLog>>,
    shared: SharedState,
}

impl Vfs {
    /// The files whose bytes the host program supplies.
    #[cfg(feature = "host")]
    pub fn host_files(&self) -> &HostFiles {
        &self.0.shared.host.files
    }

    /// The statistics of the context, which count reads and writes.
    pub fn stats(&self) -> &Stats {
        &self.0.shared.stats
    }

    /// Whether this build supports URIs of `scheme`.
    pub fn supports(scheme: &str) -> bool {
        matches!(scheme, "file" | "mem")
            || (cfg!(feature = "host") && matches!(scheme, "http" | "https"))
            || cloud::supports(scheme)
    }

    fn backend(&self, uri: &Uri) -> Result<&dyn Backend> {
        match uri.scheme() {
            "file" => Ok(&self.0.local),
            "mem" => Ok(&*self.0.shared.mem),
            #[cfg(feature = "host")]
            "http" | "https" => Ok(&self.0.shared.host),
            scheme => self.0.object_stores.backend(scheme)?.ok_or_else(|| unsupported(scheme, uri)),
        }
    }

    /// Whether `uri` is on remote storage: each access is a request with network latency.
    ///
    /// # Errors
    /// For a URI of no storage.
    pub fn is_remote(&self, uri: &Uri) -> Result<bool> {
        Ok(self.backend(uri)?.is_remote())
    }

    /// Checks URIs outside of an array or group that its files name, as [`Backend::check_links`] says.
    ///
    /// # Errors
    /// If one leads to where files of this storage may not lead.
    pub fn check_links<'a>(&self, object: &Uri, links: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.backend(object)?.check_links(object, &mut links.into_iter())
    }

    /// Whether reads of bytes of `uri` that the host program has not supplied fail with `Pending`, and are repeated.
    ///
    /// # Errors
    /// For a URI of no storage.
    pub fn is_deferred(&self, uri: &Uri) -> Result<bool> {
        Ok(self.backend(uri)?.is_deferred())
    }

    /// Prefetches ranges of files while `work` reads them, if `uri` is on remote storage: nearby ranges are coalesced
    /// into one request, and several requests run concurrently. About `room` bytes are buffered that were fetched and
    /// not yet read.
    ///
    /// # Errors
    /// Any error of the work.
    pub fn prefetch<T>(
        &self,
        uri: &Uri,
        ranges: Vec<(ReadFile, Range<u64>)>,
        room: u64,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if ranges.is_empty() || !self.is_remote(uri)? {
            return work();
        }
        let bytes = ranges.iter().map(|(_, range)| range.end - range.start).sum();
        if self.backend(uri)?.is_deferred() {
            prefetch::demand(&ranges, (&self.0.coalescing.within(room, bytes), room))?;
            return work();
        }
        prefetch::prefetch(ranges, (&self.0.coalescing.within(room, bytes), self.concurrency(uri)?, room), work)
    }

    /// Maximum number of concurrent requests to the storage of `uri`; 1 for local storage.
    ///
    /// # Errors
    /// For a URI of no storage.
    pub fn concurrency(&self, uri: &Uri) -> Result<usize> {
        Ok(self.backend(uri)?.concurrency())
    }

    /// Maximum number of bytes that files being written to the storage of `uri` buffer together, unless single parts
    /// are larger.
    ///
    /// # Errors
    /// For a URI of no storage.
    pub fn max_unsent_bytes(&self, uri: &Uri) -> Result<u64> {
        Ok(self.backend(uri)?.max_unsent_bytes())
    }

    /// The results of `task(0)` to `task(count - 1)`, each of which makes requests to the storage of `uri`:
    /// concurrently on remote storage, sequentially on local storage.
    ///
    /// # Errors
    /// The first one, after which no further task starts.
    pub fn map<T: Send + Sync>(
        &self,
        uri: &Uri,
        count: usize,
        task: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        if count == 0 {
            // Without tasks the storage need not be available.
            return Ok(Vec::new());
        }
        if self.backend(uri)?.is_deferred() {
            let mut results = Vec::with_capacity(count);
            concurrent::first_error((0..count).map(|index| task(index).map(|result| results.push(result))))?;
            return Ok(results);
        }
        match self.concurrency(uri)? {
            1 => (0..count).map(task).collect(),
            width => concurrent::map_concurrently(width, count, task),
        }
    }

    /// # Errors
    /// If the storage fails.
    pub fn stat(&self, uri: &Uri) -> Result<Stat> {
        self.backend(uri)?.stat(uri)
    }

    /// Whether `uri` is a file.
    ///
    /// # Errors
    /// As [`Vfs::stat`].
    pub fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.0.shared.stats.add(Counter::VfsIsObject, 1);
        self.backend(uri)?.is_file(uri)
    }

    /// Whether `uri` is a directory.
    ///
    /// # Errors
    /// As [`Vfs::stat`].
    pub fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.backend(uri)?.is_dir(uri)
    }

    /// Whether `uri` is a local symbolic link, also a dangling one.
    pub fn is_link(&self, uri: &Uri) -> bool {
        let Ok(Some(path)) = uri.local() else { return false };
        // A trailing slash would follow the link.
        let path: PathBuf = path.components().collect();
        std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
    }

    /// Size of a file in bytes.
    ///
    /// # Errors
    /// `NotFound` if there is no file.
    pub fn size(&self, uri: &Uri) -> Result<u64> {
        self.0.shared.stats.add(Counter::VfsFileSizes, 1);
        self.backend(uri)?.size(uri)
    }

    /// Entries of a directory, sorted by name; none if it does not exist.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        self.0.shared.stats.add(Counter::VfsLists, 1);
        let mut entries = self.backend(directory)?.list(directory)?;
        sort::by(&mut entries, |a, b| a.uri.cmp(&b.uri));
        Ok(entries)
    }

    /// Names in a directory, sorted; none if it does not exist. Sizes are not determined, which takes most of the time
    /// of [`Vfs::list`].
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn names(&self, directory: &Uri) -> Result<Vec<DirItem>> {
        let mut items = self.backend(directory)?.names(directory)?;
        items.sort_unstable();
        Ok(items)
    }

    /// As [`Vfs::names`], cached: a local directory that is unchanged by its stamp is not read again.
    ///
    /// # Errors
    /// As [`Vfs::names`].
    pub fn cached_names(&self, directory: &Uri) -> Result<Arc<Vec<DirItem>>> {
        let backend = self.backend(directory)?;
        if let Some(known) = self.0.shared.stat_cache.get(directory, || backend.stamp(directory)) {
            return Ok(known);
        }
        let (mut items, stamp) = backend.stamped_names(directory)?;
        items.sort_unstable();
        let items = Arc::new(items);
        if let Some(stamp) = stamp {
            let bytes = items.iter().map(|item| size_of::<DirItem>() + item.name.capacity()).sum();
            self.0.shared.stat_cache.insert(directory, stamp, &items, bytes);
        }
        Ok(items)
    }

    /// The value that was [cached](Vfs::cache) for a file, if the file is unchanged by its stamp.
    pub fn cached<T: Any + Send + Sync>(&self, file: &Uri) -> Option<Arc<T>> {
        let backend = self.backend(file).ok()?;
        self.0.shared.stat_cache.get(file, || backend.stamp(file))
    }

    /// Caches a value derived from a file with this [validator](ReadFile::validator), until the file changes; `bytes`
    /// is its approximate size.
    pub fn cache<T: Any + Send + Sync>(&self, uri: &Uri, validator: Option<Stamp>, made: &Arc<T>, bytes: usize) {
        if let Some(stamp) = validator {
            self.0.shared.stat_cache.insert(uri, stamp, made, bytes);
        }
    }

    /// All entries below a directory; each directory precedes its contents.
    ///
    /// # Errors
    /// `NotFound` where the directory does not exist.
    pub fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        self.backend(directory)?.list_recursive(directory)
    }

    /// Total size of all files below a directory.
    ///
    /// # Errors
    /// If `directory` is not one.
    pub fn dir_size(&self, directory: &Uri) -> Result<u64> {
        // In an object store a directory exists if it has entries.
        let is_remote = self.is_remote(directory)?;
        let is_there = is_remote || self.is_dir(directory)?;
        let entries = if is_there { self.list_recursive(directory)? } else { Vec::new() };
        if !is_there || is_remote && entries.is_empty() {
            bail!("VFS: Cannot get directory size; Input '{directory}' is not a directory");
        }
        Ok(entries.iter().filter(|entry| !entry.is_dir).fold(0, |sum: u64, entry| sum.saturating_add(entry.size)))
    }

    /// Opens a file for positional reads.
    ///
    /// # Errors
    /// `NotFound` if there is no file.
    pub fn open(&self, uri: &Uri) -> Result<ReadFile> {
        Ok(self.backend(uri)?.open(uri)?.counted(&self.0.shared.stats).logged(self.0.reads.as_ref(), uri))
    }

    /// Opens a file whose contents are cached, under its [validator](ReadFile::validator).
    ///
    /// # Errors
    /// As [`Vfs::open`].
    pub fn open_to_cache(&self, uri: &Uri, content: Content) -> Result<ReadFile> {
        let file = self.backend(uri)?.open_to_cache(uri, content)?;
        Ok(file.counted(&self.0.shared.stats).logged(self.0.reads.as_ref(), uri))
    }

    /// As [`Vfs::open_to_cache`], for one of many files that stay open for long: beyond a limit of descriptors it is
    /// reopened for each read. If `size` is known, remote storage makes no request.
    ///
    /// # Errors
    /// As [`Vfs::open`]; reads give them too.
    pub fn open_persistent(&self, uri: &Uri, size: Option<u64>, content: Content) -> Result<ReadFile> {
        Ok(self
            .backend(uri)?
            .open_persistent(uri, size, content)?
            .counted(&self.0.shared.stats)
            .logged(self.0.reads.as_ref(), uri))
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// As [`Vfs::open`]; `OutOfMemory` for a file larger than memory.
    pub fn read(&self, uri: &Uri) -> Result<Vec<u8>> {
        self.open(uri)?.read_all()
    }

    /// Fills each of `parts` from its offset of the file, in parallel if they are large.
    ///
    /// # Errors
    /// As [`ReadFile::read_at`].
    pub fn read_many(&self, file: &ReadFile, parts: &mut [(u64, &mut [u8])], cancel: &CancelToken) -> Result<()> {
        file.demand(parts.iter().map(|(offset, part)| *offset..offset.saturating_add(part.len() as u64)))?;
        let total = parts.iter().fold(0usize, |sum, (_, part)| sum.saturating_add(part.len()));
        if (total as u64) < self.0.min_parallel_size {
            return parts.iter_mut().try_for_each(|(offset, part)| file.read_at(*offset, part));
        }
        let size = if file.concurrency() > 1 { REMOTE_READ_BYTES } else { LOCAL_READ_BYTES }.count();
        let mut pieces: Vec<(u64, &mut [u8])> = Vec::new();
        for (offset, part) in parts {
            let starts = (*offset..).step_by(size);
            pieces.extend(starts.zip(part.chunks_mut(size)));
        }
        if file.concurrency() > 1 {
            let pieces: Vec<Mutex<(u64, &mut [u8])>> = pieces.into_iter().map(Mutex::new).collect();
            return concurrent::for_each_concurrently(file.concurrency(), pieces.len(), |index| {
                let (offset, piece) = &mut *pieces[index].lock().unwrap_or_else(PoisonError::into_inner);
                file.read_at(*offset, piece)
            });
        }
        self.0.pools.for_each_mut(&mut pieces, total, cancel, |_, (offset, piece)| file.read_at(*offset, piece))
    }

    /// Fills `out` from `offset` of the file, in parallel if it is large.
    ///
    /// # Errors
    /// As [`ReadFile::read_at`].
    pub fn read_parallel(&self, file: &ReadFile, offset: u64, out: &mut [u8]) -> Result<()> {
        self.read_many(file, &mut [(offset, out)], &CancelToken::default())
    }

    /// Creates or replaces a file; parent directories are created.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn create(&self, uri: &Uri) -> Result<WriteFile> {
        Ok(WriteFile::new(self.backend(uri)?.create(uri)?).counted(&self.0.shared.stats))
    }

    /// Fails if the storage cannot append.
    ///
    /// # Errors
    /// `Unsupported`, in the words of libtiledb.
    pub(super) fn check_append(&self, uri: &Uri) -> Result<()> {
        if !self.backend(uri)?.appends() {
            bail!(Unsupported, "VFS: Cannot open file '{uri}'; object stores do not support append mode");
        }
        Ok(())
    }

    /// Opens a file for appending, or creates it; other readers may see it before it is finished.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(super) fn append_or_create(&self, uri: &Uri) -> Result<WriteFile> {
        if self.backend(uri)?.appends() { self.append(uri) } else { self.create(uri) }
    }

    /// Opens a file for appending; a missing one is created.
    ///
    /// # Errors
    /// If a storage operation fails, or the storage cannot append.
    pub fn append(&self, uri: &Uri) -> Result<WriteFile> {
        Ok(WriteFile::new(self.backend(uri)?.append(uri)?).counted(&self.0.shared.stats))
    }

    /// Resumes a write that [`WriteFile::suspend`] suspended.
    ///
    /// # Errors
    /// If it is not as it was then, or a storage operation fails.
    pub fn resume(&self, uri: &Uri, draft: &SuspendedFile) -> Result<WriteFile> {
        Ok(WriteFile::new(self.backend(uri)?.resume(uri, draft)?).resumed_at(draft.size).counted(&self.0.shared.stats))
    }

    /// Writes a whole file durably; parent directories are created. On most storage the file appears atomically.
    ///
    /// # Errors
    /// If a storage operation fails; nothing is left then.
    pub fn put(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        file::count_write(&self.0.shared.stats, bytes.len());
        self.backend(uri)?.put(uri, bytes)
    }

    /// As [`Vfs::put`], for a file that no reader opens before it is complete, so that it need not appear atomically.
    ///
    /// # Errors
    /// As [`Vfs::put`].
    pub fn put_unseen(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        file::count_write(&self.0.shared.stats, bytes.len());
        self.backend(uri)?.put_unseen(uri, bytes)
    }

    /// Creates an empty file; an existing one is left unchanged.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn touch(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.touch(uri)
    }

    /// Creates an empty file with a unique name, durably; parent directories are created.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn mark(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.mark(uri)
    }

    /// The index of the first of the `candidates` that exists in a directory; each comes with whether it must be a
    /// directory.
    ///
    /// # Errors
    /// As [`Vfs::stat`].
    pub fn first_of(&self, directory: &Uri, candidates: &[(&str, bool)]) -> Result<Option<usize>> {
        self.backend(directory)?.first_of(directory, candidates)
    }

    /// Opens a directory for many lookups; `None` if that is no faster than [`Vfs::first_of`], or fails.
    pub fn open_dir(&self, uri: &Uri) -> Option<Box<dyn DirHandle>> {
        self.backend(uri).ok()?.open_dir(uri)
    }

    /// Creates a directory whose parent exists. True if it is certainly new; otherwise it may not have been created.
    ///
    /// # Errors
    /// If the storage fails afterwards.
    pub fn make_dir(&self, uri: &Uri) -> Result<bool> {
        self.backend(uri)?.make_dir(uri)
    }

    /// Creates a directory and its parents, if they do not exist.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.create_dir(uri)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// `NotFound` if there is none.
    pub fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.remove_file(uri)
    }

    /// Removes files of one storage; missing ones are ignored.
    ///
    /// # Errors
    /// If a storage operation fails; some files may have been removed by then.
    pub fn remove_files(&self, uris: &[Uri]) -> Result<()> {
        uris.first().map_or(Ok(()), |first| self.backend(first)?.remove_files(uris))
    }

    /// Removes directories of one storage recursively, one group after the other; missing ones are ignored.
    ///
    /// # Errors
    /// If a storage operation fails; some files may have been removed by then.
    pub fn remove_dirs(&self, groups: &[&[Uri]]) -> Result<()> {
        let Some(first) = groups.iter().copied().flatten().next() else { return Ok(()) };
        let (backend, is_remote) = (self.backend(first)?, self.is_remote(first)?);
        let remove = |group: &[Uri]| {
            let one = |index: usize| backend.remove_dirs(&[std::slice::from_ref(&group[index])]);
            self.0.pools.for_each(group.len(), group.len() * DIR_REMOVAL_WORK, &CancelToken::default(), one)
        };
        if is_remote { backend.remove_dirs(groups) } else { groups.iter().copied().try_for_each(remove) }
    }

    /// Removes a directory if it is empty; a missing one is ignored.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn remove_empty_dir(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.remove_empty_dir(uri)
    }

    /// Removes a directory recursively.
    ///
    /// # Errors
    /// `NotFound` if there is none.
    pub fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.remove_dir(uri)
    }
}

#[cold]
fn unsupported(scheme: &str, uri: &Uri) -> Error {
    let name = match scheme {
        "s3" => "S3 support (feature `s3`)",
        "http" | "https" => "support for web servers (feature `web`)",
        "azure" => "Azure support (feature `azure`)",
        "gcs" | "gs" => "GCS support (feature `gcs`)",
        "tiledb" if cfg!(feature = "rest") => {
            let text = format!(
                "Cannot use '{uri}' as storage: it is on a TileDB server, which has arrays and groups but no files"
            );
            return Error::new(ErrorKind::Unsupported, text);
        }
        "tiledb" => "the client of TileDB servers (feature `rest`)",
        _ => "support for such storage",
    };
    Error::new(ErrorKind::Unsupported, format!("Cannot use '{uri}': this library was built without {name}"))
}
