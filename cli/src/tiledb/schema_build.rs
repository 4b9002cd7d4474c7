//! Creates arrays from schemas in JSON, as [`super::schema_json`] describes them. Unknown keys are errors.

use std::collections::HashSet;
use std::ffi::CString;

use serde_json::{Map, Value as Json};

use super::context::{Context, call, make};
use super::current_domain::set_current_domain;
use super::datatype::Datatype;
use super::enumeration::NewEnumeration;
use super::error::{Error, Result};
use super::filter::{OPTIONS, OptionKind};
use super::functions as sys;
use super::handle::{Handle, text};
use super::literal::parse_literal;
use super::schema::VAR;
use super::schema_json::units;

type SchemaHandle = Handle<sys::tiledb_array_schema_t>;

/// A schema that can be created.
pub struct NewSchema(SchemaHandle);

impl NewSchema {
    /// Checks a description.
    ///
    /// # Errors
    /// What is wrong in it, with the place.
    pub fn new(ctx: &Context, json: &Json) -> Result<Self> {
        let schema = Self(build(ctx, json)?);
        call!(ctx, tiledb_array_schema_check(schema.0.raw()))?;
        // Some properties are checked only when an array is created: here in memory, which is freed with the context.
        schema.create(ctx, "mem://checked_schema")?;
        Ok(schema)
    }

    /// Creates the array.
    pub fn create(&self, ctx: &Context, uri: &str) -> Result<()> {
        let uri = text(uri)?;
        call!(ctx, tiledb_array_create(uri.as_ptr(), self.0.raw()))
    }
}

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
        Datatype::named(self.text("type")?).map_err(|error| self.wrong("type", &error.to_string()))
    }

    fn value(&self, key: &str, datatype: Datatype, json: &Json) -> Result<Vec<u8>> {
        parse_literal(datatype, json).map_err(|error| self.wrong(key, &error.to_string()))
    }

    /// One value.
    fn single(&self, key: &str, datatype: Datatype, json: &Json) -> Result<Vec<u8>> {
        let bytes = self.value(key, datatype, json)?;
        if bytes.len() == datatype.size() { Ok(bytes) } else { Err(self.wrong(key, "is not one value")) }
    }

    /// Values per cell: `"var"`, or a number; texts have any number, others one where none is given.
    fn cell_values(&self, datatype: Datatype) -> Result<u32> {
        match self.map.get("cell_values") {
            None => Ok(if datatype.is_text() { VAR } else { 1 }),
            Some(Json::String(text)) if text == "var" => Ok(VAR),
            Some(number) => {
                let number = number.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
                number.ok_or_else(|| self.wrong("cell_values", "is neither \"var\" nor a number above 0"))
            }
        }
    }

    fn layout(&self, key: &str) -> Result<u32> {
        let (name, mut number) = (text(self.text(key)?)?, 0);
        // SAFETY: the text lives, the variable is ours.
        let code = unsafe { sys::tiledb_layout_from_str(name.as_ptr(), &raw mut number) };
        if code == 0 { Ok(number) } else { Err(self.wrong(key, "is no order; row-major, col-major and hilbert are")) }
    }

    fn filters(&self, ctx: &Context, key: &str) -> Result<Option<Handle<sys::tiledb_filter_list_t>>> {
        if !self.map.contains_key(key) {
            return Ok(None);
        }
        let list = make!(ctx, tiledb_filter_list_alloc(), tiledb_filter_list_free)?;
        for (at, json) in self.list(key)?.iter().enumerate() {
            let filter = filter(ctx, json, format!("{}.{key}[{at}]", self.place))?;
            call!(ctx, tiledb_filter_list_add_filter(list.raw(), filter.raw()))?;
        }
        Ok(Some(list))
    }
}

fn wrong(place: &str, what: &str) -> Error {
    Error::usage(format!("{place} {what}"))
}

