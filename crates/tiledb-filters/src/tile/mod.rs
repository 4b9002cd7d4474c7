//! Tiles: their statistics, and the generic tile that holds everything but cells.

pub mod blocks;
mod fragment_stats;
pub mod generic;
mod in_parts;
mod kernel;
pub mod number;
mod stats;
mod text;
mod total;

pub use fragment_stats::FragmentStats;
pub use in_parts::StatsInParts;
pub use stats::{Fill, StatsKind, TileStats, stats_kind, tile_stats};
pub use text::prefix;
