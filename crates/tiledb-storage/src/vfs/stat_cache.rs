//! Caches parsed metadata of local files and directories, validated by `stat` (device, inode, size, ctime).
//!
//! Before each use of an entry its [`Stamp`] is compared with the current one (see [`validation`](super::validation)):
//! one system call instead of the four that open, stat, read and close.

use std::any::Any;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use super::{Stamp, Uri};
use tiledb_core::fork::Lock;
use tiledb_core::limits::cache::{MAX_METADATA_ENTRY_BYTES, METADATA_CACHE_BYTES};
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::sync::RandomState;

/// Approximate overhead of an entry.
const ENTRY_OVERHEAD: usize = 160;

/// The cache of a context.
pub(super) struct StatCache {
    names: RandomState,
    entries: Lock<Entries>,
    stats: Stats,
}

#[derive(Default)]
struct Entries {
    /// By the hash of the URI; a collision is harmless, since stamps differ.
    by_name: HashMap<u64, Entry>,
    bytes: usize,
    /// Number of entries rejected since the last eviction.
    refused: usize,
}

struct Entry {
    stamp: Stamp,
    value: Arc<dyn Any + Send + Sync>,
    bytes: usize,
    /// Used since the last eviction (CLOCK algorithm).
    used: bool,
}

impl StatCache {
    /// An empty cache that counts in `stats`.
    pub(super) fn new(stats: &Stats) -> StatCache {
        StatCache { names: RandomState::default(), entries: Lock::default(), stats: stats.clone() }
    }

    /// The cached value for `uri`, if its stamp is unchanged.
    pub(super) fn get<T: Any + Send + Sync>(&self, uri: &Uri, stamp: impl FnOnce() -> Option<Stamp>) -> Option<Arc<T>> {
        let cached = self.find(uri, stamp);
        let counter = if cached.is_some() { Counter::MetadataCacheHits } else { Counter::MetadataCacheMisses };
        self.stats.add(counter, 1);
        cached
    }

    fn find<T: Any + Send + Sync>(&self, uri: &Uri, stamp: impl FnOnce() -> Option<Stamp>) -> Option<Arc<T>> {
        let name = self.names.hash_one(uri.as_str());
        let (value, then) = {
            let mut entries = self.entries.lock();
            let entry = entries.by_name.get_mut(&name)?;
            entry.used = true;
            (Arc::clone(&entry.value), entry.stamp)
        };
        let value = value.downcast::<T>().ok()?;
        (stamp()? == then).then_some(value)
    }

    /// Caches a value of about `bytes` bytes for `uri`, which had this stamp.
    pub(super) fn insert<T: Any + Send + Sync>(&self, uri: &Uri, stamp: Stamp, value: &Arc<T>, bytes: usize) {
        if bytes > MAX_METADATA_ENTRY_BYTES.count() {
            return;
        }
        let name = self.names.hash_one(uri.as_str());
        let entry = Entry { stamp, value: Arc::<T>::clone(value), bytes: bytes + ENTRY_OVERHEAD, used: true };
        // Evicted values are dropped after the lock is released.
        let mut entries = self.entries.lock();
        let before = entries.bytes;
        let (replaced, evicted) = entries.put(name, entry);
        let after = entries.bytes;
        drop(entries);
        drop(replaced);
        self.stats.add(Counter::MetadataCacheEvictions, evicted.len() as u64);
        self.stats.add(Counter::MetadataCacheBytes, after.saturating_sub(before) as u64);
        self.stats.subtract(Counter::MetadataCacheBytes, before.saturating_sub(after) as u64);
    }
}

impl Drop for StatCache {
    fn drop(&mut self) {
        self.stats.subtract(Counter::MetadataCacheBytes, self.entries.lock().bytes as u64);
    }
}

