//! One tile of a sparse fragment in memory: its coordinates, which of its cells are wanted, and the fields
//! that were asked for, each decoded at most once.

use std::sync::OnceLock;

use super::copy::OutMem;
use super::select::Selector;
use super::sparse_plan::{Source, Stream};
use super::tile_source::TileSource;
use crate::crypto::EncryptionKey;
use crate::error::{Error, Result, bail};
use crate::fragment::{Fragment, Part};
use crate::pool::{Scratch, scratch};
use crate::query::keys::Coords;
use crate::schema::Field;

/// The decoded cells of one field of a tile.
pub(super) struct TileData {
    /// Fixed cells, or the values of variable ones.
    pub(super) data: Scratch,
    /// Starts of variable cells and the end of the last; ascending and inside the data.
    pub(super) starts: Option<Vec<u64>>,
    /// One byte per cell of a nullable field.
    pub(super) validity: Option<Scratch>,
}

impl TileData {
    /// The cells as coordinates.
    pub(super) fn coords(&self) -> Coords<'_> {
        match &self.starts {
            Some(starts) => Coords::Var { starts: &starts[..starts.len() - 1], data: &self.data },
            None => Coords::Fixed(&self.data),
        }
    }
}

/// Which cells of a tile are wanted.
pub(super) enum Wanted {
    All,
    /// These, ascending.
    Some(Vec<u32>),
}

/// A tile.
pub(super) struct Tile {
    /// The stream it belongs to.
    pub(super) stream: usize,
    /// Its number in the fragment.
    pub(super) tile: u64,
    /// Its cells.
    pub(super) cells: usize,
    pub(super) wanted: Wanted,
    /// Coordinates that were decoded, per dimension.
    pub(super) coords: Vec<Option<TileData>>,
    /// When its cells were written, where they tell and it matters.
    pub(super) times: Option<TileData>,
    /// Requested fields.
    data: Vec<OnceLock<TileData>>,
}

/// What decides how tiles are loaded.
pub(super) struct Loader<'a> {
    pub(super) key: &'a EncryptionKey,
    pub(super) selector: &'a Selector,
    /// All coordinates are needed, not only those of restricted dimensions.
    pub(super) all_coords: bool,
    /// Requested fields.
    pub(super) fields: usize,
    /// The time up to which cells and deletions count, and from which.
    pub(super) window: (u64, u64),
}

impl Loader<'_> {
    /// Loads what is needed to say which cells of a tile are wanted. `full` promises that its box lies in
    /// the ranges.
    pub(super) fn load(&self, stream: &Stream, number: usize, tile: u64, full: bool) -> Result<Tile> {
        let fragment = &stream.fragment;
        let Ok(cells) = u32::try_from(fragment.cells_in_tile(tile)) else {
            bail!(Unsupported, "A tile of fragment {} has more than 2^32 cells", fragment.uri());
        };
        let cells = cells as usize;
        let mut coords = Vec::with_capacity(stream.dimensions.len());
        for (dimension, field) in stream.dimensions.iter().enumerate() {
            let needed = self.all_coords || (!full && self.selector.restricts(dimension));
            coords.push(if needed { Some(read_field(fragment, field, tile, cells, self.key)?) } else { None });
        }
        let special = |name: &str| match fragment.field(name) {
            Some(field) => read_field(fragment, field, tile, cells, self.key).map(Some),
            None => Ok(None),
        };
        let times = if fragment.has_timestamps() { special(crate::fragment::TIMESTAMPS)? } else { None };
        let deletes = match fragment.has_delete_metadata() {
            true => special(crate::fragment::DELETE_TIMESTAMPS)?,
            false => None,
        };
        let mut tile = Tile {
            stream: number,
            tile,
            cells,
            wanted: Wanted::All,
            coords,
            times,
            data: std::iter::repeat_with(OnceLock::new).take(self.fields).collect(),
        };
        tile.wanted = self.wanted(&tile, full, deletes.as_ref())?;
        Ok(tile)
    }

    fn wanted(&self, tile: &Tile, full: bool, deletes: Option<&TileData>) -> Result<Wanted> {
        if full && tile.times.is_none() && deletes.is_none() {
            return Ok(Wanted::All);
        }
        let mut marks = scratch(tile.cells)?;
        marks.fill(1);
        if !full {
            for (dimension, column) in tile.coords.iter().enumerate() {
                if let Some(column) = column {
                    self.selector.mark(dimension, &column.coords(), &mut marks);
                }
            }
        }
        if let Some(times) = &tile.times {
            mark_words(&times.data, &mut marks, |time| self.window.0 <= time && time <= self.window.1);
        }
        if let Some(deletes) = deletes {
            mark_words(&deletes.data, &mut marks, |time| time > self.window.1);
        }
        let count: usize = marks.iter().map(|&mark| usize::from(mark)).sum();
        if count == tile.cells {
            return Ok(Wanted::All);
        }
        let mut list = Vec::with_capacity(count);
        list.extend((0u32..).zip(marks.iter()).filter(|(_, mark)| **mark != 0).map(|(cell, _)| cell));
        Ok(Wanted::Some(list))
    }
}

