//! Prefetching (read-ahead) of known ranges of files on remote storage.
//!
//! Nearby ranges are coalesced into one request, large ones are divided, and several requests run concurrently while
//! the readers process what has arrived. The buffered bytes are bounded by a window, which readers release as they
//! read.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::ReadFile;
use super::concurrent::first_error;
use super::range_cache::{PrefetchRange, PrefetchRanges, PrefetchWindow};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::pool::run_with_helpers;

/// Policy for coalescing ranges into requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoalescingPolicy {
    /// Coalesce ranges whose gap is at most this many bytes (`vfs.min_batch_gap`).
    pub(super) gap: u64,
    /// Coalesce ranges that span at most this many bytes if at least half of them are needed (`vfs.min_batch_size`).
    pub(super) small: u64,
    /// Maximum size of a coalesced read (`vfs.max_batch_size`).
    pub(super) most: u64,
    /// Divide ranges larger than this among concurrent requests (`vfs.min_parallel_size`).
    pub(super) divided: u64,
}

impl Default for CoalescingPolicy {
    fn default() -> CoalescingPolicy {
        CoalescingPolicy { gap: 512_000, small: 20 << 20, most: 100 << 20, divided: 10 << 20 }
    }
}

impl CoalescingPolicy {
    /// The policy of a configuration.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub(super) fn new(config: &Config) -> Result<CoalescingPolicy> {
        Ok(CoalescingPolicy {
            gap: config.u64("vfs.min_batch_gap")?,
            small: config.u64("vfs.min_batch_size")?,
            most: config.u64("vfs.max_batch_size")?.max(1),
            divided: config.u64("vfs.min_parallel_size")?.max(1),
        })
    }

    /// The policy for a window of `room` bytes if `bytes` are needed in total: if they do not fit, requests take at
    /// most half the window, so that one is in flight while another is read.
    pub(super) fn within(&self, room: u64, bytes: u64) -> CoalescingPolicy {
        let most = if bytes > room { room / 2 } else { room };
        let most = self.most.min(most.max(64 << 10));
        CoalescingPolicy { most, small: self.small.min(most), ..*self }
    }

    /// Coalesces the ranges of one file, which ascend.
    fn merge(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let mut merged: Vec<(Range<u64>, u64)> = Vec::new();
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            if let Some((last, bytes)) = merged.last_mut() {
                let (end, more) = (last.end.max(range.end), range.end.saturating_sub(last.end.max(range.start)));
                let all = end - last.start;
                let is_close = range.start.saturating_sub(last.end) <= self.gap;
                if is_close || (all <= self.small && (*bytes + more) * 2 >= all) {
                    (last.end, *bytes) = (end, *bytes + more);
                    continue;
                }
            }
            merged.push((range.clone(), range.end - range.start));
        }
        merged.into_iter().map(|(range, _)| range).collect()
    }

    /// Divides a coalesced range into requests.
    fn cut(&self, range: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let len = range.end - range.start;
        let parts = (len / self.divided).max(len.div_ceil(self.most)).max(1);
        let (start, end, step) = (range.start, range.end, len.div_ceil(parts));
        (0..parts).map(move |part| (start + part * step).min(end)..(start + (part + 1) * step).min(end))
    }
}

/// Runs `work`, which reads these ranges of files, and prefetches them: at most `concurrency` requests at a time, and
/// about `room` bytes that were not read yet.
pub(super) fn prefetch<T>(
    ranges: Vec<(ReadFile, Range<u64>)>,
    (coalescing, concurrency, room): (&CoalescingPolicy, usize, u64),
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let window = Arc::new(PrefetchWindow::new(room));
    let (mut files, mut places) = (Vec::<(ReadFile, Vec<Range<u64>>)>::new(), HashMap::new());
    for (file, range) in ranges {
        let place = *places.entry(file.address()).or_insert(files.len());
        match files.get_mut(place) {
            Some(cache) => cache.1.push(range),
            None => files.push((file, vec![range])),
        }
    }
    let files: Vec<(ReadFile, PrefetchRanges)> =
        files.into_iter().map(|(file, ranges)| (file, Arc::new(pieces(ranges, coalescing, &window)))).collect();
    let _cached = CachedRanges::new(&files);
    let all: Vec<(&ReadFile, &PrefetchRange)> =
        files.iter().flat_map(|(file, pieces)| pieces.iter().map(move |piece| (file, piece))).collect();
    // More requests than fit in the window would only wait and hold memory.
    let bytes: u64 = all.iter().map(|(_, piece)| piece.range.end - piece.range.start).sum();
    let fitting = room / (bytes / all.len().max(1) as u64).max(1) + 1;
    let concurrency = concurrency.min(usize::try_from(fitting).unwrap_or(usize::MAX));
    let next = AtomicUsize::new(0);
    let fetch = || {
        while let Some((file, piece)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !piece.prefetch(&|offset, out| file.read_uncached(offset, out)) {
                return;
            }
        }
    };
    // A single range is fetched by its reader.
    let helpers = concurrency.min(if all.len() > 1 { all.len() } else { 0 });
    run_with_helpers(helpers, "tiledb-prefetch", &fetch, || {
        // Threads that wait for the window end even if `work` panics.
        let _closes = CloseOnDrop(&window);
        work()
    })
}

