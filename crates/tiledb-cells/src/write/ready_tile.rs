//! A tile that is ready to be written: filtered, or of unfiltered cells that are borrowed from the user's buffer.

use crate::columns::box_rows::BoxRows;
use tiledb_array::fragment::{FieldPart, FilteredTile, TileBytes, WritePieces};
use tiledb_core::error::Result;
use tiledb_filters::filter::{ChunkHeader, TILE_HEADER, write_unfiltered};
use tiledb_filters::tile::TileStats;

/// Fixed-size cells that are stored unfiltered.
#[derive(Clone)]
pub(crate) struct PlainCells<'a> {
    pub rows: BoxRows<'a>,
    /// Bytes of a chunk.
    pub chunk: usize,
}

impl PlainCells<'_> {
    /// Their bytes on disk.
    fn size(&self) -> u64 {
        let size = self.rows.size();
        (TILE_HEADER + size.div_ceil(self.chunk.max(1)) * ChunkHeader::SIZE + size) as u64
    }

    /// Writes them in their on-disk format.
    ///
    /// # Errors
    /// Those of `to`.
    pub(crate) fn put(&self, to: WritePieces<'_>) -> Result<()> {
        write_unfiltered(self.rows.size(), self.chunk, self.rows.runs(), to)
    }
}

/// One tile of one field.
pub(crate) struct ReadyTile<'a> {
    /// Without its cells, if these are `plain`.
    pub tile: FilteredTile,
    pub plain: Option<PlainCells<'a>>,
}

impl ReadyTile<'_> {
    /// Its bytes on disk.
    pub(crate) fn size(&self) -> u64 {
        self.tile.size() + self.plain.as_ref().map_or(0, PlainCells::size)
    }

    /// Bytes of owned memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        let FilteredTile { data, var, validity, .. } = &self.tile;
        let values = var.as_ref().map_or(0, |(values, _)| values.capacity());
        data.capacity() + values + validity.as_ref().map_or(0, Vec::capacity)
    }

    /// The tile with all its bytes in owned memory.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn owned(mut self) -> Result<ReadyTile<'static>> {
        if let Some(plain) = self.plain {
            let data = &mut self.tile.data;
            tiledb_core::memory::reserve("a tile", data, plain.rows.size())?;
            plain.put(&mut |pieces| {
                pieces.iter().for_each(|piece| data.extend_from_slice(piece));
                Ok(())
            })?;
        }
        Ok(ReadyTile { tile: self.tile, plain: None })
    }
}

impl TileBytes for ReadyTile<'_> {
    fn var_size(&self) -> Option<u64> {
        self.tile.var_size()
    }

    fn has_validity(&self) -> bool {
        self.tile.has_validity()
    }

    fn stats(&self) -> &TileStats {
        &self.tile.stats
    }

    fn write(&self, part: FieldPart, to: WritePieces<'_>) -> Result<()> {
        match &self.plain {
            Some(plain) if part == FieldPart::Data => plain.put(to),
            _ => self.tile.write(part, to),
        }
    }
}
