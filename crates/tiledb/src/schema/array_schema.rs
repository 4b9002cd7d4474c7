//! Schemas of arrays.

use std::fmt;
use std::sync::Arc;

use super::attribute::Attribute;
use super::current_domain::bounds_of;
use super::dimension::Dimension;
use super::enumeration::Enumeration;
use super::field::Field;
use super::filter::FilterList;
use super::label::DimensionLabel;
use crate::datatype::{ArrayType, Layout};
use crate::error::Result;
use crate::value::Value;
use tiledb_array::schema as engine;

/// The schema of an array: its dimensions, attributes, filters and orders.
///
/// Schemas are built with [`ArraySchema::dense`] or [`ArraySchema::sparse`], or loaded from arrays. They are immutable; an array's
/// schema changes by [`SchemaEvolution`](crate::SchemaEvolution).
///
/// ```
/// use tiledb::{ArraySchema, Attribute, Dimension, Filter};
///
/// let schema = ArraySchema::sparse()
///     .dimension(Dimension::new("id", 0..=999_999_i64).tile(1000))
///     .attribute(Attribute::new::<f64>("delay").nullable().filter(Filter::zstd(5)))
///     .attribute(Attribute::string("origin"))
///     .build()?;
/// assert_eq!(schema.attributes().len(), 2);
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone)]
pub struct ArraySchema(pub(crate) Arc<engine::ArraySchema>);

impl ArraySchema {
    /// Whether the array is dense or sparse.
    pub fn array_type(&self) -> ArrayType {
        ArrayType::of_engine(self.0.array_type())
    }

    /// Whether the array is dense.
    pub fn is_dense(&self) -> bool {
        self.0.is_dense()
    }

    /// The dimensions in their order.
    pub fn dimensions(&self) -> Vec<Dimension> {
        self.0.domain().dimensions().iter().map(|dimension| Dimension::of_engine(dimension)).collect()
    }

    /// The dimension of a name.
    pub fn dimension(&self, name: &str) -> Option<Dimension> {
        self.0.domain().dimension(name).map(|dimension| Dimension::of_engine(dimension))
    }

    /// The attributes in their order.
    pub fn attributes(&self) -> Vec<Attribute> {
        self.0.attributes().iter().map(|attribute| Attribute::of_engine(attribute)).collect()
    }

    /// The attribute of a name.
    pub fn attribute(&self, name: &str) -> Option<Attribute> {
        self.0.attribute(name).map(|attribute| Attribute::of_engine(attribute))
    }

    /// The dimension labels.
    pub fn labels(&self) -> Vec<DimensionLabel> {
        self.0.labels().iter().map(|label| DimensionLabel::of_engine(label, &self.0)).collect()
    }

    /// The dimension, attribute or label of a name, as a query reads it.
    pub fn field(&self, name: &str) -> Option<Field> {
        Field::find(&self.0, name)
    }

    /// The names of the enumerations.
    pub fn enumeration_names(&self) -> impl Iterator<Item = &str> {
        self.0.attributes().iter().filter_map(|attribute| attribute.enumeration().map(|name| name.as_str()))
    }

    /// An enumeration. That of an array is loaded on first use.
    ///
    /// # Errors
    /// If there is none of this name, or it cannot be read.
    pub fn enumeration(&self, name: &str) -> Result<Enumeration> {
        Ok(Enumeration(self.0.loaded_enumeration(name)?))
    }

    /// The number of cells per tile of sparse fragments.
    pub fn capacity(&self) -> u64 {
        self.0.capacity()
    }

    /// The order of tiles.
    pub fn tile_order(&self) -> Layout {
        Layout::of_engine(self.0.tile_order())
    }

    /// The order of cells in a tile.
    pub fn cell_order(&self) -> Layout {
        Layout::of_engine(self.0.cell_order())
    }

    /// Whether several cells may have the same coordinates.
    pub fn allows_duplicates(&self) -> bool {
        self.0.allows_dups()
    }

    /// The filters of coordinates of dimensions that have none of their own.
    pub fn coords_filters(&self) -> FilterList {
        FilterList::of_engine(self.0.coords_filters())
    }

    /// The filters of the offsets of cells of variable length.
    pub fn offsets_filters(&self) -> FilterList {
        FilterList::of_engine(self.0.offsets_filters())
    }

    /// The filters of the validity of nullable cells.
    pub fn validity_filters(&self) -> FilterList {
        FilterList::of_engine(self.0.validity_filters())
    }

    /// The part of the domain in which cells may lie at present, as name, lower and upper bound of each dimension; `None` for the
    /// whole domain.
    pub fn current_domain(&self) -> Option<Vec<(String, Value, Value)>> {
        bounds_of(self.0.current_domain())
    }

    /// The version of the file format.
    pub fn format_version(&self) -> u32 {
        self.0.version().number()
    }
}

/// The readable description that the C interface gives.
impl fmt::Display for ArraySchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.dump())
    }
}

impl fmt::Debug for ArraySchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArraySchema")
            .field("array_type", &self.array_type())
            .field("dimensions", &self.dimensions())
            .field("attributes", &self.attributes())
            .finish_non_exhaustive()
    }
}
