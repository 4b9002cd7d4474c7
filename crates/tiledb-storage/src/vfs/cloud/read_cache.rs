//! Read cache of an open object.
//!
//! A small read fetches more bytes than requested (read-ahead), since the next read usually continues where it ended. A
//! read is served from three sources: the bytes returned by the request that opened the object, the chunks fetched by
//! earlier small reads (one LRU cache for all objects of a context), and the ranges announced for this object by
//! [`prefetch`](crate::vfs::prefetch).

use std::collections::VecDeque;
use std::sync::Arc;

use super::store::InitialRead;
use crate::vfs::range_cache::{FetchFn, RangeCache};
use tiledb_core::error::Result;
use tiledb_core::fork::{Lock, LockGuard};
use tiledb_core::limits::storage::MAX_READ_AHEAD_BYTES;
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::sync::atomic::{AtomicU64, Ordering};

/// Contiguous bytes of an object.
#[derive(Clone)]
struct Chunk {
    start: u64,
    bytes: Arc<Vec<u8>>,
}

impl Chunk {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// The `len` bytes at `offset` of the object; `None` unless all of them are in this chunk.
    fn get(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(len)?)
    }
}

/// Everything that is cached of one open object.
pub(super) struct ReadCache {
    /// Returned by the request that opened the object.
    initial: Option<Chunk>,
    read_ahead: Arc<ReadAheadCache>,
    /// Key of this object in `read_ahead`.
    object: u64,
    prefetched: RangeCache,
}

impl ReadCache {
    pub(super) fn new(read_ahead: &Arc<ReadAheadCache>) -> ReadCache {
        let object = read_ahead.register();
        ReadCache { initial: None, read_ahead: Arc::clone(read_ahead), object, prefetched: RangeCache::default() }
    }

    pub(super) fn with_initial(read_ahead: &Arc<ReadAheadCache>, initial: InitialRead) -> ReadCache {
        let InitialRead { start, bytes, .. } = initial;
        let mut cache = ReadCache::new(read_ahead);
        cache.initial = Some(Chunk { start, bytes: Arc::new(bytes) });
        cache
    }

    /// Whether the request that opened the object returned all its `len` bytes.
    pub(super) fn is_whole(&self, len: u64) -> bool {
        self.initial.as_ref().is_some_and(|initial| initial.bytes.len() as u64 == len)
    }

    pub(super) fn prefetched(&self) -> &RangeCache {
        &self.prefetched
    }

    /// Fills `out` if the bytes are cached or being prefetched (then it waits, or fetches them with `fetch`); false on a miss.
    pub(super) fn read(&self, offset: u64, out: &mut [u8], fetch: FetchFn<'_>) -> Result<bool> {
        let is_hit = self.copy(offset, out) || self.prefetched.read(offset, out, fetch)?;
        self.read_ahead.count(is_hit);
        Ok(is_hit)
    }

    fn copy(&self, offset: u64, out: &mut [u8]) -> bool {
        let initial = self.initial.as_ref().filter(|initial| initial.get(offset, out.len()).is_some()).cloned();
        let cached = initial.or_else(|| self.read_ahead.find(self.object, offset, out.len()));
        let Some(bytes) = cached.as_ref().and_then(|chunk| chunk.get(offset, out.len())) else { return false };
        out.copy_from_slice(bytes);
        true
    }

    /// Number of bytes to fetch for a small read at `offset`: `usual`, doubled up to [`MAX_READ_AHEAD_BYTES`] while reads are sequential.
    pub(super) fn fetch_size(&self, offset: u64, usual: usize) -> usize {
        let before = self.read_ahead.length_before(self.object, offset);
        before.map_or(usual, |length| length.saturating_mul(2).min(MAX_READ_AHEAD_BYTES.count()).max(usual))
    }

    pub(super) fn insert(&self, start: u64, bytes: Vec<u8>) {
        self.read_ahead.insert(self.object, Chunk { start, bytes: Arc::new(bytes) });
    }
}

