//! Schema evolution: adds a new schema to those of the array.

use super::directory::{SCHEMAS, create_folders};
use super::reserved_paths::no_array;
use super::schemas::schema_uri;
use super::{ArrayDirectory, SchemaStore, enumerations};
use crate::created_paths::CreatedPaths;
use crate::fragment::claim;
use crate::schema::{SchemaEvolution, SchemaName};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Evolves the newest schema of the array at `uri`: writes the new enumerations, then the new schema, which ends it.
/// Fragments keep the schemas they were written with.
///
/// # Errors
/// If there is no array, the evolution does not fit its schema, or a storage operation fails; the array is as before then.
pub fn evolve(resources: &Resources, uri: &Uri, evolution: &SchemaEvolution, key: &EncryptionKey) -> Result<()> {
    resources.threads().check_computing().map_err(|error| error.prefixed("TileDB internal: "))?;
    let directory = match ArrayDirectory::load_schemas(resources.vfs(), uri) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!(NotFound, "TileDB internal: Cannot open array; {}", no_array(uri))
        }
        directory => directory?,
    };
    let newest = directory.schemas().last().ok_or_else(|| Error::internal("An array without schemas"))?;
    let schema = SchemaStore::new(resources, &directory, key).read(newest)?;
    let mut evolved = evolution.apply(&schema, resources.config().write_format_version()?)?;
    if evolution.timestamp().is_none() {
        evolved.set_name(SchemaName::new(claim(uri)));
    }
    let bytes = evolved.store(key, resources.config(), resources.stats())?;
    let enumerations = enumerations::store(&evolved, Some(&schema), key, resources.config())?;
    CreatedPaths::undo_on_error(resources.vfs(), |created| {
        if evolved.version() > schema.version() {
            create_folders(created, uri, evolved.version())?;
        }
        let folder = enumerations::folder_in(&uri.join(SCHEMAS));
        for (name, bytes) in &enumerations {
            created.put(&folder.join_relative(name)?, bytes)?;
        }
        created.put(&schema_uri(uri, evolved.name()), &bytes)
    })
}
