//! Construction of an open array from a message instead of its directory.

use std::sync::{Arc, OnceLock};

use super::open::{ArraySnapshot, record_dropped_attributes};
use super::unconsolidated::names_to_read;
use super::{ArrayDirectory, ArraySource, Metadata, OpenArray, SchemaStore};
use crate::fragment::Fragment;
use crate::schema::{ArraySchema, EnumerationSource};
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::types::{NdRange, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Contents of an open array. Missing parts are loaded from the source, or from the array's directory if there is none.
pub struct OpenArrayParts {
    pub uri: Uri,
    pub query_type: QueryType,
    /// The window it is open at.
    pub timestamps: (u64, u64),
    pub key: EncryptionKey,
    /// The schema as of the window.
    pub schema: ArraySchema,
    /// All schemas, that one among them; by name.
    pub schemas: Vec<ArraySchema>,
    pub directory: Option<ArrayDirectory>,
    /// The fragments to read.
    pub fragments: Option<Vec<Arc<Fragment>>>,
    pub metadata: Option<Metadata>,
    /// The bounding box of all cells; `Some(None)` if there are none.
    pub non_empty_domain: Option<Option<NdRange>>,
    /// The server of a remote array.
    pub source: Option<Arc<dyn ArraySource>>,
}

impl OpenArray {
    /// Constructs an open array.
    ///
    /// # Errors
    /// If its directory, or a schema older than that of the window, is needed and cannot be read.
    pub fn from_parts(resources: &Resources, mut parts: OpenArrayParts) -> Result<OpenArray> {
        let source = parts
            .source
            .clone()
            .map(|source| -> EnumerationSource { Arc::new(move |known| source.enumeration(known)) });
        let source = source.unwrap_or_else(|| super::enumerations::source(resources, &parts.uri, &parts.key));
        for schema in parts.schemas.iter_mut().chain([&mut parts.schema]) {
            schema.set_enumeration_source(&source);
            schema.locate(&parts.uri);
        }
        let is_stored = parts.source.is_none() && parts.query_type == QueryType::Read;
        let directory = match parts.directory {
            Some(directory) => directory,
            None if is_stored => listed(resources, &parts.uri)?,
            None => ArrayDirectory::empty(&parts.uri),
        };
        let schema = Arc::new(parts.schema);
        let schemas = SchemaStore::with_directory(resources, &directory, &parts.key, parts.schemas, &schema);
        let names = match (&parts.fragments, is_stored) {
            (Some(fragments), _) => fragments.iter().map(|fragment| fragment.name().clone()).collect(),
            (None, true) => names_to_read(resources.vfs(), &directory, &schemas, &schema, parts.timestamps)?,
            (None, false) => Vec::new(),
        };
        if is_stored && let Some(fragments) = &parts.fragments {
            record_dropped_attributes(&schemas, &schema, fragments)?;
        }
        let mut opened =
            ArraySnapshot::new(directory, &parts.key, parts.query_type, parts.timestamps, schemas, schema, names);
        opened.fragments = parts.fragments.map(OnceLock::from).unwrap_or_default();
        opened.metadata = parts.metadata.map(OnceLock::from).unwrap_or_default();
        *opened.supplied_domain() = parts.non_empty_domain;
        opened.source = parts.source;
        Ok(OpenArray::of(resources, opened))
    }
}

impl OpenArray {
    /// Sets metadata from a message.
    ///
    /// # Errors
    /// If metadata were loaded already.
    pub(super) fn set_metadata(&self, metadata: Metadata) -> Result<()> {
        match self.opened.metadata.set(metadata) {
            Ok(()) => Ok(()),
            Err(_) => bail!("Array: Cannot deserialize metadata; The metadata of the array were read already"),
        }
    }

    /// Sets the non-empty domain from a message.
    pub fn set_non_empty_domain(&self, domain: Option<NdRange>) {
        *self.opened.supplied_domain() = Some(domain);
    }
}

/// Lists an array's directory; empty if there is none.
fn listed(resources: &Resources, uri: &Uri) -> Result<ArrayDirectory> {
    match ArrayDirectory::load(resources.vfs(), uri) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(ArrayDirectory::empty(uri)),
        listed => listed,
    }
}
