//! Decoding of filtered tiles.

use std::ops::Range;

use super::chunk::{Chunk, Chunks, check_total};
use super::pipeline::{Pipeline, TileShape};
use super::stage::{FilterStage, StageInput};
use super::stages;
use super::tile_digests::StoredChunk;
use crate::codec::{ObjectPool, StringTarget};
use crate::crypto::EncryptionKey;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;
use tiledb_core::wire::WireReader;

/// Best possible compression ratio of any compressor.
const BEST_RATIO: usize = 40_000;

/// Metadata and data of a chunk between two stages.
#[derive(Default)]
struct IntermediateChunk {
    meta: Vec<u8>,
    data: Vec<u8>,
}

/// Two buffers that stages alternate between, and one for partially read chunks.
type Buffers = (IntermediateChunk, IntermediateChunk, Vec<u8>);
static BUFFERS: ObjectPool<Buffers> = ObjectPool::new(32);

impl Pipeline {
    /// Decodes a whole tile into `out`, whose length is that of the decoded tile.
    ///
    /// # Errors
    /// If the bytes are corrupt, or decode to another size.
    pub fn reverse(&self, shape: &TileShape, key: &EncryptionKey, filtered: &[u8], out: &mut [u8]) -> Result<()> {
        self.reverse_chunks(shape, key, filtered, out, &|_| true)
    }

    /// Decodes those chunks of a tile into `out`, whose length is that of the decoded tile, of which `wants` accepts the bytes; the
    /// content of others is undefined.
    ///
    /// # Errors
    /// As [`Pipeline::reverse`].
    pub fn reverse_chunks(
        &self,
        shape: &TileShape,
        key: &EncryptionKey,
        filtered: &[u8],
        out: &mut [u8],
        wants: &dyn Fn(&Range<usize>) -> bool,
    ) -> Result<()> {
        let size = out.len();
        let stages = stages::of_tile(self, shape, key, &[], self.verify_tile(key, filtered, size, wants)?)?;
        let mut decoder = Decoder::new(&stages);
        let mut rest = out;
        let mut chunks = Chunks::new(filtered)?;
        while let Some(chunk) = chunks.next()? {
            let left = rest.len();
            let Some((this, tail)) = std::mem::take(&mut rest).split_at_mut_checked(chunk.original) else {
                return Err(too_much(size, (size - left).saturating_add(chunk.original)));
            };
            let start = size - left;
            if wants(&(start..start + this.len())) {
                decoder.decode(chunk, this)?;
            }
            rest = tail;
        }
        check_total(size - rest.len(), size)
    }

    /// Decodes those chunks that hold bytes `range` of a tile of `tile_size` bytes, and copies that
    /// range to `out`, which has its length.
    ///
    /// # Errors
    /// If the range is not within the tile, the bytes are corrupt, or the tile has another size.
    pub fn reverse_range(
        &self,
        shape: &TileShape,
        key: &EncryptionKey,
        filtered: &[u8],
        tile_size: usize,
        range: Range<usize>,
        out: &mut [u8],
    ) -> Result<()> {
        if range.start > range.end || range.end > tile_size || range.len() != out.len() {
            bail!(Internal, "Bytes {range:?} of a tile of {tile_size} bytes into {} bytes", out.len());
        }
        let overlaps = |chunk: &Range<usize>| chunk.start.max(range.start) < chunk.end.min(range.end);
        let stages = stages::of_tile(self, shape, key, &[], self.verify_tile(key, filtered, tile_size, &overlaps)?)?;
        let mut decoder = Decoder::new(&stages);
        let mut chunks = Chunks::new(filtered)?;
        let mut start = 0usize;
        while let Some(chunk) = chunks.next()? {
            let end = start.saturating_add(chunk.original);
            if end > tile_size {
                return Err(too_much(tile_size, end));
            }
            let part = start.max(range.start)..end.min(range.end);
            if part.start < part.end {
                let target = &mut out[part.start - range.start..part.end - range.start];
                decoder.decode_part(chunk, part.start - start..part.end - start, target)?;
            }
            start = end;
        }
        check_total(start, tile_size)
    }

