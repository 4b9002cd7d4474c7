//! Upgrades an array to the current format version, or to that of `sm.write_format_version`: writes its latest schema again in
//! that version. Later fragments have the new version; existing ones are unchanged.

use super::directory::create_folders;
use super::schemas::schema_uri;
use super::{ArrayDirectory, SchemaStore};
use crate::created_paths::CreatedPaths;
use crate::fragment::claim;
use crate::schema::SchemaName;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::types::CURRENT_VERSION;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Upgrades the array at `uri`; does nothing where its newest schema is of that version or a newer one.
///
/// # Errors
/// If there is no array, its schema cannot be read with the key, or a storage operation fails.
pub fn upgrade(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<()> {
    resources.threads().check_computing().map_err(|error| error.prefixed("TileDB internal: "))?;
    let vfs = resources.vfs();
    let directory = match ArrayDirectory::load_schemas(vfs, uri) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!(NotFound, "Array: Cannot upgrade array; Array '{uri}' does not exist")
        }
        directory => directory?,
    };
    let newest = directory.schemas().last().ok_or_else(|| Error::internal("An array without schemas"))?;
    let mut schema = SchemaStore::new(resources, &directory, key).read(newest)?;
    let version = resources.config().write_format_version()?.unwrap_or(CURRENT_VERSION);
    if schema.version() >= version {
        return Ok(());
    }
    schema.raise_version(version);
    schema.set_name(SchemaName::new(claim(uri)));
    let bytes = schema.store(key, resources.config(), resources.stats())?;
    CreatedPaths::undo_on_error(vfs, |created| {
        // The folders that new fragments need are created before the schema of the new version.
        create_folders(created, uri, version)?;
        created.put(&schema_uri(uri, schema.name()), &bytes)
    })
}
