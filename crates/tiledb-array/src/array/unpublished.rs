//! Arrays that get their contents before they are arrays: copies. A folder is an array once its folder of schemas has that name.
//! Until the contents are complete, the schema is in a folder of another name, which tells a later copy what a failed one has left.

use std::sync::Arc;

use super::copy_kind::CopyKind;
use super::create::{self, Prepared, SchemaFolder};
use super::directory::{FOLDERS, SCHEMAS, create_data_folders};
use super::open_parts::OpenArrayParts;
use super::{ArrayDirectory, OpenArray, SchemaStore, enumerations, load_schema};
use crate::created_paths::CreatedPaths;
use crate::fragment::{Fragment, times_of};
use crate::schema::ArraySchema;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::types::QueryType;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{DirItem, Uri, Vfs};

/// A copy of an array that is being written. [`UnpublishedArray::publish`] makes it an array.
pub struct UnpublishedArray {
    resources: Resources,
    uri: Uri,
    key: EncryptionKey,
    kind: CopyKind,
    schema: Arc<ArraySchema>,
    /// An earlier attempt published it.
    is_published: bool,
}

impl UnpublishedArray {
    /// Creates the folders of an array, and its schema in a folder of another name. The arrays of its labels are not created.
    ///
    /// # Errors
    /// If there is an array, the schema is incomplete, or a storage operation fails; what was created by then is removed.
    pub fn create(
        resources: &Resources,
        uri: &Uri,
        schema: &ArraySchema,
        key: &EncryptionKey,
        kind: CopyKind,
    ) -> Result<UnpublishedArray> {
        let schema = CreatedPaths::undo_on_error(resources.vfs(), |created| {
            let Prepared { mut schema, bytes, enumerations, .. } = create::prepare(resources, uri, schema, key)?;
            if !created.create_dir(uri)? {
                create::check_absent(resources, uri)?;
            }
            create::name_schema(&mut schema, uri);
            // It comes first, so that whatever a failed copy leaves is known as such.
            let folder = SchemaFolder { schema: &schema, bytes: &bytes, enumerations: &enumerations };
            folder.write(created, &uri.join(kind.folder()))?;
            create_data_folders(created, uri)?;
            Ok(schema)
        })?;
        Ok(UnpublishedArray::of(resources, uri, key, kind, Arc::new(schema), false))
    }

    /// The copy that an earlier attempt has left at `uri`, which may be published; nothing if there is none.
    ///
    /// # Errors
    /// If its schema cannot be read.
    pub fn load(
        resources: &Resources,
        uri: &Uri,
        key: &EncryptionKey,
        kind: CopyKind,
    ) -> Result<Option<UnpublishedArray>> {
        match load_schema(resources, uri, key) {
            Ok(schema) => return Ok(Some(UnpublishedArray::of(resources, uri, key, kind, schema, true))),
            Err(error) if error.kind() == ErrorKind::NotFound => (),
            Err(error) => return Err(error),
        }
        let folder = uri.join(kind.folder());
        let names = resources.vfs().names(&folder)?;
        let Some(file) = names.iter().find(|item| !item.is_dir && times_of(&item.name).is_some()) else {
            return Ok(None);
        };
        let store = SchemaStore::new(resources, &ArrayDirectory::empty(uri), key);
        let schema = store.read_at(&folder.join(&file.name), &file.name)?;
        Ok(Some(UnpublishedArray::of(resources, uri, key, kind, Arc::new(schema), false)))
    }

    fn of(
        resources: &Resources,
        uri: &Uri,
        key: &EncryptionKey,
        kind: CopyKind,
        schema: Arc<ArraySchema>,
        is_published: bool,
    ) -> UnpublishedArray {
        let (resources, uri, key) = (resources.clone(), uri.clone(), key.clone());
        UnpublishedArray { resources, uri, key, kind, schema, is_published }
    }

    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    /// True if an earlier attempt has made it an array, to which others may have written since.
    pub fn is_published(&self) -> bool {
        self.is_published
    }

    /// Lists what was copied.
    ///
    /// # Errors
    /// If the storage fails or a commit file is corrupt.
    pub fn directory(&self) -> Result<ArrayDirectory> {
        ArrayDirectory::load_contents(self.resources.vfs(), &self.uri)
    }