    /// Decodes the cells of a tile of variable-sized values that [`Pipeline::encodes_strings`].
    ///
    /// # Errors
    /// If the pipeline does not, the bytes are corrupt, or the tile has another size or number of cells than the target.
    pub fn reverse_strings(
        &self,
        shape: &TileShape,
        key: &EncryptionKey,
        filtered: &[u8],
        target: StringTarget<'_>,
    ) -> Result<()> {
        let stages = stages::of_tile(self, shape, key, &[], self.digests_to_compare(false))?;
        let Some(strings) = stages.first().filter(|stage| stage.encodes_text()) else {
            bail!(Internal, "No filter of the tile encodes strings");
        };
        let mut chunks = Chunks::new(filtered)?;
        let Some(chunk) = chunks.next()? else { return target.fill_empty() };
        let mut decoder = Decoder::new(&stages);
        let (input, _) = decoder.before_first(&chunk)?;
        strings.reverse_strings(input, target)?;
        match chunks.next()? {
            None => Ok(()),
            Some(_) => bail!(Corrupt, "A tile of encoded strings has more than one chunk"),
        }
    }

    /// True if corruption of tiles is detected, by checksums that are compared or by encryption.
    pub fn has_integrity_check(&self, shape: &TileShape, key: &EncryptionKey) -> Result<bool> {
        Ok(stages::of_tile(self, shape, key, &[], self.digests_to_compare(false))?
            .iter()
            .any(|stage| stage.verifies_integrity()))
    }

    /// Compares the digests and the seals of encryption of a chunk, which begins with its header, and decodes no more of
    /// it than that takes.
    ///
    /// # Errors
    /// If one is wrong, or the bytes are no chunk.
    pub fn verify_integrity(&self, shape: &TileShape, key: &EncryptionKey, chunk: &[u8]) -> Result<()> {
        let stages = stages::of_tile(self, shape, key, &[], self.digests_to_compare(false))?;
        let Some(first) = stages.iter().position(|stage| stage.verifies_integrity()) else { return Ok(()) };
        let sealed = &stages[first..];
        let chunk = Chunk::read(&mut WireReader::new("chunk", chunk))?;
        let mut decoder = Decoder::new(sealed);
        let (input, limit) = decoder.before_first(&chunk)?;
        match sealed {
            [stage, ..] if stage.leaves_data_unchanged() => stage.reverse(input, limit, &mut Vec::new(), &mut []),
            [stage, ..] => undo(&**stage, input, limit.max(input.data.len()), &mut IntermediateChunk::default()),
            [] => Ok(()),
        }
    }

    /// Decodes one chunk, found by a [`super::ChunkIndex`], whose decoded length is that of `out`.
    ///
    /// # Errors
    /// If the bytes are corrupt.
    pub fn reverse_chunk(
        &self,
        shape: &TileShape,
        key: &EncryptionKey,
        chunk: StoredChunk<'_>,
        out: &mut [u8],
    ) -> Result<()> {
        let StoredChunk { meta, data, is_verified } = chunk;
        let stages = stages::of_tile(self, shape, key, &[], self.digests_to_compare(is_verified))?;
        Decoder::new(&stages).decode(Chunk { original: out.len(), meta, data }, out)
    }
}

#[cold]
fn too_much(tile: usize, chunks: usize) -> Error {
    Error::corrupt(format!("The chunks of a tile of {tile} bytes hold at least {chunks} bytes"))
}

/// Decodes chunk after chunk of one tile.
struct Decoder<'a> {
    stages: &'a [Box<dyn FilterStage + 'a>],
    buffers: Option<Buffers>,
}

