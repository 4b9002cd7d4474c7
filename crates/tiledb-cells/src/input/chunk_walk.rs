//! Iterates over the chunks of one tile: each is decoded into memory that stays in the processor's cache and passed to
//! a sink, or decoded directly into the results; chunks that are needed in part are served from, and added to, the
//! chunk cache.

use std::ops::Range;

use super::tile_source::TileSource;
use crate::columns::memory::OutMem;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::limits::input::{MAX_SINGLE_CHUNKS, MAX_SINGLE_READ_BYTES};
use tiledb_core::pool::{ChunkKey, ChunkOwner, GROUP, scratch_for_cache};
use tiledb_filters::filter::{CHUNK_SIZE, ChunkIndex, ChunkLocation, StoredChunk};

/// How much of a chunk a sink needs.
pub enum ChunkUse<'a> {
    Nothing,
    /// Some of its bytes.
    Part,
    /// All bytes.
    All,
    /// All bytes, in this memory of the chunk's length.
    Into(OutMem<'a>),
}

/// Receives chunks. Chunks are identified by the range of bytes of the tile that they hold; one may be passed twice.
pub trait ChunkSink {
    /// True if any byte of a chunk is needed.
    fn touches(&self, chunk: &Range<usize>) -> Result<bool>;

    /// How much of a chunk is needed.
    fn wants(&mut self, chunk: &Range<usize>) -> Result<ChunkUse<'_>>;

    /// Receives a decoded chunk that it needs.
    fn take(&mut self, chunk: &Range<usize>, bytes: &[u8]) -> Result<()>;
}

/// How many bytes of an unfiltered chunk take as long to be read as one takes to be decoded, about.
const PLAIN: usize = 2;

impl TileSource<'_> {
    /// Passes the chunks that hold any of the bytes `range` to a sink; returns how many bytes were decoded for it,
    /// or as many as took as long to be read.
    ///
    /// # Errors
    /// If the file cannot be read, the tile is not valid, or the sink fails.
    pub fn deliver(&self, range: Range<usize>, sink: &mut impl ChunkSink) -> Result<usize> {
        self.access.count_bytes(range.len());
        self.deliver_chunks(range, sink).context(|| self.name())
    }

    fn deliver_chunks(&self, range: Range<usize>, sink: &mut impl ChunkSink) -> Result<usize> {
        if range.is_empty() || self.size == 0 {
            return Ok(0);
        }
        let size = self.chunk_size();
        let numbers = range.start / size..(range.end - 1) / size + 1;
        if self.is_plain() && self.follows_rule(size) {
            return self.deliver_plain(numbers, size, sink);
        }
        // Unfiltered chunks are in the system's cache of files, and need no decoding.
        let cache = self.cached_chunks().filter(|_| !self.pipeline.is_empty());
        let mut missing = Vec::new();
        let (mut group, mut count) = ([0; GROUP], 0);
        for number in numbers {
            if count > 0 && group[0] / GROUP != number / GROUP {
                self.deliver_cached(cache, size, &group[..count], &mut missing, sink)?;
                count = 0;
            }
            if sink.touches(&self.rule_place(number, size))? {
                group[count] = number;
                count += 1;
            }
        }
        self.deliver_cached(cache, size, &group[..count], &mut missing, sink)?;
        let mut walk = ChunkWalker { source: self, size, missing, cache, decoded: 0, sink };
        match walk.missing.len() {
            0 => (),
            missing
                if self.stored_size() > MAX_SINGLE_READ_BYTES.bytes()
                    && (missing <= MAX_SINGLE_CHUNKS.count() || self.is_large()) =>
            {
                walk.read_some(range)?
            }
            _ => walk.read_all(range)?,
        }
        Ok(walk.decoded)
    }

    /// Passes those of the requested chunks of a group that are cached to the sink, and adds the others to the missing
    /// ones.
    fn deliver_cached(
        &self,
        cache: Option<&ChunkOwner>,
        size: usize,
        numbers: &[usize],
        missing: &mut Vec<usize>,
        sink: &mut impl ChunkSink,
    ) -> Result<()> {
        // The processor fetches cells of several chunks at a time if no lock is taken between them.
        let mut cached = [const { None }; GROUP];
        if let Some(cache) = cache {
            cache.get_some(self.chunk_key, numbers, &mut cached);
        }
        for (&number, cached) in numbers.iter().zip(&cached) {
            let place = self.rule_place(number, size);
            match cached.as_ref().filter(|cached| cached.len() == place.len()) {
                Some(cached) => sink.take(&place, cached)?,
                None => missing.push(number),
            }
        }
        Ok(())
    }

    /// The chunk with a number, where all chunks are as large as writers make them.
    #[inline]
    fn rule_place(&self, number: usize, size: usize) -> Range<usize> {
        number * size..self.size.min((number + 1) * size)
    }

    fn key_of(&self, number: usize) -> ChunkKey {
        ChunkKey { chunk: number, ..self.chunk_key }
    }

    /// As [`TileSource::deliver`], of unfiltered chunks.
    fn deliver_plain(&self, numbers: Range<usize>, size: usize, sink: &mut impl ChunkSink) -> Result<usize> {
        let mut chunk = self.access.staging(size.min(self.size))?;
        let mut read = 0;
        for number in numbers {
            let place = self.rule_place(number, size);
            match sink.wants(&place)? {
                ChunkUse::Nothing => {}
                ChunkUse::Into(mut out) => out.with(0..out.len(), |out| self.read_batch(number, size, out))?,
                ChunkUse::Part | ChunkUse::All => {
                    let bytes = &mut chunk[..place.len()];
                    self.read_batch(number, size, bytes)?;
                    sink.take(&place, bytes)?;
                    read += bytes.len();
                }
            }
        }
        Ok(read / PLAIN)
    }
}

