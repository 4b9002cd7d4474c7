//! Interface to the server of a remote group.

use super::Member;
use crate::array::{Metadata, MetadataChanges};
use tiledb_core::error::Result;
use tiledb_core::types::ObjectType;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The server of one group.
pub trait GroupSource: Send + Sync {
    /// The members and the metadata of the group.
    ///
    /// # Errors
    /// If the request fails or the response is invalid.
    fn open(&self, resources: &Resources) -> Result<(Vec<Member>, Metadata)>;

    /// Type of the object at a member's URI, if the client has to determine it.
    ///
    /// # Errors
    /// If the request fails.
    fn type_of(&self, resources: &Resources, uri: &Uri) -> Result<ObjectType>;

    /// Stores the metadata that was put and deleted since opening.
    ///
    /// # Errors
    /// If the server rejects it.
    fn write_metadata(&self, resources: &Resources, changes: &MetadataChanges) -> Result<()>;

    /// Stores which members were added and removed since opening.
    ///
    /// # Errors
    /// If the server rejects it.
    fn write_members(&self, resources: &Resources, added: &[&Member], removed: &[&Member]) -> Result<()>;

    /// Deletes a group, with all that its members hold where `recursive`.
    ///
    /// # Errors
    /// If the server rejects the request.
    fn delete(&self, resources: &Resources, uri: &Uri, recursive: bool) -> Result<()>;
}
