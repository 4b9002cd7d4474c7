//! Prefetched ranges under many schedules, in which no reader and no thread that fetches waits forever.

use super::*;
use tiledb_core::error::Error;
use tiledb_core::sync::atomic::{AtomicUsize, Ordering};
use tiledb_core::sync::{explore, thread};

/// Bytes of the window that are reserved.
fn reserved(window: &PrefetchWindow) -> u64 {
    window.state().0
}

/// Ranges of four bytes, one after the other, each of which is read once.
fn ranges(count: u64, window: &Arc<PrefetchWindow>) -> PrefetchRanges {
    Arc::new((0..count).map(|at| PrefetchRange::new(at * 4..at * 4 + 4, 4, window)).collect())
}

/// The bytes of a file are their offsets.
fn get(offset: u64, out: &mut [u8]) -> Result<()> {
    thread::yield_now();
    out.iter_mut().zip(offset..).for_each(|(byte, at)| *byte = at as u8);
    Ok(())
}

#[test]
fn ranges_are_requested_once_within_the_window_and_read_by_their_readers() {
    explore(|| {
        let window = Arc::new(PrefetchWindow::new(8));
        let ranges = ranges(4, &window);
        let cache = RangeCache::default();
        cache.add(&ranges);
        let (next, requests) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let get = |offset: u64, out: &mut [u8]| {
            requests.fetch_add(1, Ordering::Relaxed);
            // And the range that the reader itself fetches.
            assert!(reserved(&window) <= 8 + 4);
            get(offset, out)
        };
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(range) = ranges.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if !range.prefetch(&get) {
                            return;
                        }
                    }
                });
            }
            for at in [0, 6, 12] {
                let mut out = [0; 6];
                let len = if at == 12 { 4 } else { 6 };
                assert!(cache.read(at, &mut out[..len], &get).unwrap());
                assert!(out[..len].iter().zip(at..).all(|(byte, at)| u64::from(*byte) == at));
            }
            window.close();
        });
        assert_eq!(requests.load(Ordering::Relaxed), 4);
        assert_eq!(reserved(&window), 0);
    });
}

#[test]
fn closed_window_ends_threads_that_wait() {
    explore(|| {
        let window = Arc::new(PrefetchWindow::new(4));
        let ranges = ranges(3, &window);
        thread::scope(|scope| {
            for range in &*ranges {
                scope.spawn(|| range.prefetch(&get));
            }
            window.close();
        });
        assert!(reserved(&window) <= 4);
    });
}

#[test]
fn failed_request_wakes_readers_and_leaves_nothing_reserved() {
    explore(|| {
        let window = Arc::new(PrefetchWindow::new(4));
        let ranges = ranges(1, &window);
        let cache = RangeCache::default();
        cache.add(&ranges);
        let fails = |_: u64, _: &mut [u8]| {
            thread::yield_now();
            Err(Error::internal("no answer"))
        };
        thread::scope(|scope| {
            scope.spawn(|| ranges[0].prefetch(&fails));
            for _ in 0..2 {
                // An error of its own request, or nothing cached.
                scope.spawn(|| assert!(!cache.read(0, &mut [0; 4], &fails).is_ok_and(|is_cached| is_cached)));
            }
        });
        assert_eq!(reserved(&window), 0);
    });
}

#[test]
fn readers_of_one_range_share_its_request() {
    explore(|| {
        let window = Arc::new(PrefetchWindow::new(4));
        let ranges: PrefetchRanges = Arc::new(vec![PrefetchRange::new(0..4, 8, &window)]);
        let cache = RangeCache::default();
        cache.add(&ranges);
        let requests = AtomicUsize::new(0);
        let get = |offset: u64, out: &mut [u8]| {
            requests.fetch_add(1, Ordering::Relaxed);
            get(offset, out)
        };
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut out = [9; 4];
                    assert!(cache.read(0, &mut out, &get).unwrap() && out == [0, 1, 2, 3]);
                });
            }
        });
        assert_eq!((requests.into_inner(), reserved(&window)), (1, 0));
    });
}
