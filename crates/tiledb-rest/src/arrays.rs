//! Operations on arrays: those at `tiledb://` URIs are executed by their server, all others by this library on storage.

use std::sync::Arc;

#[cfg(feature = "rest")]
use super::rest;
use tiledb_array::array::{self, Array, FragmentInfo, OnRemoved, OpenArray};
use tiledb_array::object;
use tiledb_array::schema::{ArraySchema, SchemaEvolution};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{EncryptionType, ObjectType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_maintain::maintain::{self, ConsolidationPlan, OnMerged};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Dispatches to the server for URIs of a server.
macro_rules! dispatch_remote {
    ($uri:expr, $call:expr) => {
        #[cfg(feature = "rest")]
        if $uri.is_tiledb() {
            return $call;
        }
    };
}
pub(super) use dispatch_remote;

/// The type of the object at a URI.
///
/// # Errors
/// If a storage or server operation fails.
pub fn object_type(resources: &Resources, uri: &Uri) -> Result<ObjectType> {
    dispatch_remote!(uri, rest::objects::object_type(resources, uri));
    object::object_type(resources.vfs(), uri)
}

/// Creates an array; a stored one is encrypted with `key`.
///
/// # Errors
/// If there is something already, or a storage or server operation fails.
pub fn create(resources: &Resources, uri: &Uri, schema: &ArraySchema, key: &EncryptionKey) -> Result<()> {
    dispatch_remote!(uri, rest::arrays::create(resources, uri, schema));
    array::create(resources, uri, schema, key)
}

/// Loads the newest schema of an array.
///
/// # Errors
/// If it cannot be had.
pub fn load_schema(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<Arc<ArraySchema>> {
    dispatch_remote!(uri, rest::arrays::load_schema(resources, uri));
    array::load_schema(resources, uri, key)
}

/// Opens a handle's array. `query_type` is the number of C.
///
/// # Errors
/// As [`Array::open`].
pub fn open(array: &Array, query_type: u32) -> Result<()> {
    dispatch_remote!(array.uri(), rest::arrays::open(array, query_type));
    array.open(query_type)
}

/// Reopens the array of a handle.
///
/// # Errors
/// As [`Array::reopen`].
pub fn reopen(array: &Array) -> Result<()> {
    dispatch_remote!(array.uri(), rest::arrays::reopen(array));
    array.reopen()
}

/// Evolves the schema of an array.
///
/// # Errors
/// If the changes do not fit, or a storage or server operation fails.
pub fn evolve(resources: &Resources, uri: &Uri, changes: &SchemaEvolution) -> Result<()> {
    dispatch_remote!(uri, rest::arrays::evolve(resources, uri, changes));
    array::evolve(resources, uri, changes, &EncryptionKey::from_config(resources.config())?)
}

/// How an array is encrypted.
///
/// # Errors
/// If its schema cannot be read, and for arrays on a server.
pub fn encryption_type(resources: &Resources, uri: &Uri) -> Result<EncryptionType> {
    if uri.is_tiledb() {
        bail!("Getting the encryption type of remote arrays is not supported.");
    }
    array::encryption_type(resources, uri)
}

/// Deletes an array.
///
/// # Errors
/// If there is none, or a storage or server operation fails.
pub fn delete(resources: &Resources, uri: &Uri) -> Result<()> {
    dispatch_remote!(uri, rest::arrays::delete(resources, uri));
    array::delete(resources, uri)
}

/// Deletes the fragments of a window of time.
///
/// # Errors
/// If a storage or server operation fails.
pub fn delete_fragments(resources: &Resources, uri: &Uri, window: (u64, u64)) -> Result<()> {
    dispatch_remote!(uri, rest::fragments::delete(resources, uri, window));
    array::delete_fragments(resources, uri, window)
}

/// Deletes fragments by their URIs.
///
/// # Errors
/// If one is not there, or a storage or server operation fails.
pub fn delete_named_fragments(resources: &Resources, uri: &Uri, fragments: &[String]) -> Result<()> {
    dispatch_remote!(uri, rest::fragments::delete_named(resources, uri, fragments));
    array::delete_named_fragments(resources, uri, fragments)
}

/// Consolidates an array, in the mode of the configuration.
///
/// # Errors
/// If a storage or server operation fails.
pub fn consolidate(resources: &Resources, uri: &Uri) -> Result<()> {
    consolidate_watched(resources, uri, &mut |_| Ok(()))
}

/// As [`consolidate`], and reports progress in cells; a server reports none.
///
/// # Errors
/// As [`consolidate`], any error of `on_merged`, and on cancellation.
pub fn consolidate_watched(resources: &Resources, uri: &Uri, on_merged: OnMerged<'_>) -> Result<()> {
    dispatch_remote!(uri, rest::arrays::consolidate(resources, uri));
    maintain::consolidate(resources, uri, on_merged)
}

/// Rejects arrays on a server to functions that read their files.
///
/// # Errors
/// If it is on one.
pub fn check_stored(function: &str, uri: &Uri) -> Result<()> {
    if uri.is_tiledb() {
        bail!("{function}: '{uri}' is on a TileDB server, which shows no files; call it where the array is stored");
    }
    Ok(())
}

/// Consolidates fragments by their names.
///
/// # Errors
/// If a storage operation fails, and for arrays on a server.
pub fn consolidate_fragments(resources: &Resources, uri: &Uri, names: &[String]) -> Result<()> {
    if uri.is_tiledb() {
        bail!("Consolidator: Consolidation is not supported for remote arrays.");
    }
    maintain::consolidate_fragments(resources, uri, names, &mut |_| Ok(()))
}

/// A consolidation plan for fragments of about `size` bytes.
///
/// # Errors
/// If the size of a fragment cannot be found out.
pub fn consolidation_plan(open: &OpenArray, size: u64) -> Result<ConsolidationPlan> {
    dispatch_remote!(open.uri(), rest::fragments::consolidation_plan(open, size));
    ConsolidationPlan::new(open, size)
}

/// Loads fragment metadata.
///
/// # Errors
/// If it cannot be read.
pub fn load_fragment_info(info: &FragmentInfo) -> Result<()> {
    dispatch_remote!(info.uri(), rest::fragments::load(info));
    info.load()
}

/// Vacuums an array: removes files that consolidation has superseded.
///
/// # Errors
/// If a storage or server operation fails.
pub fn vacuum(resources: &Resources, uri: &Uri) -> Result<()> {
    dispatch_remote!(uri, rest::arrays::vacuum(resources, uri));
    maintain::vacuum(resources, uri)
}

/// As [`vacuum`], and reports progress in files; a server reports none.
///
/// # Errors
/// As [`vacuum`], any error of `on_removed`, and on cancellation.
pub fn vacuum_with_progress(resources: &Resources, uri: &Uri, on_removed: OnRemoved<'_>) -> Result<()> {
    dispatch_remote!(uri, rest::arrays::vacuum(resources, uri));
    maintain::vacuum_with_progress(resources, uri, on_removed)
}
