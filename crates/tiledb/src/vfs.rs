//! Files in all storage backends.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::context::Context;
use crate::error::{AtUri, Result};
use crate::name::check_text;
use tiledb_core::error::Error as EngineError;
use tiledb_maintain::maintain::sweep_uploads;
use tiledb_storage::vfs as engine;

/// Files and folders in local file systems, memory and object stores, by URI.
///
/// ```
/// use std::io::{Read, Write};
/// use tiledb::{Context, Vfs};
///
/// let ctx = Context::new()?;
/// let vfs = Vfs::new(&ctx);
/// let mut file = vfs.create("mem://notes/today.txt")?;
/// file.write_all(b"two lines\n")?;
/// file.finish()?;
/// let mut text = String::new();
/// vfs.open("mem://notes/today.txt")?.read_to_string(&mut text)?;
/// assert_eq!(text, "two lines\n");
/// assert_eq!(vfs.list("mem://notes")?[0].size(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Vfs {
    vfs: engine::Vfs,
    ctx: Context,
}

/// A file or a folder in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    uri: String,
    size: u64,
    is_dir: bool,
}

impl DirEntry {
    /// The URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The size of a file in bytes; 0 of folders.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether it is a folder.
    pub fn is_dir(&self) -> bool {
        self.is_dir
    }

    fn of_engine(entry: engine::DirEntry) -> DirEntry {
        DirEntry { uri: entry.uri.as_str().to_owned(), size: entry.size, is_dir: entry.is_dir }
    }
}

fn parse(uri: &str) -> Result<engine::Uri> {
    check_text(uri)?;
    engine::Uri::parse(uri).at(uri)
}

impl Vfs {
    /// The files that a context can access.
    pub fn new(ctx: &Context) -> Vfs {
        Vfs { vfs: ctx.resources().vfs().clone(), ctx: ctx.clone() }
    }

    /// Runs an operation on the file system with a parsed URI.
    fn with<T>(
        &self,
        uri: &str,
        operation: impl FnOnce(&engine::Vfs, &engine::Uri) -> Result<T, EngineError>,
    ) -> Result<T> {
        let parsed = parse(uri)?;
        let _running = self.ctx.running()?;
        operation(&self.vfs, &parsed).at(uri)
    }

    /// Whether there is a file.
    ///
    /// # Errors
    /// If storage fails.
    pub fn is_file(&self, uri: &str) -> Result<bool> {
        self.with(uri, |vfs, uri| vfs.is_file(uri))
    }

    /// Whether there is a folder. In object stores this is a prefix of objects.
    ///
    /// # Errors
    /// If storage fails.
    pub fn is_dir(&self, uri: &str) -> Result<bool> {
        self.with(uri, |vfs, uri| vfs.is_dir(uri))
    }

    /// The size of a file in bytes.
    ///
    /// # Errors
    /// If there is no file, or storage fails.
    pub fn size(&self, uri: &str) -> Result<u64> {
        self.with(uri, |vfs, uri| vfs.size(uri))
    }

    /// The size of all files in a folder and its folders, in bytes.
    ///
    /// # Errors
    /// If storage fails.
    pub fn dir_size(&self, uri: &str) -> Result<u64> {
        self.with(uri, |vfs, uri| vfs.dir_size(uri))
    }

    /// The contents of a file.
    ///
    /// # Errors
    /// If there is no file, or storage fails.
    pub fn read(&self, uri: &str) -> Result<Vec<u8>> {
        self.with(uri, |vfs, uri| vfs.read(uri))
    }

