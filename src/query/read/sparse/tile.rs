//! One tile of a sparse fragment in memory: its coordinates, which of its cells are wanted, and the fields
//! that were asked for, each decoded at most once.

use std::sync::{Arc, OnceLock};

use super::plan::{Source, Stream};
use crate::error::{Error, Result, bail};
use crate::fragment::{Fragment, Part};
use crate::pool::{ChunkKey, Scratch, scratch};
use crate::query::columns::coords::Coords;
use crate::query::columns::copy::OutMem;
use crate::query::input::access::Access;
use crate::query::input::tile_source::TileSource;
use crate::query::predicate::test::Input;
use crate::schema::Field;

/// The decoded cells of one field of a tile, or some of them; kept in the chunk cache too where little of a
/// tile is wanted.
#[derive(Clone)]
pub struct TileData {
    /// Fixed cells, or the values of variable ones.
    pub data: Arc<Scratch>,
    /// Words: starts of variable cells and the end of the last; ascending and inside the data.
    starts: Option<Arc<Scratch>>,
    /// One byte per cell of a nullable field.
    pub validity: Option<Arc<Scratch>>,
}

impl TileData {
    /// Fixed cells that are never null.
    pub fn fixed(data: Arc<Scratch>) -> TileData {
        TileData { data, starts: None, validity: None }
    }

    /// Starts of variable cells and the end of the last.
    pub fn starts(&self) -> Option<&[u64]> {
        self.starts.as_ref().map(|starts| bytemuck::try_cast_slice(starts).unwrap_or_default())
    }

    /// The cells as coordinates.
    pub fn coords(&self) -> Coords<'_> {
        match self.starts() {
            Some(starts) => Coords::Var { starts: &starts[..starts.len() - 1], data: &self.data },
            None => Coords::Fixed(&self.data),
        }
    }

    /// The cells as conditions look at them.
    pub fn input(&self) -> Input<'_> {
        Input::Cells { data: self.coords(), validity: self.validity.as_ref().map(|validity| &validity[..]) }
    }

    /// Copies cells; fixed ones have `size` bytes.
    pub fn gather(&self, cells: impl Iterator<Item = usize> + Clone, size: usize) -> Result<TileData> {
        let count = cells.clone().count();
        let Some(starts) = self.starts() else {
            let mut data = scratch(count * size)?;
            for (out, cell) in data.chunks_exact_mut(size.max(1)).zip(cells) {
                out.copy_from_slice(&self.data[cell * size..(cell + 1) * size]);
            }
            return Ok(TileData { data: Arc::new(data), starts: None, validity: None });
        };
        let range = |cell: usize| starts[cell] as usize..starts[cell + 1] as usize;
        let mut data = scratch(cells.clone().map(|cell| range(cell).len()).sum())?;
        let mut own = scratch((count + 1) * 8)?;
        let mut end = 0;
        for (start, cell) in own.cast_mut::<u64>().iter_mut().zip(cells.map(Some).chain([None])) {
            *start = end as u64;
            if let Some(cell) = cell {
                let text = &self.data[range(cell)];
                data[end..end + text.len()].copy_from_slice(text);
                end += text.len();
            }
        }
        Ok(TileData { data: Arc::new(data), starts: Some(Arc::new(own)), validity: None })
    }
}

/// Which cells of a tile are wanted.
pub enum Wanted {
    All,
    /// These, ascending.
    Some(Vec<u32>),
}

/// A tile.
pub struct Tile {
    /// The stream it belongs to.
    pub stream: usize,
    /// Its number in the fragment.
    pub tile: u64,
    /// Its cells.
    pub cells: usize,
    pub wanted: Wanted,
    /// Coordinates that were decoded, per dimension.
    pub coords: Vec<Option<TileData>>,
    /// When its cells were written, where they tell and it matters.
    pub times: Option<TileData>,
    /// One byte per cell: 0 for those that do not meet the conditions, but hide older cells; `None` if these
    /// are not wanted at all.
    pub passes: Option<Scratch>,
    /// Requested fields.
    pub data: Vec<OnceLock<TileData>>,
}

impl Wanted {
    /// The cells whose mark is 1, of marks that are 0 or 1.
    pub fn of(marks: &[u8]) -> Wanted {
        let count: usize = marks.chunks(255).map(|marks| usize::from(marks.iter().sum::<u8>())).sum();
        if count == marks.len() {
            return Wanted::All;
        }
        let mut list = Vec::with_capacity(count);
        for (block, marks) in (0u32..).step_by(BLOCK).zip(marks.chunks(BLOCK)) {
            if marks.iter().fold(0, |any, mark| any | mark) != 0 {
                list.extend((block..).zip(marks).filter(|(_, mark)| **mark != 0).map(|(cell, _)| cell));
            }
        }
        Wanted::Some(list)
    }
}

/// Marks that are skipped together where all are 0.
const BLOCK: usize = 64;

impl Tile {
    /// How many cells are wanted.
    pub fn wanted_count(&self) -> usize {
        match &self.wanted {
            Wanted::All => self.cells,
            Wanted::Some(list) => list.len(),
        }
    }

    /// The cell at a place among those wanted.
    #[inline]
    pub fn wanted_at(&self, place: usize) -> usize {
        match &self.wanted {
            Wanted::All => place,
            Wanted::Some(list) => list[place] as usize,
        }
    }

    /// True if the cell at a place among those wanted meets the conditions.
    #[inline]
    pub fn passes_at(&self, place: usize) -> bool {
        self.passes.as_ref().is_none_or(|passes| passes[self.wanted_at(place)] != 0)
    }

