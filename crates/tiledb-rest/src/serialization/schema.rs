use std::collections::BTreeMap;
use std::sync::Arc;

use super::format::{Deserializer, SerializationType, in_field, required, while_doing};
use super::{attribute, current_domain, dimension, enumeration, filters};
use crate::encoding::{Builder, TextField, View};
use crate::messages::{self, ArrayCreateRequest, KV};
use tiledb_array::schema::{
    ArraySchema, ArraySchemaParts, CurrentDomain, DimensionLabel, Enumeration, EnumerationRef, SchemaName,
};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, CellValNum, DataOrder, Datatype, FormatVersion, Layout, Name};

/// The side that serializes: a client includes the array URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    Client,
    Server,
}

impl Endpoint {
    /// From the `client_side` flag of C functions.
    pub fn from_flag(client_side: i32) -> Endpoint {
        if client_side == 0 { Endpoint::Server } else { Endpoint::Client }
    }
}

/// Writes a schema.
///
/// # Errors
/// If it has no domain, or memory does not suffice.
pub fn write(form: SerializationType, schema: &ArraySchema, side: Endpoint) -> Result<Vec<u8>> {
    form.write(|out| fill(out, schema, side)).map_err(while_doing("serializing array schema"))
}

/// Reads a schema.
///
/// # Errors
/// If the bytes are none.
pub fn read(reading: Deserializer, bytes: &[u8]) -> Result<ArraySchema> {
    reading.read(bytes, of).map_err(while_doing("deserializing array schema"))
}

/// Writes a request to create an array.
///
/// # Errors
/// As [`write()`].
pub fn write_create(form: SerializationType, schema: &ArraySchema, storage_uri: &str) -> Result<Vec<u8>> {
    let fill = |out: &mut Builder<'_, ArrayCreateRequest>| {
        out.set_text(ArrayCreateRequest::URI, storage_uri)?;
        fill(&mut out.child(ArrayCreateRequest::SCHEMA)?, schema, Endpoint::Client)
    };
    form.write(fill).map_err(while_doing("serializing array creation request"))
}

/// Reads a request to create an array: where it is to be stored, and its schema.
///
/// # Errors
/// If the bytes are none.
pub fn read_create(reading: Deserializer, bytes: &[u8]) -> Result<(String, ArraySchema)> {
    let see = |view: View<'_, ArrayCreateRequest>| {
        let uri = view.text(ArrayCreateRequest::URI)?.unwrap_or_default().to_owned();
        Ok((uri, of(required("ArrayCreateRequest.schema", view.child(ArrayCreateRequest::SCHEMA)?)?)?))
    };
    let prefix = "[TileDB::Serialization][ArraySchema]: Error deserializing array creation request; ";
    reading.read(bytes, see).map_err(|error| error.prefixed(prefix))
}

/// Puts a schema into a message.
///
/// # Errors
/// As [`write()`].
pub(crate) fn fill(out: &mut Builder<'_, messages::ArraySchema>, schema: &ArraySchema, side: Endpoint) -> Result<()> {
    if side == Endpoint::Client {
        out.set_text(messages::ArraySchema::URI, schema.uri())?;
    }
    out.set_text(messages::ArraySchema::NAME, schema.name())?;
    out.set_numbers(messages::ArraySchema::VERSION, &[schema.version().number() as i32])?;
    out.set_text(messages::ArraySchema::ARRAY_TYPE, schema.array_type().name())?;
    out.set_text(messages::ArraySchema::TILE_ORDER, schema.tile_order().name())?;
    out.set_text(messages::ArraySchema::CELL_ORDER, schema.cell_order().name())?;
    out.set(messages::ArraySchema::CAPACITY, schema.capacity());
    out.set(messages::ArraySchema::ALLOWS_DUPLICATES, schema.allows_dups());
    filters::fill(&mut out.child(messages::ArraySchema::COORDS_FILTER_PIPELINE)?, schema.coords_filters())?;
    filters::fill(&mut out.child(messages::ArraySchema::OFFSET_FILTER_PIPELINE)?, schema.offsets_filters())?;
    filters::fill(&mut out.child(messages::ArraySchema::VALIDITY_FILTER_PIPELINE)?, schema.validity_filters())?;
    dimension::fill(&mut out.child(messages::ArraySchema::DOMAIN)?, schema)?;
    let mut attributes = out.list(messages::ArraySchema::ATTRIBUTES, schema.attributes().len())?;
    for (index, attribute) in schema.attributes().iter().enumerate() {
        attribute::fill(&mut attributes.get(index)?, attribute)?;
    }
    let (start, end) = schema.schema_name().timestamps();
    out.set_numbers(messages::ArraySchema::TIMESTAMP_RANGE, &[start, end])?;
    if !schema.labels().is_empty() {
        let mut labels = out.list(messages::ArraySchema::DIMENSION_LABELS, schema.labels().len())?;
        for (index, label) in schema.labels().iter().enumerate() {
            fill_label(&mut labels.get(index)?, schema, label, side)?;
        }
    }
    fill_enumerations(out, schema)?;
    current_domain::fill(&mut out.child(messages::ArraySchema::CURRENT_DOMAIN)?, schema.current_domain())
}

