//! Tiles: their statistics, and the generic tile that holds everything but cells.

mod fragment_stats;
pub mod generic;
mod stats;

pub use fragment_stats::FragmentStats;
pub use stats::{StatsKind, TileStats, stats_kind, tile_stats};
