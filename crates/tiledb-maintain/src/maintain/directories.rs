//! Directory listing of the array that is consolidated or vacuumed.

use tiledb_array::array::{ArrayDirectory, no_array};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// An array that is to be consolidated is there.
pub(super) fn check_exists(resources: &Resources, uri: &Uri) -> Result<()> {
    to_consolidate(uri, ArrayDirectory::load_schemas(resources.vfs(), uri)).map(|_| ())
}

/// Reports a missing array that should be consolidated.
pub(super) fn to_consolidate(uri: &Uri, found: Result<ArrayDirectory>) -> Result<ArrayDirectory> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!(NotFound, "Consolidator: Cannot consolidate array; {}", no_array(uri))
        }
        found => found,
    }
}

/// Lists the directory of an array.
pub(super) fn directory(resources: &Resources, uri: &Uri) -> Result<ArrayDirectory> {
    ArrayDirectory::load(resources.vfs(), uri).map_err(of_missing_array)
}

/// Lists the commits of an array.
pub(super) fn commits(resources: &Resources, uri: &Uri) -> Result<ArrayDirectory> {
    ArrayDirectory::load_commits(resources.vfs(), uri).map_err(of_missing_array)
}

/// The schemas of an array.
pub(super) fn schemas(resources: &Resources, uri: &Uri) -> Result<ArrayDirectory> {
    ArrayDirectory::load_schemas(resources.vfs(), uri).map_err(of_missing_array)
}

/// The error of an array that is missing.
pub(super) fn of_missing_array(error: Error) -> Error {
    if error.kind() == ErrorKind::NotFound { error.prefixed("TileDB internal: ") } else { error }
}
