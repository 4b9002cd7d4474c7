//! Decoded chunks kept for queries that follow: one cache per context, capped in bytes.
//!
//! Chunks belong to an [`Owner`]: a file that storage can tell from all others, whose chunks stay when it is closed and
//! are found when it is opened again; or an open fragment, with which they go. Nobody waits: a busy shard is passed over.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Scratch;
use crate::fork::Lock;

const SHARDS: usize = 8;

/// The cache. A clone costs a counter and is the same cache.
#[derive(Clone)]
pub struct ChunkCache(Arc<Inner>);

struct Inner {
    /// Names of files are made of what these two make of their stamps, so that no two files have one name.
    names: [RandomState; 2],
    /// Bytes that a shard may hold.
    shard_limit: usize,
    shards: [Lock<Shard>; SHARDS],
}

/// Which chunk of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkKey {
    /// The field's place in the fragment.
    pub field: usize,
    /// The part of the field.
    pub part: u8,
    /// The tile.
    pub tile: u64,
    /// The chunk of the tile.
    pub chunk: usize,
}

/// Hashes keys with one multiplication per word: their owners are named by what nobody can foresee.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        // The fraction of the golden ratio.
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Default)]
struct Shard {
    entries: HashMap<(u128, ChunkKey), Entry, BuildHasherDefault<KeyHasher>>,
    /// Every entry once, in the order in which they are considered for removal.
    queue: VecDeque<(u128, ChunkKey)>,
    bytes: usize,
}

struct Entry {
    /// Nothing if it was only asked for.
    bytes: Option<Arc<Scratch>>,
    /// Asked for since it was last considered.
    used: bool,
}

impl ChunkCache {
    /// A cache of at most `limit` bytes; 0 keeps nothing.
    pub fn new(limit: u64) -> ChunkCache {
        let shard_limit = usize::try_from(limit).unwrap_or(usize::MAX) / SHARDS;
        let names = [RandomState::new(), RandomState::new()];
        ChunkCache(Arc::new(Inner { names, shard_limit, shards: Default::default() }))
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

    fn shard(&self, key: &(u128, ChunkKey)) -> &Lock<Shard> {
        let mut hasher = KeyHasher::default();
        key.hash(&mut hasher);
        // Tables take the lowest and the highest bits.
        &self.0.shards[(hasher.finish() >> 40) as usize % SHARDS]
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
        let key = (self.id, key);
        let mut shard = self.cache.shard(&key).try_lock()?;
        let entry = shard.entries.get_mut(&key)?;
        entry.used = true;
        entry.bytes.clone()
    }

    /// True if this was asked for before; from now on it was.
    pub fn was_wanted(&self, key: ChunkKey) -> bool {
        let (key, limit) = ((self.id, key), self.cache.0.shard_limit);
        if ENTRY > limit / 2 {
            return false;
        }
        let Some(mut shard) = self.cache.shard(&key).try_lock() else { return false };
        if let Some(entry) = shard.entries.get_mut(&key) {
            entry.used = true;
            return true;
        }
        shard.make_room(limit - ENTRY);
        shard.put(key, None);
        false
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
        let (key, limit, size) = ((self.id, key), self.cache.0.shard_limit, bytes.capacity());
        if size + ENTRY > limit / 2 {
            return;
        }
        let Some(mut shard) = self.cache.shard(&key).try_lock() else { return };
        if shard.entries.get(&key).is_some_and(|entry| entry.bytes.is_some()) {
            return;
        }
        shard.make_room(limit - size - ENTRY);
        shard.put(key, Some(Arc::clone(bytes)));
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        for shard in &self.cache.0.shards {
            if let Some(mut shard) = shard.try_lock() {
                shard.forget(self.id);
            }
        }
    }
}

/// What an entry takes beside its bytes, about.
const ENTRY: usize = 256;

impl Entry {
    fn size(&self) -> usize {
        ENTRY + self.bytes.as_ref().map_or(0, |bytes| bytes.capacity())
    }
}

impl Shard {
    /// Puts an entry in, in place of one without bytes.
    fn put(&mut self, key: (u128, ChunkKey), bytes: Option<Arc<Scratch>>) {
        let entry = Entry { bytes, used: false };
        self.bytes += entry.size();
        match self.entries.insert(key, entry) {
            Some(before) => self.bytes -= before.size(),
            None => self.queue.push_back(key),
        }
    }

    /// Removes entries until at most `limit` bytes are left.
    fn make_room(&mut self, limit: usize) {
        while self.bytes > limit
            && let Some(key) = self.queue.pop_front()
        {
            match self.entries.get_mut(&key) {
                Some(entry) if entry.used => {
                    entry.used = false;
                    self.queue.push_back(key);
                }
                _ => self.remove(&key),
            }
        }
    }

    fn remove(&mut self, key: &(u128, ChunkKey)) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= entry.size();
        }
    }

    fn forget(&mut self, owner: u128) {
        let mut queue = std::mem::take(&mut self.queue);
        queue.retain(|key| {
            let stays = key.0 != owner;
            if !stays {
                self.remove(key);
            }
            stays
        });
        self.queue = queue;
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
        let sum = |shard: &Lock<Shard>| {
            let shard = shard.lock();
            assert_eq!(shard.entries.len(), shard.queue.len());
            assert_eq!(shard.bytes, shard.entries.values().map(Entry::size).sum::<usize>());
            shard.bytes
        };
        cache.0.shards.iter().map(sum).sum()
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
    fn what_a_file_owns_is_found_when_it_is_opened_again() {
        let cache = ChunkCache::new(8 << 20);
        cache.owner_of(&[1, 2]).put(key(0), chunk(0));
        assert!(cache.owner_of(&[1, 2]).get(key(0)).is_some());
        assert!(cache.owner_of(&[1, 3]).get(key(0)).is_none());
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
