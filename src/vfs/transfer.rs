//! Moving and copying, within one storage and from one to another.

use super::{Backend, Entry, Uri, Vfs};
use crate::error::{Context, Error, ErrorKind, Result, bail};
use crate::pool::scratch;

/// What is copied at a time from one storage to another.
const PIECE: usize = 1 << 20;

impl Vfs {
    /// Renames a file, replacing one of the new name.
    ///
    /// # Errors
    /// Where the storage refuses, and between different storages.
    pub fn move_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.common_backend(from, to)?.ok_or_else(|| cannot_move("move_file"))?.move_file(from, to)
    }

    /// Renames a directory.
    ///
    /// # Errors
    /// Where the storage refuses, and between different storages.
    pub fn move_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.common_backend(from, to)?.ok_or_else(|| cannot_move("move_dir"))?.move_dir(from, to)
    }

    /// Copies a file, also to other storage. It replaces one of the new name.
    ///
    /// # Errors
    /// Where the storage refuses, and where the directory it goes to is missing, within one storage.
    pub fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        match self.common_backend(from, to)? {
            Some(backend) => backend.copy_file(from, to),
            None => self.transfer_file(from, to),
        }
    }

    /// Copies a directory with all it holds, also to other storage. In one that is there it replaces files of the same
    /// name.
    ///
    /// # Errors
    /// Where the storage refuses, and where the directory it goes to is missing, within one storage.
    pub fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        match self.common_backend(from, to)? {
            Some(backend) => backend.copy_dir(from, to),
            None => self.transfer_dir(from, to),
        }
    }

    fn transfer_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        let source = self.open(from)?;
        let mut target = self.create(to)?;
        let mut piece = scratch(PIECE)?;
        let mut left = source.len();
        while left > 0 {
            let size = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            source.read_at(source.len() - left, &mut piece[..size])?;
            target.write(&piece[..size])?;
            left -= size as u64;
        }
        target.close()
    }

    fn transfer_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        if self.is_file(from)? {
            return self.transfer_file(from, to);
        }
        let folder = from.without_trailing_slash();
        // All names are checked before anything is written.
        let checked = |entry: Entry| {
            check_plain(&entry.uri)?;
            let name = entry.uri.relative_to(from).or_else(|| entry.uri.relative_to(&folder));
            let target = to.join_relative(name.unwrap_or_default());
            Ok((target.context(|| format!("Cannot copy '{}'", entry.uri))?, entry))
        };
        let entries = self.list_recursive(from)?.into_iter().map(checked).collect::<Result<Vec<_>>>()?;
        self.create_dir(to)?;
        for (target, entry) in entries {
            if entry.is_dir { self.create_dir(&target)? } else { self.transfer_file(&entry.uri, &target)? }
        }
        Ok(())
    }

    /// The backend of two URIs; `None` if they are of different ones.
    fn common_backend(&self, from: &Uri, to: &Uri) -> Result<Option<&dyn Backend>> {
        let backend = self.backend(from)?;
        self.backend(to)?;
        Ok((from.scheme() == to.scheme()).then_some(backend))
    }
}

/// Checks that a local name is a file or a directory: nothing that it leads to is copied, and nothing that never ends.
fn check_plain(uri: &Uri) -> Result<()> {
    let Some(path) = uri.local() else { return Ok(()) };
    let found = match std::fs::symlink_metadata(&path) {
        Ok(found) => found.file_type(),
        // Removed meanwhile: the copy says so.
        Err(_) => return Ok(()),
    };
    if found.is_symlink() {
        bail!(Unsupported, "Cannot copy '{uri}': it is a symbolic link; copy what it leads to by its own name");
    }
    if !found.is_file() && !found.is_dir() {
        bail!(Unsupported, "Cannot copy '{uri}': it is neither a file nor a directory");
    }
    Ok(())
}

#[cold]
fn cannot_move(operation: &str) -> Error {
    let text = format!("Filesystem: {operation} is not supported on the given filesystem.");
    Error::new(ErrorKind::Unsupported, text)
}
