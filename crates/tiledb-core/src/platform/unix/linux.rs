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

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, SeekFrom, fstatfs, linkat, mknodat, openat, seek};
use rustix::io::Errno;

pub(super) use super::page_cache::dirty_pages;
pub use super::relocations::release_relocations;
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

/// Sizes of the buffer of a `getdents` call in bytes, in the order in which they are tried: the first one for hundreds of names,
/// the last one for more than 100,000.
const LISTING_BYTES: [usize; 3] = [32 << 10, 1 << 20, 16 << 20];

pub(super) fn medium(file: &File) -> Medium {
    let kind = fstatfs(file).map_or(0, |stat| i128::from(stat.f_type));
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

/// Visits the names in an open directory, each with its kind if the file system reports it. Uses `getdents` directly: the reader of
/// the standard library panics if a directory cannot be closed.
///
/// Local file systems lock a directory for the duration of a call, so that the names of one call were there at one moment. Those of
/// two calls were not: of two files that are created in between, only the second one may be listed. A reader of an array would
/// see a vacuum file without the commit that was stored before it, and miss cells. A directory that requires several
/// calls is therefore read again, with a larger buffer.
pub(super) fn each_name(
    directory: BorrowedFd<'_>,
    mut each: impl FnMut(&CStr, FileType) -> io::Result<()>,
) -> io::Result<()> {
    let mut names = Names::default();
    for size in LISTING_BYTES {
        if names.read(directory, size)? {
            break;
        }
    }
    let mut rest = names.bytes.as_slice();
    for kind in names.kinds {
        let Ok(name) = CStr::from_bytes_until_nul(rest) else { break };
        each(name, kind)?;
        rest = &rest[name.count_bytes() + 1..];
    }
    Ok(())
}

/// The names of a directory, each ended by a NUL, and their kinds.
#[derive(Default)]
struct Names {
    bytes: Vec<u8>,
    kinds: Vec<FileType>,
}

impl Names {
    /// Reads all names by calls with a buffer of this size. False if one call was not enough, and there is a larger size.
    fn read(&mut self, directory: BorrowedFd<'_>, size: usize) -> io::Result<bool> {
        let is_largest = LISTING_BYTES.last() == Some(&size);
        if !self.kinds.is_empty() {
            seek(directory, SeekFrom::Start(0))?;
            (self.bytes, self.kinds) = Default::default();
        }
        let mut buffer = Vec::with_capacity(size);
        let buffer: &mut [MaybeUninit<u8>] = buffer.spare_capacity_mut();
        let mut entries = RawDir::new(directory, buffer);
        let mut calls = 0;
        loop {
            calls += u32::from(entries.is_buffer_empty());
            match entries.next() {
                None => return Ok(true),
                Some(Err(Errno::INTR)) => calls -= 1,
                Some(Ok(_)) if calls > 1 && !is_largest => return Ok(false),
                Some(entry) => {
                    let entry = entry?;
                    self.bytes.extend_from_slice(entry.file_name().to_bytes_with_nul());
                    self.kinds.push(entry.file_type());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn names(path: &Path) -> Vec<String> {
        let directory = File::open(path).unwrap();
        let mut names = Vec::new();
        let push = |name: &CStr, _| {
            names.push(name.to_str().unwrap().to_owned());
            Ok(())
        };
        each_name(directory.as_fd(), push).unwrap();
        names
    }

    #[test]
    fn listing_of_a_large_directory_has_all_names_of_one_moment() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        // Names as long as those of commits, for some 100 KB.
        let files: Vec<String> = (0..1000).map(|number| format!("{number:0>60}.wrt")).collect();
        files.iter().for_each(|name| drop(File::create(path(name)).unwrap()));
        let listed = names(folder.path());
        let expected: HashSet<&str> = files.iter().map(String::as_str).chain([".", ".."]).collect();
        assert_eq!((listed.len(), listed.iter().map(String::as_str).collect::<HashSet<_>>()), (1002, expected));

        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 1000.. {
                    let [commit, vacuum] = ["wrt", "vac"].map(|extension| path(&format!("{number:0>60}.{extension}")));
                    File::create(&commit).unwrap();
                    File::create(&vacuum).unwrap();
                    std::fs::remove_file(&vacuum).unwrap();
                    std::fs::remove_file(&commit).unwrap();
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            let torn = (0..300).find_map(|_| {
                let listed: HashSet<String> = names(folder.path()).into_iter().collect();
                let lacks = |name: &&String| name.ends_with("vac") && !listed.contains(&name.replace("vac", "wrt"));
                listed.iter().find(lacks).cloned()
            });
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(torn, None, "a vacuum file is listed without its commit");
        });
    }
}
