//! File handles of the C interface: open, read, write, sync, close.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{ReadFile, Uri, Vfs, WriteFile};
use tiledb_core::error::{Error, ErrorKind, Result, bail};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Read an existing file.
    Read,
    /// Write a new file. An existing one is removed at once; in an object store it is replaced atomically when the new
    /// one is complete.
    Write,
    /// Append to a file, which is created if it does not exist.
    Append,
}

/// A file opened by a user, for any number of threads. The mode decides what happens to the file when it is opened and
/// closed; in between it can be read and appended to.
pub struct FileHandle {
    vfs: Vfs,
    uri: Uri,
    mode: OpenMode,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    closed: bool,
    /// Opened on the first read, and reopened when the file has grown.
    reader: Option<ReadFile>,
    /// Opened on the first write.
    writer: Option<WriteFile>,
}

impl FileHandle {
    /// Opens a file.
    ///
    /// # Errors
    /// `NotFound` for a missing file that is to be read; otherwise if the storage fails.
    pub fn open(vfs: &Vfs, uri: Uri, mode: OpenMode) -> Result<FileHandle> {
        let mut state = State::default();
        let is_remote = mode != OpenMode::Append && vfs.is_remote(&uri)?;
        if mode == OpenMode::Write && is_remote {
            // An existing object stays until it is replaced atomically.
            return Ok(FileHandle { vfs: vfs.clone(), uri, mode, state: Mutex::new(state) });
        }
        if is_remote {
            // One request checks that the object exists and opens it.
            state.reader = match vfs.open(&uri) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing(&uri)),
                opened => Some(opened?),
            };
            return Ok(FileHandle { vfs: vfs.clone(), uri, mode, state: Mutex::new(state) });
        }
        let exists = vfs.is_file(&uri)?;
        match mode {
            OpenMode::Read if !exists => return Err(missing(&uri)),
            OpenMode::Write if exists => vfs.remove_file(&uri)?,
            OpenMode::Append => vfs.check_append(&uri)?,
            _ => {}
        }
        Ok(FileHandle { vfs: vfs.clone(), uri, mode, state: Mutex::new(state) })
    }

    /// Fills `out` with the bytes from `offset` on; bytes written before are visible.
    ///
    /// # Errors
    /// If the file is closed or missing, or the range exceeds its end.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let reader = self.reader(offset, out.len() as u64)?;
        self.vfs.read_parallel(&reader, offset, out)
    }

    /// The file opened for reading, after a check that it has the range.
    ///
    /// # Errors
    /// As [`FileHandle::read`].
    pub fn reader(&self, offset: u64, bytes: u64) -> Result<ReadFile> {
        let mut state = self.open_state("read from")?;
        let reader = match &state.reader {
            Some(reader) if reader.check(offset, bytes).is_ok() => reader.clone(),
            _ => self.open_reader()?,
        };
        reader.check(offset, bytes)?;
        state.reader = Some(reader.clone());
        Ok(reader)
    }

    fn open_reader(&self) -> Result<ReadFile> {
        self.vfs.open(&self.uri).map_err(|error| match error.kind() {
            ErrorKind::NotFound => self.vfs.size(&self.uri).err().unwrap_or(error),
            _ => error,
        })
    }

    /// Adds bytes at the end of the file, where others see them at once if the storage can do that.
    ///
    /// # Errors
    /// If the file is closed or the storage fails.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        let mut state = self.open_state("write to")?;
        let writer = match &mut state.writer {
            Some(writer) => writer,
            none if self.mode == OpenMode::Write => none.insert(self.vfs.append_or_create(&self.uri)?),
            none => none.insert(self.vfs.append(&self.uri)?),
        };
        writer.write(bytes)?;
        writer.flush()
    }

    /// Makes the bytes written so far durable.
    ///
    /// # Errors
    /// If the file is closed or the storage fails.
    pub fn sync(&self) -> Result<()> {
        self.open_state("sync")?.writer.as_mut().map_or(Ok(()), WriteFile::sync)
    }

    /// Writes out everything durably and closes; a file opened to be written exists from then on.
    ///
    /// # Errors
    /// If the file is closed or the storage fails; it is closed then, too.
    pub fn close(&self) -> Result<()> {
        let mut state = self.open_state("close")?;
        state.closed = true;
        state.reader = None;
        match state.writer.take() {
            Some(writer) => writer.finish(),
            None if self.mode == OpenMode::Read => Ok(()),
            None if self.mode == OpenMode::Write && self.vfs.is_remote(&self.uri)? => {
                self.vfs.create(&self.uri)?.finish()
            }
            None => self.vfs.touch(&self.uri),
        }
    }

    /// Whether the file was closed.
    pub fn is_closed(&self) -> bool {
        self.state().closed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_state(&self, what: &str) -> Result<MutexGuard<'_, State>> {
        let state = self.state();
        if state.closed {
            bail!("[TileDB::VFSFileHandle] Error: Cannot {what} file '{}'; File is not open", self.uri);
        }
        Ok(state)
    }
}

