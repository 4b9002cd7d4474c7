//! What lies in the folder of the array that is maintained.

use crate::array::ArrayDirectory;
use crate::error::{Error, ErrorKind, Result, bail};
use crate::resources::Resources;
use crate::vfs::Uri;

/// An array that is to be consolidated is there.
pub(super) fn check_exists(resources: &Resources, uri: &Uri) -> Result<()> {
    match ArrayDirectory::load_schemas(resources.vfs(), uri) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!(NotFound, "Consolidator: Cannot consolidate array; Array does not exist")
        }
        found => found.map(|_| ()),
    }
}

/// What lies in the folder of an array.
pub(super) fn directory(resources: &Resources, uri: &Uri) -> Result<ArrayDirectory> {
    ArrayDirectory::load(resources.vfs(), uri).map_err(of_missing_array)
}

/// The schemas of an array.
pub(super) fn schemas(resources: &Resources, uri: &Uri) -> Result<ArrayDirectory> {
    ArrayDirectory::load_schemas(resources.vfs(), uri).map_err(of_missing_array)
}

fn of_missing_array(error: Error) -> Error {
    if error.kind() == ErrorKind::NotFound { error.prefixed("TileDB internal: ") } else { error }
}
