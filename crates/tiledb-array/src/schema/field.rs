//! The field table: what readers and writers need of every attribute and dimension.

use super::{Attribute, Dimension, Domain};
use std::sync::Arc;
use tiledb_core::types::{CellValNum, Datatype, FormatVersion, HasName, Name, NamedList};
use tiledb_filters::filter::{Pipeline, TileShape};

/// One data-carrying field: an attribute or a dimension.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: Name,
    /// The type of the values.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
    /// True if cells may be null.
    pub nullable: bool,
    /// The position in the tables of a fragment: attributes, one place for the coordinates of old
    /// fragments, dimensions.
    pub index: usize,
    /// The position among the dimensions, for a dimension.
    pub dimension_index: Option<usize>,
    /// The position among the attributes, for an attribute.
    pub attribute_index: Option<usize>,
    /// True for a dimension.
    pub is_dimension: bool,
    /// The fill value, as the bytes of one cell.
    pub fill: Arc<[u8]>,
    /// Whether the fill value is valid: where cells are never null it is.
    pub fill_valid: bool,
    /// The filters of the values; the schema's coordinate filters for a dimension without its own.
    pub filters: Pipeline,
}

impl HasName for Field {
    fn name(&self) -> &Name {
        &self.name
    }
}

impl Field {
    fn of_attribute(attribute: &Attribute, index: usize) -> Field {
        Field {
            name: attribute.name().clone(),
            datatype: attribute.datatype(),
            cell_val_num: attribute.cell_val_num(),
            nullable: attribute.nullable(),
            index,
            dimension_index: None,
            attribute_index: Some(index),
            is_dimension: false,
            fill: attribute.shared_fill().clone(),
            fill_valid: attribute.fill().1 || !attribute.nullable(),
            filters: attribute.filters().clone(),
        }
    }

    fn of_dimension(dimension: &Dimension, position: usize, attributes: usize, coords: Option<&Pipeline>) -> Field {
        let own = dimension.filters();
        let filters = if own.is_empty() { coords.unwrap_or(own) } else { own };
        Field {
            name: dimension.name().clone(),
            datatype: dimension.datatype(),
            cell_val_num: dimension.cell_val_num(),
            nullable: false,
            index: attributes + 1 + position,
            dimension_index: Some(position),
            attribute_index: None,
            is_dimension: true,
            fill: Arc::default(),
            fill_valid: true,
            filters: filters.clone(),
        }
    }

    /// True if cells have any number of values.
    pub fn is_var(&self) -> bool {
        self.cell_val_num.is_var()
    }

    /// Bytes of one cell; of one value where cells have any number of them.
    pub fn cell_size(&self) -> usize {
        let values = self.cell_val_num.fixed().unwrap_or(1) as usize;
        values.saturating_mul(self.datatype.size())
    }

    /// True if cells are strings of which all those of a tile are encoded together: their starts are not stored but
    /// rebuilt from the values, and none can be decoded without the others.
    #[inline]
    pub fn encodes_strings(&self, version: FormatVersion) -> bool {
        self.filters.encodes_strings(self.datatype, self.cell_val_num, version)
    }

    /// True if cells of a fragment that stores them as this field can be read as those of `current`, an attribute that
    /// may have been dropped and added again with another type. As in libtiledb, values of equal size are
    /// reinterpreted; where libtiledb fails or reads out of bounds, the field is not compatible.
    pub fn serves(&self, current: &Field) -> bool {
        let alike = self.is_var() == current.is_var() && self.cell_size() == current.cell_size();
        alike && (self.nullable || !current.nullable)
    }

    /// True if both have cells of the same kind.
    pub fn is_like(&self, other: &Field) -> bool {
        let kind = |field: &Field| (field.datatype, field.cell_val_num, field.nullable);
        kind(self) == kind(other)
    }

    /// Properties of the field's tiles in a fragment of `version` that filters depend on.
    #[inline]
    pub fn shape(&self, version: FormatVersion) -> TileShape {
        TileShape { datatype: self.datatype, cell_size: self.cell_size(), is_var: self.is_var(), version }
    }
}

/// The fields of a schema: attributes, then dimensions; of equal names the attribute is found. `coords` are the schema's
/// coordinate filters, if they apply to dimensions without filters.
pub(super) fn fields_of(attributes: &[Arc<Attribute>], domain: &Domain, coords: Option<&Pipeline>) -> NamedList<Field> {
    let count = attributes.len();
    let attributes = attributes.iter().enumerate().map(|(index, attribute)| Field::of_attribute(attribute, index));
    let dimensions = domain.dimensions().iter().enumerate();
    let dimensions = dimensions.map(|(index, dimension)| Field::of_dimension(dimension, index, count, coords));
    attributes.chain(dimensions).collect()
}
