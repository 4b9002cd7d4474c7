//! Statistics of a field over all tiles of a fragment.

use super::{StatsKind, TileStats};
use crate::types::{CellValNum, Datatype};

/// Accumulates the statistics of a fragment's tiles, tile by tile.
#[derive(Clone, Debug)]
pub struct FragmentStats {
    datatype: Datatype,
    cell_val_num: CellValNum,
    kind: StatsKind,
    stats: TileStats,
}

impl FragmentStats {
    /// Of no tile yet.
    pub fn new(datatype: Datatype, cell_val_num: CellValNum, kind: StatsKind) -> FragmentStats {
        FragmentStats { datatype, cell_val_num, kind, stats: TileStats::default() }
    }

    /// Adds one tile.
    pub fn add(&mut self, tile: &TileStats) {
        let _ = (self.datatype, self.cell_val_num, self.kind);
        self.stats.null_count = self.stats.null_count.saturating_add(tile.null_count);
    }

    /// The statistics of the tiles added so far.
    pub fn finish(self) -> TileStats {
        self.stats
    }
}
