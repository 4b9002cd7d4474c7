//! Positional reads of a file that the host program supplies.

use std::ops::Range;

use super::files::HostFiles;
use crate::vfs::range_cache::RangeCache;
use crate::vfs::{ReadAt, Uri};
use tiledb_core::error::{Result, bail};

/// Files up to this size are requested as a whole.
const WHOLE_FILE_BYTES: u64 = 64 << 10;

/// Minimum size of a request for a part of a file.
const READ_AHEAD_BYTES: u64 = 16 << 10;

/// An open file of a known size.
pub(super) struct HostFile {
    files: HostFiles,
    uri: Uri,
    len: u64,
    /// Empty: ranges are cached with the files.
    prefetched: RangeCache,
}

impl HostFile {
    pub(super) fn new(files: &HostFiles, uri: &Uri, len: u64) -> HostFile {
        HostFile { files: files.clone(), uri: uri.clone(), len, prefetched: RangeCache::default() }
    }

    /// What is requested for a read of a range.
    fn extended(&self, range: Range<u64>) -> Range<u64> {
        if self.len <= WHOLE_FILE_BYTES {
            return 0..self.len;
        }
        // Footers are at the end, and are read from there to their beginning.
        if self.len - range.start <= WHOLE_FILE_BYTES {
            return range.start.min(self.len - READ_AHEAD_BYTES)..self.len;
        }
        range.start..range.end.max((range.start + READ_AHEAD_BYTES).min(self.len))
    }
}

impl ReadAt for HostFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.len) {
            bail!(Io, "Cannot read {bytes} bytes at {offset} of '{}'; it has {} bytes", self.uri, self.len);
        }
        Ok(())
    }

    fn prefetched(&self) -> Option<&RangeCache> {
        Some(&self.prefetched)
    }

    fn demand(&self, range: Range<u64>) -> Result<()> {
        self.check(range.start, range.end.saturating_sub(range.start))?;
        self.files.demand(&self.uri, self.len, range)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        let range = offset..offset + out.len() as u64;
        self.files.read(&self.uri, self.len, offset, out, self.extended(range))
    }
}
