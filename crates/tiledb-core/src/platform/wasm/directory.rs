//! Directories, of which there are none.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::Path;

/// Exchanges the names of two files of one file system, atomically.
///
/// # Errors
/// `Unsupported`.
pub fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// An entry of an open directory.
pub struct Entry<'a>(Infallible, PhantomData<&'a OsStr>);

impl Entry<'_> {
    pub fn name(&self) -> &OsStr {
        match self.0 {}
    }

    pub fn is_link(&self) -> bool {
        match self.0 {}
    }

    pub fn is_dir(&self) -> bool {
        match self.0 {}
    }

    /// Whether it is a directory, and its size.
    ///
    /// # Errors
    /// None: there is no such entry.
    pub fn stat(&self) -> io::Result<Option<(bool, u64)>> {
        match self.0 {}
    }
}

/// A directory that is read, of which there is none.
pub struct OpenDirectory(Infallible);

impl OpenDirectory {
    /// # Errors
    /// `Unsupported`.
    pub fn open(_path: &Path) -> io::Result<OpenDirectory> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// As a file, for its stamp.
    pub fn file(&self) -> &File {
        match self.0 {}
    }

    /// Visits the entries.
    ///
    /// # Errors
    /// None: there is no such directory.
    pub fn each(&self, _visit: impl FnMut(&Entry<'_>) -> io::Result<()>) -> io::Result<()> {
        match self.0 {}
    }
}

/// Removes a directory recursively, or a file.
///
/// # Errors
/// `Unsupported`.
pub fn remove_tree(_path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A directory for lookups relative to it.
pub struct DirectoryHandle(Infallible);

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
