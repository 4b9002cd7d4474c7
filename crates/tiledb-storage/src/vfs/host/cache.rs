//! Ranges of files that were supplied, with a limit on their size.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crate::vfs::Uri;

/// Memory of an entry in addition to its bytes.
const ENTRY_BYTES: u64 = 64;

/// Consecutive bytes of a file.
struct Chunk {
    bytes: Arc<[u8]>,
    /// The operation that used it last.
    used: u64,
}

/// A file of which ranges are cached. None contains another one, so that their ends ascend as their starts do.
#[derive(Default)]
struct CachedFile {
    size: u64,
    chunks: BTreeMap<u64, Chunk>,
}

/// The supplied ranges of all files. Those that unfinished operations have used are not evicted: they are repeated, and need them again.
pub(super) struct RangeStore {
    files: HashMap<Uri, CachedFile>,
    bytes: u64,
    limit: u64,
    /// Number of the current operation, and of the first one that is not finished.
    operation: u64,
    oldest: u64,
}

impl RangeStore {
    pub(super) fn new(limit: u64) -> RangeStore {
        RangeStore { files: HashMap::new(), bytes: 0, limit, operation: 0, oldest: 0 }
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Begins or repeats an operation, all before `oldest` being finished: what they have used may be evicted.
    pub(super) fn begin(&mut self, operation: u64, oldest: u64) {
        (self.operation, self.oldest) = (operation, oldest.min(operation));
    }

    /// Removes all ranges of the files for which this holds.
    pub(super) fn forget(&mut self, is_forgotten: impl Fn(&Uri) -> bool) {
        let bytes = &mut self.bytes;
        self.files.retain(|uri, file| {
            let is_forgotten = is_forgotten(uri);
            if is_forgotten {
                *bytes -= file.chunks.values().map(cost).sum::<u64>();
            }
            !is_forgotten
        });
    }

    /// Adds bytes of a file of this size. Those of a file that had another size are removed.
    pub(super) fn insert(&mut self, uri: &Uri, size: u64, start: u64, bytes: Vec<u8>) {
        if self.files.get(uri).is_some_and(|file| file.size != size) {
            self.forget(|other| other == uri);
        }
        let used = self.operation;
        let file = self.files.entry(uri.clone()).or_default();
        file.size = size;
        let end = start + bytes.len() as u64;
        let before = file.chunks.range(..=start).next_back();
        if bytes.is_empty() || before.is_some_and(|(at, chunk)| at + chunk.bytes.len() as u64 >= end) {
            return;
        }
        let contained: Vec<u64> = file
            .chunks
            .range(start..end)
            .take_while(|(at, chunk)| *at + chunk.bytes.len() as u64 <= end)
            .map(|(at, _)| *at)
            .collect();
        for at in contained {
            self.bytes -= file.chunks.remove(&at).as_ref().map_or(0, cost);
        }
        let chunk = Chunk { bytes: bytes.into(), used };
        self.bytes += cost(&chunk);
        file.chunks.insert(start, chunk);
        if self.bytes > self.limit {
            self.evict();
        }
    }

    /// Copies the bytes that are cached from `offset` on to `out`, and returns the ranges that are not.
    pub(super) fn read(&mut self, uri: &Uri, offset: u64, out: &mut [u8]) -> Vec<Range<u64>> {
        let end = offset + out.len() as u64;
        self.visit(uri, offset..end, |range, bytes| {
            let at = (range.start - offset) as usize;
            out[at..at + bytes.len()].copy_from_slice(bytes);
        })
    }

    /// The parts of a range that are not cached.
    pub(super) fn gaps(&mut self, uri: &Uri, range: Range<u64>) -> Vec<Range<u64>> {
        self.visit(uri, range, |_, _| ())
    }

    /// Visits the cached parts of a range, and returns the others.
    fn visit(&mut self, uri: &Uri, range: Range<u64>, mut visit: impl FnMut(Range<u64>, &[u8])) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let Some(file) = self.files.get_mut(uri) else { return vec![range] };
        let first = file.chunks.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        let mut at = range.start;
        for (start, chunk) in file.chunks.range_mut(first..range.end) {
            let end = (start + chunk.bytes.len() as u64).min(range.end);
            if end <= at {
                continue;
            }
            if *start > at {
                gaps.push(at..*start);
                at = *start;
            }
            chunk.used = chunk.used.max(self.operation);
            visit(at..end, &chunk.bytes[(at - start) as usize..(end - start) as usize]);
            at = end;
        }
        if at < range.end {
            gaps.push(at..range.end);
        }
        gaps
    }