#[cold]
fn missing(uri: &Uri) -> Error {
    Error::new(ErrorKind::NotFound, format!("VFS: Cannot open file '{uri}'; File does not exist"))
}

impl Drop for FileHandle {
    fn drop(&mut self) {
        // If a handle is freed without being closed, the written bytes are kept; a failure can no longer be reported.
        if let Some(writer) = self.state().writer.take() {
            _ = writer.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::{Stat, VfsOptions};
    use tiledb_core::pool::Pools;

    fn file() -> (tempfile::TempDir, Vfs, Uri) {
        let directory = tempfile::tempdir().unwrap();
        let uri = Uri::from_path(&directory.path().join("f")).unwrap();
        (directory, Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1)), uri)
    }

    #[test]
    fn a_file_is_written_appended_to_and_read() {
        let (_directory, vfs, uri) = file();
        assert!(FileHandle::open(&vfs, uri.clone(), OpenMode::Read).is_err());
        for (mode, expected) in [(OpenMode::Write, "one"), (OpenMode::Append, "oneone"), (OpenMode::Write, "one")] {
            let handle = FileHandle::open(&vfs, uri.clone(), mode).unwrap();
            handle.write(b"o").unwrap();
            handle.sync().unwrap();
            handle.write(b"ne").unwrap();
            let mut read = vec![0; expected.len()];
            handle.read(0, &mut read).unwrap();
            assert_eq!(read, expected.as_bytes());
            handle.close().unwrap();
            assert_eq!(vfs.read(&uri).unwrap(), expected.as_bytes());
        }
    }

    #[test]
    fn closed_is_closed() {
        let (_directory, vfs, uri) = file();
        let handle = FileHandle::open(&vfs, uri.clone(), OpenMode::Write).unwrap();
        assert_eq!((handle.is_closed(), vfs.stat(&uri).unwrap()), (false, Stat::Missing));
        handle.close().unwrap();
        assert_eq!((handle.is_closed(), vfs.stat(&uri).unwrap()), (true, Stat::File(0)));
        for (result, what) in [
            (handle.close(), "close file"),
            (handle.sync(), "sync file"),
            (handle.write(b"x"), "write to file"),
            (handle.read(0, &mut []), "read from file"),
        ] {
            let text = format!("[TileDB::VFSFileHandle] Error: Cannot {what} '{uri}'; File is not open");
            assert_eq!(result.unwrap_err().text(), text);
        }
    }

    #[test]
    fn a_freed_handle_keeps_what_was_written() {
        let (_directory, vfs, uri) = file();
        FileHandle::open(&vfs, uri.clone(), OpenMode::Write).unwrap().write(b"kept").unwrap();
        assert_eq!(vfs.read(&uri).unwrap(), b"kept");
    }
}
