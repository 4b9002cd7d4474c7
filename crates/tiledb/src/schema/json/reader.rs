//! Builds schemas from JSON, as [`super::writer`] describes them. Unknown keys are errors.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::filters::OPTIONS;
use super::literal::{extent_datatype, is_text_or_bytes, parse_literal};
use crate::datatype::{CellValNum, Datatype, Layout};
use crate::error::{Error, Result};
use crate::schema::{
    ArraySchema, ArraySchemaBuilder, Attribute, Dimension, Enumeration, Filter, FilterList, FilterOption,
};
use crate::value::Value;

/// Maximum number of filters of a list. Each processes every tile.
const MAX_FILTERS: usize = 1000;

/// A JSON object, and where it is in the description.
struct Object<'a> {
    map: &'a Map<String, Json>,
    place: String,
}

impl<'a> Object<'a> {
    fn new(json: &'a Json, place: impl Into<String>, known: &[&str]) -> Result<Self> {
        let place = place.into();
        let map = json.as_object().ok_or_else(|| wrong(&place, "is no object"))?;
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(wrong(&place, &format!("has an unknown key {key:?}; there are {}", known.join(", ")))),
            None => Ok(Self { map, place }),
        }
    }

    fn wrong(&self, key: &str, what: &str) -> Error {
        wrong(&format!("{}.{key}", self.place), what)
    }

    fn text(&self, key: &str) -> Result<&'a str> {
        let found = self.map.get(key).ok_or_else(|| self.wrong(key, "is missing"))?;
        found.as_str().ok_or_else(|| self.wrong(key, "is no text"))
    }

    fn flag(&self, key: &str) -> Result<bool> {
        match self.map.get(key) {
            None => Ok(false),
            Some(found) => found.as_bool().ok_or_else(|| self.wrong(key, "is neither true nor false")),
        }
    }

    /// The objects in a list; none where there is no list.
    fn list(&self, key: &str) -> Result<&'a [Json]> {
        match self.map.get(key) {
            None => Ok(&[]),
            Some(found) => found.as_array().map(Vec::as_slice).ok_or_else(|| self.wrong(key, "is no list")),
        }
    }

    fn datatype(&self) -> Result<Datatype> {
        datatype_named(self.text("type")?).map_err(|error| self.wrong("type", error.message()))
    }

    fn value(&self, key: &str, datatype: Datatype, json: &Json) -> Result<Vec<u8>> {
        parse_literal(datatype, json).map_err(|error| self.wrong(key, error.message()))
    }

    /// One value.
    fn single(&self, key: &str, datatype: Datatype, json: &Json) -> Result<Vec<u8>> {
        let bytes = self.value(key, datatype, json)?;
        if bytes.len() == datatype.size() { Ok(bytes) } else { Err(self.wrong(key, "is not one value")) }
    }

    /// Values per cell: `"var"`, or a number; texts have any number, others one where none is given.
    fn cell_values(&self, datatype: Datatype) -> Result<CellValNum> {
        match self.map.get("cell_values") {
            None => Ok(if is_text_or_bytes(datatype) { CellValNum::Var } else { CellValNum::Fixed(1) }),
            Some(Json::String(text)) if text == "var" => Ok(CellValNum::Var),
            Some(number) => {
                let number = number.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
                number
                    .map(CellValNum::Fixed)
                    .ok_or_else(|| self.wrong("cell_values", "is neither \"var\" nor a number above 0"))
            }
        }
    }

    fn layout(&self, key: &str) -> Result<Layout> {
        let name = self.text(key)?;
        let known = Layout::ALL.iter().find(|layout| layout.name() == name);
        known.copied().ok_or_else(|| self.wrong(key, "is no order; row-major, col-major and hilbert are"))
    }

    fn filters(&self, key: &str) -> Result<Option<FilterList>> {
        if !self.map.contains_key(key) {
            return Ok(None);
        }
        let filters = self.list(key)?;
        if filters.len() > MAX_FILTERS {
            return Err(self.wrong(key, &format!("has {} filters, more than {MAX_FILTERS}", filters.len())));
        }
        let filters = filters.iter().enumerate();
        filters.map(|(at, json)| filter(json, format!("{}.{key}[{at}]", self.place))).collect::<Result<_>>().map(Some)
    }
}

