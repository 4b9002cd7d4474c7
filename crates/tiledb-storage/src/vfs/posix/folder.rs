//! Folders that stay open, so that the system finds what lies in them without the way from the root.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::descriptor::Place;
use crate::vfs::{Folder, Stat};

/// An open folder, one of the files that stay open.
pub(super) struct OpenFolder {
    descriptor: OwnedFd,
    _place: Place,
}

impl OpenFolder {
    /// Opens a folder if there is a place for it.
    pub(super) fn open(path: &Path) -> Option<OpenFolder> {
        let place = Place::of_kept()?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = openat(CWD, path, flags, Mode::empty()).ok()?;
        Some(OpenFolder { descriptor, _place: place })
    }
}

impl Folder for OpenFolder {
    fn stat(&self, path: &str) -> Option<Stat> {
        match statat(&self.descriptor, path, AtFlags::empty()) {
            Ok(found) if FileType::from_raw_mode(found.st_mode).is_dir() => Some(Stat::Dir),
            Ok(found) => Some(Stat::File(found.st_size.unsigned_abs())),
            Err(Errno::NOENT | Errno::NOTDIR) => Some(Stat::Missing),
            Err(_) => None,
        }
    }
}
