//! Memory accounting: the limit of a query with leases against it, and that of a structure which is decoded.
//!
//! A value whose memory depends on the size of the data is constructed inside a [`Lease`], which owns it and is released after
//! the value is dropped. The budget only counts: it allocates nothing itself.

mod lease;
mod memory_usage;
mod structure;

pub use lease::{Budget, Lease};
pub use memory_usage::MemoryUsage;
pub use structure::{STRUCTURE, StructureBudget, StructureMemory};

use crate::config::{Config, Settings};
use crate::error::Result;

/// The parameter with the memory budget of a query.
pub const TOTAL: &str = "sm.mem.total_budget";

/// The memory budget of a configuration in bytes.
///
/// # Errors
/// If the value is not a number.
pub fn total(config: &Config) -> Result<u64> {
    config.settings().map(|TotalBudget(bytes)| bytes)
}

/// A share of the configured budget, for calls that divide it among several consumers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetShare {
    /// Numerator of the fraction.
    pub weight: u64,
    /// Denominator: the sum of all weights.
    pub of: u64,
}

impl BudgetShare {
    /// Everything.
    pub const ALL: BudgetShare = BudgetShare { weight: 1, of: 1 };

    /// This share of `total` bytes.
    pub fn part(self, total: u64) -> u64 {
        scaled(total, self.weight, self.of, u128::div_euclid)
    }

    /// The least total of which this share has `part` bytes.
    pub fn total(self, part: u64) -> u64 {
        scaled(part, self.of, self.weight, u128::div_ceil)
    }
}

fn scaled(bytes: u64, times: u64, by: u64, divide: impl Fn(u128, u128) -> u128) -> u64 {
    let scaled = divide(u128::from(bytes) * u128::from(times), u128::from(by.max(1)));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[derive(Clone, Copy)]
struct TotalBudget(u64);

impl Settings for TotalBudget {
    fn parse(config: &Config) -> Result<TotalBudget> {
        config.u64(TOTAL).map(TotalBudget)
    }
}

/// Purpose of reserved memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Tiles as stored on disk.
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

const KINDS: [(MemoryKind, &str); 8] = [
    (MemoryKind::FilteredTiles, "filtered tiles"),
    (MemoryKind::CoordinateTiles, "coordinate tiles"),
    (MemoryKind::AttributeTiles, "attribute tiles"),
    (MemoryKind::TileOffsets, "tile offsets"),
    (MemoryKind::RTree, "R-trees"),
    (MemoryKind::Ranges, "subarray ranges"),
    (MemoryKind::Results, "result positions"),
    (MemoryKind::Buffers, "working buffers"),
];

impl MemoryKind {
    /// The name used in error texts and statistics.
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_totals() {
        let share = BudgetShare { weight: 2, of: 6 };
        assert_eq!((share.part(20), share.total(6), share.total(7)), (6, 18, 21));
        assert_eq!((BudgetShare::ALL.part(u64::MAX), BudgetShare::ALL.total(u64::MAX)), (u64::MAX, u64::MAX));
        assert_eq!(BudgetShare { weight: 0, of: 6 }.part(20), 0);
    }

    #[test]
    fn the_table_of_kinds_follows_the_enum() {
        for (position, (kind, _)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, position);
        }
    }
}
