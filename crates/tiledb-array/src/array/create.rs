//! Creation of arrays.

use super::directory::create_folders;
use super::reserved_paths::check_unreserved;
use super::schemas::schema_uri;
use super::{ArrayDirectory, delete, enumerations};
use crate::fragment::{claim, note, times_of};
use crate::schema::{ArraySchema, SchemaName};
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Creates an array: its folders, its enumerations and the arrays of its labels, and last its schema, which completes
/// it.
///
/// # Errors
/// If the array exists already, the URI is among the files of an array or a group, the schema is incomplete, or a
/// storage operation fails.
pub fn create(resources: &Resources, uri: &Uri, schema: &ArraySchema, key: &EncryptionKey) -> Result<()> {
    check_unreserved(resources.vfs(), uri, "Array: Cannot create array")?;
    create_at(resources, uri, schema, key)
}

/// Creates an array without checking its location: the arrays of labels are in the folder of another array.
fn create_at(resources: &Resources, uri: &Uri, schema: &ArraySchema, key: &EncryptionKey) -> Result<()> {
    let vfs = resources.vfs();
    let taken = || match exists(resources, uri)? {
        true => bail!("Array: Cannot create array; Array '{uri}' already exists"),
        false => Ok(()),
    };
    let prepared = prepare(resources, uri, schema, key).or_else(|error| taken().and(Err(error)))?;
    let Prepared { mut schema, bytes, labels } = prepared;
    // If the name was not in use, there was no array.
    if !vfs.make_dir(uri)? {
        taken()?;
    }
    match schema.schema_name().is_legacy() {
        true => schema.set_name(SchemaName::new(claim(uri))),
        false => times_of(schema.name()).into_iter().for_each(|(_, time)| note(uri, time)),
    }
    create_folders(vfs, uri, schema.version())?;
    enumerations::write(resources, uri, &schema, None, key)?;
    for (uri, schema) in labels {
        // The arrays of labels may be left over from a failed creation.
        if exists(resources, &uri)? {
            delete(resources, &uri)?;
        }
        create_at(resources, &uri, &schema, key)?;
    }
    vfs.put(&schema_uri(uri, schema.name()), &bytes)
}

/// Serialized schema, prepared before anything is written.
struct Prepared {
    schema: ArraySchema,
    /// Serialized schema.
    bytes: Vec<u8>,
    /// The arrays of its labels.
    labels: Vec<(Uri, ArraySchema)>,
}

fn prepare(resources: &Resources, uri: &Uri, schema: &ArraySchema, key: &EncryptionKey) -> Result<Prepared> {
    schema.check()?;
    schema.check_current_domain()?;
    enumerations::check_sizes(resources.config(), schema)?;
    let mut schema = schema.clone();
    schema.select_version(resources.config().write_format_version()?)?;
    let labels = label_arrays(uri, &schema)?;
    schema.fit_images()?;
    let bytes = schema.store(key, resources.stats())?;
    Ok(Prepared { schema, bytes, labels })
}

/// True if there is an array: folders without a schema are what a creation that did not end has left.
fn exists(resources: &Resources, uri: &Uri) -> Result<bool> {
    match ArrayDirectory::load_schemas(resources.vfs(), uri) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// URIs and schemas of the arrays of the labels. They have no labels themselves.
fn label_arrays(array: &Uri, schema: &ArraySchema) -> Result<Vec<(Uri, ArraySchema)>> {
    schema.labels().iter().map(|label| Ok((label.array_uri(array)?, schema.label_schema(label)?))).collect()
}
