//! From the cells of a tile to its stored form: statistics, then filters.

use std::sync::Mutex;

use super::fragments::Fragments;
use super::spec::WriteSpec;
use crate::budget;
use crate::codec::Recycler;
use crate::crypto::EncryptionKey;
use crate::error::{Context, Error, Result};
use crate::filter::Shape;
use crate::fragment::FilteredTile;
use crate::schema::{ArraySchema, Field};
use crate::stats::{Counter, Stats, Timer};
use crate::tile::{Fill, TileStats, stats_kind, tile_stats};
use crate::types::{FormatVersion, Layout};

/// The cells of one tile of one field.
#[derive(Clone, Copy)]
pub struct TileCells<'a> {
    /// Fixed cells, or the values of variable ones.
    pub data: &'a [u8],
    /// Starts of variable cells in `data`, the first being 0.
    pub starts: Option<&'a [u64]>,
    /// One byte per cell of a nullable field.
    pub validity: Option<&'a [u8]>,
}

/// What all tiles of a write have in common.
pub struct Encoder<'a> {
    schema: &'a ArraySchema,
    key: &'a EncryptionKey,
    version: FormatVersion,
    layout: Layout,
    stats: &'a Stats,
}

/// What stands before errors that libtiledb's writers meet while they work.
pub fn at_work(layout: Layout) -> &'static str {
    match layout {
        Layout::Unordered => "TileDB internal: ['UnorderedWriter::dowork] ",
        Layout::GlobalOrder => "TileDB internal: [GlobalOrderWriter::dowork] ",
        _ => "TileDB internal: [OrderedWriter::dowork] ",
    }
}

