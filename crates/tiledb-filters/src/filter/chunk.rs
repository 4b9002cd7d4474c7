//! Chunk format of filtered tiles: where writers split a tile, and how readers locate the chunks.
//!
//! A tile on disk is `chunk count u64`, then per chunk a [`ChunkHeader`], the metadata and the filtered data.

use std::ops::Range;

use super::pipeline::{CHUNK_SIZE, Pipeline, TileShape};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::wire::WireReader;

/// Bytes before the first chunk of a filtered tile: how many chunks there are.
pub const TILE_HEADER: usize = 8;

/// Chunk header: `original length u32, filtered length u32, metadata length u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Bytes of the tile that the chunk holds.
    pub original: usize,
    /// Bytes of its filtered data.
    pub data: usize,
    /// Bytes of its metadata, which precede the data.
    pub meta: usize,
}

impl ChunkHeader {
    /// Bytes of a header.
    pub const SIZE: usize = 12;

    /// Reads a header.
    pub fn read(bytes: &[u8; ChunkHeader::SIZE]) -> ChunkHeader {
        let length = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
        ChunkHeader { original: length(0), data: length(4), meta: length(8) }
    }

    /// Bytes after the header.
    pub fn stored(self) -> usize {
        self.meta + self.data
    }
}

impl Pipeline {
    /// The size of full chunks of a tile of `tile_size` bytes, as writers cut it; chunks of variable-sized data end where
    /// a cell ends, near it.
    pub fn chunk_size(&self, shape: &TileShape, tile_size: usize) -> usize {
        if self.needs_single_chunk(shape) || self.max_chunk_size() == 0 {
            return tile_size;
        }
        let size = tile_size.min(CHUNK_SIZE);
        let cell = match shape.version.has_whole_cell_chunks() {
            true => shape.cell_size.max(1),
            false => 1,
        };
        (size / cell * cell).max(cell)
    }
}

/// Calls `chunk` with each piece of a tile of variable-sized cells. A chunk ends at a cell boundary: before the cell
/// that would exceed `size`, or after that cell if the chunk is less than half full or the cell extends it to at most
/// one and a half times `size`. A chunk that was closed after its last cell is followed by another one, even if that
/// stays empty.
pub(super) fn cut_var(
    tile_size: usize,
    starts: &[u64],
    size: usize,
    mut chunk: impl FnMut(Range<usize>) -> Result<()>,
) -> Result<()> {
    if tile_size <= size {
        return chunk(0..tile_size);
    }
    let (mut begin, mut end) = (0, 0);
    let mut open = true;
    for (index, &start) in starts.iter().enumerate() {
        let last = index + 1 == starts.len();
        let next = starts.get(index + 1).map_or(tile_size, |&next| usize::try_from(next).unwrap_or(usize::MAX));
        if start != end as u64 || next < end || next > tile_size {
            return Err(Error::invalid("Cell offsets do not ascend from 0 within the data of their tile"));
        }
        let (current, cell) = (end - begin, next - end);
        open = true;
        if current + cell <= size {
            end = next;
        } else if current <= size / 2 || current + cell <= size + size / 2 {
            chunk(begin..next)?;
            (begin, end) = (next, next);
        } else {
            chunk(begin..end)?;
            begin = end;
            end = next;
            if cell > size {
                chunk(begin..end)?;
                begin = end;
                open = !last;
            }
        }
    }
    if open { chunk(begin..end) } else { Ok(()) }
}

/// One chunk, checked against the number of bytes available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk<'a> {
    /// Bytes of the tile that the chunk holds.
    pub(super) original: usize,
    /// Metadata of the filters.
    pub(super) meta: &'a [u8],
    /// The filtered bytes.
    pub(super) data: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// The next chunk, of which the header comes first.
    pub(super) fn read(r: &mut WireReader<'a>) -> Result<Chunk<'a>> {
        let header = ChunkHeader { original: r.u32()? as usize, data: r.u32()? as usize, meta: r.u32()? as usize };
        Ok(Chunk { original: header.original, meta: r.bytes(header.meta)?, data: r.bytes(header.data)? })
    }
}

/// The chunks of a filtered tile, in order. Each is within the tile; an error ends the walk.
pub(super) struct Chunks<'a> {
    reader: WireReader<'a>,
    left: usize,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(filtered: &'a [u8]) -> Result<Chunks<'a>> {
        let mut reader = WireReader::new("filtered tile", filtered);
        let left = reader.count64(ChunkHeader::SIZE)?;
        Ok(Chunks { reader, left })
    }

    pub(super) fn next(&mut self) -> Result<Option<Chunk<'a>>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        Chunk::read(&mut self.reader).map(Some)
    }
}

