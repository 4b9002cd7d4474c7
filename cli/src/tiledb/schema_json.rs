//! Schemas as JSON, with every property that [`super::schema_build`] needs to create the same one.

use serde_json::{Map, Value as Json, json};

use super::context::{Context, ask, call, make};
use super::current_domain::current_domain_json;
use super::datatype::Datatype;
use super::error::Result;
use super::functions as sys;
use super::handle::{Handle, bytes, lent, taken, text};
use super::literal::literal;
use super::schema::{VAR, cells};
use super::{Array, Error};

/// An option of some filters.
pub(super) struct FilterOption {
    /// Numbers of the filters.
    pub filters: &'static [u32],
    pub number: u32,
    pub name: &'static str,
    pub kind: OptionKind,
}

/// The type of an option's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionKind {
    Number(Datatype),
    /// A datatype, as a byte.
    Datatype,
}

/// All options: those of `tiledb_filter_option_t`.
pub(super) const OPTIONS: [FilterOption; 10] = [
    option(&[1, 2, 3, 5], 0, "level", OptionKind::Number(Datatype::INT32)),
    option(&[7], 1, "max_window", OptionKind::Number(Datatype::UINT32)),
    option(&[10], 2, "max_window", OptionKind::Number(Datatype::UINT32)),
    option(&[15], 3, "byte_width", OptionKind::Number(Datatype::UINT64)),
    option(&[15], 4, "factor", OptionKind::Number(Datatype::FLOAT64)),
    option(&[15], 5, "offset", OptionKind::Number(Datatype::FLOAT64)),
    option(&[18], 6, "quality", OptionKind::Number(Datatype::FLOAT32)),
    option(&[18], 7, "input_format", OptionKind::Number(Datatype::UINT8)),
    option(&[18], 8, "lossless", OptionKind::Number(Datatype::UINT8)),
    option(&[6, 19], 9, "reinterpret", OptionKind::Datatype),
];

const fn option(filters: &'static [u32], number: u32, name: &'static str, kind: OptionKind) -> FilterOption {
    FilterOption { filters, number, name, kind }
}

impl OptionKind {
    pub(super) fn datatype(self) -> Datatype {
        match self {
            Self::Number(datatype) => datatype,
            Self::Datatype => Datatype::UINT8,
        }
    }
}

/// The schema of an open array as JSON.
pub fn schema_json(array: &Array) -> Result<Json> {
    let ctx = array.ctx();
    let schema = make!(ctx, tiledb_array_get_schema(array.raw()), tiledb_array_schema_free)?;
    let raw = schema.raw();
    let is_dense = ask!(ctx, 0, tiledb_array_schema_get_array_type(raw))? == 0;
    let layout = |number: u32| {
        let mut name = std::ptr::null();
        // SAFETY: the variable is ours; the name is a constant of the library.
        unsafe { sys::tiledb_layout_to_str(number, &raw mut name) };
        lent(name)
    };
    let count = ask!(ctx, 0, tiledb_array_schema_get_attribute_num(raw))?;
    let mut enumerations = Map::new();
    let attributes = (0..count).map(|at| attribute(ctx, raw, at, &mut enumerations)).collect::<Result<Json>>()?;
    let list = |list: Result<Handle<sys::tiledb_filter_list_t>>| filters(ctx, &list?);
    let domain = make!(ctx, tiledb_array_schema_get_domain(raw), tiledb_domain_free)?;
    let names = (0..ask!(ctx, 0, tiledb_domain_get_ndim(domain.raw()))?).map(|at| name_and_type(ctx, &domain, at));
    let current_domain = current_domain_json(ctx, &schema, &names.collect::<Result<Vec<_>>>()?)?;
    let mut all = json!({
        "array_type": if is_dense { "dense" } else { "sparse" },
        "cell_order": layout(ask!(ctx, 0, tiledb_array_schema_get_cell_order(raw))?),
        "tile_order": layout(ask!(ctx, 0, tiledb_array_schema_get_tile_order(raw))?),
        "capacity": ask!(ctx, 0, tiledb_array_schema_get_capacity(raw))?,
        "allows_duplicates": ask!(ctx, 0, tiledb_array_schema_get_allows_dups(raw))? != 0,
        "dimensions": dimensions(ctx, raw)?,
        "attributes": attributes,
        "enumerations": enumerations.into_iter().map(|(_, one)| one).collect::<Json>(),
        "coordinates_filters":
            list(make!(ctx, tiledb_array_schema_get_coords_filter_list(raw), tiledb_filter_list_free))?,
        "offsets_filters":
            list(make!(ctx, tiledb_array_schema_get_offsets_filter_list(raw), tiledb_filter_list_free))?,
        "validity_filters":
            list(make!(ctx, tiledb_array_schema_get_validity_filter_list(raw), tiledb_filter_list_free))?,
    });
    if !current_domain.is_null() {
        all["current_domain"] = current_domain;
    }
    Ok(all)
}

