//! Positional reads of an object.

use std::sync::Arc;

use super::read_cache::{ReadAheadCache, ReadCache};
use super::store::{InitialRead, ObjectLocation, ObjectStore};
use crate::vfs::ReadAt;
use crate::vfs::range_cache::RangeCache;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;

/// An open object of a known size.
pub(super) struct ObjectFile {
    store: Arc<dyn ObjectStore>,
    location: ObjectLocation,
    len: u64,
    cache: ReadCache,
}

impl ObjectFile {
    /// An object of `len` bytes, as the caller states; no request is made.
    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        location: ObjectLocation,
        len: u64,
        cache: &Arc<ReadAheadCache>,
    ) -> ObjectFile {
        ObjectFile { store, location, len, cache: ReadCache::new(cache) }
    }

    /// An object whose size was requested together with some of its bytes.
    pub(super) fn with_initial_read(
        store: Arc<dyn ObjectStore>,
        location: ObjectLocation,
        initial: InitialRead,
        cache: &Arc<ReadAheadCache>,
    ) -> ObjectFile {
        ObjectFile { store, location, len: initial.size, cache: ReadCache::with_initial(cache, initial) }
    }
}

impl ReadAt for ObjectFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.len) {
            let ObjectLocation { bucket, key } = &self.location;
            bail!(Io, "Cannot read {bytes} bytes at {offset} of '{bucket}/{key}'; it has {} bytes", self.len);
        }
        Ok(())
    }

    fn is_in_memory(&self) -> bool {
        self.cache.is_whole(self.len)
    }

    fn concurrency(&self) -> usize {
        self.store.limits().at_once
    }

    fn prefetched(&self) -> Option<&RangeCache> {
        Some(self.cache.prefetched())
    }

    fn read_uncached(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        self.store.get(&self.location, offset, out)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        if out.is_empty() {
            return Ok(());
        }
        if self.cache.read(offset, out, &|at, out| self.read_uncached(at, out))? {
            return Ok(());
        }
        let left = usize::try_from(self.len - offset).unwrap_or(usize::MAX);
        let size = self.cache.fetch_size(offset, self.store.limits().read_ahead).min(left);
        if out.len() >= size {
            return self.store.get(&self.location, offset, out);
        }
        let mut bytes = memory::zeroed("what is read ahead", size)?;
        self.store.get(&self.location, offset, &mut bytes)?;
        out.copy_from_slice(bytes.get(..out.len()).ok_or_else(|| Error::internal("a short read"))?);
        self.cache.insert(offset, bytes);
        Ok(())
    }
}
