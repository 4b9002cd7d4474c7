//! Serialization of open arrays, and of requests to open one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::format::{Deserializer, SerializationType, in_field, required, while_doing};
use super::schema::Endpoint;
use super::{config, directory, domain, fragment, metadata, schema};
use crate::encoding::{Builder, View};
use crate::messages::{self, ArrayOpen, Map, MapEntry};
use tiledb_array::array::{Array, ArraySource, OpenArray, OpenArrayParts};
use tiledb_array::fragment::timestamp_now;
use tiledb_array::schema::{ArraySchema, SchemaName};
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::memory;
use tiledb_core::sort;
use tiledb_core::types::QueryType;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Name of an array that is opened by a message, which contains no URI.
const NAMELESS: &str = "deserialized_array";

/// Serializes an open array: the parts that `rest.load_*` selects.
///
/// # Errors
/// If it is not open, something of it cannot be read, or memory does not suffice.
pub fn write(form: SerializationType, array: &Array, side: Endpoint) -> Result<Vec<u8>> {
    let open = array.snapshot()?;
    form.write(|out| fill(out, array, &open, side)).map_err(while_doing("serializing array"))
}

/// Deserializes an open array.
///
/// # Errors
/// If the bytes are none, or what they do not hold cannot be read.
pub fn read(reading: Deserializer, resources: &Resources, uri: &str, bytes: &[u8]) -> Result<Array> {
    let uri = Uri::parse(uri)?;
    let see = |view: View<'_, messages::Array>| {
        let (parts, window) = parts(resources, &uri, view, None)?;
        Ok(Array::from_open(window, OpenArray::from_parts(resources, parts)?))
    };
    reading.read(bytes, see).map_err(while_doing("deserializing array"))
}

/// Serializes a request to open an array for a query type, with the parameters that a server uses.
///
/// # Errors
/// If memory does not suffice.
pub fn write_open(form: SerializationType, entries: &[(String, String)], query_type: QueryType) -> Result<Vec<u8>> {
    let fill = |out: &mut Builder<'_, ArrayOpen>| {
        config::fill(&mut out.child(ArrayOpen::CONFIG)?, entries)?;
        out.set_text(ArrayOpen::QUERY_TYPE, query_type.name())
    };
    form.write(fill).map_err(while_doing("serializing array open"))
}

/// Deserializes a request to open an array; the array is not open yet.
///
/// # Errors
/// If the bytes are none.
pub fn read_open(reading: Deserializer, resources: &Resources, bytes: &[u8]) -> Result<Array> {
    let see = |view: View<'_, ArrayOpen>| {
        let config = match view.child(ArrayOpen::CONFIG)? {
            Some(view) => config::of(view)?,
            None => Config::new(),
        };
        let query_type = match view.text(ArrayOpen::QUERY_TYPE)? {
            Some(name) => QueryType::from_name(name).map_err(in_field("ArrayOpen.queryType"))?,
            None => QueryType::Read,
        };
        let array = Array::unopened(resources, NAMELESS, query_type)?;
        array.set_config(&config)?;
        Ok(array)
    };
    reading.read(bytes, see).map_err(while_doing("deserializing array open"))
}

