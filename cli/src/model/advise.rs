//! Recommended schema of an array.

pub(crate) use tiledb::maintenance::AdvisedProperty as Property;
use tiledb::maintenance::{AdviceReason, AdvisedPart, Objective};
use tiledb::{ArraySchema, Context, maintenance};

use super::error::Result;

/// A recommendation for a property of a schema.
pub(crate) struct Advice {
    pub property: Property,
    pub reason: AdviceReason,
    /// Whether the recommended schema has it.
    pub is_applied: bool,
    pub field: Option<String>,
    pub current: String,
    pub recommended: String,
    /// Estimated sizes on disk in bytes: now and with the recommendation.
    pub bytes: [u64; 2],
    /// Modeled times in nanoseconds, to decode or of a typical query: now and with the recommendation.
    pub nanoseconds: [u64; 2],
}

impl Advice {
    /// True for a recommendation of filters.
    pub(crate) fn is_of_filters(&self) -> bool {
        matches!(self.property, Property::Filters | Property::OffsetsFilters | Property::ValidityFilters)
    }

    /// The capacity that the recommended schema has instead of the current one.
    pub(crate) fn applied_capacity(&self) -> Option<u64> {
        if self.property == Property::Capacity && self.is_applied { self.recommended.parse().ok() } else { None }
    }

    /// Bytes of all cells now and with the recommended schema.
    pub(crate) fn total(all: &[Advice]) -> [u64; 2] {
        let [now, then] = [0, 1].map(|index| {
            let filters = all.iter().filter(|advice| advice.is_of_filters());
            filters.fold(0, |sum: u64, advice| sum.saturating_add(advice.bytes[index]))
        });
        // Sizes with another capacity, extents or order are those of the array with the recommended filters.
        let is_of_layout = |advice: &&Advice| {
            use Property::{ArrayType, Capacity, CellOrder, TileExtents};
            advice.is_applied && matches!(advice.property, Capacity | CellOrder | TileExtents | ArrayType)
        };
        let add = |then: u64, advice: &Advice| (then + advice.bytes[1]).saturating_sub(advice.bytes[0]);
        [now, all.iter().filter(is_of_layout).fold(then, add)]
    }

    fn of(part: AdvisedPart) -> Self {
        Self {
            property: part.property,
            reason: part.reason,
            is_applied: part.is_applied,
            field: part.field,
            current: part.current,
            recommended: part.recommended,
            bytes: [part.current_bytes, part.recommended_bytes],
            nanoseconds: [part.current_nanoseconds, part.recommended_nanoseconds],
        }
    }
}

/// Recommends a schema for the cells of an array.
pub(crate) fn advise(ctx: &Context, uri: &str, objective: Objective) -> Result<(Vec<Advice>, ArraySchema)> {
    let advice = maintenance::advise(ctx, uri, objective)?;
    Ok((advice.parts.into_iter().map(Advice::of).collect(), advice.schema))
}
