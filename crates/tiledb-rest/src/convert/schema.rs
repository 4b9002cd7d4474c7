//! Array schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::form::{Form, Reading, at, doing, needed};
use super::{attribute, current_domain, dimension, enumeration, filters};
use crate::describe::{self, ArrayCreateRequest, KV};
use crate::message::{Builder, Text, View};
use tiledb_array::schema::{
    ArraySchema, CurrentDomain, DimensionLabel, Enumeration, EnumerationRef, SchemaName, ToldSchema,
};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, CellValNum, DataOrder, Datatype, FormatVersion, Layout, Name};

/// Who writes: a client says where the array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A client.
    Client,
    /// A server.
    Server,
}

impl Side {
    /// From the flag of C.
    pub fn of_flag(client_side: i32) -> Side {
        if client_side == 0 { Side::Server } else { Side::Client }
    }
}

/// Writes a schema.
///
/// # Errors
/// If it has no domain, or there is no memory for it.
pub fn write(form: Form, schema: &ArraySchema, side: Side) -> Result<Vec<u8>> {
    form.write(|out| fill(out, schema, side)).map_err(doing("serializing array schema"))
}

/// Reads a schema.
///
/// # Errors
/// If the bytes are none.
pub fn read(reading: Reading, bytes: &[u8]) -> Result<ArraySchema> {
    reading.read(bytes, of).map_err(doing("deserializing array schema"))
}

/// Writes a request to create an array.
///
/// # Errors
/// As [`write()`].
pub fn write_create(form: Form, schema: &ArraySchema, storage_uri: &str) -> Result<Vec<u8>> {
    let fill = |out: &mut Builder<'_, ArrayCreateRequest>| {
        out.set_text(ArrayCreateRequest::URI, storage_uri)?;
        fill(&mut out.child(ArrayCreateRequest::SCHEMA)?, schema, Side::Client)
    };
    form.write(fill).map_err(doing("serializing array creation request"))
}

/// Reads a request to create an array: where it is to be stored, and its schema.
///
/// # Errors
/// If the bytes are none.
pub fn read_create(reading: Reading, bytes: &[u8]) -> Result<(String, ArraySchema)> {
    let see = |view: View<'_, ArrayCreateRequest>| {
        let uri = view.text(ArrayCreateRequest::URI)?.unwrap_or_default().to_owned();
        Ok((uri, of(needed("ArrayCreateRequest.schema", view.child(ArrayCreateRequest::SCHEMA)?)?)?))
    };
    let prefix = "[TileDB::Serialization][ArraySchema]: Error deserializing array creation request; ";
    reading.read(bytes, see).map_err(|error| error.prefixed(prefix))
}

/// Puts a schema into a message.
///
/// # Errors
/// As [`write()`].
pub fn fill(out: &mut Builder<'_, describe::ArraySchema>, schema: &ArraySchema, side: Side) -> Result<()> {
    if side == Side::Client {
        out.set_text(describe::ArraySchema::URI, schema.uri())?;
    }
    out.set_text(describe::ArraySchema::NAME, schema.name())?;
    out.set_numbers(describe::ArraySchema::VERSION, &[schema.version().number() as i32])?;
    out.set_text(describe::ArraySchema::ARRAY_TYPE, schema.array_type().name())?;
    out.set_text(describe::ArraySchema::TILE_ORDER, schema.tile_order().name())?;
    out.set_text(describe::ArraySchema::CELL_ORDER, schema.cell_order().name())?;
    out.set(describe::ArraySchema::CAPACITY, schema.capacity());
    out.set(describe::ArraySchema::ALLOWS_DUPLICATES, schema.allows_dups());
    filters::fill(&mut out.child(describe::ArraySchema::COORDS_FILTER_PIPELINE)?, schema.coords_filters())?;
    filters::fill(&mut out.child(describe::ArraySchema::OFFSET_FILTER_PIPELINE)?, schema.offsets_filters())?;
    filters::fill(&mut out.child(describe::ArraySchema::VALIDITY_FILTER_PIPELINE)?, schema.validity_filters())?;
    dimension::fill(&mut out.child(describe::ArraySchema::DOMAIN)?, schema)?;
    let mut attributes = out.list(describe::ArraySchema::ATTRIBUTES, schema.attributes().len())?;
    for (index, attribute) in schema.attributes().iter().enumerate() {
        attribute::fill(&mut attributes.get(index)?, attribute)?;
    }
    let (start, end) = schema.schema_name().timestamps();
    out.set_numbers(describe::ArraySchema::TIMESTAMP_RANGE, &[start, end])?;
    if !schema.labels().is_empty() {
        let mut labels = out.list(describe::ArraySchema::DIMENSION_LABELS, schema.labels().len())?;
        for (index, label) in schema.labels().iter().enumerate() {
            fill_label(&mut labels.get(index)?, schema, label, side)?;
        }
    }
    fill_enumerations(out, schema)?;
    current_domain::fill(&mut out.child(describe::ArraySchema::CURRENT_DOMAIN)?, schema.current_domain())
}

