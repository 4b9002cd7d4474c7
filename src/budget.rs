//! Memory accounting of one query: a limit, and leases against it.
//!
//! A lease is taken by the coordinating thread before the memory is, and given back when it is
//! dropped. Nothing is allocated here: memory follows the data, the budget only bounds it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::config::{Config, Settings};
use crate::error::{Error, ErrorKind, Result};

/// What leased memory is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tiles as they lie on disk.
    FilteredTiles,
    /// Decoded tiles of coordinates.
    CoordinateTiles,
    /// Decoded tiles of attributes.
    AttributeTiles,
    /// Tile offsets, sizes and statistics of fragments.
    TileOffsets,
    /// R-trees of fragments.
    RTree,
    /// Ranges of a subarray with the tiles that they touch.
    Ranges,
    /// Row positions, bitmaps and sort keys of results.
    Results,
    /// Working buffers, and what fits nowhere else.
    Buffers,
}

const KINDS: [(Kind, &str); 8] = [
    (Kind::FilteredTiles, "filtered tiles"),
    (Kind::CoordinateTiles, "coordinate tiles"),
    (Kind::AttributeTiles, "attribute tiles"),
    (Kind::TileOffsets, "tile offsets"),
    (Kind::RTree, "R-trees"),
    (Kind::Ranges, "subarray ranges"),
    (Kind::Results, "result positions"),
    (Kind::Buffers, "working buffers"),
];

impl Kind {
    /// The name used in error texts and statistics.
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }
}

/// A memory limit shared by all who hold a clone of it.
#[derive(Clone)]
pub struct Budget(Arc<Inner>);

struct Inner {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
    by_kind: [AtomicU64; KINDS.len()],
}

/// The parameter that says how much memory a query may take.
pub const TOTAL: &str = "sm.mem.total_budget";

/// The bytes of memory that a configuration grants.
///
/// # Errors
/// If it says something other than a number.
pub fn total(config: &Config) -> Result<u64> {
    config.settings().map(|Total(bytes)| bytes)
}

#[derive(Clone, Copy)]
struct Total(u64);

impl Settings for Total {
    fn parse(config: &Config) -> Result<Total> {
        config.u64(TOTAL).map(Total)
    }
}

impl Budget {
    /// A budget of `limit` bytes (parameter `sm.mem.total_budget`).
    pub fn new(limit: u64) -> Self {
        Budget(Arc::new(Inner {
            limit,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            by_kind: std::array::from_fn(|_| AtomicU64::new(0)),
        }))
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Bytes leased now.
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }

    /// The most bytes that were leased at one time.
    #[cfg(test)]
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Ordering::Relaxed)
    }

    /// Bytes leased now for `kind`.
    #[cfg(test)]
    pub fn used_by(&self, kind: Kind) -> u64 {
        self.0.by_kind[kind as usize].load(Ordering::Relaxed)
    }

    /// Bytes that can still be leased.
    pub fn available(&self) -> u64 {
        self.0.limit.saturating_sub(self.used())
    }

    /// Takes `bytes` out of the budget until the lease is dropped.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`], naming the parameter, the need and the limit.
    pub fn lease(&self, kind: Kind, bytes: u64) -> Result<Lease> {
        self.take(kind, bytes)?;
        Ok(Lease { budget: self.clone(), kind, bytes })
    }

    fn take(&self, kind: Kind, bytes: u64) -> Result<()> {
        let inner = &*self.0;
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= inner.limit);
        let before = inner
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map_err(|used| exceeded(kind, bytes, used, inner.limit))?;
        inner.peak.fetch_max(before.saturating_add(bytes), Ordering::Relaxed);
        inner.by_kind[kind as usize].fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn give_back(&self, kind: Kind, bytes: u64) {
        self.0.by_kind[kind as usize].fetch_sub(bytes, Ordering::Relaxed);
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[cold]
fn exceeded(kind: Kind, bytes: u64, used: u64, limit: u64) -> Error {
    let what = kind.name();
    let need = used.saturating_add(bytes);
    Error::new(
        ErrorKind::Budget,
        format!(
            "Cannot reserve {bytes} bytes for {what}; the query would hold {need} bytes, more than the memory budget \
             of {limit} bytes; raise '{TOTAL}' to at least {need}"
        ),
    )
}

/// Bytes taken out of a [`Budget`], given back on drop.
pub struct Lease {
    budget: Budget,
    kind: Kind,
    bytes: u64,
}

impl Lease {
    /// The leased bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Leases `more` bytes on top.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`]; the lease stays as it was.
    pub fn grow(&mut self, more: u64) -> Result<()> {
        self.budget.take(self.kind, more)?;
        self.bytes += more;
        Ok(())
    }

    /// Gives `less` bytes back, at most what is leased.
    pub fn shrink(&mut self, less: u64) {
        let less = less.min(self.bytes);
        self.bytes -= less;
        self.budget.give_back(self.kind, less);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.budget.give_back(self.kind, self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_kinds_follows_the_enum() {
        for (position, (kind, _)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, position);
        }
    }

    #[test]
    fn leases_are_bounded_and_given_back() {
        let budget = Budget::new(100);
        let mut tiles = budget.lease(Kind::AttributeTiles, 60).unwrap();
        let rtree = budget.lease(Kind::RTree, 40).unwrap();
        assert_eq!((budget.available(), budget.used_by(Kind::RTree)), (0, 40));
        assert!(tiles.grow(1).is_err());
        drop(rtree);
        tiles.grow(40).unwrap();
        tiles.shrink(70);
        assert_eq!((budget.used(), budget.used_by(Kind::AttributeTiles), tiles.bytes()), (30, 30, 30));
        drop(tiles);
        assert_eq!((budget.used(), budget.peak()), (0, 100));
    }

    #[test]
    fn the_error_names_key_need_and_limit() {
        let budget = Budget::new(10);
        let _held = budget.lease(Kind::Buffers, 4).unwrap();
        let error = budget.lease(Kind::RTree, 7).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Budget);
        for part in ["sm.mem.total_budget", "7 bytes for R-trees", "11 bytes", "10 bytes"] {
            assert!(error.text().contains(part), "{part} is missing in {}", error.text());
        }
        assert!(budget.lease(Kind::RTree, u64::MAX).is_err());
    }
}
