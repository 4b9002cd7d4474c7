//! Chunks of open objects under many schedules.

use super::*;
use tiledb_core::error::Error;
use tiledb_core::sync::{explore, thread};

/// A byte of an object.
fn byte(object: u8, at: u64) -> u8 {
    object * 100 + at as u8
}

/// Reads an object as those of a store do: from the cache, or by a request whose bytes are inserted.
fn read(cache: &ReadCache, object: u8, offset: u64, len: usize) {
    let mut out = vec![0; len];
    let is_cached = cache.read(offset, &mut out, &|_, _| Err(Error::internal("nothing is prefetched"))).unwrap();
    if !is_cached {
        let size = cache.fetch_size(offset, len).min(16);
        thread::yield_now();
        let bytes: Vec<u8> = (offset..offset + size as u64).map(|at| byte(object, at)).collect();
        out.copy_from_slice(&bytes[..len]);
        cache.insert(offset, bytes);
    }
    assert!(
        out.iter().zip(offset..).all(|(actual, at)| *actual == byte(object, at)),
        "bytes of another object or place"
    );
}

#[test]
fn readers_of_several_objects_see_their_own_bytes_and_dropped_objects_leave_none() {
    explore(|| {
        let stats = Stats::unlisted();
        let read_ahead = Arc::new(ReadAheadCache::new(24, &stats));
        let shared = ReadCache::new(&read_ahead);
        thread::scope(|scope| {
            for object in [1, 2] {
                let (shared, read_ahead) = (&shared, &read_ahead);
                scope.spawn(move || {
                    let own = ReadCache::new(read_ahead);
                    for offset in [0, 4, 2] {
                        read(&own, object, offset, 4);
                        read(shared, 0, offset + u64::from(object), 4);
                    }
                });
            }
        });
        let chunks = read_ahead.chunks();
        assert!(chunks.iter().all(|(object, _)| *object == shared.object), "an object that was dropped has chunks");
        let bytes: usize = chunks.iter().map(|(_, chunk)| chunk.bytes.len()).sum();
        drop(chunks);
        assert!(bytes <= 24);
        assert_eq!(stats.get(Counter::ReadAheadBytes), Some(bytes as u64));
        drop(shared);
        assert!(read_ahead.chunks().is_empty());
        assert_eq!(stats.get(Counter::ReadAheadBytes), Some(0));
    });
}
