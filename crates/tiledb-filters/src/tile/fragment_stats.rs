//! Statistics of a field over all tiles of a fragment.

use std::cmp::Ordering;

use super::kernel::Summary;
use super::number::Number;
use super::text;
use super::total::Total;
use super::{StatsKind, TileStats};
use tiledb_core::types::{Datatype, dispatch};

/// Accumulates the statistics of a fragment's tiles, tile by tile. Tiles whose cells are all null have
/// no part in minimum and maximum; where no tile has, those of numbers are the ends of the type's range
/// the wrong way round, and those of text are empty.
#[derive(Clone, Debug)]
pub struct FragmentStats {
    datatype: Datatype,
    kind: StatsKind,
    total: Total,
    stats: TileStats,
}

impl FragmentStats {
    /// Of no tile yet.
    pub fn new(datatype: Datatype, kind: StatsKind) -> FragmentStats {
        let physical = datatype.compared_as();
        let mut stats = TileStats::default();
        if kind.min_max && !datatype.is_ascii() {
            dispatch!(physical, T => keep::<T>(&mut stats, None));
        }
        FragmentStats { datatype, kind, total: Total::new(physical), stats }
    }

    /// Adds one tile.
    pub fn add(&mut self, tile: &TileStats) {
        let first = self.stats.valid_count == 0;
        self.stats.null_count = self.stats.null_count.saturating_add(tile.null_count);
        self.stats.valid_count = self.stats.valid_count.saturating_add(tile.valid_count);
        if self.kind.sum {
            self.total.add_bytes(tile.sum);
        }
        if !self.kind.min_max || tile.valid_count == 0 {
            return;
        }
        let kept = &mut self.stats;
        if !self.datatype.is_ascii() {
            dispatch!(self.datatype.physical(), T => keep::<T>(kept, Some(tile)));
            return;
        }
        if first || text::compare(&tile.min, &kept.min) == Ordering::Less {
            kept.min.clone_from(&tile.min);
        }
        if first || text::compare(&tile.max, &kept.max) == Ordering::Greater {
            kept.max.clone_from(&tile.max);
        }
    }

    /// The statistics of the tiles added so far.
    pub fn finish(mut self) -> TileStats {
        // Tiles of characters have sums, their fragment has none.
        if self.kind.sum && self.datatype != Datatype::Char {
            self.stats.sum = self.total.bytes();
        }
        self.stats
    }
}

/// Keeps the minimum and maximum of what was kept and a tile's; without a tile, sets the start.
fn keep<T: Number>(kept: &mut TileStats, tile: Option<&TileStats>) {
    let mut summary = Summary::<T>::new();
    if let Some(tile) = tile {
        (summary.min, summary.max) = (T::from_le(&kept.min), T::from_le(&kept.max));
        summary.keep(T::from_le(&tile.min), T::from_le(&tile.max));
    }
    kept.min = bytemuck::bytes_of(&summary.min).to_vec();
    kept.max = bytemuck::bytes_of(&summary.max).to_vec();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::Fill;
    use crate::tile::{stats_kind, tile_stats};
    use tiledb_core::types::CellValNum;

    #[test]
    fn tiles_add_up() {
        let kind = stats_kind(Datatype::Int32, CellValNum::ONE, true, false);
        let mut fragment = FragmentStats::new(Datatype::Int32, kind);
        assert_eq!(fragment.clone().finish().min, i32::MAX.to_le_bytes());
        for (cells, validity) in [([3, 9], [1, 1]), ([-7, -8], [0, 0]), ([5, 30], [1, 0])] {
            let bytes: Vec<u8> = cells.iter().flat_map(|v: &i32| v.to_le_bytes()).collect();
            let tile =
                tile_stats(Datatype::Int32, CellValNum::ONE, &bytes, None, Some(&validity), Fill::WHOLE, kind).unwrap();
            fragment.add(&tile);
        }
        let stats = fragment.finish();
        assert_eq!(stats.min, 3i32.to_le_bytes());
        assert_eq!(stats.max, 9i32.to_le_bytes());
        assert_eq!(stats.sum, 17i64.to_le_bytes());
        assert_eq!((stats.null_count, stats.valid_count), (3, 3));
    }

    #[test]
    fn text_adds_up() {
        let kind = stats_kind(Datatype::StringAscii, CellValNum::VAR, false, false);
        let mut fragment = FragmentStats::new(Datatype::StringAscii, kind);
        for text in [&b"m"[..], b"zz", b"a"] {
            let tile =
                tile_stats(Datatype::StringAscii, CellValNum::VAR, text, Some(&[0]), None, Fill::WHOLE, kind).unwrap();
            fragment.add(&tile);
        }
        let stats = fragment.finish();
        assert_eq!((stats.min, stats.max), (b"a".to_vec(), b"zz".to_vec()));
    }
}
