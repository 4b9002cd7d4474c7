//! A new object, written from front to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::store::{Parts, Place, Store};
use crate::error::{Error, ErrorKind, Result};
use crate::vfs::together::map_at_once;
use crate::vfs::{Sink, Uri};

/// Parts double in size so many times, so that the most a store allows hold the largest object there may be (5 TiB of S3
/// where the first ones have 5 MiB).
const SIZES: u32 = 10;

/// How many bytes all uploads of a context hold together before they send what they can.
pub(super) struct Room {
    most: usize,
    held: AtomicUsize,
}

impl Room {
    pub(super) fn new(most: usize) -> Room {
        Room { most, held: AtomicUsize::new(0) }
    }
}

/// What was written and not yet sent.
struct Held {
    bytes: Vec<u8>,
    room: Arc<Room>,
}

impl Held {
    /// How many bytes it may have: what others leave of the room.
    fn most(&self) -> usize {
        let others = self.room.held.load(Ordering::Relaxed).saturating_sub(self.bytes.len());
        self.room.most.saturating_sub(others)
    }

    fn add(&mut self, bytes: &[u8], step: usize) -> Result<()> {
        if self.bytes.capacity() - self.bytes.len() < bytes.len() {
            // Room for a few parts more; doubling would take much that is never used.
            let more = bytes.len().max(if self.bytes.len() < step { self.bytes.len() } else { step });
            let reserved = self.bytes.try_reserve_exact(more);
            reserved.map_err(|_| Error::out_of_memory("parts of an upload", more))?;
        }
        self.bytes.extend_from_slice(bytes);
        self.room.held.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Drops the first bytes, which were sent.
    fn drop_first(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.room.held.fetch_sub(count, Ordering::Relaxed);
    }

    fn clear(&mut self) {
        self.drop_first(self.bytes.len());
        self.bytes = Vec::new();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.clear();
    }
}

/// An object that is being written. What is small goes in one request at the end, all else in parts, several of them at once.
/// After a failure nothing of it is published.
pub(super) struct Upload<S: Store> {
    store: Arc<S>,
    place: Place,
    uri: Uri,
    held: Held,
    /// What the store calls the upload, once there are parts.
    id: Option<String>,
    /// Those of the parts that were sent.
    tags: Vec<String>,
    /// Their bytes.
    sent: u64,
    failed: bool,
}

impl<S: Store> Upload<S> {
    pub(super) fn new(store: Arc<S>, place: Place, uri: &Uri, room: &Arc<Room>) -> Upload<S> {
        let held = Held { bytes: Vec::new(), room: Arc::clone(room) };
        Upload { store, place, uri: uri.clone(), held, id: None, tags: Vec::new(), sent: 0, failed: false }
    }

    /// Whether an object of so many bytes goes in one request.
    pub(super) fn goes_at_once(&self, bytes: usize) -> bool {
        let limits = self.store.limits();
        bytes <= limits.part_size || !limits.in_parts
    }

    /// Stores the whole object with one request.
    pub(super) fn put(&self, bytes: &[u8]) -> Result<()> {
        self.fits(bytes.len())?;
        self.store.put(&self.place, bytes)
    }

    /// The bytes of the part of this number, from 1 on.
    fn part_size(&self, number: u32) -> usize {
        let limits = self.store.limits();
        let doublings = number.saturating_sub(1) / (limits.most_parts / SIZES).max(1);
        limits.part_size.max(1).saturating_mul(1usize.checked_shl(doublings).unwrap_or(usize::MAX))
    }

    /// Cuts what is held into parts; the last, short one only at the end.
    fn cut(&self, all: bool) -> Vec<std::ops::Range<usize>> {
        let (mut cuts, mut start, mut number) = (Vec::new(), 0, self.tags.len() as u32);
        let (held, in_order) = (self.held.bytes.len(), self.store.limits().in_order);
        while start < held {
            number += 1;
            let size = self.part_size(number);
            // Where only one is under way it takes all there is.
            let size = match in_order {
                true if all => held - start,
                true => ((held - start) / size * size).max(size),
                false => size,
            };
            let end = start.saturating_add(size);
            if end > held && !all {
                break;
            }
            cuts.push(start..end.min(held));
            start = end;
        }
        cuts
    }

    /// Sends full parts; at the end the rest too.
    fn send(&mut self, all: bool) -> Result<()> {
        let cuts = self.cut(all);
        let (sent, limits) = (self.tags.len(), self.store.limits());
        if sent + cuts.len() > limits.most_parts as usize {
            return Err(self.too_large());
        }
        if self.id.is_none() {
            self.id = Some(self.store.begin(&self.place)?);
        }
        let id = self.id.as_deref().unwrap_or_default();
        let parts = Parts { place: &self.place, id };
        let tags = map_at_once(if limits.in_order { 1 } else { limits.at_once }, cuts.len(), |index| {
            let (number, cut) = ((sent + index + 1) as u32, cuts[index].clone());
            self.store.part(&parts, number, self.sent + cut.start as u64, &self.held.bytes[cut])
        })?;
        self.tags.extend(tags);
        let end = cuts.last().map_or(0, |cut| cut.end);
        self.held.drop_first(end);
        self.sent += end as u64;
        Ok(())
    }

    /// Refuses to hold more than may go in one request, where there are no parts.
    fn fits(&self, bytes: usize) -> Result<()> {
        let limits = self.store.limits();
        if limits.in_parts || bytes as u64 <= limits.most_whole { Ok(()) } else { Err(self.too_large()) }
    }

    #[cold]
    fn too_large(&self) -> Error {
        Error::new(ErrorKind::Unsupported, format!("'{}' is larger than an object can be", self.uri))
    }

    /// Does a step; after a failure the upload is given up.
    fn step(&mut self, step: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.failed {
            return Err(Error::new(
                ErrorKind::Io,
                format!("'{}' could not be written before; nothing is stored", self.uri),
            ));
        }
        let done = step(self);
        if done.is_err() {
            self.abandon();
        }
        done
    }
}

impl<S: Store> Sink for Upload<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.step(|upload| {
            let limits = upload.store.limits();
            upload.fits(upload.held.bytes.len().saturating_add(bytes.len()))?;
            let mut rest = bytes;
            while !rest.is_empty() {
                let size = upload.part_size(upload.tags.len() as u32 + 1);
                let room = upload.held.most().max(size);
                let space = if limits.in_parts { room.saturating_sub(upload.held.bytes.len()) } else { rest.len() };
                let (now, later) = rest.split_at(space.min(rest.len()));
                upload.held.add(now, size)?;
                rest = later;
                if limits.in_parts && upload.held.bytes.len() >= room {
                    upload.send(false)?;
                }
            }
            Ok(())
        })
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, _durable: bool) -> Result<()> {
        self.step(|upload| {
            if upload.id.is_none() && upload.goes_at_once(upload.held.bytes.len()) {
                return upload.put(&upload.held.bytes);
            }
            upload.send(true)?;
            let id = upload.id.as_deref().unwrap_or_default();
            upload.store.complete(&Parts { place: &upload.place, id }, &upload.tags, upload.sent)
        })?;
        self.held.clear();
        self.id = None;
        Ok(())
    }

    fn abandon(&mut self) {
        self.failed = true;
        self.held.clear();
        if let Some(id) = self.id.take() {
            // What stays behind is no object, and nobody is left to hear of a failure.
            _ = self.store.abort(&Parts { place: &self.place, id: &id });
        }
    }
}
