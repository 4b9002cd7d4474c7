//! Schemas, read once into plain values.

use std::sync::Arc;

use tiledb::{ArraySchema, CellValNum, Datatype, Filter, FilterList};

use super::datatype::{DatatypeExt, DatatypeKind};
use super::error::Result;
use super::value::Value;

/// Values of a cell of varying length.
pub(crate) const VAR: u32 = u32::MAX;

/// Whether an array stores all cells of its domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArrayType {
    Dense,
    Sparse,
}

/// One dimension.
#[derive(Clone)]
pub(crate) struct Dimension {
    pub name: String,
    pub datatype: Datatype,
    /// Strings have no domain.
    pub domain: Option<(Value, Value)>,
    pub extent: Option<Value>,
    pub filters: Vec<Filter>,
}

/// One attribute.
#[derive(Clone)]
pub(crate) struct Attribute {
    pub name: String,
    pub datatype: Datatype,
    pub values: u32,
    pub is_nullable: bool,
    pub filters: Vec<Filter>,
    pub enumeration: Option<Enumeration>,
}

/// The values that the cells of an attribute refer to by index.
#[derive(Clone)]
pub(crate) struct Enumeration {
    pub name: String,
    /// Number of values of a member; [`VAR`] if members have varying lengths.
    pub(super) cell_values: u32,
    /// The bytes of the members.
    pub members: Arc<[Vec<u8>]>,
    pub values: Vec<Value>,
}

#[derive(Clone)]
pub(crate) struct Schema {
    pub version: u32,
    pub array_type: ArrayType,
    pub allows_duplicates: bool,
    pub capacity: u64,
    pub cell_order: String,
    pub tile_order: String,
    pub dimensions: Vec<Dimension>,
    pub attributes: Vec<Attribute>,
    pub offsets_filters: Vec<Filter>,
    pub validity_filters: Vec<Filter>,
    pub coords_filters: Vec<Filter>,
}

/// Common properties of dimensions and attributes.
#[derive(Clone)]
pub(crate) struct Field {
    pub name: String,
    pub datatype: Datatype,
    pub values: u32,
    pub is_nullable: bool,
    pub enumeration: Option<Enumeration>,
}

impl Field {
    /// Whether its cells have varying lengths.
    pub(crate) fn is_var(&self) -> bool {
        self.values == VAR
    }

    /// Bytes of a cell; of its offset where cells have varying lengths.
    pub(crate) fn cell_size(&self) -> usize {
        if self.is_var() { 8 } else { self.datatype.size() * self.values as usize }
    }
}

impl Enumeration {
    /// Whether its members have varying lengths.
    pub(crate) fn is_var(&self) -> bool {
        self.cell_values == VAR
    }
}

impl Attribute {
    pub(crate) fn field(&self) -> Field {
        Field {
            name: self.name.clone(),
            datatype: self.datatype,
            values: self.values,
            is_nullable: self.is_nullable,
            enumeration: self.enumeration.clone(),
        }
    }
}

impl Dimension {
    /// Whether its values are strings.
    pub(crate) fn is_var(&self) -> bool {
        matches!(self.datatype.kind(), DatatypeKind::Text(_))
    }

    pub(crate) fn field(&self) -> Field {
        let values = if self.is_var() { VAR } else { 1 };
        Field { name: self.name.clone(), datatype: self.datatype, values, is_nullable: false, enumeration: None }
    }
}

impl Schema {
    /// All fields: dimensions, then attributes.
    pub(crate) fn fields(&self) -> Vec<Field> {
        self.dimensions.iter().map(Dimension::field).chain(self.attributes.iter().map(Attribute::field)).collect()
    }

    /// Whether it is a dense one.
    pub(crate) fn is_dense(&self) -> bool {
        self.array_type == ArrayType::Dense
    }

    /// The parts of a schema.
    pub(crate) fn of(schema: &ArraySchema) -> Result<Self> {
        Ok(Self {
            version: schema.format_version(),
            array_type: if schema.is_dense() { ArrayType::Dense } else { ArrayType::Sparse },
            allows_duplicates: schema.allows_duplicates(),
            capacity: schema.capacity(),
            cell_order: schema.cell_order().to_string(),
            tile_order: schema.tile_order().to_string(),
            dimensions: schema.dimensions().iter().map(Dimension::of).collect(),
            attributes: schema.attributes().iter().map(|one| Attribute::of(schema, one)).collect::<Result<_>>()?,
            offsets_filters: filters(&schema.offsets_filters()),
            validity_filters: filters(&schema.validity_filters()),
            coords_filters: filters(&schema.coords_filters()),
        })
    }
}

fn filters(list: &FilterList) -> Vec<Filter> {
    list.iter().copied().collect()
}

/// The number of values of a cell.
pub(super) fn values_of(number: CellValNum) -> u32 {
    match number {
        CellValNum::Fixed(number) => number,
        CellValNum::Var => VAR,
    }
}

impl Dimension {
    fn of(dimension: &tiledb::Dimension) -> Self {
        let datatype = dimension.datatype();
        // The extent of dates is a number of units.
        let extent_datatype = if datatype.is_datetime() { Datatype::Int64 } else { datatype };
        let extent = dimension.tile_extent().map(|extent| Value::of(extent_datatype, extent));
        // One tile for more coordinates than half of all numbers: the extent that libtiledb stores for it has overflowed.
        let extent = extent.filter(|extent| match extent {
            Value::Int(units) => *units >= 0,
            extent => extent.number().is_none_or(f64::is_finite),
        });
        Self {
            name: dimension.name().to_owned(),
            datatype,
            domain: dimension.domain().map(|(low, high)| (Value::of(datatype, low), Value::of(datatype, high))),
            extent,
            filters: filters(dimension.filter_list()),
        }
    }
}

impl Attribute {
    fn of(schema: &ArraySchema, attribute: &tiledb::Attribute) -> Result<Self> {
        let enumeration = attribute.enumeration_name().map(|name| schema.enumeration(name)).transpose()?;
        Ok(Self {
            name: attribute.name().to_owned(),
            datatype: attribute.datatype(),
            values: values_of(attribute.cell_val_num()),
            is_nullable: attribute.is_nullable(),
            filters: filters(attribute.filter_list()),
            enumeration: enumeration.as_ref().map(Enumeration::of),
        })
    }
}

impl Enumeration {
    fn of(enumeration: &tiledb::Enumeration) -> Self {
        let (datatype, is_var) = (enumeration.datatype(), enumeration.cell_val_num().is_var());
        let members = (0..enumeration.len()).filter_map(|index| enumeration.bytes(index).map(<[u8]>::to_vec));
        let members: Arc<[Vec<u8>]> = members.collect();
        Self {
            name: enumeration.name().to_owned(),
            cell_values: values_of(enumeration.cell_val_num()),
            values: members.iter().map(|member| Value::of_cell(datatype, member, is_var)).collect(),
            members,
        }
    }
}
