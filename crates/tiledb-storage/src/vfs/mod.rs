//! Virtual file systems: names, files and directories on whatever storage a URI names.
//!
//! The engine asks little of storage, so that object stores can give it: list with sizes, read
//! ranges, write a file once from front to end, remove. What else is here (move, copy, append)
//! serves users of the C interface.

mod backend;
mod buckets;
#[cfg(any(feature = "s3", feature = "azure", feature = "gcs"))]
mod cloud;
mod concurrent;
#[cfg(test)]
mod conformance;
mod file;
mod handle;
mod mem;
#[cfg(not(any(feature = "s3", feature = "azure", feature = "gcs")))]
mod no_cloud;
mod options;
mod posix;
mod prefetch;
#[cfg_attr(
    not(any(feature = "s3", feature = "azure", feature = "gcs")),
    allow(dead_code, reason = "only far storage is read piece by piece")
)]
mod range_cache;
mod read_log;
mod relative;
mod stat_cache;
mod transfer;
mod uri;
mod validation;

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

pub use backend::{Backend, DirEntry, DirHandle, DirItem, Stat};
pub use file::{FileSink, ReadAt, ReadFile, SuspendedFile, WriteFile};
pub use handle::{FileHandle, OpenMode};
pub use options::VfsOptions;
pub use relative::{check_component, check_relative, normalize_relative};
pub use uri::Uri;
pub use validation::{Content, Stamp};

#[cfg(not(any(feature = "s3", feature = "azure", feature = "gcs")))]
use no_cloud as cloud;
use prefetch::CoalescingPolicy;
use read_log::ReadLog;
use stat_cache::StatCache;

use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::pool::{CancelToken, Pools};
use tiledb_core::stats::{Counter, Stats};

/// What one thread reads at a time where a large read is split.
const READ_PIECE: usize = 4 << 20;
/// What removing a local directory counts as work, in bytes touched.
const DIR_WORK: usize = 8 << 10;

/// What one request reads at a time where a large read of far storage is split.
const REMOTE_PIECE: usize = 32 << 20;

/// The file systems of one context. A clone costs a counter.
#[derive(Clone)]
pub struct Vfs(Arc<Inner>);

struct Inner {
    posix: posix::Posix,
    mem: mem::Mem,
    object_stores: cloud::ObjectStores,
    pools: Pools,
    min_parallel_size: u64,
    coalescing: CoalescingPolicy,
    stats: Stats,
    reads: Option<Arc<ReadLog>>,
    stat_cache: Arc<StatCache>,
}

impl Vfs {
    /// File systems as a configuration says; the `mem://` one is new and empty.
    ///
    /// # Errors
    /// For values of the configuration that cannot be understood.
    pub fn new(config: &Config, pools: &Pools) -> Result<Vfs> {
        Vfs::with_options(&VfsOptions::from_config(config)?, pools).with_config(config, pools)
    }

    /// File systems with `options`; the `mem://` one is new and empty.
    pub fn with_options(options: &VfsOptions, pools: &Pools) -> Vfs {
        let stats = Stats::new();
        Vfs(Arc::new(Inner {
            posix: posix::Posix::new(options),
            mem: mem::Mem::default(),
            object_stores: cloud::ObjectStores::new(&Config::new(), &stats),
            pools: *pools,
            min_parallel_size: options.min_parallel_size,
            coalescing: CoalescingPolicy::default(),
            stat_cache: Arc::new(StatCache::new(&stats)),
            stats,
            reads: None,
        }))
    }

    /// The same file systems with other options: what is in memory and the statistics stay shared.
    ///
    /// # Errors
    /// As [`Vfs::new`].
    pub fn with_config(&self, config: &Config, pools: &Pools) -> Result<Vfs> {
        self.with_config_and_memory(self.0.mem.clone(), config, pools)
    }

    /// File systems with a `mem://` of their own, which count where these do.
    ///
    /// # Errors
    /// As [`Vfs::new`].
    pub fn with_own_memory(&self, config: &Config, pools: &Pools) -> Result<Vfs> {
        self.with_config_and_memory(mem::Mem::default(), config, pools)
    }

