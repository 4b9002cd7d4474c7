//! Decode context: the key, memory budget and statistics that a read needs to open tiles.

use std::ops::{Deref, DerefMut};

use tiledb_array::array::OpenArray;
use tiledb_array::schema::Field;
use tiledb_core::budget::{Budget, Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::limits::input::{MAX_FETCHED_PART, MIN_TASK_BYTES};
use tiledb_core::memory;
use tiledb_core::pool::{ChunkOwner, Scratch, scratch, scratch_size};
use tiledb_core::stats::{Counter, Stats, Timer, TimerGuard};
use tiledb_filters::crypto::EncryptionKey;

/// A chunk, and the worst case of a filter's output: twice its size and metadata.
const MAX_PASSING: u64 = 132 * 1024;

/// Maps a budget error to `None`.
///
/// # Errors
/// All others.
pub fn within_budget<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::Budget => Ok(None),
        result => result.map(Some),
    }
}

/// Temporary buffer for stored bytes or a chunk.
pub(crate) enum StagingBuffer {
    Usual(Scratch),
    Large(Lease<Scratch>),
}

impl Deref for StagingBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            StagingBuffer::Usual(bytes) => bytes,
            StagingBuffer::Large(bytes) => bytes,
        }
    }
}

impl DerefMut for StagingBuffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            StagingBuffer::Usual(bytes) => bytes,
            StagingBuffer::Large(bytes) => bytes.slice_mut(),
        }
    }
}

/// Context for decoding tiles.
///
/// Tiles are counted as libtiledb does it: a tile of a field once it is accessed, each of its parts (values, offsets,
/// validity) as one that was allocated and unfiltered. Fewer bytes may actually be decoded: tiles are read in part, and
/// coordinates not at all where the bounding box of a tile suffices. The byte counters show that.
#[derive(Clone, Copy)]
pub struct DecodeContext<'a> {
    /// The key of the array.
    pub key: &'a EncryptionKey,
    /// The memory that decoded tiles are taken from.
    budget: &'a Budget,
    stats: &'a Stats,
    /// Coordinates are counted tile by tile, by [`DecodeContext::count_coordinates`].
    coordinates_apart: bool,
    /// All cells are compared.
    compares: bool,
}

impl<'a> DecodeContext<'a> {
    /// To the tiles of an array.
    pub fn new(array: &'a OpenArray, budget: &'a Budget, stats: &'a Stats) -> DecodeContext<'a> {
        DecodeContext { key: array.key(), budget, stats, coordinates_apart: false, compares: false }
    }

    /// The same for sparse reads: where all coordinates are read they are counted by themselves, and where cells are
    /// compared, with ranges or each other, these are counted, too.
    #[must_use]
    pub fn of_sparse(self, coordinates_apart: bool, compares: bool) -> DecodeContext<'a> {
        DecodeContext { coordinates_apart, compares, ..self }
    }

    /// Leases memory from the budget, and creates its content.
    ///
    /// # Errors
    /// If the budget is exceeded, or the error of `make`.
    pub fn lease<T: MemoryUsage>(
        &self,
        kind: MemoryKind,
        bytes: u64,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Lease<T>> {
        self.budget.lease(kind, bytes, make)
    }

    /// Bytes that can still be taken out of the budget.
    #[inline]
    pub fn available(&self) -> u64 {
        self.budget.available()
    }

    /// Working memory of `len` bytes, whose content is undefined.
    ///
    /// # Errors
    /// If the budget or the system has no more.
    pub fn scratch(&self, kind: MemoryKind, len: usize) -> Result<Lease<Scratch>> {
        self.lease(kind, scratch_size(len as u64), || scratch(len))
    }

    /// Words that are 0.
    ///
    /// # Errors
    /// If the budget or the system has no more.
    pub fn words(&self, count: usize) -> Result<Lease<Vec<u64>>> {
        // A vector's minimum capacity is four.
        let bytes = (count.max(4) as u64).saturating_mul(8);
        self.lease(MemoryKind::Results, bytes, || memory::zeroed("offsets", count))
    }

    /// Staging memory for stored bytes or a chunk: small sizes are not leased.
    ///
    /// # Errors
    /// If the budget or the system has no more.
    pub(crate) fn staging(&self, len: usize) -> Result<StagingBuffer> {
        match self.staging_size(len as u64) {
            0 => scratch(len).map(StagingBuffer::Usual),
            _ => self.scratch(MemoryKind::FilteredTiles, len).map(StagingBuffer::Large),
        }
    }

    /// The part of [`DecodeContext::staging`] that is leased from the budget.
    pub(crate) fn staging_size(&self, len: u64) -> u64 {
        if len <= self.max_prefetch_bytes().max(MAX_PASSING) { 0 } else { scratch_size(len) }
    }

    /// If memory does not suffice for whole tiles: the number of `tasks` that may decode cells of a tile at a time, and the
    /// bytes for each. Half of the available memory is divided, since the positions of cells take memory, too.
    pub fn shares(&self, tasks: usize) -> (usize, usize) {
        let available = self.budget.available() / 2;
        let tasks = (available / MIN_TASK_BYTES.bytes()).clamp(1, tasks.max(1) as u64);
        (tasks as usize, usize::try_from(available / tasks).unwrap_or(usize::MAX))
    }

    /// True if a chunk may be added to the cache: large scans fill only a part of it.
    pub(crate) fn admits(&self, cache: &ChunkOwner, bytes: usize) -> bool {
        self.budget.admit(bytes as u64, cache.scan_limit())
    }

    /// Tiles of more stored bytes are fetched chunk by chunk.
    pub(crate) fn max_prefetch_bytes(&self) -> u64 {
        self.budget.limit() / MAX_FETCHED_PART.bytes()
    }

    /// Counts the coordinates of some tiles.
    pub fn count_coordinates(&self, dimensions: &[Field], tiles: usize) {
        if self.coordinates_apart {
            let parts: u64 = dimensions.iter().map(|field| 1 + u64::from(field.is_var())).sum();
            self.count((dimensions.len() * tiles) as u64, parts * tiles as u64);
        }
    }

    /// Counts the cells of a tile that are compared.
    #[inline]
    pub fn count_compared(&self, cells: u64) {
        if self.compares {
            self.stats.add(Counter::ReaderCells, cells);
        }
    }

    /// Measures until the returned guard is dropped.
    #[inline]
    pub fn timer(&self, timer: Timer) -> TimerGuard<'a> {
        self.stats.timer(timer)
    }

    /// Counts a tile of a field.
    #[inline]
    pub fn count_field(&self, field: &Field) {
        if !(self.coordinates_apart && field.is_dimension) {
            self.count(1, 1 + u64::from(field.is_var()) + u64::from(field.nullable));
        }
    }

    /// Counts a tile of which a single part is accessed.
    #[inline]
    pub fn count_part(&self) {
        self.count(1, 1);
    }

    /// Counts bytes that were decoded.
    #[inline]
    pub(crate) fn count_bytes(&self, bytes: usize) {
        self.stats.add(Counter::ReaderUnfiltered, bytes as u64);
    }

    fn count(&self, tiles: u64, parts: u64) {
        self.stats.add(Counter::ReaderTilesRead, tiles);
        self.stats.add(Counter::ReaderTilesAllocated, parts);
        self.stats.add(Counter::ReaderTilesUnfiltered, parts);
    }
}
