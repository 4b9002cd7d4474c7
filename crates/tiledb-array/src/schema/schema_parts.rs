//! Construction of a schema from a message.

use std::sync::{Arc, OnceLock};

use super::label::{Extent, LabelArray};
use super::{ArraySchema, Attribute, CurrentDomain, DimensionLabel, Domain, EnumerationRef, SchemaName};
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, FormatVersion, Layout, Name};
use tiledb_filters::filter::Pipeline;

pub struct ArraySchemaParts {
    /// The name of its file, of those schemas that have one.
    pub name: SchemaName,
    /// URI of the array; empty if there is none.
    pub uri: String,
    /// The version of the format.
    pub version: FormatVersion,
    /// Dense or sparse.
    pub array_type: ArrayType,
    /// True if several cells may have the same coordinates.
    pub allows_dups: bool,
    pub tile_order: Layout,
    /// The order of cells in tiles.
    pub cell_order: Layout,
    /// Cells per tile of sparse fragments.
    pub capacity: u64,
    /// The filters of coordinates whose dimension has none.
    pub coords_filters: Pipeline,
    pub offsets_filters: Pipeline,
    /// The filters of validity bytes.
    pub validity_filters: Pipeline,
    /// The dimensions.
    pub domain: Arc<Domain>,
    /// The attributes in order.
    pub attributes: Vec<Arc<Attribute>>,
    /// The dimension labels.
    pub labels: Vec<Arc<DimensionLabel>>,
    pub enumerations: Vec<EnumerationRef>,
    pub current_domain: CurrentDomain,
}

impl DimensionLabel {
    /// The label of an array that is not there yet, whose schema this is.
    #[must_use]
    pub fn planned_as(self, schema: &ArraySchema) -> DimensionLabel {
        let index = schema.domain.dimensions().first();
        let planned = LabelArray {
            filters: schema.attribute(&self.attribute).map(|labels| labels.filters().clone()),
            extent: Extent::Explicit(index.and_then(|index| index.tile_extent()).map(<[u8]>::to_vec)),
        };
        DimensionLabel { planned: Some(planned), ..self }
    }
}

impl ArraySchema {
    /// A schema of these parts, checked as one from a file is.
    ///
    /// # Errors
    /// If the parts do not fit together.
    pub fn from_parts(parts: ArraySchemaParts) -> Result<ArraySchema> {
        let schema = ArraySchema {
            name: parts.name,
            version: parts.version,
            array_type: parts.array_type,
            unknown_type: None,
            unknown_order: None,
            allows_dups: parts.allows_dups,
            tile_order: parts.tile_order,
            cell_order: parts.cell_order,
            capacity: parts.capacity,
            coords_filters: parts.coords_filters,
            offsets_filters: parts.offsets_filters,
            validity_filters: parts.validity_filters,
            domain: parts.domain,
            attributes: parts.attributes,
            labels: parts.labels.into(),
            enumerations: parts.enumerations.into(),
            current_domain: parts.current_domain,
            uri: Name::of_path(&parts.uri),
            fields: OnceLock::new(),
            digest: None,
        };
        schema.check_stored()?;
        schema.check_names()?;
        schema.current_domain.check(&schema.domain)?;
        Ok(schema)
    }
}
