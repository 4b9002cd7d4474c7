//! The ranges of a label.

use super::ranges::RangeSet;
use tiledb_core::types::{CellRange, Datatype, Name};

/// The ranges of the label that chooses the indexes of a dimension.
#[derive(Clone)]
pub struct LabelRanges {
    pub(super) name: Name,
    pub(super) datatype: Datatype,
    pub(super) set: RangeSet,
    /// True once the subarray has the indexes too.
    pub(super) is_resolved: bool,
}

impl LabelRanges {
    /// The name of the label.
    pub fn name(&self) -> &Name {
        &self.name
    }

    pub fn ranges(&self) -> &[CellRange] {
        self.set.ranges()
    }
}
