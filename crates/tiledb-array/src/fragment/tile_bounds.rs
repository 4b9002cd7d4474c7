//! Global-order bounds of tiles: the coordinates of the first and of the last cell of each tile of a sparse fragment, since
//! version 23. Reads do not use them; verification compares them with the cells.

use super::Fragment;
use super::footer_layout::FooterSection;
use super::stored_bounds::StoredBounds;
use tiledb_core::error::{Result, bail};

impl Fragment {
    /// True if the fragment stores bounds.
    pub fn has_tile_bounds(&self) -> bool {
        !self.is_dense() && self.footer().slots.slot(FooterSection::LowerBounds, 0).is_some()
    }

    /// The coordinates of the first and of the last cell of a tile in a dimension; `None` if the fragment stores none.
    ///
    /// # Errors
    /// If a table cannot be read or has no such tile.
    pub fn tile_bounds(&self, dimension: usize, tile: u64) -> Result<Option<[&[u8]; 2]>> {
        let Some(field) = self.schema().domain().dimensions().get(dimension).filter(|_| self.has_tile_bounds()) else {
            return Ok(None);
        };
        let (loader, (size, is_var)) = (self.loader(), (field.size(), field.is_var()));
        let entry = if is_var { 8 } else { size };
        let tile = usize::try_from(tile).unwrap_or(usize::MAX);
        let bound = |section| {
            let Some(table) = self.tables().extremes(&loader, section, dimension)? else { return Ok(None) };
            let tiles = self.tile_count();
            if table.entries(entry).map(|entries| entries as u64) != Some(tiles) {
                let name = field.name();
                let file = self.metadata_uri();
                bail!(Corrupt, "Table {section:?} of dimension '{name}' in '{file}' does not have {tiles} entries");
            }
            table.get(tile, size, is_var).map(Some)
        };
        Ok(bound(FooterSection::LowerBounds)?.zip(bound(FooterSection::UpperBounds)?).map(|(low, high)| [low, high]))
    }

    /// Loads the tables of bounds, if the fragment has some.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn load_tile_bounds(&self) -> Result<()> {
        let dimensions = self.schema().domain().dimensions().len();
        (0..dimensions)
            .filter(|_| self.tile_count() > 0)
            .try_for_each(|dimension| self.tile_bounds(dimension, 0).map(|_| ()))
    }

    /// The bounds of all tiles by dimension, if their tables are in memory.
    pub fn loaded_tile_bounds(&self) -> Option<Vec<StoredBounds>> {
        let dimensions = 0..self.schema().domain().dimensions().len();
        let parts = |section, dimension| {
            let table = self.tables().loaded_extremes(self.footer(), section, dimension)?;
            Some(table.parts().map(<[u8]>::to_vec))
        };
        let of_dimension = |dimension| {
            let lower = parts(FooterSection::LowerBounds, dimension)?;
            Some(StoredBounds { lower, upper: parts(FooterSection::UpperBounds, dimension)? })
        };
        if self.has_tile_bounds() { dimensions.map(of_dimension).collect() } else { None }
    }

    /// The fragment with the bounds of its tiles by dimension, which are then not read from its file.
    #[must_use]
    pub fn with_tile_bounds(self, bounds: Vec<StoredBounds>) -> Fragment {
        if self.has_tile_bounds() {
            for (dimension, StoredBounds { lower, upper }) in bounds.into_iter().enumerate() {
                self.tables().cache_extremes(self.footer(), FooterSection::LowerBounds, dimension, lower);
                self.tables().cache_extremes(self.footer(), FooterSection::UpperBounds, dimension, upper);
            }
        }
        self
    }
}
