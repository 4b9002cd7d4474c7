//! Files in any store, with errors of the tool.

use std::io::Write;

use tiledb::{Context, DirEntry, VfsReader, VfsWriter, maintenance};

use super::error::{Error, Result};

/// The file systems of a context.
pub struct Vfs {
    vfs: tiledb::Vfs,
    ctx: Context,
}

impl Vfs {
    /// The VFS of a context.
    pub fn new(ctx: &Context) -> Self {
        Self { vfs: tiledb::Vfs::new(ctx), ctx: ctx.clone() }
    }

    /// Whether a folder exists.
    pub fn is_folder(&self, uri: &str) -> Result<bool> {
        Ok(self.vfs.is_dir(uri)?)
    }

    /// Whether a file exists.
    pub fn is_file(&self, uri: &str) -> Result<bool> {
        Ok(self.vfs.is_file(uri)?)
    }

    /// The first entry of a folder, if any; none for files and missing paths.
    pub fn first_in(&self, uri: &str) -> Result<Option<String>> {
        if !self.is_folder(uri)? {
            return Ok(None);
        }
        Ok(self.vfs.list(uri)?.first().map(|entry| entry.uri().to_owned()))
    }

    /// Creates a folder and its parents, if missing.
    pub fn create_folder(&self, uri: &str) -> Result<()> {
        Ok(self.vfs.create_dir(uri)?)
    }

    /// Removes a folder with all in it.
    pub fn remove_folder(&self, uri: &str) -> Result<()> {
        Ok(self.vfs.remove_dir(uri)?)
    }

    /// Aborts incomplete multipart uploads below a folder, and counts them.
    pub fn sweep_uploads(&self, uri: &str) -> Result<u64> {
        Ok(maintenance::sweep_uploads(&self.ctx, uri)?)
    }

    pub fn remove_file(&self, uri: &str) -> Result<()> {
        Ok(self.vfs.remove_file(uri)?)
    }

    /// Makes an empty file.
    pub fn touch(&self, uri: &str) -> Result<()> {
        Ok(self.vfs.touch(uri)?)
    }

    /// Renames a file; an existing file of that name is replaced.
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        Ok(self.vfs.move_file(from, to)?)
    }

    /// Renames a folder.
    pub fn rename_folder(&self, from: &str, to: &str) -> Result<()> {
        Ok(self.vfs.move_dir(from, to)?)
    }

    /// Opens a file for reading.
    pub fn open(&self, uri: &str) -> Result<ReadFile> {
        Ok(ReadFile(self.vfs.open(uri).map_err(|error| Error::from(error).at(uri))?))
    }

    /// Opens a file for writing, replacing an existing one.
    pub fn create(&self, uri: &str) -> Result<WriteFile> {
        Ok(WriteFile(self.vfs.create(uri).map_err(|error| Error::from(error).at(uri))?))
    }

    /// Everything below a folder.
    pub fn list_recursive(&self, uri: &str) -> Result<Vec<DirEntry>> {
        Ok(self.vfs.list_recursive(uri)?)
    }
}

/// A file that is open for reading.
pub struct ReadFile(VfsReader);

impl ReadFile {
    /// Reads bytes from an offset.
    pub fn read(&self, from: u64, buffer: &mut [u8]) -> Result<()> {
        Ok(self.0.read_at(from, buffer)?)
    }
}

/// A file that is open for writing.
pub struct WriteFile(VfsWriter);

impl WriteFile {
    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.0.write_all(bytes)?)
    }

    /// Closes the file; its bytes are visible from now on.
    pub fn close(self) -> Result<()> {
        Ok(self.0.finish()?)
    }
}
