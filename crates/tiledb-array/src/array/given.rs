//! Arrays that are open by what somebody tells of them instead of by their folder.

use std::sync::{Arc, OnceLock};

use super::open::Opened;
use super::unmerged::names_to_read;
use super::{ArrayDirectory, Metadata, OpenArray, SchemaStore, Source};
use crate::fragment::Fragment;
use crate::schema::{ArraySchema, EnumerationSource};
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::types::{NdRange, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// What is told of an open array. What is not told is asked of the source, or looked up in the array's folder without one.
pub struct Given {
    /// Where the array is.
    pub uri: Uri,
    /// What it is open for.
    pub query_type: QueryType,
    /// The window it is open at.
    pub timestamps: (u64, u64),
    /// Its key.
    pub key: EncryptionKey,
    /// The schema as of the window.
    pub schema: ArraySchema,
    /// All schemas, that one among them; by name.
    pub schemas: Vec<ArraySchema>,
    /// What lies in its folder.
    pub directory: Option<ArrayDirectory>,
    /// The fragments to read.
    pub fragments: Option<Vec<Arc<Fragment>>>,
    /// Its metadata.
    pub metadata: Option<Metadata>,
    /// The box around all cells; `Some(None)` where there are none.
    pub non_empty_domain: Option<Option<NdRange>>,
    /// The server that it lies behind.
    pub source: Option<Arc<dyn Source>>,
}

impl OpenArray {
    /// An array that is open.
    ///
    /// # Errors
    /// If its folder has to be looked at and cannot be read.
    pub fn given(resources: &Resources, mut given: Given) -> Result<OpenArray> {
        let source = given
            .source
            .clone()
            .map(|source| -> EnumerationSource { Arc::new(move |known| source.enumeration(known)) });
        let source = source.unwrap_or_else(|| super::enumerations::source(resources, &given.uri, &given.key));
        for schema in given.schemas.iter_mut().chain([&mut given.schema]) {
            schema.set_enumeration_source(&source);
            schema.locate(&given.uri);
        }
        let is_stored = given.source.is_none() && given.query_type == QueryType::Read;
        let directory = match given.directory {
            Some(directory) => directory,
            None if is_stored => listed(resources, &given.uri)?,
            None => ArrayDirectory::empty(&given.uri),
        };
        let schema = Arc::new(given.schema);
        let schemas = SchemaStore::given(resources, &directory, &given.key, given.schemas, &schema);
        let names = match (&given.fragments, is_stored) {
            (Some(fragments), _) => fragments.iter().map(|fragment| fragment.name().clone()).collect(),
            (None, true) => names_to_read(resources.vfs(), &directory, &schemas, &schema, given.timestamps)?,
            (None, false) => Vec::new(),
        };
        let mut opened = Opened::new(directory, &given.key, given.query_type, given.timestamps, schemas, schema, names);
        opened.fragments = given.fragments.map(OnceLock::from).unwrap_or_default();
        opened.metadata = given.metadata.map(OnceLock::from).unwrap_or_default();
        *opened.told_domain() = given.non_empty_domain;
        opened.source = given.source;
        Ok(OpenArray::of(resources, opened))
    }
}

impl OpenArray {
    /// Takes metadata that a message tells.
    ///
    /// # Errors
    /// If its own were read already.
    pub(super) fn tell_metadata(&self, metadata: Metadata) -> Result<()> {
        match self.opened.metadata.set(metadata) {
            Ok(()) => Ok(()),
            Err(_) => bail!("Array: Cannot deserialize metadata; The metadata of the array were read already"),
        }
    }

    /// Takes a non-empty domain that a message tells.
    pub fn tell_domain(&self, domain: Option<NdRange>) {
        *self.opened.told_domain() = Some(domain);
    }
}

/// What lies in an array's folder; nothing where there is none.
fn listed(resources: &Resources, uri: &Uri) -> Result<ArrayDirectory> {
    match ArrayDirectory::load(resources.vfs(), uri) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(ArrayDirectory::empty(uri)),
        listed => listed,
    }
}
