//! Caches decoded variable cells of stored tiles: between the submits of a read that delivers a tile in several parts, and
//! between the condition and the results of a batch.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::cell_source::StoredTile;
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_cells::input::decode_context::{DecodeContext, within_budget};
use tiledb_cells::input::decoded::kind_of;
use tiledb_cells::input::tile_source::TileSource;
use tiledb_core::budget::{Budget, Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::dense_read::CACHED_TILES_PART;
use tiledb_core::memory;
use tiledb_core::pool::Scratch;

/// Variable cells of a stored tile.
pub struct VarTile {
    starts: Starts,
    /// The values of all cells, if they are cached.
    values: OnceLock<Lease<Scratch>>,
}

/// Where cells start, and the end of the last.
enum Starts {
    Short(Lease<Vec<u32>>),
    Long(Lease<Vec<u64>>),
    /// Of the first cell of each row only: what a tile needs that is copied as a whole.
    Rows {
        cells: usize,
        starts: Lease<Vec<u64>>,
    },
}

/// A stored tile of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TileKey {
    fragment: usize,
    field: usize,
    tile: u64,
}

impl TileKey {
    /// Of a field as the fragment has it.
    pub fn new(stored: &StoredTile<'_>, field: &Field) -> TileKey {
        // Readers hold their fragments: no other one has the same address.
        TileKey {
            fragment: std::ptr::from_ref::<Fragment>(stored.fragment) as usize,
            field: field.index,
            tile: stored.tile,
        }
    }
}

impl VarTile {
    /// Decodes the starts of the cells, which have to ascend.
    ///
    /// # Errors
    /// From storage, for stored bytes that are not valid, and where memory does not suffice.
    pub fn read(access: DecodeContext<'_>, stored: &StoredTile<'_>, field: &Field) -> Result<VarTile> {
        let StoredTile { fragment, tile, cells } = *stored;
        let mut starts = access.words(cells + 1)?;
        let end = fragment.var_tile_size(field, tile)?;
        let source = TileSource::new(fragment, field, FieldPart::Data, tile, cells * 8, access)?;
        source.load(0..cells * 8, bytemuck::cast_slice_mut(&mut starts.slice_mut()[..cells]))?;
        starts.slice_mut()[cells] = end;
        if !starts.is_sorted() {
            bail!(Corrupt, "{} (its offsets do not ascend)", source.name());
        }
        Ok(VarTile { starts: Starts::Long(starts), values: OnceLock::new() })
    }

    /// The same with the starts of rows of `cells` cells only, if there is memory for a copy.
    ///
    /// # Errors
    /// If the system has no memory.
    pub fn into_rows(self, cells: usize, budget: &Budget) -> Result<VarTile> {
        let Starts::Long(long) = &self.starts else { return Ok(self) };
        let rows = long.len().div_ceil(cells).max(4);
        let starts = budget.lease(MemoryKind::AttributeTiles, rows as u64 * 8, || {
            let mut starts = memory::with_capacity("offsets", rows)?;
            starts.extend(long.iter().copied().step_by(cells));
            Ok(starts)
        });
        let Some(starts) = within_budget(starts)? else { return Ok(self) };
        Ok(VarTile { starts: Starts::Rows { cells, starts }, values: self.values })
    }

    /// The same in less memory, where the starts are small numbers and there is memory for a copy.
    ///
    /// # Errors
    /// If the system has no memory.
    pub fn compact(self, budget: &Budget) -> Result<VarTile> {
        let Starts::Long(long) = &self.starts else { return Ok(self) };
        if long.last().is_none_or(|&end| u32::try_from(end).is_err()) {
            return Ok(self);
        }
        let bytes = long.len().max(4) as u64 * 4;
        let short = budget.lease(MemoryKind::AttributeTiles, bytes, || {
            let mut short = memory::with_capacity("offsets", long.len().max(4))?;
            short.extend(long.iter().map(|&start| start as u32));
            Ok(short)
        });
        let Some(short) = within_budget(short)? else { return Ok(self) };
        Ok(VarTile { starts: Starts::Short(short), values: self.values })
    }

    /// Where a cell starts; with the number of cells, where the last one ends. With starts of rows, only for the first cell of one.
    #[inline]
    pub fn start(&self, cell: usize) -> u64 {
        match &self.starts {
            Starts::Short(starts) => u64::from(starts[cell]),
            Starts::Long(starts) => starts[cell],
            Starts::Rows { cells, starts } => {
                debug_assert!(cell.is_multiple_of(*cells), "a cell within a row");
                starts[cell / cells]
            }
        }
    }

    /// The starts of all cells and the values, if all of both are in memory as they were decoded.
    pub fn cells(&self) -> Option<(&[u64], &[u8])> {
        let (Starts::Long(starts), Some(values)) = (&self.starts, self.values.get()) else { return None };
        Some((starts.split_last().map_or(&[], |(_, cells)| cells), values))
    }

