//! Statistics of a fragment's tiles and of the whole fragment.

use super::Fragment;
use super::slots::Section;
use crate::error::{Result, bail};
use crate::schema::Field;
use crate::tile::{StatsKind, stats_kind};
use crate::wire::{Reader, Writer};

/// Statistics of one field over all tiles of a fragment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldStats {
    /// The bytes of the least cell; none where not kept.
    pub min: Vec<u8>,
    /// The bytes of the greatest cell.
    pub max: Vec<u8>,
    /// The sum as an `i64`, `u64` or `f64`, by the kind of number; saturated.
    pub sum: [u8; 8],
    /// Cells that are null.
    pub null_count: u64,
}

impl FieldStats {
    /// Reads the statistics of all fields.
    pub(super) fn read(payload: &[u8], fields: usize) -> Result<Box<[FieldStats]>> {
        let mut r = Reader::new("fragment statistics", payload);
        let mut all = Vec::with_capacity(fields);
        for _ in 0..fields {
            let len = r.length64()?;
            let min = r.bytes(len)?.to_vec();
            let len = r.length64()?;
            let max = r.bytes(len)?.to_vec();
            all.push(FieldStats { min, max, sum: r.u64()?.to_le_bytes(), null_count: r.u64()? });
        }
        Ok(all.into_boxed_slice())
    }

    /// Appends the statistics of one field.
    pub(super) fn write(&self, w: &mut Writer) {
        w.u64(self.min.len() as u64).bytes(&self.min);
        w.u64(self.max.len() as u64).bytes(&self.max);
        w.bytes(&self.sum).u64(self.null_count);
    }
}

impl Fragment {
    /// Which statistics the fragment keeps of a field's tiles.
    pub fn stats_kind(&self, field: &Field) -> StatsKind {
        if !self.version().has_tile_statistics() || (self.is_dense() && field.is_dimension) {
            return StatsKind { min_max: false, sum: false, null_count: false };
        }
        stats_kind(field.datatype, field.cell_val_num, field.nullable, field.is_dimension)
    }

    /// The least and greatest cell of a tile; `None` where the fragment does not keep them. Of a
    /// tile whose cells are all null they are zeros, for strings empty.
    ///
    /// # Errors
    /// If a table cannot be read or has no such tile.
    pub fn tile_min_max(&self, field: &Field, tile: u64) -> Result<Option<(&[u8], &[u8])>> {
        if !self.stats_kind(field).min_max {
            return Ok(None);
        }
        let (loader, index) = (self.loader(), self.index_of(field));
        let minima = self.tables().extremes(&loader, Section::Minima, index)?;
        let maxima = self.tables().extremes(&loader, Section::Maxima, index)?;
        let (Some(minima), Some(maxima)) = (minima, maxima) else { return Ok(None) };
        if minima.is_empty() {
            return Ok(None);
        }
        let tile = usize::try_from(tile).unwrap_or(usize::MAX);
        let (size, is_var) = (field.cell_size(), field.is_var());
        Ok(Some((minima.get(tile, size, is_var)?, maxima.get(tile, size, is_var)?)))
    }

    /// The sum of a tile as an `i64`, `u64` or `f64`, by the kind of number; `None` where the
    /// fragment does not keep it.
    ///
    /// # Errors
    /// If the table cannot be read or has no such tile.
    pub fn tile_sum(&self, field: &Field, tile: u64) -> Result<Option<[u8; 8]>> {
        match self.stats_kind(field).sum {
            true => Ok(Some(self.stat_word(Section::Sums, field, tile)?.to_le_bytes())),
            false => Ok(None),
        }
    }

    /// How many cells of a tile are null; `None` where the fragment does not keep it.
    ///
    /// # Errors
    /// If the table cannot be read or has no such tile.
    pub fn tile_null_count(&self, field: &Field, tile: u64) -> Result<Option<u64>> {
        match self.stats_kind(field).null_count {
            true => self.stat_word(Section::NullCounts, field, tile).map(Some),
            false => Ok(None),
        }
    }

    /// The field's statistics over the whole fragment; `None` in versions without them.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn field_stats(&self, field: &Field) -> Result<Option<&FieldStats>> {
        Ok(self.all_stats()?.get(self.index_of(field)))
    }

    fn stat_word(&self, section: Section, field: &Field, tile: u64) -> Result<u64> {
        let words = self.tables().words(&self.loader(), section, self.index_of(field))?;
        match usize::try_from(tile).ok().and_then(|tile| words.get(tile)) {
            Some(word) => Ok(*word),
            None => bail!(Corrupt, "'{}' has no {section:?} for tile {tile} of '{}'", self.metadata_uri(), field.name),
        }
    }
}
