//! Schemas as JSON, with every property that [`super::schema_build`] needs to create the same one.

use serde_json::{Map, Value as Json, json};
use tiledb::{Datatype, Filter, FilterOption};

use super::datatype::DatatypeExt;
use super::filter::NamedOption;
use super::literal::literal;
use super::schema::{Attribute, Dimension, Enumeration, RangeBytes, Schema, VAR};

/// A schema as JSON.
pub fn schema_json(schema: &Schema) -> Json {
    let mut enumerations = Map::new();
    for one in schema.attributes.iter().filter_map(|attribute| attribute.enumeration.as_ref()) {
        enumerations.entry(&one.name).or_insert_with(|| enumeration(one));
    }
    let mut all = json!({
        "array_type": if schema.is_dense() { "dense" } else { "sparse" },
        "cell_order": schema.cell_order,
        "tile_order": schema.tile_order,
        "capacity": schema.capacity,
        "allows_duplicates": schema.allows_duplicates,
        "dimensions": schema.dimensions.iter().map(dimension).collect::<Json>(),
        "attributes": schema.attributes.iter().map(attribute).collect::<Json>(),
        "enumerations": enumerations.into_iter().map(|(_, one)| one).collect::<Json>(),
        "coordinates_filters": filters(&schema.coords_filters),
        "offsets_filters": filters(&schema.offsets_filters),
        "validity_filters": filters(&schema.validity_filters),
    });
    if let Some(ranges) = &schema.current_domain {
        let range = |(dimension, (low, high)): (&Dimension, &RangeBytes)| {
            json!([literal(dimension.datatype, low), literal(dimension.datatype, high)])
        };
        all["current_domain"] = schema.dimensions.iter().zip(ranges).map(range).collect();
    }
    all
}

/// Parts of the schema that the JSON has not.
pub fn has_more(schema: &Schema) -> Vec<&'static str> {
    if schema.has_labels { vec!["dimension labels"] } else { Vec::new() }
}

fn dimension(dimension: &Dimension) -> Json {
    let datatype = dimension.datatype;
    let mut one = json!({ "name": dimension.name, "type": datatype.to_string() });
    if let Some((low, high)) =
        dimension.domain_bytes.split_at_checked(datatype.size()).filter(|both| !both.1.is_empty())
    {
        one["domain"] = json!([literal(datatype, low), literal(datatype, high)]);
    }
    if !dimension.extent_bytes.is_empty() {
        // The extent of dates is a number of units.
        one["tile"] = literal(units(datatype), &dimension.extent_bytes);
    }
    one["filters"] = filters(&dimension.filters);
    one
}

/// The datatype of the extents of tiles.
pub(super) fn units(datatype: Datatype) -> Datatype {
    if datatype.unit().is_some() { Datatype::Int64 } else { datatype }
}

fn attribute(attribute: &Attribute) -> Json {
    let mut one = json!({
        "name": attribute.name, "type": attribute.datatype.to_string(), "nullable": attribute.is_nullable,
        "cell_values": cell_values(attribute.values),
    });
    if let Some((fill, is_valid)) = &attribute.fill {
        one["fill"] = literal(attribute.datatype, fill);
        if attribute.is_nullable {
            one["fill_is_null"] = (!is_valid).into();
        }
    }
    if let Some(enumeration) = &attribute.enumeration {
        one["enumeration"] = enumeration.name.clone().into();
    }
    one["filters"] = filters(&attribute.filters);
    one
}

fn cell_values(values: u32) -> Json {
    if values == VAR { "var".into() } else { values.into() }
}

fn enumeration(enumeration: &Enumeration) -> Json {
    json!({
        "name": enumeration.name, "type": enumeration.datatype.to_string(),
        "cell_values": cell_values(enumeration.cell_values),
        "ordered": enumeration.is_ordered,
        "values": enumeration.members.iter().map(|member| literal(enumeration.datatype, member)).collect::<Json>(),
    })
}

fn filters(filters: &[Filter]) -> Json {
    let one = |filter: &Filter| {
        let mut one = json!({ "type": filter.name() });
        for option in NamedOption::of(filter) {
            let bytes = option.bytes(filter).unwrap_or_default();
            one[option.name] = match option.option {
                FilterOption::ReinterpretDatatype => datatype_name(bytes.first().copied().unwrap_or_default()),
                _ => literal(option.datatype(), &bytes),
            };
        }
        one
    };
    filters.iter().map(one).collect()
}

/// The name of a datatype by its number.
fn datatype_name(number: u8) -> Json {
    let known = Datatype::ALL.iter().find(|datatype| datatype.number() == number);
    known.map_or_else(|| format!("datatype {number}").into(), |datatype| datatype.to_string().into())
}