    /// All fragments that were copied, also those that readers see at earlier times only, by name.
    ///
    /// # Errors
    /// If a fragment cannot be read.
    pub fn fragments(&self, directory: &ArrayDirectory) -> Result<Vec<Arc<Fragment>>> {
        let copy = self.open_to_read(directory.clone(), Some(Vec::new()))?;
        copy.load_listed(directory.fragments())
    }

    /// The copy, opened for writing fragments.
    ///
    /// # Errors
    /// None that depend on storage.
    pub fn open_to_write(&self) -> Result<OpenArray> {
        self.open(QueryType::Write, (0, u64::MAX), ArrayDirectory::empty(&self.uri), None)
    }

    /// The copy, opened for reading some of its fragments, or all.
    ///
    /// # Errors
    /// If a fragment cannot be read.
    pub fn open_to_read(&self, directory: ArrayDirectory, fragments: Option<Vec<Arc<Fragment>>>) -> Result<OpenArray> {
        // The greatest number is the time at which living cells will be deleted.
        self.open(QueryType::Read, (0, u64::MAX - 1), directory, fragments)
    }

    fn open(
        &self,
        query_type: QueryType,
        timestamps: (u64, u64),
        directory: ArrayDirectory,
        fragments: Option<Vec<Arc<Fragment>>>,
    ) -> Result<OpenArray> {
        let parts = OpenArrayParts {
            uri: self.uri.clone(),
            query_type,
            timestamps,
            key: self.key.clone(),
            schema: ArraySchema::clone(&self.schema),
            schemas: vec![ArraySchema::clone(&self.schema)],
            directory: Some(directory),
            fragments,
            metadata: None,
            non_empty_domain: None,
            source: None,
        };
        OpenArray::from_parts(&self.resources, parts)
    }

    /// Makes the copy an array.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn publish(&self) -> Result<()> {
        if self.is_published {
            return Ok(());
        }
        let vfs = self.resources.vfs();
        let (from, to) = (self.uri.join(self.kind.folder()), self.uri.join(SCHEMAS));
        if !vfs.is_remote(&self.uri)? && !vfs.is_dir(&to)? {
            let moved = vfs.move_dir(&from, &to);
            if moved.is_ok() || !vfs.is_dir(&from)? {
                return moved;
            }
        }
        // The file system cannot rename folders, or storage has none: the schema comes last.
        let enumerations = enumerations::folder_in(&from);
        for item in vfs.names(&enumerations)? {
            let bytes = vfs.read(&enumerations.join(&item.name))?;
            vfs.put(&enumerations::folder_in(&to).join(&item.name), &bytes)?;
        }
        let name = self.schema.name();
        vfs.put(&to.join(name), &vfs.read(&from.join(name))?)?;
        // It is of no use, and does no harm.
        _ = vfs.remove_dir(&from);
        Ok(())
    }

    /// Makes a copy that was published no array again, where that is possible.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn withdraw(&self) -> Result<()> {
        let vfs = self.resources.vfs();
        let (from, to) = (self.uri.join(SCHEMAS), self.uri.join(self.kind.folder()));
        if vfs.is_remote(&self.uri)? {
            return vfs.remove_files(&[from.join(self.schema.name())]);
        }
        if vfs.is_dir(&from)? { vfs.move_dir(&from, &to) } else { Ok(()) }
    }
}

/// Removes an unpublished copy, if there is one and no array: last the folder that tells that it is one. Other files in its folder
/// stay. Of a copy that was killed before it had stored a schema only that folder is there.
///
/// # Errors
/// If a storage operation fails.
pub fn remove_unpublished(vfs: &Vfs, uri: &Uri, kind: CopyKind) -> Result<()> {
    match ArrayDirectory::load_schemas(vfs, uri) {
        Err(error) if error.kind() == ErrorKind::NotFound => (),
        loaded => return loaded.map(drop),
    }
    if vfs.names(&uri.join(kind.folder()))?.is_empty() {
        return vfs.remove_empty_dir(&uri.join(kind.folder()));
    }
    let items = vfs.names(uri)?;
    let folders = items.iter().filter(|item: &&DirItem| item.is_dir && FOLDERS.contains(&item.name.as_str()));
    let (commits, data): (Vec<&DirItem>, Vec<&DirItem>) = folders.partition(|item| item.name == "__commits");
    let uris = |items: &[&DirItem]| items.iter().map(|item| uri.join(&item.name)).collect::<Vec<Uri>>();
    vfs.remove_dirs(&[&uris(&commits), &uris(&data), &[uri.join(kind.folder())]])?;
    vfs.remove_empty_dir(uri)
}
