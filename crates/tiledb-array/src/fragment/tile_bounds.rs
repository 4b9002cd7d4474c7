//! Global-order bounds of tiles: the coordinates of the first and of the last cell of each tile of a sparse fragment, since
//! version 23. Reads do not use them; verification compares them with the cells.

use super::Fragment;
use super::footer_layout::FooterSection;
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
                let (name, file) = (field.name(), self.metadata_uri());
                bail!(Corrupt, "Table {section:?} of dimension '{name}' in '{file}' does not have {tiles} entries");
            }
            table.get(tile, size, is_var).map(Some)
        };
        Ok(bound(FooterSection::LowerBounds)?.zip(bound(FooterSection::UpperBounds)?).map(|(low, high)| [low, high]))
    }
}
