//! Counters of the tiles and steps of a dense read.

use super::batch::TileView;
use super::cell_source::{CellSource, stored_tiles};
use super::context::DenseContext;
use tiledb_array::schema::Field;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_core::error::Result;

impl DenseContext {
    /// Reports the delivery of `fields` fields of a tile as progress.
    ///
    /// # Errors
    /// If its cells are more than memory can have.
    pub fn count_steps(&self, tile: &TileView<'_>, fields: usize) -> Result<()> {
        if self.tally.is_observed() {
            self.tally.add(tile.cells()?.saturating_mul(fields) as u64);
        }
        Ok(())
    }

    /// Counts the tiles that cells of a field come from; if the field is compared, that was done already.
    pub fn count_tiles(&self, field: &Field, origins: &[CellSource<'_>], count: impl Fn(&DecodeContext<'_>, &Field)) {
        if self.compared.get(&field.name).is_none() {
            (0..stored_tiles(origins, field)).for_each(|_| count(&self.access(), field));
        }
    }

    /// Counts the tiles that a condition examines, even if only their statistics.
    pub fn count_compared(&self, origins: &[CellSource<'_>]) {
        for field in self.compared.iter().filter(|field| !field.is_dimension) {
            (0..stored_tiles(origins, field)).for_each(|_| self.access().count_field(field));
        }
    }
}