/// # Errors
/// As [`write()`].
pub(crate) fn fill(
    out: &mut Builder<'_, messages::Array>,
    array: &Array,
    open: &OpenArray,
    side: Endpoint,
) -> Result<()> {
    let config = open.config();
    let is_new = config.bool("rest.use_refactored_array_open")?;
    if is_new && config.bool("rest.load_enumerations_on_array_open_all_schemas")? {
        open.load_enumerations_of_all_schemas()?;
    } else if is_new && config.bool("rest.load_enumerations_on_array_open")? {
        open.load_enumerations()?;
    }
    out.set_text(messages::Array::URI, open.uri().as_str())?;
    out.set(messages::Array::START_TIMESTAMP, array.open_start());
    out.set(messages::Array::END_TIMESTAMP, array.set_end());
    out.set(messages::Array::OPENED_AT_END_TIMESTAMP, open.timestamps().1);
    out.set_text(messages::Array::QUERY_TYPE, open.query_type().name())?;
    fill_schemas(out, open, side)?;
    if config.bool("rest.use_refactored_array_open_and_query_submit")? {
        directory::fill(&mut out.child(messages::Array::ARRAY_DIRECTORY)?, open)?;
        fill_fragments(out, open)?;
    }
    let is_included = |name| -> Result<bool> { Ok(is_new && config.bool(name)?) };
    if is_included("rest.load_non_empty_domain_on_array_open")? {
        let mut message = out.child(messages::Array::NON_EMPTY_DOMAIN)?;
        if open.query_type() == QueryType::Read {
            domain::fill(&mut message, open.non_empty_domain()?.as_ref())?;
        }
    }
    if is_included("rest.load_metadata_on_array_open")? {
        let entries = match open.query_type() {
            QueryType::Read => metadata::entries(open.metadata()?)?,
            _ => Vec::new(),
        };
        metadata::fill(&mut out.child(messages::Array::ARRAY_METADATA)?, entries.into_iter())?;
    }
    Ok(())
}

fn fill_schemas(out: &mut Builder<'_, messages::Array>, open: &OpenArray, side: Endpoint) -> Result<()> {
    schema::fill(&mut out.child(messages::Array::ARRAY_SCHEMA_LATEST)?, open.schema(), side)?;
    let names = open.schemas().names();
    let mut map = out.child(messages::Array::ARRAY_SCHEMAS_ALL)?;
    let mut entries = map.list(Map::<messages::ArraySchema>::ENTRIES, names.len())?;
    for (index, name) in names.iter().enumerate() {
        let mut entry = entries.get(index)?;
        entry.set_text(MapEntry::<messages::ArraySchema>::KEY, name)?;
        let mut value = entry.child(MapEntry::<messages::ArraySchema>::VALUE)?;
        schema::fill(&mut value, &*open.schemas().get(name)?, side)?;
    }
    Ok(())
}

fn fill_fragments(out: &mut Builder<'_, messages::Array>, open: &OpenArray) -> Result<()> {
    let fragments = open.fragments()?;
    if fragments.is_empty() {
        return Ok(());
    }
    let mut list = out.list(messages::Array::FRAGMENT_METADATA_ALL, fragments.len())?;
    for (index, one) in fragments.iter().enumerate() {
        fragment::fill(&mut list.get(index)?, open.uri(), one)?;
    }
    Ok(())
}

/// Deserializes the array at `uri`, and the time window as set. Parts that the message lacks are loaded from `source`.
///
/// # Errors
/// If the message breaks a rule.
pub(crate) fn parts(
    resources: &Resources,
    uri: &Uri,
    view: View<'_, messages::Array>,
    source: Option<Arc<dyn ArraySource>>,
) -> Result<(OpenArrayParts, (u64, u64))> {
    let key = EncryptionKey::from_config(resources.config())?;
    let query_type = match view.text(messages::Array::QUERY_TYPE)? {
        Some(name) => QueryType::from_name(name).map_err(in_field("Array.queryType"))?,
        None => QueryType::Read,
    };
    let window = (view.get(messages::Array::START_TIMESTAMP), view.get(messages::Array::END_TIMESTAMP));
    let latest = required("Array.arraySchemaLatest", view.child(messages::Array::ARRAY_SCHEMA_LATEST)?)?;
    let latest = schema::of(latest)?;
    let schemas = schemas_of(view.child(messages::Array::ARRAY_SCHEMAS_ALL)?, &latest)?;
    let directory = match view.child(messages::Array::ARRAY_DIRECTORY)? {
        Some(view) => Some(directory::of(view, uri)?),
        None => None,
    };
    let non_empty_domain = match view.child(messages::Array::NON_EMPTY_DOMAIN)? {
        Some(view) => Some(domain::of(view, latest.domain())?),
        None => None,
    };
    let supplied_metadata = match view.child(messages::Array::ARRAY_METADATA)? {
        Some(view) => Some(metadata::changes_of(view)?.values()?),
        None => None,
    };
    let fragments = fragments_of(resources, uri, &key, view, &schemas, &latest)?;
    let parts = OpenArrayParts {
        uri: uri.clone(),
        query_type,
        timestamps: (window.0, opened_end(view, query_type, window.1)),
        key,
        schema: latest,
        schemas,
        // A directory contains the fragments of the message, or none.
        fragments: fragments.or_else(|| directory.is_some().then(Vec::new)),
        directory,
        metadata: supplied_metadata,
        non_empty_domain,
        source,
    };
    Ok((parts, window))
}

