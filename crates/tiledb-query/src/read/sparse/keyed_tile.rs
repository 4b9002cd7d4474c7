//! Tiles with the sort keys of their cells.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::cell_indexes::CellIndexes;
use super::field_source::FieldSource;
use super::fragment_cursor::FragmentCursor;
use super::loaded_tile::{CellSelection, FieldData, LoadedTile, SelectedCells};
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::decoded::DecodedTile;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::words::Keys;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_core::pool::scratch;

/// A tile with the sort keys of its cells: all cells, or if few are selected, those and the last one.
pub struct KeyedTile {
    pub tile: Arc<LoadedTile>,
    pub keys: Lease<Keys>,
    /// Coordinates of the selected cells and of the last.
    few: Option<Vec<DecodedTile>>,
}

impl KeyedTile {
    /// Computes the keys; the tile has all its coordinates.
    pub fn new(plan: &KeyPlan, tile: LoadedTile, access: DecodeContext<'_>) -> Result<KeyedTile> {
        let few = match tile.selected() {
            SelectedCells::Some(list) if list.len() < tile.cells / 4 => {
                let cells = list.iter().map(|&cell| cell as usize).chain([tile.cells - 1]);
                let columns = tile.coords.iter().flatten().enumerate();
                let gather = |(dimension, column): (usize, &DecodedTile)| {
                    column.gather(cells.clone(), plan.size(dimension), access)
                };
                Some(columns.map(gather).collect::<Result<Vec<_>>>()?)
            }
            _ => None,
        };
        let cells = if few.is_some() { tile.selected_count() + 1 } else { tile.cells };
        let keys = access.lease(MemoryKind::Results, cells.saturating_mul(plan.key_size()) as u64, || {
            let mut keys = Keys::default();
            plan.compute(&coords_of(&tile, few.as_deref()), cells, &mut keys)?;
            Ok(keys)
        })?;
        Ok(KeyedTile { tile: Arc::new(tile), keys, few })
    }

    /// Only the selected cells at some indexes and the last cell, without decoded data that can be decoded again.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn select(&self, plan: &KeyPlan, places: &CellIndexes, access: DecodeContext<'_>) -> Result<KeyedTile> {
        let tile = &*self.tile;
        let count = places.len();
        let at = |number: usize| places.at(number);
        let rows = (0..count + 1).map(|number| if number < count { self.row(at(number)) } else { self.last() });
        let columns = match &self.few {
            Some(few) => few.iter().collect::<Vec<_>>(),
            None => tile.coords.iter().flatten().collect(),
        };
        let gather =
            |(dimension, column): (usize, &&DecodedTile)| column.gather(rows.clone(), plan.size(dimension), access);
        let few = columns.iter().enumerate().map(gather).collect::<Result<Vec<_>>>()?;
        let of_tile = (0..count).map(|number| tile.row_at(at(number)));
        let times =
            tile.times.as_ref().map(|times| times.gather(of_tile.clone(), size_of::<u64>(), access)).transpose()?;
        let selection =
            access.lease(MemoryKind::Results, CellSelection::most_memory(count as u64, tile.cells as u64), || {
                let mut selected = memory::with_capacity("selected cells", count)?;
                selected.extend((0..count).map(|number| tile.selected_at(at(number)) as u32));
                let passes = tile.selection.passes.as_ref().map(|all| {
                    let mut passes = scratch(count)?;
                    passes.iter_mut().zip(of_tile.clone()).for_each(|(mark, row)| *mark = all[row]);
                    Ok(passes)
                });
                Ok(CellSelection::new(SelectedCells::Some(selected), passes.transpose()?, tile.cells))
            })?;
        let selection = selection.fit();
        let deletions = tile.deletions.select(&tile.selection, &selection, access)?;
        let key_bytes = (count + 1).saturating_mul(plan.key_size()) as u64;
        let keys = access.lease(MemoryKind::Results, key_bytes, || self.keys.gather(rows))?;
        let data = tile.data.iter().map(|_| OnceLock::new()).collect();
        let LoadedTile { cursor, tile, cells, full, .. } = *tile;
        let tile = LoadedTile {
            cursor,
            tile,
            cells,
            full,
            selection,
            is_compacted: true,
            coords: few.iter().cloned().map(Some).collect(),
            times,
            deletions,
            data,
        };
        Ok(KeyedTile { tile: Arc::new(tile), keys, few: Some(few) })
    }

    /// Only the selected cells from an index on, with the requested fields that are decoded.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn compact(
        &self,
        plan: &KeyPlan,
        from: usize,
        cursor: &FragmentCursor,
        access: DecodeContext<'_>,
    ) -> Result<KeyedTile> {
        let places = CellIndexes::Range(from..self.tile.selected_count());
        let compact = self.select(plan, &places, access)?;
        let Some(cells) = compact.tile.selection.cells() else { return Ok(compact) };
        // Columns of coordinates have one cell more, and requested fields only the selected ones.
        let coordinates = |dimension: usize| {
            let column = compact.tile.coords[dimension].as_ref();
            column.map(|column| column.gather(0..cells.len(), plan.size(dimension), access)).transpose()
        };
        for (field, source) in cursor.sources.iter().enumerate() {
            let data = match source {
                FieldSource::Coordinate(dimension, _) => coordinates(*dimension)?,
                FieldSource::Stored(stored) => self
                    .tile
                    .data(cursor, field)
                    .map(|decoded| {
                        let rows: Vec<u32> = cells.iter().map(|&cell| decoded.row(cell as usize) as u32).collect();
                        decoded.cells.retain(&rows, stored, access)
                    })
                    .transpose()?,
                // The tile itself has its deletions.
                FieldSource::Constant { .. } | FieldSource::Deletion(_) => None,
            };
            if let Some(data) = data {
                _ = compact.tile.data[field].set(FieldData::Selected(data));
            }
        }
        Ok(compact)
    }

    /// Cells in memory.
    pub fn rows(&self) -> usize {
        if self.few.is_some() { self.tile.selected_count() + 1 } else { self.tile.cells }
    }

    /// The coordinates of the cells that have keys.
    pub fn coords(&self) -> Vec<Coords<'_>> {
        coords_of(&self.tile, self.few.as_deref())
    }

    /// The row of keys and coordinates that belongs to an index among the selected cells.
    #[inline]
    pub fn row(&self, place: usize) -> usize {
        if self.few.is_some() { place } else { self.tile.row_at(place) }
    }

    /// The first words of the keys of the cells at these indexes, unless they do not lie side by side.
    pub fn first_words(&self, places: Range<usize>) -> Option<&[u64]> {
        match self.tile.selected() {
            SelectedCells::Some(_) if self.few.is_none() && !self.tile.is_compacted => None,
            _ => Some(&self.keys.first()[places]),
        }
    }

    /// The first word of the key of the cell at an index.
    #[inline]
    pub fn first_word(&self, place: usize) -> u64 {
        self.keys.first()[self.row(place)]
    }

    /// The row of the tile's last cell, selected or not.
    pub fn last(&self) -> usize {
        if self.few.is_some() { self.tile.selected_count() } else { self.tile.cells.saturating_sub(1) }
    }
}

/// The coordinates from which the keys are computed.
pub(super) fn coords_of<'c>(tile: &'c LoadedTile, few: Option<&'c [DecodedTile]>) -> Vec<Coords<'c>> {
    match few {
        Some(few) => few.iter().map(|column| column.coords()).collect(),
        None => tile.coords.iter().flatten().map(|column| column.coords()).collect(),
    }
}
