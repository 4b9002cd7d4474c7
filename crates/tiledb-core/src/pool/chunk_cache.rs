//! Cache of decoded chunks: one per context, limited in bytes, shared by successive queries.
//!
//! Chunks belong to a [`ChunkOwner`]. A persistent owner is derived from a validator, so that its chunks survive
//! closing the file and are found again when it is reopened; the chunks of an open fragment are evicted with it.
//! Lookups never block for long: a contended shard counts as a miss.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::Scratch;
use super::chunk_shard::{CacheEntry, CacheShard, ChunkKey, GROUP, GroupKey, entry_at};
use crate::fork::{Lock, LockGuard};
use crate::limits::cache::{MAX_CHUNK_PART, MAX_DROPPED_OWNERS, MAX_SCAN_PART, MIN_SCAN_BYTES};
use crate::stats::{Counter, Stats};
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::sync::{RandomState, hint};

const SHARDS: usize = 8;

/// Attempts to lock a shard: enough to outlast a lookup of another thread, not an eviction.
const LOCK_ATTEMPTS: usize = if cfg!(all(test, shuttle)) { 2 } else { 64 };

/// Capacity for dropped owners: the value of [`MAX_DROPPED_OWNERS`]. They are removed together, or when the last temporary owner
/// is dropped.
const GONE_LIMIT: usize = 64;

/// The cache. Clones share it.
#[derive(Clone)]
pub struct ChunkCache(Arc<Inner>);

struct Inner {
    /// Owners are named by what these two make of their keys, so that no two have one name.
    names: [RandomState; 2],
    /// Bytes that it may hold, and that entries of all shards take.
    limit: usize,
    bytes: AtomicUsize,
    /// Number of temporary owners so far.
    owners: AtomicU64,
    /// Next shard to evict from.
    next: AtomicUsize,
    shards: [Lock<CacheShard>; SHARDS],
    /// Owners with entries that go with them, and those that went.
    temporary: AtomicUsize,
    gone: Lock<GoneOwners>,
    stats: Stats,
}

impl Inner {
    /// Adds to the total; returns the new total.
    fn grow(&self, bytes: usize) -> usize {
        self.stats.add(Counter::ChunkCacheBytes, bytes as u64);
        self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    /// Subtracts from the total; returns the new total.
    fn shrink(&self, bytes: usize) -> usize {
        self.stats.subtract(Counter::ChunkCacheBytes, bytes as u64);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed) - bytes
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stats.subtract(Counter::ChunkCacheBytes, *self.bytes.get_mut() as u64);
    }
}

impl ChunkCache {
    /// A cache of at most `limit` bytes, with its counters in `stats`; 0 disables caching.
    pub fn new(limit: u64, stats: &Stats) -> ChunkCache {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let names = [RandomState::new(), RandomState::new()];
        let (bytes, owners, next, shards, temporary, gone) = Default::default();
        ChunkCache(Arc::new(Inner { names, limit, bytes, owners, next, shards, temporary, gone, stats: stats.clone() }))
    }

    /// A new temporary owner, whose key is never used again.
    pub fn owner(&self) -> ChunkOwner {
        let mut owner = self.owner_of(&self.0.owners.fetch_add(1, Ordering::Relaxed));
        owner.is_persistent = false;
        owner
    }

    /// The persistent owner for the validator `key`. Its chunks stay in the cache until they are evicted.
    pub fn owner_of(&self, key: &impl Hash) -> ChunkOwner {
        let [high, low] = self.0.names.each_ref().map(|state| u128::from(state.hash_one(key)));
        ChunkOwner { id: high << 64 | low, cache: self.clone(), is_persistent: true, has_put: AtomicBool::new(false) }
    }

