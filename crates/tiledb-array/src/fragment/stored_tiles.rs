//! Copies tiles from one fragment to another in their filtered form; only checksums and authentication tags are
//! verified.

use std::ops::Range;

use super::{FieldPart, Fragment};
use crate::schema::Field;
use tiledb_core::error::{Error, ErrorContext, Result, bail};
use tiledb_core::limits::fragment::{LOCAL_COPY_BYTES, REMOTE_COPY_BYTES};
use tiledb_core::pool::{Scratch, scratch};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{ChunkHeader, Pipeline, TILE_HEADER, TileShape};
use tiledb_filters::tile::TileStats;
use tiledb_storage::vfs::{ReadFile, Vfs};

/// Neighbouring tiles of a field of a fragment.
pub struct StoredTiles<'a> {
    vfs: &'a Vfs,
    fragment: &'a Fragment,
    field: &'a Field,
    key: &'a EncryptionKey,
    /// Parts with their files and filters.
    parts: Vec<(FieldPart, Window, IntegrityCheck<'a>)>,
}

impl<'a> StoredTiles<'a> {
    /// Tiles of a field, one of the fragment's schema, that are read one after the other.
    ///
    /// # Errors
    /// If a file cannot be opened, or there are no such tiles.
    pub fn new(
        vfs: &'a Vfs,
        fragment: &'a Fragment,
        field: &'a Field,
        key: &'a EncryptionKey,
        tiles: &Range<u64>,
    ) -> Result<StoredTiles<'a>> {
        let last = tiles.end.saturating_sub(1);
        let mut parts = Vec::new();
        for part in FieldPart::of(field) {
            let window = Window::new(fragment.file(field, part)?, fragment.tile(field, part, last)?.end);
            parts.push((part, window, IntegrityCheck::new(fragment, field, part, key)?));
        }
        Ok(StoredTiles { vfs, fragment, field, key, parts })
    }

    /// The parts that tiles have.
    pub fn parts(&self) -> impl Iterator<Item = FieldPart> + use<> {
        FieldPart::of(self.field)
    }

    /// Bytes of the values of variable cells, unfiltered.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn var_size(&self, tile: u64) -> Result<u64> {
        if self.field.is_var() { self.fragment.var_tile_size(self.field, tile) } else { Ok(0) }
    }

    /// The statistics of a tile.
    ///
    /// # Errors
    /// If the tables cannot be read, or lack some.
    pub fn stats(&self, tile: u64) -> Result<TileStats> {
        match self.fragment.tile_stats(self.field, tile)? {
            Some(stats) => Ok(stats),
            None => bail!(Corrupt, "'{}' has no statistics of tile {tile}", self.fragment.uri()),
        }
    }

    /// Reads the bytes of a part of a tile, piece by piece.
    ///
    /// # Errors
    /// Those of `to`; if the tile cannot be read, or is corrupt.
    pub fn read(&mut self, tile: u64, part: FieldPart, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let vfs = self.vfs;
        let fragment = self.fragment;
        let field = self.field;
        let key = self.key;
        let range = fragment.tile(field, part, tile)?;
        let Some((_, window, seals)) = self.parts.iter_mut().find(|(own, ..)| *own == part) else {
            bail!(Internal, "Field '{}' has no {part:?} part", field.name);
        };
        let read = match seals.has_integrity_check {
            true => sealed(vfs, window, seals, key, range, to),
            false => pieces(vfs, window, range, to),
        };
        read.context(|| {
            format!("Cannot take over tile {tile} of field '{}' in '{}'", field.name, fragment.file_uri(field, part))
        })
    }
}

/// The filters of a part.
struct IntegrityCheck<'a> {
    filters: &'a Pipeline,
    shape: TileShape,
    has_integrity_check: bool,
}

