//! Serialization of fragment info, and of requests for it.

use std::sync::Arc;

use super::array::{FragmentSchemas, schemas_of};
use super::format::{Deserializer, SerializationType, required, while_doing};
use super::schema::Endpoint;
use super::{config, fragment, schema};
use crate::encoding::{Builder, View};
use crate::messages::{self, FragmentInfoRequest, Map, MapEntry, SingleFragmentInfo};
use tiledb_array::array::{LoadedFragments, SchemaStore};
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Name;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Writes a request for information: with these parameters.
///
/// # Errors
/// If memory does not suffice.
pub fn write_request(form: SerializationType, entries: &[(String, String)]) -> Result<Vec<u8>> {
    let fill = |out: &mut Builder<'_, FragmentInfoRequest>| {
        config::fill(&mut out.child(FragmentInfoRequest::CONFIG)?, entries)
    };
    form.write(fill).map_err(while_doing("serializing fragment info request"))
}

/// Deserializes a request for fragment information: the configuration to load it with.
///
/// # Errors
/// If the bytes are not such a request.
pub fn read_request(reading: Deserializer, bytes: &[u8]) -> Result<Config> {
    let see = |view: View<'_, FragmentInfoRequest>| match view.child(FragmentInfoRequest::CONFIG)? {
        Some(view) => config::of(view),
        None => Ok(Config::new()),
    };
    reading.read(bytes, see).map_err(while_doing("deserializing fragment info request"))
}

/// Serializes fragment information.
///
/// # Errors
/// If a schema cannot be read, or memory does not suffice.
pub fn write(
    form: SerializationType,
    uri: &Uri,
    loaded: &LoadedFragments,
    with_boxes: bool,
    side: Endpoint,
) -> Result<Vec<u8>> {
    form.write(|out| fill(out, uri, loaded, with_boxes, side)).map_err(while_doing("serializing fragment info"))
}

fn fill(
    out: &mut Builder<'_, messages::FragmentInfo>,
    uri: &Uri,
    loaded: &LoadedFragments,
    with_boxes: bool,
    side: Endpoint,
) -> Result<()> {
    let schemas = loaded.schemas();
    let latest = schemas.newest()?;
    schema::fill(&mut out.child(messages::FragmentInfo::ARRAY_SCHEMA_LATEST)?, &latest, side)?;
    let mut map = out.child(messages::FragmentInfo::ARRAY_SCHEMAS_ALL)?;
    let mut entries = map.list(Map::<messages::ArraySchema>::ENTRIES, schemas.names().len())?;
    for (index, name) in schemas.names().iter().enumerate() {
        let mut entry = entries.get(index)?;
        entry.set_text(MapEntry::<messages::ArraySchema>::KEY, name)?;
        schema::fill(&mut entry.child(MapEntry::<messages::ArraySchema>::VALUE)?, &*schemas.get(name)?, side)?;
    }
    let mut list = out.list(messages::FragmentInfo::FRAGMENT_INFO, loaded.len())?;
    for (index, info) in loaded.iter().enumerate() {
        if with_boxes && !info.fragment().is_dense() {
            info.fragment().rtree()?;
            info.fragment().load_tile_bounds()?;
        }
        let mut one = list.get(index)?;
        one.set_text(SingleFragmentInfo::ARRAY_SCHEMA_NAME, info.schema_name())?;
        fragment::fill(&mut one.child(SingleFragmentInfo::META)?, uri, info.fragment())?;
        one.set(SingleFragmentInfo::FRAGMENT_SIZE, info.size());
    }
    let last = |uri: &Name| uri.rsplit('/').next().unwrap_or_default().to_owned();
    out.set_texts(messages::FragmentInfo::TO_VACUUM, loaded.to_vacuum().iter().map(last))
}

/// Deserializes information about the fragments of the array at `uri`.
///
/// # Errors
/// If the bytes are none.
pub fn read(reading: Deserializer, resources: &Resources, uri: &Uri, bytes: &[u8]) -> Result<LoadedFragments> {
    reading.read(bytes, |view| of(resources, uri, view)).map_err(while_doing("deserializing fragment info"))
}

fn of(resources: &Resources, uri: &Uri, view: View<'_, messages::FragmentInfo>) -> Result<LoadedFragments> {
    let key = EncryptionKey::from_config(resources.config())?;
    let latest = required("FragmentInfo.arraySchemaLatest", view.child(messages::FragmentInfo::ARRAY_SCHEMA_LATEST)?)?;
    let mut latest = schema::of(latest)?;
    latest.locate(uri);
    let mut schemas = schemas_of(view.child(messages::FragmentInfo::ARRAY_SCHEMAS_ALL)?, &latest)?;
    schemas.iter_mut().for_each(|schema| schema.locate(uri));
    let latest = Arc::new(latest);
    let shared = FragmentSchemas::new(&schemas, &latest);
    let mut fragments = Vec::new();
    for info in view.items(messages::FragmentInfo::FRAGMENT_INFO)?.iter() {
        let name = required("SingleFragmentInfo.arraySchemaName", info.text(SingleFragmentInfo::ARRAY_SCHEMA_NAME)?)?;
        let meta = required("SingleFragmentInfo.meta", info.child(SingleFragmentInfo::META)?)?;
        let schema_of = |_: &str| shared.named(name);
        let fragment = fragment::of(resources, uri, &key, meta, &schema_of)?;
        let size = info.get(SingleFragmentInfo::FRAGMENT_SIZE);
        memory::push("fragments", &mut fragments, (Arc::new(fragment), size))?;
    }
    let mut to_vacuum = Vec::new();
    for name in view.items(messages::FragmentInfo::TO_VACUUM)?.iter() {
        let name = name?;
        if name.is_empty() || name.contains('/') {
            bail!(Corrupt, "FragmentInfo.toVacuum: '{name}' is no name of a fragment");
        }
        let folder = tiledb_array::fragment::FragmentName::parse(name)?.folder(uri);
        memory::push("fragments to vacuum", &mut to_vacuum, Name::of_path(folder.as_str()))?;
    }
    let schemas = SchemaStore::from_parts(resources, uri, &key, schemas, &latest);
    Ok(LoadedFragments::from_parts(fragments, to_vacuum, schemas))
}
