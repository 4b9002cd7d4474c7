//! The domain: the dimensions of an array in their order.

use std::sync::Arc;

use super::Dimension;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::{Datatype, NamedList};

/// The domain of an array: the list of its dimensions. Cloning shares them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    dimensions: NamedList<Arc<Dimension>>,
}

/// The error about a dimension that a domain does not have.
#[cold]
pub fn no_dimension(domain: &Domain, name: &str) -> Error {
    let names: Vec<String> = domain.dimensions().iter().map(|dimension| format!("'{}'", dimension.name())).collect();
    Error::invalid(format!(
        "Cannot get dimension index; Invalid dimension name: there is no dimension '{name}', only {}",
        names.join(", ")
    ))
}

impl Domain {
    /// A domain without dimensions.
    pub fn new() -> Domain {
        Domain::default()
    }

    /// A domain of these dimensions.
    pub fn of(dimensions: Vec<Arc<Dimension>>) -> Domain {
        Domain { dimensions: dimensions.into() }
    }

    /// Appends a dimension.
    pub fn add(&mut self, dimension: Arc<Dimension>) {
        self.dimensions.push(dimension);
    }

    /// The dimensions in order.
    pub fn dimensions(&self) -> &[Arc<Dimension>] {
        &self.dimensions
    }

    /// Number of dimensions.
    pub fn len(&self) -> usize {
        self.dimensions.len()
    }

    /// True without dimensions.
    pub fn is_empty(&self) -> bool {
        self.dimensions.is_empty()
    }

    /// The position of the dimension with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.dimensions.position(name)
    }

    /// The dimension with this name.
    pub fn dimension(&self, name: &str) -> Option<&Arc<Dimension>> {
        self.dimensions.get(name)
    }

    /// Reading does not compare digests.
    pub(super) fn skip_checksums(&mut self) {
        for dimension in &mut self.dimensions {
            Arc::make_mut(dimension).skip_checksums();
        }
    }

    /// Makes filters that dimensions inherited explicit.
    pub(super) fn own_filters(&mut self) {
        for dimension in &mut self.dimensions {
            Arc::make_mut(dimension).own_filters();
        }
    }

    /// Sets the tile extents of numeric dimensions without one to their whole domain.
    pub(super) fn fill_extents(&mut self) {
        for dimension in &mut self.dimensions {
            if dimension.lacks_extent() {
                Arc::make_mut(dimension).fill_extent();
            }
        }
    }

    /// True if all dimensions have the same datatype.
    pub fn is_homogeneous(&self) -> bool {
        self.dimensions.windows(2).all(|pair| pair[0].datatype() == pair[1].datatype())
    }

    /// True if all dimensions have fixed-size coordinates.
    pub fn is_fixed_size(&self) -> bool {
        self.dimensions.iter().all(|dimension| !dimension.is_var())
    }

    /// The datatype all dimensions share.
    ///
    /// # Errors
    /// If they differ or there is none.
    pub fn datatype(&self) -> Result<Datatype> {
        if !self.is_homogeneous() {
            bail!(
                "C API: Cannot get domain type; Not applicable to heterogeneous dimensions: get the type of each by \
                 tiledb_dimension_get_type"
            );
        }
        match self.dimensions.first() {
            Some(dimension) => Ok(dimension.datatype()),
            None => bail!("C API: Cannot get domain type; Domain has no dimensions"),
        }
    }
}
