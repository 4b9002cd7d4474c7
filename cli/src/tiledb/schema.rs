//! Schemas, read once into plain values.

use std::sync::Arc;

use super::context::{Context, ask, call, make};
use super::current_domain::{RangeBytes, current_domain};
use super::datatype::{Datatype, DatatypeKind};
use super::error::Result;
use super::filter::{Filter, filters};
use super::functions as sys;
use super::handle::{Handle, bytes, lent, taken, text};
use super::value::Value;

/// Values of a cell of varying length.
pub const VAR: u32 = u32::MAX;

/// Whether an array stores all cells of its domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrayType {
    Dense,
    Sparse,
}

/// One dimension.
#[derive(Clone)]
pub struct Dimension {
    pub name: String,
    pub datatype: Datatype,
    /// Strings have no domain.
    pub domain: Option<(Value, Value)>,
    pub extent: Option<Value>,
    /// The two bounds of the domain and the extent as bytes; empty if there is none.
    pub(super) domain_bytes: Vec<u8>,
    pub(super) extent_bytes: Vec<u8>,
    pub filters: Vec<Filter>,
}

/// One attribute.
#[derive(Clone)]
pub struct Attribute {
    pub name: String,
    pub datatype: Datatype,
    pub values: u32,
    pub is_nullable: bool,
    pub filters: Vec<Filter>,
    pub enumeration: Option<Enumeration>,
    /// The fill value and whether it is not null, if it is not the default.
    pub(super) fill: Option<(Vec<u8>, bool)>,
}

/// The values that the cells of an attribute refer to by index.
#[derive(Clone)]
pub struct Enumeration {
    pub name: String,
    pub datatype: Datatype,
    /// Number of values of a member; [`VAR`] if members have varying lengths.
    pub(super) cell_values: u32,
    pub(super) is_ordered: bool,
    /// The bytes of the members.
    pub members: Arc<[Vec<u8>]>,
    pub values: Vec<Value>,
}

#[derive(Clone)]
pub struct Schema {
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
    /// The bounds of the current domain in each dimension as bytes, if there is one.
    pub(super) current_domain: Option<Vec<RangeBytes>>,
    pub(super) has_labels: bool,
}

/// Common properties of dimensions and attributes.
#[derive(Clone)]
pub struct Field {
    pub name: String,
    pub datatype: Datatype,
    pub values: u32,
    pub is_nullable: bool,
    pub enumeration: Option<Enumeration>,
}

impl Field {
    /// Whether its cells have varying lengths.
    pub fn is_var(&self) -> bool {
        self.values == VAR
    }

    /// Bytes of a cell; of its offset where cells have varying lengths.
    pub fn cell_size(&self) -> usize {
        if self.is_var() { 8 } else { self.datatype.size() * self.values as usize }
    }
}

impl Enumeration {
    /// Whether its members have varying lengths.
    pub fn is_var(&self) -> bool {
        self.cell_values == VAR
    }
}

impl Attribute {
    pub fn field(&self) -> Field {
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
    pub fn is_var(&self) -> bool {
        matches!(self.datatype.kind(), DatatypeKind::Text(_))
    }

    pub fn field(&self) -> Field {
        let values = if self.is_var() { VAR } else { 1 };
        Field { name: self.name.clone(), datatype: self.datatype, values, is_nullable: false, enumeration: None }
    }
}

impl Schema {
    /// All fields: dimensions, then attributes.
    pub fn fields(&self) -> Vec<Field> {
        self.dimensions.iter().map(Dimension::field).chain(self.attributes.iter().map(Attribute::field)).collect()
    }

    /// Whether it is a dense one.
    pub fn is_dense(&self) -> bool {
        self.array_type == ArrayType::Dense
    }

