//! Listing and copying local directories.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use super::{Posix, failed, kind_of, reason};
use crate::error::{Error, Result};
use crate::vfs::{Entry, Item, Uri};

pub(super) fn list(directory: &Uri, path: &Path) -> Result<Vec<Entry>> {
    or_nothing(read(directory, path).map(|items| items.into_iter().map(|(entry, _)| entry).collect()), path)
}

/// The names in a directory, as the directory itself tells them.
pub(super) fn names(path: &Path) -> Result<Vec<Item>> {
    let name = |item: io::Result<DirEntry>| {
        let item = item?;
        // The target of a symbolic link has to be asked; one to nowhere counts as a file.
        let is_dir = match item.file_type()? {
            kind if kind.is_symlink() => fs::metadata(item.path()).is_ok_and(|target| target.is_dir()),
            kind => kind.is_dir(),
        };
        let name = item.file_name().into_string().unwrap_or_else(|name| name.to_string_lossy().into_owned());
        Ok(Item { name, is_dir })
    };
    or_nothing(fs::read_dir(path).and_then(|items| items.map(name).collect()), path)
}

/// A directory that does not exist has nothing in it.
fn or_nothing<T>(listed: io::Result<Vec<T>>, path: &Path) -> Result<Vec<T>> {
    listed.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(Vec::new()),
        _ => Err(failed(&error, format_args!("Cannot list directory '{}'", path.display()))),
    })
}

pub(super) fn list_recursive(directory: &Uri, path: &Path) -> Result<Vec<Entry>> {
    let cannot_open = |error: &io::Error, path: &Path| {
        let text = "TileDB internal: filesystem error: recursive directory iterator cannot open directory";
        Error::new(kind_of(error), format!("{text}: {} [{}]", reason(error), path.display()))
    };
    let mut found = Vec::new();
    // Items still to be told, the next one last; symbolic links to directories are not entered.
    let mut waiting = read(directory, path).map_err(|error| cannot_open(&error, path))?;
    waiting.sort_unstable_by(|(a, _), (b, _)| b.uri.cmp(&a.uri));
    while let Some((entry, is_link)) = waiting.pop() {
        if entry.is_dir && !is_link {
            let path = super::path(&entry.uri)?;
            match read(&entry.uri, path) {
                Ok(mut items) => {
                    items.sort_unstable_by(|(a, _), (b, _)| b.uri.cmp(&a.uri));
                    waiting.append(&mut items);
                }
                // Removed by somebody meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(cannot_open(&error, path)),
            }
        }
        found.push(entry);
    }
    Ok(found)
}

/// The items of one directory, and whether each is a symbolic link.
fn read(directory: &Uri, path: &Path) -> io::Result<Vec<(Entry, bool)>> {
    let mut items = Vec::new();
    for item in fs::read_dir(path)? {
        items.extend(describe(directory, &item?));
    }
    Ok(items)
}

/// `None` for what disappeared since it was listed, and for links to nowhere.
fn describe(directory: &Uri, item: &DirEntry) -> Option<(Entry, bool)> {
    let uri = directory.join(&item.file_name().to_string_lossy());
    let file_type = item.file_type().ok()?;
    if file_type.is_dir() {
        return Some((Entry { uri, size: 0, is_dir: true }, false));
    }
    let metadata = if file_type.is_symlink() { fs::metadata(item.path()) } else { item.metadata() }.ok()?;
    let size = if metadata.is_dir() { 0 } else { metadata.len() };
    Some((Entry { uri, size, is_dir: metadata.is_dir() }, file_type.is_symlink()))
}

/// Copies one file; one of the new name is not replaced.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<()> {
    let exists = fs::symlink_metadata(to).is_ok() && fs::metadata(from).is_ok();
    let copied = if exists { Err(io::Error::from(io::ErrorKind::AlreadyExists)) } else { fs::copy(from, to).map(drop) };
    copied.map_err(|error| {
        let reason = if exists { "File exists".to_owned() } else { reason(&error) };
        copy_failed("cannot copy file", &error, &reason, from, to)
    })
}

/// Copies a directory with all it holds into a new or an existing one; also a single file.
pub(super) fn copy(posix: &Posix, from: &Path, to: &Path) -> Result<()> {
    let metadata = fs::metadata(from).map_err(|error| copy_failed("cannot copy", &error, &reason(&error), from, to))?;
    if !metadata.is_dir() {
        posix.create_parents(to)?;
        return copy_file(from, to);
    }
    posix.create_directories(to)?;
    let source = Uri::from_path(from)?;
    for entry in list_recursive(&source, from)? {
        let item = super::path(&entry.uri)?;
        let target = to.join(entry.uri.relative_to(&source).unwrap_or_default());
        if entry.is_dir {
            posix.create_directories(&target)?;
        } else {
            copy_file(item, &target)?;
        }
    }
    Ok(())
}

#[cold]
fn copy_failed(what: &str, error: &io::Error, reason: &str, from: &Path, to: &Path) -> Error {
    let (from, to) = (from.display(), to.display());
    Error::new(kind_of(error), format!("TileDB internal: filesystem error: {what}: {reason} [{from}] [{to}]"))
}