fn filter(ctx: &Context, json: &Json, place: String) -> Result<Handle<sys::tiledb_filter_t>> {
    let mut known = vec!["type"];
    known.extend(OPTIONS.iter().map(|option| option.name));
    let object = Object::new(json, place, &known)?;
    let (name, mut number) = (text(object.text("type")?)?, 0);
    // SAFETY: the text lives, the variable is ours.
    let code = unsafe { sys::tiledb_filter_type_from_str(name.as_ptr(), &raw mut number) };
    if code != 0 {
        return Err(object.wrong("type", "is no filter; ZSTD is one"));
    }
    let filter = make!(ctx, tiledb_filter_alloc(number), tiledb_filter_free)?;
    for (key, json) in object.map.iter().filter(|(key, _)| *key != "type") {
        let option = OPTIONS.iter().find(|option| option.name == key && option.filters.contains(&number));
        let option = option.ok_or_else(|| object.wrong(key, "is no option of this filter"))?;
        let value = match option.kind {
            OptionKind::Number(datatype) => object.single(key, datatype, json)?,
            OptionKind::Datatype => {
                let name = json.as_str().ok_or_else(|| object.wrong(key, "is no text"))?;
                let datatype = Datatype::named(name).map_err(|error| object.wrong(key, &error.to_string()))?;
                vec![u8::try_from(datatype.0).unwrap_or(u8::MAX)]
            }
        };
        call!(ctx, tiledb_filter_set_option(filter.raw(), option.number, value.as_ptr().cast()))
            .map_err(|error| object.wrong(key, &format!("is not accepted: {error}")))?;
    }
    Ok(filter)
}

fn build(ctx: &Context, json: &Json) -> Result<SchemaHandle> {
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
    let kind = match object.text("array_type")? {
        "dense" => 0,
        "sparse" => 1,
        _ => return Err(object.wrong("array_type", "is neither \"dense\" nor \"sparse\"")),
    };
    let schema = make!(ctx, tiledb_array_schema_alloc(kind), tiledb_array_schema_free)?;
    let raw = schema.raw();
    if object.map.contains_key("cell_order") {
        call!(ctx, tiledb_array_schema_set_cell_order(raw, object.layout("cell_order")?))?;
    }
    if object.map.contains_key("tile_order") {
        call!(ctx, tiledb_array_schema_set_tile_order(raw, object.layout("tile_order")?))?;
    }
    if let Some(capacity) = object.map.get("capacity") {
        let capacity = capacity.as_u64().filter(|capacity| *capacity > 0);
        let capacity = capacity.ok_or_else(|| object.wrong("capacity", "is no number above 0"))?;
        call!(ctx, tiledb_array_schema_set_capacity(raw, capacity))?;
    }
    if object.flag("allows_duplicates")? {
        call!(ctx, tiledb_array_schema_set_allows_dups(raw, 1))?;
    }
    if let Some(list) = object.filters(ctx, "coordinates_filters")? {
        call!(ctx, tiledb_array_schema_set_coords_filter_list(raw, list.raw()))?;
    }
    if let Some(list) = object.filters(ctx, "offsets_filters")? {
        call!(ctx, tiledb_array_schema_set_offsets_filter_list(raw, list.raw()))?;
    }
    if let Some(list) = object.filters(ctx, "validity_filters")? {
        call!(ctx, tiledb_array_schema_set_validity_filter_list(raw, list.raw()))?;
    }
    let domain = make!(ctx, tiledb_domain_alloc(), tiledb_domain_free)?;
    let mut dimensions = Vec::new();
    for (at, json) in object.list("dimensions")?.iter().enumerate() {
        let (dimension, name, datatype) = dimension(ctx, json, format!("schema.dimensions[{at}]"))?;
        dimensions.push((name, datatype));
        call!(ctx, tiledb_domain_add_dimension(domain.raw(), dimension.raw()))?;
    }
    call!(ctx, tiledb_array_schema_set_domain(raw, domain.raw()))?;
    if let Some(json) = object.map.get("current_domain") {
        set_current_domain(ctx, &schema, &domain, &dimensions, json)?;
    }
    let mut names = HashSet::new();
    for (at, json) in object.list("enumerations")?.iter().enumerate() {
        let enumeration = enumeration(json, format!("schema.enumerations[{at}]"))?;
        let made = enumeration.alloc(ctx)?;
        call!(ctx, tiledb_array_schema_add_enumeration(raw, made.raw()))?;
        names.insert(enumeration.name);
    }
    for (at, json) in object.list("attributes")?.iter().enumerate() {
        let attribute = attribute(ctx, json, format!("schema.attributes[{at}]"), &names)?;
        call!(ctx, tiledb_array_schema_add_attribute(raw, attribute.raw()))?;
    }
    Ok(schema)
}