fn wrong(place: &str, what: &str) -> Error {
    Error::schema(format!("{place} {what}"))
}

fn filter(json: &Json, place: String) -> Result<Filter> {
    let mut known = vec!["type"];
    known.extend(OPTIONS.iter().map(|option| option.name));
    let object = Object::new(json, place, &known)?;
    let filter: Result<Filter> = object.text("type")?.parse();
    let mut filter = filter.map_err(|_| object.wrong("type", "is no filter; ZSTD is one"))?;
    for (key, json) in object.map.iter().filter(|(key, _)| *key != "type") {
        let option = OPTIONS.iter().find(|option| option.name == key && option.filters.contains(&filter.name()));
        let option = option.ok_or_else(|| object.wrong(key, "is no option of this filter"))?;
        let bytes = match option.option {
            FilterOption::ReinterpretDatatype => {
                let name = json.as_str().ok_or_else(|| object.wrong(key, "is no text"))?;
                let datatype = datatype_named(name).map_err(|error| object.wrong(key, error.message()))?;
                vec![datatype.number()]
            }
            _ => object.single(key, option.option.datatype(), json)?,
        };
        filter = filter
            .with_option(option.option, Value::from_bytes(option.option.datatype(), &bytes))
            .map_err(|error| object.wrong(key, &format!("is not accepted: {}", error.message())))?;
    }
    Ok(filter)
}

/// The schema that JSON describes.
///
/// # Errors
/// What is wrong in it, with the place.
pub(super) fn schema(json: &Json) -> Result<ArraySchema> {
    const KEYS: [&str; 12] = [
        "array_type",
        "cell_order",
        "tile_order",
        "capacity",
        "allows_duplicates",
        "dimensions",
        "attributes",
        "enumerations",
        "coordinates_filters",
        "offsets_filters",
        "validity_filters",
        "current_domain",
    ];
    let object = Object::new(json, "schema", &KEYS)?;
    let mut schema = match object.text("array_type")? {
        "dense" => ArraySchema::dense(),
        "sparse" => ArraySchema::sparse(),
        _ => return Err(object.wrong("array_type", "is neither \"dense\" nor \"sparse\"")),
    };
    if object.map.contains_key("cell_order") {
        schema = schema.cell_order(object.layout("cell_order")?);
    }
    if object.map.contains_key("tile_order") {
        schema = schema.tile_order(object.layout("tile_order")?);
    }
    if let Some(capacity) = object.map.get("capacity") {
        let capacity = capacity.as_u64().filter(|capacity| *capacity > 0);
        schema = schema.capacity(capacity.ok_or_else(|| object.wrong("capacity", "is no number above 0"))?);
    }
    if object.flag("allows_duplicates")? {
        schema = schema.allow_duplicates();
    }
    if let Some(list) = object.filters("coordinates_filters")? {
        schema = schema.coords_filters(list);
    }
    if let Some(list) = object.filters("offsets_filters")? {
        schema = schema.offsets_filters(list);
    }
    if let Some(list) = object.filters("validity_filters")? {
        schema = schema.validity_filters(list);
    }
    let mut dimensions = Vec::new();
    for (at, json) in object.list("dimensions")?.iter().enumerate() {
        let dimension = dimension(json, format!("schema.dimensions[{at}]"))?;
        dimensions.push((dimension.name().to_owned(), dimension.datatype()));
        schema = schema.dimension(dimension);
    }
    if let Some(json) = object.map.get("current_domain") {
        schema = with_current_domain(schema, &dimensions, json)?;
    }
    let mut names = HashSet::new();
    for (at, json) in object.list("enumerations")?.iter().enumerate() {
        let enumeration = enumeration(json, format!("schema.enumerations[{at}]"))?;
        names.insert(enumeration.name().to_owned());
        schema = schema.enumeration(enumeration);
    }
    for (at, json) in object.list("attributes")?.iter().enumerate() {
        schema = schema.attribute(attribute(json, format!("schema.attributes[{at}]"), &names)?);
    }
    schema.build()
}

