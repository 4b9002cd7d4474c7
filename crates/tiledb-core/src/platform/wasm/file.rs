//! Files, of which there are none: whatever needs one fails with [`Unsupported`](std::io::ErrorKind::Unsupported).

use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions};
use std::io::{self, IoSliceMut, Write};
use std::path::Path;

use crate::platform::{FileStamp, Medium};

fn unsupported<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Permissions of new files and directories.
pub trait CreationMode {
    fn creation_mode(&mut self, mode: u32) -> &mut Self;
}

impl CreationMode for OpenOptions {
    fn creation_mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

impl CreationMode for DirBuilder {
    fn creation_mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

/// Opening does not wait for anything.
pub fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Undoes [`without_waiting`].
pub fn waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Whether it is a named pipe or a socket.
pub fn is_pipe(_kind: FileType) -> bool {
    false
}

/// The stamp of an open file or directory.
///
/// # Errors
/// `Unsupported`.
pub fn stamp(_file: &File, _metadata: &Metadata) -> io::Result<FileStamp> {
    unsupported()
}

/// The stamp of the file or directory at a path.
///
/// # Errors
/// `Unsupported`.
pub fn stamp_at(_path: &Path, _metadata: &Metadata) -> io::Result<FileStamp> {
    unsupported()
}

/// Maximum number of open files of this process.
pub fn descriptor_limit() -> u64 {
    u64::MAX
}

/// The kind of the file system of an open file.
pub fn medium(_file: &File) -> Medium {
    Medium::Other
}

/// Number of pages that are not written back.
pub fn dirty_pages(_file: &File) -> Option<u64> {
    None
}

/// Fills a buffer from an offset on.
///
/// # Errors
/// `Unsupported`.
pub fn read_exact_at(_file: &File, _offset: u64, _out: &mut [u8]) -> io::Result<()> {
    unsupported()
}

/// Fills buffers in turn from an offset on.
///
/// # Errors
/// `Unsupported`.
pub fn read_vectored_at(_file: &File, _offset: u64, _out: &mut [IoSliceMut<'_>]) -> io::Result<()> {
    unsupported()
}

/// Writes to standard error.
pub fn write_stderr(bytes: &[u8]) {
    // A failure cannot be reported anywhere.
    _ = io::stderr().write_all(bytes);
}

/// Makes the entries of a directory durable.
///
/// # Errors
/// `Unsupported`.
pub fn sync_directory(_path: &Path) -> io::Result<()> {
    unsupported()
}

/// Creates an empty file without opening it.
///
/// # Errors
/// `Unsupported`.
pub fn create_empty(_path: &Path, _mode: u32) -> io::Result<()> {
    unsupported()
}

/// Creates a file without a name.
///
/// # Errors
/// `Unsupported`.
pub fn create_unnamed(_directory: &Path, _mode: u32) -> io::Result<File> {
    unsupported()
}

/// Gives a file of [`create_unnamed`] its name.
///
/// # Errors
/// `Unsupported`.
pub fn link_unnamed(_file: &File, _path: &Path) -> io::Result<()> {
    unsupported()
}

/// Renames a file to a name that no file may have.
///
/// # Errors
/// `Unsupported`.
pub fn rename_new(_from: &Path, _to: &Path) -> io::Result<()> {
    unsupported()
}