    /// When a cell was written.
    pub fn time(&self, cell: usize, of_fragment: u64) -> u64 {
        let times = self.times.as_ref().map(|times| times.data.as_chunks::<8>().0);
        times.and_then(|times| times.get(cell)).map_or(of_fragment, |time| u64::from_le_bytes(*time))
    }

    /// A requested field, if it is decoded.
    pub fn data(&self, stream: &Stream, field: usize) -> Option<&TileData> {
        match &stream.sources[field] {
            Source::Coordinate(dimension, _) if self.coords[*dimension].is_some() => self.coords[*dimension].as_ref(),
            _ => self.data[field].get(),
        }
    }

    /// Decodes a requested field unless it is or nothing is stored.
    pub fn load(&self, stream: &Stream, field: usize, access: Access<'_>) -> Result<()> {
        let (Source::Stored(stored) | Source::Coordinate(_, stored)) = &stream.sources[field] else { return Ok(()) };
        if self.data(stream, field).is_none() {
            let few = self.wanted_count() <= self.cells / 8;
            let data = read_field(&stream.fragment, stored, self.tile, self.cells, access, few)?;
            // Another task may have been faster; both have the same.
            _ = self.data[field].set(data);
        }
        Ok(())
    }

    /// Decodes a fixed field of all cells straight into result memory.
    pub fn load_into(&self, stream: &Stream, field: &Field, access: Access<'_>, out: &OutMem<'_>) -> Result<()> {
        let size = self.cells * field.cell_size();
        let (total, first) = place_in_tile(&stream.fragment, field, self.cells);
        access.count_field(field);
        let source = TileSource::new(&stream.fragment, field, Part::Data, self.tile, total, access)?;
        out.with(0..size, |bytes| load_fixed(&source, &stream.fragment, field, first, bytes))
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

/// Decodes a fixed field, which lies in its tile from `first` on unless the coordinates of each cell lie together.
fn load_fixed(source: &TileSource<'_>, fragment: &Fragment, field: &Field, first: usize, out: &mut [u8]) -> Result<()> {
    match field.dimension_index {
        Some(dimension) if fragment.zips_coordinates() => {
            let mut all = scratch(source.size)?;
            source.load(0..source.size, &mut all)?;
            fragment.unzip(&all, dimension, out)
        }
        _ => source.load(first..first + out.len(), out),
    }
}

/// Decodes a field of a tile. What is to be kept for other queries comes from the chunk cache or goes there.
pub fn read_field(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    cells: usize,
    access: Access<'_>,
    keep: bool,
) -> Result<TileData> {
    access.count_field(field);
    // Old fragments keep all dimensions in one tile, under one number.
    let has_own_tile = !field.is_dimension || fragment.version().has_dimension_files();
    let cache = if keep && has_own_tile { fragment.chunks() } else { None };
    let load = |part: Part, size: usize, decode: &dyn Fn(&mut Scratch) -> Result<()>| -> Result<Arc<Scratch>> {
        let name = ChunkKey { field: field.index, part: part as u8, tile, chunk: ALL_CHUNKS };
        if let Some(held) = cache.and_then(|cache| cache.get(name)).filter(|held| held.len() == size) {
            return Ok(held);
        }
        let mut bytes = scratch(size)?;
        decode(&mut bytes)?;
        let bytes = Arc::new(bytes);
        if let Some(cache) = cache {
            cache.keep(name, &bytes);
        }
        Ok(bytes)
    };
    let source = |part: Part, total: usize| TileSource::new(fragment, field, part, tile, total, access);
    let validity = match field.nullable {
        true => Some(load(Part::Validity, cells, &|out| source(Part::Validity, cells)?.load(0..cells, out))?),
        false => None,
    };
    if !field.is_var() {
        let (total, first) = place_in_tile(fragment, field, cells);
        let size = cells * field.cell_size();
        let data = load(Part::Data, size, &|out| load_fixed(&source(Part::Data, total)?, fragment, field, first, out))?;
        return Ok(TileData { data, starts: None, validity });
    }
    let Ok(size) = usize::try_from(fragment.var_tile_size(field, tile)?) else {
        bail!(Corrupt, "A tile of field '{}' in fragment {} is beyond all memory", field.name, fragment.uri());
    };
    let data = load(Part::Var, size, &|out| source(Part::Var, size)?.load(0..size, out))?;
    let words = cells.checked_add(1).and_then(|count| count.checked_mul(8));
    let words = words.ok_or_else(|| Error::out_of_memory("offsets", cells))?;
    let starts = load(Part::Data, words, &|out| {
        let source = source(Part::Data, cells * 8)?;
        source.load(0..cells * 8, &mut out[..cells * 8])?;
        let starts = out.cast_mut::<u64>();
        starts[cells] = size as u64;
        if !starts.is_sorted() {
            bail!(Corrupt, "{} (its offsets do not ascend)", source.name());
        }
        Ok(())
    })?;
    Ok(TileData { data, starts: Some(starts), validity })
}

/// Decodes which cells of a tile are null.
pub fn read_validity(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    cells: usize,
    access: Access<'_>,
) -> Result<Scratch> {
    access.count_part();
    let mut validity = scratch(cells)?;
    TileSource::new(fragment, field, Part::Validity, tile, cells, access)?.load(0..cells, &mut validity)?;
    Ok(validity)
}

/// The place of whole tiles among the chunks in the cache.
const ALL_CHUNKS: usize = usize::MAX;
