//! Statistics of tiles: minimum, maximum, sum and null count.

use super::Fragment;
use super::footer_layout::FooterSection;
use crate::schema::Field;
use tiledb_core::error::{Result, bail};
use tiledb_filters::tile::{StatsKind, TileStats, stats_kind};

impl Fragment {
    /// The kinds of statistics that the fragment stores for a field's tiles.
    pub fn stats_kind(&self, field: &Field) -> StatsKind {
        if !self.version().has_tile_statistics() || (self.is_dense() && field.is_dimension) {
            return StatsKind { min_max: false, sum: false, null_count: false };
        }
        stats_kind(field.datatype, field.cell_val_num, field.nullable, field.is_dimension)
    }

    /// The least and greatest cell of a tile; `None` if the fragment does not store them. Of a
    /// tile whose cells are all null they are zeros, for strings empty.
    ///
    /// # Errors
    /// If a table cannot be read or has no such tile.
    pub fn tile_min_max(&self, field: &Field, tile: u64) -> Result<Option<(&[u8], &[u8])>> {
        if !self.stats_kind(field).min_max {
            return Ok(None);
        }
        let loader = self.loader();
        let index = self.index_of(field);
        let minima = self.tables().extremes(&loader, FooterSection::Minima, index)?;
        let maxima = self.tables().extremes(&loader, FooterSection::Maxima, index)?;
        let (Some(minima), Some(maxima)) = (minima, maxima) else { return Ok(None) };
        if minima.is_empty() {
            return Ok(None);
        }
        let tile = usize::try_from(tile).unwrap_or(usize::MAX);
        let size = field.cell_size();
        let is_var = field.is_var();
        Ok(Some((minima.get(tile, size, is_var)?, maxima.get(tile, size, is_var)?)))
    }

    /// The sum of a tile as an `i64`, `u64` or `f64`, by the kind of number; `None` where the
    /// fragment does not keep it.
    ///
    /// # Errors
    /// If the table cannot be read or has no such tile.
    pub fn tile_sum(&self, field: &Field, tile: u64) -> Result<Option<[u8; 8]>> {
        match self.stats_kind(field).sum {
            true => Ok(Some(self.stat_word(FooterSection::Sums, field, tile)?.to_le_bytes())),
            false => Ok(None),
        }
    }

    /// Null count of a tile; `None` if the fragment does not store it.
    ///
    /// # Errors
    /// If the table cannot be read or has no such tile.
    pub fn tile_null_count(&self, field: &Field, tile: u64) -> Result<Option<u64>> {
        match self.stats_kind(field).null_count {
            true => self.stat_word(FooterSection::NullCounts, field, tile).map(Some),
            false => Ok(None),
        }
    }

    /// The stored statistics of a tile whose cells were all written; `None` if the fragment lacks
    /// statistics that it should have.
    ///
    /// # Errors
    /// If a table cannot be read or has no such tile.
    pub fn tile_stats(&self, field: &Field, tile: u64) -> Result<Option<TileStats>> {
        let mut stats = TileStats::default();
        match self.tile_min_max(field, tile)? {
            Some((min, max)) => (stats.min, stats.max) = (min.to_vec(), max.to_vec()),
            None if self.stats_kind(field).min_max => return Ok(None),
            None => (),
        }
        stats.sum = self.tile_sum(field, tile)?.unwrap_or_default();
        stats.null_count = self.tile_null_count(field, tile)?.unwrap_or(0);
        stats.valid_count = self.cells_in_tile(tile).saturating_sub(stats.null_count);
        Ok(Some(stats))
    }

    fn stat_word(&self, section: FooterSection, field: &Field, tile: u64) -> Result<u64> {
        let words = self.tables().words(&self.loader(), section, self.index_of(field))?;
        match usize::try_from(tile).ok().and_then(|tile| words.get(tile)) {
            Some(word) => Ok(*word),
            None => bail!(Corrupt, "'{}' has no {section:?} for tile {tile} of '{}'", self.metadata_uri(), field.name),
        }
    }
}
