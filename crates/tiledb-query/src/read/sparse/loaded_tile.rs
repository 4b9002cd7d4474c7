//! One tile of a sparse fragment in memory: its coordinates, its selected cells, and the requested fields, each decoded
//! at most once.

use std::sync::OnceLock;

use super::field_source::{DeletionColumn, FieldSource, NOT_DELETED};
use super::fragment_cursor::FragmentCursor;
use super::row_index::RowIndex;
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::decoded::{
    DecodedCells, DecodedTile, is_cached, load_fixed, place_in_tile, read_field, was_requested,
};
use tiledb_cells::input::selected::read_selected;
use tiledb_cells::input::tile_source::TileSource;
use tiledb_cells::space::selection_mask;
use tiledb_core::budget::{Lease, MemoryUsage};
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::{Scratch, scratch_size};

/// Selection vector of a tile.
pub enum SelectedCells {
    All,
    /// These, ascending.
    Some(Vec<u32>),
}

/// The number of a fragment's cursor and that of a tile in the fragment.
pub type TileOrigin = (usize, u64);

pub struct LoadedTile {
    /// The cursor it belongs to.
    pub cursor: usize,
    /// Its number in the fragment.
    pub tile: u64,
    pub cells: usize,
    /// Its bounding box is within the ranges.
    pub full: bool,
    /// Which of them are selected.
    pub selection: Lease<CellSelection>,
    /// Coordinates, times and conditions are compacted to those of the selected cells.
    pub is_compacted: bool,
    /// Coordinates that were decoded, per dimension.
    pub coords: Vec<Option<DecodedTile>>,
    /// When its cells were written, if they have times and these matter.
    pub times: Option<DecodedTile>,
    /// When and by which conditions its cells were deleted.
    pub deletions: TileDeletions,
    /// Requested fields that are decoded from stored tiles.
    pub data: Vec<OnceLock<FieldData>>,
}

/// The deletions of the cells of a tile. They are computed from conditions when the tile is loaded, and cannot be decoded later
/// as stored fields can: so they are a part of every loaded tile, and a tile that has none cannot be delivered as one of living cells.
#[derive(Clone)]
pub enum TileDeletions {
    /// They were not requested.
    Unknown,
    /// No cell was deleted.
    None,
    /// Their times and conditions.
    Some([FieldData; 2]),
}

/// How a tile has a requested field.
pub enum TileField<'t> {
    Decoded(FieldCells<'t>),
    /// In a stored tile that is not decoded.
    Stored(&'t Field),
    /// All cells have this value.
    Constant {
        value: &'t [u8],
        valid: bool,
    },
}

/// A requested field of a tile in memory.
#[derive(Clone)]
pub enum FieldData {
    /// With all cells of the tile.
    Whole(DecodedTile),
    /// With the selected cells.
    Selected(DecodedTile),
}

/// The cells of a requested field of a tile.
#[derive(Clone, Copy)]
pub struct FieldCells<'t> {
    pub cells: &'t DecodedCells,
    /// The rows of the cells, if these are only the selected ones.
    pub rows: Option<&'t RowIndex>,
}

impl FieldCells<'_> {
    /// The row of a cell of the tile. Selected cells that are consecutive have consecutive rows.
    #[inline]
    pub fn row(&self, cell: usize) -> usize {
        self.rows.map_or(cell, |rows| rows.row(cell))
    }
}

/// The selected cells of a tile, and which of them are tombstones.
pub struct CellSelection {
    pub cells: SelectedCells,
    /// One byte per cell, or per selected one if the tile is compacted: 0 for tombstones, which do not meet the
    /// conditions, but supersede older cells; `None` if these are not selected at all.
    pub passes: Option<Scratch>,
    /// The rows of the selected cells, if few enough are selected that only these are kept of the fields.
    pub rows: Option<RowIndex>,
}

impl CellSelection {
    /// All cells.
    pub fn all() -> CellSelection {
        CellSelection { cells: SelectedCells::All, passes: None, rows: None }
    }

    /// Some of the cells of a tile.
    pub fn new(selected: SelectedCells, passes: Option<Scratch>, of: usize) -> CellSelection {
        let rows = match &selected {
            SelectedCells::Some(list) if list.len() <= of / 2 => Some(RowIndex::new(list)),
            _ => None,
        };
        CellSelection { cells: selected, passes, rows }
    }

    /// The maximum memory of a selection of `count` of the `cells` of a tile.
    pub fn most_memory(count: u64, cells: u64) -> u64 {
        let list = scratch_size(count).saturating_add(count.saturating_mul(size_of::<u32>() as u64));
        list.saturating_add(RowIndex::most_memory(cells))
    }

    /// The selected cells if only these are kept of the fields.
    pub fn cells(&self) -> Option<&[u32]> {
        match (&self.cells, &self.rows) {
            (SelectedCells::Some(list), Some(_)) => Some(list),
            _ => None,
        }
    }
}

