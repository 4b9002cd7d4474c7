//! One shard of the chunk cache: CLOCK eviction over groups of chunks that are looked up together.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

use super::Scratch;

/// Which chunk of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkKey {
    /// Index of the field in the fragment.
    pub field: usize,
    /// The part of the field.
    pub part: u8,
    pub tile: u64,
    /// The chunk of the tile.
    pub chunk: usize,
}

/// Consecutive chunks of a tile that are looked up together.
pub const GROUP: usize = 16;

/// Identifies a group of chunks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupKey {
    /// Hash of all other fields.
    hash: u64,
    owner: u128,
    field: usize,
    part: u8,
    tile: u64,
    group: usize,
}

impl GroupKey {
    /// The group of a chunk, and its index in the group.
    pub(super) fn of(owner: u128, ChunkKey { field, part, tile, chunk }: ChunkKey) -> (GroupKey, u8) {
        let group = chunk / GROUP;
        let words = [owner as u64, (owner >> 64) as u64, field as u64 ^ u64::from(part) << 32, tile, group as u64];
        // Fibonacci hashing, one multiplication per word: owner IDs are unpredictable, so no keyed hash is needed.
        let hash = words.iter().fold(0, |hash, word| {
            let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
            product as u64 ^ (product >> 64) as u64
        });
        (GroupKey { hash, owner, field, part, tile, group }, (chunk % GROUP) as u8)
    }

    /// Shard index. Uses the middle bits of the hash, since hash tables use the lowest and the highest ones.
    pub(super) fn shard(&self, count: usize) -> usize {
        (self.hash >> 40) as usize % count
    }
}

impl Hash for GroupKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Keys have their hash with them.
#[derive(Default)]
struct PrecomputedHasher(u64);

impl Hasher for PrecomputedHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Entries by groups.
#[derive(Default)]
pub(super) struct CacheShard {
    groups: HashMap<GroupKey, Vec<CacheEntry>, BuildHasherDefault<PrecomputedHasher>>,
    /// Every entry once, in the order in which they are considered for removal.
    queue: VecDeque<(GroupKey, u8)>,
}

/// A chunk, or the wish for it.
pub(super) struct CacheEntry {
    /// Index in the group, the sort key of its entries.
    place: u8,
    /// Used since the eviction scan last passed it.
    used: bool,
    bytes: Option<Arc<Scratch>>,
}

/// Approximate overhead of an entry in bytes.
const ENTRY: usize = 256;

impl CacheEntry {
    /// An entry without or with bytes.
    pub(super) fn new(place: u8, bytes: Option<Arc<Scratch>>) -> CacheEntry {
        CacheEntry { place, used: false, bytes }
    }

    /// Bytes that it takes.
    pub(super) fn size(&self) -> usize {
        ENTRY + self.bytes.as_ref().map_or(0, |bytes| bytes.capacity())
    }

    /// The cached bytes; marks the entry as used.
    pub(super) fn get(&mut self) -> &Option<Arc<Scratch>> {
        self.used = true;
        &self.bytes
    }

    /// True if it has bytes.
    pub(super) fn is_full(&self) -> bool {
        self.bytes.is_some()
    }
}

/// The entry at an index of a group.
pub(super) fn entry_at(group: &mut [CacheEntry], place: u8) -> Option<&mut CacheEntry> {
    find(group, place).ok().map(|at| &mut group[at])
}

fn find(group: &[CacheEntry], place: u8) -> Result<usize, usize> {
    // Without gaps, an entry is at its index.
    if group.get(usize::from(place)).is_some_and(|entry| entry.place == place) {
        return Ok(usize::from(place));
    }
    group.binary_search_by_key(&place, |entry| entry.place)
}

impl CacheShard {
    /// The entries of a group.
    pub(super) fn group(&mut self, key: &GroupKey) -> Option<&mut [CacheEntry]> {
        self.groups.get_mut(key).map(Vec::as_mut_slice)
    }

    pub(super) fn entry(&mut self, key: &GroupKey, place: u8) -> Option<&mut CacheEntry> {
        entry_at(self.group(key)?, place)
    }

    /// Inserts an entry; returns the size of the one it replaces. A request replaces no chunk that another thread inserted meanwhile:
    /// then it is the size of the request.
    pub(super) fn put(&mut self, key: GroupKey, entry: CacheEntry) -> usize {
        let group = self.groups.entry(key).or_default();
        match find(group, entry.place) {
            Ok(at) if group[at].is_full() && !entry.is_full() => entry.size(),
            Ok(at) => std::mem::replace(&mut group[at], entry).size(),
            Err(at) => {
                self.queue.push_back((key, entry.place));
                group.insert(at, entry);
                0
            }
        }
    }

    /// Evicts an entry that was not used since the scan last passed it; returns its size, or `None` if there is none.
    pub(super) fn evict_next(&mut self) -> Option<usize> {
        for _ in 0..self.queue.len() {
            let (key, place) = self.queue.pop_front()?;
            match self.entry(&key, place) {
                Some(entry) if entry.used => {
                    entry.used = false;
                    self.queue.push_back((key, place));
                }
                _ => return Some(self.remove(&key, place)),
            }
        }
        None
    }

