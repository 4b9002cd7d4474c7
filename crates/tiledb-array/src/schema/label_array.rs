//! Label arrays: dense, one-dimensional, with the labels as their only attribute.

use std::sync::Arc;

use super::label::{Extent, LabelArray};
use super::{ArraySchema, Attribute, Dimension, DimensionLabel, Domain};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::{ArrayType, DataOrder, Datatype};
use tiledb_filters::filter::Pipeline;
use tiledb_storage::vfs::Uri;

/// The name of their dimension.
const INDEX: &str = "index";

impl LabelArray {
    fn schema(&self, label: &DimensionLabel, labelled: &Dimension) -> Result<ArraySchema> {
        let extent = match &self.extent {
            Extent::OfDimension => labelled.tile_extent(),
            Extent::Explicit(extent) => extent.as_deref(),
        };
        let mut index = Dimension::new(INDEX, labelled.datatype(), labelled.domain_bytes(), extent)?;
        index.set_filters(labelled.filters().clone())?;
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(index)])))?;
        let mut labels = Attribute::new(&label.attribute, label.datatype);
        labels.set_cell_val_num(label.cell_val_num.number())?;
        labels.set_order(label.order);
        if let Some(filters) = &self.filters {
            labels.set_filters(filters.clone())?;
        }
        schema.add_attribute(Arc::new(labels))?;
        Ok(schema)
    }
}

impl ArraySchema {
    /// Adds a dimension label whose array is in a folder of this one. `is_attribute` states that an attribute has its
    /// name.
    ///
    /// # Errors
    /// If the dimension does not exist or cannot be labelled, the name is in use, or labels cannot have the order or
    /// type.
    pub fn add_label(
        &mut self,
        dimension_index: u32,
        name: &str,
        order: DataOrder,
        datatype: Datatype,
        is_attribute: bool,
    ) -> Result<()> {
        check_label(self, dimension_index, name, order, datatype, is_attribute)?;
        let uri = format!("__labels/l{}", self.labels.len());
        let label = DimensionLabel::internal(dimension_index, name, &uri, order, datatype);
        self.label_schema(&label).map_err(|error| {
            Error::invalid(format!("ArraySchema: Failed to add dimension label '{name}'. ({})", error.text()))
        })?;
        self.labels.push(Arc::new(label));
        Ok(())
    }

    /// Replaces the dimension labels, unchecked.
    pub fn replace_labels(&mut self, labels: Vec<Arc<DimensionLabel>>) {
        self.labels = labels.into();
    }

    /// The schema of the array to be made for a new label.
    ///
    /// # Errors
    /// If the label belongs to an array that exists, or its dimension has changed so that it cannot be labelled.
    pub fn label_schema(&self, label: &DimensionLabel) -> Result<ArraySchema> {
        let name = &label.name;
        let Some(planned) = &label.planned else {
            bail!(
                "ArraySchema: Array schema check failed; Missing dimension label schema for dimension label '{name}'."
            )
        };
        match self.domain.dimensions().get(label.dimension_index as usize) {
            Some(labelled) => {
                let mut schema = planned.schema(label, labelled)?;
                schema.set_version(self.version);
                Ok(schema)
            }
            None => bail!("ArraySchema: Array schema check failed; Dimension label '{name}' has no dimension"),
        }
    }

    /// Sets the filters of the labels.
    ///
    /// # Errors
    /// If there is no such label, its array exists, or a filter does not accept its input.
    pub fn set_label_filters(&mut self, name: &str, filters: Pipeline) -> Result<()> {
        self.plan_label(name, "filter pipeline", |planned| planned.filters = Some(filters))
    }

    /// Sets the tile extent of a label's array; the whole domain without.
    ///
    /// # Errors
    /// If there is no such label, its array exists, or the labelled dimension has another type or no such tiles.
    pub fn set_label_extent(&mut self, name: &str, datatype: Datatype, extent: Option<&[u8]>) -> Result<()> {
        let labelled = self.label_dimension_type(name)?;
        if labelled != datatype && self.label(name).is_some_and(|label| label.planned.is_some()) {
            bail!(
                "ArraySchema: Cannot set tile extent for dimension label '{name}; The dimension the label is set on has \
                 type '{}'which does not match the provided datatype '{}'.",
                labelled.name(),
                datatype.name()
            );
        }
        self.plan_label(name, "tile extent", |planned| planned.extent = Extent::Explicit(extent.map(<[u8]>::to_vec)))
    }

