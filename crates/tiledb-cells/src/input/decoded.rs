//! Decoded cells of one field of a tile, and their cache.

use std::ops::Deref;
use std::sync::Arc;

use super::decode_context::DecodeContext;
use super::tile_source::TileSource;
use crate::columns::coords::Coords;
use crate::predicate::column_test::ColumnInput;
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_core::budget::{Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::pool::{ChunkKey, Scratch, scratch, scratch_for_cache, scratch_size};

/// The decoded cells of one field of a tile, or some of them; shared, and leased as long as any reference exists.
#[derive(Clone)]
pub struct DecodedTile(Arc<Lease<DecodedCells>>);

/// Decoded cells; also stored in the chunk cache if only few cells of a tile are needed.
pub struct DecodedCells {
    data: Arc<Scratch>,
    starts: Option<Arc<Scratch>>,
    validity: Option<Arc<Scratch>>,
}

impl MemoryUsage for DecodedCells {
    fn memory_usage(&self) -> u64 {
        self.data.memory_usage() + self.starts.memory_usage() + self.validity.memory_usage()
    }
}

impl Deref for DecodedTile {
    type Target = DecodedCells;

    fn deref(&self) -> &DecodedCells {
        &self.0
    }
}

impl DecodedTile {
    /// Decoded cells that may be shared.
    pub(super) fn new(cells: Lease<DecodedCells>) -> DecodedTile {
        DecodedTile(Arc::new(cells))
    }

    /// Fixed cells that are never null.
    pub fn fixed(data: Lease<Scratch>) -> Result<DecodedTile> {
        let cells = data.map(|data| Ok(DecodedCells { data: Arc::new(data), starts: None, validity: None }))?;
        Ok(DecodedTile(Arc::new(cells)))
    }
}

impl DecodedTile {
    /// Adds a field of a tile to the cache for other queries, as [`read_field`] does on request.
    pub fn cache(&self, fragment: &Fragment, field: &Field, tile: u64) {
        if !has_own_tile(fragment, field) {
            return;
        }
        let parts = [
            (values_of(field), Some(&self.data)),
            (FieldPart::Data, self.starts.as_ref()),
            (FieldPart::Validity, self.validity.as_ref()),
        ];
        for (part, bytes) in parts {
            if let (Some(bytes), Some(cache)) = (bytes, fragment.chunks(field, file_of(fragment, field, part))) {
                cache.keep(whole(field, part, tile), bytes);
            }
        }
    }
}

impl DecodedCells {
    /// Variable cells: their values, their starts with the end of the last, and which are null.
    pub(super) fn var(data: Scratch, starts: Scratch, validity: Option<Arc<Scratch>>) -> DecodedCells {
        DecodedCells { data: Arc::new(data), starts: Some(Arc::new(starts)), validity }
    }

    /// Fixed cells, or the values of variable ones.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// Starts of variable cells and the end of the last; ascending and inside the values.
    #[inline]
    pub fn starts(&self) -> Option<&[u64]> {
        self.starts.as_ref().map(|starts| bytemuck::try_cast_slice(starts).unwrap_or_default())
    }

    /// One byte per cell of a nullable field.
    #[inline]
    pub fn validity(&self) -> Option<&[u8]> {
        self.validity.as_ref().map(|validity| &validity[..])
    }

    /// Only some of the cells of a field, which ascend.
    ///
    /// # Errors
    /// If the budget or the system has no memory.
    pub fn retain(&self, cells: &[u32], field: &Field, access: DecodeContext<'_>) -> Result<DecodedTile> {
        let retained = access.lease(kind_of(field), self.memory_usage(), || self.select(cells, field.cell_size()))?;
        Ok(DecodedTile::new(retained.fit()))
    }

    /// The selected cells; fixed ones have `size` bytes.
    pub(super) fn select(&self, selected: &[u32], size: usize) -> Result<DecodedCells> {
        let gather = |bytes: &[u8], size: usize| -> Result<Arc<Scratch>> {
            let mut out = scratch(selected.len() * size)?;
            match size {
                1 => gather_cells::<1>(bytes, selected, &mut out),
                2 => gather_cells::<2>(bytes, selected, &mut out),
                4 => gather_cells::<4>(bytes, selected, &mut out),
                8 => gather_cells::<8>(bytes, selected, &mut out),
                _ => {
                    for (out, cell) in out.chunks_exact_mut(size.max(1)).zip(selected) {
                        out.copy_from_slice(&bytes[*cell as usize * size..][..size]);
                    }
                }
            }
            Ok(Arc::new(out))
        };
        let validity = self.validity.as_deref().map(|validity| gather(validity, 1)).transpose()?;
        let Some(all) = self.starts() else {
            return Ok(DecodedCells { data: gather(&self.data, size)?, starts: None, validity });
        };
        let cells = selected.iter().map(|cell| *cell as usize);
        let size = cells.clone().map(|cell| (all[cell + 1] - all[cell]) as usize).sum();
        let (data, starts) = self.gather_values(all, cells, (selected.len(), size))?;
        Ok(DecodedCells::var(data, starts, validity))
    }

    /// Copies the values of `count` variable cells, which have `size` bytes; with their starts and the end of the last.
    fn gather_values(
        &self,
        all: &[u64],
        cells: impl Iterator<Item = usize>,
        (count, size): (usize, usize),
    ) -> Result<(Scratch, Scratch)> {
        let mut data = scratch(size)?;
        let mut starts = scratch((count + 1) * size_of::<u64>())?;
        let mut end = 0;
        for (start, cell) in starts.cast_mut::<u64>().iter_mut().zip(cells.map(Some).chain([None])) {
            *start = end as u64;
            if let Some(cell) = cell {
                let value = &self.data[all[cell] as usize..all[cell + 1] as usize];
                data[end..end + value.len()].copy_from_slice(value);
                end += value.len();
            }
        }
        Ok((data, starts))
    }

    /// The cells as coordinates.
    pub fn coords(&self) -> Coords<'_> {
        match self.starts() {
            Some(starts) => Coords::Var { starts: &starts[..starts.len() - 1], data: &self.data },
            None => Coords::Fixed(&self.data),
        }
    }

    /// The cells as input of conditions.
    pub fn input(&self) -> ColumnInput<'_> {
        ColumnInput::Cells { data: self.coords(), validity: self.validity() }
    }

    /// Copies cells; fixed ones have `size` bytes.
    pub fn gather(
        &self,
        cells: impl Iterator<Item = usize> + Clone,
        size: usize,
        access: DecodeContext<'_>,
    ) -> Result<DecodedTile> {
        let count = cells.clone().count();
        let Some(starts) = self.starts() else {
            let mut data = access.scratch(MemoryKind::CoordinateTiles, count * size)?;
            for (out, cell) in data.slice_mut().chunks_exact_mut(size.max(1)).zip(cells) {
                out.copy_from_slice(&self.data[cell * size..(cell + 1) * size]);
            }
            return DecodedTile::fixed(data);
        };
        let size = cells.clone().map(|cell| (starts[cell + 1] - starts[cell]) as usize).sum();
        let need = scratch_size(size as u64) + scratch_size((count as u64 + 1) * 8);
        let gathered = access.lease(MemoryKind::CoordinateTiles, need, || {
            let (data, own) = self.gather_values(starts, cells, (count, size))?;
            Ok(DecodedCells::var(data, own, None))
        })?;
        Ok(DecodedTile(Arc::new(gathered)))
    }
}