    fn with_config_and_memory(&self, mem: mem::Mem, config: &Config, pools: &Pools) -> Result<Vfs> {
        let options = VfsOptions::from_config(config)?;
        Ok(Vfs(Arc::new(Inner {
            posix: posix::Posix::new(&options),
            mem,
            object_stores: cloud::ObjectStores::new(config, &self.0.stats),
            pools: *pools,
            min_parallel_size: options.min_parallel_size,
            coalescing: CoalescingPolicy::new(config)?,
            stats: self.0.stats.clone(),
            reads: ReadLog::new(config),
            stat_cache: Arc::clone(&self.0.stat_cache),
        })))
    }

    /// The statistics of the context, where what is read and written is counted.
    pub fn stats(&self) -> &Stats {
        &self.0.stats
    }

    /// Whether URIs of `scheme` can be used in this build.
    pub fn supports(scheme: &str) -> bool {
        matches!(scheme, "file" | "mem") || cloud::supports(scheme)
    }

    fn backend(&self, uri: &Uri) -> Result<&dyn Backend> {
        match uri.scheme() {
            "file" => Ok(&self.0.posix),
            "mem" => Ok(&self.0.mem),
            scheme => self.0.object_stores.backend(scheme)?.ok_or_else(|| unsupported(scheme, uri)),
        }
    }

    /// Whether each look at the storage of `uri` is a request that has to be waited for.
    ///
    /// # Errors
    /// For a URI of no storage.
    pub fn is_remote(&self, uri: &Uri) -> Result<bool> {
        Ok(self.backend(uri)?.is_remote())
    }

    /// Does some work that reads these ranges of files of the storage of `uri`. Where that is far they are fetched before the
    /// work asks for them, many with one request and several requests at once; about `room` bytes are held that were fetched
    /// and not yet read.
    ///
    /// # Errors
    /// What the work gives.
    pub fn prefetch<T>(
        &self,
        uri: &Uri,
        wanted: Vec<(ReadFile, Range<u64>)>,
        room: u64,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if wanted.is_empty() || !self.is_remote(uri)? {
            return work();
        }
        let bytes = wanted.iter().map(|(_, range)| range.end - range.start).sum();
        prefetch::prefetch(wanted, (&self.0.coalescing.within(room, bytes), self.width(uri)?, room), work)
    }

    /// How many requests to the storage of `uri` are under way at a time; 1 where it is at hand.
    ///
    /// # Errors
    /// For a URI of no storage.
    pub fn width(&self, uri: &Uri) -> Result<usize> {
        Ok(self.backend(uri)?.width())
    }

    /// The most bytes that files of the storage of `uri` hold which were written and not yet sent, as far as a part of each
    /// file is not more.
    ///
    /// # Errors
    /// For a URI of no storage.
    pub fn max_unsent_bytes(&self, uri: &Uri) -> Result<u64> {
        Ok(self.backend(uri)?.max_unsent_bytes())
    }

