//! Open files: positional reads, and sequential writes.

use std::io::IoSliceMut;
use std::ops::Range;
use std::sync::Arc;

use super::Uri;
use super::range_cache::RangeCache;
use super::read_log::ReadLog;
use super::validation::Stamp;
use tiledb_core::error::{Error, Result};
use tiledb_core::memory;
use tiledb_core::stats::{Counter, Stats};

/// A file that can be read at any offset by many threads concurrently.
pub trait ReadAt: Send + Sync {
    /// Size of the file in bytes.
    fn len(&self) -> u64;

    /// Rejects a range beyond the end of the file, as reading it would.
    ///
    /// # Errors
    /// If the range exceeds the end of the file.
    fn check(&self, offset: u64, bytes: u64) -> Result<()>;

    /// Whether the whole file is in memory, because the storage returned it when it was opened.
    fn is_in_memory(&self) -> bool {
        false
    }

    /// The stamp of the file when it was opened to be cached, if it was a validator then.
    fn validator(&self) -> Option<Stamp> {
        None
    }

    /// Maximum number of concurrent reads; 1 for local storage.
    fn concurrency(&self) -> usize {
        1
    }

    /// The ranges of the file that are being prefetched; `None` for local storage.
    fn prefetched(&self) -> Option<&RangeCache> {
        None
    }

    /// Requests a range that the host program has not supplied yet; does nothing on other storage.
    ///
    /// # Errors
    /// `Pending` if it is requested.
    fn demand(&self, _range: Range<u64>) -> Result<()> {
        Ok(())
    }

    /// As `read_at`, bypassing all caches.
    fn read_uncached(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.read_at(offset, out)
    }

    /// Fills `out` with the bytes from `offset` on.
    ///
    /// # Errors
    /// If the range reaches beyond the end, or the storage fails.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()>;

    /// Fills several buffers in turn with the bytes from `offset` on.
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
    /// Log of reads, and the file's name in it.
    log: Option<(Arc<ReadLog>, Uri)>,
}

impl ReadFile {
    pub fn new(file: impl ReadAt + 'static) -> Self {
        ReadFile { file: Arc::new(file), stats: None, log: None }
    }

    /// Counts reads in `stats`.
    #[must_use]
    pub fn counted(self, stats: &Stats) -> Self {
        ReadFile { stats: Some(stats.clone()), ..self }
    }

    /// Logs reads, if a log is configured.
    #[must_use]
    pub(super) fn logged(self, log: Option<&Arc<ReadLog>>, uri: &Uri) -> Self {
        ReadFile { log: log.map(|log| (Arc::clone(log), uri.clone())), ..self }
    }

    fn count(&self, offset: u64, bytes: usize) {
        if let Some((log, uri)) = &self.log {
            log.record(uri, offset, bytes);
        }
        if let Some(stats) = &self.stats {
            stats.add(Counter::VfsReads, 1);
            stats.add(Counter::VfsReadBytes, bytes as u64);
        }
    }

    /// Size of the file when it was opened.
    #[inline]
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// Rejects a range beyond the end of the file, as reading it would.
    ///
    /// # Errors
    /// If the range exceeds the end of the file.
    pub fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        self.file.check(offset, bytes)
    }

    /// Whether the whole file is in memory, because the storage returned it when it was opened.
    pub fn is_in_memory(&self) -> bool {
        self.file.is_in_memory()
    }

    /// Key under which a cache may keep contents of the file beyond this handle (see `vfs/validation.rs`); `None` if
    /// they must not be cached, or the file was not opened to be cached.
    #[inline]
    pub fn validator(&self) -> Option<Stamp> {
        self.file.validator()
    }

    /// Maximum number of concurrent reads; 1 for local storage.
    pub(super) fn concurrency(&self) -> usize {
        self.file.concurrency()
    }

    /// Whether the file is on remote storage, where ranges can be prefetched.
    #[inline]
    pub fn is_remote(&self) -> bool {
        self.file.prefetched().is_some()
    }

    /// The ranges of the file that are being prefetched; `None` for local storage.
    pub(super) fn prefetched(&self) -> Option<&RangeCache> {
        self.file.prefetched()
    }

    /// Requests ranges that the host program has not supplied yet; does nothing on other storage.
    ///
    /// # Errors
    /// `Pending` if any is requested.
    pub(super) fn demand(&self, ranges: impl IntoIterator<Item = Range<u64>>) -> Result<()> {
        super::concurrent::first_error(ranges.into_iter().map(|range| self.file.demand(range)))
    }

    /// Fills `out` with the bytes from `offset` on, bypassing caches and statistics.
    pub(super) fn read_uncached(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.file.read_uncached(offset, out)
    }

    /// Identifies the open file: equal for all clones.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.file).addr()
    }

    /// Fills `out` with the bytes from `offset` on: one positional read, no lock, no allocation.
    ///
    /// # Errors
    /// If the range reaches beyond the end, or the storage fails.
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

    /// The contents of the file.
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