impl Drop for ReadCache {
    fn drop(&mut self) {
        self.read_ahead.remove(self.object);
    }
}

/// Chunks of all open objects of a context, most recently inserted last (`vfs.read_ahead_cache_size`).
pub(super) struct ReadAheadCache {
    capacity: usize,
    next: AtomicU64,
    chunks: Lock<VecDeque<(u64, Chunk)>>,
    stats: Stats,
}

impl ReadAheadCache {
    /// An empty cache of `capacity` bytes that counts in `stats`.
    pub(super) fn new(capacity: usize, stats: &Stats) -> ReadAheadCache {
        ReadAheadCache { capacity, next: AtomicU64::new(0), chunks: Lock::default(), stats: stats.clone() }
    }

    fn count(&self, is_hit: bool) {
        self.stats.add(if is_hit { Counter::ReadAheadHits } else { Counter::ReadAheadMisses }, 1);
    }

    /// A new key for an open object.
    fn register(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn chunks(&self) -> LockGuard<'_, VecDeque<(u64, Chunk)>> {
        self.chunks.lock()
    }

    /// The most recent chunk of an object that contains a range.
    fn find(&self, object: u64, offset: u64, len: usize) -> Option<Chunk> {
        let chunks = self.chunks();
        let cached = chunks.iter().rev().find(|(number, chunk)| *number == object && chunk.get(offset, len).is_some());
        cached.map(|(_, chunk)| chunk.clone())
    }

    /// The length of the chunk that ends at an offset or contains it.
    fn length_before(&self, object: u64, offset: u64) -> Option<usize> {
        let chunks = self.chunks();
        let reaches = |chunk: &Chunk| chunk.start < offset && offset <= chunk.end();
        let preceding = chunks.iter().rev().find(|(number, chunk)| *number == object && reaches(chunk));
        preceding.map(|(_, chunk)| chunk.bytes.len())
    }

    /// Inserts a chunk and evicts the oldest ones beyond the capacity.
    fn insert(&self, object: u64, chunk: Chunk) {
        let mut evicted = Vec::new();
        let mut chunks = self.chunks();
        self.stats.add(Counter::ReadAheadBytes, chunk.bytes.len() as u64);
        chunks.push_back((object, chunk));
        let mut total: usize = chunks.iter().map(|(_, chunk)| chunk.bytes.len()).sum();
        while total > self.capacity {
            let Some((_, oldest)) = chunks.pop_front() else { break };
            total -= oldest.bytes.len();
            evicted.push(oldest);
        }
        drop(chunks);
        self.stats.add(Counter::ReadAheadEvictions, evicted.len() as u64);
        self.subtract(&evicted);
    }

    fn subtract<'p>(&self, chunks: impl IntoIterator<Item = &'p Chunk>) {
        let bytes: usize = chunks.into_iter().map(|chunk| chunk.bytes.len()).sum();
        self.stats.subtract(Counter::ReadAheadBytes, bytes as u64);
    }

    /// Removes all chunks of an object.
    fn remove(&self, object: u64) {
        let mut chunks = self.chunks();
        self.subtract(chunks.iter().filter(|(number, _)| *number == object).map(|(_, chunk)| chunk));
        chunks.retain(|(number, _)| *number != object);
    }
}