/// Limits the cells to the bounds that a description has for each dimension.
fn with_current_domain(
    mut schema: ArraySchemaBuilder,
    dimensions: &[(String, Datatype)],
    json: &Json,
) -> Result<ArraySchemaBuilder> {
    let wrong = || Error::schema("schema.current_domain is no list of two bounds for each dimension");
    let all = json.as_array().filter(|all| all.len() == dimensions.len()).ok_or_else(wrong)?;
    for ((name, datatype), bounds) in dimensions.iter().zip(all) {
        let Some([low, high]) = bounds.as_array().map(Vec::as_slice) else { return Err(wrong()) };
        let (low, high) = (parse_literal(*datatype, low)?, parse_literal(*datatype, high)?);
        let is_one = |bytes: &Vec<u8>| is_text_or_bytes(*datatype) || bytes.len() == datatype.size();
        if !is_one(&low) || !is_one(&high) {
            return Err(wrong());
        }
        let value = |bytes: &[u8]| Value::from_bytes(*datatype, bytes);
        schema = schema.current_domain(name, value(&low)..=value(&high));
    }
    Ok(schema)
}

fn dimension(json: &Json, place: String) -> Result<Dimension> {
    let object = Object::new(json, place, &["name", "type", "domain", "tile", "filters"])?;
    let name = object.text("name")?;
    let datatype = object.datatype()?;
    let mut made = match object.map.get("domain") {
        None => Dimension::unbounded(name, datatype),
        Some(Json::Array(bounds)) if bounds.len() == 2 => {
            let [low, high] = [&bounds[0], &bounds[1]].map(|bound| object.single("domain", datatype, bound));
            let value = |bytes: Vec<u8>| Value::from_bytes(datatype, &bytes);
            Dimension::with_datatype(name, datatype, value(low?)..=value(high?))
        }
        Some(_) => return Err(object.wrong("domain", "is no list of two values")),
    };
    if let Some(tile) = object.map.get("tile") {
        made = made.tile(Value::from_bytes(datatype, &object.single("tile", extent_datatype(datatype), tile)?));
    }
    if let Some(list) = object.filters("filters")? {
        made = made.filters(list);
    }
    Ok(made)
}

fn attribute(json: &Json, place: String, enumerations: &HashSet<String>) -> Result<Attribute> {
    const KEYS: [&str; 8] =
        ["name", "type", "nullable", "cell_values", "fill", "fill_is_null", "enumeration", "filters"];
    let object = Object::new(json, place, &KEYS)?;
    let name = object.text("name")?;
    let datatype = object.datatype()?;
    let is_nullable = object.flag("nullable")?;
    let mut made = Attribute::with_datatype(name, datatype);
    made = match object.cell_values(datatype)? {
        CellValNum::Fixed(number) => made.values_per_cell(number),
        CellValNum::Var => made.variable(),
    };
    if is_nullable {
        made = made.nullable();
    }
    if let Some(fill) = object.map.get("fill") {
        let fill = object.value("fill", datatype, fill)?;
        let is_null = is_nullable && object.flag("fill_is_null")?;
        made = if is_null { made.fill_null_bytes(fill) } else { made.fill_bytes(fill) };
    }
    if object.map.contains_key("enumeration") {
        let name = object.text("enumeration")?;
        if !enumerations.contains(name) {
            return Err(object.wrong("enumeration", &format!("names {name:?}, which is not among the enumerations")));
        }
        made = made.enumeration(name);
    }
    if let Some(list) = object.filters("filters")? {
        made = made.filters(list);
    }
    Ok(made)
}

fn enumeration(json: &Json, place: String) -> Result<Enumeration> {
    let object = Object::new(json, place, &["name", "type", "cell_values", "ordered", "values"])?;
    let datatype = object.datatype()?;
    let cell_values = object.cell_values(datatype)?;
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for member in object.list("values")? {
        let bytes = object.value("values", datatype, member)?;
        match cell_values {
            CellValNum::Var => offsets.push(data.len() as u64),
            CellValNum::Fixed(values) if bytes.len() != datatype.size() * values as usize => {
                let what = format!("has the member {member}, which is not of {values} values");
                return Err(object.wrong("values", &what));
            }
            CellValNum::Fixed(_) => {}
        }
        data.extend(bytes);
    }
    let offsets = if offsets.is_empty() { None } else { Some(offsets.as_slice()) };
    Enumeration::from_bytes(object.text("name")?, datatype, cell_values, object.flag("ordered")?, &data, offsets)
}

fn datatype_named(name: &str) -> Result<Datatype> {
    name.parse().map_err(|_| Error::schema(format!("{name:?} is no datatype; INT64 is one")))
}