/// State of a suspended write, from which another process can resume it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuspendedFile {
    /// Number of bytes written.
    pub size: u64,
    /// ID of the multipart upload, if it has begun.
    pub upload: Option<String>,
    /// Tags of the uploaded parts.
    pub parts: Vec<String>,
    /// How many of the bytes are not part of the upload yet, but in a temporary object.
    pub pending_bytes: u64,
}

/// Receives the bytes of a file that is being written.
///
/// The errors of every method are those of the storage.
pub trait FileSink: Send + Sync {
    /// Adds bytes at the end.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;
    /// Appends slices in turn.
    fn write_pieces(&mut self, pieces: &[&[u8]]) -> Result<()> {
        pieces.iter().try_for_each(|bytes| self.write(bytes))
    }
    /// Flushes buffered bytes, so that other readers of the file see them.
    fn flush(&mut self) -> Result<()>;
    /// Makes the bytes written so far durable, if the storage can do so before the end.
    fn sync(&mut self) -> Result<()>;
    /// Flushes and closes; durably if requested.
    fn finish(&mut self, durable: bool) -> Result<()>;
    /// Suspends the write durably, to be resumed by [`Backend::resume`](super::Backend::resume).
    fn suspend(&mut self) -> Result<SuspendedFile> {
        self.finish(true)?;
        Ok(SuspendedFile::default())
    }
    /// Abandons the write: a new file is removed.
    fn abandon(&mut self);
}

/// A file being written sequentially. Dropped before [`WriteFile::finish`], it is removed.
pub struct WriteFile {
    sink: Option<Box<dyn FileSink>>,
    len: u64,
    stats: Option<Stats>,
}

impl WriteFile {
    pub fn new(sink: Box<dyn FileSink>) -> Self {
        WriteFile { sink: Some(sink), len: 0, stats: None }
    }

    /// Sets the number of bytes that were written before.
    #[must_use]
    pub(super) fn resumed_at(mut self, len: u64) -> Self {
        self.len = len;
        self
    }

    /// Counts writes in `stats`.
    #[must_use]
    pub fn counted(mut self, stats: &Stats) -> Self {
        self.stats = Some(stats.clone());
        self
    }

    /// Appends bytes. Small writes are buffered, large ones are not.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_pieces(&[bytes])
    }

    /// Appends slices in turn, without concatenating them if the storage can.
    ///
    /// # Errors
    /// If the storage fails.
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

    /// Number of bytes written so far, which is the offset of the next ones in a new file.
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if nothing has been written yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Flushes buffered bytes, so that other readers of the file see them, if the storage can do so before the end.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn flush(&mut self) -> Result<()> {
        self.sink()?.flush()
    }

    /// Makes the bytes written so far durable, if the storage can do so before the end.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn sync(&mut self) -> Result<()> {
        self.sink()?.sync()
    }

    /// Flushes, makes the file durable and closes it.
    ///
    /// # Errors
    /// If the storage fails; a new file is removed then.
    pub fn finish(self) -> Result<()> {
        self.end(true)
    }

    /// As [`WriteFile::finish`], but without waiting for durability.
    ///
    /// # Errors
    /// As [`WriteFile::finish`].
    pub fn close(self) -> Result<()> {
        self.end(false)
    }

    /// Suspends the write durably, to be resumed by [`Vfs::resume`](super::Vfs::resume).
    ///
    /// # Errors
    /// If the storage fails, or its files cannot be passed to another process.
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

/// Counts one write.
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
