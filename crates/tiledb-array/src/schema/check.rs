//! Validation of a complete schema before an array is created with it.

use super::{ArraySchema, Attribute, part_check};
use std::collections::HashSet;
use std::sync::Arc;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Layout;
use tiledb_filters::filter::FilterType;

/// The greatest number of dimensions whose cells can be ordered along a Hilbert curve.
const MAX_HILBERT_DIMENSIONS: usize = 16;

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
            bail!("ArraySchema: Array schema check failed; Domain not set: call tiledb_array_schema_set_domain");
        }
        if self.cell_order == Layout::Hilbert && self.domain.len() > MAX_HILBERT_DIMENSIONS {
            bail!(
                "ArraySchema: Array schema check failed; Maximum dimensions supported by Hilbert order exceeded: {} instead of \
                 at most {MAX_HILBERT_DIMENSIONS}",
                self.domain.len()
            );
        }
        if self.is_dense() && self.attributes.is_empty() {
            bail!(
                "ArraySchema: Array schema check failed; No attributes provided: call tiledb_array_schema_add_attribute"
            );
        }
        part_check::coords_filters(&self.coords_filters, &self.domain)?;
        self.check_images()?;
        self.check_names()?;
        if self.is_dense() { self.check_dense() } else { Ok(()) }
    }

    /// Dimensions that were added to the domain of a dense array after it was set must have extents and its type, too.
    fn check_dense(&self) -> Result<()> {
        part_check::dense_domain(&self.domain)?;
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
            bail!("ArraySchema: WebP filter requires exactly 2 dimensions Y, X. The domain has {}", self.domain.len());
        }
        let (y, x) = self.image_extents();
        self.attributes.iter().try_for_each(|attribute| attribute.filters().for_tiles_of(y, x).map(|_| ()))
    }

    /// Sets the image size of filters that store tiles as images.
    ///
    /// # Errors
    /// If a tile is not a valid image.
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

    pub(super) fn check_names(&self) -> Result<()> {
        let mut names = HashSet::new();
        let dimensions = self.domain.dimensions().iter().map(|dimension| dimension.name().as_str());
        let attributes = self.attributes.iter().map(|attribute| attribute.name().as_str());
        let labels = self.labels.iter().map(|label| label.name.as_str());
        if let Some(name) = dimensions.chain(attributes).chain(labels).find(|name| !names.insert(*name)) {
            bail!(
                "ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have unique names: \
                 rename one that is called '{name}'"
            );
        }
        Ok(())
    }
}