impl<'a> Decoder<'a> {
    fn new(stages: &'a [Box<dyn FilterStage + 'a>]) -> Decoder<'a> {
        Decoder { stages, buffers: None }
    }

    fn buffers(&mut self) -> &mut Buffers {
        self.buffers.get_or_insert_with(|| BUFFERS.take(|_| true).unwrap_or_default())
    }

    /// Decodes `chunk` into `out`, which has its original length.
    fn decode(&mut self, chunk: Chunk<'_>, out: &mut [u8]) -> Result<()> {
        match self.stages {
            [] if chunk.data.len() != out.len() => {
                bail!(Corrupt, "An unfiltered chunk of {} bytes has {} bytes of data", out.len(), chunk.data.len())
            }
            [] => {
                out.copy_from_slice(chunk.data);
                Ok(())
            }
            [first, ..] => {
                let (input, limit) = self.before_first(&chunk)?;
                match first.leaves_data_unchanged() {
                    true if input.data.len() != out.len() => {
                        bail!(Corrupt, "A chunk of {} bytes has {} bytes of data", out.len(), input.data.len())
                    }
                    true => {
                        first.reverse(input, limit, &mut Vec::new(), &mut [])?;
                        out.copy_from_slice(input.data);
                        Ok(())
                    }
                    false => first.reverse(input, limit, &mut Vec::new(), out),
                }
            }
        }
    }

    /// Decodes all stages but the first one of writing; returns its input, and the maximum size of metadata that it may
    /// produce.
    fn before_first<'b>(&'b mut self, chunk: &Chunk<'b>) -> Result<(StageInput<'b>, usize)> {
        let input = StageInput { meta: chunk.meta, parts: &[], data: chunk.data };
        let stages = self.stages;
        let Some((first, later @ [_, ..])) = stages.split_first() else { return Ok((input, 0)) };
        let (from, to, _) = self.buffers();
        let mut limit = chunk.original.saturating_mul(4).saturating_add(1 << 16);
        if first.encodes_text() {
            // Each cell takes some bytes, however short it is.
            limit = limit.max(chunk.data.len().saturating_mul(BEST_RATIO).min(1 << 30));
        }
        // Until a stage changes them, the data stay where they are.
        let (mut meta, mut data) = (Some(chunk.meta), Some(chunk.data));
        for (index, stage) in later.iter().enumerate().rev() {
            let input =
                StageInput { meta: meta.take().unwrap_or(&from.meta), parts: &[], data: data.unwrap_or(&from.data) };
            // Every filter may lengthen the chunk, but a long chunk here also has as many bytes on disk.
            let lengthened = limit.saturating_mul(4usize.saturating_pow(index as u32));
            let limit = limit.max(lengthened.min(input.data.len().saturating_mul(BEST_RATIO)));
            to.meta.clear();
            if stage.leaves_data_unchanged() {
                stage.reverse(input, limit, &mut to.meta, &mut [])?;
                std::mem::swap(&mut from.data, &mut to.data);
            } else {
                undo(&**stage, input, limit, to)?;
                data = None;
            }
            std::mem::swap(from, to);
        }
        Ok((StageInput { meta: &from.meta, parts: &[], data: data.unwrap_or(&from.data) }, limit))
    }

    /// Decodes `chunk` and copies `part` of it to `out`.
    fn decode_part(&mut self, chunk: Chunk<'_>, part: Range<usize>, out: &mut [u8]) -> Result<()> {
        if part.len() == chunk.original {
            return self.decode(chunk, out);
        }
        if self.stages.is_empty() && chunk.data.len() == chunk.original {
            out.copy_from_slice(&chunk.data[part]);
            return Ok(());
        }
        let mut whole = std::mem::take(&mut self.buffers().2);
        resize(&mut whole, chunk.original)?;
        self.decode(chunk, &mut whole)?;
        out.copy_from_slice(&whole[part]);
        self.buffers().2 = whole;
        Ok(())
    }
}

impl Drop for Decoder<'_> {
    fn drop(&mut self) {
        if let Some(buffers) = self.buffers.take() {
            BUFFERS.put(buffers);
        }
    }
}

/// Decodes one stage into `to`, at most `limit` bytes: a filter expands a chunk by a small factor at most, so more is
/// not valid.
fn undo(stage: &dyn FilterStage, input: StageInput<'_>, limit: usize, to: &mut IntermediateChunk) -> Result<()> {
    let size = stage.original_size(input)?;
    if size > limit {
        bail!(Corrupt, "A chunk has {size} bytes between two filters; {limit} is the most there can be");
    }
    resize(&mut to.data, size)?;
    stage.reverse(input, limit, &mut to.meta, &mut to.data)
}

/// Sets the length; contents are of no interest.
fn resize(bytes: &mut Vec<u8>, len: usize) -> Result<()> {
    let more = len.saturating_sub(bytes.len());
    memory::reserve("a chunk", bytes, more)?;
    bytes.resize(len, 0);
    Ok(())
}
