//! The bytes of one tile of one field of a fragment: read and unfiltered, as a whole or in part.

use std::io::IoSliceMut;
use std::ops::Range;

use super::decode_context::{DecodeContext, StagingBuffer};
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_core::error::{Error, ErrorContext, Result, bail};
use tiledb_core::limits::input::{CHUNKS_PER_READ, MAX_SINGLE_READ_BYTES};
use tiledb_core::pool::{ChunkKey, ChunkOwner};
use tiledb_filters::codec::{StringTarget, StringWords};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{CHUNK_SIZE, ChunkHeader, Pipeline, StoredChunk, TILE_HEADER, TileShape};
use tiledb_storage::vfs::ReadFile;

/// One tile of one part of a field.
pub struct TileSource<'a> {
    file: ReadFile,
    stored: Range<u64>,
    pub pipeline: &'a Pipeline,
    pub shape: TileShape,
    pub key: &'a EncryptionKey,
    pub access: DecodeContext<'a>,
    pub fragment: &'a Fragment,
    field: &'a Field,
    part: FieldPart,
    tile: u64,
    /// Names the chunks of the tile in the cache.
    pub chunk_key: ChunkKey,
    /// Chunks hold a number of cells that follows from their size.
    is_fixed: bool,
    /// Set if the starts of strings are requested that are stored encoded with their values: the decoded size of the values in
    /// bytes.
    starts_of: Option<usize>,
    /// Bytes of the tile when decoded.
    pub size: usize,
}