/// Requests ranges of files that the host program has not supplied yet, in the order in which they are read, about `room` bytes of
/// them.
///
/// # Errors
/// `Pending` if any is requested.
pub(super) fn demand(ranges: &[(ReadFile, Range<u64>)], (coalescing, room): (&CoalescingPolicy, u64)) -> Result<()> {
    let mut bytes = 0;
    let mut files = Vec::<(&ReadFile, Vec<Range<u64>>)>::new();
    for (file, range) in ranges {
        bytes += range.end - range.start;
        if bytes > room && !files.is_empty() {
            break;
        }
        match files.iter_mut().find(|(other, _)| other.address() == file.address()) {
            Some((_, ranges)) => ranges.push(range.clone()),
            None => files.push((file, vec![range.clone()])),
        }
    }
    first_error(files.into_iter().map(|(file, mut ranges)| {
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let merged = coalescing.merge(&ranges);
        file.demand(merged.iter().flat_map(|merged| coalescing.cut(merged)))
    }))
}

/// Closes a window on drop.
struct CloseOnDrop<'w>(&'w PrefetchWindow);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Ranges in the caches of their files, removed on drop.
struct CachedRanges<'f>(&'f [(ReadFile, PrefetchRanges)]);

impl CachedRanges<'_> {
    fn new(files: &[(ReadFile, PrefetchRanges)]) -> CachedRanges<'_> {
        files.iter().for_each(|(file, pieces)| file.prefetched().into_iter().for_each(|cache| cache.add(pieces)));
        CachedRanges(files)
    }
}

impl Drop for CachedRanges<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|(file, pieces)| file.prefetched().into_iter().for_each(|cache| cache.remove(pieces)));
    }
}

