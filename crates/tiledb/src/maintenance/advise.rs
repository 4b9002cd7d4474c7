//! Recommended schemas.

use std::fmt;
use std::sync::Arc;

use crate::config::Config;
use crate::context::Context;
use crate::error::{AtUri, Result};
use crate::location::{self, stored};
use crate::schema::ArraySchema;
use tiledb_maintain::advise as engine;

/// What a recommendation is to achieve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Objective {
    /// The least size on disk.
    Smallest,
    /// Fast scans of data that have to be read from object stores or slow disks.
    #[default]
    Balanced,
    /// Fast scans of data in memory or on local disks.
    Fastest,
}

/// Why something is recommended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdviceReason {
    /// It costs less than the current value.
    Better,
    /// It is the current value, and no other is clearly better.
    Current,
    /// It is the current value, which only the user can decide on, such as a lossy filter.
    Chosen,
    /// It is the current value: there are no cells to judge by.
    NoCells,
    /// No sampled cell is null.
    NoNulls,
}

/// A property of a schema that is recommended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdvisedProperty {
    /// The filters of the values of a field.
    Filters,
    /// The filters of the offsets of all fields of variable length.
    OffsetsFilters,
    /// The filters of the validity values of all nullable fields.
    ValidityFilters,
    /// The capacity of a sparse array: cells per tile.
    Capacity,
    /// The order of the cells of a sparse array.
    CellOrder,
    /// The tile extents of a dense array.
    TileExtents,
    /// Dense or sparse.
    ArrayType,
    /// The texts of an attribute as an enumeration and codes, or as they are.
    Enumeration,
    /// Whether the cells of an attribute may be null.
    Nullability,
}

impl fmt::Display for AdvisedProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AdvisedProperty::Filters => "filters",
            AdvisedProperty::OffsetsFilters => "offsets filters",
            AdvisedProperty::ValidityFilters => "validity filters",
            AdvisedProperty::Capacity => "capacity",
            AdvisedProperty::CellOrder => "cell order",
            AdvisedProperty::TileExtents => "tile extents",
            AdvisedProperty::ArrayType => "array type",
            AdvisedProperty::Enumeration => "enumeration",
            AdvisedProperty::Nullability => "nullability",
        })
    }
}

/// A recommendation for one part of a schema.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdvisedPart {
    /// What is recommended.
    pub property: AdvisedProperty,
    /// The field, if it concerns one.
    pub field: Option<String>,
    /// The current value.
    pub current: String,
    /// The recommended value, which may be the current one.
    pub recommended: String,
    /// Why it is recommended.
    pub reason: AdviceReason,
    /// Whether the recommended schema has it.
    pub is_applied: bool,
    /// The size of the sample in bytes, before filters.
    pub sampled_bytes: u64,
    /// The size of the cells on disk in bytes at present, estimated from a sample.
    pub current_bytes: u64,
    /// The size with the recommendation.
    pub recommended_bytes: u64,
    /// The modeled time to decode the cells at present, in nanoseconds.
    pub current_nanoseconds: u64,
    /// The time with the recommendation.
    pub recommended_nanoseconds: u64,
}

/// A recommended schema, and what it gains.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Advice {
    /// The schema for a new array, to which [`Rewrite`](crate::maintenance::Rewrite) copies the cells.
    pub schema: ArraySchema,
    /// The recommendations.
    pub parts: Vec<AdvisedPart>,
}

/// Recommends a schema for an array by a sample of its cells: filters, capacity, orders, tile extents, enumerations.
///
/// # Errors
/// If there is no array, or it cannot be read.
pub fn advise(ctx: &Context, uri: &str, objective: Objective) -> Result<Advice> {
    advise_with(ctx, uri, objective, &Config::new())
}

/// As [`advise`], with parameters such as `sm.advise.properties`, which override those of the context.
///
/// # Errors
/// As [`advise`].
pub fn advise_with(ctx: &Context, uri: &str, objective: Objective, config: &Config) -> Result<Advice> {
    let target = location::parse(uri)?;
    let resources = ctx.resources_with(Some(config))?;
    let _running = ctx.running()?;
    let objective = match objective {
        Objective::Smallest => engine::Objective::Smallest,
        Objective::Balanced => engine::Objective::Balanced,
        Objective::Fastest => engine::Objective::Fastest,
    };
    let advice = engine::advise(&resources, stored(&target, "advice")?, objective).at(uri)?;
    let parts = advice.parts.iter().map(of_part).chain(advice.properties.iter().map(of_property)).collect();
    Ok(Advice { parts, schema: ArraySchema(Arc::new(advice.schema)) })
}

fn of_part(part: &engine::PartAdvice) -> AdvisedPart {
    let (property, field) = match &part.part {
        engine::FilteredPart::Values(field) => (AdvisedProperty::Filters, Some(field.to_string())),
        engine::FilteredPart::Offsets => (AdvisedProperty::OffsetsFilters, None),
        engine::FilteredPart::Validity => (AdvisedProperty::ValidityFilters, None),
    };
    AdvisedPart {
        property,
        field,
        current: engine::text_of(&part.current),
        recommended: engine::text_of(&part.recommended),
        reason: match part.kept {
            None => AdviceReason::Better,
            Some(engine::KeepReason::Best) => AdviceReason::Current,
            Some(engine::KeepReason::Chosen) => AdviceReason::Chosen,
            Some(engine::KeepReason::NoCells) => AdviceReason::NoCells,
        },
        is_applied: true,
        sampled_bytes: part.sampled,
        current_bytes: part.current_cost.stored,
        recommended_bytes: part.recommended_cost.stored,
        current_nanoseconds: part.current_cost.decode,
        recommended_nanoseconds: part.recommended_cost.decode,
    }
}

fn of_property(advised: &engine::AdvisedProperty) -> AdvisedPart {
    let (property, field) = match &advised.property {
        engine::Property::Capacity => (AdvisedProperty::Capacity, None),
        engine::Property::CellOrder => (AdvisedProperty::CellOrder, None),
        engine::Property::TileExtents => (AdvisedProperty::TileExtents, None),
        engine::Property::ArrayType => (AdvisedProperty::ArrayType, None),
        engine::Property::Enumeration(field) => (AdvisedProperty::Enumeration, Some(field.to_string())),
        engine::Property::Nullability(field) => (AdvisedProperty::Nullability, Some(field.to_string())),
    };
    AdvisedPart {
        property,
        field,
        current: advised.current.clone(),
        recommended: advised.recommended.clone(),
        reason: match advised.reason {
            engine::PropertyReason::Better => AdviceReason::Better,
            engine::PropertyReason::Current => AdviceReason::Current,
            engine::PropertyReason::NoNulls => AdviceReason::NoNulls,
        },
        is_applied: advised.is_applied,
        sampled_bytes: advised.sampled,
        current_bytes: advised.current_cost.stored,
        recommended_bytes: advised.recommended_cost.stored,
        current_nanoseconds: advised.current_cost.decode,
        recommended_nanoseconds: advised.recommended_cost.decode,
    }
}