    /// Gives what `task(0)` to `task(count - 1)` make, each of which asks the storage of `uri`: one after the other where that
    /// is at hand, as many at a time as it takes where it is far.
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
            // No storage is asked, so that none need be there.
            return Ok(Vec::new());
        }
        match self.width(uri)? {
            1 => (0..count).map(task).collect(),
            width => concurrent::map_concurrently(width, count, task),
        }
    }

    /// What is at `uri`: a file and its size, a directory, or nothing.
    ///
    /// # Errors
    /// Where the storage cannot tell.
    pub fn stat(&self, uri: &Uri) -> Result<Stat> {
        self.backend(uri)?.stat(uri)
    }

    /// Whether `uri` is a file.
    ///
    /// # Errors
    /// As [`Vfs::stat`].
    pub fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.0.stats.add(Counter::VfsIsObject, 1);
        self.backend(uri)?.is_file(uri)
    }

    /// Whether `uri` is a directory.
    ///
    /// # Errors
    /// As [`Vfs::stat`].
    pub fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.backend(uri)?.is_dir(uri)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// `NotFound` where there is no file.
    pub fn size(&self, uri: &Uri) -> Result<u64> {
        self.0.stats.add(Counter::VfsFileSizes, 1);
        self.backend(uri)?.size(uri)
    }

    /// What is directly in a directory, sorted by name; nothing in one that does not exist.
    ///
    /// # Errors
    /// Where the storage refuses.
    pub fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        self.0.stats.add(Counter::VfsLists, 1);
        let mut entries = self.backend(directory)?.list(directory)?;
        entries.sort_unstable_by(|a, b| a.uri.cmp(&b.uri));
        Ok(entries)
    }

    /// The names directly in a directory, sorted; none in one that does not exist. No sizes are looked up,
    /// which takes most of the time of [`Vfs::list`].
    ///
    /// # Errors
    /// Where the storage refuses.
    pub fn names(&self, directory: &Uri) -> Result<Vec<DirItem>> {
        let mut items = self.backend(directory)?.names(directory)?;
        items.sort_unstable();
        Ok(items)
    }

    /// As [`Vfs::names`], of a directory that is looked at often: where the storage tells that nothing was changed in it since
    /// the last time, it is not read.
    ///
    /// # Errors
    /// As [`Vfs::names`].
    pub fn cached_names(&self, directory: &Uri) -> Result<Arc<Vec<DirItem>>> {
        let backend = self.backend(directory)?;
        if let Some(known) = self.0.stat_cache.get(directory, || backend.stamp(directory)) {
            return Ok(known);
        }
        let (mut items, stamp) = backend.stamped_names(directory)?;
        items.sort_unstable();
        let items = Arc::new(items);
        if let Some(stamp) = stamp {
            let bytes = items.iter().map(|item| size_of::<DirItem>() + item.name.capacity()).sum();
            self.0.stat_cache.keep(directory, stamp, &items, bytes);
        }
        Ok(items)
    }

    /// What was made of a file, and [kept](Vfs::cache), if the storage tells that the file is as it was then.
    pub fn cached<T: Any + Send + Sync>(&self, file: &Uri) -> Option<Arc<T>> {
        let backend = self.backend(file).ok()?;
        self.0.stat_cache.get(file, || backend.stamp(file))
    }

    /// Keeps what was made of a file with this [validator](ReadFile::validator), which takes so many bytes, for whoever asks for
    /// it before the file is changed.
    pub fn cache<T: Any + Send + Sync>(&self, uri: &Uri, validator: Option<Stamp>, made: &Arc<T>, bytes: usize) {
        if let Some(stamp) = validator {
            self.0.stat_cache.keep(uri, stamp, made, bytes);
        }
    }

    /// Everything below a directory, each directory before what it holds.
    ///
    /// # Errors
    /// `NotFound` where the directory does not exist.
    pub fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        self.backend(directory)?.list_recursive(directory)
    }

    /// The bytes of all files below a directory.
    ///
    /// # Errors
    /// Where `directory` is not one.
    pub fn dir_size(&self, directory: &Uri) -> Result<u64> {
        // Where storage is far there is a directory if there is something in it.
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
    /// `NotFound` where there is no file.
    pub fn open(&self, uri: &Uri) -> Result<ReadFile> {
        Ok(self.backend(uri)?.open(uri)?.counted(&self.0.stats).logged(self.0.reads.as_ref(), uri))
    }

    /// Opens a file that something is cached of, under its [validator](ReadFile::validator).
    ///
    /// # Errors
    /// As [`Vfs::open`].
    pub fn open_to_cache(&self, uri: &Uri, content: Content) -> Result<ReadFile> {
        let file = self.backend(uri)?.open_to_cache(uri, content)?;
        Ok(file.counted(&self.0.stats).logged(self.0.reads.as_ref(), uri))
    }

    /// As [`Vfs::open_to_cache`], of one of many files that stay open for long: however many there are, the process has
    /// descriptors left. Where its size is known no storage needs to be asked for it.
    ///
    /// # Errors
    /// As [`Vfs::open`]; reads give them too.
    pub fn open_persistent(&self, uri: &Uri, size: Option<u64>, content: Content) -> Result<ReadFile> {
        Ok(self
            .backend(uri)?
            .open_persistent(uri, size, content)?
            .counted(&self.0.stats)
            .logged(self.0.reads.as_ref(), uri))
    }

    /// A whole file, with one open.
    ///
    /// # Errors
    /// As [`Vfs::open`]; `OutOfMemory` for a file larger than memory.
    pub fn read(&self, uri: &Uri) -> Result<Vec<u8>> {
        self.open(uri)?.read_all()
    }

    /// Fills each of `parts` from its offset of the file, on several threads where much is wanted.
    ///
    /// # Errors
    /// As [`ReadFile::read_at`].
    pub fn read_many(&self, file: &ReadFile, parts: &mut [(u64, &mut [u8])], cancel: &CancelToken) -> Result<()> {
        let total = parts.iter().fold(0usize, |sum, (_, part)| sum.saturating_add(part.len()));
        if (total as u64) < self.0.min_parallel_size {
            return parts.iter_mut().try_for_each(|(offset, part)| file.read_at(*offset, part));
        }
        let size = if file.width() > 1 { REMOTE_PIECE } else { READ_PIECE };
        let mut pieces: Vec<(u64, &mut [u8])> = Vec::new();
        for (offset, part) in parts {
            let starts = (*offset..).step_by(size);
            pieces.extend(starts.zip(part.chunks_mut(size)));
        }
        if file.width() > 1 {
            let pieces: Vec<Mutex<(u64, &mut [u8])>> = pieces.into_iter().map(Mutex::new).collect();
            return concurrent::for_each_concurrently(file.width(), pieces.len(), |index| {
                let (offset, piece) = &mut *pieces[index].lock().unwrap_or_else(PoisonError::into_inner);
                file.read_at(*offset, piece)
            });
        }
        self.0.pools.for_each_mut(&mut pieces, total, cancel, |_, (offset, piece)| file.read_at(*offset, piece))
    }

    /// Fills `out` from `offset` of the file, on several threads where it is large.
    ///
    /// # Errors
    /// As [`ReadFile::read_at`].
    pub fn read_parallel(&self, file: &ReadFile, offset: u64, out: &mut [u8]) -> Result<()> {
        self.read_many(file, &mut [(offset, out)], &CancelToken::default())
    }

    /// Starts a new file, replacing one of that name; parents are made.
    ///
    /// # Errors
    /// Where the storage refuses.
    pub fn create(&self, uri: &Uri) -> Result<WriteFile> {
        Ok(WriteFile::new(self.backend(uri)?.create(uri)?).counted(&self.0.stats))
    }

    /// Refuses to append where the storage cannot.
    ///
    /// # Errors
    /// `Unsupported`, in the words of libtiledb.
    pub(super) fn check_append(&self, uri: &Uri) -> Result<()> {
        if !self.backend(uri)?.appends() {
            bail!(Unsupported, "VFS: Cannot open file '{uri}'; object stores do not support append mode");
        }
        Ok(())
    }

    /// Starts or goes on with a file, bytes of which others may see before it is finished.
    ///
    /// # Errors
    /// Where the storage refuses.
    pub(super) fn append_or_create(&self, uri: &Uri) -> Result<WriteFile> {
        if self.backend(uri)?.appends() { self.append(uri) } else { self.create(uri) }
    }

    /// Opens a file to write at its end; a missing one is made.
    ///
    /// # Errors
    /// Where the storage refuses or cannot append.
    pub fn append(&self, uri: &Uri) -> Result<WriteFile> {
        Ok(WriteFile::new(self.backend(uri)?.append(uri)?).counted(&self.0.stats))
    }

    /// Goes on with a file that [`WriteFile::suspend`] handed on.
    ///
    /// # Errors
    /// If it is not as it was then, or the storage refuses.
    pub fn resume(&self, uri: &Uri, draft: &SuspendedFile) -> Result<WriteFile> {
        Ok(WriteFile::new(self.backend(uri)?.resume(uri, draft)?).begun(draft.size).counted(&self.0.stats))
    }

    /// Writes a whole file durably; parents are made. On most storage others see the file with all its
    /// bytes or not at all.
    ///
    /// # Errors
    /// Where the storage refuses; nothing is left then.
    pub fn put(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        file::count_write(&self.0.stats, bytes.len());
        self.backend(uri)?.put(uri, bytes)
    }

    /// As [`Vfs::put`], of a file that nobody looks for yet: others may see it while it is written.
    ///
    /// # Errors
    /// As [`Vfs::put`].
    pub fn put_unseen(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        file::count_write(&self.0.stats, bytes.len());
        self.backend(uri)?.put_unseen(uri, bytes)
    }

    /// Makes an empty file; one that exists is left as it is.
    ///
    /// # Errors
    /// Where the storage refuses.
    pub fn touch(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.touch(uri)
    }

    /// Makes an empty file of a name that nobody else has, durably; parents are made.
    ///
    /// # Errors
    /// Where the storage refuses.
    pub fn mark(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.mark(uri)
    }

    /// Which of these is the first that lies in a directory: names, and whether they are to be directories.
    ///
    /// # Errors
    /// As [`Vfs::stat`].
    pub fn first_of(&self, directory: &Uri, wanted: &[(&str, bool)]) -> Result<Option<usize>> {
        self.backend(directory)?.first_of(directory, wanted)
    }

    /// A folder that many names are looked for in; nothing if that is no faster than with [`Vfs::first_of`], or fails.
    pub fn open_dir(&self, uri: &Uri) -> Option<Box<dyn DirHandle>> {
        self.backend(uri).ok()?.open_dir(uri)
    }

    /// Makes a directory whose parent is there. True if it is certain that nothing had its name; otherwise nothing may have
    /// been made.
    ///
    /// # Errors
    /// Where the storage fails afterwards.
    pub fn make_dir(&self, uri: &Uri) -> Result<bool> {
        self.backend(uri)?.make_dir(uri)
    }

    /// Makes a directory and its parents; one that exists is fine.
    ///
    /// # Errors
    /// Where the storage refuses.
    pub fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.create_dir(uri)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.remove_file(uri)
    }

    /// Removes files of one storage; what is missing is no error.
    ///
    /// # Errors
    /// Where the storage refuses; some may be removed then.
    pub fn remove_files(&self, uris: &[Uri]) -> Result<()> {
        uris.first().map_or(Ok(()), |first| self.backend(first)?.remove_files(uris))
    }

    /// Removes directories of one storage with all they hold, one group after the other; what is missing is no error.
    ///
    /// # Errors
    /// Where the storage refuses; some may be removed then.
    pub fn remove_dirs(&self, groups: &[&[Uri]]) -> Result<()> {
        let Some(first) = groups.iter().copied().flatten().next() else { return Ok(()) };
        let (backend, is_remote) = (self.backend(first)?, self.is_remote(first)?);
        let remove = |group: &[Uri]| {
            let one = |index: usize| backend.remove_dirs(&[std::slice::from_ref(&group[index])]);
            self.0.pools.for_each(group.len(), group.len() * DIR_WORK, &CancelToken::default(), one)
        };
        if is_remote { backend.remove_dirs(groups) } else { groups.iter().copied().try_for_each(remove) }
    }

    /// Removes a directory if it is empty, or missing.
    ///
    /// # Errors
    /// Where the storage refuses.
    pub fn remove_empty_dir(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.remove_empty_dir(uri)
    }

    /// Removes a directory with all it holds.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.remove_dir(uri)
    }

    /// Gives up the uploads below a directory that were begun and not completed, and counts them.
    ///
    /// # Errors
    /// Where the storage refuses; some may be given up then.
    pub fn sweep_uploads(&self, directory: &Uri) -> Result<u64> {
        self.backend(directory)?.sweep_uploads(directory)
    }
}

#[cold]
fn unsupported(scheme: &str, uri: &Uri) -> Error {
    let name = match scheme {
        "s3" | "http" | "https" => "S3 support (feature `s3`)",
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
