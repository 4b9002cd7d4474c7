//! Writing local files from front to end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IoSlice, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::descriptor::Descriptor;
use super::failure::failed;
use super::paths::sync;
use crate::vfs::FileSink;
use tiledb_core::error::Result;
use tiledb_core::limits::storage::{MAX_GATHERED_BYTES, MAX_VECTORED_BUFFERS, WRITE_BUFFER_BYTES};
use tiledb_core::plain_file;
use tiledb_core::types::DisplayPath;

static GATHERED_BYTES: AtomicUsize = AtomicUsize::new(0);

pub(super) struct LocalWriter {
    descriptor: Descriptor,
    path: PathBuf,
    gathered: Vec<u8>,
    /// Whether this writer started the file, and may remove it.
    new: bool,
    /// Whether its name is made durable too.
    sync_directory: bool,
}

impl LocalWriter {
    pub(super) fn new(file: File, path: PathBuf, new: bool, sync_directory: bool) -> Self {
        LocalWriter { descriptor: Descriptor::shared(file), path, gathered: Vec::new(), new, sync_directory }
    }

    /// Does something at the end of the file.
    fn with(&self, act: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        let open = || plain_file::open(&self.path, OpenOptions::new().append(true)).map(|(file, _)| file);
        self.descriptor.with(open, act)
    }

    fn write_out(&self, pieces: &[&[u8]]) -> Result<()> {
        let written = self.with(|file| write_all(file, pieces));
        written.map_err(|error| failed(&error, format_args!("Cannot write to file '{}'", DisplayPath(&self.path))))
    }

    fn take_gathered(&mut self) -> Vec<u8> {
        GATHERED_BYTES.fetch_sub(self.gathered.len(), Ordering::Relaxed);
        std::mem::take(&mut self.gathered)
    }
}

/// Writes slices in turn, with as few system calls as possible.
fn write_all(mut file: &File, pieces: &[&[u8]]) -> io::Result<()> {
    if let [bytes] = *pieces {
        return file.write_all(bytes);
    }
    for some in pieces.chunks(MAX_VECTORED_BUFFERS.count()) {
        let mut slices: Vec<IoSlice<'_>> = some.iter().map(|piece| IoSlice::new(piece)).collect();
        let mut rest = &mut slices[..];
        IoSlice::advance_slices(&mut rest, 0); // skips empty pieces, of which nothing could be written
        while !rest.is_empty() {
            match file.write_vectored(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => IoSlice::advance_slices(&mut rest, written),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

impl FileSink for LocalWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let capacity = WRITE_BUFFER_BYTES.count();
        if bytes.len() >= capacity.saturating_sub(self.gathered.len()) {
            self.flush()?;
        }
        if bytes.len() >= capacity / 2 || GATHERED_BYTES.load(Ordering::Relaxed) >= MAX_GATHERED_BYTES.count() {
            self.flush()?;
            return self.write_out(&[bytes]);
        }
        self.gathered.extend_from_slice(bytes);
        GATHERED_BYTES.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(())
    }

    fn write_pieces(&mut self, pieces: &[&[u8]]) -> Result<()> {
        if pieces.iter().map(|piece| piece.len()).sum::<usize>() < WRITE_BUFFER_BYTES.count() / 2 {
            return pieces.iter().try_for_each(|bytes| self.write(bytes));
        }
        self.flush()?;
        self.write_out(pieces)
    }

    fn flush(&mut self) -> Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let mut gathered = self.take_gathered();
        let written = self.write_out(&[&gathered]);
        gathered.clear();
        self.gathered = gathered;
        written
    }

    fn sync(&mut self) -> Result<()> {
        let gathered = self.take_gathered();
        let cannot =
            |what: &str, error| Err(failed(&error, format_args!("Cannot {what} file '{}'", DisplayPath(&self.path))));
        // Both with one descriptor, which reports earlier write-back errors.
        let mut written = Ok(());
        let synced = self.with(|mut file| {
            written = file.write_all(&gathered);
            if written.is_ok() { file.sync_data() } else { Ok(()) }
        });
        written.or_else(|error| cannot("write to", error))?;
        synced.or_else(|error| cannot("sync", error))
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
            // The first error is reported.
            _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for LocalWriter {
    fn drop(&mut self) {
        _ = self.take_gathered();
    }
}
