//! What the system's cache of pages holds of a file.
#![allow(unsafe_code, reason = "no crate has this system call yet")]

use std::os::fd::{AsRawFd, BorrowedFd};

/// `cachestat`, which has the same number on all architectures that the library is built for.
const CACHESTAT: libc::c_long = 451;

#[repr(C)]
struct Range {
    offset: u64,
    /// 0 for all bytes to the end.
    len: u64,
}

#[repr(C)]
#[derive(Default)]
struct Found {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// How many pages of a file were changed and not yet written back; `None` where the system does not tell: kernels before 6.5,
/// and files that neither belong to this process nor can be written by it.
pub(super) fn dirty_pages(file: BorrowedFd<'_>) -> Option<u64> {
    let (range, mut found) = (Range { offset: 0, len: 0 }, Found::default());
    // SAFETY: both structures are those of the call and live until it returns; it writes nothing else.
    let failed = unsafe { libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut found, 0) };
    (failed == 0).then_some(found.dirty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn written_pages_are_dirty_until_they_are_synced() {
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        file.sync_all().unwrap();
        // Kernels before 6.5 do not tell.
        assert!(matches!(dirty_pages(file.as_fd()), None | Some(0)));
        let directory = tempfile::tempdir().unwrap();
        let missing = std::fs::File::open(directory.path()).unwrap();
        drop(directory);
        assert!(matches!(dirty_pages(missing.as_fd()), None | Some(0)));
    }
}