fn fill_label(
    out: &mut Builder<'_, describe::DimensionLabel>,
    schema: &ArraySchema,
    label: &DimensionLabel,
    side: Side,
) -> Result<()> {
    if !label.is_relative {
        bail!("the dimension label '{}' lies outside of its array", label.name);
    }
    out.set(describe::DimensionLabel::DIMENSION_ID, label.dimension_index);
    out.set_text(describe::DimensionLabel::NAME, &label.name)?;
    out.set_text(describe::DimensionLabel::URI, &label.uri)?;
    out.set_text(describe::DimensionLabel::ATTRIBUTE_NAME, &label.attribute)?;
    out.set_text(describe::DimensionLabel::ORDER, label.order.name())?;
    out.set_text(describe::DimensionLabel::TYPE, label.datatype.name())?;
    out.set(describe::DimensionLabel::CELL_VAL_NUM, label.cell_val_num.number());
    out.set(describe::DimensionLabel::EXTERNAL, label.is_external);
    out.set(describe::DimensionLabel::RELATIVE, label.is_relative);
    if label.is_planned() {
        fill(&mut out.child(describe::DimensionLabel::SCHEMA)?, &schema.label_schema(label)?, side)?;
    }
    Ok(())
}

/// The values of those enumerations that are loaded, and the files of all.
fn fill_enumerations(out: &mut Builder<'_, describe::ArraySchema>, schema: &ArraySchema) -> Result<()> {
    let loaded: Vec<_> = schema.enumerations().iter().filter_map(EnumerationRef::loaded).collect();
    if !loaded.is_empty() {
        let mut list = out.list(describe::ArraySchema::ENUMERATIONS, loaded.len())?;
        for (index, enumeration) in loaded.iter().enumerate() {
            enumeration::fill(&mut list.get(index)?, enumeration)?;
        }
    }
    if !schema.enumerations().is_empty() {
        let mut list = out.list(describe::ArraySchema::ENUMERATION_PATH_MAP, schema.enumerations().len())?;
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
pub fn of(view: View<'_, describe::ArraySchema>) -> Result<ArraySchema> {
    let text = |field, name| -> Result<&str> { needed(name, view.text(field)?) };
    let domain = needed("ArraySchema.domain", view.child(describe::ArraySchema::DOMAIN)?)?;
    let domain = Arc::new(dimension::of(domain)?);
    let mut attributes = Vec::new();
    for attribute in view.items(describe::ArraySchema::ATTRIBUTES)?.iter() {
        memory::push("attributes", &mut attributes, Arc::new(attribute::of(attribute)?))?;
    }
    let mut labels = Vec::new();
    for label in view.items(describe::ArraySchema::DIMENSION_LABELS)?.iter() {
        memory::push("dimension labels", &mut labels, Arc::new(label_of(label)?))?;
    }
    let current_domain = match view.child(describe::ArraySchema::CURRENT_DOMAIN)? {
        Some(current) => current_domain::of(current, Some(&domain))?,
        None => CurrentDomain::default(),
    };
    let array_type = text(describe::ArraySchema::ARRAY_TYPE, "ArraySchema.arrayType")?;
    let parts = ToldSchema {
        name: name_of(view)?,
        uri: view.text(describe::ArraySchema::URI)?.unwrap_or_default().to_owned(),
        version: version_of(view)?,
        array_type: ArrayType::from_name(array_type).map_err(at("ArraySchema.arrayType"))?,
        allows_dups: view.get(describe::ArraySchema::ALLOWS_DUPLICATES),
        tile_order: order_of(view, describe::ArraySchema::TILE_ORDER, "ArraySchema.tileOrder")?,
        cell_order: order_of(view, describe::ArraySchema::CELL_ORDER, "ArraySchema.cellOrder")?,
        capacity: view.get(describe::ArraySchema::CAPACITY),
        coords_filters: filters::of(view.child(describe::ArraySchema::COORDS_FILTER_PIPELINE)?)?,
        offsets_filters: filters::of(view.child(describe::ArraySchema::OFFSET_FILTER_PIPELINE)?)?,
        validity_filters: filters::of(view.child(describe::ArraySchema::VALIDITY_FILTER_PIPELINE)?)?,
        domain,
        attributes,
        labels,
        enumerations: enumerations_of(view)?,
        current_domain,
    };
    ArraySchema::told(parts).map_err(at("ArraySchema"))
}

fn order_of(
    view: View<'_, describe::ArraySchema>,
    field: crate::message::Field<describe::ArraySchema, Text>,
    name: &'static str,
) -> Result<Layout> {
    let order = Layout::from_name(needed(name, view.text(field)?)?).map_err(at(name))?;
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

/// The name of a schema's file; a new one where there is none.
fn name_of(view: View<'_, describe::ArraySchema>) -> Result<SchemaName> {
    let times = view.items(describe::ArraySchema::TIMESTAMP_RANGE)?;
    let name = view.text(describe::ArraySchema::NAME)?.unwrap_or_default();
    match name.trim_start_matches('/') {
        "" => {
            let (start, end) = (times.get(0).unwrap_or(0), times.get(1).unwrap_or(0));
            Ok(SchemaName::spanning(start, end))
        }
        name => SchemaName::parse(name).map_err(at("ArraySchema.name")),
    }
}

/// Very old clients said the version of their library, in three numbers.
fn version_of(view: View<'_, describe::ArraySchema>) -> Result<FormatVersion> {
    let version = view.items(describe::ArraySchema::VERSION)?;
    match (version.len(), version.get(0)) {
        (1, Some(number)) => {
            FormatVersion::from_number(u32::try_from(number).unwrap_or(0)).map_err(at("ArraySchema.version"))
        }
        _ => Ok(CURRENT_VERSION),
    }
}

fn label_of(view: View<'_, describe::DimensionLabel>) -> Result<DimensionLabel> {
    let text = |field, name| -> Result<&str> { needed(name, view.text(field)?) };
    let uri = text(describe::DimensionLabel::URI, "DimensionLabel.uri")?;
    if !view.get(describe::DimensionLabel::RELATIVE) || uri.starts_with('/') || uri.split('/').any(|part| part == "..")
    {
        bail!(Corrupt, "DimensionLabel.uri: '{uri}' does not lie inside of the array");
    }
    let order = text(describe::DimensionLabel::ORDER, "DimensionLabel.order")?;
    let datatype = text(describe::DimensionLabel::TYPE, "DimensionLabel.type")?;
    let number = view.get(describe::DimensionLabel::CELL_VAL_NUM);
    let label = DimensionLabel::existing(
        view.get(describe::DimensionLabel::DIMENSION_ID),
        text(describe::DimensionLabel::NAME, "DimensionLabel.name")?,
        uri,
        text(describe::DimensionLabel::ATTRIBUTE_NAME, "DimensionLabel.attributeName")?,
        DataOrder::from_name(order).map_err(at("DimensionLabel.order"))?,
        Datatype::from_name(datatype).map_err(at("DimensionLabel.type"))?,
        needed("DimensionLabel.cellValNum", CellValNum::from_number(number))?,
        view.get(describe::DimensionLabel::EXTERNAL),
    );
    match view.child(describe::DimensionLabel::SCHEMA)? {
        Some(schema) => Ok(label.planned_as(&of(schema)?)),
        None => Ok(label),
    }
}

/// All enumerations that have a file, with their values where the message holds these.
fn enumerations_of(view: View<'_, describe::ArraySchema>) -> Result<Vec<EnumerationRef>> {
    let mut loaded = BTreeMap::new();
    let stray = |values: &Enumeration| {
        Err(Error::corrupt(format!("ArraySchema.enumerations: '{}' has no place in enumerationPathMap", values.name())))
    };
    for values in enumeration::of_list(view.items(describe::ArraySchema::ENUMERATIONS)?)? {
        if let Some(twice) = loaded.insert((values.name().clone(), values.path().clone()), values) {
            return stray(&twice);
        }
    }
    let mut all = Vec::new();
    for entry in view.items(describe::ArraySchema::ENUMERATION_PATH_MAP)?.iter() {
        let name = needed("ArraySchema.enumerationPathMap", entry.text(KV::KEY)?)?;
        let path = needed("ArraySchema.enumerationPathMap", entry.text(KV::VALUE)?)?;
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
