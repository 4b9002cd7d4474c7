//! Paths of local files, and durability of directory entries.

use std::borrow::Cow;
use std::path::Path;

use super::super::Uri;
use super::failure::failed;
use tiledb_core::error::{Error, Result};
use tiledb_core::platform::file::sync_directory;
use tiledb_core::types::DisplayPath;

/// Makes the entries of a directory durable.
pub(super) fn sync(directory: &Path) -> Result<()> {
    sync_directory(directory)
        .map_err(|error| failed(&error, format_args!("Cannot sync directory '{}'", DisplayPath(directory))))
}

/// The local path of a URI of this backend.
pub(super) fn path(uri: &Uri) -> Result<Cow<'_, Path>> {
    uri.local()?.ok_or_else(|| Error::internal(format!("'{uri}' is not a local file")))
}
