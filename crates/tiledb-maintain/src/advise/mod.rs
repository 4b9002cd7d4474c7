//! Recommends a schema for the cells of an array: filter pipelines, capacity, tile extents, cell order, enumerations.
//!
//! Samples the tiles of the array, encodes the sample with candidate pipelines, and selects by an objective. Then consecutive cells
//! are written to memory with candidates of the other properties.
//!
//! Equal arrays get equal recommendations. Sizes are those of the real filters and writers; times are computed from the
//! sizes between the stages of a pipeline and constants of each filter (`cost`), since measured times differ from run to run.

mod array_type;
mod candidates;
mod cost;
mod enumeration;
mod extents;
mod filters;
mod layout;
mod measure;
mod order;
mod property;
#[cfg(test)]
mod property_tests;
mod refilter;
mod sample;
mod select;
mod settings;
mod slice_extents;
mod slices;
#[cfg(test)]
mod tests;
mod tile_geometry;
mod trial;

use std::sync::Arc;

use crate::maintain::memory_shares::cell_count;
pub use cost::{Estimate, Objective};
use enumeration::{EnumerationAdvice, Texts};
use filters::Advisor;
pub use filters::{FilteredPart, PartAdvice};
use layout::{AdvisedLayout, LayoutProblem};
pub use property::{AdvisedProperty, Property, PropertyReason, text_of};
pub use select::KeepReason;
use settings::AdviceSettings;
pub use slice_extents::with_extents_for_slices;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::{ArraySchema, Attribute};
use tiledb_core::error::Result;
use tiledb_core::types::{CURRENT_VERSION, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A recommended schema, and what it gains.
#[derive(Debug)]
pub struct Advice {
    /// The schema of the array with the recommended filters and other properties that `sm.advise.properties` names, as that of a
    /// new array.
    pub schema: ArraySchema,
    /// An entry for the values of each stored field, then one for all offsets and one for all validity values, if there are any.
    pub parts: Vec<PartAdvice>,
    /// Recommendations for other properties, as far as there are alternatives.
    pub properties: Vec<AdvisedProperty>,
}

/// Recommends a schema for the array at `uri`, by the cells that a reader sees now.
///
/// # Errors
/// If the array cannot be read, or all its fragments have a format version before 5.
pub fn advise(resources: &Resources, uri: &Uri, objective: Objective) -> Result<Advice> {
    // Decoded chunks are not reused by other queries.
    let _trim = resources.trim_after();
    let resources = &resources.with_own_chunk_cache();
    let key = EncryptionKey::for_opening(resources.config())?;
    let array = Arc::new(OpenArray::open(resources, uri, QueryType::Read, (0, u64::MAX), &key)?);
    let version = resources.config().write_format_version()?.unwrap_or(CURRENT_VERSION);
    let schema = array.schema();
    let settings = AdviceSettings::new(resources.config(), schema.domain().len())?;
    let advisor = Advisor::new(resources, &array, &key, version, objective)?;
    let (mut schema, mut parts) = advisor.filters()?;
    let AdvisedLayout { mut properties, schema: of_layout, sample } =
        advisor.layout(&array, &settings, &schema, &parts)?;
    schema = of_layout.unwrap_or(schema);
    parts.iter_mut().try_for_each(|part| advisor.restate(part, &schema))?;
    properties.extend(advisor.nullability());
    let enumerations = match &sample {
        _ if !settings.compares("enumerations") => Vec::new(),
        // Codes repeat as their texts do, in the order of the recommended schema.
        Some(sample) => advisor.of_sample(sample)?.enumerations(&schema)?,
        None => advisor.enumerations(&schema)?,
    };
    for EnumerationAdvice { mut property, attribute, enumeration } in enumerations {
        if property.reason == PropertyReason::Better && settings.applies("enumerations") {
            let mut attributes = schema.attributes().to_vec();
            let same = |other: &&mut Arc<Attribute>| other.name() == attribute.name();
            if let Some(place) = attributes.iter_mut().find(same) {
                *place = Arc::new(attribute);
            }
            schema.add_enumeration(Arc::new(enumeration))?;
            let domain = schema.domain().clone();
            let current_domain = schema.current_domain().clone();
            schema = schema.with_parts(attributes, domain, current_domain);
            property.is_applied = true;
        }
        properties.push(property);
    }
    Ok(Advice { schema, parts, properties })
}

impl Advisor<'_> {
    /// Recommends array type, capacity and order of a sparse array, tile extents of a dense one, given the schema with the recommended
    /// filters.
    fn layout(
        &self,
        array: &Arc<OpenArray>,
        settings: &AdviceSettings,
        schema: &ArraySchema,
        parts: &[PartAdvice],
    ) -> Result<AdvisedLayout> {
        let bytes = || self.fields.iter().map(|(_, sample)| sample.value_bytes);
        let problem = LayoutProblem {
            resources: self.resources,
            array,
            schema,
            version: self.version,
            objective: self.objective,
            settings,
            cells: cell_count(array)?,
            decode: parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.recommended_cost.decode)),
            value_bytes: bytes().fold(0, u64::saturating_add),
            largest_field: bytes().max().unwrap_or(0),
        };
        if problem.cells == 0 {
            return Ok(AdvisedLayout::default());
        }
        let of_type = match schema.is_dense() {
            _ if !settings.compares("array_type") => None,
            true => array_type::sparse_instead(&problem)?,
            false => array_type::dense_instead(&problem)?,
        };
        let Some((property, advised)) = of_type else { return tiles(&problem) };
        // The other type replaces capacity, order and extents.
        if property.reason == PropertyReason::Better && settings.applies("array_type") {
            let properties = vec![AdvisedProperty { is_applied: true, ..property }];
            return Ok(AdvisedLayout { properties, schema: Some(advised), sample: None });
        }
        let mut advised = tiles(&problem)?;
        advised.properties.push(property);
        Ok(advised)
    }

    /// Attributes whose texts are repeated, given the recommended filters.
    fn enumerations(&self, schema: &ArraySchema) -> Result<Vec<EnumerationAdvice>> {
        let mut all = Vec::new();
        for (field, sample) in &self.fields {
            self.resources.cancel().check()?;
            let Some(recommended) = schema.field(field.name.as_str()) else { continue };
            let texts = Texts {
                field,
                sample,
                version: self.version,
                objective: self.objective,
                filters: &recommended.filters,
                offsets: schema.offsets_filters(),
            };
            all.extend(texts.advise(schema)?);
        }
        Ok(all)
    }
}

/// Recommends capacity and order, or tile extents, of an array that keeps its type.
fn tiles(problem: &LayoutProblem<'_>) -> Result<AdvisedLayout> {
    let settings = problem.settings;
    let orders = settings.compares("cell_order");
    if problem.schema.is_dense() {
        return if orders || settings.compares("tile_extents") {
            extents::advise(problem)
        } else {
            Ok(AdvisedLayout::default())
        };
    }
    match if orders || settings.compares("capacity") { layout::advise(problem)? } else { None } {
        Some(capacity) => order::advise(problem, capacity),
        None => Ok(AdvisedLayout::default()),
    }
}
