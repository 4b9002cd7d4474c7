//! Local file system: the VFS backend of `file://` URIs.

mod atomic_file;
mod descriptor;
mod dir_handle;
mod failure;
mod paths;
mod read;
mod stamp;
mod tree;
mod write;

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

use super::{
    Backend, Content, DirEntry, DirHandle, DirItem, FileSink, ReadFile, Stamp, Stat, Uri, VfsOptions, WriteFile,
};
use descriptor::Descriptor;
use dir_handle::LocalDirHandle;
use failure::{failed, is_directory, is_missing, kind_of, no_parents, reason};
use paths::{path, resolved, sync};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::plain_file;
use tiledb_core::platform::directory;
use tiledb_core::platform::error::IS_A_DIRECTORY;
use tiledb_core::platform::file::{CreationMode, create_empty};
use tiledb_core::types::DisplayPath;

/// The local file system, with the modes of created files and directories.
#[derive(Clone, Copy)]
pub(super) struct Local {
    file_mode: u32,
    directory_mode: u32,
    sync_directories: bool,
}

impl Local {
    pub(super) fn new(options: &VfsOptions) -> Self {
        Local {
            file_mode: options.file_mode,
            directory_mode: options.directory_mode,
            sync_directories: options.sync_directories,
        }
    }

    /// Opens a file for writing and makes its directories where they are missing.
    fn open_for_writing(&self, path: &Path, options: &mut OpenOptions) -> Result<fs::File> {
        let options = options.create(true).creation_mode(self.file_mode);
        let file = match plain_file::open(path, options) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.create_parents(path)?;
                plain_file::open(path, options)
            }
            result => result,
        };
        let failed = |error| no_parents(&error, path, format_args!("Failed to create file '{}'", DisplayPath(path)));
        Ok(file.map_err(failed)?.0)
    }

    /// Makes a file and its directories where they are missing; `None` where something has the name.
    fn make(&self, path: &Path) -> Result<Option<fs::File>> {
        let file = match plain_file::create_new(path, self.file_mode) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.create_parents(path)?;
                plain_file::create_new(path, self.file_mode)
            }
            result => result,
        };
        // Other errors are reported by the fallback, which opens the file in the usual way.
        Ok(file.ok())
    }

    fn create_parents(&self, path: &Path) -> Result<()> {
        path.parent().map_or(Ok(()), |parent| self.create_directories(parent))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, InvalidInput, IsADirectory, NotADirectory, NotFound};
        let cannot_move = |error: &io::Error| match error.kind() {
            // Errors of the caller, with libtiledb's text, which names no path.
            NotFound | DirectoryNotEmpty | AlreadyExists | NotADirectory | IsADirectory | InvalidInput => {
                Error::new(kind_of(error), format!("IO Error: Cannot move path: {}", reason(error)))
            }
            _ => failed(error, format_args!("Cannot move path '{}' to '{}'", DisplayPath(from), DisplayPath(to))),
        };
        match fs::symlink_metadata(from) {
            Err(error) if is_missing(&error) => {}
            metadata => metadata.map_err(|error| cannot_move(&error)).and_then(|_| self.create_parents(to))?,
        }
        fs::rename(from, to).map_err(|error| cannot_move(&error))?;
        let settled = self.sync_parent(from).and_then(|()| self.sync_parent(to));
        if settled.is_err() {
            // A failed operation must leave nothing.
            _ = fs::rename(to, from);
        }
        settled
    }

    /// Makes the creation or removal of a name durable, if configured.
    fn sync_parent(&self, path: &Path) -> Result<()> {
        match path.parent() {
            Some(parent) if self.sync_directories => sync(parent),
            _ => Ok(()),
        }
    }

    /// Makes durable the name of a new file, which goes again where that fails: others may take it for done.
    fn settle_new(&self, path: &Path) -> Result<()> {
        let settled = self.sync_parent(path);
        if settled.is_err() {
            _ = fs::remove_file(path);
        }
        settled
    }

    fn create_directories(&self, path: &Path) -> Result<()> {
        let missing: Vec<&Path> = match self.sync_directories {
            true => path.ancestors().take_while(|path| !path.exists()).collect(),
            false => Vec::new(),
        };
        self.make_directories(path)?;
        let settled = missing.iter().rev().try_for_each(|path| self.sync_parent(path));
        if settled.is_err() {
            for path in missing {
                // As for new files; others may have put something into them.
                _ = fs::remove_dir(path);
            }
        }
        settled
    }

    fn make_directories(&self, path: &Path) -> Result<()> {
        let made = DirBuilder::new().recursive(true).creation_mode(self.directory_mode).create(path);
        // An existing directory is no error, as in libtiledb, but the check itself may have failed.
        let created = made.or_else(|error| match (error.kind(), fs::symlink_metadata(path)) {
            (io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound, Ok(_)) => Ok(()),
            (io::ErrorKind::AlreadyExists, Err(unseen)) => Err(unseen),
            _ => Err(error),
        });
        created
            .map_err(|error| no_parents(&error, path, format_args!("Cannot create directory '{}'", DisplayPath(path))))
    }
}

