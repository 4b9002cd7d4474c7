//! Listing and copying local directories.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::failure::{failed, is_missing, kind_of, reason};
use super::{paths, stamp};
use crate::vfs::uri::file_name;
use crate::vfs::{Content, DirEntry, DirItem, Stamp, Uri};
use tiledb_core::error::{Error, Result};
use tiledb_core::platform::directory::{Entry, OpenDirectory};
use tiledb_core::platform::{self, error as code};
use tiledb_core::sort;
use tiledb_core::types::DisplayPath;

pub(super) fn list(directory: &Uri, path: &Path) -> Result<Vec<DirEntry>> {
    or_nothing(read(directory, path).map(|items| items.into_iter().map(|(entry, _)| entry).collect()), path)
}

/// The names in a directory, and its stamp if that is a validator.
pub(super) fn names(path: &Path) -> Result<(Vec<DirItem>, Option<Stamp>)> {
    let mut has_links = false;
    let name = |item: &Entry<'_>| {
        has_links |= item.is_link();
        // A symbolic link is resolved by `stat`; a dangling one counts as a file.
        let is_dir = match item.is_link() {
            true => item.stat()?.is_some_and(|(is_dir, _)| is_dir),
            false => item.is_dir(),
        };
        Ok(Some(DirItem { name: file_name(item.name()).into_owned(), is_dir }))
    };
    let (names, stamp) = or_nothing(read_stamped(path, name), path)?;
    // Where links lead to may change without a change of the directory.
    Ok((names, stamp.filter(|_| !has_links)))
}

/// A directory that does not exist has nothing in it.
fn or_nothing<T: Default>(listed: io::Result<T>, path: &Path) -> Result<T> {
    listed.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(T::default()),
        _ => Err(failed(&error, format_args!("Cannot list directory '{}'", DisplayPath(path)))),
    })
}

