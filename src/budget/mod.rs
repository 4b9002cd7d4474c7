//! Memory accounting of one query: a limit, and leases against it.
//!
//! What takes memory that follows data is made inside a lease and stays there: a [`Leased`] value and its lease are one,
//! and the value goes first. Nothing is allocated here: memory follows the data, the budget only bounds it.

mod held;
mod lease;

pub use held::Held;
pub use lease::{Budget, Leased};

use crate::config::{Config, Settings};
use crate::error::Result;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_kinds_follows_the_enum() {
        for (position, (kind, _)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, position);
        }
    }
}
