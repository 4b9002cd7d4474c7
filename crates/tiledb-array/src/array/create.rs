//! Creation of arrays.

use super::copy_kind::CopyKind;
use super::directory::{SCHEMAS, STAGED_SCHEMAS, create_data_folders};
use super::reserved_paths::check_unreserved;
use super::{ArrayDirectory, delete, enumerations};
use crate::created_paths::CreatedPaths;
use crate::fragment::{claim, note, times_of};
use crate::schema::{ArraySchema, SchemaName, timestamped_name};
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::types::Name;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Creates an array: its folders, the arrays of its labels, and last the folder with its enumerations and its schema, which
/// completes it.
///
/// # Errors
/// If the array exists already, the URI is among the files of an array or a group, the schema is incomplete, or a
/// storage operation fails; what was created by then is removed.
pub fn create(resources: &Resources, uri: &Uri, schema: &ArraySchema, key: &EncryptionKey) -> Result<()> {
    check_unreserved(resources.vfs(), uri, "Array: Cannot create array")?;
    CreatedPaths::undo_on_error(resources.vfs(), |created| {
        let done = create_at(resources, uri, schema, key, created);
        // Another process may have created the array in the same folders meanwhile.
        if done.is_err() && created.count() > 0 && exists(resources, uri).is_ok_and(|exists| exists) {
            created.keep();
        }
        done
    })
}

/// Creates an array without checking its location: the arrays of labels are in the folder of another array.
fn create_at(
    resources: &Resources,
    uri: &Uri,
    schema: &ArraySchema,
    key: &EncryptionKey,
    created: &mut CreatedPaths<'_>,
) -> Result<()> {
    let taken = || check_absent(resources, uri);
    let prepared = prepare(resources, uri, schema, key).or_else(|error| taken().and(Err(error)))?;
    let Prepared { mut schema, bytes, enumerations, labels } = prepared;
    // If the name was not in use, there was no array.
    if !created.create_dir(uri)? {
        taken()?;
    }
    name_schema(&mut schema, uri);
    create_data_folders(created, uri)?;
    for (uri, schema) in labels {
        // The arrays of labels may be left over from a failed creation.
        if exists(resources, &uri)? {
            delete(resources, &uri)?;
        }
        create_at(resources, &uri, &schema, key, created)?;
    }
    let folder = SchemaFolder { schema: &schema, bytes: &bytes, enumerations: &enumerations };
    let target = uri.join(SCHEMAS);
    if resources.vfs().is_remote(uri)? {
        // The object of the schema is all of the folder.
        return folder.write(created, &target);
    }
    let staged = uri.join(&format!("{STAGED_SCHEMAS}{}", timestamped_name(0, 0)));
    let first = created.count();
    folder.write(created, &staged)?;
    if created.rename_dir(&staged, &target).is_ok() {
        return Ok(());
    }
    created.undo_from(first);
    taken()?;
    // The file system cannot rename folders, or a creation that was killed has left the folder.
    folder.write(created, &target)
}

/// Rejects the URI of an array, and on a disk, where it costs no request, that of an incomplete copy, whose fragments would be taken
/// for those of the new array.
pub(super) fn check_absent(resources: &Resources, uri: &Uri) -> Result<()> {
    let vfs = resources.vfs();
    if exists(resources, uri)? {
        bail!(
            "Array: Cannot create array; Array '{uri}' already exists: open it, or remove it with tiledb_object_remove"
        );
    }
    if vfs.is_remote(uri)? {
        return Ok(());
    }
    for kind in CopyKind::ALL {
        if vfs.is_dir(&uri.join(kind.folder()))? {
            bail!("Array: Cannot create array; '{uri}' has an incomplete copy of an array; delete it first");
        }
    }
    Ok(())
}

/// Names the schema of a new array, if it has no name, and notes its timestamp.
pub(super) fn name_schema(schema: &mut ArraySchema, uri: &Uri) {
    match schema.schema_name().is_legacy() {
        true => schema.set_name(SchemaName::new(claim(uri))),
        false => times_of(schema.name()).into_iter().for_each(|(_, time)| note(uri, time)),
    }
}

/// Contents of the folder of schemas of a new array.
pub(super) struct SchemaFolder<'a> {
    pub(super) schema: &'a ArraySchema,
    pub(super) bytes: &'a [u8],
    pub(super) enumerations: &'a [(Name, Vec<u8>)],
}

impl SchemaFolder<'_> {
    /// Writes the folder, last the schema.
    pub(super) fn write(&self, created: &mut CreatedPaths<'_>, folder: &Uri) -> Result<()> {
        let enumerations = enumerations::folder_in(folder);
        created.create_dir(if self.schema.version().has_enumerations() { &enumerations } else { folder })?;
        for (name, bytes) in self.enumerations {
            created.put(&enumerations.join_relative(name)?, bytes)?;
        }
        created.put(&folder.join(self.schema.name()), self.bytes)
    }
}

/// Serialized schema, prepared before anything is written.
pub(super) struct Prepared {
    pub(super) schema: ArraySchema,
    /// Serialized schema.
    pub(super) bytes: Vec<u8>,
    /// Serialized enumerations, by the names of their files.
    pub(super) enumerations: Vec<(Name, Vec<u8>)>,
    /// The arrays of its labels.
    labels: Vec<(Uri, ArraySchema)>,
}

pub(super) fn prepare(resources: &Resources, uri: &Uri, schema: &ArraySchema, key: &EncryptionKey) -> Result<Prepared> {
    schema.check()?;
    schema.check_current_domain()?;
    enumerations::check_sizes(resources.config(), schema)?;
    let mut schema = schema.clone();
    schema.select_version(resources.config().write_format_version()?)?;
    let labels = label_arrays(uri, &schema)?;
    schema.fit_images()?;
    let bytes = schema.store(key, resources.config(), resources.stats())?;
    let enumerations = enumerations::store(&schema, None, key, resources.config())?;
    Ok(Prepared { schema, bytes, enumerations, labels })
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