    /// The part of the cache that has a group, unless others are at it for long.
    fn shard(&self, key: &GroupKey) -> Option<LockGuard<'_, CacheShard>> {
        self.shard_at(key.shard(SHARDS))
    }

    fn shard_at(&self, number: usize) -> Option<LockGuard<'_, CacheShard>> {
        let shard = &self.0.shards[number];
        for _ in 0..LOCK_ATTEMPTS {
            if let Some(shard) = shard.try_lock() {
                return Some(shard);
            }
            hint::spin_loop();
        }
        None
    }

    /// Inserts an entry, with or without bytes, evicting others that were not used recently. Entries that are large for
    /// the cache are not inserted.
    fn put(&self, (key, place): (GroupKey, u8), bytes: Option<Arc<Scratch>>) {
        let entry = CacheEntry::new(place, bytes);
        let size = entry.size();
        if !self.evict_until_fits(size) {
            return;
        }
        let replaced = self.shard(&key).map_or(size, |mut shard| shard.put(key, entry));
        self.0.shrink(replaced);
    }

    /// Reserves `size` bytes, evicting from the shards in turn; false if that is not possible.
    fn evict_until_fits(&self, size: usize) -> bool {
        let Inner { limit, next, shards, stats, .. } = &*self.0;
        if size > limit / MAX_CHUNK_PART.count() {
            return false;
        }
        let mut all = self.0.grow(size);
        let mut refusals = 0;
        while all > *limit {
            let shard = &shards[next.fetch_add(1, Ordering::Relaxed) % SHARDS];
            match shard.try_lock().and_then(|mut shard| shard.evict_next()) {
                Some(freed) => {
                    stats.add(Counter::ChunkCacheEvictions, u64::from(freed > 0));
                    (all, refusals) = (self.0.shrink(freed), 0);
                }
                None if refusals == 2 * SHARDS => {
                    self.0.shrink(size);
                    return false;
                }
                None => refusals += 1,
            }
        }
        true
    }

    /// Removes what owners left that are gone. Where others are at a shard for long, the next owner that goes removes it.
    fn remove_owners(&self, gone: GoneOwners) {
        let owners: HashSet<u128> = gone.ids[..gone.count].iter().copied().collect();
        let mut is_complete = true;
        for number in 0..SHARDS {
            match self.shard_at(number) {
                Some(mut shard) => _ = self.0.shrink(shard.remove_owners(&owners)),
                None => is_complete = false,
            }
        }
        if !is_complete {
            self.0.gone.lock().add_all(&gone);
        }
    }
}

/// Owner of cached chunks. Dropping a temporary owner evicts them.
pub struct ChunkOwner {
    id: u128,
    cache: ChunkCache,
    is_persistent: bool,
    /// Whether it may have entries, if they are to go with it.
    has_put: AtomicBool,
}

impl ChunkOwner {
    /// Returns a chunk if it is cached.
    pub fn get(&self, key: ChunkKey) -> Option<Arc<Scratch>> {
        let cached = self.find(key);
        let counter = if cached.is_some() { Counter::ChunkCacheHits } else { Counter::ChunkCacheMisses };
        self.cache.0.stats.add(counter, 1);
        cached
    }

    fn find(&self, key: ChunkKey) -> Option<Arc<Scratch>> {
        let (key, place) = GroupKey::of(self.id, key);
        self.cache.shard(&key)?.entry(&key, place)?.get().clone()
    }

    /// Bytes that one part of a query's results may add.
    pub fn scan_limit(&self) -> u64 {
        (self.cache.0.limit / MAX_SCAN_PART.count()).max(MIN_SCAN_BYTES.count()) as u64
    }

    /// Whether a chunk is cached, for callers that do not read it now.
    pub fn has(&self, key: ChunkKey) -> bool {
        self.find(key).is_some()
    }

    fn put_entry(&self, key: (GroupKey, u8), bytes: Option<Arc<Scratch>>) {
        if !self.is_persistent && !self.has_put.swap(true, Ordering::Relaxed) {
            self.cache.0.temporary.fetch_add(1, Ordering::Relaxed);
        }
        self.cache.put(key, bytes);
    }

    /// Looks up chunks of a tile that belong to one group; stores hits in `cached`.
    pub fn get_some(&self, tile: ChunkKey, chunks: &[usize], cached: &mut [Option<Arc<Scratch>>]) {
        let Some(&first) = chunks.first() else { return };
        let (key, _) = GroupKey::of(self.id, ChunkKey { chunk: first, ..tile });
        let mut hits = 0;
        if let Some(mut shard) = self.cache.shard(&key)
            && let Some(group) = shard.group(&key)
        {
            for (&chunk, slot) in chunks.iter().zip(cached) {
                if chunk / GROUP == first / GROUP
                    && let Some(entry) = entry_at(group, (chunk % GROUP) as u8)
                {
                    slot.clone_from(entry.get());
                    hits += u64::from(slot.is_some());
                }
            }
        }
        let stats = &self.cache.0.stats;
        stats.add(Counter::ChunkCacheHits, hits);
        stats.add(Counter::ChunkCacheMisses, chunks.len() as u64 - hits);
    }

