//! An object that is read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{Glimpse, Place, Store};
use crate::error::{Error, Result, bail, try_zeroed};
use crate::vfs::ReadAt;

/// Pieces of an object that are kept for small reads: as many threads may go through it at the same time.
const KEPT: usize = 4;

/// The longest piece that is fetched for small reads.
const LONGEST: usize = 1 << 20;

/// An object of a known size. Small reads fetch more than they ask for, which serves those that follow; where they go on
/// from one piece to the next, pieces become longer.
pub(super) struct ObjectFile<S> {
    store: Arc<S>,
    place: Place,
    len: u64,
    /// What was fetched, the latest last.
    kept: Mutex<Vec<Piece>>,
}

#[derive(Clone)]
struct Piece {
    start: u64,
    bytes: Arc<Vec<u8>>,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    fn part(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(len)?)
    }
}

impl<S: Store> ObjectFile<S> {
    /// An object that is said to have `len` bytes. Nothing is asked.
    pub(super) fn new(store: Arc<S>, place: Place, len: u64) -> ObjectFile<S> {
        ObjectFile { store, place, len, kept: Mutex::default() }
    }

    /// An object, with what came along when its size was asked for.
    pub(super) fn with_glimpse(store: Arc<S>, place: Place, glimpse: Glimpse) -> ObjectFile<S> {
        let Glimpse { size, start, bytes } = glimpse;
        let piece = Piece { start, bytes: Arc::new(bytes) };
        ObjectFile { store, place, len: size, kept: Mutex::new(vec![piece]) }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Piece>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a read from what was fetched before.
    fn serve(&self, offset: u64, out: &mut [u8]) -> bool {
        let found = self.kept().iter().rev().find(|piece| piece.part(offset, out.len()).is_some()).cloned();
        let Some(part) = found.as_ref().and_then(|piece| piece.part(offset, out.len())) else { return false };
        out.copy_from_slice(part);
        true
    }

    /// The bytes to fetch for a small read: more than before where it goes on behind a piece.
    fn piece_size(&self, offset: u64) -> usize {
        let usual = self.store.limits().read_ahead;
        let before = self.kept().iter().find(|piece| offset > piece.start && offset <= piece.end()).cloned();
        before.map_or(usual, |piece| piece.bytes.len().saturating_mul(2).min(LONGEST).max(usual))
    }

    fn keep(&self, piece: Piece) {
        let mut kept = self.kept();
        let dropped = if kept.len() < KEPT { None } else { Some(kept.remove(0)) };
        kept.push(piece);
        drop(kept);
        drop(dropped);
    }
}

impl<S: Store> ReadAt for ObjectFile<S> {
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
        self.kept().iter().any(|piece| piece.bytes.len() as u64 == self.len)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        if out.is_empty() || self.serve(offset, out) {
            return Ok(());
        }
        let left = usize::try_from(self.len - offset).unwrap_or(usize::MAX);
        let size = self.piece_size(offset).min(left);
        if out.len() >= size {
            return self.store.get(&self.place, offset, out);
        }
        let mut bytes = try_zeroed("what is read ahead", size)?;
        self.store.get(&self.place, offset, &mut bytes)?;
        out.copy_from_slice(bytes.get(..out.len()).ok_or_else(|| Error::internal("a short read"))?);
        self.keep(Piece { start: offset, bytes: Arc::new(bytes) });
        Ok(())
    }
}