/// Bytes of the tile that a fixed field is stored in, and its offset there: old format versions store all dimensions in
/// one tile, one after the other.
pub fn place_in_tile(fragment: &Fragment, field: &Field, cells: usize) -> (usize, usize) {
    let size = cells * field.cell_size();
    match field.dimension_index {
        Some(dimension) if !fragment.version().has_dimension_files() => {
            (size * fragment.schema().domain().len(), dimension * size)
        }
        _ => (size, 0),
    }
}

/// Decodes a fixed field, whose cells begin at `first` in its tile unless the coordinates of each cell are zipped.
pub fn load_fixed(
    source: &TileSource<'_>,
    fragment: &Fragment,
    field: &Field,
    first: usize,
    out: &mut [u8],
) -> Result<()> {
    match field.dimension_index {
        Some(dimension) if fragment.zips_coordinates() => {
            let mut all = source.access.staging(source.size)?;
            source.load(0..source.size, &mut all)?;
            fragment.unzip(&all, dimension, out)
        }
        _ => source.load(first..first + out.len(), out),
    }
}

/// Decodes a field of a tile. If `cacheable`, the cells come from the chunk cache or are added to it.
pub fn read_field(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    cells: usize,
    access: DecodeContext<'_>,
    cacheable: bool,
) -> Result<DecodedTile> {
    access.count_field(field);
    let need = decoded_size(fragment, field, tile, cells)?;
    let purpose = if cacheable { Purpose::Cache } else { Purpose::All };
    let decoded = access.lease(kind_of(field), need, || decode_field(fragment, field, tile, cells, access, purpose))?;
    Ok(DecodedTile(Arc::new(decoded)))
}

/// Copies cells of `W` bytes.
fn gather_cells<const W: usize>(bytes: &[u8], selected: &[u32], out: &mut [u8]) {
    let cells = bytes.as_chunks::<W>().0;
    for (out, cell) in out.as_chunks_mut::<W>().0.iter_mut().zip(selected) {
        *out = cells[*cell as usize];
    }
}

