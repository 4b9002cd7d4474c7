//! Prefetches tiles from remote storage ahead of decoding.

use std::ops::Range;

use crate::input::decoded::ALL_CHUNKS;
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_core::budget::{Budget, MemoryKind, MemoryUsage};
use tiledb_core::error::Result;
use tiledb_core::limits::input::{MAX_PREFETCHED_BYTES, MAX_PREFETCHED_TILE_BYTES, MAX_SUPPLIED_TILE_BYTES};
use tiledb_core::pool::ChunkKey;
use tiledb_storage::vfs::ReadFile;

/// Tiles to fetch.
pub struct Prefetch<'a> {
    array: &'a OpenArray,
    ranges: Vec<(ReadFile, Range<u64>)>,
    bytes: u64,
    /// Maximum size of tiles that are fetched as a whole though little of them is needed.
    max_tile_bytes: u64,
}

/// Lease for the prefetched bytes.
struct PrefetchBytes(u64);

impl MemoryUsage for PrefetchBytes {
    fn memory_usage(&self) -> u64 {
        self.0
    }
}

impl<'a> Prefetch<'a> {
    /// An empty prefetch list; `None` for local storage, where prefetching gains nothing.
    ///
    /// # Errors
    /// If the storage is unknown.
    pub fn new(array: &'a OpenArray) -> Result<Option<Prefetch<'a>>> {
        let vfs = array.resources().vfs();
        if !vfs.is_remote(array.uri())? {
            return Ok(None);
        }
        let is_deferred = vfs.is_deferred(array.uri())?;
        let max_tile_bytes = if is_deferred { MAX_SUPPLIED_TILE_BYTES } else { MAX_PREFETCHED_TILE_BYTES }.bytes();
        Ok(Some(Prefetch { array, ranges: Vec::new(), bytes: 0, max_tile_bytes }))
    }

    /// Adds all parts of a tile, unless it is cached in decoded form; a large one only if much of it is needed.
    ///
    /// # Errors
    /// If the fragment's tables cannot be read or are not valid.
    pub fn add(&mut self, fragment: &Fragment, field: &Field, tile: u64, is_much: bool) -> Result<()> {
        let is_cached = |part: FieldPart, chunk| {
            let key = ChunkKey { field: field.index, part: part as u8, tile, chunk };
            fragment.chunks(field, part).is_some_and(|chunks| chunks.has(key))
        };
        let main = if field.is_var() { FieldPart::Var } else { FieldPart::Data };
        if is_cached(main, ALL_CHUNKS) || is_cached(main, 0) {
            return Ok(());
        }
        // Starts may be encoded with the values.
        let has_starts =
            field.is_var() && !field.filters.encodes_strings(field.datatype, field.cell_val_num, fragment.version());
        let parts = [(main, true), (FieldPart::Data, has_starts), (FieldPart::Validity, field.nullable)];
        for (part, _) in parts.into_iter().filter(|(_, is_there)| *is_there) {
            let stored = fragment.tile(field, part, tile)?;
            if !is_much && stored.end - stored.start > self.max_tile_bytes {
                continue;
            }
            self.bytes = self.bytes.saturating_add(stored.end - stored.start);
            self.ranges.push((fragment.file(field, part)?, stored));
        }
        Ok(())
    }

    /// Runs `work`, which reads the tiles, while they are prefetched, if there are any. The memory is leased from the
    /// budget.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn with<T>(ahead: Option<Self>, budget: &Budget, work: impl FnOnce() -> Result<T>) -> Result<T> {
        match ahead {
            Some(ahead) => ahead.run(budget, work),
            None => work(),
        }
    }

    /// Runs `work`, which reads the tiles, while they are prefetched. The memory is leased from the budget.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn run<T>(self, budget: &Budget, work: impl FnOnce() -> Result<T>) -> Result<T> {
        // Bytes between the tiles are fetched, too.
        let bytes = self.bytes.saturating_mul(2).saturating_add(MAX_PREFETCHED_TILE_BYTES.bytes());
        let lease = bytes.min(MAX_PREFETCHED_BYTES.bytes()).min(budget.available() / 4);
        let lease = budget.lease(MemoryKind::FilteredTiles, lease, || Ok(PrefetchBytes(lease)))?;
        self.array.resources().vfs().prefetch(self.array.uri(), self.ranges, lease.0, work)
    }
}
