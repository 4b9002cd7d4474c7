//! Coordinates in the format versions in which dimensions had no files of their own: one tile contains all dimensions of its
//! cells. Since version 2 the dimensions are stored one after another. Version 1 did so only if the tile was compressed;
//! otherwise the coordinates of each cell are adjacent ("zipped").

use super::Fragment;
use tiledb_core::error::{Result, bail};
use tiledb_filters::filter::{FilterType, Pipeline};

/// The filters that made version 1 take the dimensions apart.
const COMPRESSORS: [FilterType; 6] =
    [FilterType::Gzip, FilterType::Zstd, FilterType::Lz4, FilterType::Rle, FilterType::Bzip2, FilterType::DoubleDelta];

impl Fragment {
    /// True if the coordinates of each cell are adjacent in the tiles of `__coords.tdb`.
    pub fn zips_coordinates(&self) -> bool {
        self.version().may_zip_coordinates() && !compresses(self.schema().coords_filters())
    }

    /// Copies the coordinates of one dimension out of a decoded tile of all of them.
    ///
    /// # Errors
    /// If the tile has not the size that `out` calls for.
    pub fn unzip(&self, tile: &[u8], dimension: usize, out: &mut [u8]) -> Result<()> {
        let count = self.schema().domain().len();
        if out.len().checked_mul(count) != Some(tile.len()) || dimension >= count {
            bail!(Internal, "A tile of {} bytes does not hold {count} times {} bytes", tile.len(), out.len());
        }
        let size = self.schema().domain().dimensions().first().map_or(1, |dimension| dimension.size()).max(1);
        for (cell, coords) in out.chunks_exact_mut(size).zip(tile.chunks_exact(size * count)) {
            cell.copy_from_slice(&coords[dimension * size..][..size]);
        }
        Ok(())
    }
}

fn compresses(filters: &Pipeline) -> bool {
    COMPRESSORS.iter().any(|&kind| filters.has(kind))
}
