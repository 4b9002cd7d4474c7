//! Pieces of objects that small reads fetched, kept for the reads that follow.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tiledb_core::fork::{Lock, LockGuard};
use tiledb_core::stats::{Counter, Stats};

/// Some bytes of an object.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) bytes: Arc<Vec<u8>>,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// The bytes from an offset of the object on, if it holds so many.
    pub(super) fn part(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(len)?)
    }
}

/// The pieces of all objects that a context has open, the latest last (`vfs.read_ahead_cache_size`).
pub(super) struct ReadAhead {
    most: usize,
    next: AtomicU64,
    pieces: Lock<VecDeque<(u64, Piece)>>,
    stats: Stats,
}

impl ReadAhead {
    /// Room for `most` bytes; counts in `stats`.
    pub(super) fn new(most: usize, stats: &Stats) -> ReadAhead {
        ReadAhead { most, next: AtomicU64::new(0), pieces: Lock::default(), stats: stats.clone() }
    }

    /// Counts a read that was served from what was fetched before, or not.
    pub(super) fn count(&self, is_hit: bool) {
        self.stats.add(if is_hit { Counter::ReadAheadHits } else { Counter::ReadAheadMisses }, 1);
    }

    /// A number for an open object.
    pub(super) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn pieces(&self) -> LockGuard<'_, VecDeque<(u64, Piece)>> {
        self.pieces.lock()
    }

    /// The piece of an object that holds a range.
    pub(super) fn find(&self, object: u64, offset: u64, len: usize) -> Option<Piece> {
        let pieces = self.pieces();
        let found = pieces.iter().rev().find(|(number, piece)| *number == object && piece.part(offset, len).is_some());
        found.map(|(_, piece)| piece.clone())
    }

    /// The length of the piece that ends at an offset, or holds it.
    pub(super) fn length_before(&self, object: u64, offset: u64) -> Option<usize> {
        let pieces = self.pieces();
        let goes_on = |piece: &Piece| piece.start < offset && offset <= piece.end();
        let found = pieces.iter().rev().find(|(number, piece)| *number == object && goes_on(piece));
        found.map(|(_, piece)| piece.bytes.len())
    }

    /// Keeps a piece of an object, in place of the oldest ones where there is no room.
    pub(super) fn keep(&self, object: u64, piece: Piece) {
        let mut dropped = Vec::new();
        let mut pieces = self.pieces();
        self.stats.add(Counter::ReadAheadBytes, piece.bytes.len() as u64);
        pieces.push_back((object, piece));
        let mut held: usize = pieces.iter().map(|(_, piece)| piece.bytes.len()).sum();
        while held > self.most {
            let Some((_, oldest)) = pieces.pop_front() else { break };
            held -= oldest.bytes.len();
            dropped.push(oldest);
        }
        drop(pieces);
        self.stats.add(Counter::ReadAheadEvictions, dropped.len() as u64);
        self.uncount(&dropped);
    }

    fn uncount<'p>(&self, pieces: impl IntoIterator<Item = &'p Piece>) {
        let bytes: usize = pieces.into_iter().map(|piece| piece.bytes.len()).sum();
        self.stats.subtract(Counter::ReadAheadBytes, bytes as u64);
    }

    /// Drops what is held of an object.
    pub(super) fn forget(&self, object: u64) {
        let mut pieces = self.pieces();
        self.uncount(pieces.iter().filter(|(number, _)| *number == object).map(|(_, piece)| piece));
        pieces.retain(|(number, _)| *number != object);
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.uncount(self.pieces().iter().map(|(_, piece)| piece));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_pieces_stay() {
        let stats = Stats::unlisted();
        let kept = ReadAhead::new(250, &stats);
        let (a, b) = (kept.number(), kept.number());
        let piece = |start: u64| Piece { start, bytes: Arc::new(vec![start as u8; 100]) };
        kept.keep(a, piece(0));
        kept.keep(b, piece(0));
        assert!(kept.find(a, 10, 90).is_some() && kept.find(a, 10, 91).is_none());
        assert_eq!((kept.length_before(a, 100), kept.length_before(a, 101)), (Some(100), None));
        kept.keep(a, piece(100));
        assert!(kept.find(a, 10, 1).is_none() && kept.find(a, 110, 1).is_some() && kept.find(b, 10, 1).is_some());
        kept.forget(a);
        assert!(kept.find(a, 110, 1).is_none() && kept.find(b, 10, 1).is_some());
        kept.keep(b, Piece { start: 0, bytes: Arc::new(vec![0; 300]) });
        assert!(kept.find(b, 10, 1).is_none());
        kept.keep(b, piece(0));
        kept.count(true);
        let counted =
            [Counter::ReadAheadHits, Counter::ReadAheadMisses, Counter::ReadAheadEvictions, Counter::ReadAheadBytes];
        assert_eq!(counted.map(|counter| stats.get(counter)), [Some(1), None, Some(3), Some(100)]);
        drop(kept);
        assert_eq!(stats.get(Counter::ReadAheadBytes), Some(0));
    }
}
