//! Tiles: their statistics, and the generic tile, in which schemas and other metadata are stored.

pub mod blocks;
mod fragment_stats;
pub mod generic;
mod incremental_stats;
pub mod numeric_cell;
mod numeric_summary;
mod saturating_sum;
mod stats;
mod text_min_max;

pub use fragment_stats::FragmentStats;
pub use incremental_stats::IncrementalStats;
pub use stats::{StatsKind, StatsOptions, TileStats, stats_kind, tile_stats};
pub use text_min_max::prefix;
