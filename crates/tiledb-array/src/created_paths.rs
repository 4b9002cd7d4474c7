//! Undo log of a creation: if a later step fails, what it created is removed, and nothing else.

use tiledb_core::error::Result;
use tiledb_storage::vfs::{Stat, Uri, Vfs};

/// Folders and files that an operation has created.
pub(crate) struct CreatedPaths<'v> {
    vfs: &'v Vfs,
    paths: Vec<CreatedPath>,
}

/// A path that did not exist before.
enum CreatedPath {
    Folder(Uri),
    File(Uri),
}

impl<'v> CreatedPaths<'v> {
    /// Runs an operation, and removes what it created if it fails.
    ///
    /// # Errors
    /// Those of the operation.
    pub(crate) fn undo_on_error<T>(
        vfs: &'v Vfs,
        operation: impl FnOnce(&mut CreatedPaths<'v>) -> Result<T>,
    ) -> Result<T> {
        let mut created = CreatedPaths { vfs, paths: Vec::new() };
        let result = operation(&mut created);
        if result.is_err() {
            created.undo_from(0);
        }
        result
    }

    /// Creates a folder and its parents, as far as they do not exist. True if it did not exist; false also on storage without
    /// folders.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(crate) fn create_dir(&mut self, uri: &Uri) -> Result<bool> {
        if self.vfs.make_dir(uri)? {
            self.paths.push(CreatedPath::Folder(uri.clone()));
            return Ok(true);
        }
        if self.vfs.is_remote(uri)? {
            return self.vfs.create_dir(uri).map(|()| false);
        }
        let mut missing = Vec::new();
        for folder in std::iter::successors(Some(uri.without_trailing_slash()), Uri::parent) {
            if self.vfs.stat(&folder)? != Stat::Missing {
                break;
            }
            missing.push(folder);
        }
        if missing.is_empty() {
            return self.vfs.create_dir(uri).map(|()| false);
        }
        for folder in missing.into_iter().rev() {
            if !self.vfs.make_dir(&folder)? {
                self.vfs.create_dir(&folder)?;
            }
            self.paths.push(CreatedPath::Folder(folder));
        }
        Ok(true)
    }

    /// Writes a whole file with a unique name.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(crate) fn put(&mut self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        // The file may exist although its creation failed.
        self.paths.push(CreatedPath::File(uri.clone()));
        self.vfs.put(uri, bytes)
    }

    /// Creates an empty file that does not exist.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(crate) fn mark(&mut self, uri: &Uri) -> Result<()> {
        self.paths.push(CreatedPath::File(uri.clone()));
        self.vfs.mark(uri)
    }

    /// Renames a folder that was created.
    ///
    /// # Errors
    /// If the storage operation fails.
    pub(crate) fn rename_dir(&mut self, from: &Uri, to: &Uri) -> Result<()> {
        let done = self.vfs.move_dir(from, to);
        // A rename that could not be made durable may not have been reverted.
        let is_renamed = done.is_ok() || matches!(self.vfs.stat(from), Ok(Stat::Missing));
        for path in self.paths.iter_mut().filter(|_| is_renamed) {
            let (CreatedPath::Folder(uri) | CreatedPath::File(uri)) = path;
            let renamed = match uri.relative_to(from) {
                Some(name) => to.join(name),
                None if uri == from => to.clone(),
                None => continue,
            };
            *uri = renamed;
        }
        done
    }

    /// The number of paths that were created.
    pub(crate) fn count(&self) -> usize {
        self.paths.len()
    }

    /// Keeps what was created, whatever fails later.
    pub(crate) fn keep(&mut self) {
        self.paths.clear();
    }

    /// Removes paths from a number on, the last one first. It stops at one that cannot be removed: what was created before it may
    /// be needed by it.
    pub(crate) fn undo_from(&mut self, first: usize) {
        for path in self.paths.drain(first..).rev() {
            let removed = match &path {
                CreatedPath::File(uri) => self.vfs.remove_files(std::slice::from_ref(uri)),
                CreatedPath::Folder(uri) => self.vfs.remove_empty_dir(uri),
            };
            if removed.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::error::Error;
    use tiledb_core::pool::Pools;
    use tiledb_storage::vfs::VfsOptions;

    #[test]
    fn failed_operations_leave_only_what_existed_before() {
        let vfs = Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1));
        let folder = tempfile::tempdir().unwrap();
        for root in [Uri::from_path(folder.path()).unwrap(), Uri::parse("mem://created").unwrap()] {
            vfs.create_dir(&root.join("old")).unwrap();
            vfs.put(&root.join("old/file"), b"kept").unwrap();
            let before = vfs.list_recursive(&root).unwrap();
            let failed = CreatedPaths::undo_on_error(&vfs, |created| {
                assert!(created.create_dir(&root.join("a/b/c/"))?);
                assert!(!created.create_dir(&root.join("a/b"))?);
                assert!(!created.create_dir(&root.join("old"))?);
                created.put(&root.join("a/b/c/file"), b"1")?;
                created.mark(&root.join("old/mark"))?;
                created.rename_dir(&root.join("a/b/c"), &root.join("a/b/d"))?;
                assert!(vfs.is_file(&root.join("a/b/d/file"))?);
                // Below a file nothing can be created, and the file stays.
                created.create_dir(&root.join("old/file/folder"))?;
                Err::<(), _>(Error::internal("later"))
            });
            failed.unwrap_err();
            assert_eq!(format!("{:?}", vfs.list_recursive(&root).unwrap()), format!("{before:?}"));
            // What others put into a new folder stays.
            CreatedPaths::undo_on_error(&vfs, |created| {
                created.create_dir(&root.join("a/b"))?;
                vfs.put(&root.join("a/other"), b"2")?;
                Err::<(), _>(Error::internal("later"))
            })
            .unwrap_err();
            assert!(vfs.is_file(&root.join("a/other")).unwrap() && !vfs.is_dir(&root.join("a/b")).unwrap());
        }
    }
}
