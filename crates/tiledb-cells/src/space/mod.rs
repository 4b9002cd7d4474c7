//! Geometry of subarrays: ranges, grids of tiles, boxes, and their intersections.

pub mod box_index;
pub mod cover;
pub mod grid;
pub mod label_ranges;
mod labels;
pub mod range_boxes;
pub mod ranges;
pub mod selection;
pub mod selection_mask;
pub mod selector;
pub mod split;
pub mod subarray;
pub mod zone_map;