impl<'a> Encoder<'a> {
    /// An encoder for the new fragments of a write.
    pub fn new(spec: &'a WriteSpec) -> Encoder<'a> {
        let schema = spec.array.schema();
        let (version, layout) = (schema.version().of_new_fragments(), spec.layout);
        Encoder { schema, key: spec.array.key(), version, layout, stats: &spec.stats }
    }

    /// The statistics of a tile; empty where the format has none.
    ///
    /// # Errors
    /// If the cells are not whole.
    pub fn stats(&self, field: &Field, cells: &TileCells<'_>, fill: Fill) -> Result<TileStats> {
        if !self.version.has_tile_statistics() {
            return Ok(TileStats::default());
        }
        let kind = stats_kind(field.datatype, field.cell_val_num, field.nullable, field.is_dimension);
        tile_stats(field.datatype, field.cell_val_num, cells.data, cells.starts, cells.validity, fill, kind)
    }

    /// The tile as it is stored.
    ///
    /// # Errors
    /// If a filter does not accept the cells.
    pub fn encode(&self, field: &Field, cells: &TileCells<'_>, stats: TileStats) -> Result<FilteredTile> {
        self.filter(field, cells, stats).context(|| at_work(self.layout))
    }

    /// Counts the bytes that go into filters.
    fn count(&self, cells: &TileCells<'_>) {
        let starts = cells.starts.map_or(0, |starts| starts.len() * 8);
        let bytes = cells.data.len() + starts + cells.validity.map_or(0, <[u8]>::len);
        self.stats.add(Counter::WriterFiltered, bytes as u64);
    }

    fn filter(&self, field: &Field, cells: &TileCells<'_>, stats: TileStats) -> Result<FilteredTile> {
        self.count(cells);
        let shape = field.shape(self.version);
        let mut filtered = room_for(cells.data.len());
        field.filters.forward(&shape, self.key, cells.data, cells.starts, &mut filtered)?;
        let validity = match cells.validity.filter(|_| field.nullable) {
            Some(validity) => {
                let mut out = room_for(validity.len());
                let shape = Shape::validity(self.version);
                self.schema.validity_filters().forward(&shape, self.key, validity, None, &mut out)?;
                Some(out)
            }
            None => None,
        };
        let Some(starts) = cells.starts else {
            let cells = (cells.data.len() / field.cell_size().max(1)) as u64;
            return Ok(FilteredTile { data: filtered, var: None, validity, stats, cells, bounds: None });
        };
        let mut offsets = room_for(starts.len() * 8);
        if field.filters.encodes_strings(field.datatype, field.cell_val_num, self.version) {
            // The filter stores the lengths; the offsets tile has no chunks.
            offsets.extend_from_slice(&0u64.to_le_bytes());
        } else {
            let shape = Shape::offsets(self.version);
            let bytes = bytemuck::cast_slice(starts);
            self.schema.offsets_filters().forward(&shape, self.key, bytes, None, &mut offsets)?;
        }
        let var = Some((filtered, cells.data.len() as u64));
        Ok(FilteredTile { data: offsets, var, validity, stats, cells: starts.len() as u64, bounds: None })
    }
}

/// Filtered tiles whose bytes are on their way to disk leave their memory to those that follow.
static FILTERED: Recycler<Vec<u8>> = Recycler::new(32);

/// Larger buffers go back to the system.
const MAX_KEPT: usize = 2 << 20;

/// An empty buffer with the room that a tile of `len` bytes takes when nothing makes it shorter.
fn room_for(len: usize) -> Vec<u8> {
    let enough = len.saturating_add(len / 64 + 256);
    let fits = enough..=enough.saturating_mul(8).max(1 << 16);
    let mut buffer = FILTERED.take(|kept| fits.contains(&kept.capacity())).unwrap_or_default();
    // Where that much is not to be had the filters ask again for what they need, and report it.
    _ = buffer.try_reserve_exact(enough);
    buffer
}

fn recycle(mut buffer: Vec<u8>) {
    if (1..=MAX_KEPT).contains(&buffer.capacity()) {
        buffer.clear();
        FILTERED.put(buffer);
    }
}

/// Tiles of a batch: about this many bytes are in memory at a time, apart from the tiles at work.
const BATCH_BYTES: usize = 8 << 20;

/// Makes tiles in parallel and appends them in order, the previous batch while the next is made.
///
/// # Errors
/// The first error of a tile or of storage.
pub fn write_tiles(
    spec: &WriteSpec,
    fragments: &mut Fragments,
    fields: &[&Field],
    tiles: usize,
    tile_bytes: usize,
    make: impl Fn(&Field, usize, usize) -> Result<FilteredTile> + Sync,
) -> Result<()> {
    let resources = spec.array.resources();
    let pools = resources.pools();
    let append = |fragments: &mut Fragments, tiles| {
        let _timer = spec.stats.timer(Timer::WriteTiles);
        append(fragments, fields, tiles)
    };
    let row = tile_bytes.max(1);
    // A batch is in memory while the next one is made, beside the cells it is made of.
    let budget = usize::try_from(budget::total(resources.config())?).unwrap_or(usize::MAX);
    let batch = (BATCH_BYTES / row).max(2 * pools.compute()).min(budget / 3 / row).clamp(1, tiles.max(1));
    let mut made: Vec<FilteredTile> = Vec::new();
    for first in (0..tiles).step_by(batch) {
        let count = batch.min(tiles - first);
        let tasks = count * fields.len();
        let next: Vec<Mutex<Option<FilteredTile>>> = std::iter::repeat_with(Mutex::default).take(tasks).collect();
        let previous = Mutex::new(Some((&mut *fragments, std::mem::take(&mut made))));
        let timer = spec.stats.timer(Timer::MakeTiles);
        pools.for_each(tasks + 1, count.saturating_mul(row), resources.cancel(), |task| {
            let Some(task) = task.checked_sub(1) else {
                let taken = previous.lock().map_err(|_| poisoned())?.take();
                return taken.map_or(Ok(()), |(fragments, tiles)| append(fragments, tiles));
            };
            let (tile, f) = (first + task / fields.len(), task % fields.len());
            let field = fields[f];
            *next[task].lock().map_err(|_| poisoned())? = Some(make(field, f, tile)?);
            Ok(())
        })?;
        drop(timer);
        made = next.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect();
    }
    append(fragments, made)
}

fn append(fragments: &mut Fragments, fields: &[&Field], tiles: Vec<FilteredTile>) -> Result<()> {
    let mut tiles = tiles.into_iter();
    while tiles.len() > 0 {
        for tile in fragments.append(fields, tiles.by_ref().take(fields.len()).collect())? {
            recycle(tile.data);
            tile.validity.into_iter().for_each(recycle);
            tile.var.into_iter().for_each(|(values, _)| recycle(values));
        }
    }
    Ok(())
}

#[cold]
fn poisoned() -> Error {
    Error::internal("A parallel task panicked while it made a tile")
}
