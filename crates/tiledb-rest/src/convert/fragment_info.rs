//! Information about the fragments of an array, and requests for it.

use std::sync::Arc;

use super::array::{FragmentSchemas, schemas_of};
use super::form::{Form, Reading, doing, needed};
use super::schema::Side;
use super::{config, fragment, schema};
use crate::describe::{self, FragmentInfoRequest, Map, MapEntry, SingleFragmentInfo};
use crate::message::{Builder, View};
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
/// If there is no memory for it.
pub fn write_request(form: Form, entries: &[(String, String)]) -> Result<Vec<u8>> {
    let fill = |out: &mut Builder<'_, FragmentInfoRequest>| {
        config::fill(&mut out.child(FragmentInfoRequest::CONFIG)?, entries)
    };
    form.write(fill).map_err(doing("serializing fragment info request"))
}

/// Reads a request for information: the configuration that it is to be had with.
///
/// # Errors
/// If the bytes are none.
pub fn read_request(reading: Reading, bytes: &[u8]) -> Result<Config> {
    let see = |view: View<'_, FragmentInfoRequest>| match view.child(FragmentInfoRequest::CONFIG)? {
        Some(view) => config::of(view),
        None => Ok(Config::new()),
    };
    reading.read(bytes, see).map_err(doing("deserializing fragment info request"))
}

/// Writes what was loaded of an array's fragments.
///
/// # Errors
/// If a schema cannot be read, or there is no memory for it.
pub fn write(form: Form, uri: &Uri, loaded: &LoadedFragments, with_boxes: bool, side: Side) -> Result<Vec<u8>> {
    form.write(|out| fill(out, uri, loaded, with_boxes, side)).map_err(doing("serializing fragment info"))
}

fn fill(
    out: &mut Builder<'_, describe::FragmentInfo>,
    uri: &Uri,
    loaded: &LoadedFragments,
    with_boxes: bool,
    side: Side,
) -> Result<()> {
    let schemas = loaded.schemas();
    let latest = schemas.newest()?;
    schema::fill(&mut out.child(describe::FragmentInfo::ARRAY_SCHEMA_LATEST)?, &latest, side)?;
    let mut map = out.child(describe::FragmentInfo::ARRAY_SCHEMAS_ALL)?;
    let mut entries = map.list(Map::<describe::ArraySchema>::ENTRIES, schemas.names().len())?;
    for (index, name) in schemas.names().iter().enumerate() {
        let mut entry = entries.get(index)?;
        entry.set_text(MapEntry::<describe::ArraySchema>::KEY, name)?;
        schema::fill(&mut entry.child(MapEntry::<describe::ArraySchema>::VALUE)?, &*schemas.get(name)?, side)?;
    }
    let mut list = out.list(describe::FragmentInfo::FRAGMENT_INFO, loaded.len())?;
    for (index, info) in loaded.iter().enumerate() {
        if with_boxes && !info.fragment().is_dense() {
            info.fragment().rtree()?;
        }
        let mut one = list.get(index)?;
        one.set_text(SingleFragmentInfo::ARRAY_SCHEMA_NAME, info.schema_name())?;
        fragment::fill(&mut one.child(SingleFragmentInfo::META)?, uri, info.fragment())?;
        one.set(SingleFragmentInfo::FRAGMENT_SIZE, info.size());
    }
    let last = |uri: &Name| uri.rsplit('/').next().unwrap_or_default().to_owned();
    out.set_texts(describe::FragmentInfo::TO_VACUUM, loaded.to_vacuum().iter().map(last))
}

/// Reads what is known of the fragments of the array at `uri`.
///
/// # Errors
/// If the bytes are none.
pub fn read(reading: Reading, resources: &Resources, uri: &Uri, bytes: &[u8]) -> Result<LoadedFragments> {
    reading.read(bytes, |view| of(resources, uri, view)).map_err(doing("deserializing fragment info"))
}

fn of(resources: &Resources, uri: &Uri, view: View<'_, describe::FragmentInfo>) -> Result<LoadedFragments> {
    let key = EncryptionKey::from_config(resources.config())?;
    let latest = needed("FragmentInfo.arraySchemaLatest", view.child(describe::FragmentInfo::ARRAY_SCHEMA_LATEST)?)?;
    let mut latest = schema::of(latest)?;
    latest.locate(uri);
    let mut schemas = schemas_of(view.child(describe::FragmentInfo::ARRAY_SCHEMAS_ALL)?, &latest)?;
    schemas.iter_mut().for_each(|schema| schema.locate(uri));
    let latest = Arc::new(latest);
    let shared = FragmentSchemas::new(&schemas, &latest);
    let mut fragments = Vec::new();
    for info in view.items(describe::FragmentInfo::FRAGMENT_INFO)?.iter() {
        let name = needed("SingleFragmentInfo.arraySchemaName", info.text(SingleFragmentInfo::ARRAY_SCHEMA_NAME)?)?;
        let meta = needed("SingleFragmentInfo.meta", info.child(SingleFragmentInfo::META)?)?;
        let schema_of = |_: &str| shared.named(name);
        let fragment = fragment::of(resources, uri, &key, meta, &schema_of)?;
        let size = info.get(SingleFragmentInfo::FRAGMENT_SIZE);
        memory::push("fragments", &mut fragments, (Arc::new(fragment), size))?;
    }
    let mut to_vacuum = Vec::new();
    for name in view.items(describe::FragmentInfo::TO_VACUUM)?.iter() {
        let name = name?;
        if name.is_empty() || name.contains('/') {
            bail!(Corrupt, "FragmentInfo.toVacuum: '{name}' is no name of a fragment");
        }
        let folder = tiledb_array::fragment::FragmentName::parse(name)?.folder(uri);
        memory::push("fragments to vacuum", &mut to_vacuum, Name::of_path(folder.as_str()))?;
    }
    let schemas = SchemaStore::told(resources, uri, &key, schemas, &latest);
    Ok(LoadedFragments::told(fragments, to_vacuum, schemas))
}
