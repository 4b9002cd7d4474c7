//! Directories: entries, recursive removal, lookups relative to an open directory.

use std::ffi::{CStr, CString, OsStr};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, openat, renameat_with, statat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::kernel;
use crate::sort;

/// An entry of an open directory.
pub struct Entry<'a> {
    directory: BorrowedFd<'a>,
    name: &'a CStr,
    kind: FileType,
}

impl Entry<'_> {
    pub fn name(&self) -> &OsStr {
        OsStr::from_bytes(self.name.to_bytes())
    }

    pub fn is_link(&self) -> bool {
        self.kind == FileType::Symlink
    }

    /// True for directories, not for links to them.
    pub fn is_dir(&self) -> bool {
        self.kind == FileType::Directory
    }

    /// Whether it is or links to a directory, and its size; `None` for entries that were removed meanwhile, and for
    /// dangling links.
    ///
    /// # Errors
    /// Those of the system.
    pub fn stat(&self) -> io::Result<Option<(bool, u64)>> {
        match statat(self.directory, self.name, AtFlags::empty()) {
            Ok(stat) => Ok(Some((FileType::from_raw_mode(stat.st_mode).is_dir(), stat.st_size as u64))),
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR | Errno::ACCESS) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// A directory that is read, whatever happens to its path meanwhile.
pub struct OpenDirectory(File);

impl OpenDirectory {
    /// # Errors
    /// Those of the system; `NotADirectory` for anything else.
    pub fn open(path: &Path) -> io::Result<OpenDirectory> {
        Ok(OpenDirectory(open_at(CWD, path, OFlags::empty())?.into()))
    }

    /// As a file, for its stamp.
    pub fn file(&self) -> &File {
        &self.0
    }

    /// Visits the entries, in the order of the system.
    ///
    /// # Errors
    /// Those of the system, and of `visit`.
    pub fn each(&self, visit: impl FnMut(&Entry<'_>) -> io::Result<()>) -> io::Result<()> {
        each_in(self.0.as_fd(), visit)
    }
}

fn open_at(place: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| openat(place, name, flags, Mode::empty()))?)
}

fn each_in(directory: BorrowedFd<'_>, mut visit: impl FnMut(&Entry<'_>) -> io::Result<()>) -> io::Result<()> {
    kernel::each_name(directory, |name, kind| {
        if matches!(name.to_bytes(), b"." | b"..") {
            return Ok(());
        }
        let kind = match kind {
            FileType::Unknown => match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(Errno::NOENT) => return Ok(()),
                Err(error) => return Err(error.into()),
            },
            kind => kind,
        };
        visit(&Entry { directory, name, kind })
    })
}

/// Renames a file within its file system, unless something has the new name.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// Exchanges the names of two files of one file system, atomically; both must exist.
///
/// # Errors
/// `Unsupported` where the system or the file system cannot do it, `NotFound` if one is missing, and those of the system.
pub fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(io::ErrorKind::Unsupported.into()),
        exchanged => Ok(exchanged?),
    }
}

/// Removes a directory recursively in the order of names, or a file. Links are removed, not followed.
///
/// # Errors
/// Those of the system.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let path = &without_slashes(path);
    match open_at(CWD, path, OFlags::NOFOLLOW) {
        Ok(directory) => {
            empty(directory.as_fd())?;
            fs::remove_dir(path)
        }
        Err(error) => match fs::symlink_metadata(path) {
            Ok(metadata) if !metadata.is_dir() => fs::remove_file(path),
            // An empty one goes also where nothing can be opened any more.
            _ => fs::remove_dir(path).map_err(|_| error),
        },
    }
}

/// Without trailing slashes, which would follow a link.
fn without_slashes(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Removes all that a directory holds.
fn empty(directory: BorrowedFd<'_>) -> io::Result<()> {
    let mut entries: Vec<(CString, bool)> = Vec::new();
    each_in(directory, |entry| {
        entries.push((entry.name.to_owned(), entry.is_dir()));
        Ok(())
    })?;
    sort::by(&mut entries, Ord::cmp);
    for (name, is_dir) in &entries {
        let removed = match is_dir {
            true => remove_inner(directory, name),
            false => unlinkat(directory, name, AtFlags::empty()).map_err(io::Error::from),
        };
        match removed {
            // Another process removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed?,
        }
    }
    Ok(())
}

fn remove_inner(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    empty(open_at(directory, name, OFlags::NOFOLLOW)?.as_fd())?;
    Ok(unlinkat(directory, name, AtFlags::REMOVEDIR)?)
}

/// An open directory: lookups relative to it save the path resolution from the root.
pub struct DirectoryHandle(OwnedFd);

/// What a lookup finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Directory,
    /// A file of this size in bytes.
    File(u64),
    Missing,
}

impl DirectoryHandle {
    /// # Errors
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<DirectoryHandle> {
        let flags = kernel::PATH_ONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(DirectoryHandle(openat(CWD, path, flags, Mode::empty())?))
    }

    /// Looks up a relative path.
    ///
    /// # Errors
    /// Those of the system.
    pub fn look_up(&self, path: &str) -> io::Result<Found> {
        match statat(&self.0, path, AtFlags::empty()) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_dir() => Ok(Found::Directory),
            Ok(stat) => Ok(Found::File(stat.st_size.unsigned_abs())),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(Found::Missing),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn read<T>(path: &Path, of: impl Fn(&Entry<'_>) -> io::Result<T>) -> Vec<T> {
        let mut entries = Vec::new();
        let mut push = |entry: &Entry<'_>| {
            entries.push(of(entry)?);
            Ok(())
        };
        OpenDirectory::open(path).unwrap().each(&mut push).unwrap();
        entries
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("kept/inner")).unwrap();
        fs::create_dir_all(at("gone/inner/deep")).unwrap();
        fs::write(at("kept/file"), b"1").unwrap();
        fs::write(at("gone/inner/file"), b"1").unwrap();
        symlink(at("kept"), at("gone/inner/link")).unwrap();
        symlink(at("nowhere"), at("gone/broken")).unwrap();
        remove_tree(&at("gone")).unwrap();
        symlink(at("kept"), at("link")).unwrap();
        remove_tree(&at("link")).unwrap();
        let names = |name: &str| read(&at(name), |entry| Ok(entry.name().to_owned()));
        assert_eq!(names("."), ["kept"]);
        assert_eq!(names("kept").len(), 2);
        remove_tree(&at("kept/file/")).unwrap();
        assert_eq!(names("kept"), ["inner"]);
        assert_eq!(remove_tree(&at("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn all_entries_of_a_large_directory_are_listed() {
        let place = tempfile::tempdir().unwrap();
        for number in 0..2000 {
            fs::write(place.path().join(format!("a_name_that_takes_some_room_{number}")), b"").unwrap();
        }
        assert_eq!(read(place.path(), |entry| entry.stat()), vec![Some((false, 0)); 2000]);
    }
}
