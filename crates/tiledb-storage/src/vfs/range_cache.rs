//! Prefetched ranges of a file, and the readers that wait for them.

use std::ops::Range;
use std::sync::Arc;

use tiledb_core::env;
use tiledb_core::error::Result;
use tiledb_core::fork::PerProcess;
use tiledb_core::memory;
use tiledb_core::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};

/// Bounds the bytes that are buffered or in flight.
pub(super) struct PrefetchWindow {
    most: u64,
    /// Bytes buffered or in flight, and whether the window is closed.
    state: Mutex<(u64, bool)>,
    changed: Condvar,
}

impl PrefetchWindow {
    /// A window of about `most` bytes.
    pub(super) fn new(most: u64) -> PrefetchWindow {
        PrefetchWindow { most, state: Mutex::new((0, false)), changed: Condvar::new() }
    }

    /// Closes the window: ranges that are not in flight are not fetched any more.
    pub(super) fn close(&self) {
        self.change(|state| state.1 = true);
    }

    fn state(&self) -> MutexGuard<'_, (u64, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `bytes` more fit in the window, and reserves them; false once the window is closed.
    pub(super) fn enter(&self, bytes: u64) -> bool {
        let mut state = self.state();
        while !state.1 && state.0 > 0 && state.0.saturating_add(bytes) > self.most {
            state = env::wait_for_change(&self.changed, &self.state, state);
        }
        if state.1 {
            return false;
        }
        state.0 += bytes;
        true
    }

    fn change(&self, change: impl FnOnce(&mut (u64, bool))) {
        change(&mut self.state());
        self.changed.notify_all();
    }
}

/// A range of a file that is to be prefetched.
pub(super) struct PrefetchRange {
    pub(super) range: Range<u64>,
    state: Mutex<State>,
    changed: Condvar,
    window: Arc<PrefetchWindow>,
}

enum State {
    /// Not requested yet; the number of its bytes that will be read.
    Idle(u64),
    Fetching,
    /// The bytes, and how many of them are still to be read.
    Cached(Vec<u8>, u64),
    /// Read completely, or the request failed.
    Evicted,
}

/// A range in flight. When it is dropped, even by a panic, readers that wait are woken.
struct PrefetchRequest<'r> {
    range: &'r PrefetchRange,
    result: State,
}

impl Drop for PrefetchRequest<'_> {
    fn drop(&mut self) {
        let PrefetchRange { window, changed, .. } = self.range;
        let result = std::mem::replace(&mut self.result, State::Evicted);
        let is_cached = matches!(result, State::Cached(..));
        *self.range.state() = result;
        changed.notify_all();
        if !is_cached {
            window.change(|state| state.0 -= self.range.len());
        }
    }
}

/// Reads bytes from an offset of the file, bypassing caches.
pub(super) type FetchFn<'g> = &'g dyn Fn(u64, &mut [u8]) -> Result<()>;

