//! Directories: entries and recursive removal.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File, FileType, OpenOptions};
use std::io;
use std::os::windows::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_BACKUP_SEMANTICS;

/// Exchanges the names of two files of one file system, atomically: Windows cannot do it.
///
/// # Errors
/// `Unsupported`.
pub fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// An entry of an open directory.
pub struct Entry<'a> {
    entry: &'a DirEntry,
    name: OsString,
    kind: FileType,
}

impl Entry<'_> {
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    pub fn is_link(&self) -> bool {
        self.kind.is_symlink()
    }

    /// True for directories, not for links to them.
    pub fn is_dir(&self) -> bool {
        self.kind.is_dir()
    }

    /// Whether it is or links to a directory, and its size; `None` for entries that were removed meanwhile, and for
    /// dangling links.
    ///
    /// # Errors
    /// Those of the system.
    pub fn stat(&self) -> io::Result<Option<(bool, u64)>> {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        match fs::metadata(self.entry.path()) {
            Ok(metadata) => Ok(Some((metadata.is_dir(), metadata.len()))),
            Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A directory that cannot be removed while it is read.
pub struct OpenDirectory {
    file: File,
    path: PathBuf,
}

impl OpenDirectory {
    /// # Errors
    /// Those of the system; `NotADirectory` for anything else.
    pub fn open(path: &Path) -> io::Result<OpenDirectory> {
        let file = OpenOptions::new().read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
        match file.metadata()?.is_dir() {
            true => Ok(OpenDirectory { file, path: path.to_owned() }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// As a file, for its stamp.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Visits the entries, in the order of the system.
    ///
    /// # Errors
    /// Those of the system, and of `visit`.
    pub fn each(&self, mut visit: impl FnMut(&Entry<'_>) -> io::Result<()>) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = &entry?;
            visit(&Entry { entry, name: entry.file_name(), kind: entry.file_type()? })?;
        }
        Ok(())
    }
}

/// Removes a directory recursively, or a file. Links are removed, not followed.
///
/// # Errors
/// Those of the system.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let kind = fs::symlink_metadata(path)?.file_type();
    match (kind.is_dir(), kind.is_symlink_dir()) {
        (true, _) => fs::remove_dir_all(path),
        (_, true) => fs::remove_dir(path),
        _ => fs::remove_file(path),
    }
}

/// A directory for lookups relative to it, which Windows does not have.
pub struct DirectoryHandle(std::convert::Infallible);

/// What a lookup finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Directory,
    /// A file of this size in bytes.
    File(u64),
    Missing,
}

impl DirectoryHandle {
    /// # Errors
    /// `Unsupported`.
    pub fn open(_path: &Path) -> io::Result<DirectoryHandle> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Looks up a relative path.
    ///
    /// # Errors
    /// None: there is no such directory.
    pub fn look_up(&self, _path: &str) -> io::Result<Found> {
        match self.0 {}
    }
}
