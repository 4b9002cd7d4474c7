//! Describes schemas in JSON, for [`super::reader`].

use serde_json::{Map, Value as Json, json};

use super::filters::NamedOption;
use super::literal::{extent_datatype, literal};
use crate::datatype::{CellValNum, Datatype};
use crate::error::Result;
use crate::schema::{ArraySchema, Attribute, Dimension, Enumeration, Filter, FilterList, FilterOption};
use crate::value::Value;

/// A schema as JSON.
///
/// # Errors
/// If an enumeration cannot be read.
pub(super) fn schema(schema: &ArraySchema) -> Result<Json> {
    let dimensions = schema.dimensions();
    let attributes = schema.attributes();
    let mut enumerations = Map::new();
    for name in attributes.iter().filter_map(Attribute::enumeration_name) {
        if !enumerations.contains_key(name) {
            enumerations.insert(name.to_owned(), enumeration(&schema.enumeration(name)?));
        }
    }
    let mut all = json!({
        "array_type": if schema.is_dense() { "dense" } else { "sparse" },
        "cell_order": schema.cell_order().name(),
        "tile_order": schema.tile_order().name(),
        "capacity": schema.capacity(),
        "allows_duplicates": schema.allows_duplicates(),
        "dimensions": dimensions.iter().map(dimension).collect::<Result<Json>>()?,
        "attributes": attributes.iter().map(attribute).collect::<Json>(),
        "enumerations": enumerations.into_iter().map(|(_, one)| one).collect::<Json>(),
        "coordinates_filters": filters(&schema.coords_filters()),
        "offsets_filters": filters(&schema.offsets_filters()),
        "validity_filters": filters(&schema.validity_filters()),
    });
    if let Some(bounds) = schema.current_domain() {
        let range = |(dimension, (_, low, high)): (&Dimension, &(String, Value, Value))| {
            value_range(dimension.datatype(), low, high)
        };
        all["current_domain"] = dimensions.iter().zip(&bounds).map(range).collect::<Result<Json>>()?;
    }
    Ok(all)
}

fn value_range(datatype: Datatype, low: &Value, high: &Value) -> Result<Json> {
    Ok(json!([literal(datatype, &low.to_bytes(datatype)?), literal(datatype, &high.to_bytes(datatype)?)]))
}

fn dimension(dimension: &Dimension) -> Result<Json> {
    let datatype = dimension.datatype();
    let mut one = json!({ "name": dimension.name(), "type": datatype.name() });
    if let Some((low, high)) = dimension.domain() {
        one["domain"] = value_range(datatype, low, high)?;
    }
    // One tile for more coordinates than half of all numbers: the extent that libtiledb stores for it has overflowed.
    let is_valid = |extent: &&Value| match extent {
        Value::Int(units) => *units >= 0,
        Value::Float(extent) => extent.is_finite(),
        _ => true,
    };
    if let Some(extent) = dimension.tile_extent().filter(is_valid) {
        one["tile"] = literal(extent_datatype(datatype), &extent.to_bytes(datatype)?);
    }
    one["filters"] = filters(dimension.filter_list());
    Ok(one)
}

fn attribute(attribute: &Attribute) -> Json {
    let mut one = json!({
        "name": attribute.name(), "type": attribute.datatype().name(), "nullable": attribute.is_nullable(),
        "cell_values": cell_values(attribute.cell_val_num()),
    });
    if let Some((fill, is_valid)) = attribute.fill().filter(|_| !attribute.has_default_fill()) {
        one["fill"] = literal(attribute.datatype(), fill);
        if attribute.is_nullable() {
            one["fill_is_null"] = (!is_valid).into();
        }
    }
    if let Some(name) = attribute.enumeration_name() {
        one["enumeration"] = name.into();
    }
    one["filters"] = filters(attribute.filter_list());
    one
}

fn cell_values(number: CellValNum) -> Json {
    match number {
        CellValNum::Fixed(number) => number.into(),
        CellValNum::Var => "var".into(),
    }
}

fn enumeration(enumeration: &Enumeration) -> Json {
    let members = (0..enumeration.len()).filter_map(|index| enumeration.bytes(index));
    json!({
        "name": enumeration.name(), "type": enumeration.datatype().name(),
        "cell_values": cell_values(enumeration.cell_val_num()),
        "ordered": enumeration.is_ordered(),
        "values": members.map(|member| literal(enumeration.datatype(), member)).collect::<Json>(),
    })
}

fn filters(filters: &FilterList) -> Json {
    filters.iter().map(filter).collect()
}

fn filter(filter: &Filter) -> Json {
    let mut one = json!({ "type": filter.name() });
    for option in NamedOption::of(filter) {
        let bytes = option.bytes(filter).unwrap_or_default();
        one[option.name] = match option.option {
            FilterOption::ReinterpretDatatype => datatype_name(bytes.first().copied().unwrap_or_default()),
            _ => literal(option.option.datatype(), &bytes),
        };
    }
    one
}

/// The name of a datatype by its number.
fn datatype_name(number: u8) -> Json {
    let known = Datatype::ALL.iter().find(|datatype| datatype.number() == number);
    known.map_or_else(|| format!("datatype {number}").into(), |datatype| datatype.name().into())
}
