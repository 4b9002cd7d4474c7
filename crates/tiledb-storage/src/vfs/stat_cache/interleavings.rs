//! Cached metadata of files that change, under many schedules.

use super::*;
use tiledb_core::sync::atomic::{AtomicU64, Ordering};
use tiledb_core::sync::{explore, thread};

/// A file whose content is its version, which its stamp has as well.
#[derive(Default)]
struct File(AtomicU64);

impl File {
    fn stamp(&self) -> Stamp {
        Stamp { device: 1, inode: self.0.load(Ordering::SeqCst), size: 2, changed: (3, 4), clock: 0 }
    }

    fn write(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// The content, cached or parsed; as readers of metadata do, with the stamp from before the read.
    fn read(&self, cache: &StatCache, uri: &Uri) -> u64 {
        if let Some(content) = cache.get::<u64>(uri, || Some(self.stamp())) {
            return *content;
        }
        let stamp = self.stamp();
        let content = Arc::new(self.0.load(Ordering::SeqCst));
        // A file that changed meanwhile is not cached.
        if self.stamp() == stamp {
            cache.insert(uri, stamp, &content, 8);
        }
        *content
    }
}

fn uri(number: usize) -> Uri {
    Uri::parse(&format!("mem://file/{number}")).unwrap()
}

/// What the statistics say are the bytes of the entries.
fn assert_counted(cache: &StatCache) {
    let entries = cache.entries.lock();
    assert_eq!(entries.bytes, entries.by_name.values().map(|entry| entry.bytes).sum::<usize>());
    assert!(entries.bytes <= METADATA_CACHE_BYTES.count());
    assert_eq!(cache.stats.get(Counter::MetadataCacheBytes), Some(entries.bytes as u64));
}

#[test]
fn readers_of_changing_files_see_what_was_there_during_their_read() {
    explore(|| {
        let cache = StatCache::new(&Stats::unlisted());
        let files = [File::default(), File::default()];
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for number in [0, 1, 0] {
                        let file = &files[number];
                        let before = file.0.load(Ordering::SeqCst);
                        let content = file.read(&cache, &uri(number));
                        assert!((before..=file.0.load(Ordering::SeqCst)).contains(&content), "stale content");
                    }
                });
            }
            scope.spawn(|| [0, 1, 0].map(|number| files[number].write()));
        });
        assert_counted(&cache);
        let hits = [Counter::MetadataCacheHits, Counter::MetadataCacheMisses].map(|counter| cache.stats.get(counter));
        assert_eq!(hits.map(Option::unwrap_or_default).iter().sum::<u64>(), 6);
    });
}

#[test]
fn entries_that_are_evicted_by_several_threads_are_counted_and_dropped_once() {
    /// Notices when it is dropped under the lock of the cache.
    struct Value<'c>(&'c StatCache, &'c AtomicU64);

    impl Drop for Value<'_> {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::SeqCst);
            assert!(self.0.entries.lock().by_name.len() <= 10);
        }
    }

    explore(|| {
        // Cached values are `'static`, and refer to these.
        let cache: &'static StatCache = Box::leak(Box::new(StatCache::new(&Stats::unlisted())));
        let dropped: &'static AtomicU64 = Box::leak(Box::new(AtomicU64::new(0)));
        // Ten fit.
        let bytes = METADATA_CACHE_BYTES.count() / 10 - ENTRY_OVERHEAD;
        thread::scope(|scope| {
            for first in [0, 100] {
                scope.spawn(move || {
                    for number in first..first + 12 {
                        cache.insert(&uri(number), File::default().stamp(), &Arc::new(Value(cache, dropped)), bytes);
                    }
                });
            }
        });
        assert_counted(cache);
        let cached = cache.entries.lock().by_name.len() as u64;
        assert_eq!(cached + dropped.load(Ordering::SeqCst), 24);
        assert!(cache.stats.get(Counter::MetadataCacheEvictions) > Some(0));
        let entries = std::mem::take(&mut *cache.entries.lock());
        drop(entries);
        assert_eq!(dropped.load(Ordering::SeqCst), 24);
    });
}