/// What cells are decoded for.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'s> {
    /// For all of them.
    All,
    /// For all of them, and they are added to the cache.
    Cache,
    /// For these, which ascend; the values of others may be undefined.
    Selection(&'s [u32]),
}

/// Decodes a field of a tile, or takes it from the cache.
pub(super) fn decode_field(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    cells: usize,
    access: DecodeContext<'_>,
    purpose: Purpose<'_>,
) -> Result<DecodedCells> {
    let cacheable = matches!(purpose, Purpose::Cache);
    let has_own_tile = has_own_tile(fragment, field);
    let load = |part: FieldPart, size: usize, decode: &dyn Fn(&mut Scratch) -> Result<()>| -> Result<Arc<Scratch>> {
        let cache = if has_own_tile { fragment.chunks(field, file_of(fragment, field, part)) } else { None };
        let name = whole(field, part, tile);
        if let Some(decoded) = cache.and_then(|cache| cache.get(name)).filter(|decoded| decoded.len() == size) {
            return Ok(decoded);
        }
        let Some(cache) = cache.filter(|_| cacheable) else {
            let mut bytes = scratch(size)?;
            decode(&mut bytes)?;
            return Ok(Arc::new(bytes));
        };
        let mut bytes = scratch_for_cache(size)?;
        decode(&mut bytes)?;
        let bytes = Arc::new(bytes);
        cache.keep(name, &bytes);
        Ok(bytes)
    };
    let source = |part: FieldPart, total: usize| TileSource::new(fragment, field, part, tile, total, access);
    let validity = match field.nullable {
        true => Some(load(FieldPart::Validity, cells, &|out| source(FieldPart::Validity, cells)?.load(0..cells, out))?),
        false => None,
    };
    if !field.is_var() {
        let (total, first) = place_in_tile(fragment, field, cells);
        let size = cells * field.cell_size();
        let data = load(FieldPart::Data, size, &|out| match purpose {
            Purpose::Selection(selected) if total == size && !(field.is_dimension && fragment.zips_coordinates()) => {
                source(FieldPart::Data, total)?.load_chunks_of(out, &|bytes| {
                    let cell = bytes.start / field.cell_size().max(1);
                    let next = selected.partition_point(|selected| (*selected as usize) < cell);
                    selected.get(next).is_some_and(|next| *next as usize * field.cell_size() < bytes.end)
                })
            }
            _ => load_fixed(&source(FieldPart::Data, total)?, fragment, field, first, out),
        })?;
        return Ok(DecodedCells { data, starts: None, validity });
    }
    let size = values_size(fragment, field, tile)?;
    let words = cells.checked_add(1).and_then(|count| count.checked_mul(8));
    let words = words.ok_or_else(|| Error::out_of_memory("offsets", cells))?;
    if field.encodes_strings(fragment.version()) && !cacheable && !is_cached(fragment, field, tile) {
        // Values and starts at once.
        let (mut data, mut starts) = (scratch(size)?, scratch(words)?);
        let (own, end) = starts.cast_mut::<u64>().split_at_mut(cells);
        source(FieldPart::Var, size)?.load_strings(&mut data, own)?;
        end.fill(size as u64);
        return Ok(DecodedCells::var(data, starts, validity));
    }
    let starts = load(FieldPart::Data, words, &|out| {
        let source = source(FieldPart::Data, cells * 8)?;
        source.load(0..cells * 8, &mut out[..cells * 8])?;
        let starts = out.cast_mut::<u64>();
        starts[cells] = size as u64;
        if !starts.is_sorted() {
            bail!(Corrupt, "{} (its offsets do not ascend)", source.name());
        }
        Ok(())
    })?;
    let ends: &[u64] = bytemuck::try_cast_slice(&starts).unwrap_or_default();
    let data = load(FieldPart::Var, size, &|out| match purpose {
        Purpose::Selection(selected) => source(FieldPart::Var, size)?.load_chunks_of(out, &|bytes| {
            let next = selected.partition_point(|cell| ends[*cell as usize + 1] <= bytes.start as u64);
            selected.get(next).is_some_and(|cell| ends[*cell as usize] < bytes.end as u64)
        }),
        _ => source(FieldPart::Var, size)?.load(0..size, out),
    })?;
    Ok(DecodedCells { data, starts: Some(starts), validity })
}

/// Bytes of the values of a variable field in a tile.
///
/// # Errors
/// If they exceed the address space, or tables of the fragment are not valid.
pub(crate) fn values_size(fragment: &Fragment, field: &Field, tile: u64) -> Result<usize> {
    let size = fragment.var_tile_size(field, tile)?;
    usize::try_from(size).map_err(|_| fragment.oversized_tile(field, tile, size))
}