    /// The type of the dimension that a label is on.
    ///
    /// # Errors
    /// If there is no such label.
    pub fn label_dimension_type(&self, name: &str) -> Result<Datatype> {
        let index = self.existing_label(name)?.dimension_index as usize;
        match self.domain.dimensions().get(index) {
            Some(dimension) => Ok(dimension.datatype()),
            None => bail!("ArraySchema: Dimension label '{name}' has no dimension"),
        }
    }

    /// The dimension label with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn existing_label(&self, name: &str) -> Result<&Arc<DimensionLabel>> {
        match self.label(name) {
            Some(label) => Ok(label),
            None => bail!("ArraySchema: Unable to get dimension label reference; No dimension label named '{name}'."),
        }
    }

    fn plan_label(&mut self, name: &str, what: &str, change: impl FnOnce(&mut LabelArray)) -> Result<()> {
        let mut label = DimensionLabel::clone(self.existing_label(name)?);
        match &mut label.planned {
            Some(planned) => change(planned),
            None => {
                bail!("ArraySchema: Cannot set {what} for dimension label '{name}'; No dimension label schema is set.")
            }
        }
        self.label_schema(&label)?;
        if let Some(place) = self.labels.get_mut(&label.name) {
            *place = Arc::new(label);
        }
        Ok(())
    }

    /// Sets the location of the array, which determines the absolute URIs of its labels.
    pub fn locate(&mut self, array: &Uri) {
        self.uri = tiledb_core::types::Name::of_path(array.as_str());
        for label in self.labels.iter_mut().filter(|label| label.is_relative) {
            let label = Arc::make_mut(label);
            label.location = tiledb_core::types::Name::of_path(array.join(&label.uri).as_str());
        }
    }
}

/// The rules of a new dimension label.
fn check_label(
    schema: &ArraySchema,
    dimension_index: u32,
    name: &str,
    order: DataOrder,
    datatype: Datatype,
    is_attribute: bool,
) -> Result<()> {
    if dimension_index as usize >= schema.domain.len() {
        bail!("ArraySchema: Cannot add a label to dimension {dimension_index}; Invalid dimension index. ");
    }
    if order == DataOrder::Unordered {
        bail!("ArraySchema: Cannot add dimension label; Unordered dimension labels are not yet supported.");
    }
    if name.is_empty() {
        bail!("ArraySchema: Cannot add a dimension label without a name");
    }
    let user = if is_attribute {
        "An attribute"
    } else if schema.domain.dimension(name).is_some() {
        "A dimension"
    } else if schema.label(name).is_some() {
        "A different label"
    } else {
        return label_types(&schema.domain.dimensions()[dimension_index as usize], datatype).map_err(|error| {
            Error::invalid(format!("ArraySchema: Failed to add dimension label '{name}'. ({})", error.text()))
        });
    };
    bail!("ArraySchema: Cannot add a dimension label with name '{name}'. {user} with that name already exists.");
}

/// Labels are of types that dimensions have, and number the cells of dimensions of integers.
fn label_types(dimension: &Dimension, datatype: Datatype) -> Result<()> {
    if !datatype.is_of_dimensions() {
        let name = datatype.name();
        bail!(
            "TileDB internal: Datatype Datatype::{name} is not a valid dimension datatype. (TileDB internal: Datatype \
             '{name}' is not a valid dimension datatype.)"
        );
    }
    let indexes = dimension.datatype();
    if dimension.is_var() || indexes.is_float() {
        bail!(
            "TileDB internal: Failed to create dimension label schema; Currently labels are not support on dimensions \
             with datatype Datatype::{}",
            indexes.name()
        );
    }
    Ok(())
}
