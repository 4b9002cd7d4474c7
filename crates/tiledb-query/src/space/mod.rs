//! The part of an array that is asked for: ranges, grids of tiles, boxes, what they have in common.

pub mod box_index;
pub mod boxes;
pub mod cover;
pub mod grid;
pub mod label_ranges;
pub mod labels;
pub mod ranges;
pub mod selection;
pub mod selection_mask;
pub mod selector;
pub mod split;
pub mod subarray;
pub mod zone_map;