/// The resolved end of the time window.
fn opened_end(view: View<'_, messages::Array>, query_type: QueryType, set: u64) -> u64 {
    match (view.get(messages::Array::OPENED_AT_END_TIMESTAMP), set, query_type) {
        (0, u64::MAX, QueryType::Read) => timestamp_now(),
        (0, u64::MAX, _) => 0,
        (0, set, _) => set,
        (opened, ..) => opened,
    }
}

/// The schemas of a map; `latest` alone if there is none. `latest` takes precedence over its entry in the map.
pub(super) fn schemas_of(
    view: Option<View<'_, Map<messages::ArraySchema>>>,
    latest: &ArraySchema,
) -> Result<Vec<ArraySchema>> {
    let mut schemas = Vec::new();
    let mut names = HashSet::new();
    if let Some(view) = view {
        for entry in view.items(Map::<messages::ArraySchema>::ENTRIES)?.iter() {
            let name = required("Map.Entry.key", entry.text(MapEntry::<messages::ArraySchema>::KEY)?)?;
            if !names.insert(name) {
                bail!(Corrupt, "Map.Entry.key: there are two schemas of the name '{name}'");
            }
            if name == latest.name() {
                memory::push("schemas", &mut schemas, latest.clone())?;
                continue;
            }
            let value = required("Map.Entry.value", entry.child(MapEntry::<messages::ArraySchema>::VALUE)?)?;
            let mut schema = schema::of(value).context(|| format!("the schema '{name}'"))?;
            schema.set_name(SchemaName::parse(name).map_err(in_field("Map.Entry.key"))?);
            memory::push("schemas", &mut schemas, schema)?;
        }
    }
    if !names.contains(latest.name()) {
        memory::push("schemas", &mut schemas, latest.clone())?;
    }
    Ok(schemas)
}

type Fragments = Vec<Arc<tiledb_array::fragment::Fragment>>;

fn fragments_of(
    resources: &Resources,
    uri: &Uri,
    key: &EncryptionKey,
    view: View<'_, messages::Array>,
    schemas: &[ArraySchema],
    latest: &ArraySchema,
) -> Result<Option<Fragments>> {
    let Some(list) = view.list(messages::Array::FRAGMENT_METADATA_ALL)? else { return Ok(None) };
    let shared = FragmentSchemas::new(schemas, latest);
    let schema_of = |name: &str| shared.named(name);
    let mut fragments = Vec::new();
    for view in list.iter() {
        let one = fragment::of(resources, uri, key, view, &schema_of)?;
        memory::push("fragments", &mut fragments, Arc::new(one))?;
    }
    sort::by(&mut fragments, |a, b| a.name().cmp(b.name()));
    Ok(Some(fragments))
}

/// The schemas of an array, as fragments name them.
pub(super) struct FragmentSchemas<'a> {
    by_name: HashMap<&'a str, Arc<ArraySchema>>,
    latest: &'a str,
}

impl<'a> FragmentSchemas<'a> {
    pub(super) fn new(schemas: &'a [ArraySchema], latest: &'a ArraySchema) -> FragmentSchemas<'a> {
        let by_name = schemas.iter().map(|schema| (schema.name(), Arc::new(schema.clone()))).collect();
        FragmentSchemas { by_name, latest: latest.name() }
    }

    /// The schema of this name; without a name, the only one there is.
    pub(super) fn named(&self, name: &str) -> Result<Arc<ArraySchema>> {
        let name = match (name, self.by_name.len()) {
            ("", 1) => self.latest,
            (name, _) => name,
        };
        match self.by_name.get(name) {
            Some(schema) => Ok(schema.clone()),
            None => bail!(Corrupt, "FragmentMetadata.arraySchemaName: the array has no schema '{name}'"),
        }
    }
}
