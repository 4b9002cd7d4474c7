//! Decoded chunks kept for queries that follow: one cache per context, capped in bytes.
//!
//! Chunks belong to an [`Owner`]: a file that storage can tell from all others, whose chunks stay when it is closed and
//! are found when it is opened again; or an open fragment, with which they go. Nobody waits for long: a busy shard is passed over.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::Scratch;
use super::chunk_shard::{ChunkKey, Entry, GROUP, GroupKey, Shard, entry_at};
use crate::fork::{Guard, Lock};

const SHARDS: usize = 8;

/// How often a busy shard is asked for: until another thread has looked something up, not until it has made room.
const PATIENCE: usize = 64;

/// The part of the cache that an entry may take at most.
const LARGE: usize = 2 * SHARDS;

/// The cache. A clone costs a counter and is the same cache.
#[derive(Clone)]
pub struct ChunkCache(Arc<Inner>);

struct Inner {
    /// Names of files are made of what these two make of their stamps, so that no two files have one name.
    names: [RandomState; 2],
    /// Bytes that it may hold, and that entries of all shards take.
    limit: usize,
    bytes: AtomicUsize,
    /// The shard that gives room next.
    next: AtomicUsize,
    shards: [Lock<Shard>; SHARDS],
}

impl ChunkCache {
    /// A cache of at most `limit` bytes; 0 keeps nothing.
    pub fn new(limit: u64) -> ChunkCache {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let names = [RandomState::new(), RandomState::new()];
        let (bytes, next) = Default::default();
        ChunkCache(Arc::new(Inner { names, limit, bytes, next, shards: Default::default() }))
    }

    /// A new owner, whose chunks nobody else ever asks for.
    pub fn owner(&self) -> Owner {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut owner = self.owner_of(&NEXT.fetch_add(1, Ordering::Relaxed));
        owner.stays = false;
        owner
    }

    /// The owner with a stamp. Its chunks stay in the cache until others take their place.
    pub fn owner_of(&self, stamp: &impl Hash) -> Owner {
        let [high, low] = self.0.names.each_ref().map(|state| u128::from(state.hash_one(stamp)));
        Owner { id: high << 64 | low, cache: self.clone(), stays: true }
    }

    /// The part of the cache that has a group, unless others are at it for long.
    fn shard(&self, key: &GroupKey) -> Option<Guard<'_, Shard>> {
        let shard = &self.0.shards[key.shard(SHARDS)];
        for _ in 0..PATIENCE {
            if let Some(shard) = shard.try_lock() {
                return Some(shard);
            }
            std::hint::spin_loop();
        }
        None
    }

    /// Puts an entry without or with bytes in, in place of others that were not asked for lately; one that is large for the
    /// cache is not kept.
    fn put(&self, (key, place): (GroupKey, u8), bytes: Option<Arc<Scratch>>) {
        let entry = Entry::new(place, bytes);
        let size = entry.size();
        if !self.make_room(size) {
            return;
        }
        let replaced = self.shard(&key).map_or(size, |mut shard| shard.put(key, entry));
        self.0.bytes.fetch_sub(replaced, Ordering::Relaxed);
    }

    /// Takes room, from each shard in turn; false if there is none.
    fn make_room(&self, size: usize) -> bool {
        let Inner { limit, bytes, next, shards, .. } = &*self.0;
        if size > limit / LARGE {
            return false;
        }
        let mut all = bytes.fetch_add(size, Ordering::Relaxed) + size;
        let mut refusals = 0;
        while all > *limit {
            let shard = &shards[next.fetch_add(1, Ordering::Relaxed) % SHARDS];
            match shard.try_lock().and_then(|mut shard| shard.remove_next()) {
                Some(freed) => (all, refusals) = (bytes.fetch_sub(freed, Ordering::Relaxed) - freed, 0),
                None if refusals == 2 * SHARDS => {
                    bytes.fetch_sub(size, Ordering::Relaxed);
                    return false;
                }
                None => refusals += 1,
            }
        }
        true
    }
}

/// Whose chunks they are. Dropped, it takes them along unless it has a stamp.
pub struct Owner {
    id: u128,
    cache: ChunkCache,
    stays: bool,
}

impl Owner {
    /// A chunk, if it is there.
    pub fn get(&self, key: ChunkKey) -> Option<Arc<Scratch>> {
        let (key, place) = GroupKey::of(self.id, key);
        self.cache.shard(&key)?.entry(&key, place)?.get().clone()
    }

    /// Puts of each of these chunks of a tile what is there into its place in `found`. They are of one group.
    pub fn get_some(&self, tile: ChunkKey, chunks: &[usize], found: &mut [Option<Arc<Scratch>>]) {
        let Some(&first) = chunks.first() else { return };
        let (key, _) = GroupKey::of(self.id, ChunkKey { chunk: first, ..tile });
        let Some(mut shard) = self.cache.shard(&key) else { return };
        let Some(group) = shard.group(&key) else { return };
        for (&chunk, found) in chunks.iter().zip(found) {
            if chunk / GROUP == first / GROUP
                && let Some(entry) = entry_at(group, (chunk % GROUP) as u8)
            {
                found.clone_from(entry.get());
            }
        }
    }

    /// True if this was asked for before; from now on it was.
    pub fn was_wanted(&self, key: ChunkKey) -> bool {
        let (key, place) = GroupKey::of(self.id, key);
        let Some(mut shard) = self.cache.shard(&key) else { return false };
        let was_wanted = shard.entry(&key, place).map(|entry| _ = entry.get()).is_some();
        drop(shard);
        if !was_wanted {
            self.cache.put((key, place), None);
        }
        was_wanted
    }

