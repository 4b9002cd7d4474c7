//! The orders of the cells that a read returns, and of dimension labels: cells of a dense array of their own (format, "Schema").

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Row,
    Column,
    Global,
}

/// How an array orders its cells.
#[derive(Clone, Debug)]
pub struct GlobalOrder {
    /// Coordinates of a tile along each dimension; `None` where a dimension has no tiles.
    pub extents: Vec<Option<u8>>,
    pub tile_order: Order,
    pub cell_order: Order,
}

impl GlobalOrder {
    /// By which an order sorts coordinates; equal ones come in any order. The global order is that of tiles, inside of a tile that of
    /// cells (concepts).
    pub fn key(&self, order: Order, at: &[u8]) -> Vec<u8> {
        let tile = |(at, extent): (&u8, &Option<u8>)| extent.map_or(0, |extent| at / extent);
        let tiles: Vec<u8> = at.iter().zip(&self.extents).map(tile).collect();
        match order {
            Order::Row => at.to_vec(),
            Order::Column => at.iter().rev().copied().collect(),
            Order::Global => [self.key(self.tile_order, &tiles), self.key(self.cell_order, at)].concat(),
        }
    }
}

/// The coordinates that a range of increasing labels selects: from the first to the last inside of it (measured).
pub fn labelled(labels: &[i64], (low, high): (i64, i64)) -> Option<(u8, u8)> {
    let is_inside = |label: &i64| *label >= low && *label <= high;
    Some((labels.iter().position(is_inside)? as u8, labels.iter().rposition(is_inside)? as u8))
}
