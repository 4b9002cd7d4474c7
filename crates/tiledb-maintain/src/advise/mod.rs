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
mod slices;
#[cfg(test)]
mod tests;
mod trial;

use std::sync::Arc;

use crate::maintain::memory_shares::cell_count;
use candidates::PartContent;
use cost::Cost;
pub use cost::{Estimate, Objective};
use enumeration::{EnumerationAdvice, Texts};
use layout::LayoutProblem;
use measure::cost_of;
pub use property::{AdvisedProperty, Property, PropertyReason, text_of};
use sample::{Piece, Sample, Sampler};
pub use select::KeepReason;
use select::{OffsetsOf, Problem, SelectedPipeline};
use settings::AdviceSettings;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::{ArraySchema, Attribute, Field};
use tiledb_core::error::Result;
use tiledb_core::types::{CURRENT_VERSION, FormatVersion, Name, QueryType};
use tiledb_filters::codec::decode_work::DecodeWork;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Pipeline, TileShape};
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

/// What a pipeline filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilteredPart {
    /// The values of this field.
    Values(Name),
    /// The offsets of all variable-length fields.
    Offsets,
    /// The validity values of all nullable fields.
    Validity,
}

/// The recommendation for one pipeline.
#[derive(Clone, Debug)]
pub struct PartAdvice {
    pub part: FilteredPart,
    pub current: Pipeline,
    pub recommended: Pipeline,
    /// Why the current pipeline is recommended; `None` if another one is.
    pub kept: Option<KeepReason>,
    /// Bytes of the sample, before filters.
    pub sampled: u64,
    /// Costs of all cells of the array with the current pipeline, estimated from the sample.
    pub current_cost: Estimate,
    /// The same with the recommended pipeline.
    pub recommended_cost: Estimate,
}

/// Recommends a schema for the array at `uri`, by the cells that a reader sees now.
///
/// # Errors
/// If the array cannot be read, or all its fragments have a format version before 5.
pub fn advise(resources: &Resources, uri: &Uri, objective: Objective) -> Result<Advice> {
    // Decoded chunks are not reused by other queries.
    let resources = &resources.with_own_chunk_cache();
    let key = EncryptionKey::for_opening(resources.config())?;
    let array = Arc::new(OpenArray::open(resources, uri, QueryType::Read, (0, u64::MAX), &key)?);
    let version = resources.config().write_format_version()?.unwrap_or(CURRENT_VERSION);
    let schema = array.schema();
    let settings = AdviceSettings::new(resources.config(), schema.domain().len())?;
    let advisor = Advisor::new(resources, &array, &key, version, objective)?;
    let (mut schema, mut parts) = advisor.filters()?;
    let mut properties = advisor.layout(&array, &settings, &mut schema, &parts)?;
    parts.iter_mut().try_for_each(|part| advisor.restate(part, &schema))?;
    properties.extend(advisor.nullability());
    let enumerations = if settings.compares("enumerations") { advisor.enumerations(&schema)? } else { Vec::new() };
    for EnumerationAdvice { mut property, attribute, enumeration } in enumerations {
        if property.reason == PropertyReason::Better && settings.applies("enumerations") {
            let mut attributes = schema.attributes().to_vec();
            let same = |other: &&mut Arc<Attribute>| other.name() == attribute.name();
            if let Some(place) = attributes.iter_mut().find(same) {
                *place = Arc::new(attribute);
            }
            schema.add_enumeration(Arc::new(enumeration))?;
            let (domain, current_domain) = (schema.domain().clone(), schema.current_domain().clone());
            schema = schema.with_parts(attributes, domain, current_domain);
            property.is_applied = true;
        }
        properties.push(property);
    }
    Ok(Advice { schema, parts, properties })
}

/// The sampled fields of an array, and what is wanted of their filters.
struct Advisor<'a> {
    resources: &'a Resources,
    schema: &'a ArraySchema,
    version: FormatVersion,
    objective: Objective,
    fields: Vec<(&'a Field, Sample)>,
}

