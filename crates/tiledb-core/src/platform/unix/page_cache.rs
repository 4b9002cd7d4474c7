//! Dirty pages of a file in the page cache.
#![allow(unsafe_code, reason = "no crate has this system call yet")]

use std::fs::File;
use std::os::fd::AsRawFd;

/// `cachestat`, which has the same number on all architectures that the library is built for.
const CACHESTAT: libc::c_long = 451;

#[repr(C)]
struct CacheStatRange {
    offset: u64,
    /// 0 for all bytes to the end.
    len: u64,
}

#[repr(C)]
#[derive(Default)]
struct CacheStat {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Number of dirty pages of a file; `None` if the system cannot report it: kernels before 6.5, and files that neither
/// belong to this process nor are writable by it.
pub(super) fn dirty_pages(file: &File) -> Option<u64> {
    let (range, mut stat) = (CacheStatRange { offset: 0, len: 0 }, CacheStat::default());
    // SAFETY: both structures are those of the call and live until it returns; it writes nothing else.
    let failed = unsafe { libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut stat, 0) };
    (failed == 0).then_some(stat.dirty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn written_pages_are_dirty_until_they_are_synced() {
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        file.sync_all().unwrap();
        // Not supported by kernels before 6.5.
        assert!(matches!(dirty_pages(&file), None | Some(0)));
        let directory = tempfile::tempdir().unwrap();
        let missing = std::fs::File::open(directory.path()).unwrap();
        drop(directory);
        assert!(matches!(dirty_pages(&missing), None | Some(0)));
    }
}
