//! Listing and recursive removal of local directories.
//!
//! Uses `getdents` directly: the reader of the standard library panics if a directory cannot be closed.

use std::ffi::{CStr, CString, OsStr};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::stamp;
use crate::vfs::{Content, Stamp};
use tiledb_core::sort;

/// Buffer size of a `getdents` call.
const ENTRIES: usize = 32 << 10;

/// An entry of an open directory.
pub(super) struct RawEntry<'a> {
    directory: BorrowedFd<'a>,
    name: &'a CStr,
    kind: FileType,
}

impl RawEntry<'_> {
    pub(super) fn name(&self) -> &OsStr {
        OsStr::from_bytes(self.name.to_bytes())
    }

    pub(super) fn is_link(&self) -> bool {
        self.kind == FileType::Symlink
    }

    /// True for directories, not for links to them.
    pub(super) fn is_dir(&self) -> bool {
        self.kind == FileType::Directory
    }

    /// Whether it is or links to a directory, and its size; `None` for entries that were removed meanwhile, and for
    /// dangling links.
    pub(super) fn stat(&self) -> io::Result<Option<(bool, u64)>> {
        match statat(self.directory, self.name, AtFlags::empty()) {
            Ok(stat) => Ok(Some((FileType::from_raw_mode(stat.st_mode).is_dir(), stat.st_size as u64))),
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR | Errno::ACCESS) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Reads a directory: maps its entries with `each`, in the order of the system.
pub(super) fn read<T>(path: &Path, mut each: impl FnMut(&RawEntry<'_>) -> io::Result<Option<T>>) -> io::Result<Vec<T>> {
    let mut found = Vec::new();
    read_open(open(CWD, path, OFlags::empty())?.as_fd(), |entry| {
        found.extend(each(entry)?);
        Ok(())
    })?;
    Ok(found)
}

/// As [`read`], with the stamp of the directory if it is a validator.
pub(super) fn read_stamped<T>(
    path: &Path,
    mut each: impl FnMut(&RawEntry<'_>) -> io::Result<Option<T>>,
) -> io::Result<(Vec<T>, Option<Stamp>)> {
    let directory = fs::File::from(open(CWD, path, OFlags::empty())?);
    let validator = stamp::validator(stamp::of(&directory.metadata()?), &directory, Content::Listing);
    let mut found = Vec::new();
    read_open(directory.as_fd(), |entry| {
        found.extend(each(entry)?);
        Ok(())
    })?;
    Ok((found, validator))
}

fn open(place: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| openat(place, name, flags, Mode::empty()))?)
}

fn read_open(directory: BorrowedFd<'_>, mut each: impl FnMut(&RawEntry<'_>) -> io::Result<()>) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(ENTRIES);
    let mut entries = RawDir::new(directory, buffer.spare_capacity_mut());
    loop {
        let entry = match entries.next() {
            None => return Ok(()),
            Some(Err(Errno::INTR)) => continue,
            Some(entry) => entry?,
        };
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            },
            kind => kind,
        };
        each(&RawEntry { directory, name, kind })?;
    }
}

/// Removes a directory recursively in the order of names, or a file. Links are removed, not followed.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let path = &without_slashes(path);
    match open(CWD, path, OFlags::NOFOLLOW) {
        Ok(directory) => {
            empty(directory.as_fd())?;
            fs::remove_dir(path)
        }
        Err(error) => match fs::symlink_metadata(path) {
            Ok(found) if !found.is_dir() => fs::remove_file(path),
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
    read_open(directory, |entry| {
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
    empty(open(directory, name, OFlags::NOFOLLOW)?.as_fd())?;
    Ok(unlinkat(directory, name, AtFlags::REMOVEDIR)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

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
        remove(&at("gone")).unwrap();
        symlink(at("kept"), at("link")).unwrap();
        remove(&at("link")).unwrap();
        let names = |name: &str| read(&at(name), |entry| Ok(Some(entry.name().to_owned()))).unwrap();
        assert_eq!(names("."), ["kept"]);
        assert_eq!(names("kept").len(), 2);
        remove(&at("kept/file/")).unwrap();
        assert_eq!(names("kept"), ["inner"]);
        assert_eq!(remove(&at("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn all_entries_of_a_large_directory_are_found() {
        let place = tempfile::tempdir().unwrap();
        for number in 0..2000 {
            fs::write(place.path().join(format!("a_name_that_takes_some_room_{number}")), b"").unwrap();
        }
        assert_eq!(read(place.path(), |entry| Ok(Some(entry.stat()?))).unwrap(), vec![Some((false, 0)); 2000]);
    }
}
