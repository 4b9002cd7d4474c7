//! Linux: system calls that other kernels do not have.
#![expect(unsafe_code, reason = "memory is advised")]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, fstatfs, linkat, mknodat, openat};
use rustix::io::Errno;

pub(super) use super::page_cache::dirty_pages;
pub use super::relocations::release_relocations;
use crate::limits::storage::DIRECTORY_LISTING_BYTES;
use crate::platform::Medium;

/// Magic numbers of disk file systems with local timestamps: ext2 to ext4, XFS, Btrfs, F2FS.
const DISKS: [i128; 4] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010];
/// Magic numbers of in-memory file systems: tmpfs, ramfs.
const MEMORY: [i128; 2] = [0x0102_1994, 0x8584_58f6];

/// A descriptor that is used for paths below it only.
pub(super) const PATH_ONLY: OFlags = OFlags::PATH;

/// `EISDIR`.
pub(super) const REMOVED_DIRECTORY: io::ErrorKind = io::ErrorKind::IsADirectory;

/// Distributions have roots in various places, which `openssl-probe` knows.
#[cfg(feature = "tls")]
pub(super) const CERTIFICATES: Option<&str> = None;

pub(super) fn medium(file: &File) -> Medium {
    let kind = fstatfs(file).map_or(0, |found| i128::from(found.f_type));
    match (DISKS.contains(&kind), MEMORY.contains(&kind)) {
        (true, _) => Medium::Disk,
        (_, true) => Medium::Memory,
        _ => Medium::Other,
    }
}

pub(super) fn create_empty(path: &Path, mode: u32) -> io::Result<()> {
    Ok(mknodat(CWD, path, FileType::RegularFile, Mode::from_raw_mode(mode), 0)?)
}

pub(in crate::platform) fn create_unnamed(directory: &Path, mode: u32) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    Ok(openat(CWD, directory, flags, Mode::from_raw_mode(mode))?.into())
}

/// Links by the descriptor itself if the system permits it to this process, which avoids `/proc`.
pub(in crate::platform) fn link_unnamed(file: &File, path: &Path) -> io::Result<()> {
    static REFUSED: AtomicBool = AtomicBool::new(false);
    if !REFUSED.load(Ordering::Relaxed) {
        match linkat(file, "", CWD, path, AtFlags::EMPTY_PATH) {
            Err(Errno::NOENT | Errno::PERM | Errno::INVAL) => {}
            named => return Ok(named?),
        }
    }
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW)?;
    REFUSED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Returns free pages of the heap to the system. Other allocators than that of the GNU library do it by themselves.
pub(super) fn trim_heap() {
    #[cfg(target_env = "gnu")]
    // SAFETY: takes the locks of the allocator, whatever other threads do; no memory in use is touched.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Grows or shrinks a mapping, and moves it if necessary, without a copy.
///
/// # Safety
/// `place` is a mapping of the size `old`, and is not used any more if there is a new place.
pub(super) unsafe fn remap(place: NonNull<u8>, old: usize, new: usize) -> Option<NonNull<u8>> {
    // SAFETY: as the caller promises.
    let moved = unsafe { libc::mremap(place.as_ptr().cast(), old, new, libc::MREMAP_MAYMOVE) };
    if moved == libc::MAP_FAILED { None } else { NonNull::new(moved.cast()) }
}

pub(super) fn prefer_huge_page(place: NonNull<u8>, size: usize) {
    // SAFETY: the range was just mapped. Where the system has no huge pages it has small ones. The page is there before
    // others know of it: two threads that touch it first at the same time would both have it cleared.
    unsafe {
        libc::madvise(place.as_ptr().cast(), size, libc::MADV_HUGEPAGE);
        place.write_volatile(0);
    }
}

/// Visits the names in an open directory, each with its kind if the file system reports it. Uses `getdents` directly: the reader of the standard library panics if a
/// directory cannot be closed.
pub(super) fn each_name(
    directory: BorrowedFd<'_>,
    mut each: impl FnMut(&CStr, FileType) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(DIRECTORY_LISTING_BYTES.count());
    let buffer: &mut [MaybeUninit<u8>] = buffer.spare_capacity_mut();
    let mut entries = RawDir::new(directory, buffer);
    loop {
        match entries.next() {
            None => return Ok(()),
            Some(Err(Errno::INTR)) => {}
            Some(entry) => {
                let entry = entry?;
                each(entry.file_name(), entry.file_type())?;
            }
        }
    }
}
