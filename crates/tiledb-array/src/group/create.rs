//! Creation of groups.

use super::{DETAILS, MARKER};
use crate::array::check_unreserved;
use crate::created_paths::CreatedPaths;
use crate::object::array_around;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

/// True if there is a group at `uri`.
///
/// # Errors
/// If a storage operation fails.
pub fn exists(vfs: &Vfs, uri: &Uri) -> Result<bool> {
    Ok(vfs.first_of(uri, &[(MARKER, false), (DETAILS, true)])?.is_some())
}

/// The error about a group that does not exist.
#[cold]
pub fn no_group(uri: &Uri) -> Error {
    let text = format!(
        "Group: Cannot open group; Group does not exist. There is no group at '{uri}': check the URI, or create the group with \
         tiledb_group_create"
    );
    Error::new(ErrorKind::NotFound, text)
}

/// Creates a group without members.
///
/// # Errors
/// If the URI is invalid, there is a group already, it is in the folder of an array or among the files of a group, or the storage
/// refuses; what was created by then is removed.
pub fn create(resources: &Resources, uri: &str) -> Result<()> {
    let Ok(uri) = Uri::parse(uri) else { bail!("Group: Cannot create group ''; Invalid group URI") };
    let vfs = resources.vfs();
    if exists(vfs, &uri)? {
        bail!(
            "Group: Cannot create group; Group '{uri}' already exists: open it, or remove it with tiledb_object_remove"
        );
    }
    check_unreserved(vfs, &uri, "Group: Cannot create group")?;
    if let Some(array) = array_around(vfs, &uri)? {
        bail!(
            "Group: Cannot create group; '{uri}' lies in the folder of the array '{array}'. Choose a folder outside of it"
        );
    }
    CreatedPaths::undo_on_error(vfs, |created| {
        created.create_dir(&uri.join("__meta"))?;
        // Either of these makes it a group.
        created.create_dir(&uri.join(DETAILS))?;
        created.mark(&uri.join(MARKER))
    })
}
