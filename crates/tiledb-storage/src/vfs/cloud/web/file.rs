//! Positional reads of a file on a web server.
//!
//! The first response tells the version of the file; every later one must be of the same, else the read fails: bytes of
//! two versions are never mixed.

use std::sync::Arc;

use super::super::read_cache::{ReadAheadCache, ReadCache};
use super::super::store::InitialRead;
use super::client::{FilePart, WebClient};
use super::version::FileVersion;
use crate::vfs::range_cache::RangeCache;
use crate::vfs::{ReadAt, Uri};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::fork::Lock;
use tiledb_core::memory;

/// An open file of a known size.
pub(super) struct WebFile {
    client: Arc<WebClient>,
    uri: Uri,
    len: u64,
    version: Lock<Arc<FileVersion>>,
    cache: ReadCache,
}

impl WebFile {
    /// A file of `len` bytes, as the caller says, of a version of which something may be known; no request is made.
    pub(super) fn new(
        client: &Arc<WebClient>,
        uri: &Uri,
        len: u64,
        version: FileVersion,
        cache: &Arc<ReadAheadCache>,
    ) -> WebFile {
        let version = Lock::new(Arc::new(version), Arc::default);
        WebFile { client: Arc::clone(client), uri: uri.clone(), len, version, cache: ReadCache::new(cache) }
    }

    /// A file of which a part has been read. A whole file of a server that sends no ranges may be large, and goes to the
    /// cache that all files share.
    pub(super) fn with_part(
        client: &Arc<WebClient>,
        uri: &Uri,
        part: FilePart,
        cache: &Arc<ReadAheadCache>,
    ) -> WebFile {
        let FilePart { start, bytes, version } = part;
        let size = version.size.unwrap_or_default();
        let mut file = WebFile::new(client, uri, size, version, cache);
        if bytes.len() > client.options.read_ahead_bytes {
            file.cache.insert(start, bytes);
        } else {
            file.cache = ReadCache::with_initial(cache, InitialRead { size, start, bytes });
        }
        file
    }

    /// Reads from the server.
    fn fetch(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let known = Arc::clone(&self.version.lock());
        let (version, whole) = self.client.fill(&self.uri, offset, out, &known)?;
        self.confirm(&version)?;
        if let Some(bytes) = whole {
            self.cache.insert(0, bytes);
        }
        Ok(())
    }

    /// Compares the version of a response with those of others, which may have arrived meanwhile.
    fn confirm(&self, version: &FileVersion) -> Result<()> {
        loop {
            let known = Arc::clone(&self.version.lock());
            if known.differs_from(version) {
                let text = format!("HTTP: Cannot read '{}'; the file has changed since it was opened", self.uri);
                return Err(Error::new(ErrorKind::Io, text));
            }
            // Nothing is allocated while the lock is held.
            let completed = Arc::new(known.completed_by(version));
            let mut current = self.version.lock();
            if Arc::ptr_eq(&current, &known) {
                let replaced = std::mem::replace(&mut *current, completed);
                drop(current);
                drop(replaced);
                return Ok(());
            }
        }
    }
}

impl ReadAt for WebFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.len) {
            bail!(Io, "Cannot read {bytes} bytes at {offset} of '{}'; it has {} bytes", self.uri, self.len);
        }
        Ok(())
    }

    fn is_in_memory(&self) -> bool {
        self.cache.is_whole(self.len)
    }

    fn concurrency(&self) -> usize {
        self.client.options.max_parallel_requests
    }

    fn prefetched(&self) -> Option<&RangeCache> {
        Some(self.cache.prefetched())
    }

    fn read_uncached(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        if out.is_empty() { Ok(()) } else { self.fetch(offset, out) }
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        if out.is_empty() || self.cache.read(offset, out, &|at, out| self.read_uncached(at, out))? {
            return Ok(());
        }
        let left = usize::try_from(self.len - offset).unwrap_or(usize::MAX);
        let size = self.cache.fetch_size(offset, self.client.options.read_ahead_bytes).min(left);
        if out.len() >= size {
            return self.fetch(offset, out);
        }
        let mut bytes = memory::zeroed("what is read ahead", size)?;
        self.fetch(offset, &mut bytes)?;
        out.copy_from_slice(bytes.get(..out.len()).ok_or_else(|| Error::internal("a short read"))?);
        self.cache.insert(offset, bytes);
        Ok(())
    }
}