pub(super) fn list_recursive(directory: &Uri, path: &Path) -> Result<Vec<DirEntry>> {
    let cannot_open = |error: &io::Error, path: &Path| {
        let text = "TileDB internal: filesystem error: recursive directory iterator cannot open directory";
        Error::new(kind_of(error), format!("{text}: {} [{}]", reason(error), DisplayPath(path)))
    };
    let mut entries = Vec::new();
    // Stack of entries; symbolic links to directories are not followed.
    let mut waiting = read(directory, path).map_err(|error| cannot_open(&error, path))?;
    sort::by(&mut waiting, |(a, _), (b, _)| b.uri.cmp(&a.uri));
    while let Some((entry, is_link)) = waiting.pop() {
        if entry.is_dir && !is_link {
            let path = &*paths::path(&entry.uri)?;
            match read(&entry.uri, path) {
                Ok(mut items) => {
                    sort::by(&mut items, |(a, _), (b, _)| b.uri.cmp(&a.uri));
                    waiting.append(&mut items);
                }
                // Removed concurrently.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(cannot_open(&error, path)),
            }
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// Maps the entries of a directory with `each`, in the order of the system.
fn entries<T>(path: &Path, each: impl FnMut(&Entry<'_>) -> io::Result<Option<T>>) -> io::Result<Vec<T>> {
    mapped(&OpenDirectory::open(path)?, each)
}

/// As [`entries`], with the stamp of the directory if it is a validator.
fn read_stamped<T>(
    path: &Path,
    each: impl FnMut(&Entry<'_>) -> io::Result<Option<T>>,
) -> io::Result<(Vec<T>, Option<Stamp>)> {
    let directory = OpenDirectory::open(path)?;
    let file = directory.file();
    let stamp = stamp::of(file, &file.metadata()?)?;
    let validator = stamp::is_validator(stamp, file, Content::Listing).then_some(stamp);
    Ok((mapped(&directory, each)?, validator))
}

fn mapped<T>(
    directory: &OpenDirectory,
    mut each: impl FnMut(&Entry<'_>) -> io::Result<Option<T>>,
) -> io::Result<Vec<T>> {
    let mut results = Vec::new();
    directory.each(|entry| {
        results.extend(each(entry)?);
        Ok(())
    })?;
    Ok(results)
}

/// The entries of a directory, and whether each is a symbolic link. Entries that are removed concurrently, and dangling
/// links, are omitted.
fn read(directory: &Uri, path: &Path) -> io::Result<Vec<(DirEntry, bool)>> {
    entries(path, |item| {
        let known = if item.is_dir() { Some((true, 0)) } else { item.stat()? };
        Ok(known.map(|(is_dir, size)| {
            let uri = directory.join_file_name(item.name());
            (DirEntry { uri, size: if is_dir { 0 } else { size }, is_dir }, item.is_link())
        }))
    })
}

/// Copies one file, replacing one of the new name. The directory it goes to must be there.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<()> {
    copy_content(from, to).map_err(|error| copy_failed("cannot copy file", &error, from, to))
}

/// Copies a directory with all it holds to a new one, or into one that is there, where files of the same name are
/// replaced; also a single file. The directory it goes to must be there.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    copy_tree(from, to).map_err(|error| copy_failed("cannot copy", &error, from, to))
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let source = fs::metadata(from)?;
    let target = existing(to)?;
    let into_dir = target.as_ref().is_some_and(|target| target.is_dir());
    if !source.is_dir() {
        let name = from.file_name().unwrap_or_default();
        return if into_dir { copy_content(from, &to.join(name)) } else { copy_content(from, to) };
    }
    if let Some(target) = &target
        && is_same((from, &source), (to, target))?
    {
        return Err(system_error(code::ALREADY_EXISTS));
    }
    if lies_in(to, from)? {
        return Err(system_error(code::INVALID_ARGUMENT));
    }
    let mut waiting = vec![(from.to_owned(), to.to_owned())];
    while let Some((item, target)) = waiting.pop() {
        if !fs::metadata(&item)?.is_dir() {
            copy_content(&item, &target)?;
            continue;
        }
        make_dir(&target)?;
        let inner: Vec<(PathBuf, PathBuf)> =
            entries(&item, |entry| Ok(Some((item.join(entry.name()), target.join(entry.name())))))?;
        waiting.extend(inner);
    }
    Ok(())
}

/// Makes a directory, unless it is there.
fn make_dir(path: &Path) -> io::Result<()> {
    match existing(path)? {
        Some(metadata) if metadata.is_dir() => Ok(()),
        Some(metadata) if metadata.is_file() => Err(system_error(code::IS_A_DIRECTORY)),
        Some(_) => Err(system_error(code::INVALID_ARGUMENT)),
        None => fs::create_dir(path),
    }
}

/// What is there, if anything is.
fn existing(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Err(error) if is_missing(&error) => Ok(None),
        result => result.map(Some),
    }
}

fn copy_content(from: &Path, to: &Path) -> io::Result<()> {
    let source = fs::metadata(from)?;
    if !source.is_file() {
        return Err(system_error(code::INVALID_ARGUMENT));
    }
    let replaced = existing(to)?;
    if let Some(target) = &replaced {
        if is_same((from, &source), (to, target))? {
            return Err(system_error(code::ALREADY_EXISTS));
        }
        if !target.is_file() {
            return Err(system_error(code::INVALID_ARGUMENT));
        }
    }
    let copied = fs::copy(from, to);
    if copied.is_err() && replaced.is_none() {
        // A partial file is removed; the first error is reported.
        _ = fs::remove_file(to);
    }
    copied.map(drop)
}

fn is_same(a: (&Path, &Metadata), b: (&Path, &Metadata)) -> io::Result<bool> {
    let [a, b] = [a, b].map(|(path, metadata)| platform::file::stamp_at(path, metadata));
    let (a, b) = (a?, b?);
    Ok((a.device, a.inode) == (b.device, b.inode))
}

/// Whether an existing or new `path` is below `directory`.
fn lies_in(path: &Path, directory: &Path) -> io::Result<bool> {
    let place = match fs::canonicalize(path) {
        Err(error) if is_missing(&error) => fs::canonicalize(path.parent().unwrap_or(path)),
        place => place,
    };
    match (place, fs::canonicalize(directory)) {
        (Ok(place), Ok(directory)) => Ok(place.starts_with(&directory)),
        (Err(error), _) | (_, Err(error)) if !is_missing(&error) => Err(error),
        _ => Ok(false),
    }
}

fn system_error(code: i32) -> io::Error {
    io::Error::from_raw_os_error(code)
}

#[cold]
fn copy_failed(what: &str, error: &io::Error, from: &Path, to: &Path) -> Error {
    let (from, to, reason) = (DisplayPath(from), DisplayPath(to), reason(error));
    Error::new(kind_of(error), format!("TileDB internal: filesystem error: {what}: {reason} [{from}] [{to}]"))
}