    fn remove(&mut self, key: &GroupKey, place: u8) -> usize {
        let Some(group) = self.groups.get_mut(key) else { return 0 };
        let size = find(group, place).map_or(0, |at| group.remove(at).size());
        if group.is_empty() {
            self.groups.remove(key);
        }
        size
    }

    /// Removes the entries of these owners; returns their size.
    pub(super) fn remove_owners(&mut self, owners: &HashSet<u128>) -> usize {
        let mut bytes = 0;
        self.groups.retain(|key, group| {
            let stays = !owners.contains(&key.owner);
            if !stays {
                bytes += group.iter().map(CacheEntry::size).sum::<usize>();
            }
            stays
        });
        self.queue.retain(|(key, _)| !owners.contains(&key.owner));
        bytes
    }

    /// The bytes of all entries, after a look whether each is in the queue.
    #[cfg(test)]
    pub(super) fn checked_size(&self) -> usize {
        let entries = || self.groups.values().flatten();
        assert_eq!(entries().count(), self.queue.len());
        assert!(self.groups.values().all(|group| !group.is_empty()));
        entries().map(CacheEntry::size).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::scratch;

    const OWNER: u128 = 7 << 64 | 9;

    fn key(chunk: usize) -> (GroupKey, u8) {
        GroupKey::of(OWNER, ChunkKey { field: 1, part: 2, tile: 3, chunk })
    }

    fn full(place: u8) -> CacheEntry {
        CacheEntry::new(place, Some(Arc::new(scratch(1000).unwrap())))
    }

    fn put(shard: &mut CacheShard, chunk: usize) {
        let (key, place) = key(chunk);
        assert_eq!(shard.put(key, full(place)), 0);
    }

    fn has(shard: &mut CacheShard, chunk: usize) -> bool {
        let (key, place) = key(chunk);
        // Without a mark that it is used.
        shard.group(&key).is_some_and(|group| group.iter().any(|entry| entry.place == place))
    }

    #[test]
    fn eviction_passes_over_entries_that_were_used_once() {
        let mut shard = CacheShard::default();
        let chunks = [3, 0, 20, 1];
        chunks.iter().for_each(|chunk| put(&mut shard, *chunk));
        let used = key(3);
        assert!(shard.entry(&used.0, used.1).unwrap().get().is_some());
        let mut order = Vec::new();
        while let Some(bytes) = shard.evict_next() {
            assert!(bytes > ENTRY + 999);
            let gone = chunks.into_iter().filter(|chunk| !order.contains(chunk) && !has(&mut shard, *chunk));
            order.extend(gone.collect::<Vec<_>>());
            shard.checked_size();
        }
        assert_eq!(order, [0, 20, 1, 3]);
        assert_eq!(shard.checked_size(), 0);
    }

    #[test]
    fn eviction_of_used_entries_only_takes_a_second_scan() {
        let mut shard = CacheShard::default();
        for chunk in 0..3 {
            put(&mut shard, chunk);
            let (key, place) = key(chunk);
            _ = shard.entry(&key, place).unwrap().get();
        }
        assert_eq!(shard.evict_next(), None);
        assert!(shard.evict_next().is_some() && !has(&mut shard, 0) && has(&mut shard, 1));
    }

    #[test]
    fn request_does_not_replace_a_chunk() {
        let mut shard = CacheShard::default();
        let (key, place) = key(5);
        let request = || CacheEntry::new(place, None);
        assert_eq!(shard.put(key, request()), 0);
        assert_eq!(shard.put(key, full(place)), ENTRY, "of the request");
        assert_eq!(shard.put(key, request()), ENTRY, "of the request that has no effect");
        assert!(shard.entry(&key, place).unwrap().is_full());
        let size = shard.checked_size();
        assert_eq!(shard.put(key, full(place)), size, "a chunk replaces a chunk");
        assert_eq!(shard.checked_size(), size);
    }

    #[test]
    fn entries_of_a_group_are_looked_up_by_index() {
        let mut shard = CacheShard::default();
        let chunks = [4, 0, 1, GROUP - 1, GROUP + 2];
        for (number, chunk) in chunks.into_iter().enumerate() {
            put(&mut shard, chunk);
            for other in 0..2 * GROUP {
                let (key, place) = key(other);
                let is_there = shard.entry(&key, place).is_some_and(|entry| entry.place == place);
                assert_eq!(is_there, chunks[..=number].contains(&other), "{other} after {chunk}");
            }
        }
    }

    #[test]
    fn entries_of_other_owners_stay() {
        let mut shard = CacheShard::default();
        put(&mut shard, 0);
        put(&mut shard, 1);
        let size = shard.checked_size();
        let (other, place) = GroupKey::of(8, ChunkKey { field: 1, part: 2, tile: 3, chunk: 0 });
        shard.put(other, full(place));
        assert_eq!(shard.remove_owners(&HashSet::from([OWNER])), size);
        assert!(shard.group(&other).is_some() && !has(&mut shard, 0));
        shard.checked_size();
    }
}