impl Backend for Local {
    fn stat(&self, uri: &Uri) -> Result<Stat> {
        let path = &*path(uri)?;
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Ok(Stat::Dir),
            Ok(metadata) => Ok(Stat::File(metadata.len())),
            Err(error) if is_missing(&error) => Ok(Stat::Missing),
            Err(error) => Err(failed(&error, format_args!("Cannot look at '{}'", DisplayPath(path)))),
        }
    }

    fn resolved(&self, uri: &Uri) -> Result<Uri> {
        Ok(Uri::from_path(&resolved(&path(uri)?)?)?.without_trailing_slash())
    }

    fn size(&self, uri: &Uri) -> Result<u64> {
        let path = &*path(uri)?;
        let metadata = fs::metadata(path).and_then(plain_file::not_a_pipe);
        match metadata {
            Ok(metadata) => Ok(metadata.len()),
            Err(error) => Err(failed(&error, format_args!("Cannot get file size of '{}'", DisplayPath(path)))),
        }
    }

    fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        tree::list(directory, &path(directory)?)
    }

    fn names(&self, directory: &Uri) -> Result<Vec<DirItem>> {
        Ok(self.stamped_names(directory)?.0)
    }

    fn stamped_names(&self, directory: &Uri) -> Result<(Vec<DirItem>, Option<Stamp>)> {
        tree::names(&path(directory)?)
    }

    fn stamp(&self, uri: &Uri) -> Option<Stamp> {
        let path = &*path(uri).ok()?;
        stamp::at(path, &fs::metadata(path).ok()?).ok()
    }

    fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        tree::list_recursive(directory, &path(directory)?)
    }

    fn open(&self, uri: &Uri) -> Result<ReadFile> {
        read::open(&path(uri)?, Descriptor::own, None)
    }

    fn open_to_cache(&self, uri: &Uri, content: Content) -> Result<ReadFile> {
        read::open(&path(uri)?, Descriptor::own, Some(content))
    }

    fn open_persistent(&self, uri: &Uri, _size: Option<u64>, content: Content) -> Result<ReadFile> {
        read::open(&path(uri)?, Descriptor::shared, Some(content))
    }

    fn create(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        let path = &*path(uri)?;
        let file = match self.make(path)? {
            Some(file) => file,
            None => self.open_for_writing(path, OpenOptions::new().write(true).truncate(true))?,
        };
        Ok(Box::new(write::LocalWriter::new(file, path.to_owned(), true, self.sync_directories)))
    }

    fn put(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        if atomic_file::put(&path(uri)?, bytes, self.file_mode, |directory| self.create_directories(directory))? {
            return self.settle_new(&path(uri)?);
        }
        self.put_unseen(uri, bytes)
    }

    fn append(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        let path = &*path(uri)?;
        if path.is_dir() {
            let error = io::Error::from_raw_os_error(IS_A_DIRECTORY);
            return Err(failed(&error, format_args!("Cannot open file '{}'", DisplayPath(path))));
        }
        let file = self.open_for_writing(path, OpenOptions::new().append(true))?;
        Ok(Box::new(write::LocalWriter::new(file, path.to_owned(), false, self.sync_directories)))
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        let path = &*path(uri)?;
        let is_new = self.sync_directories && fs::symlink_metadata(path).is_err();
        self.open_for_writing(path, OpenOptions::new().write(true))?;
        if is_new { self.settle_new(path) } else { self.sync_parent(path) }
    }

    fn mark(&self, uri: &Uri) -> Result<()> {
        let path = &*path(uri)?;
        match create_empty(path, self.file_mode) {
            Ok(()) if self.sync_directories => self.settle_new(path),
            Ok(()) => Ok(()),
            // The name exists, a directory is missing, or the system cannot do it.
            Err(_) => self.touch(uri),
        }
    }

    fn put_unseen(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let mut file = WriteFile::new(self.create(uri)?);
        file.write(bytes)?;
        file.finish()
    }

    fn open_dir(&self, uri: &Uri) -> Option<Box<dyn DirHandle>> {
        Some(Box::new(LocalDirHandle::open(&path(uri).ok()?)?))
    }

    fn make_dir(&self, uri: &Uri) -> Result<bool> {
        let path = &*path(uri)?;
        if DirBuilder::new().creation_mode(self.directory_mode).create(path).is_err() {
            return Ok(false);
        }
        let settled = self.sync_parent(path);
        if settled.is_err() {
            _ = fs::remove_dir(path);
        }
        settled.map(|()| true)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.create_directories(&path(uri)?)
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        let path = &*path(uri)?;
        let removed = match fs::remove_file(path) {
            // An empty directory goes too, as with the original.
            Err(error) if is_directory(&error, path) => fs::remove_dir(path),
            removed => removed,
        };
        removed.map_err(|error| failed(&error, format_args!("Cannot delete file '{}'", DisplayPath(path))))?;
        self.sync_parent(path)
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        let path = &*path(uri)?;
        directory::remove_tree(path).map_err(|error| {
            // Two spaces, like the original.
            let text = format!("IO Error: Failed to delete path '{}';  {}", DisplayPath(path), reason(&error));
            Error::new(kind_of(&error), text)
        })?;
        self.sync_parent(path)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<()> {
        let path = &*path(uri)?;
        match fs::remove_dir(path) {
            // Unlike a recursive removal this does not remove what others have put into the directory.
            Err(error) if matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound) => Ok(()),
            removed => {
                removed.map_err(|error| failed(&error, format_args!("Cannot delete '{}'", DisplayPath(path))))?;
                self.sync_parent(path)
            }
        }
    }

    fn move_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.rename(&path(from)?, &path(to)?)
    }

    fn move_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.rename(&path(from)?, &path(to)?)
    }

    fn can_publish(&self, _directory: &Uri) -> Result<bool> {
        Ok(true)
    }

    fn publish(&self, from: &Uri, to: &Uri) -> Result<()> {
        let (from, to) = (&*path(from)?, &*path(to)?);
        fs::rename(from, to).map_err(|error| {
            failed(&error, format_args!("Cannot rename '{}' to '{}'", DisplayPath(from), DisplayPath(to)))
        })?;
        self.sync_parent(to)
    }

    fn exchange(&self, a: &Uri, b: &Uri) -> Result<()> {
        let (a, b) = (&*path(a)?, &*path(b)?);
        directory::exchange(a, b).map_err(|error| match error.kind() {
            io::ErrorKind::Unsupported => Error::new(
                ErrorKind::Unsupported,
                format!("The file system of '{}' cannot exchange files", DisplayPath(a)),
            ),
            _ => failed(&error, format_args!("Cannot exchange '{}' and '{}'", DisplayPath(a), DisplayPath(b))),
        })?;
        self.sync_parent(b)
    }

    fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        tree::copy_file(&path(from)?, &path(to)?)
    }

    fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        tree::copy(&path(from)?, &path(to)?)
    }
}