    /// The number of bytes of all values.
    pub fn size(&self) -> u64 {
        let last = match &self.starts {
            Starts::Short(starts) => starts.last().map(|&end| u64::from(end)),
            Starts::Long(starts) | Starts::Rows { starts, .. } => starts.last().copied(),
        };
        last.unwrap_or(0)
    }

    /// The lengths of cells that follow one another.
    pub fn lengths(&self, first: usize, count: usize) -> impl Iterator<Item = u64> + '_ {
        (first..first + count).map(|cell| self.start(cell + 1) - self.start(cell))
    }

    /// The values of all cells, if they are decoded; `read` decodes them, unless memory does not suffice.
    ///
    /// # Errors
    /// From storage, and for stored bytes that are not valid.
    pub fn values(
        &self,
        access: DecodeContext<'_>,
        field: &Field,
        read: Option<&TileSource<'_>>,
    ) -> Result<Option<&[u8]>> {
        if let (None, Some(source)) = (self.values.get(), read) {
            let size = self.size() as usize;
            let Some(mut values) = within_budget(access.scratch(kind_of(field), size))? else { return Ok(None) };
            source.load(0..size, values.slice_mut())?;
            // Another task may have been faster; both have the same.
            _ = self.values.set(values);
        }
        Ok(self.values.get().map(|values| &values[..]))
    }

    fn bytes(&self) -> u64 {
        let starts = match &self.starts {
            Starts::Short(starts) => starts.memory_usage(),
            Starts::Long(starts) | Starts::Rows { starts, .. } => starts.memory_usage(),
        };
        starts + self.values.get().map_or(0, |values| values.memory_usage())
    }
}

/// The tiles that the last submit delivered in part.
#[derive(Default)]
pub struct VarTiles {
    tiles: HashMap<TileKey, Arc<VarTile>>,
    /// The read continues: values of tiles are decoded as a whole and cached.
    pub goes_on: bool,
}

impl VarTiles {
    /// A cached tile.
    pub fn get(&self, key: TileKey) -> Option<Arc<VarTile>> {
        self.tiles.get(&key).cloned()
    }

    /// Bytes of the cached tiles.
    pub fn bytes(&self) -> u64 {
        self.tiles.values().map(|tile| tile.bytes()).sum()
    }

    /// Drops all tiles; false if there are none.
    pub fn clear(&mut self) -> bool {
        let any = !self.tiles.is_empty();
        self.tiles.clear();
        any
    }

    /// Replaces the cache by these tiles, as many as memory allows.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn replace(&mut self, used: Vec<(TileKey, Arc<VarTile>)>, budget: &Budget) -> Result<()> {
        self.tiles.clear();
        let mut bytes = 0;
        for (key, tile) in used {
            let tile = match Arc::try_unwrap(tile) {
                Ok(tile) => Arc::new(tile.compact(budget)?),
                Err(shared) => shared,
            };
            bytes += tile.bytes();
            if bytes > budget.limit() / CACHED_TILES_PART.bytes() {
                break;
            }
            self.tiles.insert(key, tile);
        }
        Ok(())
    }
}

/// Tiles that a condition decoded, for the results of the same batch.
pub struct ComparedTiles<'f> {
    /// The requested fields.
    fields: &'f [&'f Field],
    /// Maximum bytes of the tiles.
    limit: u64,
    /// The tiles, those of earlier submits among them, and the bytes of the new ones.
    tiles: Mutex<(VarTiles, u64)>,
}

impl<'f> ComparedTiles<'f> {
    /// None yet but those of earlier submits.
    pub fn new(fields: &'f [&'f Field], cached: &VarTiles, limit: u64) -> ComparedTiles<'f> {
        let tiles = VarTiles { tiles: cached.tiles.clone(), goes_on: cached.goes_on };
        ComparedTiles { fields, limit, tiles: Mutex::new((tiles, 0)) }
    }

    /// The requested fields.
    pub fn fields(&self) -> &'f [&'f Field] {
        self.fields
    }

    /// Retains a tile of a field if the field is requested and memory allows.
    pub fn offer(&self, field: &Field, key: TileKey, tile: &Arc<VarTile>) {
        if !self.fields.iter().any(|requested| requested.name == field.name) {
            return;
        }
        let mut tiles = self.tiles.lock().unwrap_or_else(PoisonError::into_inner);
        let (tiles, bytes) = &mut *tiles;
        let all = bytes.saturating_add(tile.bytes());
        if all <= self.limit && tiles.tiles.insert(key, Arc::clone(tile)).is_none() {
            *bytes = all;
        }
    }

    pub fn into_tiles(self) -> VarTiles {
        self.tiles.into_inner().unwrap_or_else(PoisonError::into_inner).0
    }
}
