//! The cache of chunks under many schedules.

use super::*;
use crate::limits::simulation::SimulatedLimits;
use crate::pool::scratch;
use crate::sync::{explore, thread};

/// Small chunks come from the allocator, not from the process-wide stack of buffers.
const SIZE: usize = 1000;

fn key(number: u64) -> ChunkKey {
    ChunkKey { field: 0, part: 0, tile: number / 2, chunk: number as usize % 2 }
}

fn chunk(number: u64) -> Scratch {
    let mut bytes = scratch(SIZE).unwrap();
    bytes.fill(number as u8);
    bytes
}

fn cache(limit: usize) -> ChunkCache {
    ChunkCache::new(limit as u64, &Stats::unlisted())
}

/// Bytes of all entries, which have to be those that were counted.
fn checked_size(cache: &ChunkCache) -> usize {
    let cached_bytes = cache.0.shards.iter().map(|shard| shard.try_lock().unwrap().checked_size()).sum();
    assert_eq!(cache.0.bytes.load(Ordering::Relaxed), cached_bytes);
    assert_eq!(cache.0.stats.get(Counter::ChunkCacheBytes).unwrap_or(0), cached_bytes as u64);
    cached_bytes
}

/// Explores with chunks of half the cache's size allowed.
fn explore_small(test: impl Fn() + Send + Sync + 'static) {
    SimulatedLimits::new(&[(&MAX_CHUNK_PART, 1)]).run(|| explore(test));
}

/// Reads a chunk as queries do: looks it up and inserts it if it is missing.
fn read(owner: &ChunkOwner, number: u64, value: u64) {
    match owner.get(key(number)) {
        Some(bytes) => assert!(bytes.iter().all(|&byte| byte == value as u8), "a chunk of another key"),
        None => owner.put(key(number), chunk(value)),
    }
}

#[test]
fn chunks_are_those_of_their_key_and_bytes_are_counted() {
    explore_small(|| {
        let limit = 4000;
        let cache = cache(limit);
        let owners = [cache.owner_of(&0), cache.owner_of(&1)];
        thread::scope(|scope| {
            for first in 0..3 {
                let owners = &owners;
                scope.spawn(move || {
                    for number in [first, first + 1, 5] {
                        read(&owners[0], number, number);
                        read(&owners[1], number, 100 + number);
                    }
                });
            }
        });
        let cached_bytes = checked_size(&cache);
        assert!(cached_bytes <= limit, "{cached_bytes}");
    });
}

#[test]
fn chunks_of_owners_that_are_dropped_together_are_removed() {
    explore(|| {
        let cache = cache(1 << 20);
        let owners = [cache.owner(), cache.owner(), cache.owner()];
        owners.iter().enumerate().for_each(|(number, owner)| owner.put(key(number as u64), chunk(0)));
        thread::scope(|scope| owners.into_iter().for_each(|owner| _ = scope.spawn(|| drop(owner))));
        assert_eq!(checked_size(&cache), 0);
        assert_eq!(cache.0.temporary.load(Ordering::Relaxed), 0);
    });
}

#[test]
fn chunks_of_an_owner_that_is_dropped_during_lookups_of_others_are_removed() {
    explore(|| {
        let cache = cache(1 << 20);
        let (file, open) = (cache.owner_of(&0), cache.owner());
        (0..4).for_each(|number| open.put(key(number), chunk(number)));
        thread::scope(|scope| {
            scope.spawn(|| drop(open));
            scope.spawn(|| (0..4).for_each(|number| read(&file, number, number)));
        });
        // What was in use is removed with the next owner.
        let next = cache.owner();
        next.put(key(0), chunk(0));
        drop(next);
        let entry = CacheEntry::new(0, Some(Arc::new(chunk(0)))).size();
        let cached_bytes = checked_size(&cache);
        assert!(cached_bytes.is_multiple_of(entry) && cached_bytes <= 4 * entry, "{cached_bytes}");
    });
}

#[test]
fn chunk_is_not_replaced_by_a_request_for_it() {
    explore(|| {
        let cache = cache(1 << 20);
        let owner = cache.owner_of(&0);
        let is_cached = thread::scope(|scope| {
            scope.spawn(|| owner.was_requested(key(0)));
            let put = scope.spawn(|| {
                owner.put_entry(GroupKey::of(owner.id, key(0)), Some(Arc::new(chunk(0))));
                owner.has(key(0))
            });
            put.join().unwrap()
        });
        // Contention may have kept it out, but nothing replaces it.
        assert!(!is_cached || owner.has(key(0)), "the chunk was replaced");
    });
}