/// The chunks of one tile that were not in the cache.
struct ChunkWalker<'w, 'a, S> {
    source: &'w TileSource<'a>,
    /// The size of chunks as writers make them.
    size: usize,
    /// The numbers of the requested chunks, if they are of that size.
    missing: Vec<usize>,
    cache: Option<&'w ChunkOwner>,
    /// Bytes of chunks that were decoded.
    decoded: usize,
    sink: &'w mut S,
}

impl<S: ChunkSink> ChunkWalker<'_, '_, S> {
    /// Reads the whole tile as it is stored.
    fn read_all(&mut self, range: Range<usize>) -> Result<()> {
        let filtered = self.source.fetch()?;
        let index = ChunkIndex::new(&filtered, self.source.size)?;
        let chunks = index.overlapping(range);
        let stored = |chunk: &ChunkLocation| (&filtered[chunk.meta.clone()], &filtered[chunk.data.clone()]);
        let TileSource { pipeline, key, .. } = self.source;
        let missing = chunks.iter().filter(|chunk| self.is_missing(&chunk.tile));
        let is_verified = pipeline.verify_chunks(key, missing.map(stored))?;
        for chunk in chunks {
            if self.is_missing(&chunk.tile) {
                let (meta, data) = stored(chunk);
                self.decode(&chunk.tile, StoredChunk { meta, data, is_verified })?;
            }
        }
        Ok(())
    }

    /// Reads the chunks that are missing one by one.
    fn read_some(&mut self, range: Range<usize>) -> Result<()> {
        let source = self.source;
        source.walk(&range, |tile, place, header| {
            if !self.is_missing(tile) {
                return Ok(());
            }
            let stored = source.read_chunk(place, header)?;
            let (meta, data) = stored.split_at(header.meta);
            self.decode(tile, StoredChunk { meta, data, is_verified: false })
        })
    }

    /// The number of a chunk, if it is where chunks of that size are.
    fn number(&self, tile: &Range<usize>) -> Option<usize> {
        let number = tile.start / self.size;
        (*tile == self.source.rule_place(number, self.size)).then_some(number)
    }

    fn is_missing(&self, tile: &Range<usize>) -> bool {
        self.number(tile).is_none_or(|number| self.missing.binary_search(&number).is_ok())
    }

    fn decode(&mut self, tile: &Range<usize>, chunk: StoredChunk<'_>) -> Result<()> {
        let TileSource { pipeline, shape, key, .. } = self.source;
        if !tile.start.is_multiple_of(shape.cell_size.max(1)) {
            bail!(Corrupt, "A chunk begins inside a cell, at byte {} of its tile", tile.start);
        }
        self.decoded += tile.len();
        let is_part = match self.sink.wants(tile)? {
            ChunkUse::Nothing => return Ok(()),
            ChunkUse::Into(mut out) => {
                return out.with(0..tile.len(), |out| pipeline.reverse_chunk(shape, key, chunk, out));
            }
            ChunkUse::Part => true,
            ChunkUse::All => false,
        };
        if let (Some(cache), Some(number), true) = (self.cache, self.number(tile), is_part)
            && tile.len() <= CHUNK_SIZE
            && self.source.access.admits(cache, tile.len())
        {
            let mut bytes = scratch_for_cache(tile.len())?;
            pipeline.reverse_chunk(shape, key, chunk, &mut bytes)?;
            self.sink.take(tile, &bytes)?;
            cache.put(self.source.key_of(number), bytes);
            return Ok(());
        }
        let mut bytes = self.source.access.staging(tile.len())?;
        pipeline.reverse_chunk(shape, key, chunk, &mut bytes)?;
        self.sink.take(tile, &bytes)
    }
}