/// The name and the datatype of a dimension.
fn name_and_type(ctx: &Context, domain: &Handle<sys::tiledb_domain_t>, at: u32) -> Result<(String, Datatype)> {
    let handle = make!(ctx, tiledb_domain_get_dimension_from_index(domain.raw(), at), tiledb_dimension_free)?;
    let name = lent(ask!(ctx, std::ptr::null(), tiledb_dimension_get_name(handle.raw()))?);
    Ok((name, Datatype(ask!(ctx, 0, tiledb_dimension_get_type(handle.raw()))?)))
}

/// Parts of the schema that the JSON has not.
pub fn has_more(array: &Array) -> Result<Vec<&'static str>> {
    let ctx = array.ctx();
    let schema = make!(ctx, tiledb_array_get_schema(array.raw()), tiledb_array_schema_free)?;
    let mut more = Vec::new();
    if ask!(ctx, 0, tiledb_array_schema_get_dimension_label_num(schema.raw()))? > 0 {
        more.push("dimension labels");
    }
    Ok(more)
}

fn dimensions(ctx: &Context, schema: *mut sys::tiledb_array_schema_t) -> Result<Json> {
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
            let mut one = json!({
                "name": lent(ask!(ctx, std::ptr::null(), tiledb_dimension_get_name(raw))?),
                "type": datatype.to_string(),
            });
            if !bounds.is_empty() {
                one["domain"] = json!([literal(datatype, &bounds[..size]), literal(datatype, &bounds[size..])]);
            }
            if !extent.is_empty() {
                // The extent of dates is a number of units.
                one["tile"] = literal(units(datatype), &extent);
            }
            one["filters"] = filters(ctx, &list)?;
            Ok(one)
        })
        .collect()
}

/// The datatype of the extents of tiles.
pub(super) fn units(datatype: Datatype) -> Datatype {
    if datatype.unit().is_some() { Datatype::INT64 } else { datatype }
}