fn fill_label(
    out: &mut Builder<'_, messages::DimensionLabel>,
    schema: &ArraySchema,
    label: &DimensionLabel,
    side: Endpoint,
) -> Result<()> {
    if !label.is_relative {
        bail!("the dimension label '{}' lies outside of its array", label.name);
    }
    out.set(messages::DimensionLabel::DIMENSION_ID, label.dimension_index);
    out.set_text(messages::DimensionLabel::NAME, &label.name)?;
    out.set_text(messages::DimensionLabel::URI, &label.uri)?;
    out.set_text(messages::DimensionLabel::ATTRIBUTE_NAME, &label.attribute)?;
    out.set_text(messages::DimensionLabel::ORDER, label.order.name())?;
    out.set_text(messages::DimensionLabel::TYPE, label.datatype.name())?;
    out.set(messages::DimensionLabel::CELL_VAL_NUM, label.cell_val_num.number());
    out.set(messages::DimensionLabel::EXTERNAL, label.is_external);
    out.set(messages::DimensionLabel::RELATIVE, label.is_relative);
    if label.is_planned() {
        fill(&mut out.child(messages::DimensionLabel::SCHEMA)?, &schema.label_schema(label)?, side)?;
    }
    Ok(())
}

/// Values of the loaded enumerations, and files of all.
fn fill_enumerations(out: &mut Builder<'_, messages::ArraySchema>, schema: &ArraySchema) -> Result<()> {
    let loaded: Vec<_> = schema.enumerations().iter().filter_map(EnumerationRef::loaded).collect();
    if !loaded.is_empty() {
        let mut list = out.list(messages::ArraySchema::ENUMERATIONS, loaded.len())?;
        for (index, enumeration) in loaded.iter().enumerate() {
            enumeration::fill(&mut list.get(index)?, enumeration)?;
        }
    }
    if !schema.enumerations().is_empty() {
        let mut list = out.list(messages::ArraySchema::ENUMERATION_PATH_MAP, schema.enumerations().len())?;
        for (index, known) in schema.enumerations().iter().enumerate() {
            let mut entry = list.get(index)?;
            entry.set_text(KV::KEY, &known.name)?;
            entry.set_text(KV::VALUE, &known.path)?;
        }
    }
    Ok(())
}

/// The schema of a message.
///
/// # Errors
/// If it breaks a rule of schemas.
pub(crate) fn of(view: View<'_, messages::ArraySchema>) -> Result<ArraySchema> {
    let text = |field, name| -> Result<&str> { required(name, view.text(field)?) };
    let domain = required("ArraySchema.domain", view.child(messages::ArraySchema::DOMAIN)?)?;
    let domain = Arc::new(dimension::of(domain)?);
    let mut attributes = Vec::new();
    for attribute in view.items(messages::ArraySchema::ATTRIBUTES)?.iter() {
        memory::push("attributes", &mut attributes, Arc::new(attribute::of(attribute)?))?;
    }
    let mut labels = Vec::new();
    for label in view.items(messages::ArraySchema::DIMENSION_LABELS)?.iter() {
        memory::push("dimension labels", &mut labels, Arc::new(label_of(label)?))?;
    }
    let current_domain = match view.child(messages::ArraySchema::CURRENT_DOMAIN)? {
        Some(current) => current_domain::of(current, Some(&domain))?,
        None => CurrentDomain::default(),
    };
    let array_type = text(messages::ArraySchema::ARRAY_TYPE, "ArraySchema.arrayType")?;
    let parts = ArraySchemaParts {
        name: name_of(view)?,
        uri: view.text(messages::ArraySchema::URI)?.unwrap_or_default().to_owned(),
        version: version_of(view)?,
        array_type: ArrayType::from_name(array_type).map_err(in_field("ArraySchema.arrayType"))?,
        allows_dups: view.get(messages::ArraySchema::ALLOWS_DUPLICATES),
        tile_order: order_of(view, messages::ArraySchema::TILE_ORDER, "ArraySchema.tileOrder")?,
        cell_order: order_of(view, messages::ArraySchema::CELL_ORDER, "ArraySchema.cellOrder")?,
        capacity: view.get(messages::ArraySchema::CAPACITY),
        coords_filters: filters::of(view.child(messages::ArraySchema::COORDS_FILTER_PIPELINE)?)?,
        offsets_filters: filters::of(view.child(messages::ArraySchema::OFFSET_FILTER_PIPELINE)?)?,
        validity_filters: filters::of(view.child(messages::ArraySchema::VALIDITY_FILTER_PIPELINE)?)?,
        domain,
        attributes,
        labels,
        enumerations: enumerations_of(view)?,
        current_domain,
    };
    ArraySchema::from_parts(parts).map_err(in_field("ArraySchema"))
}

