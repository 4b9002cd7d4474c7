//! Statistics of a field over all tiles of a fragment.

use std::cmp::Ordering;

use super::numeric_cell::NumericCell;
use super::numeric_summary::NumericSummary;
use super::saturating_sum::SaturatingSum;
use super::text_min_max;
use super::{StatsKind, TileStats};
use tiledb_core::types::{Datatype, dispatch};

/// Accumulates the statistics of a fragment's tiles, tile by tile. Tiles whose cells are all null do not
/// contribute to minimum and maximum. If no tile contributes, the minimum of numbers is the greatest value of
/// the type and the maximum the least; those of text are empty.
#[derive(Clone, Debug)]
pub struct FragmentStats {
    datatype: Datatype,
    kind: StatsKind,
    total: SaturatingSum,
    stats: TileStats,
}

impl FragmentStats {
    pub fn new(datatype: Datatype, kind: StatsKind) -> FragmentStats {
        let physical = datatype.compared_as();
        let mut stats = TileStats::default();
        if kind.min_max && !datatype.is_ascii() {
            dispatch!(physical, T => merge_min_max::<T>(&mut stats, None));
        }
        FragmentStats { datatype, kind, total: SaturatingSum::new(physical), stats }
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
        let current = &mut self.stats;
        if !self.datatype.is_ascii() {
            dispatch!(self.datatype.physical(), T => merge_min_max::<T>(current, Some(tile)));
            return;
        }
        if first || text_min_max::compare(&tile.min, &current.min) == Ordering::Less {
            current.min.clone_from(&tile.min);
        }
        if first || text_min_max::compare(&tile.max, &current.max) == Ordering::Greater {
            current.max.clone_from(&tile.max);
        }
    }

    pub fn finish(mut self) -> TileStats {
        // Tiles of characters have sums, their fragment has none.
        if self.kind.sum && self.datatype != Datatype::Char {
            self.stats.sum = self.total.bytes();
        }
        self.stats
    }
}

/// Merges the minimum and maximum of a tile into the current ones; without a tile, sets the initial values.
fn merge_min_max<T: NumericCell>(current: &mut TileStats, tile: Option<&TileStats>) {
    let mut summary = NumericSummary::<T>::new();
    if let Some(tile) = tile {
        (summary.min, summary.max) = (T::from_le(&current.min), T::from_le(&current.max));
        summary.merge_min_max(T::from_le(&tile.min), T::from_le(&tile.max));
    }
    current.min = bytemuck::bytes_of(&summary.min).to_vec();
    current.max = bytemuck::bytes_of(&summary.max).to_vec();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::StatsOptions;
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
                tile_stats(Datatype::Int32, CellValNum::ONE, &bytes, None, Some(&validity), StatsOptions::WHOLE, kind)
                    .unwrap();
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
                tile_stats(Datatype::StringAscii, CellValNum::VAR, text, Some(&[0]), None, StatsOptions::WHOLE, kind)
                    .unwrap();
            fragment.add(&tile);
        }
        let stats = fragment.finish();
        assert_eq!((stats.min, stats.max), (b"a".to_vec(), b"zz".to_vec()));
    }
}