impl TileDeletions {
    /// Those of fewer cells: `of` selects the cells so far, and `to` fewer of them.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn select(&self, of: &CellSelection, to: &CellSelection, access: DecodeContext<'_>) -> Result<TileDeletions> {
        // As long as not only the selected cells are kept, rows are those of the tile.
        let (TileDeletions::Some([times, conditions]), Some(cells)) = (self, to.cells()) else {
            return Ok(self.clone());
        };
        let gather = |data: &FieldData| {
            let (column, rows) = match data {
                FieldData::Whole(column) => (column, None),
                FieldData::Selected(column) => (column, of.rows.as_ref()),
            };
            let rows = cells.iter().map(|&cell| rows.map_or(cell as usize, |rows| rows.row(cell as usize)));
            column.gather(rows, size_of::<u64>(), access).map(FieldData::Selected)
        };
        Ok(TileDeletions::Some([gather(times)?, gather(conditions)?]))
    }
}

impl MemoryUsage for CellSelection {
    fn memory_usage(&self) -> u64 {
        let list = if let SelectedCells::Some(list) = &self.cells { list.memory_usage() } else { 0 };
        list + self.passes.memory_usage() + self.rows.memory_usage()
    }
}

impl SelectedCells {
    /// The cells whose mark is 1, of marks that are 0 or 1.
    pub fn of(marks: &[u8]) -> SelectedCells {
        selection_mask::indexes(marks).map_or(SelectedCells::All, SelectedCells::Some)
    }
}

/// True if so few cells of a tile are selected that it is cached for the next query of some.
pub fn is_few(selected: usize, cells: usize) -> bool {
    selected <= cells / 8
}

impl LoadedTile {
    /// Where the tile is from.
    pub fn origin(&self) -> TileOrigin {
        (self.cursor, self.tile)
    }

    /// The selected cells.
    #[inline]
    pub fn selected(&self) -> &SelectedCells {
        &self.selection.cells
    }

    /// True if some of the selected cells do not match the conditions.
    pub fn has_tombstones(&self) -> bool {
        self.selection.passes.is_some()
    }

    /// Number of selected cells.
    pub fn selected_count(&self) -> usize {
        match self.selected() {
            SelectedCells::All => self.cells,
            SelectedCells::Some(list) => list.len(),
        }
    }

    /// The cell at an index among those selected.
    #[inline]
    pub fn selected_at(&self, place: usize) -> usize {
        match self.selected() {
            SelectedCells::All => place,
            SelectedCells::Some(list) => list[place] as usize,
        }
    }

    /// True if the cell at an index among those selected matches the conditions.
    #[inline]
    pub fn passes_at(&self, place: usize) -> bool {
        self.selection.passes.as_ref().is_none_or(|passes| passes[self.row_at(place)] != 0)
    }

    /// When the cell at an index among those selected was written.
    pub fn time_at(&self, place: usize, of_fragment: u64) -> u64 {
        let times = self.times.as_ref().map(|times| times.bytes().as_chunks::<8>().0);
        times.and_then(|times| times.get(self.row_at(place))).map_or(of_fragment, |time| u64::from_le_bytes(*time))
    }

    /// The row of coordinates and times that belongs to an index among the selected cells.
    #[inline]
    pub fn row_at(&self, place: usize) -> usize {
        if self.is_compacted { place } else { self.selected_at(place) }
    }

    /// The row of coordinates that belongs to a selected cell.
    #[inline]
    pub fn row_of(&self, cell: usize) -> usize {
        match self.selected() {
            SelectedCells::Some(list) if self.is_compacted => list.partition_point(|&listed| (listed as usize) < cell),
            _ => cell,
        }
    }

    /// Number of cells whose coordinates are in memory.
    pub fn rows(&self) -> usize {
        if self.is_compacted { self.selected_count() } else { self.cells }
    }

    /// The coordinate of a selected cell, if its dimension is decoded; `size` is that of a fixed one.
    pub fn coordinate(&self, dimension: usize, cell: usize, size: usize) -> Option<&[u8]> {
        let column = self.coords.get(dimension)?.as_ref()?;
        Some(column.coords().value(self.row_of(cell), size))
    }

    /// Drops the requested fields that can be decoded again.
    pub fn forget(&mut self, cursor: &FragmentCursor) {
        let fields = cursor.sources.iter().zip(&mut self.data);
        fields.filter(|(source, _)| matches!(source, FieldSource::Stored(_))).for_each(|(_, data)| _ = data.take());
    }