impl Entries {
    /// Inserts an entry if it fits, possibly after an eviction; returns the entry that it replaces and those that were
    /// evicted.
    fn put(&mut self, name: u64, entry: Entry) -> (Option<Entry>, Vec<Entry>) {
        let replaced = self.by_name.remove(&name);
        self.bytes -= replaced.as_ref().map_or(0, |entry| entry.bytes);
        let mut evicted = Vec::new();
        if self.bytes + entry.bytes > METADATA_CACHE_BYTES.count() {
            // Evict only after several refusals: a scan over more entries than fit still finds some of them the next
            // time, instead of none.
            self.refused += 1;
            if self.refused > self.by_name.len() / 2 {
                evicted.extend(
                    self.by_name.extract_if(|_, entry| !std::mem::take(&mut entry.used)).map(|(_, entry)| entry),
                );
                self.bytes = self.by_name.values().map(|entry| entry.bytes).sum();
                self.refused = 0;
            }
        }
        if self.bytes + entry.bytes <= METADATA_CACHE_BYTES.count() {
            self.bytes += entry.bytes;
            self.by_name.insert(name, entry);
        }
        (replaced, evicted)
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(inode: u64) -> Stamp {
        Stamp { device: 1, inode, size: 2, changed: (3, 4), clock: 0 }
    }

    fn uri(number: usize) -> Uri {
        Uri::parse(&format!("mem://seen/{number}")).unwrap()
    }

    #[test]
    fn entry_of_another_stamp_or_type_is_a_miss() {
        let cache = StatCache::new(&Stats::unlisted());
        let stamp = stamp(5);
        cache.insert(&uri(0), stamp, &Arc::new(7u32), 4);
        assert_eq!(cache.get::<u32>(&uri(0), || Some(stamp)).as_deref(), Some(&7));
        assert!(cache.get::<u32>(&uri(0), || Some(self::stamp(6))).is_none());
        assert!(cache.get::<u32>(&uri(0), || None).is_none());
        assert!(cache.get::<u64>(&uri(0), || Some(stamp)).is_none());
        // A miss makes no system call.
        assert!(cache.get::<u32>(&uri(1), || unreachable!()).is_none());
    }

    #[test]
    fn room_is_bounded_and_goes_to_what_is_used() {
        let cache = StatCache::new(&Stats::unlisted());
        let size = METADATA_CACHE_BYTES.count() / 10 - ENTRY_OVERHEAD;
        for round in 0..4 {
            for number in 0..15 {
                if cache.get::<usize>(&uri(number), || Some(stamp(0))).is_none() {
                    cache.insert(&uri(number), stamp(0), &Arc::new(number), size);
                }
            }
            let entries = cache.entries.lock();
            assert!(
                entries.bytes <= METADATA_CACHE_BYTES.count()
                    && entries.bytes == entries.by_name.values().map(|entry| entry.bytes).sum::<usize>()
            );
            assert!(round == 0 || entries.by_name.len() >= 5, "{}", entries.by_name.len());
        }
        cache.insert(&uri(99), stamp(0), &Arc::new(99usize), MAX_METADATA_ENTRY_BYTES.count() + 1);
        assert!(cache.get::<usize>(&uri(99), || Some(stamp(0))).is_none());
        let evicted = || cache.stats.get(Counter::MetadataCacheEvictions).unwrap_or(0);
        assert_eq!(cache.stats.get(Counter::MetadataCacheBytes), Some(cache.entries.lock().bytes as u64));
        assert!(
            cache.stats.get(Counter::MetadataCacheHits) > Some(4)
                && cache.stats.get(Counter::MetadataCacheMisses) > Some(14)
        );
        let before = evicted();
        // Unused entries are evicted.
        for number in 100..130 {
            cache.insert(&uri(number), stamp(0), &Arc::new(number), size);
        }
        let hits = (100..130).filter(|&number| cache.get::<usize>(&uri(number), || Some(stamp(0))).is_some()).count();
        assert!(hits >= 5, "{hits}");
        assert!(evicted() > before);
    }

    /// Caches a value whose entry takes so many bytes.
    fn insert(cache: &StatCache, number: usize, bytes: usize) {
        cache.insert(&uri(number), stamp(0), &Arc::new(number), bytes - ENTRY_OVERHEAD);
    }

    fn cached(cache: &StatCache, numbers: std::ops::Range<usize>) -> Vec<usize> {
        let entries = cache.entries.lock();
        let has = |number: &usize| entries.by_name.contains_key(&cache.names.hash_one(uri(*number).as_str()));
        numbers.filter(has).collect()
    }

    #[test]
    fn entries_are_cached_up_to_exactly_the_limits() {
        let cache = StatCache::new(&Stats::unlisted());
        cache.insert(&uri(0), stamp(0), &Arc::new(0usize), MAX_METADATA_ENTRY_BYTES.count());
        assert_eq!(cached(&cache, 0..1), [0]);
        let cache = StatCache::new(&Stats::unlisted());
        (0..10).for_each(|number| insert(&cache, number, METADATA_CACHE_BYTES.count() / 10));
        assert_eq!(cached(&cache, 0..10).len(), 10);
        // The same again takes no more.
        (0..10).for_each(|number| insert(&cache, number, METADATA_CACHE_BYTES.count() / 10));
        assert_eq!(cached(&cache, 0..10).len(), 10);
        assert_eq!(cache.entries.lock().bytes, METADATA_CACHE_BYTES.count() / 10 * 10);
        assert_eq!(cache.stats.get(Counter::MetadataCacheBytes), Some(cache.entries.lock().bytes as u64));
        let stats = cache.stats.clone();
        drop(cache);
        assert_eq!(stats.get(Counter::MetadataCacheBytes), Some(0));
    }

    #[test]
    fn entries_that_were_not_used_since_the_last_eviction_go_after_several_refusals() {
        let cache = StatCache::new(&Stats::unlisted());
        let size = METADATA_CACHE_BYTES.count() / 10;
        (0..10).for_each(|number| insert(&cache, number, size));
        // New entries count as used: the first eviction only marks them.
        (10..16).for_each(|number| insert(&cache, number, size));
        assert_eq!(cached(&cache, 0..16), (0..10).collect::<Vec<_>>());
        for number in [2, 7] {
            assert!(cache.get::<usize>(&uri(number), || Some(stamp(0))).is_some());
        }
        (20..25).for_each(|number| insert(&cache, number, size));
        assert_eq!(cached(&cache, 0..25), (0..10).collect::<Vec<_>>(), "five of ten are not more than half");
        insert(&cache, 25, size);
        assert_eq!(cached(&cache, 0..30), [2, 7, 25]);
        assert_eq!(cache.stats.get(Counter::MetadataCacheEvictions), Some(8));
    }
}