/// A dimension with its name and datatype.
fn dimension(ctx: &Context, json: &Json, place: String) -> Result<(Handle<sys::tiledb_dimension_t>, String, Datatype)> {
    let object = Object::new(json, place, &["name", "type", "domain", "tile", "filters"])?;
    let (name, datatype) = (text(object.text("name")?)?, object.datatype()?);
    let bounds = match object.map.get("domain") {
        None => None,
        Some(Json::Array(bounds)) if bounds.len() == 2 => {
            let bounds = bounds.iter().map(|bound| object.single("domain", datatype, bound));
            Some(bounds.collect::<Result<Vec<_>>>()?.concat())
        }
        Some(_) => return Err(object.wrong("domain", "is no list of two values")),
    };
    let extent = object.map.get("tile").map(|tile| object.single("tile", units(datatype), tile)).transpose()?;
    let pointer = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(std::ptr::null(), |bytes| bytes.as_ptr().cast());
    let (bounds, extent) = (pointer(&bounds), pointer(&extent));
    let made = make!(ctx, tiledb_dimension_alloc(name.as_ptr(), datatype.0, bounds, extent), tiledb_dimension_free)?;
    if let Some(list) = object.filters(ctx, "filters")? {
        call!(ctx, tiledb_dimension_set_filter_list(made.raw(), list.raw()))?;
    }
    Ok((made, object.text("name")?.to_owned(), datatype))
}

fn attribute(
    ctx: &Context,
    json: &Json,
    place: String,
    enumerations: &HashSet<String>,
) -> Result<Handle<sys::tiledb_attribute_t>> {
    const KEYS: [&str; 8] =
        ["name", "type", "nullable", "cell_values", "fill", "fill_is_null", "enumeration", "filters"];
    let object = Object::new(json, place, &KEYS)?;
    let (name, datatype) = (text(object.text("name")?)?, object.datatype()?);
    let made = make!(ctx, tiledb_attribute_alloc(name.as_ptr(), datatype.0), tiledb_attribute_free)?;
    let (raw, is_nullable) = (made.raw(), object.flag("nullable")?);
    call!(ctx, tiledb_attribute_set_cell_val_num(raw, object.cell_values(datatype)?))?;
    call!(ctx, tiledb_attribute_set_nullable(raw, u8::from(is_nullable)))?;
    if let Some(fill) = object.map.get("fill") {
        let fill = object.value("fill", datatype, fill)?;
        let (place, size) = (fill.as_ptr().cast(), fill.len() as u64);
        if is_nullable {
            let validity = u8::from(!object.flag("fill_is_null")?);
            call!(ctx, tiledb_attribute_set_fill_value_nullable(raw, place, size, validity))?;
        } else {
            call!(ctx, tiledb_attribute_set_fill_value(raw, place, size))?;
        }
    }
    if object.map.contains_key("enumeration") {
        let name = object.text("enumeration")?;
        if !enumerations.contains(name) {
            return Err(object.wrong("enumeration", &format!("names {name:?}, which is not among the enumerations")));
        }
        let name: CString = text(name)?;
        call!(ctx, tiledb_attribute_set_enumeration_name(raw, name.as_ptr()))?;
    }
    if let Some(list) = object.filters(ctx, "filters")? {
        call!(ctx, tiledb_attribute_set_filter_list(raw, list.raw()))?;
    }
    Ok(made)
}

fn enumeration(json: &Json, place: String) -> Result<NewEnumeration> {
    let object = Object::new(json, place, &["name", "type", "cell_values", "ordered", "values"])?;
    let datatype = object.datatype()?;
    let values = object.cell_values(datatype)?;
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for member in object.list("values")? {
        let bytes = object.value("values", datatype, member)?;
        if values != VAR && bytes.len() != datatype.size() * values as usize {
            return Err(object.wrong("values", &format!("has the member {member}, which is not of {values} values")));
        }
        if values == VAR {
            offsets.push(data.len() as u64);
        }
        data.extend(bytes);
    }
    let (name, is_ordered) = (object.text("name")?.to_owned(), object.flag("ordered")?);
    Ok(NewEnumeration { name, datatype, values, is_ordered, data, offsets })
}