    /// Writes a file, which replaces one that exists.
    ///
    /// # Errors
    /// If storage fails.
    pub fn write(&self, uri: &str, contents: &[u8]) -> Result<()> {
        self.with(uri, |vfs, uri| vfs.put(uri, contents))
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// If there is no file, or storage fails.
    pub fn open(&self, uri: &str) -> Result<VfsReader> {
        let file = self.with(uri, |vfs, uri| vfs.open(uri))?;
        Ok(VfsReader { file, at: 0 })
    }

    /// Begins a file, which replaces one that exists. In object stores it appears when it is [finished](VfsWriter::finish).
    ///
    /// # Errors
    /// If storage fails.
    pub fn create(&self, uri: &str) -> Result<VfsWriter> {
        let file = self.with(uri, |vfs, uri| vfs.create(uri))?;
        Ok(VfsWriter { file })
    }

    /// Opens a file to extend it at its end, which is not possible in object stores.
    ///
    /// # Errors
    /// If the storage cannot append, or fails.
    pub fn append(&self, uri: &str) -> Result<VfsWriter> {
        let file = self.with(uri, |vfs, uri| vfs.append(uri))?;
        Ok(VfsWriter { file })
    }

    /// Creates an empty file, unless there is one.
    ///
    /// # Errors
    /// If storage fails.
    pub fn touch(&self, uri: &str) -> Result<()> {
        self.with(uri, |vfs, uri| vfs.touch(uri))
    }

    /// Lists a folder.
    ///
    /// # Errors
    /// If storage fails.
    pub fn list(&self, uri: &str) -> Result<Vec<DirEntry>> {
        let entries = self.with(uri, |vfs, uri| vfs.list(uri))?;
        Ok(entries.into_iter().map(DirEntry::of_engine).collect())
    }

    /// Lists a folder and all folders in it.
    ///
    /// # Errors
    /// If storage fails.
    pub fn list_recursive(&self, uri: &str) -> Result<Vec<DirEntry>> {
        let entries = self.with(uri, |vfs, uri| vfs.list_recursive(uri))?;
        Ok(entries.into_iter().map(DirEntry::of_engine).collect())
    }

    /// Creates a folder. In object stores, which have none, it does nothing.
    ///
    /// # Errors
    /// If storage fails.
    pub fn create_dir(&self, uri: &str) -> Result<()> {
        self.with(uri, |vfs, uri| vfs.create_dir(uri))
    }

    /// Removes a file.
    ///
    /// # Errors
    /// If there is no file, or storage fails.
    pub fn remove_file(&self, uri: &str) -> Result<()> {
        self.with(uri, |vfs, uri| vfs.remove_file(uri))
    }

    /// Removes a folder with all that it contains.
    ///
    /// # Errors
    /// If storage fails.
    pub fn remove_dir(&self, uri: &str) -> Result<()> {
        self.with(uri, |vfs, uri| vfs.remove_dir(uri))
    }

    /// Copies a file.
    ///
    /// # Errors
    /// If there is no file, or storage fails.
    pub fn copy_file(&self, from: &str, to: &str) -> Result<()> {
        let to = parse(to)?;
        self.with(from, |vfs, from| vfs.copy_file(from, &to))
    }

    /// Copies a folder with all that it contains.
    ///
    /// # Errors
    /// If storage fails.
    pub fn copy_dir(&self, from: &str, to: &str) -> Result<()> {
        let to = parse(to)?;
        self.with(from, |vfs, from| vfs.copy_dir(from, &to))
    }

    /// Moves a file on the same storage.
    ///
    /// # Errors
    /// If there is no file, or storage fails.
    pub fn move_file(&self, from: &str, to: &str) -> Result<()> {
        let to = parse(to)?;
        self.with(from, |vfs, from| vfs.move_file(from, &to))
    }

    /// Moves a folder on the same storage.
    ///
    /// # Errors
    /// If storage fails.
    pub fn move_dir(&self, from: &str, to: &str) -> Result<()> {
        let to = parse(to)?;
        self.with(from, |vfs, from| vfs.move_dir(from, &to))
    }

    /// Aborts multipart uploads to an object store below a folder that nobody completed; returns their number. No process may be
    /// writing there.
    ///
    /// # Errors
    /// If this process is writing an array there, or storage fails.
    pub fn abort_uploads(&self, uri: &str) -> Result<u64> {
        self.with(uri, sweep_uploads)
    }

    pub(crate) fn of_engine(ctx: &Context, vfs: &engine::Vfs) -> Vfs {
        Vfs { vfs: vfs.clone(), ctx: ctx.clone() }
    }
}

impl fmt::Debug for Vfs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vfs").finish_non_exhaustive()
    }
}

/// A file that is open for reading.
pub struct VfsReader {
    file: engine::ReadFile,
    at: u64,
}

impl VfsReader {
    /// The size of the file in bytes.
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// Whether the file is empty.
    pub fn is_empty(&self) -> bool {
        self.file.len() == 0
    }

    /// Reads bytes at a position, exactly as many as fit into the buffer.
    ///
    /// # Errors
    /// If the file ends before, or storage fails.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        Ok(self.file.read_at(offset, buffer)?)
    }
}

fn io_error(error: EngineError) -> io::Error {
    crate::error::Error::from(error).into()
}

impl Read for VfsReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.file.len().saturating_sub(self.at);
        let count = buffer.len().min(usize::try_from(rest).unwrap_or(usize::MAX));
        self.file.read_at(self.at, &mut buffer[..count]).map_err(io_error)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for VfsReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.file.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "position before the file"))?;
        Ok(self.at)
    }
}

/// A file that is being written. It is complete when it is [finished](VfsWriter::finish).
#[must_use = "a file is complete after `finish`"]
pub struct VfsWriter {
    file: engine::WriteFile,
}

impl VfsWriter {
    pub(crate) fn append_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.file.write(bytes)?)
    }

    /// Completes the file and makes it durable.
    ///
    /// # Errors
    /// If storage fails.
    pub fn finish(self) -> Result<()> {
        Ok(self.file.finish()?)
    }
}

impl Write for VfsWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(io_error)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(io_error)
    }
}
