//! Recommends filter pipelines for the sampled fields of an array.

use std::collections::HashMap;

use super::candidates::PartContent;
use super::cost::{self, Cost, Estimate, Objective};
use super::measure::cost_of;
use super::property::{AdvisedProperty, Property, PropertyReason};
use super::sample::{Piece, Sample, Sampler};
use super::select::{KeepReason, OffsetsOf, Problem, SelectedPipeline};
use tiledb_array::array::OpenArray;
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_core::error::Result;
use tiledb_core::types::{FormatVersion, Name};
use tiledb_filters::codec::decode_work::DecodeWork;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Pipeline, TileShape};
use tiledb_storage::resources::Resources;

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

/// The sampled fields of an array, and what is wanted of their filters.
pub(super) struct Advisor<'a> {
    pub(super) resources: &'a Resources,
    pub(super) schema: &'a ArraySchema,
    pub(super) version: FormatVersion,
    pub(super) objective: Objective,
    pub(super) fields: Vec<(&'a Field, Sample)>,
}

impl<'a> Advisor<'a> {
    /// Samples the fields of an array.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(super) fn new(
        resources: &'a Resources,
        array: &'a OpenArray,
        key: &EncryptionKey,
        version: FormatVersion,
        objective: Objective,
    ) -> Result<Advisor<'a>> {
        let schema = array.schema();
        let sampler = Sampler::new(resources, array, key)?;
        let stored: Vec<&Field> =
            schema.fields().iter().filter(|field| !(schema.is_dense() && field.is_dimension)).collect();
        let mut fields = Vec::new();
        for field in &stored {
            resources.cancel().check()?;
            fields.push((*field, sampler.sample(field, stored.len())?));
        }
        Ok(Advisor { resources, schema, version, objective, fields })
    }

    /// The advisor for a sample of the cells in another order, whose costs are those of all cells.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn of_sample<'b>(&'b self, sample: &'b OpenArray) -> Result<Advisor<'b>> {
        let mut of = Advisor::new(self.resources, sample, &EncryptionKey::None, self.version, self.objective)?;
        for (field, sampled) in &mut of.fields {
            if let Some((_, all)) = self.fields.iter().find(|(other, _)| other.name == field.name) {
                (sampled.stored_cells, sampled.value_bytes) = (all.stored_cells, all.value_bytes);
            }
        }
        Ok(of)
    }

    /// The schema with the recommended filters, and what they gain.
    pub(super) fn filters(&self) -> Result<(ArraySchema, Vec<PartAdvice>)> {
        let [old_offsets, old_validity] = [self.schema.offsets_filters(), self.schema.validity_filters()];
        let offsets = self.shared(PartContent::Offsets, old_offsets, |sample| &sample.offsets)?;
        let validity = self.shared(PartContent::Validity, old_validity, |sample| &sample.validity)?;
        let mut values = Vec::new();
        for (field, sample) in &self.fields {
            values.push(self.values(field, sample, &offsets.recommended)?);
        }
        let schema = self.with_filters(&values, [&offsets.recommended, &validity.recommended])?;

        let mut parts = Vec::new();
        let version = self.version;
        for (of_field, selection) in self.fields.iter().zip(values) {
            let field = of_field.0;
            let part = FilteredPart::Values(field.name.clone());
            let of_field = (std::slice::from_ref(of_field), |_: usize, _: &Field| true);
            parts.push(part_advice(
                part,
                field.shape(version),
                &field.filters,
                selection,
                |one| &one.values,
                of_field,
            )?);
        }
        // String encodings store the offsets with the values.
        let schemas = [self.schema, &schema];
        let has_offsets = |index: usize, field: &Field| {
            let field = schemas[index].field(field.name.as_str()).filter(|field| field.is_var());
            field.is_some_and(|field| !field.encodes_strings(version))
        };
        let shape = TileShape::offsets(version);
        let of_offsets = (self.fields.as_slice(), has_offsets);
        parts.push(part_advice(
            FilteredPart::Offsets,
            shape,
            old_offsets,
            offsets,
            |sample| &sample.offsets,
            of_offsets,
        )?);
        let shape = TileShape::validity(version);
        let of_validity = (self.fields.as_slice(), |_: usize, _: &Field| true);
        parts.push(part_advice(
            FilteredPart::Validity,
            shape,
            old_validity,
            validity,
            |sample| &sample.validity,
            of_validity,
        )?);
        parts.retain(|part| matches!(part.part, FilteredPart::Values(_)) || part.sampled > 0);
        Ok((schema, parts))
    }

    /// Replaces a recommendation by the filters of a schema, if others suit its layout; costs are those in the current layout.
    pub(super) fn restate(&self, part: &mut PartAdvice, schema: &ArraySchema) -> Result<()> {
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
    pub(super) fn nullability(&self) -> Vec<AdvisedProperty> {
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

    /// The selection for a pipeline that all fields share.
    fn shared(&self, content: PartContent, current: &Pipeline, pieces: PiecesOf) -> Result<SelectedPipeline> {
        let shape = match content {
            PartContent::Validity => TileShape::validity(self.version),
            _ => TileShape::offsets(self.version),
        };
        let pieces = self.fields.iter().flat_map(|(_, sample)| pieces(sample)).collect();
        let version = self.version;
        let objective = self.objective;
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
        // An array can have thousands of fields.
        let names = self.fields.iter().map(|(field, _)| field.name.as_str());
        let recommended: HashMap<&str, &Pipeline> =
            names.zip(values.iter().map(|selection| &selection.recommended)).collect();
        let filters = |field: &Field| recommended.get(field.name.as_str()).copied().cloned();
        schema.with_filters(&filters, shared)
    }
}

/// The recommendation for a pipeline with its costs in those of the fields that `counts` accepts: for the current schema (0) and
/// for the recommended one (1).
fn part_advice(
    part: FilteredPart,
    shape: TileShape,
    current: &Pipeline,
    selection: SelectedPipeline,
    pieces: PiecesOf,
    (fields, counts): (&[(&Field, Sample)], impl Fn(usize, &Field) -> bool),
) -> Result<PartAdvice> {
    let mut costs = [Estimate::default(); 2];
    let mut sampled = [0; 2];
    for (index, (cost, pipeline)) in costs.iter_mut().zip([current, &selection.recommended]).enumerate() {
        for (_, sample) in fields.iter().filter(|(field, _)| counts(index, field)) {
            let pieces: Vec<&Piece> = pieces(sample).iter().collect();
            let of_sample = match &selection.costs {
                Some(costs) if matches!(part, FilteredPart::Values(_)) => costs[index],
                _ => cost_of(pipeline, &shape, &pieces)?,
            };
            sampled[index] += pieces.iter().map(|piece| piece.data.len() as u64).sum::<u64>();
            cost.add(of_sample, pipeline, sample, sample.weight_of(&part));
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
    pub(super) fn add(&mut self, cost: Option<Cost>, pipeline: &Pipeline, sample: &Sample, [all, sampled]: [u64; 2]) {
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
