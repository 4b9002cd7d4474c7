//! Operations on groups by their URIs.

use super::{Location, at_location};
use tiledb_array::group::{self, Group};
use tiledb_core::error::Result;
#[cfg(feature = "rest")]
use tiledb_rest::client;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A handle on the group at a URI.
///
/// # Errors
/// If the URI is invalid.
pub fn group(resources: &Resources, uri: &str) -> Result<Group> {
    let group = Group::new(resources, uri)?;
    #[cfg(feature = "rest")]
    if let Location::Server(_) = Location::of(group.uri()) {
        return Ok(client::groups::remote_handle(group));
    }
    Ok(group)
}

/// Creates a group without members.
///
/// # Errors
/// If the URI is invalid, there is a group already, or a storage or server operation fails.
pub fn create_group(resources: &Resources, uri: &str) -> Result<()> {
    match Uri::parse(uri) {
        Ok(parsed) => at_location!(Location::of(&parsed), _uri =>
            group::create(resources, uri),
            client::groups::create(resources, _uri)),
        Err(_) => group::create(resources, uri),
    }
}

/// Merges the metadata files of a group into one.
///
/// # Errors
/// If a storage operation fails, and for groups on a server.
pub fn consolidate_group_metadata(resources: &Resources, uri: &str) -> Result<()> {
    check_stored(uri)?;
    group::consolidate_metadata(resources, uri)
}

/// Removes the metadata files of a group that were merged.
///
/// # Errors
/// If a storage operation fails, and for groups on a server.
pub fn vacuum_group_metadata(resources: &Resources, uri: &str) -> Result<()> {
    check_stored(uri)?;
    group::vacuum_metadata(resources, uri)
}

/// # Errors
/// If the group is on a server. What is no URI is an error of the operation.
fn check_stored(uri: &str) -> Result<()> {
    match Uri::parse(uri) {
        Ok(uri) => Location::of(&uri).unless_on_server(Location::NO_CONSOLIDATION).map(drop),
        Err(_) => Ok(()),
    }
}
