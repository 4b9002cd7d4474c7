//! Writing local files from front to end.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use super::{failed, sync};
use crate::error::{Error, Result};
use crate::vfs::Sink;

/// Pieces are gathered up to this size, then written at once.
const PIECE: usize = 256 * 1024;

pub(super) struct Writer {
    file: File,
    path: PathBuf,
    held: Vec<u8>,
    /// Whether this writer started the file, and may remove it.
    new: bool,
    /// Whether its name is made durable too.
    sync_directory: bool,
}

impl Writer {
    pub(super) fn new(file: File, path: PathBuf, new: bool, sync_directory: bool) -> Self {
        Writer { file, path, held: Vec::new(), new, sync_directory }
    }

    #[cold]
    fn failed(&self, error: &io::Error) -> Error {
        failed(error, format_args!("Cannot write to file '{}'", self.path.display()))
    }
}

impl Sink for Writer {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() >= PIECE - self.held.len() {
            self.flush()?;
        }
        if bytes.len() >= PIECE / 2 {
            self.flush()?;
            return self.file.write_all(bytes).map_err(|error| self.failed(&error));
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(&self.held);
        self.held.clear();
        written.map_err(|error| self.failed(&error))
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()?;
        let synced = self.file.sync_data();
        synced.map_err(|error| failed(&error, format_args!("Cannot sync file '{}'", self.path.display())))
    }

    fn finish(&mut self, durable: bool) -> Result<()> {
        if !durable {
            return self.flush();
        }
        self.sync()?;
        match self.path.parent() {
            Some(parent) if self.sync_directory => sync(parent),
            _ => Ok(()),
        }
    }

    fn abandon(&mut self) {
        if self.new {
            // Nothing can be done about a failure here: the error that led here is the one to tell.
            _ = fs::remove_file(&self.path);
        }
    }
}
