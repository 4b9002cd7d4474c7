//! The shared resources of a context.

use std::any::Any;
use std::sync::Arc;

use crate::vfs::Vfs;
use tiledb_core::budget;
use tiledb_core::config::{self, Config};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::fork::PerProcess;
use tiledb_core::limits::cache::{CHUNK_CACHE_BYTES, CHUNK_CACHE_PART, SINGLE_USE_CHUNK_CACHE_BYTES};
use tiledb_core::pool::{CancelToken, ChunkCache, Pools, trim_memory};
use tiledb_core::stats::Stats;

/// Configuration, file systems, thread limits, statistics, chunk cache and cancellation token. Cloning increments a
/// reference count.
#[derive(Clone)]
pub struct Resources(Arc<ResourcesInner>);

#[derive(Clone)]
struct ResourcesInner {
    config: Config,
    /// Configuration of the context, if it differs from `config`.
    context_config: Option<Config>,
    vfs: Vfs,
    threads: Threads,
    pools: Pools,
    cancel: CancelToken,
    chunks: ChunkCache,
    /// Capacity of `chunks`.
    chunk_bytes: u64,
    /// State that a higher layer attaches to the context.
    extension: Arc<Extension>,
}

/// Lazily initialized state of a type that this layer does not know; one per process, as state does not survive a fork.
type Extension = PerProcess<Result<Arc<dyn Any + Send + Sync>>>;

/// Returns memory that is not in use to the system when it is dropped.
pub struct TrimOnDrop {
    is_on: bool,
}

impl Drop for TrimOnDrop {
    fn drop(&mut self) {
        if self.is_on {
            trim_memory();
        }
    }
}

impl Resources {
    /// Resources for a configuration. No thread is started and no storage is accessed.
    ///
    /// # Errors
    /// For values of the configuration that cannot be understood.
    pub fn new(config: Config) -> Result<Resources> {
        let current = config.for_one_call();
        let threads = Threads::of(&current)?;
        threads.check()?;
        let pools = threads.pools();
        let vfs = Vfs::new(&current, &pools)?;
        let chunk_bytes = chunk_bytes(&current)?;
        let chunks = ChunkCache::new(chunk_bytes, vfs.stats());
        let cancel = CancelToken::default();
        let extension = Arc::new(Extension::new());
        let inner = ResourcesInner {
            config,
            context_config: None,
            vfs,
            threads,
            pools,
            cancel,
            chunks,
            chunk_bytes,
            extension,
        };
        Ok(Resources(Arc::new(inner)))
    }

    /// The same context with another configuration, for an array, a query or a VFS handle that has its own; `mem://`
    /// files, statistics and the cancellation flag stay shared.
    ///
    /// # Errors
    /// As [`Resources::new`].
    pub fn with_config(&self, config: Config) -> Result<Resources> {
        let current = config.for_one_call();
        let threads = Threads::of(&current)?;
        let pools = threads.pools();
        let vfs = self.0.vfs.with_config(&current, &pools)?;
        let chunk_bytes = chunk_bytes(&current)?;
        let chunks = match chunk_bytes == self.0.chunk_bytes {
            true => self.0.chunks.clone(),
            false => ChunkCache::new(chunk_bytes, vfs.stats()),
        };
        let context_config = Some(self.context_config().clone());
        let same = ResourcesInner::clone(&self.0);
        Ok(Resources(Arc::new(ResourcesInner {
            config,
            context_config,
            vfs,
            threads,
            pools,
            chunks,
            chunk_bytes,
            ..same
        })))
    }

    /// The same context with another backend of `mem://`.
    ///
    /// # Errors
    /// As [`Resources::new`].
    #[cfg(any(test, feature = "simulation"))]
    pub fn with_memory(&self, memory: Arc<dyn crate::vfs::Backend>) -> Result<Resources> {
        let vfs = self.0.vfs.with_memory(memory, &self.0.config.for_one_call(), &self.0.pools)?;
        Ok(Resources(Arc::new(ResourcesInner { vfs, ..ResourcesInner::clone(&self.0) })))
    }

    /// The same context with its own small chunk cache, for work that reads each chunk once, or some of them in several
    /// parts one after the other.
    pub fn with_own_chunk_cache(&self) -> Resources {
        let chunks = ChunkCache::new(self.0.chunk_bytes.min(SINGLE_USE_CHUNK_CACHE_BYTES.bytes()), self.stats());
        Resources(Arc::new(ResourcesInner { chunks, ..ResourcesInner::clone(&self.0) }))
    }

    /// Returns memory that is not in use to the system when the guard is dropped, unless `sm.mem.malloc_trim` is off:
    /// after work that takes much more memory than what follows.
    pub fn trim_after(&self) -> TrimOnDrop {
        TrimOnDrop { is_on: self.config().bool("sm.mem.malloc_trim").unwrap_or(true) }
    }