impl<'a> Advisor<'a> {
    /// Samples the fields of an array.
    ///
    /// # Errors
    /// If they cannot be read.
    fn new(
        resources: &'a Resources,
        array: &'a OpenArray,
        key: &EncryptionKey,
        version: FormatVersion,
        objective: Objective,
    ) -> Result<Advisor<'a>> {
        let (schema, sampler) = (array.schema(), Sampler::new(resources, array, key)?);
        let stored: Vec<&Field> =
            schema.fields().iter().filter(|field| !(schema.is_dense() && field.is_dimension)).collect();
        let mut fields = Vec::new();
        for field in &stored {
            resources.cancel().check()?;
            fields.push((*field, sampler.sample(field, stored.len())?));
        }
        Ok(Advisor { resources, schema, version, objective, fields })
    }

    /// The schema with the recommended filters, and what they gain.
    fn filters(&self) -> Result<(ArraySchema, Vec<PartAdvice>)> {
        let [old_offsets, old_validity] = [self.schema.offsets_filters(), self.schema.validity_filters()];
        let offsets = self.shared(PartContent::Offsets, old_offsets, |sample| &sample.offsets)?;
        let validity = self.shared(PartContent::Validity, old_validity, |sample| &sample.validity)?;
        let mut values = Vec::new();
        for (field, sample) in &self.fields {
            values.push(self.values(field, sample, &offsets.recommended)?);
        }
        let schema = self.with_filters(&values, [&offsets.recommended, &validity.recommended])?;

        let (mut parts, version) = (Vec::new(), self.version);
        for (field, selection) in self.fields.iter().zip(values) {
            let part = FilteredPart::Values(field.0.name.clone());
            let of_field = |_: usize, other: &Field| other.name == field.0.name;
            let shape = field.0.shape(version);
            parts.push(self.part(part, shape, &field.0.filters, selection, |sample| &sample.values, of_field)?);
        }
        // String encodings store the offsets with the values.
        let schemas = [self.schema, &schema];
        let has_offsets = |index: usize, field: &Field| {
            let field = schemas[index].field(field.name.as_str()).filter(|field| field.is_var());
            field.is_some_and(|field| !field.encodes_strings(version))
        };
        let shape = TileShape::offsets(version);
        parts.push(self.part(
            FilteredPart::Offsets,
            shape,
            old_offsets,
            offsets,
            |sample| &sample.offsets,
            has_offsets,
        )?);
        let shape = TileShape::validity(version);
        parts.push(self.part(
            FilteredPart::Validity,
            shape,
            old_validity,
            validity,
            |sample| &sample.validity,
            |_, _| true,
        )?);
        parts.retain(|part| matches!(part.part, FilteredPart::Values(_)) || part.sampled > 0);
        Ok((schema, parts))
    }

    /// Recommends capacity and order of a sparse array, tile extents of a dense one, and sets them in the schema, which has the
    /// recommended filters.
    fn layout(
        &self,
        array: &Arc<OpenArray>,
        settings: &AdviceSettings,
        schema: &mut ArraySchema,
        parts: &[PartAdvice],
    ) -> Result<Vec<AdvisedProperty>> {
        let bytes = || self.fields.iter().map(|(_, sample)| sample.value_bytes);
        let problem = LayoutProblem {
            resources: self.resources,
            array,
            schema: &schema.clone(),
            version: self.version,
            objective: self.objective,
            settings,
            cells: cell_count(array)?,
            decode: parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.recommended_cost.decode)),
            value_bytes: bytes().fold(0, u64::saturating_add),
            largest_field: bytes().max().unwrap_or(0),
        };
        if problem.cells == 0 {
            return Ok(Vec::new());
        }
        let of_type = match schema.is_dense() {
            _ if !settings.compares("array_type") => None,
            true => array_type::sparse_instead(&problem)?,
            false => array_type::dense_instead(&problem)?,
        };
        let Some((property, advised)) = of_type else { return self.tiles(&problem, schema) };
        // The other type replaces capacity, order and extents.
        if property.reason == PropertyReason::Better && settings.applies("array_type") {
            *schema = advised;
            return Ok(vec![AdvisedProperty { is_applied: true, ..property }]);
        }
        let mut properties = self.tiles(&problem, schema)?;
        properties.push(property);
        Ok(properties)
    }

    /// Recommends capacity and order, or tile extents, of an array that keeps its type.
    fn tiles(&self, problem: &LayoutProblem<'_>, schema: &mut ArraySchema) -> Result<Vec<AdvisedProperty>> {
        let settings = problem.settings;
        let advised = match schema.is_dense() {
            true if settings.compares("tile_extents") || settings.compares("cell_order") => extents::advise(problem)?,
            false if settings.compares("capacity") || settings.compares("cell_order") => layout::advise(problem)?,
            _ => return Ok(Vec::new()),
        };
        if let Some(advised) = advised.schema {
            *schema = advised;
        }
        Ok(advised.properties)
    }

    /// Replaces a recommendation by the filters of a schema, if others suit its layout; costs are those in the current layout.
    fn restate(&self, part: &mut PartAdvice, schema: &ArraySchema) -> Result<()> {
        let version = self.version;
        let (pieces, filters): (PiecesOf, _) = match &part.part {
            FilteredPart::Values(name) => {
                (|sample| &sample.values, schema.field(name.as_str()).map(|field| &field.filters))
            }
            FilteredPart::Offsets => (|sample| &sample.offsets, Some(schema.offsets_filters())),
            FilteredPart::Validity => (|sample| &sample.validity, Some(schema.validity_filters())),
        };
        let Some(filters) = filters.filter(|filters| **filters != part.recommended) else { return Ok(()) };
        part.recommended = filters.clone();
        part.kept = (part.recommended == part.current).then_some(KeepReason::Best);
        let mut cost = Estimate::default();
        for (field, sample) in &self.fields {
            let shape = match &part.part {
                FilteredPart::Values(name) if *name != field.name => continue,
                FilteredPart::Values(_) => field.shape(version),
                FilteredPart::Offsets => {
                    // String encodings store the offsets with the values.
                    let field = schema.field(field.name.as_str()).filter(|field| field.is_var());
                    match field {
                        Some(field) if !field.encodes_strings(version) => TileShape::offsets(version),
                        _ => continue,
                    }
                }
                FilteredPart::Validity => TileShape::validity(version),
            };
            let pieces: Vec<&Piece> = pieces(sample).iter().collect();
            cost.add(cost_of(filters, &shape, &pieces)?, filters, sample, sample.weight_of(&part.part));
        }
        part.recommended_cost = cost;
        Ok(())
    }

    /// Nullable attributes of which no sampled cell is null.
    fn nullability(&self) -> Vec<AdvisedProperty> {
        let is_without_nulls = |(field, sample): &&(&Field, Sample)| {
            let mut values = sample.validity.iter().flat_map(|piece| &piece.data);
            field.nullable && sample.cells > 0 && values.all(|&validity| validity != 0)
        };
        let property = |(field, sample): &(&Field, Sample)| AdvisedProperty {
            property: Property::Nullability(field.name.clone()),
            current: "nullable".to_owned(),
            recommended: "not nullable".to_owned(),
            reason: PropertyReason::NoNulls,
            is_applied: false,
            sampled: sample.cells,
            current_cost: Estimate::default(),
            recommended_cost: Estimate::default(),
        };
        self.fields.iter().filter(is_without_nulls).map(property).collect()
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

    /// The selection for a pipeline that all fields share.
    fn shared(&self, content: PartContent, current: &Pipeline, pieces: PiecesOf) -> Result<SelectedPipeline> {
        let shape = match content {
            PartContent::Validity => TileShape::validity(self.version),
            _ => TileShape::offsets(self.version),
        };
        let pieces = self.fields.iter().flat_map(|(_, sample)| pieces(sample)).collect();
        let (version, objective) = (self.version, self.objective);
        self.select(&Problem { content, shape, current, version, objective, pieces, offsets: None })
    }

    /// The selection for the values of a field beside offsets with these filters.
    fn values(&self, field: &Field, sample: &Sample, recommended: &Pipeline) -> Result<SelectedPipeline> {
        let current = self.schema.offsets_filters();
        let offsets = OffsetsOf { current, recommended, pieces: sample.offsets.iter().collect() };
        self.select(&Problem {
            content: PartContent::of(field, self.version),
            shape: field.shape(self.version),
            current: &field.filters,
            version: self.version,
            objective: self.objective,
            pieces: sample.values.iter().collect(),
            offsets: field.is_var().then_some(offsets),
        })
    }

    fn select(&self, problem: &Problem<'_>) -> Result<SelectedPipeline> {
        self.resources.cancel().check()?;
        problem.select()
    }

    /// The schema with the recommended filters.
    fn with_filters(&self, values: &[SelectedPipeline], shared: [&Pipeline; 2]) -> Result<ArraySchema> {
        let mut schema = self.schema.clone();
        schema.raise_version(self.version);
        let filters = |wanted: &Field| {
            let own = |((field, _), _): &(&(&Field, Sample), &SelectedPipeline)| field.name == wanted.name;
            self.fields.iter().zip(values).find(own).map(|(_, selection)| selection.recommended.clone())
        };
        schema.with_filters(&filters, shared)
    }

    /// The recommendation for a pipeline with its costs in all fields that `counts` accepts: for the current schema (0) and for
    /// the recommended one (1).
    fn part(
        &self,
        part: FilteredPart,
        shape: TileShape,
        current: &Pipeline,
        selection: SelectedPipeline,
        pieces: PiecesOf,
        counts: impl Fn(usize, &Field) -> bool,
    ) -> Result<PartAdvice> {
        let (mut costs, mut sampled) = ([Estimate::default(); 2], [0; 2]);
        for (index, (cost, pipeline)) in costs.iter_mut().zip([current, &selection.recommended]).enumerate() {
            for (field, sample) in &self.fields {
                let pieces: Vec<&Piece> = pieces(sample).iter().collect();
                if counts(index, field) {
                    let of_sample = match &selection.costs {
                        Some(costs) if matches!(part, FilteredPart::Values(_)) => costs[index],
                        _ => cost_of(pipeline, &shape, &pieces)?,
                    };
                    sampled[index] += pieces.iter().map(|piece| piece.data.len() as u64).sum::<u64>();
                    cost.add(of_sample, pipeline, sample, sample.weight_of(&part));
                }
            }
        }
        let [current_cost, recommended_cost] = costs;
        let SelectedPipeline { recommended, kept, .. } = selection;
        Ok(PartAdvice {
            part,
            current: current.clone(),
            recommended,
            kept,
            sampled: sampled[0].max(sampled[1]),
            current_cost,
            recommended_cost,
        })
    }
}