    /// Reads a schema returned by the interface.
    pub(super) fn of(ctx: &Context, schema: &Handle<sys::tiledb_array_schema_t>) -> Result<Self> {
        let raw = schema.raw();
        let layout = |number: u32| {
            let mut name = std::ptr::null();
            // SAFETY: the variable is ours; the name is a constant of the library.
            unsafe { sys::tiledb_layout_to_str(number, &raw mut name) };
            lent(name)
        };
        let filters = |list: Result<Handle<sys::tiledb_filter_list_t>>| filters(ctx, &list?);
        let attributes = ask!(ctx, 0, tiledb_array_schema_get_attribute_num(raw))?;
        let dimensions = dimensions(ctx, raw)?;
        Ok(Self {
            version: ask!(ctx, 0, tiledb_array_schema_get_version(raw))?,
            array_type: match ask!(ctx, 0, tiledb_array_schema_get_array_type(raw))? {
                0 => ArrayType::Dense,
                _ => ArrayType::Sparse,
            },
            allows_duplicates: ask!(ctx, 0, tiledb_array_schema_get_allows_dups(raw))? != 0,
            capacity: ask!(ctx, 0, tiledb_array_schema_get_capacity(raw))?,
            cell_order: layout(ask!(ctx, 0, tiledb_array_schema_get_cell_order(raw))?),
            tile_order: layout(ask!(ctx, 0, tiledb_array_schema_get_tile_order(raw))?),
            current_domain: current_domain(ctx, schema, &dimensions)?,
            has_labels: ask!(ctx, 0, tiledb_array_schema_get_dimension_label_num(raw))? > 0,
            dimensions,
            attributes: (0..attributes).map(|at| attribute(ctx, raw, at)).collect::<Result<_>>()?,
            offsets_filters: filters(make!(
                ctx,
                tiledb_array_schema_get_offsets_filter_list(raw),
                tiledb_filter_list_free
            ))?,
            validity_filters: filters(make!(
                ctx,
                tiledb_array_schema_get_validity_filter_list(raw),
                tiledb_filter_list_free
            ))?,
            coords_filters: filters(make!(
                ctx,
                tiledb_array_schema_get_coords_filter_list(raw),
                tiledb_filter_list_free
            ))?,
        })
    }
}

fn dimensions(ctx: &Context, schema: *mut sys::tiledb_array_schema_t) -> Result<Vec<Dimension>> {
    let domain = make!(ctx, tiledb_array_schema_get_domain(schema), tiledb_domain_free)?;
    let count = ask!(ctx, 0, tiledb_domain_get_ndim(domain.raw()))?;
    (0..count)
        .map(|at| {
            let handle = make!(ctx, tiledb_domain_get_dimension_from_index(domain.raw(), at), tiledb_dimension_free)?;
            let raw = handle.raw();
            let datatype = Datatype(ask!(ctx, 0, tiledb_dimension_get_type(raw))?);
            let size = datatype.size();
            let bounds = ask!(ctx, std::ptr::null(), tiledb_dimension_get_domain(raw))?;
            let extent = ask!(ctx, std::ptr::null(), tiledb_dimension_get_tile_extent(raw))?;
            // SAFETY: a domain is two values, an extent one; the dimension that lends them lives.
            let (bounds, extent) =
                unsafe { (bytes(bounds.cast(), 2 * size as u64), bytes(extent.cast(), size as u64)) };
            let list = make!(ctx, tiledb_dimension_get_filter_list(raw), tiledb_filter_list_free)?;
            let value = |bytes: &[u8]| Value::of_bytes(datatype, bytes);
            // One tile for more coordinates than half of all numbers: the extent that libtiledb stores for it has overflowed.
            let has_overflowed = match value(&extent) {
                Value::Int(units) | Value::Moment(_, units) => units < 0,
                extent => extent.number().is_some_and(f64::is_infinite),
            };
            let extent = if has_overflowed { Vec::new() } else { extent };
            Ok(Dimension {
                name: lent(ask!(ctx, std::ptr::null(), tiledb_dimension_get_name(raw))?),
                datatype,
                domain: (!bounds.is_empty()).then(|| (value(&bounds[..size]), value(&bounds[size..]))),
                extent: (!extent.is_empty()).then(|| match value(&extent) {
                    Value::Moment(_, units) => Value::Int(units),
                    other => other,
                }),
                domain_bytes: bounds,
                extent_bytes: extent,
                filters: filters(ctx, &list)?,
            })
        })
        .collect()
}

fn attribute(ctx: &Context, schema: *mut sys::tiledb_array_schema_t, at: u32) -> Result<Attribute> {
    let handle = make!(ctx, tiledb_array_schema_get_attribute_from_index(schema, at), tiledb_attribute_free)?;
    let raw = handle.raw();
    let name = lent(ask!(ctx, std::ptr::null(), tiledb_attribute_get_name(raw))?);
    let list = make!(ctx, tiledb_attribute_get_filter_list(raw), tiledb_filter_list_free)?;
    let enumeration = taken(ask!(ctx, std::ptr::null_mut(), tiledb_attribute_get_enumeration_name(raw))?);
    let datatype = Datatype(ask!(ctx, 0, tiledb_attribute_get_type(raw))?);
    let values = ask!(ctx, 0, tiledb_attribute_get_cell_val_num(raw))?;
    let is_nullable = ask!(ctx, 0, tiledb_attribute_get_nullable(raw))? != 0;
    let fill = fill_value(ctx, &handle, is_nullable)?;
    let is_default = fill == default_fill(ctx, datatype, values, is_nullable)?;
    Ok(Attribute {
        datatype,
        values,
        is_nullable,
        fill: (!is_default).then_some(fill),
        filters: filters(ctx, &list)?,
        enumeration: match enumeration.as_str() {
            "" => None,
            label => Some(read_enumeration(ctx, schema, &name, label)?),
        },
        name,
    })
}

/// The fill value of an attribute, and whether it is no null.
fn fill_value(
    ctx: &Context,
    attribute: &Handle<sys::tiledb_attribute_t>,
    is_nullable: bool,
) -> Result<(Vec<u8>, bool)> {
    let (mut value, mut size, mut validity) = (std::ptr::null(), 0, 1);
    let raw = attribute.raw();
    if is_nullable {
        let place = &raw mut validity;
        call!(ctx, tiledb_attribute_get_fill_value_nullable(raw, &raw mut value, &raw mut size, place))?;
    } else {
        call!(ctx, tiledb_attribute_get_fill_value(raw, &raw mut value, &raw mut size))?;
    }
    // SAFETY: the attribute that lends the value lives.
    Ok((unsafe { bytes(value.cast(), size) }, validity != 0))
}

/// The fill value of a new attribute.
fn default_fill(ctx: &Context, datatype: Datatype, values: u32, is_nullable: bool) -> Result<(Vec<u8>, bool)> {
    let made = make!(ctx, tiledb_attribute_alloc(c"a".as_ptr(), datatype.0), tiledb_attribute_free)?;
    call!(ctx, tiledb_attribute_set_cell_val_num(made.raw(), values))?;
    call!(ctx, tiledb_attribute_set_nullable(made.raw(), u8::from(is_nullable)))?;
    fill_value(ctx, &made, is_nullable)
}

fn read_enumeration(
    ctx: &Context,
    schema: *mut sys::tiledb_array_schema_t,
    attribute: &str,
    name: &str,
) -> Result<Enumeration> {
    let attribute = text(attribute)?;
    let handle = make!(
        ctx,
        tiledb_array_schema_get_enumeration_from_attribute_name(schema, attribute.as_ptr()),
        tiledb_enumeration_free
    )?;
    let raw = handle.raw();
    let datatype = Datatype(ask!(ctx, 0, tiledb_enumeration_get_type(raw))?);
    let cell_values = ask!(ctx, 0, tiledb_enumeration_get_cell_val_num(raw))?;
    let (mut data, mut data_size) = (std::ptr::null(), 0);
    call!(ctx, tiledb_enumeration_get_data(raw, &raw mut data, &raw mut data_size))?;
    let (mut offsets, mut offsets_size) = (std::ptr::null(), 0);
    call!(ctx, tiledb_enumeration_get_offsets(raw, &raw mut offsets, &raw mut offsets_size))?;
    // SAFETY: the enumeration that lends them lives.
    let (data, offsets) = unsafe { (bytes(data.cast(), data_size), bytes(offsets.cast(), offsets_size)) };
    let is_var = cell_values == VAR;
    let members: Arc<[Vec<u8>]> = if is_var {
        let offsets: Vec<u64> =
            offsets.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default())).collect();
        cells(&offsets, &data).map(<[u8]>::to_vec).collect()
    } else {
        let size = datatype.size().saturating_mul(cell_values as usize).max(1);
        data.chunks_exact(size).map(<[u8]>::to_vec).collect()
    };
    Ok(Enumeration {
        name: name.to_owned(),
        datatype,
        cell_values,
        is_ordered: ask!(ctx, 0, tiledb_enumeration_get_ordered(raw))? != 0,
        values: members.iter().map(|member| Value::of_cell(datatype, member, is_var)).collect(),
        members,
    })
}

/// The cells that begin at these offsets.
fn cells<'a>(offsets: &'a [u64], data: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    offsets.iter().enumerate().map(|(at, &start)| {
        let end = offsets.get(at + 1).map_or(data.len(), |&end| end as usize);
        data.get(start as usize..end).unwrap_or_default()
    })
}
