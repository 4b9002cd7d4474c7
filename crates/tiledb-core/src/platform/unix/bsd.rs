//! The BSD family: macOS.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::ptr::NonNull;

use rustix::fs::{Dir, FileType, OFlags};

use crate::platform::Medium;

/// A descriptor that is used for paths below it only: any that can be opened.
pub(super) const PATH_ONLY: OFlags = OFlags::RDONLY;

/// The dirty pages of files are not known, and which file systems keep time stamps as the validation of caches needs
/// them was not measured: nothing is cached beyond an open array.
pub(super) fn medium(_: &File) -> Medium {
    Medium::Other
}

pub(super) fn dirty_pages(_: &File) -> Option<u64> {
    None
}

pub(super) fn create_empty(_: &Path, _: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn create_unnamed(_: &Path, _: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn link_unnamed(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
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