fn attribute(
    ctx: &Context,
    schema: *mut sys::tiledb_array_schema_t,
    at: u32,
    enumerations: &mut Map<String, Json>,
) -> Result<Json> {
    let handle = make!(ctx, tiledb_array_schema_get_attribute_from_index(schema, at), tiledb_attribute_free)?;
    let raw = handle.raw();
    let name = lent(ask!(ctx, std::ptr::null(), tiledb_attribute_get_name(raw))?);
    let datatype = Datatype(ask!(ctx, 0, tiledb_attribute_get_type(raw))?);
    let values = ask!(ctx, 0, tiledb_attribute_get_cell_val_num(raw))?;
    let is_nullable = ask!(ctx, 0, tiledb_attribute_get_nullable(raw))? != 0;
    let list = make!(ctx, tiledb_attribute_get_filter_list(raw), tiledb_filter_list_free)?;
    let mut one = json!({
        "name": name, "type": datatype.to_string(), "nullable": is_nullable,
        "cell_values": if values == VAR { "var".into() } else { Json::from(values) },
    });
    let (fill, is_valid) = fill_value(ctx, &handle, is_nullable)?;
    if (fill.clone(), is_valid) != default_fill(ctx, datatype, values, is_nullable)? {
        one["fill"] = literal(datatype, &fill);
        if is_nullable {
            one["fill_is_null"] = (!is_valid).into();
        }
    }
    let label = taken(ask!(ctx, std::ptr::null_mut(), tiledb_attribute_get_enumeration_name(raw))?);
    if !label.is_empty() {
        one["enumeration"] = label.clone().into();
        if !enumerations.contains_key(&label) {
            enumerations.insert(label.clone(), enumeration(ctx, schema, &name, &label)?);
        }
    }
    one["filters"] = filters(ctx, &list)?;
    Ok(one)
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

fn enumeration(ctx: &Context, schema: *mut sys::tiledb_array_schema_t, attribute: &str, name: &str) -> Result<Json> {
    let attribute = text(attribute)?;
    let handle = make!(
        ctx,
        tiledb_array_schema_get_enumeration_from_attribute_name(schema, attribute.as_ptr()),
        tiledb_enumeration_free
    )?;
    let raw = handle.raw();
    let datatype = Datatype(ask!(ctx, 0, tiledb_enumeration_get_type(raw))?);
    let count = ask!(ctx, 0, tiledb_enumeration_get_cell_val_num(raw))?;
    let (mut data, mut data_size) = (std::ptr::null(), 0);
    call!(ctx, tiledb_enumeration_get_data(raw, &raw mut data, &raw mut data_size))?;
    let (mut offsets, mut offsets_size) = (std::ptr::null(), 0);
    call!(ctx, tiledb_enumeration_get_offsets(raw, &raw mut offsets, &raw mut offsets_size))?;
    // SAFETY: the enumeration that lends them lives.
    let (data, offsets) = unsafe { (bytes(data.cast(), data_size), bytes(offsets.cast(), offsets_size)) };
    let members: Json = if count == VAR {
        let offsets: Vec<u64> =
            offsets.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default())).collect();
        cells(&offsets, &data).map(|cell| literal(datatype, cell)).collect()
    } else {
        let size = datatype.size().checked_mul(count as usize).filter(|size| *size > 0);
        let size = size.ok_or_else(|| Error::failed(format!("the enumeration {name:?} has no cells")))?;
        data.chunks_exact(size).map(|cell| literal(datatype, cell)).collect()
    };
    Ok(json!({
        "name": name, "type": datatype.to_string(),
        "cell_values": if count == VAR { "var".into() } else { Json::from(count) },
        "ordered": ask!(ctx, 0, tiledb_enumeration_get_ordered(raw))? != 0,
        "values": members,
    }))
}

fn filters(ctx: &Context, list: &Handle<sys::tiledb_filter_list_t>) -> Result<Json> {
    let count = ask!(ctx, 0, tiledb_filter_list_get_nfilters(list.raw()))?;
    (0..count)
        .map(|at| {
            let filter = make!(ctx, tiledb_filter_list_get_filter_from_index(list.raw(), at), tiledb_filter_free)?;
            let number = ask!(ctx, 0, tiledb_filter_get_type(filter.raw()))?;
            let mut name = std::ptr::null();
            // SAFETY: the variable is ours; the name is a constant of the library.
            unsafe { sys::tiledb_filter_type_to_str(number, &raw mut name) };
            let mut one = json!({ "type": lent(name) });
            for option in OPTIONS.iter().filter(|option| option.filters.contains(&number)) {
                let mut value = 0_u64.to_le_bytes();
                call!(ctx, tiledb_filter_get_option(filter.raw(), option.number, value.as_mut_ptr().cast()))?;
                let datatype = option.kind.datatype();
                one[option.name] = match option.kind {
                    OptionKind::Number(_) => literal(datatype, &value[..datatype.size()]),
                    OptionKind::Datatype => Datatype(value[0].into()).to_string().into(),
                };
            }
            Ok(one)
        })
        .collect()
}