impl PrefetchRange {
    /// A range of which `bytes_to_read` bytes will be read.
    pub(super) fn new(range: Range<u64>, bytes_to_read: u64, window: &Arc<PrefetchWindow>) -> PrefetchRange {
        let (state, changed) = (Mutex::new(State::Idle(bytes_to_read)), Condvar::new());
        PrefetchRange { range, state, changed, window: Arc::clone(window) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Fetches the range when the window admits it, unless it was requested before; false once the window is closed.
    pub(super) fn prefetch(&self, get: FetchFn<'_>) -> bool {
        if !self.window.enter(self.len()) {
            return false;
        }
        match self.claim() {
            // A failure is reported by the reader, which fetches again.
            Some(bytes_to_read) => _ = self.fetch(bytes_to_read, get),
            None => self.window.change(|state| state.0 -= self.len()),
        }
        true
    }

    /// Fetches the range at once, unless it was requested before: a reader waits for it.
    fn fetch_now(&self, get: FetchFn<'_>) -> Result<()> {
        let Some(bytes_to_read) = self.claim() else { return Ok(()) };
        self.window.change(|state| state.0 += self.len());
        self.fetch(bytes_to_read, get)
    }

    /// Marks the range as in flight and returns how many of its bytes will be read; `None` if it was requested before.
    fn claim(&self) -> Option<u64> {
        let mut state = self.state();
        let State::Idle(bytes_to_read) = *state else { return None };
        *state = State::Fetching;
        Some(bytes_to_read)
    }

    /// Fetches the range, which the window has reserved.
    fn fetch(&self, bytes_to_read: u64, get: FetchFn<'_>) -> Result<()> {
        let mut request = PrefetchRequest { range: self, result: State::Evicted };
        let len = usize::try_from(self.len()).unwrap_or(usize::MAX);
        let mut bytes = memory::zeroed("what is fetched ahead", len)?;
        get(self.range.start, &mut bytes)?;
        request.result = State::Cached(bytes, bytes_to_read);
        Ok(())
    }

    /// Copies bytes of the range; fetches or waits for them if necessary. False if they were evicted.
    fn copy(&self, offset: u64, out: &mut [u8], get: FetchFn<'_>) -> Result<bool> {
        self.fetch_now(get)?;
        let mut state = self.state();
        loop {
            match &mut *state {
                State::Cached(bytes, left) => {
                    let start = (offset - self.range.start) as usize;
                    let Some(cached) = bytes.get(start..start + out.len()) else { return Ok(false) };
                    out.copy_from_slice(cached);
                    *left = left.saturating_sub(out.len() as u64);
                    if *left == 0 {
                        let len = bytes.len() as u64;
                        *state = State::Evicted;
                        self.window.change(|state| state.0 -= len);
                    }
                    return Ok(true);
                }
                State::Evicted => return Ok(false),
                State::Idle(_) | State::Fetching => {
                    state = env::wait_for_change(&self.changed, &self.state, state);
                }
            }
        }
    }
}

/// The ranges that one operation prefetches of a file, in ascending order.
pub(super) type PrefetchRanges = Arc<Vec<PrefetchRange>>;

/// The consecutive prefetched ranges that cover a range; none if they do not cover all of it.
fn holding(pieces: &[PrefetchRange], range: Range<u64>) -> &[PrefetchRange] {
    let first = pieces.partition_point(|piece| piece.range.end <= range.start);
    let count = pieces[first..].iter().take_while(|piece| piece.range.start < range.end).count();
    let covering = &pieces[first..first + count];
    let (Some(begin), Some(end)) = (covering.first(), covering.last()) else { return &[] };
    let is_whole = covering.windows(2).all(|two| two[0].range.end == two[1].range.start);
    if is_whole && begin.range.start <= range.start && range.end <= end.range.end { covering } else { &[] }
}

/// The prefetched ranges of one file, by prefetching operation.
#[derive(Default)]
pub struct RangeCache(PerProcess<RwLock<Vec<PrefetchRanges>>>);

impl RangeCache {
    /// A forked child starts empty: the threads that fetch exist in the parent only.
    fn pieces(&self) -> &RwLock<Vec<PrefetchRanges>> {
        self.0.get_or_init(RwLock::default)
    }

    /// Reads from the prefetched ranges; false if they do not cover the range.
    pub(super) fn read(&self, offset: u64, out: &mut [u8], get: FetchFn<'_>) -> Result<bool> {
        let end = offset.saturating_add(out.len() as u64);
        let known: Vec<PrefetchRanges> = self.pieces().read().unwrap_or_else(PoisonError::into_inner).clone();
        for pieces in &known {
            let covering = holding(pieces, offset..end);
            let (mut rest, mut at) = (&mut *out, offset);
            for piece in covering {
                let (now, later) = std::mem::take(&mut rest).split_at_mut((piece.range.end.min(end) - at) as usize);
                if !piece.copy(at, now, get)? {
                    break;
                }
                at += now.len() as u64;
                rest = later;
            }
            if !covering.is_empty() && at == end {
                return Ok(true);
            }
        }
        Ok(false)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.pieces().read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(super) fn add(&self, pieces: &PrefetchRanges) {
        self.pieces().write().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(pieces));
    }

    pub(super) fn remove(&self, pieces: &PrefetchRanges) {
        self.pieces().write().unwrap_or_else(PoisonError::into_inner).retain(|known| !Arc::ptr_eq(known, pieces));
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
#[cfg(not(shuttle))]
mod tests {
    use super::*;
    use std::cell::Cell;
    use tiledb_core::error::Error;

    /// Bytes in a window, and those of each range: as many as are read.
    fn pieces(window: &Arc<PrefetchWindow>, ranges: &[Range<u64>]) -> Vec<PrefetchRange> {
        ranges.iter().map(|range| PrefetchRange::new(range.clone(), range.end - range.start, window)).collect()
    }

    fn fetch(offset: u64, out: &mut [u8]) -> Result<()> {
        (offset..).zip(out).for_each(|(at, byte)| *byte = at as u8);
        Ok(())
    }

    fn reserved(window: &PrefetchWindow) -> u64 {
        window.state().0
    }

    /// Each set of ranges that start and end at some of eight bytes, in order and apart.
    fn all_ranges(from: u64) -> Vec<Vec<Range<u64>>> {
        let mut all = vec![Vec::new()];
        for start in from..8 {
            for end in start + 1..=8 {
                for mut rest in all_ranges(end) {
                    rest.insert(0, start..end);
                    all.push(rest);
                }
            }
        }
        all
    }

    #[test]
    fn range_is_read_from_the_pieces_that_cover_it() {
        let window = Arc::new(PrefetchWindow::new(1000));
        for ranges in all_ranges(3) {
            let pieces = pieces(&window, &ranges);
            for start in 3..8 {
                for end in start + 1..=8 {
                    let covered = (start..end).all(|at| ranges.iter().any(|range| range.contains(&at)));
                    let covering = holding(&pieces, start..end);
                    assert_eq!(!covering.is_empty(), covered, "{start}..{end} of {ranges:?}");
                    let is_needed = |piece: &PrefetchRange| piece.range.start < end && piece.range.end > start;
                    assert!(covering.iter().all(is_needed), "{start}..{end} of {ranges:?}");
                }
            }
        }
    }

    #[test]
    fn pieces_are_fetched_once_and_leave_the_window_when_they_were_read() {
        let window = Arc::new(PrefetchWindow::new(1000));
        let ranges: PrefetchRanges = Arc::new(pieces(&window, &[10..20, 20..25]));
        let cache = RangeCache::default();
        cache.add(&ranges);
        let fetches = Cell::new(0);
        let count = |offset: u64, out: &mut [u8]| {
            fetches.set(fetches.get() + 1);
            fetch(offset, out)
        };
        assert!(ranges[0].prefetch(&count) && ranges[0].prefetch(&count));
        assert_eq!((fetches.get(), reserved(&window)), (1, 10));
        let mut bytes = [0; 10];
        assert!(cache.read(14, &mut bytes, &count).unwrap());
        assert_eq!(bytes, [14, 15, 16, 17, 18, 19, 20, 21, 22, 23]);
        assert_eq!((fetches.get(), reserved(&window)), (2, 15), "the reader fetches what was not");
        assert!(cache.read(10, &mut bytes[..4], &count).unwrap());
        assert_eq!((&bytes[..4], reserved(&window)), (&[10u8, 11, 12, 13][..], 5));
        assert!(!cache.read(10, &mut bytes[..4], &count).unwrap(), "read completely");
        assert!(!cache.read(24, &mut bytes[..2], &count).unwrap(), "not covered");
        assert!(cache.read(24, &mut bytes[..1], &count).unwrap());
        assert_eq!((fetches.get(), reserved(&window)), (2, 0));
        cache.remove(&Arc::new(Vec::new()));
        assert!(!cache.is_empty());
        cache.remove(&ranges);
        assert!(cache.is_empty());
    }

    #[test]
    fn failed_fetch_is_reported_to_its_reader_and_leaves_the_window() {
        let window = Arc::new(PrefetchWindow::new(1000));
        let piece = PrefetchRange::new(0..10, 10, &window);
        let fail = |_: u64, _: &mut [u8]| Err(Error::internal("no connection"));
        assert!(piece.prefetch(&fail));
        assert_eq!(reserved(&window), 0);
        assert!(!piece.copy(0, &mut [0; 2], &fetch).unwrap(), "read without the cache");
        let piece = PrefetchRange::new(0..10, 10, &window);
        assert!(piece.copy(0, &mut [0; 2], &fail).is_err());
        assert_eq!(reserved(&window), 0);
    }

    #[test]
    fn closed_window_admits_nothing() {
        let window = Arc::new(PrefetchWindow::new(10));
        // A range of any size, if it is the only one.
        assert!(window.enter(50));
        window.change(|state| state.0 -= 50);
        assert!(window.enter(4) && window.enter(6), "as much as fits");
        window.close();
        let piece = PrefetchRange::new(0..1, 1, &window);
        assert!(!window.enter(0) && !piece.prefetch(&|_, _| panic!("fetched")));
        assert_eq!(reserved(&window), 10);
    }
}
