//! The BSD family: macOS.
#![expect(unsafe_code, reason = "a signature that other systems share, which move mappings")]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::ptr::NonNull;

use rustix::fs::{Dir, FileType, OFlags, fstatfs};

use crate::platform::Medium;

/// A descriptor that is used for paths below it only: any that can be opened.
pub(super) const PATH_ONLY: OFlags = OFlags::RDONLY;

/// `EPERM`, as POSIX has it.
pub(super) const REMOVED_DIRECTORY: io::ErrorKind = io::ErrorKind::PermissionDenied;

/// The roots that macOS has as a file, wherever OpenSSL was compiled.
#[cfg(feature = "tls")]
pub(super) const CERTIFICATES: Option<&str> = Some("/etc/ssl/cert.pem");

/// Names of the disk file systems of macOS.
const DISKS: [&[u8]; 2] = [b"apfs", b"hfs"];

/// Does nothing: the dynamic linker reads its tables in compact form.
pub fn release_relocations() {}

/// Local disks; network file systems and those of other systems have another clock, or coarser time stamps.
pub(super) fn medium(file: &File) -> Medium {
    let Ok(stat) = fstatfs(file) else { return Medium::Other };
    let name = stat.f_fstypename.iter().map(|byte| byte.cast_unsigned()).take_while(|byte| *byte != 0);
    let is_disk = DISKS.iter().any(|disk| name.clone().eq(disk.iter().copied()));
    let is_local = stat.f_flags & libc::MNT_LOCAL.cast_unsigned() != 0;
    if is_local && is_disk { Medium::Disk } else { Medium::Other }
}

/// The system reports neither dirty pages nor when they are written back: any page may be dirty. Listings of directories, which
/// are not mapped, are cached, contents of files only while an array is open.
pub(super) fn dirty_pages(_: &File) -> Option<u64> {
    Some(u64::MAX)
}

pub(super) fn create_empty(_: &Path, _: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(in crate::platform) fn create_unnamed(_: &Path, _: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(in crate::platform) fn link_unnamed(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The allocator returns free pages by itself.
pub(super) fn trim_heap() {}

/// There is no such call.
pub(super) unsafe fn remap(_: NonNull<u8>, _: usize, _: usize) -> Option<NonNull<u8>> {
    None
}

pub(super) fn prefer_huge_page(_: NonNull<u8>, _: usize) {}

/// Visits the names in an open directory, each with its kind if the file system reports it.
pub(super) fn each_name(
    directory: BorrowedFd<'_>,
    mut each: impl FnMut(&CStr, FileType) -> io::Result<()>,
) -> io::Result<()> {
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        each(entry.file_name(), entry.file_type())?;
    }
    Ok(())
}