impl Drop for ReadAheadCache {
    fn drop(&mut self) {
        self.subtract(self.chunks().iter().map(|(_, chunk)| chunk));
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_chunks_stay() {
        let stats = Stats::unlisted();
        let cache = ReadAheadCache::new(250, &stats);
        let (a, b) = (cache.register(), cache.register());
        let chunk = |start: u64| Chunk { start, bytes: Arc::new(vec![start as u8; 100]) };
        cache.insert(a, chunk(0));
        cache.insert(b, chunk(0));
        assert!(cache.find(a, 10, 90).is_some() && cache.find(a, 10, 91).is_none());
        assert_eq!((cache.length_before(a, 100), cache.length_before(a, 101)), (Some(100), None));
        cache.insert(a, chunk(100));
        assert!(cache.find(a, 10, 1).is_none() && cache.find(a, 110, 1).is_some() && cache.find(b, 10, 1).is_some());
        cache.remove(a);
        assert!(cache.find(a, 110, 1).is_none() && cache.find(b, 10, 1).is_some());
        cache.insert(b, Chunk { start: 0, bytes: Arc::new(vec![0; 300]) });
        assert!(cache.find(b, 10, 1).is_none());
        cache.insert(b, chunk(0));
        cache.count(true);
        let counted =
            [Counter::ReadAheadHits, Counter::ReadAheadMisses, Counter::ReadAheadEvictions, Counter::ReadAheadBytes];
        assert_eq!(counted.map(|counter| stats.get(counter)), [Some(1), None, Some(3), Some(100)]);
        drop(cache);
        assert_eq!(stats.get(Counter::ReadAheadBytes), Some(0));
    }

    fn read_ahead(capacity: usize) -> Arc<ReadAheadCache> {
        Arc::new(ReadAheadCache::new(capacity, &Stats::unlisted()))
    }

    /// What a read returns; `None` on a miss.
    fn read(cache: &ReadCache, offset: u64, len: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; len];
        let is_hit = cache.read(offset, &mut bytes, &|_, _| panic!("nothing is prefetched")).unwrap();
        is_hit.then_some(bytes)
    }

    #[test]
    fn reads_are_served_from_one_chunk_or_missed() {
        let read_ahead = read_ahead(1000);
        let initial = InitialRead { start: 90, bytes: (90..100).collect(), size: 100 };
        let cache = ReadCache::with_initial(&read_ahead, initial);
        cache.insert(0, (0..50).collect());
        cache.insert(50, (50..90).collect());
        let other = ReadCache::new(&read_ahead);
        assert_eq!(read(&cache, 95, 5), Some(vec![95, 96, 97, 98, 99]));
        assert_eq!(read(&cache, 0, 2), Some(vec![0, 1]));
        assert_eq!(read(&cache, 88, 2), Some(vec![88, 89]));
        for (offset, len) in [(49, 2), (89, 2), (96, 5), (100, 1)] {
            assert_eq!(read(&cache, offset, len), None, "{len} bytes at {offset}");
        }
        assert_eq!(read(&other, 0, 2), None);
        let counted = [Counter::ReadAheadHits, Counter::ReadAheadMisses].map(|counter| read_ahead.stats.get(counter));
        assert_eq!(counted, [Some(3), Some(5)]);
        drop(other);
        assert_eq!(read(&cache, 0, 2), Some(vec![0, 1]));
        drop(cache);
        assert!(read_ahead.chunks().is_empty());
        assert_eq!(read_ahead.stats.get(Counter::ReadAheadBytes), Some(0));
    }

    #[test]
    fn object_is_whole_if_the_first_request_returned_all_of_it() {
        let read_ahead = read_ahead(1000);
        let initial = InitialRead { start: 0, bytes: vec![0; 10], size: 10 };
        let cache = ReadCache::with_initial(&read_ahead, initial);
        assert_eq!([9, 10, 11].map(|len| cache.is_whole(len)), [false, true, false]);
        assert!(!ReadCache::new(&read_ahead).is_whole(0));
    }

    #[test]
    fn sequential_reads_fetch_twice_as_much_each_time_up_to_the_limit() {
        let limit = MAX_READ_AHEAD_BYTES.count();
        let cache = ReadCache::new(&read_ahead(usize::MAX));
        assert_eq!(cache.fetch_size(0, 100), 100);
        cache.insert(1000, vec![0; 100]);
        // Before, at and after the chunk.
        assert_eq!([1000, 1001, 1100, 1101].map(|offset| cache.fetch_size(offset, 70)), [70, 200, 200, 70]);
        assert_eq!(cache.fetch_size(1100, 300), 300, "at least as much as usual");
        cache.insert(2000, vec![0; limit / 2 + 1]);
        assert_eq!(cache.fetch_size(2001, 100), limit);
    }
}