impl<'a> TileSource<'a> {
    /// The tile with number `tile` of a field's part, of `size` bytes when decoded.
    ///
    /// # Errors
    /// If the fragment's tables cannot be read or are not valid.
    pub fn new(
        fragment: &'a Fragment,
        field: &'a Field,
        part: FieldPart,
        tile: u64,
        size: usize,
        access: DecodeContext<'a>,
    ) -> Result<TileSource<'a>> {
        let source = TileSource::place(fragment, field, part, tile, size, access);
        source.context(|| name_of(fragment, field, part, tile))
    }

    fn place(
        fragment: &'a Fragment,
        field: &'a Field,
        part: FieldPart,
        tile: u64,
        size: usize,
        access: DecodeContext<'a>,
    ) -> Result<TileSource<'a>> {
        if part == FieldPart::Data && field.encodes_strings(fragment.version()) {
            let values = fragment.var_tile_size(field, tile)?;
            let values = usize::try_from(values).map_err(|_| fragment.oversized_tile(field, tile, values))?;
            let source = TileSource::place(fragment, field, FieldPart::Var, tile, size, access)?;
            return Ok(TileSource { starts_of: Some(values), ..source });
        }
        let (pipeline, shape) = fragment.filters_of(field, part);
        let stored = fragment.tile(field, part, tile)?;
        let file = fragment.file(field, part)?;
        if stored.end > file.len() {
            bail!(Corrupt, "__fragment_metadata.tdb places it at bytes {stored:?} of a file of {} bytes", file.len());
        }
        Ok(TileSource {
            file,
            stored,
            pipeline,
            shape,
            key: access.key,
            access,
            fragment,
            field,
            part,
            tile,
            chunk_key: ChunkKey { field: field.index, part: part as u8, tile, chunk: 0 },
            is_fixed: part != FieldPart::Var,
            starts_of: None,
            size,
        })
    }

    /// Stored size of the tile in bytes.
    pub(crate) fn stored_size(&self) -> u64 {
        self.stored.end - self.stored.start
    }

    /// Decodes the bytes `range` of the tile into `out`, which has the range's length.
    ///
    /// # Errors
    /// If the file cannot be read or the tile is not valid.
    pub fn load(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        self.access.count_bytes(out.len());
        self.load_range(range, out).context(|| self.name())
    }

    /// Decodes the tile into `out`, but may leave chunks undefined of which `wants` does not accept the bytes.
    ///
    /// # Errors
    /// As [`TileSource::load`].
    pub fn load_chunks_of(&self, out: &mut [u8], wants: &dyn Fn(&Range<usize>) -> bool) -> Result<()> {
        if self.starts_of.is_some() || self.is_plain() || self.is_large() || self.size <= CHUNK_SIZE {
            return self.load(0..self.size, out);
        }
        self.access.count_bytes(out.len());
        let mut load = || self.pipeline.reverse_chunks(&self.shape, self.key, &self.fetch()?, out, wants);
        load().context(|| self.name())
    }

    /// Decodes the values of encoded strings together with their starts.
    ///
    /// # Errors
    /// As [`TileSource::load`].
    pub fn load_strings(&self, values: &mut [u8], starts: &mut [u64]) -> Result<()> {
        self.access.count_bytes(values.len() + size_of_val(starts));
        self.reverse_strings(StringTarget::Cells(values, starts)).context(|| self.name())
    }

    /// Decodes the words of encoded strings, and for each cell the index of its word.
    ///
    /// # Errors
    /// As [`TileSource::load`].
    pub fn load_encoded(&self, codes: &mut [u32], words: &mut StringWords) -> Result<()> {
        self.access.count_bytes(size_of_val(codes));
        self.reverse_strings(StringTarget::Encoded(codes, words, self.size)).context(|| self.name())
    }

    fn reverse_strings(&self, target: StringTarget<'_>) -> Result<()> {
        self.pipeline.reverse_strings(&self.shape, self.key, &self.fetch()?, target)
    }

    fn missing(&self, error: Error) -> Error {
        self.fragment.explain_missing(error, self.field, self.part)
    }

    /// Cached chunks of its file.
    pub(crate) fn cached_chunks(&self) -> Option<&'a ChunkOwner> {
        self.fragment.chunks(self.field, self.part)
    }

    /// The prefix of errors about the tile.
    pub fn name(&self) -> String {
        name_of(self.fragment, self.field, self.part, self.tile)
    }

    fn load_range(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        if out.is_empty() && self.size > 0 {
            return Ok(());
        }
        if let Some(values) = self.starts_of {
            return self.load_starts(values, range, out);
        }
        if self.is_plain() {
            return self.load_plain(range, out);
        }
        if self.stored_size() > MAX_SINGLE_READ_BYTES.bytes() && (self.is_large() || range.len() <= CHUNK_SIZE) {
            return self.load_few(range, out);
        }
        let filtered = self.fetch()?;
        if range.len() == self.size {
            self.pipeline.reverse(&self.shape, self.key, &filtered, out)
        } else {
            self.pipeline.reverse_range(&self.shape, self.key, &filtered, self.size, range, out)
        }
    }

    /// True if it is too large to be fetched at once.
    pub fn is_large(&self) -> bool {
        self.stored_size() > self.access.max_prefetch_bytes()
    }

    /// Rebuilds the starts of strings, since the offsets tile is empty.
    fn load_starts(&self, values: usize, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        let rebuild = |starts: &mut [u8]| {
            let starts = bytemuck::try_cast_slice_mut(starts);
            let starts = starts.map_err(|_| Error::internal("Offsets are not aligned"))?;
            self.reverse_strings(StringTarget::Starts(starts, values))
        };
        if range.len() == self.size {
            return rebuild(out);
        }
        let mut all = self.access.staging(self.size)?;
        rebuild(&mut all)?;
        out.copy_from_slice(&all[range]);
        Ok(())
    }

    /// The tile as it is stored.
    pub(crate) fn fetch(&self) -> Result<StagingBuffer> {
        let Ok(stored) = usize::try_from(self.stored_size()) else {
            bail!(
                Corrupt,
                "Cannot read a tile of {} stored bytes; the limit is {} bytes",
                self.stored_size(),
                usize::MAX
            );
        };
        let mut filtered = self.access.staging(stored)?;
        self.file.read_at(self.stored.start, &mut filtered).map_err(|error| self.missing(error))?;
        Ok(filtered)
    }

    /// Reads the requested chunks one by one: for a small part of a large tile.
    fn load_few(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        self.walk(&range, |tile, place, header| {
            let overlap = tile.start.max(range.start)..tile.end.min(range.end);
            if overlap.is_empty() {
                return Ok(());
            }
            let out = &mut out[overlap.start - range.start..overlap.end - range.start];
            let stored = self.read_chunk(place, header)?;
            let (meta, data) = stored.split_at(header.meta);
            let chunk = StoredChunk { meta, data, is_verified: false };
            if out.len() == header.original {
                return self.pipeline.reverse_chunk(&self.shape, self.key, chunk, out);
            }
            let mut whole = self.access.staging(header.original)?;
            self.pipeline.reverse_chunk(&self.shape, self.key, chunk, &mut whole)?;
            out.copy_from_slice(&whole[overlap.start - tile.start..overlap.end - tile.start]);
            Ok(())
        })
    }

    /// Walks from header to header as long as `range` is not reached, and passes on the chunks that end after its
    /// start: the bytes of the tile that each holds, and the position of its own.
    pub(crate) fn walk(
        &self,
        range: &Range<usize>,
        mut take: impl FnMut(&Range<usize>, u64, ChunkHeader) -> Result<()>,
    ) -> Result<()> {
        let mut count = [0; TILE_HEADER];
        self.read(0, &mut count)?;
        let (mut place, mut start) = (TILE_HEADER as u64, 0usize);
        for _ in 0..u64::from_le_bytes(count) {
            let mut header = [0; ChunkHeader::SIZE];
            self.read(place, &mut header)?;
            let header = ChunkHeader::read(&header);
            let (original, stored) = (header.original, header.stored());
            if original > self.size || stored as u64 > self.stored_size() {
                bail!(Corrupt, "A chunk of {original} bytes, {stored} of them stored, in a tile of {}", self.size);
            }
            place += ChunkHeader::SIZE as u64;
            let tile = start..start.saturating_add(original);
            if range.start < tile.end {
                take(&tile, place, header)?;
            }
            if tile.end >= range.end {
                return Ok(());
            }
            (place, start) = (place + stored as u64, tile.end);
        }
        bail!(Corrupt, "The chunks of a tile of {} bytes hold {start} bytes", self.size)
    }

    /// Reads the metadata and the data of a chunk.
    pub(crate) fn read_chunk(&self, place: u64, header: ChunkHeader) -> Result<StagingBuffer> {
        let mut stored = self.access.staging(header.stored())?;
        self.read(place, &mut stored)?;
        Ok(stored)
    }

    /// Reads stored bytes of the tile at position `place` in it.
    pub(crate) fn read(&self, place: u64, out: &mut [u8]) -> Result<()> {
        if place.saturating_add(out.len() as u64) > self.stored_size() {
            bail!(Corrupt, "A chunk of a tile of {} stored bytes reaches beyond its end", self.stored_size());
        }
        self.file.read_at(self.stored.start + place, out).map_err(|error| self.missing(error))
    }

    /// True if chunks hold whole cells.
    pub fn whole_cells(&self) -> bool {
        self.is_fixed && self.shape.version.has_whole_cell_chunks()
    }

    /// True if the bytes are stored unfiltered, except for chunk headers.
    pub fn is_plain(&self) -> bool {
        self.is_fixed && self.pipeline.is_empty() && *self.key == EncryptionKey::None && self.size > 0
    }

    /// Bytes of a chunk, except the last one.
    #[inline]
    pub(crate) fn chunk_size(&self) -> usize {
        self.pipeline.chunk_size(&self.shape, self.size).max(1)
    }

    /// True if the size of an unfiltered tile on disk is that of chunks of `chunk` bytes.
    pub(crate) fn follows_rule(&self, chunk: usize) -> bool {
        self.stored_size() == place_of(self.size.div_ceil(chunk), 0) + self.size as u64
    }

    /// Reads the chunks that hold `range` directly into `out`: their positions follow from the sizes. Their headers are
    /// checked.
    fn load_plain(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        let chunk = self.chunk_size();
        if !self.follows_rule(chunk) {
            // Chunks of other sizes than today's rule makes: let the pipeline find them.
            return self.load_chunks(range, out);
        }
        let (mut next, skip) = (range.start / chunk, range.start % chunk);
        let mut rest = out;
        if skip > 0 {
            // The first chunk is entered in its middle: its header needs a separate call.
            let chunk_bytes = chunk.min(self.size - next * chunk);
            let (data, left) = std::mem::take(&mut rest).split_at_mut((chunk_bytes - skip).min(range.len()));
            let place = place_of(next, chunk);
            let mut header = [0; ChunkHeader::SIZE];
            self.read(place, &mut header)?;
            check_header(&header, chunk_bytes)?;
            self.read(place + (ChunkHeader::SIZE + skip) as u64, data)?;
            (rest, next) = (left, next + 1);
        }
        let most = CHUNKS_PER_READ.count().min(MAX_CHUNKS);
        while !rest.is_empty() {
            let taken = rest.len().min(most * chunk);
            let (batch, left) = std::mem::take(&mut rest).split_at_mut(taken);
            self.read_batch(next, chunk, batch)?;
            (rest, next) = (left, next + most);
        }
        Ok(())
    }

    /// Fills `out` from chunk `first` on with one call: header, data, header, data, ...
    pub(crate) fn read_batch(&self, first: usize, chunk: usize, out: &mut [u8]) -> Result<()> {
        let count = out.len().div_ceil(chunk);
        let (mut front, mut headers) = ([0; TILE_HEADER], [[0; ChunkHeader::SIZE]; MAX_CHUNKS]);
        let mut slices: [IoSliceMut<'_>; 1 + 2 * MAX_CHUNKS] = std::array::from_fn(|_| IoSliceMut::new(&mut []));
        // Bytes prefetched from remote storage stay until all of them were read.
        let front = if first == 0 && self.file.is_remote() { &mut front[..] } else { &mut [] };
        let start = self.stored.start + place_of(first, chunk) - front.len() as u64;
        slices[0] = IoSliceMut::new(front);
        let parts = headers.iter_mut().zip(out.chunks_mut(chunk));
        for (pair, (header, data)) in slices[1..].chunks_exact_mut(2).zip(parts) {
            pair[0] = IoSliceMut::new(header);
            pair[1] = IoSliceMut::new(data);
        }
        let from = usize::from(slices[0].is_empty());
        self.file.read_vectored_at(start, &mut slices[from..=2 * count]).map_err(|error| self.missing(error))?;
        for (index, header) in headers[..count].iter().enumerate() {
            check_header(header, chunk.min(self.size - (first + index) * chunk))?;
        }
        Ok(())
    }

    /// The general path for unfiltered tiles.
    fn load_chunks(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        if self.stored_size() > MAX_SINGLE_READ_BYTES.bytes() && self.is_large() {
            return self.load_few(range, out);
        }
        let filtered = self.fetch()?;
        self.pipeline.reverse_range(&self.shape, self.key, &filtered, self.size, range, out)
    }
}

/// The tile that an error is about: its number, its field and its file.
#[cold]
fn name_of(fragment: &Fragment, field: &Field, part: FieldPart, tile: u64) -> String {
    format!("Cannot read tile {tile} of field '{}' from '{}'", field.name, fragment.file_uri(field, part))
}

/// Where a chunk of an unfiltered tile begins whose chunks have `chunk` bytes.
fn place_of(number: usize, chunk: usize) -> u64 {
    (TILE_HEADER + number * (chunk + ChunkHeader::SIZE)) as u64
}

/// Rejects a header that is not that of an unfiltered chunk of `size` bytes.
fn check_header(header: &[u8; ChunkHeader::SIZE], size: usize) -> Result<()> {
    let header = ChunkHeader::read(header);
    if header != (ChunkHeader { original: size, data: size, meta: 0 }) {
        bail!(Corrupt, "An unfiltered chunk of {size} bytes has the header {header:?}");
    }
    Ok(())
}

/// Length of the list of chunks that are read with one call: the value of [`CHUNKS_PER_READ`].
const MAX_CHUNKS: usize = 16;
