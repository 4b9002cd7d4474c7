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

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::config::Config;
    use tiledb_core::pool::Pools;

    /// A target, the files in it, and what the errors of three copies say, if they are rejected.
    type TargetCase = (&'static str, &'static [&'static str], [Option<&'static str>; 3]);

    /// Targets with what is in them, and whether a copy may be written there: into an empty folder, over a failed downgrade, or over
    /// a failed rewrite.
    #[test]
    fn copies_are_written_where_nothing_is_or_what_the_same_operation_has_left() {
        let vfs = Vfs::new(&Config::new(), &Pools::new(1, 1)).unwrap();
        let uri = |path: &str| Uri::parse(&format!("mem://targets/{path}")).unwrap();
        let (failed, resumed) = (TargetContents::FailedCopy(CopyKind::Downgrade), TargetContents::Copy);
        let targets: [TargetCase; 12] = [
            ("missing", &[], [None; 3]),
            ("array", &[], [Some("onto itself"); 3]),
            ("array/inside", &[], [Some("in the folder of the other"); 3]),
            ("array_beside", &[], [None; 3]),
            ("", &[], [Some("in the folder of the other"); 3]),
            ("others", &["notes.txt"], [Some("it has 'notes.txt'"); 3]),
            ("present", &["__schema/schema", "notes.txt"], [None; 3]),
            ("downgrade", &["__schema.downgrade/schema", "__fragments/a"], [Some("not empty"), None, None]),
            ("rewrite", &["__schema.rewrite/schema", "__commits/a"], [Some("not empty"), Some("not empty"), None]),
            ("begun", &["__fragments/a"], [Some("not empty"), Some("not empty"), None]),
            ("mixed", &["__schema.downgrade/schema", "notes.txt"], [Some("not empty"); 3]),
            ("staged", &["__schema.other/schema", "__meta/a"], [Some("not empty"), Some("not empty"), None]),
        ];
        vfs.put(&uri("array/__schema/schema"), b"").unwrap();
        for (name, files, expected) in targets {
            files.iter().for_each(|file| vfs.put(&uri(name).join(file), b"").unwrap());
            for (contents, expected) in [TargetContents::Empty, failed, resumed].into_iter().zip(expected) {
                let checked = check_target(&vfs, "copy", &uri("array"), &uri(name), contents);
                let error = checked.err().map(|error| error.text().to_owned());
                let is_expected = match (&error, expected) {
                    (Some(error), Some(expected)) => error.contains(expected),
                    (error, expected) => error.is_none() && expected.is_none(),
                };
                assert!(is_expected, "{name}, {contents:?}: {error:?}");
            }
        }
        vfs.put(&uri("file"), b"").unwrap();
        let error = check_target(&vfs, "copy", &uri("array"), &uri("file"), resumed).unwrap_err();
        assert!(error.text().contains("there is a file of this name"), "{error:?}");
    }
}