    /// Records a request for a chunk; true if it was requested before.
    pub fn was_requested(&self, key: ChunkKey) -> bool {
        let (key, place) = GroupKey::of(self.id, key);
        let Some(mut shard) = self.cache.shard(&key) else { return false };
        let was_requested = shard.entry(&key, place).map(|entry| _ = entry.get()).is_some();
        drop(shard);
        if !was_requested {
            self.put_entry((key, place), None);
        }
        was_requested
    }

    /// Inserts a chunk, evicting others that were not used recently. Chunks that are large for the cache are not
    /// cached.
    pub fn put(&self, key: ChunkKey, bytes: Scratch) {
        self.keep(key, &Arc::new(bytes));
    }

    /// As [`ChunkOwner::put`], for bytes that are in use elsewhere too.
    pub fn keep(&self, key: ChunkKey, bytes: &Arc<Scratch>) {
        // A buffer that was used for more before would take the place of others.
        let shrunk_copy = bytes.shrunk_copy();
        let bytes = shrunk_copy.as_ref().unwrap_or(bytes);
        let (key, place) = GroupKey::of(self.id, key);
        let Some(mut shard) = self.cache.shard(&key) else { return };
        let is_there = shard.entry(&key, place).is_some_and(|entry| entry.is_full());
        drop(shard);
        if !is_there {
            self.put_entry((key, place), Some(Arc::clone(bytes)));
        }
    }
}

/// Owners that were dropped, whose entries are still in the cache. Of fixed size: nothing is allocated under its lock.
struct GoneOwners {
    ids: [u128; GONE_LIMIT],
    count: usize,
}

impl GoneOwners {
    /// Adds an owner. Takes all of them out if there are as many as there can be, or if `all` is set.
    fn push(&mut self, id: u128, all: bool) -> Option<GoneOwners> {
        self.ids[self.count] = id;
        self.count += 1;
        (all || self.count >= MAX_DROPPED_OWNERS.count().min(GONE_LIMIT)).then(|| std::mem::take(self))
    }

    /// Adds owners, as many as there is space for before the next one; entries of the others are evicted in their turn.
    fn add_all(&mut self, others: &GoneOwners) {
        let limit = MAX_DROPPED_OWNERS.count().min(GONE_LIMIT) - 1;
        for id in &others.ids[..others.count.min(limit.saturating_sub(self.count))] {
            self.ids[self.count] = *id;
            self.count += 1;
        }
    }
}

impl Default for GoneOwners {
    fn default() -> GoneOwners {
        GoneOwners { ids: [0; GONE_LIMIT], count: 0 }
    }
}