/// Bytes of a decoded field of a tile.
///
/// # Errors
/// If tables of the fragment are not valid.
pub fn decoded_size(fragment: &Fragment, field: &Field, tile: u64, cells: usize) -> Result<u64> {
    let cells = cells as u64;
    let validity = if field.nullable { scratch_size(cells) } else { 0 };
    let (data, starts) = match field.is_var() {
        true => (fragment.var_tile_size(field, tile)?, cells.saturating_add(1).saturating_mul(8)),
        false => (cells.saturating_mul(field.cell_size() as u64), 0),
    };
    Ok(scratch_size(data).saturating_add(scratch_size(starts)).saturating_add(validity))
}

/// Bytes of temporary buffers while a field of a tile is decoded, in addition to the result.
///
/// # Errors
/// If tables of the fragment are not valid.
pub fn staging_size(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    cells: usize,
    access: DecodeContext<'_>,
) -> Result<u64> {
    if field.encodes_strings(fragment.version()) {
        let stored = fragment.tile(field, FieldPart::Var, tile)?;
        return Ok(access.staging_size(stored.end - stored.start));
    }
    match field.is_dimension && fragment.zips_coordinates() {
        true => Ok(access.staging_size(place_in_tile(fragment, field, cells).0 as u64)),
        false => Ok(0),
    }
}

/// The kind of memory that a field takes.
pub fn kind_of(field: &Field) -> MemoryKind {
    if field.is_dimension { MemoryKind::CoordinateTiles } else { MemoryKind::AttributeTiles }
}

/// Decodes which cells of a tile are null.
pub fn read_validity(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    cells: usize,
    access: DecodeContext<'_>,
) -> Result<Lease<Scratch>> {
    access.count_part();
    let mut validity = access.scratch(kind_of(field), cells)?;
    TileSource::new(fragment, field, FieldPart::Validity, tile, cells, access)?.load(0..cells, validity.slice_mut())?;
    Ok(validity)
}

/// Old format versions store all dimensions in one tile, under one number.
fn has_own_tile(fragment: &Fragment, field: &Field) -> bool {
    !field.is_dimension || fragment.version().has_dimension_files()
}

/// The part that has the values.
fn values_of(field: &Field) -> FieldPart {
    if field.is_var() { FieldPart::Var } else { FieldPart::Data }
}

/// The part in whose file a part is stored: starts may be encoded with the values.
fn file_of(fragment: &Fragment, field: &Field, part: FieldPart) -> FieldPart {
    if part == FieldPart::Data && field.encodes_strings(fragment.version()) { FieldPart::Var } else { part }
}

/// The name of a whole tile in the cache.
fn whole(field: &Field, part: FieldPart, tile: u64) -> ChunkKey {
    ChunkKey { field: field.index, part: part as u8, tile, chunk: ALL_CHUNKS }
}

/// True if a field of a tile is cached in decoded form, as [`read_field`] does.
pub fn is_cached(fragment: &Fragment, field: &Field, tile: u64) -> bool {
    let part = values_of(field);
    fragment.chunks(field, part).is_some_and(|chunks| chunks.has(whole(field, part, tile)))
}

/// True if a field of a tile was requested before, in this way; records the request. Cells that are requested once, in
/// a scan over all of an array, are not worth caching.
pub fn was_requested(fragment: &Fragment, field: &Field, tile: u64) -> bool {
    let (part, has_own_tile) = (values_of(field), has_own_tile(fragment, field));
    let chunks = if has_own_tile { fragment.chunks(field, part) } else { None };
    chunks.is_some_and(|chunks| chunks.was_requested(whole(field, part, tile)))
}

/// Data derived from a tile of a field and cached with its cells, computed now if only the cells are cached; `None` if
/// these are not: data of a single use are not worth it.
///
/// # Errors
/// The error of `make`.
pub fn cache_derived(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    size: usize,
    make: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<Option<Arc<Scratch>>> {
    let chunks = if has_own_tile(fragment, field) { fragment.chunks(field, values_of(field)) } else { None };
    let Some(chunks) = chunks else { return Ok(None) };
    let key = ChunkKey { field: field.index, part: FieldPart::Data as u8, tile, chunk: BESIDE };
    if let Some(cached) = chunks.get(key).filter(|cached| cached.len() == size) {
        return Ok(Some(cached));
    }
    if !is_cached(fragment, field, tile) {
        return Ok(None);
    }
    let mut bytes = scratch_for_cache(size)?;
    make(&mut bytes)?;
    let bytes = Arc::new(bytes);
    chunks.keep(key, &bytes);
    Ok(Some(bytes))
}

/// The cache key of data derived from the cells of a tile.
const BESIDE: usize = usize::MAX - 1;

/// The cache key of whole tiles among chunks.
pub(crate) const ALL_CHUNKS: usize = usize::MAX;