fn order_of(
    view: View<'_, messages::ArraySchema>,
    field: crate::encoding::MessageField<messages::ArraySchema, TextField>,
    name: &'static str,
) -> Result<Layout> {
    let order = Layout::from_name(required(name, view.text(field)?)?).map_err(in_field(name))?;
    let is_order = match order {
        Layout::RowMajor | Layout::ColMajor => true,
        Layout::Hilbert => name.ends_with("cellOrder"),
        Layout::Unordered => name.ends_with("tileOrder"),
        Layout::GlobalOrder => false,
    };
    if !is_order {
        bail!(Corrupt, "{name}: '{}' is none", order.name());
    }
    Ok(order)
}

/// The name of a schema's file; a new one if there is none.
fn name_of(view: View<'_, messages::ArraySchema>) -> Result<SchemaName> {
    let times = view.items(messages::ArraySchema::TIMESTAMP_RANGE)?;
    let name = view.text(messages::ArraySchema::NAME)?.unwrap_or_default();
    match name.trim_start_matches('/') {
        "" => {
            let (start, end) = (times.get(0).unwrap_or(0), times.get(1).unwrap_or(0));
            Ok(SchemaName::spanning(start, end))
        }
        name => SchemaName::parse(name).map_err(in_field("ArraySchema.name")),
    }
}

/// Very old clients said the version of their library, in three numbers.
fn version_of(view: View<'_, messages::ArraySchema>) -> Result<FormatVersion> {
    let version = view.items(messages::ArraySchema::VERSION)?;
    match (version.len(), version.get(0)) {
        (1, Some(number)) => {
            FormatVersion::from_number(u32::try_from(number).unwrap_or(0)).map_err(in_field("ArraySchema.version"))
        }
        _ => Ok(CURRENT_VERSION),
    }
}

fn label_of(view: View<'_, messages::DimensionLabel>) -> Result<DimensionLabel> {
    let text = |field, name| -> Result<&str> { required(name, view.text(field)?) };
    let uri = text(messages::DimensionLabel::URI, "DimensionLabel.uri")?;
    if !view.get(messages::DimensionLabel::RELATIVE) || uri.starts_with('/') || uri.split('/').any(|part| part == "..")
    {
        bail!(Corrupt, "DimensionLabel.uri: '{uri}' does not lie inside of the array");
    }
    let order = text(messages::DimensionLabel::ORDER, "DimensionLabel.order")?;
    let datatype = text(messages::DimensionLabel::TYPE, "DimensionLabel.type")?;
    let number = view.get(messages::DimensionLabel::CELL_VAL_NUM);
    let label = DimensionLabel::existing(
        view.get(messages::DimensionLabel::DIMENSION_ID),
        text(messages::DimensionLabel::NAME, "DimensionLabel.name")?,
        uri,
        text(messages::DimensionLabel::ATTRIBUTE_NAME, "DimensionLabel.attributeName")?,
        DataOrder::from_name(order).map_err(in_field("DimensionLabel.order"))?,
        Datatype::from_name(datatype).map_err(in_field("DimensionLabel.type"))?,
        required("DimensionLabel.cellValNum", CellValNum::from_number(number))?,
        view.get(messages::DimensionLabel::EXTERNAL),
    );
    match view.child(messages::DimensionLabel::SCHEMA)? {
        Some(schema) => Ok(label.planned_as(&of(schema)?)),
        None => Ok(label),
    }
}

/// All enumerations that have a file, with their values where the message holds these.
fn enumerations_of(view: View<'_, messages::ArraySchema>) -> Result<Vec<EnumerationRef>> {
    let mut loaded = BTreeMap::new();
    let stray = |values: &Enumeration| {
        Err(Error::corrupt(format!("ArraySchema.enumerations: '{}' has no place in enumerationPathMap", values.name())))
    };
    for values in enumeration::of_list(view.items(messages::ArraySchema::ENUMERATIONS)?)? {
        if let Some(twice) = loaded.insert((values.name().clone(), values.path().clone()), values) {
            return stray(&twice);
        }
    }
    let mut all = Vec::new();
    for entry in view.items(messages::ArraySchema::ENUMERATION_PATH_MAP)?.iter() {
        let name = required("ArraySchema.enumerationPathMap", entry.text(KV::KEY)?)?;
        let path = required("ArraySchema.enumerationPathMap", entry.text(KV::VALUE)?)?;
        enumeration::check_path(path)?;
        let file = (Name::new(name), Name::new(path));
        let known = match loaded.remove(&file) {
            Some(values) => EnumerationRef::of(values),
            None => EnumerationRef::new(file.0, file.1),
        };
        memory::push("enumerations", &mut all, known)?;
    }
    if let Some(values) = loaded.values().next() {
        return stray(values);
    }
    Ok(all)
}
