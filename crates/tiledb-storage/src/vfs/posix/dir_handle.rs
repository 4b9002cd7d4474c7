//! Open directories: lookups relative to a descriptor save the path resolution from the root.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::descriptor::DescriptorSlot;
use crate::vfs::{DirHandle, Stat};

/// An open folder, counted among the descriptors that stay open.
pub(super) struct PosixDirHandle {
    descriptor: OwnedFd,
    _place: DescriptorSlot,
}

impl PosixDirHandle {
    /// Opens a folder if the descriptor limit allows it to stay open.
    pub(super) fn open(path: &Path) -> Option<PosixDirHandle> {
        let place = DescriptorSlot::acquire()?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = openat(CWD, path, flags, Mode::empty()).ok()?;
        Some(PosixDirHandle { descriptor, _place: place })
    }
}

impl DirHandle for PosixDirHandle {
    fn stat(&self, path: &str) -> Option<Stat> {
        match statat(&self.descriptor, path, AtFlags::empty()) {
            Ok(found) if FileType::from_raw_mode(found.st_mode).is_dir() => Some(Stat::Dir),
            Ok(found) => Some(Stat::File(found.st_size.unsigned_abs())),
            Err(Errno::NOENT | Errno::NOTDIR) => Some(Stat::Missing),
            Err(_) => None,
        }
    }
}
