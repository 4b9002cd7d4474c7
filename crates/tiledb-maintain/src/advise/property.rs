//! Recommendations for the properties of a schema beside its filters.

use std::fmt::Write;

use super::cost::Estimate;
use tiledb_core::types::Name;
use tiledb_filters::filter::{Filter, Pipeline};

/// A property of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// Cells per tile of a sparse array.
    Capacity,
    /// The order of cells in a sparse array.
    CellOrder,
    /// The tile extents of a dense array.
    TileExtents,
    /// Dense or sparse.
    ArrayType,
    /// The values of this text attribute as codes of an enumeration.
    Enumeration(Name),
    /// Whether the cells of this attribute may be null.
    Nullability(Name),
}

/// Why a property is recommended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyReason {
    /// It costs less than the current one.
    Better,
    /// It is the current one, and none is clearly better.
    Current,
    /// No sampled cell is null.
    NoNulls,
}

/// The recommendation for one property, with its costs for all cells of the array, in one fragment with the recommended filters.
#[derive(Clone, Debug)]
pub struct AdvisedProperty {
    pub property: Property,
    pub current: String,
    pub recommended: String,
    pub reason: PropertyReason,
    /// Whether the recommended schema has it.
    pub is_applied: bool,
    /// Bytes of the sample, before filters.
    pub sampled: u64,
    /// Costs with the current property. The times are those of a typical query; for enumerations, those to decode all cells.
    pub current_cost: Estimate,
    /// Costs with the recommended one.
    pub recommended_cost: Estimate,
}

/// The filters of a pipeline as text, such as `BYTESHUFFLE, ZSTD(3)`.
pub fn text_of(pipeline: &Pipeline) -> String {
    let mut text = String::new();
    for filter in pipeline.filters() {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(filter.kind().name());
        if let Filter::Gzip { level } | Filter::Zstd { level } | Filter::Bzip2 { level } = filter {
            _ = write!(text, "({level})");
        }
    }
    text
}
