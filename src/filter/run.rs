//! Tiles through pipelines.

use std::ops::Range;

use super::{Pipeline, Shape};
use crate::crypto::EncryptionKey;
use crate::error::{Error, ErrorKind, Result};

impl Pipeline {
    /// Appends the tile to `out` as it lies on disk.
    ///
    /// # Errors
    /// If a filter does not accept the data.
    pub fn forward(&self, _: &Shape, _: &EncryptionKey, _: &[u8], _: Option<&[u64]>, _: &mut Vec<u8>) -> Result<()> {
        Err(pending())
    }

    /// Decodes a whole tile.
    ///
    /// # Errors
    /// If the bytes are corrupt.
    pub fn reverse(&self, _: &Shape, _: &EncryptionKey, _: &[u8], _: &mut [u8]) -> Result<()> {
        Err(pending())
    }

    /// Decodes the chunks that hold bytes `range` of a tile of `tile_size` bytes.
    ///
    /// # Errors
    /// If the bytes are corrupt.
    pub fn reverse_range(
        &self,
        _: &Shape,
        _: &EncryptionKey,
        _: &[u8],
        _tile_size: usize,
        _: Range<usize>,
        _: &mut [u8],
    ) -> Result<()> {
        Err(pending())
    }
}

fn pending() -> Error {
    Error::new(ErrorKind::Unsupported, "Filters are not written yet")
}
