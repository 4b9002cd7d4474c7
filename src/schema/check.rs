//! The rules a whole schema must satisfy before an array is made of it.

use super::{ArraySchema, Attribute, Dimension, Domain, EnumerationRef, dimension_check, filter_check};
use crate::error::{Error, Result, bail};
use crate::filter::FilterType;
use crate::types::{DataOrder, Datatype, Layout};
use std::collections::HashSet;
use std::sync::Arc;

/// The greatest number of dimensions whose cells can be ordered along a Hilbert curve.
const MAX_HILBERT_DIMENSIONS: usize = 16;

/// The dimensions of dense arrays are integers of one type.
pub(super) fn dense_domain(domain: &Domain) -> Result<()> {
    if !domain.is_homogeneous() {
        bail!("ArraySchema: Cannot set domain; In dense arrays, all dimensions must have the same datatype");
    }
    for dimension in domain.dimensions() {
        let datatype = dimension.datatype();
        if dimension.is_var() || datatype.is_float() {
            bail!(
                "ArraySchema: Cannot set domain; Dense arrays do not support dimension datatype '{}'",
                datatype.name()
            );
        }
    }
    Ok(())
}

/// An attribute that indexes an enumeration has one whole number per cell, wide enough for all
/// indexes.
pub(super) fn enumeration_of(attribute: &Attribute, enumeration: &EnumerationRef) -> Result<()> {
    let datatype = attribute.datatype();
    if !datatype.is_integer() && datatype != Datatype::Bool {
        bail!(
            "ArraySchema: Unable to use enumeration with attribute '{}', attribute must have an integral data type, not {}",
            attribute.name(),
            datatype.name()
        );
    }
    if attribute.cell_val_num().fixed() != Some(1) {
        bail!("ArraySchema: Attributes with enumerations must have a cell_val_num of 1.");
    }
    let is_signed = matches!(datatype, Datatype::Int8 | Datatype::Int16 | Datatype::Int32 | Datatype::Int64);
    let bits = 8 * datatype.size() as u32 - u32::from(is_signed);
    let count = enumeration.loaded().map_or(0, |loaded| loaded.len() as u128);
    if count > 1 << bits {
        bail!(
            "ArraySchema: Unable to use enumeration '{}' for attribute '{}' because the attribute's type is not large enough to represent all enumeration values.",
            enumeration.name,
            attribute.name()
        );
    }
    Ok(())
}

/// The rules of a new dimension label.
pub(super) fn label(
    schema: &ArraySchema,
    dimension_index: u32,
    name: &str,
    order: DataOrder,
    datatype: Datatype,
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
    let user = if schema.attribute(name).is_some() {
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
    if dimension_check::datatype(datatype).is_err() {
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

/// True if the tiles of the attribute are images.
fn has_images(attribute: &Arc<Attribute>) -> bool {
    attribute.filters().has(FilterType::Webp)
}

impl ArraySchema {
    /// Checks the schema as a whole.
    ///
    /// # Errors
    /// For the first rule it breaks.
    pub fn check(&self) -> Result<()> {
        if let Some(number) = self.unknown_type {
            bail!("ArraySchema: Array schema check failed; Invalid array type ({number})");
        }
        if let Some(number) = self.unknown_order {
            bail!("ArraySchema: Array schema check failed; {number} is no order of cells or tiles");
        }
        if self.domain.is_empty() {
            bail!("ArraySchema: Array schema check failed; Domain not set");
        }
        if self.cell_order == Layout::Hilbert && self.domain.len() > MAX_HILBERT_DIMENSIONS {
            bail!("ArraySchema: Array schema check failed; Maximum dimensions supported by Hilbert order exceeded");
        }
        if self.is_dense() && self.attributes.is_empty() {
            bail!("ArraySchema: Array schema check failed; No attributes provided");
        }
        filter_check::coords(&self.coords_filters, &self.domain)?;
        self.check_images()?;
        self.check_names()?;
        if self.is_dense() { self.check_dense() } else { Ok(()) }
    }

    /// What was added to the domain of a dense array after it was set, too, has extents and is of its type.
    fn check_dense(&self) -> Result<()> {
        dense_domain(&self.domain)?;
        if let Some(dimension) = self.domain.dimensions().iter().find(|dimension| dimension.lacks_extent()) {
            bail!(
                "ArraySchema: Array schema check failed; Dimension '{}' of a dense array has no tile extent",
                dimension.name()
            );
        }
        Ok(())
    }

    /// Checks that the current domain is one of the domain.
    ///
    /// # Errors
    /// If a range is missing, or reaches beyond the domain.
    pub fn check_current_domain(&self) -> Result<()> {
        self.current_domain.check(&self.domain)
    }

    /// Images are the tiles of dense arrays with two dimensions.
    fn check_images(&self) -> Result<()> {
        if !self.attributes.iter().any(has_images) {
            return Ok(());
        }
        if !self.is_dense() {
            bail!("ArraySchema: WebP filter can only be applied to dense arrays");
        }
        if self.domain.len() != 2 {
            bail!("ArraySchema: WebP filter requires exactly 2 dimensions Y, X.");
        }
        let (y, x) = self.image_extents();
        self.attributes.iter().try_for_each(|attribute| attribute.filters().for_tiles_of(y, x).map(|_| ()))
    }

    /// Tells the filters that make images of tiles how large those are, as an array stores it.
    ///
    /// # Errors
    /// If a tile is no image.
    pub fn fit_images(&mut self) -> Result<()> {
        let (y, x) = self.image_extents();
        for attribute in self.attributes.iter_mut().filter(|attribute| has_images(attribute)) {
            let filters = attribute.filters().for_tiles_of(y, x)?;
            Arc::make_mut(attribute).set_filters(filters)?;
        }
        self.changed();
        Ok(())
    }

    /// Rows of a tile, and bytes of a row.
    fn image_extents(&self) -> (u64, u64) {
        let extent =
            |index: usize| self.domain.dimensions().get(index).and_then(|dimension| dimension.cells_per_tile());
        (extent(0).unwrap_or(0), extent(1).unwrap_or(0))
    }

    fn check_names(&self) -> Result<()> {
        let mut names = HashSet::new();
        let dimensions = self.domain.dimensions().iter().map(|dimension| dimension.name().as_str());
        let attributes = self.attributes.iter().map(|attribute| attribute.name().as_str());
        let labels = self.labels.iter().map(|label| label.name.as_str());
        if !dimensions.chain(attributes).chain(labels).all(|name| names.insert(name)) {
            bail!(
                "ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have unique names"
            );
        }
        Ok(())
    }
}
