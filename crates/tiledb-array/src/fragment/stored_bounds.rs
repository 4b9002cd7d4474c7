//! The tables of the global-order bounds of tiles, as fragment metadata and drafts have them.

/// The global-order bounds of all tiles in a dimension: fixed cells, or the starts of variable ones, and variable cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredBounds {
    /// The coordinates of the first cells.
    pub lower: [Vec<u8>; 2],
    /// The coordinates of the last cells.
    pub upper: [Vec<u8>; 2],
}
