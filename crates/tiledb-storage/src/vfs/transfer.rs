//! Moves and copies of files and directories, within one backend and between backends.

use super::{Backend, DirEntry, Stat, Uri, Vfs};
use tiledb_core::error::{Error, ErrorContext, ErrorKind, Result, bail};
use tiledb_core::limits::storage::TRANSFER_BYTES;
use tiledb_core::pool::scratch;

impl Vfs {
    /// The URI that all spellings of a name have in common: without trailing slashes, and on a file system with links and `..`
    /// resolved. The name need not exist.
    ///
    /// # Errors
    /// If a link cannot be read.
    pub fn resolved(&self, uri: &Uri) -> Result<Uri> {
        self.backend(uri)?.resolved(uri)
    }

    /// Renames a file, replacing one of the new name.
    ///
    /// # Errors
    /// If a storage operation fails, or source and target are on different backends.
    pub fn move_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.common_backend(from, to)?.ok_or_else(|| cannot_move("move_file"))?.move_file(from, to)
    }

    /// As [`Vfs::put`], where readers see the former contents of the file or the new ones: a local file is written beside, and renamed.
    ///
    /// # Errors
    /// As [`Vfs::put`].
    pub fn replace(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        if self.is_remote(uri)? || self.stat(uri)? == Stat::Missing {
            return self.put(uri, bytes);
        }
        let beside = uri.with_extension(&format!("{}.partial", std::process::id()));
        self.put(&beside, bytes)?;
        self.move_file(&beside, uri)
    }

    /// Whether [`Vfs::publish`] is supported for files in a directory. A store that is not known to copy atomically is asked once.
    ///
    /// # Errors
    /// If the storage scheme is unknown, or a storage operation fails.
    pub fn can_publish(&self, directory: &Uri) -> Result<bool> {
        self.backend(directory)?.can_publish(directory)
    }

    /// Gives a file its final name in one atomic step; an existing target is replaced. Unlike a move, it is never reverted. An
    /// object store copies it and removes the original, which may remain; there the target must be a name that nobody else
    /// publishes to.
    ///
    /// # Errors
    /// `NotFound` if somebody has removed the file, `Unsupported` if the storage has neither atomic renames nor atomic copies, or
    /// if a storage operation fails; the file may have its name then.
    pub fn publish(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.common_backend(from, to)?.ok_or_else(|| cannot_move("publish"))?.publish(from, to)
    }

    /// Exchanges the contents of two files in one atomic step.
    ///
    /// # Errors
    /// `NotFound` if one of them is missing, `Unsupported` if the storage cannot do it, or if a storage operation fails; they may
    /// have been exchanged then.
    pub fn exchange(&self, a: &Uri, b: &Uri) -> Result<()> {
        self.common_backend(a, b)?.ok_or_else(|| cannot_move("exchange"))?.exchange(a, b)
    }

    /// Renames a directory.
    ///
    /// # Errors
    /// If a storage operation fails, or source and target are on different backends.
    pub fn move_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.common_backend(from, to)?.ok_or_else(|| cannot_move("move_dir"))?.move_dir(from, to)
    }

    /// Copies a file, also to other storage. It replaces one of the new name.
    ///
    /// # Errors
    /// If a storage operation fails, or within one backend if the target directory is missing.
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
    /// If a storage operation fails, or within one backend if the target directory is missing.
    pub fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        match self.common_backend(from, to)? {
            Some(backend) => backend.copy_dir(from, to),
            None => self.transfer_dir(from, to),
        }
    }

    fn transfer_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        let source = self.open(from)?;
        let mut target = self.create(to)?;
        let mut piece = scratch(TRANSFER_BYTES.count())?;
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
        let checked = |entry: DirEntry| {
            check_plain(&entry.uri)?;
            let name = entry.uri.names_below(from).or_else(|| entry.uri.names_below(&folder));
            let target = to.join_relative(&name.unwrap_or_default());
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
    let Some(path) = uri.local()? else { return Ok(()) };
    let file_type = match std::fs::symlink_metadata(&path) {
        Ok(metadata) => metadata.file_type(),
        // Removed meanwhile: the copy says so.
        Err(_) => return Ok(()),
    };
    if file_type.is_symlink() {
        bail!(Unsupported, "Cannot copy '{uri}': it is a symbolic link; copy what it leads to by its own name");
    }
    if !file_type.is_file() && !file_type.is_dir() {
        bail!(Unsupported, "Cannot copy '{uri}': it is neither a file nor a directory");
    }
    Ok(())
}

#[cold]
fn cannot_move(operation: &str) -> Error {
    let text = format!("Filesystem: {operation} is not supported on the given filesystem.");
    Error::new(ErrorKind::Unsupported, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::VfsOptions;
    use tiledb_core::pool::Pools;

    fn vfs() -> Vfs {
        Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1))
    }

    /// Keys of another storage may be any text; none of them is written outside of the target.
    #[test]
    fn names_of_another_storage_stay_in_the_target() {
        let vfs = vfs();
        let place = tempfile::tempdir().unwrap();
        let target = Uri::from_path(&place.path().join("jail/target")).unwrap();
        for (number, name) in ["a/../../escaped", "../escaped", "./a", "a/./b", "a/..", "a\0b"].iter().enumerate() {
            let source = Uri::parse(&format!("mem://hostile{number}")).unwrap();
            vfs.create_dir(&source).unwrap();
            vfs.put(&source.join("good"), b"1").unwrap();
            vfs.put(&source.join(name), b"2").unwrap();
            let refused = vfs.copy_dir(&source, &target).unwrap_err();
            assert!(refused.text().contains("leads out of the folder"), "{name:?}: {refused:?}");
            assert!(std::fs::read_dir(place.path()).unwrap().next().is_none(), "{name:?}");
        }
        let fine = Uri::parse("mem://fine").unwrap();
        vfs.create_dir(&fine).unwrap();
        vfs.put(&fine.join("a/...b/%2e%2e"), b"3").unwrap();
        for from in ["mem://fine", "mem://fine/"] {
            let to = Uri::from_path(&place.path().join("target//")).unwrap();
            vfs.copy_dir(&Uri::parse(from).unwrap(), &to).unwrap();
            assert_eq!(vfs.read(&to.join("a/...b/%2e%2e")).unwrap(), b"3");
        }
    }

    /// Symbolic links are not followed, and special files do not become empty files.
    #[test]
    fn links_and_pipes_are_not_copied() {
        let vfs = vfs();
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("folder")).unwrap();
        std::fs::write(place.path().join("secret"), "s").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(place.path().join(to), place.path().join(name));
        link("secret", "folder/to_file").unwrap();
        std::fs::create_dir(place.path().join("other")).unwrap();
        link("folder", "other/to_folder").unwrap();
        std::fs::create_dir(place.path().join("piped")).unwrap();
        let pipe = place.path().join("piped/pipe");
        let (here, fifo, mode) = (rustix::fs::CWD, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(here, &pipe, fifo, mode, 0).unwrap();
        for (folder, why) in [("folder", "symbolic link"), ("other", "symbolic link"), ("piped", "neither a file")] {
            let to = Uri::parse(&format!("mem://copy_of_{folder}")).unwrap();
            let from = Uri::from_path(&place.path().join(folder)).unwrap();
            let refused = vfs.copy_dir(&from, &to).unwrap_err();
            assert!(refused.text().contains(why), "{refused:?}");
            assert!(!vfs.is_dir(&to).unwrap());
        }
    }
}