/// Decoded size of a filtered tile, as its chunks state it.
///
/// # Errors
/// If the chunks are not within the bytes.
pub fn decoded_size(filtered: &[u8]) -> Result<usize> {
    let mut chunks = Chunks::new(filtered)?;
    let mut size = 0usize;
    while let Some(chunk) = chunks.next()? {
        size = size.saturating_add(chunk.original);
    }
    Ok(size)
}

/// Location of a chunk in the tile and in the filtered bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkLocation {
    /// The bytes of the tile it holds.
    pub tile: Range<usize>,
    /// Its metadata within the filtered tile.
    pub meta: Range<usize>,
    /// Its data within the filtered tile, directly after the metadata.
    pub data: Range<usize>,
}

/// The positions of all chunks of one tile, for callers that decode parts of it repeatedly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkIndex {
    chunks: Vec<ChunkLocation>,
}

impl ChunkIndex {
    /// The index of a filtered tile which decodes to `tile_size` bytes.
    ///
    /// # Errors
    /// If the headers contradict the bytes or the size.
    pub fn new(filtered: &[u8], tile_size: usize) -> Result<ChunkIndex> {
        let mut walk = Chunks::new(filtered)?;
        let mut chunks = Vec::new();
        let mut start = 0usize;
        while let Some(chunk) = walk.next()? {
            let end = walk.reader.position();
            let tile = start..start.saturating_add(chunk.original);
            start = tile.end;
            let data = end - chunk.data.len()..end;
            chunks.push(ChunkLocation { tile, meta: data.start - chunk.meta.len()..data.start, data });
        }
        check_total(start, tile_size)?;
        Ok(ChunkIndex { chunks })
    }

    pub fn chunks(&self) -> &[ChunkLocation] {
        &self.chunks
    }

    /// The chunks that hold any of the bytes `range` of the tile.
    pub fn overlapping(&self, range: Range<usize>) -> &[ChunkLocation] {
        let first = self.chunks.partition_point(|chunk| chunk.tile.end <= range.start);
        let last = self.chunks.partition_point(|chunk| chunk.tile.start < range.end);
        self.chunks.get(first..last).unwrap_or_default()
    }
}

/// The decoded sizes of the chunks must add up to that of the tile.
pub(super) fn check_total(chunks: usize, tile: usize) -> Result<()> {
    if chunks != tile {
        bail!(Corrupt, "The chunks of a tile of {tile} bytes hold {chunks} bytes");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::{Datatype, FormatVersion};

    fn shape(cell_size: usize, version: u32) -> TileShape {
        TileShape {
            datatype: Datatype::Uint8,
            cell_size,
            is_var: false,
            version: FormatVersion::from_number(version).unwrap(),
        }
    }

    #[test]
    fn fixed_chunks_hold_whole_cells() {
        let pipeline = Pipeline::default();
        assert_eq!(pipeline.chunk_size(&shape(12, 22), 1 << 20), 65532);
        assert_eq!(pipeline.chunk_size(&shape(12, 10), 1 << 20), 65536);
        assert_eq!(pipeline.chunk_size(&shape(100_000, 22), 1 << 20), 100_000);
        assert_eq!(pipeline.chunk_size(&shape(8, 22), 80), 80);
        let mut whole = Pipeline::default();
        whole.set_max_chunk_size(0);
        assert_eq!(whole.chunk_size(&shape(8, 22), 1 << 20), 1 << 20);
    }

    fn cuts(sizes: &[usize], size: usize) -> Vec<usize> {
        let mut end = 0u64;
        let starts: Vec<u64> = sizes
            .iter()
            .map(|&cell| {
                let start = end;
                end += cell as u64;
                start
            })
            .collect();
        let mut lengths = Vec::new();
        cut_var(end as usize, &starts, size, |range| {
            lengths.push(range.len());
            Ok(())
        })
        .unwrap();
        lengths
    }

    #[test]
    fn var_chunks_follow_the_three_cases() {
        assert_eq!(cuts(&[3, 4], 10), [7], "all fits");
        assert_eq!(cuts(&[6, 4, 6], 10), [10, 6], "full to the brim");
        assert_eq!(cuts(&[6, 9], 10), [15, 0], "up to one and a half, with an empty chunk behind");
        assert_eq!(cuts(&[5, 90, 2], 10), [95, 2], "less than half full");
        assert_eq!(cuts(&[6, 90], 10), [6, 90], "a cell of its own, the last one");
        assert_eq!(cuts(&[6, 90, 0], 10), [6, 90, 0], "and one behind it");
        assert_eq!(cuts(&[8, 8, 1], 10), [8, 9], "the cell opens the next chunk");
    }

    #[test]
    fn offsets_out_of_order_are_refused() {
        assert!(cut_var(30, &[0, 20, 10], 8, |_| Ok(())).is_err());
        assert!(cut_var(30, &[0, 40], 8, |_| Ok(())).is_err());
        assert!(cut_var(30, &[1, 2], 8, |_| Ok(())).is_err());
    }
}