impl Drop for ChunkOwner {
    fn drop(&mut self) {
        // Persistent owners never note that they have put something.
        if !*self.has_put.get_mut() {
            return;
        }
        let Inner { temporary, gone, .. } = &*self.cache.0;
        let mut gone = gone.lock();
        // Counted under the lock: the last owner finds all others in the list.
        let left = temporary.fetch_sub(1, Ordering::Relaxed) - 1;
        // Each look through all shards takes as long as there are entries: one for all fragments of an array that is closed.
        let full = gone.push(self.id, left == 0);
        drop(gone);
        if let Some(owners) = full {
            self.cache.remove_owners(owners);
        }
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::scratch;
    use proptest::prelude::*;

    fn key(number: u64) -> ChunkKey {
        ChunkKey { field: 0, part: 0, tile: number / 4, chunk: number as usize % 4 }
    }

    fn chunk(number: u64) -> Scratch {
        // Buffers from other tests may be too large for the cache.
        let mut passed_over = Vec::new();
        loop {
            let mut bytes = scratch(40_000).unwrap();
            if bytes.capacity() <= 1 << 16 {
                bytes.fill(number as u8);
                return bytes;
            }
            passed_over.push(bytes);
        }
    }

    fn cache(limit: u64) -> ChunkCache {
        ChunkCache::new(limit, &Stats::unlisted())
    }

    fn cached_bytes(cache: &ChunkCache) -> usize {
        let cached_bytes = cache.0.shards.iter().map(|shard| shard.lock().checked_size()).sum();
        assert_eq!(cache.0.bytes.load(Ordering::Relaxed), cached_bytes);
        cached_bytes
    }

    proptest! {
        #[test]
        fn cached_chunks_are_those_inserted_and_the_limit_holds(numbers in prop::collection::vec(0u64..60, 1..300)) {
            let limit = 3 << 20;
            let cache = self::cache(limit);
            let owners = [cache.owner(), cache.owner()];
            for (step, &number) in numbers.iter().enumerate() {
                let owner = &owners[step % 2];
                match owner.get(key(number)) {
                    Some(bytes) => prop_assert!(bytes.iter().all(|&byte| byte == number as u8)),
                    None => owner.put(key(number), chunk(number)),
                }
                prop_assert!(cached_bytes(&cache) <= limit as usize);
            }
            let last = numbers.len() - 1;
            prop_assert!(owners[last % 2].get(key(numbers[last])).is_some());
            drop(owners);
            prop_assert_eq!(cached_bytes(&cache), 0);
        }
    }

    #[test]
    fn chunks_in_use_outlive_those_that_are_not() {
        let cache = self::cache(8 << 20);
        let owner = cache.owner();
        owner.put(key(0), chunk(0));
        for number in 1..2000 {
            assert!(owner.get(key(0)).is_some(), "after {number}");
            owner.put(key(number), chunk(number));
        }
        assert!(owner.get(key(1)).is_none());
        assert!(cache.owner().get(key(0)).is_none());
    }

    #[test]
    fn what_is_in_use_takes_the_room_of_what_was_in_whatever_shard() {
        let cache = self::cache(8 << 20);
        let (old, new) = (cache.owner(), cache.owner());
        for number in 0..200 {
            old.put(key(number), chunk(number));
            old.get(key(number));
        }
        let mut hits = 0;
        for _ in 0..3 {
            hits = 0;
            for number in 0..90 {
                match new.get(key(number)) {
                    Some(_) => hits += 1,
                    None => new.put(key(number), chunk(number)),
                }
            }
        }
        // Shards are selected by random hashes: some can be fuller than others.
        assert!(hits >= 85, "{hits}");
    }

    #[test]
    fn chunks_of_a_file_are_cached_until_it_is_opened_again() {
        let cache = self::cache(8 << 20);
        cache.owner_of(&[1, 2]).put(key(0), chunk(0));
        assert!(cache.owner_of(&[1, 2]).get(key(0)).is_some());
        assert!(cache.owner_of(&[1, 3]).get(key(0)).is_none());
    }

    #[test]
    fn chunks_of_a_group_are_looked_up_together() {
        let owner = cache(8 << 20).owner();
        let key = |chunk| ChunkKey { field: 1, part: 2, tile: 3, chunk };
        [0, 5, GROUP - 1, GROUP].into_iter().for_each(|chunk| owner.put(key(chunk), self::chunk(chunk as u64)));
        let there = |chunks: &[usize]| -> Vec<Option<usize>> {
            let mut cached = vec![None; chunks.len()];
            owner.get_some(key(0), chunks, &mut cached);
            cached.iter().map(|cached: &Option<Arc<Scratch>>| cached.as_ref().map(|bytes| bytes[0].into())).collect()
        };
        assert_eq!(there(&[0, 4, 5, GROUP - 1]), [Some(0), None, Some(5), Some(GROUP - 1)]);
        assert_eq!(there(&[GROUP, GROUP + 5]), [Some(GROUP), None]);
        assert_eq!(there(&[5, GROUP]), [Some(5), None], "of another group");
        assert_eq!((there(&[2 * GROUP]), there(&[])), (vec![None], vec![]));
    }

    #[test]
    fn released_chunks_are_evicted_first() {
        let cache = self::cache(8 << 20);
        let owner = cache.owner();
        assert_eq!([0, 0, 1].map(|number| owner.was_requested(key(number))), [false, true, false]);
        assert!(owner.get(key(0)).is_none());
        owner.put(key(0), chunk(0));
        assert!(owner.get(key(0)).is_some() && owner.was_requested(key(0)));
        assert!(cached_bytes(&cache) > 40_000);
        drop(owner);
        assert_eq!(cached_bytes(&cache), 0);
    }

    #[test]
    fn owners_that_go_together_are_forgotten_together() {
        let cache = cache(8 << 20);
        let is_persistent = cache.owner_of(&1);
        is_persistent.put(key(0), chunk(0));
        let owners: Vec<ChunkOwner> = (0..GONE_LIMIT + 3).map(|_| cache.owner()).collect();
        owners.iter().for_each(|owner| owner.put(key(1), chunk(1)));
        let before = cached_bytes(&cache);
        let mut looks = 0;
        for owner in owners {
            let before = cached_bytes(&cache);
            drop(owner);
            looks += usize::from(cached_bytes(&cache) < before);
        }
        assert_eq!(looks, 2);
        assert!(before > cached_bytes(&cache) && cached_bytes(&cache) > 40_000 && is_persistent.get(key(0)).is_some());
        drop(cache.owner());
        assert!(cache.0.gone.lock().count == 0);
    }

    #[test]
    fn hits_misses_evictions_and_bytes_are_counted() {
        let stats = Stats::unlisted();
        let cache = ChunkCache::new(2 << 20, &stats);
        let owner = cache.owner_of(&"file");
        assert!(owner.get(key(0)).is_none());
        owner.put(key(0), chunk(0));
        assert!(owner.get(key(0)).is_some() && owner.has(key(0)));
        let mut cached = vec![None; 2];
        owner.get_some(ChunkKey { chunk: 0, ..key(0) }, &[0, 1], &mut cached);
        let counted = || {
            use Counter::{ChunkCacheBytes, ChunkCacheEvictions, ChunkCacheHits, ChunkCacheMisses};
            [ChunkCacheHits, ChunkCacheMisses, ChunkCacheEvictions, ChunkCacheBytes].map(|counter| stats.get(counter))
        };
        assert_eq!(counted(), [Some(2), Some(2), None, Some(cached_bytes(&cache) as u64)]);
        (1..100).for_each(|number| owner.put(key(number), chunk(number)));
        let [hits, misses, evictions, bytes] = counted();
        assert_eq!((hits, misses, bytes), (Some(2), Some(2), Some(cached_bytes(&cache) as u64)));
        assert!(evictions.is_some_and(|evictions| (40..100).contains(&evictions)));
        drop((owner, cache));
        assert_eq!(stats.get(Counter::ChunkCacheBytes), Some(0));
    }

    #[test]
    fn a_cache_without_room_keeps_nothing() {
        let owner = cache(0).owner();
        owner.put(key(0), chunk(0));
        assert!(owner.get(key(0)).is_none());
    }

    #[test]
    fn part_of_the_cache_that_a_chunk_or_a_scan_takes_is_limited() {
        let bytes = Arc::new(chunk(1));
        let limit = MAX_CHUNK_PART.count() * CacheEntry::new(0, Some(Arc::clone(&bytes))).size();
        for (limit, expected) in [(limit, true), (limit - 1, false)] {
            let cache = cache(limit as u64);
            let owner = cache.owner();
            owner.keep(key(0), &bytes);
            assert_eq!(owner.get(key(0)).is_some(), expected, "{limit}");
            assert_eq!(cached_bytes(&cache) > 0, expected);
        }
        assert_eq!(cache(0).owner().scan_limit(), MIN_SCAN_BYTES.count() as u64);
        let large = MAX_SCAN_PART.count() * (MIN_SCAN_BYTES.count() + 5);
        assert_eq!(cache(large as u64).owner().scan_limit(), MIN_SCAN_BYTES.count() as u64 + 5);
    }

    #[test]
    fn owners_without_chunks_are_not_noted() {
        let cache = cache(8 << 20);
        drop((cache.owner(), cache.owner_of(&1)));
        cache.owner_of(&1).put(key(0), chunk(0));
        let temporary = || cache.0.temporary.load(Ordering::Relaxed);
        assert_eq!((temporary(), cache.0.gone.lock().count), (0, 0));
        let owners = [cache.owner(), cache.owner()];
        assert_eq!(temporary(), 0);
        for owner in &owners {
            owner.put(key(0), chunk(0));
            owner.put(key(1), chunk(1));
        }
        assert_eq!(temporary(), 2);
        let [first, last] = owners;
        drop(first);
        assert_eq!((temporary(), cache.0.gone.lock().count), (1, 1));
        drop(last);
        assert_eq!((temporary(), cache.0.gone.lock().count), (0, 0));
    }

    #[test]
    fn dropped_owners_are_noted_while_there_is_space() {
        let mut first = GoneOwners::default();
        let mut others = GoneOwners::default();
        let limit = MAX_DROPPED_OWNERS.count().min(GONE_LIMIT);
        (0..limit as u128 - 3).for_each(|id| assert!(first.push(id, false).is_none()));
        (100..105).for_each(|id| _ = others.push(id, false));
        first.add_all(&others);
        // Space for the next one is left.
        assert_eq!((first.count, &first.ids[limit - 4..limit - 1]), (limit - 1, &[limit as u128 - 4, 100, 101][..]));
        first.add_all(&others);
        assert_eq!(first.count, limit - 1);
        assert_eq!(first.push(7, false).map(|all| all.count), Some(limit));
        assert_eq!(first.count, 0);
        assert_eq!(first.push(7, true).map(|all| all.count), Some(1));
    }
}
