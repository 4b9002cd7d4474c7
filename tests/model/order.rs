//! The orders of the cells that a read returns.

use super::Cell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Row,
    Column,
    /// By tiles, and inside of a tile by cells.
    Global,
    Any,
}

/// How an array orders its cells.
#[derive(Clone, Debug)]
pub struct GlobalOrder {
    /// Coordinates of a tile along each dimension; `None` where a dimension has no tiles.
    pub extents: Vec<Option<u8>>,
    pub tile_by_column: bool,
    pub cell_by_column: bool,
}

/// The coordinates, the most significant first.
fn key(at: &[u8], by_column: bool) -> Vec<u8> {
    let mut key = at.to_vec();
    if by_column {
        key.reverse();
    }
    key
}

impl GlobalOrder {
    /// Guide: tiles in tile order, cells of a tile in cell order; dimensions without an extent have one tile.
    fn key(&self, at: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let tile = |(at, extent): (&u8, &Option<u8>)| extent.map_or(0, |extent| at / extent);
        let tiles: Vec<u8> = at.iter().zip(&self.extents).map(tile).collect();
        (key(&tiles, self.tile_by_column), key(at, self.cell_by_column))
    }

    /// Sorts cells for a write in global order.
    pub fn sort(&self, cells: &mut [Cell]) {
        cells.sort_by_key(|cell| self.key(&cell.at));
    }

    /// Whether cells are in an order; those with equal coordinates in any.
    pub fn is_sorted(&self, order: Order, cells: &[Cell]) -> bool {
        match order {
            Order::Row => cells.is_sorted_by_key(|cell| key(&cell.at, false)),
            Order::Column => cells.is_sorted_by_key(|cell| key(&cell.at, true)),
            Order::Global => cells.is_sorted_by_key(|cell| self.key(&cell.at)),
            Order::Any => true,
        }
    }
}