impl<'a> IntegrityCheck<'a> {
    fn new(
        fragment: &'a Fragment,
        field: &'a Field,
        part: FieldPart,
        key: &EncryptionKey,
    ) -> Result<IntegrityCheck<'a>> {
        let (filters, shape) = fragment.filters_of(field, part);
        Ok(IntegrityCheck { filters, shape, has_integrity_check: filters.has_integrity_check(&shape, key)? })
    }
}

fn pieces(vfs: &Vfs, window: &mut Window, range: Range<u64>, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut next = range.start;
    while next < range.end {
        let bytes = window.some(vfs, next..range.end)?;
        to(bytes)?;
        next += bytes.len() as u64;
    }
    Ok(())
}

/// Passes on the chunks of a tile, each after its integrity was verified.
fn sealed(
    vfs: &Vfs,
    window: &mut Window,
    seals: &IntegrityCheck<'_>,
    key: &EncryptionKey,
    range: Range<u64>,
    to: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let within = |start: u64, len: usize| match start.checked_add(len as u64) {
        Some(end) if end <= range.end => Ok(start..end),
        _ => Err(Error::corrupt("The chunks of a tile reach beyond its end")),
    };
    let head = window.all(vfs, within(range.start, TILE_HEADER)?)?;
    to(head)?;
    let count = head.try_into().map_or(0, u64::from_le_bytes);
    let mut next = range.start + TILE_HEADER as u64;
    for _ in 0..count {
        let header = window.all(vfs, within(next, ChunkHeader::SIZE)?)?.first_chunk().map(ChunkHeader::read);
        let Some(header) = header else { bail!(Internal, "A window is too short") };
        let chunk = window.all(vfs, within(next, ChunkHeader::SIZE.saturating_add(header.stored()))?)?;
        seals.filters.verify_integrity(&seals.shape, key, chunk)?;
        to(chunk)?;
        next += chunk.len() as u64;
    }
    pieces(vfs, window, next..range.end, to)
}

/// Read-ahead buffer over a range of a file.
struct Window {
    file: ReadFile,
    end: u64,
    start: u64,
    bytes: Option<Scratch>,
}

impl Window {
    fn new(file: ReadFile, end: u64) -> Window {
        Window { file, end, start: 0, bytes: None }
    }

    /// The bytes there are of a range, from its start on; one at least, of a range that is not empty.
    fn some(&mut self, vfs: &Vfs, range: Range<u64>) -> Result<&[u8]> {
        self.load(vfs, range.start..range.start.saturating_add(1))?;
        let bytes = self.bytes.as_deref().unwrap_or_default();
        let first = (range.start - self.start) as usize;
        let len = (range.end - range.start) as usize;
        Ok(&bytes[first..bytes.len().min(first.saturating_add(len))])
    }

    /// The bytes of a range.
    fn all(&mut self, vfs: &Vfs, range: Range<u64>) -> Result<&[u8]> {
        self.load(vfs, range.clone())?;
        let bytes = self.bytes.as_deref().unwrap_or_default();
        Ok(&bytes[(range.start - self.start) as usize..(range.end - self.start) as usize])
    }

    /// Reads a range, if it is not there, and what follows.
    fn load(&mut self, vfs: &Vfs, range: Range<u64>) -> Result<()> {
        let loaded_bytes = self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if range.start >= self.start && range.end <= self.start + loaded_bytes {
            return Ok(());
        }
        let piece = if self.file.is_remote() { REMOTE_COPY_BYTES } else { LOCAL_COPY_BYTES }.bytes();
        let len = piece.min(self.end.saturating_sub(range.start)).max(range.end - range.start);
        let len = usize::try_from(len).map_err(|_| Error::out_of_memory("a chunk", usize::MAX))?;
        let mut bytes = match self.bytes.take() {
            Some(bytes) if bytes.len() == len => bytes,
            _ => scratch(len)?,
        };
        match self.file.is_remote() {
            true => vfs.read_parallel(&self.file, range.start, &mut bytes)?,
            false => self.file.read_at(range.start, &mut bytes)?,
        }
        (self.start, self.bytes) = (range.start, Some(bytes));
        Ok(())
    }
}
