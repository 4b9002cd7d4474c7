//! Paths of local files, and durability of directory entries.

use std::borrow::Cow;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::super::Uri;
use super::failure::{failed, is_missing};
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

/// The absolute path with links and `..` resolved, as the system does; of names that do not exist only `..`.
pub(super) fn resolved(path: &Path) -> Result<PathBuf> {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = resolved.pop(),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => resolved.push(component),
            Component::Normal(name) => {
                resolved.push(name);
                match fs::canonicalize(&resolved) {
                    Err(error) if is_missing(&error) => {}
                    Err(error) => {
                        return Err(failed(&error, format_args!("Cannot resolve '{}'", DisplayPath(path))));
                    }
                    Ok(target) => resolved = target,
                }
            }
        }
    }
    Ok(resolved)
}
