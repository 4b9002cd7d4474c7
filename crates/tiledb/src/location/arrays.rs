//! Operations on arrays by their URIs.

use std::sync::Arc;

use super::{Location, at_location};
use tiledb_array::array::{self, OnRemoved};
use tiledb_array::object;
use tiledb_array::schema::{ArraySchema, SchemaEvolution};
use tiledb_core::error::Result;
use tiledb_core::types::{EncryptionType, ObjectType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_maintain::maintain::{self, OnMerged};
#[cfg(feature = "rest")]
use tiledb_rest::client;
use tiledb_storage::resources::Resources;

/// The key with which arrays are opened, by the configuration.
///
/// # Errors
/// If its type or its length is invalid.
pub fn opening_key(resources: &Resources) -> Result<EncryptionKey> {
    EncryptionKey::for_opening(resources.config())
}

impl Location<'_> {
    /// The type of the object.
    ///
    /// # Errors
    /// If a storage or server operation fails.
    pub fn object_type(self, resources: &Resources) -> Result<ObjectType> {
        at_location!(self, uri =>
            object::object_type(resources.vfs(), uri),
            client::objects::object_type(resources, uri))
    }

    /// Creates an array; a stored one is encrypted with the key of the configuration, if there is one.
    ///
    /// # Errors
    /// If the key is invalid, there is something already, or a storage or server operation fails.
    pub fn create_array(self, resources: &Resources, schema: &ArraySchema) -> Result<()> {
        let key = EncryptionKey::from_config(resources.config())?;
        at_location!(self, uri =>
            array::create(resources, uri, schema, &key),
            client::arrays::create(resources, uri, schema))
    }

    /// Loads the newest schema of an array.
    ///
    /// # Errors
    /// If there is no array, or it cannot be read with the key.
    pub fn load_schema(self, resources: &Resources, key: &EncryptionKey) -> Result<Arc<ArraySchema>> {
        at_location!(self, uri =>
            array::load_schema(resources, uri, key),
            client::arrays::load_schema(resources, uri))
    }

    /// Evolves the schema of an array.
    ///
    /// # Errors
    /// If the changes do not fit, or a storage or server operation fails.
    pub fn evolve(self, resources: &Resources, changes: &SchemaEvolution) -> Result<()> {
        at_location!(self, uri =>
            array::evolve(resources, uri, changes, &EncryptionKey::from_config(resources.config())?),
            client::arrays::evolve(resources, uri, changes))
    }

    /// Stores the newest schema of an array in the current format version.
    ///
    /// # Errors
    /// If there is no array, or storage fails.
    pub fn upgrade(self, resources: &Resources) -> Result<()> {
        array::upgrade(resources, self.uri(), &EncryptionKey::from_config(resources.config())?)
    }

    /// How an array is encrypted.
    ///
    /// # Errors
    /// If its schema cannot be read, and for arrays on a server.
    pub fn encryption_type(self, resources: &Resources) -> Result<EncryptionType> {
        let uri = self.unless_on_server("Getting the encryption type of remote arrays is not supported")?;
        array::encryption_type(resources, uri)
    }

    /// Deletes an array.
    ///
    /// # Errors
    /// If there is none, or a storage or server operation fails.
    pub fn delete_array(self, resources: &Resources) -> Result<()> {
        at_location!(self, uri => array::delete(resources, uri), client::arrays::delete(resources, uri))
    }

    /// Deletes the fragments of a window of time.
    ///
    /// # Errors
    /// If a storage or server operation fails.
    pub fn delete_fragments(self, resources: &Resources, window: (u64, u64)) -> Result<()> {
        at_location!(self, uri =>
            array::delete_fragments(resources, uri, window),
            client::fragments::delete(resources, uri, window))
    }

    /// Deletes fragments by their URIs.
    ///
    /// # Errors
    /// If one is not there, or a storage or server operation fails.
    pub fn delete_named_fragments(self, resources: &Resources, fragments: &[String]) -> Result<()> {
        at_location!(self, uri =>
            array::delete_named_fragments(resources, uri, fragments),
            client::fragments::delete_named(resources, uri, fragments))
    }

    /// Consolidates an array, in the mode of the configuration, and reports progress in cells; a server reports none.
    ///
    /// # Errors
    /// If a storage or server operation fails, any error of `on_merged`, and on cancellation.
    pub fn consolidate(self, resources: &Resources, on_merged: OnMerged<'_>) -> Result<()> {
        at_location!(self, uri =>
            maintain::consolidate(resources, uri, on_merged),
            client::arrays::consolidate(resources, uri))
    }

    /// Consolidates fragments by their names.
    ///
    /// # Errors
    /// If a storage operation fails, and for arrays on a server.
    pub fn consolidate_fragments(self, resources: &Resources, names: &[String], on_merged: OnMerged<'_>) -> Result<()> {
        maintain::consolidate_fragments(resources, self.unless_on_server(Location::NO_CONSOLIDATION)?, names, on_merged)
    }

    /// Vacuums an array, which removes the files that a consolidation has superseded. With `on_removed` it reports progress in
    /// files, and can be cancelled; a server reports none.
    ///
    /// # Errors
    /// If a storage or server operation fails, any error of `on_removed`, and on cancellation.
    pub fn vacuum(self, resources: &Resources, on_removed: Option<OnRemoved<'_>>) -> Result<()> {
        at_location!(
            self,
            uri => match on_removed {
                Some(on_removed) => maintain::vacuum_with_progress(resources, uri, on_removed),
                None => maintain::vacuum(resources, uri),
            },
            client::arrays::vacuum(resources, uri),
        )
    }
}
