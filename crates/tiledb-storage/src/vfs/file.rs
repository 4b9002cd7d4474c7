//! Open files: positional reads, and writes from front to end.

use std::io::IoSliceMut;
use std::sync::Arc;

use super::Uri;
use super::range_cache::RangeCache;
use super::read_log::ReadLog;
use super::validation::Stamp;
use tiledb_core::error::{Error, Result};
use tiledb_core::memory;
use tiledb_core::stats::{Counter, Stats};

/// A file that can be read at any offset by many threads at once.
pub trait ReadAt: Send + Sync {
    /// The bytes of the file.
    fn len(&self) -> u64;

    /// Refuses a range that reaches beyond the end, as reading it would.
    ///
    /// # Errors
    /// The one that says so.
    fn check(&self, offset: u64, bytes: u64) -> Result<()>;

    /// Whether all its bytes are in memory, because storage gave them when it was opened.
    fn is_held(&self) -> bool {
        false
    }

    /// The stamp that the file had when it was opened to be cached, if it was a validator then.
    fn validator(&self) -> Option<Stamp> {
        None
    }

    /// Reads that may wait for an answer at the same time; 1 where storage is at hand.
    fn width(&self) -> usize {
        1
    }

    /// What is fetched of it ahead; `None` where storage is at hand.
    fn known(&self) -> Option<&RangeCache> {
        None
    }

    /// As `read_at`, from the storage itself.
    fn get(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.read_at(offset, out)
    }

    /// Fills `out` with the bytes from `offset` on.
    ///
    /// # Errors
    /// Where the range reaches beyond the end, or the storage fails.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()>;

    /// Fills several buffers, one after the other, with the bytes from `offset` on.
    ///
    /// # Errors
    /// As [`ReadAt::read_at`].
    fn read_vectored_at(&self, offset: u64, out: &mut [IoSliceMut<'_>]) -> Result<()> {
        let mut offset = offset;
        for part in out {
            self.read_at(offset, part)?;
            offset = offset.saturating_add(part.len() as u64);
        }
        Ok(())
    }
}

/// A file open for reading. A clone shares the open file.
#[derive(Clone)]
pub struct ReadFile {
    file: Arc<dyn ReadAt>,
    stats: Option<Stats>,
    /// Who tells of reads, and of which file.
    log: Option<(Arc<ReadLog>, Uri)>,
}

impl ReadFile {
    /// Wraps a file of a backend.
    pub fn new(file: impl ReadAt + 'static) -> Self {
        ReadFile { file: Arc::new(file), stats: None, log: None }
    }

    /// The same file, which counts what is read.
    #[must_use]
    pub fn counted(self, stats: &Stats) -> Self {
        ReadFile { stats: Some(stats.clone()), ..self }
    }

    /// The same file, which tells of what is read where somebody wants to know.
    #[must_use]
    pub(super) fn logged(self, log: Option<&Arc<ReadLog>>, uri: &Uri) -> Self {
        ReadFile { log: log.map(|log| (Arc::clone(log), uri.clone())), ..self }
    }

    fn count(&self, offset: u64, bytes: usize) {
        if let Some((log, uri)) = &self.log {
            log.tell(uri, offset, bytes);
        }
        if let Some(stats) = &self.stats {
            stats.add(Counter::VfsReads, 1);
            stats.add(Counter::VfsReadBytes, bytes as u64);
        }
    }

    /// The bytes of the file when it was opened.
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// Refuses a range that reaches beyond the end, as reading it would.
    ///
    /// # Errors
    /// The one that says so.
    pub fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        self.file.check(offset, bytes)
    }

    /// Whether all its bytes are in memory, because storage gave them when it was opened.
    pub fn is_held(&self) -> bool {
        self.file.is_held()
    }

    /// The key of what a cache keeps of the file beyond this handle (see `vfs/validation.rs`); `None` if nothing may be kept,
    /// or it was not opened to be cached.
    pub fn validator(&self) -> Option<Stamp> {
        self.file.validator()
    }

    /// Reads that may wait for an answer at the same time; 1 where storage is at hand.
    pub(super) fn width(&self) -> usize {
        self.file.width()
    }

    /// Whether parts of it may have been fetched ahead.
    pub fn is_remote(&self) -> bool {
        self.file.known().is_some()
    }

    /// What is fetched of it ahead; `None` where storage is at hand.
    pub(super) fn known(&self) -> Option<&RangeCache> {
        self.file.known()
    }

    /// Fills `out` with the bytes from `offset` on, from the storage itself, and does not count that.
    pub(super) fn get(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.file.get(offset, out)
    }

    /// The same for all that share the open file.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.file).addr()
    }

    /// Fills `out` with the bytes from `offset` on: one positional read, no lock, no allocation.
    ///
    /// # Errors
    /// Where the range reaches beyond the end, or the storage fails.
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.count(offset, out.len());
        self.file.read_at(offset, out)
    }

    /// Fills several buffers, one after the other, with the bytes from `offset` on, in one request.
    ///
    /// # Errors
    /// As [`ReadFile::read_at`].
    pub fn read_vectored_at(&self, offset: u64, out: &mut [IoSliceMut<'_>]) -> Result<()> {
        self.count(offset, out.iter().map(|part| part.len()).sum());
        self.file.read_vectored_at(offset, out)
    }

    /// All bytes of the file.
    ///
    /// # Errors
    /// As [`ReadFile::read_at`]; `OutOfMemory` for a file larger than memory.
    pub fn read_all(&self) -> Result<Vec<u8>> {
        let len = self.len();
        let size = usize::try_from(len).map_err(|_| Error::out_of_memory("a file", usize::MAX))?;
        let mut bytes = memory::zeroed("a file", size)?;
        self.read_at(0, &mut bytes)?;
        Ok(bytes)
    }
}

