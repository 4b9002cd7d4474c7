//! What was made of files and directories at hand, for as long as the system tells that they are as they were then.
//!
//! Entries are validated by a [`Stamp`], which the system is asked for before each use (see [`validation`](super::validation));
//! that is one call instead of the four that open, look at, read and close.

use std::any::Any;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::{Stamp, Uri};
use tiledb_core::fork::Lock;
use tiledb_core::stats::{Counter, Stats};

/// Bytes that are kept at most, and of one thing.
const MOST: usize = 8 << 20;
const MOST_OF_ONE: usize = 1 << 20;

/// What an entry takes beside its value.
const ENTRY: usize = 160;

/// What one context keeps.
pub(super) struct StatCache {
    names: RandomState,
    kept: Lock<Kept>,
    stats: Stats,
}

#[derive(Default)]
struct Kept {
    /// By what `names` makes of a URI: where two have the same, their stamps differ.
    entries: HashMap<u64, Entry>,
    bytes: usize,
    /// What found no room since room was last made.
    refused: usize,
}

struct Entry {
    stamp: Stamp,
    value: Arc<dyn Any + Send + Sync>,
    bytes: usize,
    /// Asked for since room was last made.
    used: bool,
}

impl StatCache {
    /// An empty cache that counts in `stats`.
    pub(super) fn new(stats: &Stats) -> StatCache {
        StatCache { names: RandomState::new(), kept: Lock::default(), stats: stats.clone() }
    }

    /// What was made of the thing at `uri`, if it still has the stamp that it had then.
    pub(super) fn get<T: Any + Send + Sync>(&self, uri: &Uri, stamp: impl FnOnce() -> Option<Stamp>) -> Option<Arc<T>> {
        let found = self.find(uri, stamp);
        let counter = if found.is_some() { Counter::MetadataCacheHits } else { Counter::MetadataCacheMisses };
        self.stats.add(counter, 1);
        found
    }

    fn find<T: Any + Send + Sync>(&self, uri: &Uri, stamp: impl FnOnce() -> Option<Stamp>) -> Option<Arc<T>> {
        let name = self.names.hash_one(uri.as_str());
        let (value, then) = {
            let mut kept = self.kept.lock();
            let entry = kept.entries.get_mut(&name)?;
            entry.used = true;
            (Arc::clone(&entry.value), entry.stamp)
        };
        let value = value.downcast::<T>().ok()?;
        (stamp()? == then).then_some(value)
    }

    /// Keeps what was made of the thing at `uri` when it had this stamp, which takes so many bytes.
    pub(super) fn keep<T: Any + Send + Sync>(&self, uri: &Uri, stamp: Stamp, value: &Arc<T>, bytes: usize) {
        if bytes > MOST_OF_ONE {
            return;
        }
        let name = self.names.hash_one(uri.as_str());
        let entry = Entry { stamp, value: Arc::<T>::clone(value), bytes: bytes + ENTRY, used: true };
        // What goes is dropped when nobody waits for it any more.
        let mut kept = self.kept.lock();
        let before = kept.bytes;
        let (replaced, evicted) = kept.put(name, entry);
        let after = kept.bytes;
        drop(kept);
        drop(replaced);
        self.stats.add(Counter::MetadataCacheEvictions, evicted.len() as u64);
        self.stats.add(Counter::MetadataCacheBytes, after.saturating_sub(before) as u64);
        self.stats.subtract(Counter::MetadataCacheBytes, before.saturating_sub(after) as u64);
    }
}

impl Drop for StatCache {
    fn drop(&mut self) {
        self.stats.subtract(Counter::MetadataCacheBytes, self.kept.lock().bytes as u64);
    }
}

impl Kept {
    /// Takes an entry in if there is room, and gives the one in whose place it comes and those that were evicted.
    fn put(&mut self, name: u64, entry: Entry) -> (Option<Entry>, Vec<Entry>) {
        let replaced = self.entries.remove(&name);
        self.bytes -= replaced.as_ref().map_or(0, |entry| entry.bytes);
        let mut evicted = Vec::new();
        if self.bytes + entry.bytes > MOST {
            // Whoever passes over more than there is room for finds a part of it the next time, instead of nothing.
            self.refused += 1;
            if self.refused > self.entries.len() / 2 {
                evicted.extend(
                    self.entries.extract_if(|_, entry| !std::mem::take(&mut entry.used)).map(|(_, entry)| entry),
                );
                self.bytes = self.entries.values().map(|entry| entry.bytes).sum();
                self.refused = 0;
            }
        }
        if self.bytes + entry.bytes <= MOST {
            self.bytes += entry.bytes;
            self.entries.insert(name, entry);
        }
        (replaced, evicted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(inode: u64) -> Stamp {
        Stamp { device: 1, inode, size: 2, changed: (3, 4), clock: 0 }
    }

    fn uri(number: usize) -> Uri {
        Uri::parse(&format!("mem://seen/{number}")).unwrap()
    }

    #[test]
    fn what_has_another_stamp_or_type_is_not_found() {
        let seen = StatCache::new(&Stats::unlisted());
        let stamp = stamp(5);
        seen.keep(&uri(0), stamp, &Arc::new(7u32), 4);
        assert_eq!(seen.get::<u32>(&uri(0), || Some(stamp)).as_deref(), Some(&7));
        assert!(seen.get::<u32>(&uri(0), || Some(self::stamp(6))).is_none());
        assert!(seen.get::<u32>(&uri(0), || None).is_none());
        assert!(seen.get::<u64>(&uri(0), || Some(stamp)).is_none());
        // Of what is not there the system is not asked.
        assert!(seen.get::<u32>(&uri(1), || unreachable!()).is_none());
    }

    #[test]
    fn room_is_bounded_and_goes_to_what_is_used() {
        let seen = StatCache::new(&Stats::unlisted());
        let size = MOST / 10 - ENTRY;
        for round in 0..4 {
            for number in 0..15 {
                if seen.get::<usize>(&uri(number), || Some(stamp(0))).is_none() {
                    seen.keep(&uri(number), stamp(0), &Arc::new(number), size);
                }
            }
            let kept = seen.kept.lock();
            assert!(kept.bytes <= MOST && kept.bytes == kept.entries.values().map(|entry| entry.bytes).sum::<usize>());
            assert!(round == 0 || kept.entries.len() >= 5, "{}", kept.entries.len());
        }
        seen.keep(&uri(99), stamp(0), &Arc::new(99usize), MOST_OF_ONE + 1);
        assert!(seen.get::<usize>(&uri(99), || Some(stamp(0))).is_none());
        let evicted = || seen.stats.get(Counter::MetadataCacheEvictions).unwrap_or(0);
        assert_eq!(seen.stats.get(Counter::MetadataCacheBytes), Some(seen.kept.lock().bytes as u64));
        assert!(
            seen.stats.get(Counter::MetadataCacheHits) > Some(4)
                && seen.stats.get(Counter::MetadataCacheMisses) > Some(14)
        );
        let before = evicted();
        // What nobody asks for any more goes.
        for number in 100..130 {
            seen.keep(&uri(number), stamp(0), &Arc::new(number), size);
        }
        let found = (100..130).filter(|&number| seen.get::<usize>(&uri(number), || Some(stamp(0))).is_some()).count();
        assert!(found >= 5, "{found}");
        assert!(evicted() > before);
    }
}