    /// A requested field, if it is in memory.
    pub fn data(&self, cursor: &FragmentCursor, field: usize) -> Option<FieldCells<'_>> {
        let data = match (&cursor.sources[field], &self.deletions) {
            (FieldSource::Coordinate(dimension, _), _) if !self.is_compacted && self.coords[*dimension].is_some() => {
                return self.coords[*dimension].as_ref().map(|cells| FieldCells { cells, rows: None });
            }
            (FieldSource::Deletion(DeletionColumn::Time), TileDeletions::Some([times, _])) => Some(times),
            (FieldSource::Deletion(DeletionColumn::Condition), TileDeletions::Some([_, conditions])) => {
                Some(conditions)
            }
            _ => self.data[field].get(),
        };
        data.map(|data| match data {
            FieldData::Whole(cells) => FieldCells { cells, rows: None },
            FieldData::Selected(cells) => FieldCells { cells, rows: self.selection.rows.as_ref() },
        })
    }

    /// A requested field.
    ///
    /// # Errors
    /// If it is one of the deletions and these were not computed.
    pub fn field<'t>(&'t self, cursor: &'t FragmentCursor, field: usize) -> Result<TileField<'t>> {
        if let Some(cells) = self.data(cursor, field) {
            return Ok(TileField::Decoded(cells));
        }
        match (&cursor.sources[field], &self.deletions) {
            (FieldSource::Stored(stored) | FieldSource::Coordinate(_, stored), _) => Ok(TileField::Stored(stored)),
            (FieldSource::Constant { value, valid }, _) => Ok(TileField::Constant { value, valid: *valid }),
            (FieldSource::Deletion(_), TileDeletions::None) => {
                Ok(TileField::Constant { value: &const { NOT_DELETED.to_le_bytes() }, valid: true })
            }
            (FieldSource::Deletion(_), TileDeletions::Unknown | TileDeletions::Some(_)) => {
                bail!(Internal, "The deletions of tile {} of {} were not computed", self.tile, cursor.fragment.uri())
            }
        }
    }

    /// True if so few of its cells are selected that it is cached for the next query of some.
    pub fn is_for_few(&self) -> bool {
        is_few(self.selected_count(), self.cells)
    }

    /// True if a field is to be cached: if few cells are selected, of a tile at the edge of ranges at once, of others
    /// when the field is accessed for the second time. Cells that are selected for a window are few in the window
    /// alone: the windows that follow decode the tile again since memory is short, which is no reason to cache it.
    pub fn caches(&self, fragment: &Fragment, stored: &Field) -> bool {
        !self.is_compacted && self.is_for_few() && (!self.full || was_requested(fragment, stored, self.tile))
    }

    /// True if a requested field is cached since other queries selected some of its cells.
    pub fn is_cached(&self, cursor: &FragmentCursor, field: usize) -> bool {
        let stored = cursor.sources[field].field();
        self.is_for_few() && stored.is_some_and(|stored| is_cached(&cursor.fragment, stored, self.tile))
    }

    /// Decodes a requested field unless it is or nothing is stored.
    pub fn load(&self, cursor: &FragmentCursor, field: usize, access: DecodeContext<'_>) -> Result<()> {
        let (FieldSource::Stored(stored) | FieldSource::Coordinate(_, stored)) = &cursor.sources[field] else {
            return Ok(());
        };
        if self.data(cursor, field).is_none() {
            let fragment = &*cursor.fragment;
            let cache = self.caches(&cursor.fragment, stored);
            let selected = match self.selection.cells() {
                Some(cells) if !cache => read_selected(fragment, stored, self.tile, self.cells, cells, access)?,
                _ => None,
            };
            let data = match selected {
                Some(selected) => FieldData::Selected(selected),
                None => FieldData::Whole(read_field(fragment, stored, self.tile, self.cells, access, cache)?),
            };
            // Another task may have been faster; both have the same.
            _ = self.data[field].set(data);
        }
        Ok(())
    }

    /// Decodes a fixed field of all cells straight into result memory.
    pub fn load_into(
        &self,
        cursor: &FragmentCursor,
        field: &Field,
        access: DecodeContext<'_>,
        out: &mut OutMem<'_>,
    ) -> Result<()> {
        let size = self.cells * field.cell_size();
        let (total, first) = place_in_tile(&cursor.fragment, field, self.cells);
        access.count_field(field);
        let source = TileSource::new(&cursor.fragment, field, FieldPart::Data, self.tile, total, access)?;
        out.with(0..size, |bytes| load_fixed(&source, &cursor.fragment, field, first, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn marked_cells_are_selected(marks in prop::collection::vec(prop_oneof![0..2u8, Just(1), Just(0)], 0..300)) {
            let cells: Vec<u32> = (0..).zip(&marks).filter(|(_, mark)| **mark != 0).map(|(cell, _)| cell).collect();
            match SelectedCells::of(&marks) {
                SelectedCells::All => prop_assert_eq!(cells.len(), marks.len()),
                SelectedCells::Some(list) => prop_assert_eq!(list, cells),
            }
        }
    }
}