fn mark_words(bytes: &[u8], marks: &mut [u8], keep: impl Fn(u64) -> bool) {
    for (mark, word) in marks.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *mark &= u8::from(keep(u64::from_le_bytes(*word)));
    }
}

impl Tile {
    /// How many cells are wanted.
    pub(super) fn wanted_count(&self) -> usize {
        match &self.wanted {
            Wanted::All => self.cells,
            Wanted::Some(list) => list.len(),
        }
    }

    /// The cell at a place among those wanted.
    #[inline]
    pub(super) fn wanted_at(&self, place: usize) -> usize {
        match &self.wanted {
            Wanted::All => place,
            Wanted::Some(list) => list[place] as usize,
        }
    }

    /// When a cell was written.
    pub(super) fn time(&self, cell: usize, of_fragment: u64) -> u64 {
        let times = self.times.as_ref().map(|times| times.data.as_chunks::<8>().0);
        times.and_then(|times| times.get(cell)).map_or(of_fragment, |time| u64::from_le_bytes(*time))
    }

    /// A requested field, if it is decoded.
    pub(super) fn data(&self, stream: &Stream, field: usize) -> Option<&TileData> {
        match &stream.sources[field] {
            Source::Coordinate(dimension, _) if self.coords[*dimension].is_some() => self.coords[*dimension].as_ref(),
            _ => self.data[field].get(),
        }
    }

    /// Decodes a requested field unless it is or nothing is stored.
    pub(super) fn load(&self, stream: &Stream, field: usize, key: &EncryptionKey) -> Result<()> {
        let (Source::Stored(stored) | Source::Coordinate(_, stored)) = &stream.sources[field] else { return Ok(()) };
        if self.data(stream, field).is_none() {
            let data = read_field(&stream.fragment, stored, self.tile, self.cells, key)?;
            // Another task may have been faster; both have the same.
            _ = self.data[field].set(data);
        }
        Ok(())
    }

    /// Decodes a fixed field of all cells straight into result memory.
    pub(super) fn load_into(
        &self,
        stream: &Stream,
        field: &Field,
        key: &EncryptionKey,
        out: &OutMem<'_>,
    ) -> Result<()> {
        let size = self.cells * field.cell_size();
        let (total, first) = place_in_tile(&stream.fragment, field, self.cells);
        let source = TileSource::new(&stream.fragment, field, Part::Data, self.tile, total, key)?;
        out.with(0..size, |bytes| source.load(first..first + size, bytes))
    }
}

/// Bytes of the tile a fixed field lies in, and where it begins there: old fragments keep all dimensions in
/// one tile, one behind the other.
fn place_in_tile(fragment: &Fragment, field: &Field, cells: usize) -> (usize, usize) {
    let size = cells * field.cell_size();
    match field.dimension_index {
        Some(dimension) if !fragment.version().has_dimension_files() => {
            (size * fragment.schema().domain().len(), dimension * size)
        }
        _ => (size, 0),
    }
}

/// Decodes a field of a tile.
fn read_field(fragment: &Fragment, field: &Field, tile: u64, cells: usize, key: &EncryptionKey) -> Result<TileData> {
    let validity = match field.nullable {
        true => Some(load(fragment, field, Part::Validity, tile, cells, 0..cells, key)?),
        false => None,
    };
    if !field.is_var() {
        let (total, first) = place_in_tile(fragment, field, cells);
        let range = first..first + cells * field.cell_size();
        let data = load(fragment, field, Part::Data, tile, total, range, key)?;
        return Ok(TileData { data, starts: None, validity });
    }
    let Ok(size) = usize::try_from(fragment.var_tile_size(field, tile)?) else {
        bail!(Corrupt, "A tile of field '{}' in fragment {} is beyond all memory", field.name, fragment.uri());
    };
    let data = load(fragment, field, Part::Var, tile, size, 0..size, key)?;
    let mut starts = Vec::new();
    starts.try_reserve_exact(cells + 1).map_err(|_| Error::out_of_memory("offsets", cells.saturating_mul(8)))?;
    starts.resize(cells + 1, 0u64);
    let source = TileSource::new(fragment, field, Part::Data, tile, cells * 8, key)?;
    source.load(0..cells * 8, bytemuck::cast_slice_mut(&mut starts[..cells]))?;
    starts[cells] = size as u64;
    if !starts.is_sorted() {
        bail!(Corrupt, "Offsets of field '{}' in fragment {} do not ascend", field.name, fragment.uri());
    }
    Ok(TileData { data, starts: Some(starts), validity })
}

fn load(
    fragment: &Fragment,
    field: &Field,
    part: Part,
    tile: u64,
    size: usize,
    range: std::ops::Range<usize>,
    key: &EncryptionKey,
) -> Result<Scratch> {
    let mut bytes = scratch(range.len())?;
    TileSource::new(fragment, field, part, tile, size, key)?.load(range, &mut bytes)?;
    Ok(bytes)
}
