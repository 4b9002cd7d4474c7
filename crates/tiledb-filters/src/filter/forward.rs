//! Filtering of tiles when writing.

use super::chunk::{self, ChunkHeader, TILE_HEADER};
use super::pipeline::{Pipeline, TileShape};
use super::shared::length;
use super::stage::{FilterStage, StageInput, StageOutput};
use super::stages;
use super::tile_digests::DigestsOfChunks;
use crate::codec::ObjectPool;
use crate::crypto::EncryptionKey;
use std::borrow::Cow;
use std::ops::Range;
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::filter::{MAX_WRITTEN_PIECES, MIN_WRITTEN_BYTES};
use tiledb_core::pool::scratch;

/// Two buffers that alternate as input and output of the stages of a chunk.
type Buffers = (StageOutput, StageOutput);
static BUFFERS: ObjectPool<Buffers> = ObjectPool::new(32);

/// Source of the unfiltered bytes of a tile, read in pieces.
pub trait TileInput {
    /// Size in bytes.
    fn size(&self) -> usize;

    /// These of them.
    ///
    /// # Errors
    /// If memory does not suffice, or they are not among those of the tile.
    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [u8]>>;

    /// As [`TileInput::piece`], copied to `out`, which has their size.
    ///
    /// # Errors
    /// As [`TileInput::piece`].
    fn copy_piece(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        out.copy_from_slice(&self.piece(range)?);
        Ok(())
    }
}

/// Copies the bytes of a range of a tile to a buffer of their size.
pub(super) type GatherChunk<'a> = &'a mut dyn FnMut(Range<usize>, &mut [u8]) -> Result<()>;

impl Pipeline {
    /// Appends the filtered tile to `out`: number of chunks, then the chunks. `var_starts` are the starts of the cells
    /// of variable-sized data, where chunks may end; `None` for all other data. An empty tile has no chunks; one of
    /// variable-sized data has an empty chunk.
    ///
    /// # Errors
    /// If a filter rejects the data, or the starts do not ascend within them.
    pub fn forward(
        &self,
        shape: &TileShape,
        key: &EncryptionKey,
        data: &[u8],
        var_starts: Option<&[u64]>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let stages = stages::of_tile(self, shape, key, var_starts.unwrap_or_default(), self.digests_to_write(key))?;
        let count_at = out.len();
        out.extend_from_slice(&0u64.to_le_bytes());
        let mut count = 0u64;
        let mut buffers = None;
        self.cut(shape, data.len(), var_starts, |range| {
            count += 1;
            write_chunk(&stages, &data[range], &mut buffers, out)
        })?;
        if let Some(buffers) = buffers {
            BUFFERS.put(buffers);
        }
        out[count_at..count_at + 8].copy_from_slice(&count.to_le_bytes());
        self.fill_digests(key, &mut out[count_at..], data.len())
    }

    /// As [`Pipeline::forward`], for fixed-size cells that lie elsewhere: `gather` copies those of a chunk, which are
    /// filtered while they are in the processor's cache.
    ///
    /// # Errors
    /// As [`Pipeline::forward`], and those of `gather`.
    pub fn forward_gathered(
        &self,
        shape: &TileShape,
        key: &EncryptionKey,
        size: usize,
        gather: GatherChunk<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let stages = stages::of_tile(self, shape, key, &[], self.digests_to_write(key))?;
        let start = out.len();
        let mut cells = scratch(self.chunk_size(shape, size))?;
        let mut buffers = None;
        out.extend_from_slice(&self.head(shape, size));
        self.cut(shape, size, None, |range| {
            let chunk = &mut cells[..range.len()];
            gather(range, chunk)?;
            write_chunk(&stages, chunk, &mut buffers, out)
        })?;
        if let Some(buffers) = buffers {
            BUFFERS.put(buffers);
        }
        self.fill_digests(key, &mut out[start..], size)
    }

    /// As [`Pipeline::forward`], for tiles that should not be in memory as a whole: reads their bytes chunk by chunk,
    /// and passes the filtered form to `sink` in pieces.
    ///
    /// # Errors
    /// As [`Pipeline::forward`], and those of `sink`.
    pub fn forward_to(
        &self,
        shape: &TileShape,
        key: &EncryptionKey,
        data: &dyn TileInput,
        var_starts: Option<&[u64]>,
        sink: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let stages = stages::of_tile(self, shape, key, var_starts.unwrap_or_default(), DigestsOfChunks::All)?;
        let mut count = 0u64;
        self.cut(shape, data.size(), var_starts, |_| {
            count += 1;
            Ok(())
        })?;
        let mut out = count.to_le_bytes().to_vec();
        let mut buffers = None;
        self.cut(shape, data.size(), var_starts, |range| {
            write_chunk(&stages, &data.piece(range)?, &mut buffers, &mut out)?;
            if out.len() >= MIN_WRITTEN_BYTES.count() {
                sink(&out)?;
                out.clear();
            }
            Ok(())
        })?;
        if let Some(buffers) = buffers {
            BUFFERS.put(buffers);
        }
        sink(&out)
    }