/// The pieces of a part of a sample.
type PiecesOf = fn(&Sample) -> &[Piece];

impl Sample {
    /// What a part has in all tiles and in the sample: bytes of values, cells otherwise.
    fn weight_of(&self, part: &FilteredPart) -> [u64; 2] {
        let bytes = || self.values.iter().map(|piece| piece.data.len() as u64).sum();
        match part {
            FilteredPart::Values(_) => [self.value_bytes, bytes()],
            _ => [self.stored_cells, self.cells],
        }
    }
}

impl Estimate {
    /// Adds the cost of a sample, multiplied by `all / sampled`. Filters that depend on the shape of tiles (`WEBP`)
    /// reject parts of tiles: then the size is that of the files.
    fn add(&mut self, cost: Option<Cost>, pipeline: &Pipeline, sample: &Sample, [all, sampled]: [u64; 2]) {
        let scaled = |value: u64| {
            let value = u128::from(value) * u128::from(all) / u128::from(sampled.max(1));
            u64::try_from(value).unwrap_or(u64::MAX)
        };
        let (stored, decode) = match cost {
            Some(cost) => (scaled(cost.stored), scaled(cost.decode) / 1000),
            None => {
                let original = scaled(sample.values.iter().map(|piece| piece.data.len() as u64).sum());
                let decode = pipeline
                    .filters()
                    .iter()
                    .map(|filter| cost::decode(filter, sample.stored_bytes, original, DecodeWork::default()));
                (sample.stored_bytes, decode.fold(0, u64::saturating_add) / 1000)
            }
        };
        self.stored = self.stored.saturating_add(stored);
        self.decode = self.decode.saturating_add(decode);
    }
}
