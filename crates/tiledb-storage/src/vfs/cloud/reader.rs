//! An object that is read.

use std::sync::Arc;

use super::read_ahead::{Piece, ReadAhead};
use super::store::{Glimpse, Place, Store};
use crate::vfs::ReadAt;
use crate::vfs::range_cache::RangeCache;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;

/// The longest piece that is fetched for small reads.
const LONGEST: usize = 1 << 20;

/// An object of a known size. Small reads fetch more than they ask for, which serves those that follow; where they go on
/// from one piece to the next, pieces become longer.
pub(super) struct ObjectFile {
    store: Arc<dyn Store>,
    place: Place,
    len: u64,
    /// What came along when it was opened.
    first: Option<Piece>,
    /// What small reads fetched, and the number of this object there.
    kept: (Arc<ReadAhead>, u64),
    known: RangeCache,
}

impl ObjectFile {
    /// An object that is said to have `len` bytes. Nothing is asked.
    pub(super) fn new(store: Arc<dyn Store>, place: Place, len: u64, kept: &Arc<ReadAhead>) -> ObjectFile {
        ObjectFile {
            store,
            place,
            len,
            first: None,
            kept: (Arc::clone(kept), kept.number()),
            known: RangeCache::default(),
        }
    }

    /// An object, with what came along when its size was asked for.
    pub(super) fn with_glimpse(
        store: Arc<dyn Store>,
        place: Place,
        glimpse: Glimpse,
        kept: &Arc<ReadAhead>,
    ) -> ObjectFile {
        let Glimpse { size, start, bytes } = glimpse;
        let mut file = ObjectFile::new(store, place, size, kept);
        file.first = Some(Piece { start, bytes: Arc::new(bytes) });
        file
    }

    /// Answers a read from what was fetched before.
    fn serve(&self, offset: u64, out: &mut [u8]) -> bool {
        let first = self.first.as_ref().filter(|first| first.part(offset, out.len()).is_some()).cloned();
        let found = first.or_else(|| self.kept.0.find(self.kept.1, offset, out.len()));
        let Some(part) = found.as_ref().and_then(|piece| piece.part(offset, out.len())) else { return false };
        out.copy_from_slice(part);
        true
    }

    /// The bytes to fetch for a small read: more than before where it goes on behind a piece.
    fn piece_size(&self, offset: u64) -> usize {
        let usual = self.store.limits().read_ahead;
        let before = self.kept.0.length_before(self.kept.1, offset);
        before.map_or(usual, |length| length.saturating_mul(2).min(LONGEST).max(usual))
    }
}

impl Drop for ObjectFile {
    fn drop(&mut self) {
        self.kept.0.forget(self.kept.1);
    }
}

impl ReadAt for ObjectFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.len) {
            let Place { bucket, key } = &self.place;
            bail!(Io, "Cannot read {bytes} bytes at {offset} of '{bucket}/{key}'; it has {} bytes", self.len);
        }
        Ok(())
    }

    fn is_held(&self) -> bool {
        self.first.as_ref().is_some_and(|first| first.bytes.len() as u64 == self.len)
    }

    fn width(&self) -> usize {
        self.store.limits().at_once
    }

    fn known(&self) -> Option<&RangeCache> {
        Some(&self.known)
    }

    fn get(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        self.store.get(&self.place, offset, out)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        if out.is_empty() {
            return Ok(());
        }
        let is_hit = self.serve(offset, out) || self.known.read(offset, out, &|at, out| self.get(at, out))?;
        self.kept.0.count(is_hit);
        if is_hit {
            return Ok(());
        }
        let left = usize::try_from(self.len - offset).unwrap_or(usize::MAX);
        let size = self.piece_size(offset).min(left);
        if out.len() >= size {
            return self.store.get(&self.place, offset, out);
        }
        let mut bytes = memory::zeroed("what is read ahead", size)?;
        self.store.get(&self.place, offset, &mut bytes)?;
        out.copy_from_slice(bytes.get(..out.len()).ok_or_else(|| Error::internal("a short read"))?);
        self.kept.0.keep(self.kept.1, Piece { start: offset, bytes: Arc::new(bytes) });
        Ok(())
    }
}