    /// Header before the chunks of a tile of fixed-size cells, of `size` bytes.
    pub fn head(&self, shape: &TileShape, size: usize) -> [u8; TILE_HEADER] {
        (size.div_ceil(self.chunk_size(shape, size).max(1)) as u64).to_le_bytes()
    }

    /// Filters a single chunk of a tile of fixed-size cells. Chunks of a tile have [`Pipeline::chunk_size`] bytes,
    /// except for the last one.
    ///
    /// # Errors
    /// As [`Pipeline::forward`].
    pub fn forward_chunk(&self, shape: &TileShape, key: &EncryptionKey, data: &[u8]) -> Result<Vec<u8>> {
        let (stages, mut buffers, mut out) =
            (stages::of_tile(self, shape, key, &[], DigestsOfChunks::All)?, None, Vec::new());
        write_chunk(&stages, data, &mut buffers, &mut out)?;
        if let Some(buffers) = buffers {
            BUFFERS.put(buffers);
        }
        Ok(out)
    }

    /// Calls `chunk` with the byte range of each chunk of a tile of `len` bytes.
    fn cut(
        &self,
        shape: &TileShape,
        len: usize,
        var_starts: Option<&[u64]>,
        mut chunk: impl FnMut(Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let size = self.chunk_size(shape, len);
        match var_starts {
            Some(starts) => chunk::cut_var(len, starts, size, chunk),
            None if len == 0 => Ok(()),
            None => (0..len).step_by(size).try_for_each(|start| chunk(start..len.min(start + size))),
        }
    }
}

/// Writes a tile of `size` bytes without filters: its bytes, which arrive in runs, with a header before every `chunk`
/// bytes. Nothing is copied.
///
/// # Errors
/// If chunks are too large, or the runs have another size; those of `sink`.
pub fn write_unfiltered<'a>(
    size: usize,
    chunk: usize,
    runs: impl Iterator<Item = &'a [u8]>,
    sink: &mut dyn FnMut(&[&[u8]]) -> Result<()>,
) -> Result<()> {
    let chunk = chunk.max(1);
    let count = (size.div_ceil(chunk) as u64).to_le_bytes();
    // All chunks but the last are equally long.
    let header = |bytes: usize| Ok([length(bytes)?, length(bytes)?, 0]);
    let headers = [header(chunk.min(size))?, header(size % chunk)?];
    let [full, last] = headers.each_ref().map(bytemuck::bytes_of);
    let most = MAX_WRITTEN_PIECES.count();
    let mut pieces: Vec<&[u8]> = Vec::with_capacity(most);
    pieces.push(&count);
    let (mut left, mut in_chunk) = (size, 0);
    for mut run in runs {
        if run.len() > left {
            bail!(Internal, "There are more bytes than the {size} of a tile");
        }
        left -= run.len();
        while !run.is_empty() {
            if in_chunk == 0 {
                in_chunk = chunk.min(left + run.len());
                pieces.push(if in_chunk == chunk.min(size) { full } else { last });
            }
            let (now, rest) = run.split_at(in_chunk.min(run.len()));
            pieces.push(now);
            in_chunk -= now.len();
            run = rest;
            if pieces.len() + 2 > most {
                sink(&pieces)?;
                pieces.clear();
            }
        }
    }
    if left > 0 {
        bail!(Internal, "{left} of the {size} bytes of a tile are missing");
    }
    sink(&pieces)
}

/// Appends one chunk: header, metadata, data.
fn write_chunk(
    stages: &[Box<dyn FilterStage + '_>],
    data: &[u8],
    buffers: &mut Option<Buffers>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let original = length(data.len())?;
    let start = out.len();
    out.extend_from_slice(&[0; ChunkHeader::SIZE]);
    let meta_len = match stages {
        [] => {
            out.extend_from_slice(data);
            0
        }
        [stage] => match stage.forward_as_only_stage(data, out)? {
            Some(meta_len) => meta_len,
            None => run(stages, data, buffers, out)?,
        },
        _ => run(stages, data, buffers, out)?,
    };
    let filtered = length(out.len() - start - ChunkHeader::SIZE - meta_len)?;
    let header = [original, filtered, length(meta_len)?];
    out[start..start + ChunkHeader::SIZE].copy_from_slice(bytemuck::cast_slice(&header));
    Ok(())
}

/// Runs the stages over a chunk and appends the result; the length of its metadata.
fn run(
    stages: &[Box<dyn FilterStage + '_>],
    data: &[u8],
    buffers: &mut Option<Buffers>,
    out: &mut Vec<u8>,
) -> Result<usize> {
    let (from, to) = buffers.get_or_insert_with(|| BUFFERS.take(|_| true).unwrap_or_default());
    from.clear();
    // Until a stage changes them, the data stay where they are.
    let mut original = Some(data);
    for stage in stages {
        to.clear();
        stage.forward(StageInput { data: original.unwrap_or(&from.data), ..from.as_input() }, to)?;
        match stage.leaves_data_unchanged() {
            true => std::mem::swap(&mut from.data, &mut to.data),
            false => original = None,
        }
        std::mem::swap(from, to);
    }
    out.extend_from_slice(&from.meta);
    out.extend_from_slice(original.unwrap_or(&from.data));
    Ok(from.meta.len())
}
