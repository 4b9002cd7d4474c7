//! Checks of the target of a copy, before anything is written.

use tiledb_array::array::{CopyKind, FOLDERS, STAGED_SCHEMAS};
use tiledb_core::error::{Error, Result, bail};
use tiledb_storage::vfs::{Stat, Uri, Vfs};

/// What may be at the target of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetContents {
    /// Nothing, or an empty folder.
    Empty,
    /// Also what a copy of this kind has left that failed or was killed.
    FailedCopy(CopyKind),
    /// Also the folders of an array whose creation was killed.
    Copy,
}

/// Rejects a target that is the array itself, inside of it or around it, or that has contents of others. `operation` names the
/// copy in errors.
///
/// # Errors
/// If the target is rejected, or a storage operation fails.
pub(super) fn check_target(vfs: &Vfs, operation: &str, from: &Uri, to: &Uri, contents: TargetContents) -> Result<()> {
    let (source, target) = (vfs.resolved(from)?, vfs.resolved(to)?);
    if source == target {
        bail!("Cannot {operation} '{from}' onto itself; name another URI");
    }
    if target.relative_to(&source).is_some() || source.relative_to(&target).is_some() {
        bail!(
            "Cannot {operation} '{from}' to '{to}'; one lies in the folder of the other. Choose a folder outside of the array"
        );
    }
    if let Stat::File(_) = vfs.stat(to)? {
        bail!("Cannot {operation} '{from}' to '{to}'; there is a file of this name");
    }
    let names = vfs.names(to)?;
    if names.iter().any(|item| item.name == "__schema") {
        // An array, which is resumed, or which the creation of the copy reports.
        return Ok(());
    }
    let is_folder = |name: &str| FOLDERS.contains(&name) || name.starts_with(STAGED_SCHEMAS);
    let is_any_allowed = match contents {
        TargetContents::Empty => false,
        TargetContents::FailedCopy(kind) => names.iter().any(|item| item.name == kind.folder()),
        TargetContents::Copy => true,
    };
    let is_allowed = |name: &str| is_any_allowed && is_folder(name);
    match names.iter().find(|item| !is_allowed(&item.name)) {
        Some(item) => bail!(
            "Cannot {operation} '{from}' to '{to}'; the folder is not empty, it has '{}'. Choose a folder that is empty or does not exist",
            item.name
        ),
        None => Ok(()),
    }
}

/// The error of a copy that is an array, and has something that its source has not: others may have written it.
pub(super) fn not_of_source(what: &str, name: &str, to: &Uri, from: &Uri) -> Error {
    Error::invalid(format!(
        "Cannot resume: the {what} '{name}' in '{to}' is not from '{from}', and '{to}' is an array that others may have written to; remove \
         it, or rewrite to another URI"
    ))
}