/// A file that is being written, as far as who goes on with it elsewhere must know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuspendedFile {
    /// Bytes that were written.
    pub size: u64,
    /// What an object store calls the upload, if it has begun.
    pub upload: Option<String>,
    /// The tags of the parts that were sent.
    pub parts: Vec<String>,
    /// How many of the bytes are no part yet, and wait in an object of their own.
    pub held: u64,
}

/// Where a backend takes the bytes of a new file.
///
/// The errors of every method are those of the storage.
pub trait FileSink: Send + Sync {
    /// Adds bytes at the end.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;
    /// Adds pieces at the end, one behind the other.
    fn write_pieces(&mut self, pieces: &[&[u8]]) -> Result<()> {
        pieces.iter().try_for_each(|bytes| self.write(bytes))
    }
    /// Hands over what is held back, so that other readers of the file see it.
    fn flush(&mut self) -> Result<()>;
    /// Makes durable what was written so far, where the storage can before the end.
    fn sync(&mut self) -> Result<()>;
    /// Writes out what is held back and closes; durably if asked so.
    fn finish(&mut self, durable: bool) -> Result<()>;
    /// Makes durable what was written, for another one to go on with, as [`Backend::resume`](super::Backend::resume) does.
    fn suspend(&mut self) -> Result<SuspendedFile> {
        self.finish(true)?;
        Ok(SuspendedFile::default())
    }
    /// Gives up: the file disappears if it was new.
    fn abandon(&mut self);
}

/// A file being written from front to end. Dropped before [`WriteFile::finish`], it is removed.
pub struct WriteFile {
    sink: Option<Box<dyn FileSink>>,
    len: u64,
    stats: Option<Stats>,
}

impl WriteFile {
    /// Wraps a sink of a backend.
    pub fn new(sink: Box<dyn FileSink>) -> Self {
        WriteFile { sink: Some(sink), len: 0, stats: None }
    }

    /// The same file, of which so many bytes were written before.
    #[must_use]
    pub(super) fn begun(mut self, len: u64) -> Self {
        self.len = len;
        self
    }

    /// The same file, which counts what is written.
    #[must_use]
    pub fn counted(mut self, stats: &Stats) -> Self {
        self.stats = Some(stats.clone());
        self
    }

    /// Adds bytes at the end. Small pieces are gathered, large ones go straight out.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_pieces(&[bytes])
    }

    /// Adds pieces at the end, one behind the other, without putting them together where the storage can.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn write_pieces(&mut self, pieces: &[&[u8]]) -> Result<()> {
        match *pieces {
            [bytes] => self.sink()?.write(bytes)?,
            _ => self.sink()?.write_pieces(pieces)?,
        }
        let bytes = pieces.iter().map(|piece| piece.len()).sum();
        self.len += bytes as u64;
        if let Some(stats) = &self.stats {
            count_write(stats, bytes);
        }
        Ok(())
    }

    /// The bytes written through this object so far, thus the offset of the next ones in a new file.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Hands over what is held back, so that other readers of the file see it, where the storage can
    /// before the end.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn flush(&mut self) -> Result<()> {
        self.sink()?.flush()
    }

    /// Makes durable what was written so far, where the storage can before the end.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn sync(&mut self) -> Result<()> {
        self.sink()?.sync()
    }

    /// Writes out everything, makes it durable and closes.
    ///
    /// # Errors
    /// Where the storage fails; a new file is removed then.
    pub fn finish(self) -> Result<()> {
        self.end(true)
    }

    /// As [`WriteFile::finish`], but leaves it to the system when the bytes become durable.
    ///
    /// # Errors
    /// As [`WriteFile::finish`].
    pub fn close(self) -> Result<()> {
        self.end(false)
    }

    /// Makes durable what was written and closes, for another one to go on with ([`Vfs::resume`](super::Vfs::resume)).
    ///
    /// # Errors
    /// Where the storage fails, or its files cannot be handed on.
    pub fn suspend(mut self) -> Result<SuspendedFile> {
        let draft = self.sink()?.suspend()?;
        self.sink = None;
        Ok(SuspendedFile { size: self.len, ..draft })
    }

    fn end(mut self, durable: bool) -> Result<()> {
        self.sink()?.finish(durable)?;
        self.sink = None;
        Ok(())
    }

    fn sink(&mut self) -> Result<&mut Box<dyn FileSink>> {
        self.sink.as_mut().ok_or_else(|| Error::internal("The file is already finished"))
    }
}

/// Counts one write of so many bytes.
pub(super) fn count_write(stats: &Stats, bytes: usize) {
    stats.add(Counter::VfsWrites, 1);
    stats.add(Counter::VfsWrittenBytes, bytes as u64);
}

impl Drop for WriteFile {
    fn drop(&mut self) {
        if let Some(mut sink) = self.sink.take() {
            sink.abandon();
        }
    }
}