    /// The same context with another cancellation flag, for a part of the work that is cancelled separately.
    pub fn with_cancel(&self, cancel: CancelToken) -> Resources {
        Resources(Arc::new(ResourcesInner { cancel, ..ResourcesInner::clone(&self.0) }))
    }

    /// Whether both are the same context with the same configuration.
    pub fn is(&self, other: &Resources) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub fn config(&self) -> &Config {
        &self.0.config
    }

    pub fn context_config(&self) -> &Config {
        self.0.context_config.as_ref().unwrap_or(&self.0.config)
    }

    pub fn vfs(&self) -> &Vfs {
        &self.0.vfs
    }

    pub fn pools(&self) -> &Pools {
        &self.0.pools
    }

    /// The configured numbers of threads; the pools treat 0 as 1.
    pub fn threads(&self) -> Threads {
        self.0.threads
    }

    pub fn stats(&self) -> &Stats {
        self.0.vfs.stats()
    }

    /// Cache of decoded chunks of open fragments.
    pub fn chunks(&self) -> &ChunkCache {
        &self.0.chunks
    }

    /// State that a higher layer attaches to the context, shared by all its configurations; initialized by `make` on
    /// first use.
    ///
    /// # Errors
    /// Those of `make`, which are memoized.
    pub fn extension<T: Any + Send + Sync>(&self, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let extension =
            self.0.extension.get_or_init(|| make().map(|made| -> Arc<dyn Any + Send + Sync> { Arc::new(made) }));
        let extension = extension.as_ref().map_err(|error| Error::new(error.kind(), error.text().to_owned()))?;
        Arc::clone(extension).downcast().map_err(|_| Error::internal("Two layers keep something with one context"))
    }

    pub fn cancel(&self) -> &CancelToken {
        &self.0.cancel
    }
}

fn chunk_bytes(config: &Config) -> Result<u64> {
    match config.get("sm.chunk_cache_size") {
        Some(_) => config.u64("sm.chunk_cache_size"),
        // An invalid budget is reported by the queries that use it.
        None => {
            let most = CHUNK_CACHE_BYTES.bytes();
            Ok(budget::total(config).map_or(most, |budget| most.min(budget / CHUNK_CACHE_PART.bytes())))
        }
    }
}

/// Threads per core from which a configuration is rejected.
const TOO_MANY_THREADS: u64 = 256;

/// The configured numbers of threads.
#[derive(Clone, Copy)]
pub struct Threads {
    pub compute: u64,
    /// For reading and writing files.
    pub io: u64,
}

impl Threads {
    fn of(config: &Config) -> Result<Threads> {
        let (compute, io) = (config.u64("sm.compute_concurrency_level")?, config.u64("sm.io_concurrency_level")?);
        Ok(Threads { compute, io })
    }

    /// Rejects numbers of threads that no machine can use, as libtiledb does.
    fn check(self) -> Result<()> {
        let most = TOO_MANY_THREADS.saturating_mul(config::hardware_threads() as u64);
        match [self.compute, self.io].into_iter().find(|threads| *threads >= most) {
            None => Ok(()),
            Some(threads) => bail!(
                "ThreadPool: Error initializing thread pool of concurrency level {threads}; Requested size too large"
            ),
        }
    }

    /// Rejects operations for which libtiledb needs compute threads if there are none; this engine would run them on
    /// the calling thread.
    ///
    /// # Errors
    /// Without threads for computing.
    pub fn check_computing(self) -> Result<()> {
        if self.compute == 0 { bail!("Invalid task future") } else { Ok(()) }
    }

    /// Rejects operations for which libtiledb needs I/O threads if there are none.
    ///
    /// # Errors
    /// Without threads for files.
    pub fn check_files(self) -> Result<()> {
        if self.io == 0 { bail!("[TileDB::ThreadPool] Error: Invalid task future") } else { Ok(()) }
    }

    fn pools(self) -> Pools {
        let threads = |threads| usize::try_from(threads).unwrap_or(usize::MAX);
        Pools::new(threads(self.compute), threads(self.io))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::Uri;

    #[test]
    fn another_configuration_shares_memory_and_the_cancel_flag() {
        let resources = Resources::new(Config::new()).unwrap();
        let mut config = Config::new();
        config.set("sm.compute_concurrency_level", "3").unwrap();
        let other = resources.with_config(config).unwrap();
        let uri = Uri::parse("mem://a/b").unwrap();
        resources.vfs().put(&uri, b"1").unwrap();
        assert_eq!(other.vfs().read(&uri).unwrap(), b"1");
        resources.cancel().request();
        assert!(other.cancel().check().is_err());
        assert_eq!(other.pools().compute(), 3);
        assert!(!Resources::new(Config::new()).unwrap().vfs().is_file(&uri).unwrap());
    }

    #[test]
    fn a_value_that_is_no_number_is_refused() {
        let mut config = Config::new();
        config.set("vfs.file.posix_file_permissions", "648").unwrap();
        let error = Resources::new(config).err().unwrap();
        assert!(error.text().contains("vfs.file.posix_file_permissions"), "{error}");
    }
}