/// The requests for the ranges of a file.
fn pieces(
    mut requested: Vec<Range<u64>>,
    coalescing: &CoalescingPolicy,
    window: &Arc<PrefetchWindow>,
) -> Vec<PrefetchRange> {
    requested.sort_unstable_by_key(|range| (range.start, range.end));
    // Equal ranges are read once.
    requested.dedup();
    let ranges: Vec<Range<u64>> =
        coalescing.merge(&requested).iter().flat_map(|merged| coalescing.cut(merged)).collect();
    let mut bytes = vec![0; ranges.len()];
    for range in requested {
        let first = ranges.partition_point(|piece| piece.end <= range.start);
        for (piece, bytes) in ranges[first..].iter().zip(&mut bytes[first..]) {
            *bytes += range.end.min(piece.end).saturating_sub(range.start.max(piece.start));
            if piece.end >= range.end {
                break;
            }
        }
    }
    ranges.into_iter().zip(bytes).map(|(range, bytes)| PrefetchRange::new(range, bytes, window)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use proptest::prelude::*;

    use super::super::ReadAt;
    use super::super::range_cache::RangeCache;
    use super::*;
    use tiledb_core::error::Error;

    /// A file whose bytes are a function of their offsets, which counts requests.
    #[derive(Default)]
    struct RemoteFile {
        cache: RangeCache,
        requests: Arc<AtomicUsize>,
        fails: Arc<AtomicBool>,
        /// Bytes in flight now, and their maximum.
        coming: Arc<[AtomicUsize; 2]>,
    }

    const LEN: u64 = 10_000;

    impl ReadAt for RemoteFile {
        fn len(&self) -> u64 {
            LEN
        }

        fn check(&self, _: u64, _: u64) -> Result<()> {
            Ok(())
        }

        fn prefetched(&self) -> Option<&RangeCache> {
            Some(&self.cache)
        }

        fn read_uncached(&self, offset: u64, out: &mut [u8]) -> Result<()> {
            self.requests.fetch_add(1, Ordering::Relaxed);
            if self.fails.load(Ordering::Relaxed) {
                return Err(Error::internal("no answer"));
            }
            let coming = self.coming[0].fetch_add(out.len(), Ordering::SeqCst) + out.len();
            self.coming[1].fetch_max(coming, Ordering::SeqCst);
            std::thread::yield_now();
            out.iter_mut().zip(offset..).for_each(|(byte, at)| *byte = (at % 251) as u8);
            self.coming[0].fetch_sub(out.len(), Ordering::SeqCst);
            Ok(())
        }

        fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
            if self.cache.read(offset, out, &|at, out| self.read_uncached(at, out))? {
                Ok(())
            } else {
                self.read_uncached(offset, out)
            }
        }
    }

    fn read(file: &ReadFile, range: &Range<u64>) -> Result<bool> {
        let mut out = vec![0; (range.end - range.start) as usize];
        file.read_at(range.start, &mut out)?;
        Ok(out.iter().zip(range.start..).all(|(byte, at)| *byte == (at % 251) as u8))
    }

    const POLICY: CoalescingPolicy = CoalescingPolicy { gap: 10, small: 100, most: 400, divided: 200 };

    #[test]
    fn ranges_become_few_requests() {
        let ends = |range: Range<u64>| (range.start, range.end);
        let merge = |requested: &[Range<u64>]| {
            POLICY.merge(requested).iter().flat_map(|range| POLICY.cut(range)).map(ends).collect::<Vec<_>>()
        };
        assert_eq!(merge(&[0..5, 15..20]), [(0, 20)]);
        assert_eq!(merge(&[0..5, 16..20]), [(0, 5), (16, 20)]);
        assert_eq!(merge(&[0..30, 50..80]), [(0, 80)]);
        assert_eq!(merge(&[0..30, 3..3, 10..20]), [(0, 30)]);
        assert_eq!(merge(std::slice::from_ref(&(0..399))), [(0, 399)]);
        assert_eq!(merge(std::slice::from_ref(&(0..400))), [(0, 200), (200, 400)]);
        assert_eq!(
            CoalescingPolicy { divided: 5000, ..POLICY }.cut(&(0..1000)).map(ends).collect::<Vec<_>>(),
            [(0, 334), (334, 668), (668, 1000)]
        );
    }

    proptest! {
        #[test]
        fn all_that_is_read_is_right(
            requested in prop::collection::vec((0..LEN - 600, 0u64..600), 0..40),
            others in prop::collection::vec((0..LEN - 600, 0u64..600), 0..10),
            room in 0u64..3000,
            concurrency in 1usize..5,
        ) {
            let remote = RemoteFile::default();
            let file = ReadFile::new(remote);
            let ranges = |list: &[(u64, u64)]| list.iter().map(|&(at, len)| at..at + len).collect::<Vec<_>>();
            let (requested, others) = (ranges(&requested), ranges(&others));
            let list = requested.iter().map(|range| (file.clone(), range.clone())).collect();
            let right = prefetch(list, (&POLICY, concurrency, room), || {
                requested.iter().chain(&others).chain(requested.iter().rev()).try_fold(true, |right, range| Ok(right & read(&file, range)?))
            });
            prop_assert!(right.unwrap());
            prop_assert!(file.prefetched().unwrap().is_empty());
        }
    }

    #[test]
    fn range_read_once_is_requested_once() {
        let remote = RemoteFile::default();
        let (requests, fails) = (Arc::clone(&remote.requests), Arc::clone(&remote.fails));
        let file = ReadFile::new(remote);
        let requested: Vec<Range<u64>> = (0..100).map(|tile| tile * 100..tile * 100 + 90).collect();
        let list = || requested.iter().map(|range| (file.clone(), range.clone())).collect();
        let all = || requested.iter().try_fold(true, |right, range| Ok(right & read(&file, range)?));
        assert!(prefetch(list(), (&POLICY, 4, 1000), all).unwrap());
        assert_eq!(requests.load(Ordering::Relaxed), 49);
        fails.store(true, Ordering::Relaxed);
        assert!(prefetch(list(), (&POLICY, 4, 1000), all).is_err());
        fails.store(false, Ordering::Relaxed);
        assert!(prefetch(list(), (&POLICY, 4, 1000), all).unwrap());
    }

    #[test]
    fn panic_of_the_work_ends_threads_that_wait_and_leaves_nothing_cached() {
        let file = ReadFile::new(RemoteFile::default());
        let list = (0..40).map(|tile| (file.clone(), tile * 250..tile * 250 + 200)).collect();
        let policy = CoalescingPolicy { gap: 10, small: 10, most: 200, divided: 200 };
        let work = || prefetch(list, (&policy, 4, 600), || -> Result<()> { panic!("of a test") });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
        assert!(file.prefetched().unwrap().is_empty());
    }

    #[test]
    fn range_whose_request_panicked_is_read_again() {
        let window = Arc::new(PrefetchWindow::new(100));
        let ranges = Arc::new(vec![PrefetchRange::new(0..10, 10, &window)]);
        let cache = RangeCache::default();
        cache.add(&ranges);
        let panics = || cache.read(0, &mut [0; 10], &|_, _| panic!("of a test"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        assert!(!cache.read(0, &mut [0; 10], &|_, _| Ok(())).unwrap(), "the caller reads it");
    }

    #[test]
    fn no_more_comes_than_there_is_room_for() {
        let remote = RemoteFile::default();
        let coming = Arc::clone(&remote.coming);
        let file = ReadFile::new(remote);
        let requested: Vec<Range<u64>> = (0..40).map(|tile| tile * 250..tile * 250 + 200).collect();
        let list = requested.iter().map(|range| (file.clone(), range.clone())).collect();
        let all = || requested.iter().try_fold(true, |right, range| Ok(right & read(&file, range)?));
        assert!(
            prefetch(list, (&CoalescingPolicy { gap: 10, small: 10, most: 200, divided: 200 }, 16, 600), all).unwrap()
        );
        // And the range that the reader itself fetches.
        assert!(coming[1].load(Ordering::SeqCst) <= 600 + 200);
    }
}
