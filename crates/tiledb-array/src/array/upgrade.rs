//! Upgrades an array to the current format version: writes its latest schema again in that version. Later fragments have the
//! new version; existing ones are unchanged.

use super::directory::FOLDERS;
use super::schemas::schema_uri;
use super::{ArrayDirectory, SchemaStore};
use crate::fragment::claim;
use crate::schema::SchemaName;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::stats::Counter;
use tiledb_core::types::CURRENT_VERSION;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Upgrades the array at `uri`; does nothing where its newest schema is of the current version or a newer one.
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
    if schema.version() >= CURRENT_VERSION {
        return Ok(());
    }
    schema.set_current_version();
    schema.set_name(SchemaName::new(claim(uri)));
    let bytes = generic::store(&schema.write()?, key, resources.stats(), Counter::SchemaWritten)?;
    // The folders that new fragments need are created before the schema of the current version.
    for folder in FOLDERS {
        vfs.create_dir(&uri.join(folder))?;
    }
    vfs.put(&schema_uri(uri, schema.name()), &bytes)
}