    /// Whether as many bytes can be cached beside those that unfinished operations have used.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        let used = self.files.values().flat_map(|file| file.chunks.values());
        let used: u64 = used.filter(|chunk| chunk.used >= self.oldest).map(cost).sum();
        used.saturating_add(bytes) <= self.limit
    }

    /// Evicts ranges that no unfinished operation has used, those of the earliest operations first, until some room is left.
    fn evict(&mut self) {
        let entries = self
            .files
            .iter()
            .flat_map(|(uri, file)| file.chunks.iter().map(move |(start, chunk)| (chunk.used, uri.clone(), *start)));
        let mut entries: Vec<(u64, Uri, u64)> = entries.filter(|(used, ..)| *used < self.oldest).collect();
        entries.sort_unstable_by_key(|(used, ..)| *used);
        for (_, uri, start) in entries {
            if self.bytes <= self.limit / 8 * 7 {
                break;
            }
            let Some(file) = self.files.get_mut(&uri) else { continue };
            self.bytes -= file.chunks.remove(&start).as_ref().map_or(0, cost);
            if file.chunks.is_empty() {
                self.files.remove(&uri);
            }
        }
    }
}

fn cost(chunk: &Chunk) -> u64 {
    chunk.bytes.len() as u64 + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn uri(name: &str) -> Uri {
        Uri::parse("https://h/a").unwrap().join(name)
    }

    const SIZE: u64 = 200;

    fn bytes(range: Range<u64>) -> Vec<u8> {
        range.map(|at| (at * 7 % 251) as u8).collect()
    }

    proptest! {
        #[test]
        fn cached_bytes_and_gaps_make_up_each_range(
            supplied in prop::collection::vec((0..SIZE, 0u64..60), 0..20),
            reads in prop::collection::vec((0..SIZE, 0u64..80), 1..20),
        ) {
            let mut store = RangeStore::new(1 << 20);
            let mut there = [false; SIZE as usize];
            for (start, len) in supplied {
                let end = (start + len).min(SIZE);
                store.insert(&uri("f"), SIZE, start, bytes(start..end));
                there[start as usize..end as usize].fill(true);
            }
            for (start, len) in reads {
                let end = (start + len).min(SIZE);
                let mut out = vec![255; (end - start) as usize];
                let gaps = store.read(&uri("f"), start, &mut out);
                prop_assert_eq!(&gaps, &store.gaps(&uri("f"), start..end));
                for at in start..end {
                    let is_gap = gaps.iter().any(|gap| gap.contains(&at));
                    prop_assert_eq!(is_gap, !there[at as usize]);
                    prop_assert!(is_gap || out[(at - start) as usize] == bytes(at..at + 1)[0]);
                }
            }
        }
    }

    #[test]
    fn eviction_spares_unfinished_operations() {
        let mut store = RangeStore::new(1000);
        store.begin(1, 1);
        store.insert(&uri("old"), 400, 0, vec![1; 400]);
        store.begin(3, 2);
        store.insert(&uri("kept"), 400, 0, vec![2; 400]);
        assert!(store.has_room(500) && !store.has_room(600));
        store.insert(&uri("more"), 400, 0, vec![3; 400]);
        assert_eq!(store.gaps(&uri("old"), 0..400), [0..400], "evicted");
        assert!(store.gaps(&uri("kept"), 0..400).is_empty() && store.gaps(&uri("more"), 0..400).is_empty());
        assert!(!store.has_room(100));
    }

    #[test]
    fn another_size_replaces_a_file() {
        let mut store = RangeStore::new(1000);
        store.insert(&uri("f"), 10, 0, vec![1; 10]);
        store.insert(&uri("f"), 12, 10, vec![2; 2]);
        assert_eq!(store.gaps(&uri("f"), 0..12), [0..10]);
        store.forget(|_| true);
        assert_eq!((store.bytes, store.gaps(&uri("f"), 0..12)), (0, vec![0..12]));
    }
}
