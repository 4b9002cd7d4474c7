//! The box of space tiles that a dense fragment stores, and the numbering of its tiles.

use tiledb_core::error::{Error, Result};
use tiledb_core::types::{Cell, CellRange, Datatype, Layout, dispatch};

/// The space tiles that intersect a dense region: per dimension the first and last tile index,
/// counted from the low end of the array domain. Tiles in it are numbered in tile order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileBox {
    first: Vec<u64>,
    last: Vec<u64>,
    strides: Vec<u64>,
    tile_count: u64,
}

/// Properties of a dimension that the box depends on.
pub struct TiledDimension<'a> {
    /// The datatype: an integer or a datetime.
    pub datatype: Datatype,
    /// The domain of the array.
    pub domain: &'a CellRange,
    /// The tile extent, one value.
    pub extent: &'a [u8],
}

/// The key of an integer coordinate: differences of keys are the unsigned distances, also where
/// the signed subtraction would overflow.
fn key(datatype: Datatype, bytes: &[u8]) -> u64 {
    dispatch!(datatype.physical(), T => <T as Cell>::from_le(bytes).to_key())
}

/// The extent as an unsigned number: extents are distances, never negative.
fn unsigned(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(word)
}

impl TileBox {
    /// The tiles that `region` intersects.
    ///
    /// # Errors
    /// If a dimension's region is outside its domain, an extent is 0, or there are more than 2^64 tiles: all three only
    /// in corrupt files.
    pub fn of_region(dimensions: &[TiledDimension], region: &[CellRange], tile_order: Layout) -> Result<TileBox> {
        let corrupt = |text: &str| Error::corrupt(format!("Fragment: Cannot number the dense tiles: {text}"));
        if region.len() != dimensions.len() {
            return Err(corrupt("the non-empty domain has not one range per dimension"));
        }
        let mut tiles = TileBox { first: Vec::new(), last: Vec::new(), strides: Vec::new(), tile_count: 1 };
        for (dimension, range) in dimensions.iter().zip(region) {
            let value = |bytes| key(dimension.datatype, bytes);
            let low = value(dimension.domain.low());
            let width = value(dimension.domain.high()).wrapping_sub(low);
            let extent = unsigned(dimension.extent);
            let (from, to) = (value(range.low()).wrapping_sub(low), value(range.high()).wrapping_sub(low));
            if extent == 0 || from > to || to > width {
                return Err(corrupt("the non-empty domain is not within the array domain"));
            }
            tiles.first.push(from / extent);
            tiles.last.push(to / extent);
        }
        tiles.number(tile_order).ok_or_else(|| corrupt("there are more than 2^64"))
    }

    /// Computes strides and the number of tiles; `None` on overflow.
    fn number(mut self, tile_order: Layout) -> Option<TileBox> {
        let dimensions = self.first.len();
        self.strides = vec![0; dimensions];
        for step in 0..dimensions {
            let d = if tile_order == Layout::ColMajor { step } else { dimensions - 1 - step };
            self.strides[d] = self.tile_count;
            let tiles = (self.last[d] - self.first[d]).checked_add(1)?;
            self.tile_count = self.tile_count.checked_mul(tiles)?;
        }
        Some(self)
    }

    /// Per dimension the index of the first tile.
    pub fn first(&self) -> &[u64] {
        &self.first
    }

    /// Per dimension the index of the last tile.
    pub fn last(&self) -> &[u64] {
        &self.last
    }

    /// Number of tiles.
    pub fn tile_count(&self) -> u64 {
        self.tile_count
    }

    /// The number of the tile with these indexes; `None` outside the box.
    pub fn tile(&self, index: &[u64]) -> Option<u64> {
        let mut number = 0;
        for (d, &i) in index.iter().enumerate() {
            if i < *self.first.get(d)? || i > self.last[d] {
                return None;
            }
            number += (i - self.first[d]) * self.strides[d];
        }
        Some(number)
    }

    /// The indexes of the tile with this number, into `index`.
    pub fn index_of(&self, tile: u64, index: &mut [u64]) {
        for (d, out) in index.iter_mut().enumerate().take(self.first.len()) {
            let tiles = (self.last[d] - self.first[d]).wrapping_add(1).max(1);
            *out = self.first[d] + tile / self.strides[d].max(1) % tiles;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile_box(region: &[CellRange], order: Layout) -> Result<TileBox> {
        let domains = [CellRange::of(-10i32, 9), CellRange::of(1i32, 100)];
        let extents = [4i32.to_le_bytes(), 10i32.to_le_bytes()];
        let dimensions =
            [0, 1].map(|d| TiledDimension { datatype: Datatype::Int32, domain: &domains[d], extent: &extents[d] });
        TileBox::of_region(&dimensions, region, order)
    }

    #[test]
    fn numbers_run_in_tile_order() {
        let region = [CellRange::of(-1i32, 5), CellRange::of(11i32, 35)];
        let rows = tile_box(&region, Layout::RowMajor).unwrap();
        assert_eq!((rows.first(), rows.last(), rows.tile_count()), (&[2, 1][..], &[3, 3][..], 6));
        assert_eq!(rows.tile(&[2, 3]), Some(2));
        assert_eq!(rows.tile(&[3, 1]), Some(3));
        assert_eq!(rows.tile(&[4, 1]), None);
        let columns = tile_box(&region, Layout::ColMajor).unwrap();
        assert_eq!(columns.tile(&[3, 1]), Some(1));
        for tiles in [rows, columns] {
            for number in 0..tiles.tile_count() {
                let mut index = [0; 2];
                tiles.index_of(number, &mut index);
                assert_eq!(tiles.tile(&index), Some(number));
            }
        }
    }

    #[test]
    fn the_whole_of_int64() {
        let domain = CellRange::of(i64::MIN, i64::MAX - 10);
        let extent = 10i64.to_le_bytes();
        let dimension = TiledDimension { datatype: Datatype::Int64, domain: &domain, extent: &extent };
        let region = [CellRange::of(-1i64, i64::MAX - 10)];
        let tiles = TileBox::of_region(&[dimension], &region, Layout::RowMajor).unwrap();
        assert_eq!(tiles.first(), &[((1u64 << 63) - 1) / 10]);
        assert_eq!(tiles.last(), &[(u64::MAX - 10) / 10]);
    }

    #[test]
    fn regions_outside_the_domain_are_refused() {
        for region in [
            vec![CellRange::of(-11i32, 5), CellRange::of(1i32, 2)],
            vec![CellRange::of(5i32, -5), CellRange::of(1i32, 2)],
            vec![CellRange::of(0i32, 1)],
        ] {
            assert!(tile_box(&region, Layout::RowMajor).is_err());
        }
    }
}
