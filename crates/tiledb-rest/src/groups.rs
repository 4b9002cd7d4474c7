//! Operations on groups: those at `tiledb://` URIs are executed by their server, all others by this library on storage.

use super::arrays::dispatch_remote;
#[cfg(feature = "rest")]
use super::rest;
use tiledb_array::group::{self, Group};
use tiledb_core::error::{Result, bail};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A handle on the group at a URI.
///
/// # Errors
/// If the URI is invalid.
pub fn handle(resources: &Resources, uri: &str) -> Result<Group> {
    let group = Group::new(resources, uri)?;
    dispatch_remote!(group.uri(), Ok(rest::groups::remote_handle(group)));
    Ok(group)
}

/// Creates a group without members.
///
/// # Errors
/// If the URI is invalid, there is a group already, or a storage or server operation fails.
pub fn create(resources: &Resources, uri: &str) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(uri) = Uri::parse(uri).ok().filter(Uri::is_tiledb) {
        return rest::groups::create(resources, &uri);
    }
    group::create(resources, uri)
}

/// Merges the metadata files of a group into one.
///
/// # Errors
/// If a storage operation fails, and for groups on a server.
pub fn consolidate_metadata(resources: &Resources, uri: &str) -> Result<()> {
    refuse_server(uri)?;
    group::consolidate_metadata(resources, uri)
}

/// Removes the metadata files that were merged.
///
/// # Errors
/// If a storage operation fails, and for groups on a server.
pub fn vacuum_metadata(resources: &Resources, uri: &str) -> Result<()> {
    refuse_server(uri)?;
    group::vacuum_metadata(resources, uri)
}

fn refuse_server(uri: &str) -> Result<()> {
    if Uri::parse(uri).is_ok_and(|uri| uri.is_tiledb()) {
        bail!("Consolidator: Consolidation is not supported for remote arrays.");
    }
    Ok(())
}