    /// Keeps a chunk, in place of others that were not asked for lately. Chunks that are large for the cache
    /// are not kept.
    pub fn put(&self, key: ChunkKey, bytes: Scratch) {
        self.keep(key, &Arc::new(bytes));
    }

    /// As [`Owner::put`], for bytes that are in use elsewhere too.
    pub fn keep(&self, key: ChunkKey, bytes: &Arc<Scratch>) {
        // A buffer that was used for more before would take the place of others.
        let fitting = bytes.fitting();
        let bytes = fitting.as_ref().unwrap_or(bytes);
        let (key, place) = GroupKey::of(self.id, key);
        let Some(mut shard) = self.cache.shard(&key) else { return };
        let is_there = shard.entry(&key, place).is_some_and(|entry| entry.is_full());
        drop(shard);
        if !is_there {
            self.cache.put((key, place), Some(Arc::clone(bytes)));
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        for shard in &self.cache.0.shards {
            if let Some(mut shard) = shard.try_lock() {
                self.cache.0.bytes.fetch_sub(shard.forget(self.id), Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::scratch;
    use proptest::prelude::*;

    fn key(number: u64) -> ChunkKey {
        ChunkKey { field: 0, part: 0, tile: number / 4, chunk: number as usize % 4 }
    }

    fn chunk(number: u64) -> Scratch {
        // Buffers that other tests have left behind may be too large for the cache.
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

    fn held(cache: &ChunkCache) -> usize {
        let held = cache.0.shards.iter().map(|shard| shard.lock().checked_size()).sum();
        assert_eq!(cache.0.bytes.load(Ordering::Relaxed), held);
        held
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_was_put_and_the_limit_holds(numbers in prop::collection::vec(0u64..60, 1..300)) {
            let limit = 3 << 20;
            let cache = ChunkCache::new(limit);
            let owners = [cache.owner(), cache.owner()];
            for (step, &number) in numbers.iter().enumerate() {
                let owner = &owners[step % 2];
                match owner.get(key(number)) {
                    Some(bytes) => prop_assert!(bytes.iter().all(|&byte| byte == number as u8)),
                    None => owner.put(key(number), chunk(number)),
                }
                prop_assert!(held(&cache) <= limit as usize);
            }
            let last = numbers.len() - 1;
            prop_assert!(owners[last % 2].get(key(numbers[last])).is_some());
            drop(owners);
            prop_assert_eq!(held(&cache), 0);
        }
    }

    #[test]
    fn chunks_in_use_outlive_those_that_are_not() {
        let cache = ChunkCache::new(8 << 20);
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
        let cache = ChunkCache::new(8 << 20);
        let (old, new) = (cache.owner(), cache.owner());
        for number in 0..200 {
            old.put(key(number), chunk(number));
            old.get(key(number));
        }
        let mut found = 0;
        for _ in 0..3 {
            found = 0;
            for number in 0..90 {
                match new.get(key(number)) {
                    Some(_) => found += 1,
                    None => new.put(key(number), chunk(number)),
                }
            }
        }
        assert_eq!(found, 90);
    }

    #[test]
    fn what_a_file_owns_is_found_when_it_is_opened_again() {
        let cache = ChunkCache::new(8 << 20);
        cache.owner_of(&[1, 2]).put(key(0), chunk(0));
        assert!(cache.owner_of(&[1, 2]).get(key(0)).is_some());
        assert!(cache.owner_of(&[1, 3]).get(key(0)).is_none());
    }

    #[test]
    fn chunks_of_a_group_are_found_together() {
        let owner = ChunkCache::new(8 << 20).owner();
        let key = |chunk| ChunkKey { field: 1, part: 2, tile: 3, chunk };
        [0, 5, GROUP - 1, GROUP].into_iter().for_each(|chunk| owner.put(key(chunk), self::chunk(chunk as u64)));
        let there = |chunks: &[usize]| -> Vec<Option<usize>> {
            let mut found = vec![None; chunks.len()];
            owner.get_some(key(0), chunks, &mut found);
            found.iter().map(|found: &Option<Arc<Scratch>>| found.as_ref().map(|bytes| bytes[0].into())).collect()
        };
        assert_eq!(there(&[0, 4, 5, GROUP - 1]), [Some(0), None, Some(5), Some(GROUP - 1)]);
        assert_eq!(there(&[GROUP, GROUP + 5]), [Some(GROUP), None]);
        assert_eq!(there(&[5, GROUP]), [Some(5), None], "of another group");
        assert_eq!((there(&[2 * GROUP]), there(&[])), (vec![None], vec![]));
    }

    #[test]
    fn what_was_asked_for_makes_room_for_what_is_there() {
        let cache = ChunkCache::new(8 << 20);
        let owner = cache.owner();
        assert_eq!([0, 0, 1].map(|number| owner.was_wanted(key(number))), [false, true, false]);
        assert!(owner.get(key(0)).is_none());
        owner.put(key(0), chunk(0));
        assert!(owner.get(key(0)).is_some() && owner.was_wanted(key(0)));
        assert!(held(&cache) > 40_000);
        drop(owner);
        assert_eq!(held(&cache), 0);
    }

    #[test]
    fn a_cache_without_room_keeps_nothing() {
        let owner = ChunkCache::new(0).owner();
        owner.put(key(0), chunk(0));
        assert!(owner.get(key(0)).is_none());
    }
}
