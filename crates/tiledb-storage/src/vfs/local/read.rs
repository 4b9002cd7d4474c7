//! Reading local files.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSliceMut};
use std::path::Path;

use super::descriptor::Descriptor;
use super::failure::failed;
use super::stamp;
use crate::vfs::{Content, ReadAt, ReadFile, Stamp};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::plain_file;
use tiledb_core::platform::file::{read_exact_at, read_vectored_at};
use tiledb_core::types::DisplayPath;

struct LocalFile {
    descriptor: Descriptor,
    stamp: Stamp,
    is_validator: bool,
    path: Box<Path>,
}

/// Opens a file whose contents are cached; `keep` wraps the descriptor.
pub(super) fn open(path: &Path, keep: impl FnOnce(File) -> Descriptor, cached: Option<Content>) -> Result<ReadFile> {
    let (file, metadata) = plain_file::open(path, OpenOptions::new().read(true))
        .map_err(|error| failed(&error, format_args!("Cannot open file '{}'", DisplayPath(path))))?;
    if metadata.is_dir() {
        return Err(Error::new(
            ErrorKind::Io,
            format!("IO Error: Cannot open file '{}'; Is a directory", DisplayPath(path)),
        ));
    }
    let stamp = stamp::of(&file, &metadata)
        .map_err(|error| failed(&error, format_args!("Cannot look at '{}'", DisplayPath(path))))?;
    let is_validator = cached.is_some_and(|content| stamp::is_validator(stamp, &file, content));
    Ok(ReadFile::new(LocalFile { descriptor: keep(file), stamp, is_validator, path: path.into() }))
}

impl LocalFile {
    #[cold]
    fn exceeded(&self, offset: u64, bytes: u64) -> Error {
        let (len, path) = (self.stamp.size, DisplayPath(&self.path));
        let text = format!(
            "IO Error: Cannot read from file; Read exceeds file size: offset {offset}, nbytes {bytes}, \
             file_size {len}, URI {path}"
        );
        Error::new(ErrorKind::Io, text)
    }

    #[cold]
    fn failed(&self, error: &io::Error) -> Error {
        failed(error, format_args!("Cannot read from file '{}'", DisplayPath(&self.path)))
    }

    fn with(&self, act: impl FnOnce(&File) -> io::Result<()>) -> Result<()> {
        self.descriptor.with(|| self.reopen(), act).map_err(|error| self.failed(&error))
    }

    /// Reopens the file, unless it has been replaced by another one.
    fn reopen(&self) -> io::Result<File> {
        let (file, metadata) = plain_file::open(&self.path, OpenOptions::new().read(true))?;
        let (now, then) = (stamp::of(&file, &metadata)?, self.stamp);
        if (now.device, now.inode, now.size) != (then.device, then.inode, then.size) {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "Another file has taken its place since it was opened",
            ));
        }
        Ok(file)
    }
}

impl ReadAt for LocalFile {
    fn len(&self) -> u64 {
        self.stamp.size
    }

    fn validator(&self) -> Option<Stamp> {
        self.is_validator.then_some(self.stamp)
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        if i64::try_from(offset).is_err() {
            let text =
                format!("IO Error: Cannot read from file '{}'; offset > typemax(off_t)", DisplayPath(&self.path));
            return Err(Error::new(ErrorKind::Io, text));
        }
        match offset.checked_add(bytes) {
            Some(end) if end <= self.stamp.size => Ok(()),
            _ => Err(self.exceeded(offset, bytes)),
        }
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        self.with(|file| read_exact_at(file, offset, out))
    }

    fn read_vectored_at(&self, offset: u64, out: &mut [IoSliceMut<'_>]) -> Result<()> {
        let total = out.iter().fold(0u64, |sum, part| sum.saturating_add(part.len() as u64));
        self.check(offset, total)?;
        self.with(|file| read_vectored_at(file, offset, out))
    }
}
