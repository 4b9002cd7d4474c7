//! The interface of storage backends.

use std::borrow::Cow;

use super::{Content, FileSink, ReadFile, Stamp, SuspendedFile, Uri, WriteFile};
use tiledb_core::error::{Error, ErrorKind, Result};

/// An entry of a directory listing, with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    pub uri: Uri,
    /// Size of a file in bytes; 0 for a directory.
    pub size: u64,
    pub is_dir: bool,
}

impl DirEntry {
    /// The last component of the path.
    pub fn name(&self) -> Cow<'_, str> {
        self.uri.name()
    }
}

/// An entry of a directory by name only: sizes are expensive to obtain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirItem {
    /// The last component of the path.
    pub name: String,
    pub is_dir: bool,
}

/// Result of a `stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stat {
    Missing,
    /// A file and its size in bytes.
    File(u64),
    Dir,
}

/// An open directory for many lookups.
pub trait DirHandle: Send + Sync {
    /// Stats a path relative to the directory; `None` if only [`Backend::stat`] can decide.
    fn stat(&self, path: &str) -> Option<Stat>;
}

impl dyn DirHandle + '_ {
    /// The index of the first of the `candidates` (with whether each must be a directory) that exists in a
    /// subdirectory. `None` if only [`Backend::first_of`] can decide.
    pub fn first_of(&self, directory: &str, candidates: &[(&str, bool)]) -> Option<Option<usize>> {
        let stat = |name: Option<&str>| match name {
            None => self.stat(directory).ok_or(()),
            Some(name) => self.stat(&format!("{directory}/{name}")).ok_or(()),
        };
        first_that_is(candidates, stat).ok()
    }
}

/// The index of the first of the `candidates` that exists with the right type. `stat` stats a name, or the directory
/// itself.
fn first_that_is<E>(
    candidates: &[(&str, bool)],
    stat: impl Fn(Option<&str>) -> std::result::Result<Stat, E>,
) -> std::result::Result<Option<usize>, E> {
    // A missing directory saves the remaining lookups.
    if stat(None)? != Stat::Dir {
        return Ok(None);
    }
    for (place, (name, is_dir)) in candidates.iter().enumerate() {
        match stat(Some(name))? {
            Stat::Dir if *is_dir => return Ok(Some(place)),
            Stat::File(_) if !*is_dir => return Ok(Some(place)),
            _ => {}
        }
    }
    Ok(None)
}

/// A storage backend. It serves all URIs of its schemes.
///
/// Errors of every method: `NotFound` if the file or directory does not exist, `Io` if the storage fails, `Unsupported` if it
/// does not support the operation.
pub trait Backend: Send + Sync {
    fn stat(&self, uri: &Uri) -> Result<Stat>;
    fn is_file(&self, uri: &Uri) -> Result<bool> {
        Ok(matches!(self.stat(uri)?, Stat::File(_)))
    }
    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        Ok(matches!(self.stat(uri)?, Stat::Dir))
    }
    /// The URI that all spellings of a name have in common: without trailing slashes, and on a file system with links resolved.
    fn resolved(&self, uri: &Uri) -> Result<Uri> {
        Ok(uri.without_trailing_slash())
    }
    /// Size of a file in bytes.
    fn size(&self, uri: &Uri) -> Result<u64>;
    /// Entries of a directory in any order; none if it does not exist.
    fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>>;
    /// Names in a directory in any order; none if it does not exist.
    fn names(&self, directory: &Uri) -> Result<Vec<DirItem>> {
        let item = |entry: DirEntry| DirItem { name: entry.name().into_owned(), is_dir: entry.is_dir };
        Ok(self.list(directory)?.into_iter().map(item).collect())
    }
    /// As `names`, with the stamp of the directory if it is a validator.
    fn stamped_names(&self, directory: &Uri) -> Result<(Vec<DirItem>, Option<Stamp>)> {
        Ok((self.names(directory)?, None))
    }
    /// Current stamp of a file or directory; `None` if the storage has no stamps.
    fn stamp(&self, _uri: &Uri) -> Option<Stamp> {
        None
    }
    /// All entries below a directory; each directory precedes its contents.
    fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>>;
    fn open(&self, uri: &Uri) -> Result<ReadFile>;
    /// As `open`, for a file whose contents are cached, with a [validator](ReadFile::validator) if the storage has any.
    fn open_to_cache(&self, uri: &Uri, _content: Content) -> Result<ReadFile> {
        self.open(uri)
    }
    /// As `open_to_cache`, for one of many files that stay open for long: beyond a limit of descriptors it is reopened
    /// for each read. Remote storage trusts `size` instead of requesting it.
    fn open_persistent(&self, uri: &Uri, _size: Option<u64>, content: Content) -> Result<ReadFile> {
        self.open_to_cache(uri, content)
    }
    /// Whether the storage is remote: each access is a request with network latency.
    fn is_remote(&self) -> bool {
        false
    }
    /// Whether reads of bytes that are not cached fail with `Pending`, and are repeated after the host program has supplied them.
    fn is_deferred(&self) -> bool {
        false
    }
    /// Maximum number of concurrent requests; 1 for local storage.
    fn concurrency(&self) -> usize {
        1
    }
    /// Maximum number of bytes that open files buffer before they are sent.
    fn max_unsent_bytes(&self) -> u64 {
        0
    }
    /// Creates or replaces a file; parent directories are created.
    fn create(&self, uri: &Uri) -> Result<Box<dyn FileSink>>;
    /// Writes a whole file durably; parent directories are created. If the storage can, the file appears atomically.
    fn put(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let mut file = WriteFile::new(self.create(uri)?);
        file.write(bytes)?;
        file.finish()
    }
    /// As `put`, for a file that no reader opens before it is complete, so that it need not appear atomically.
    fn put_unseen(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.put(uri, bytes)
    }
    /// Whether the storage can append to files.
    fn appends(&self) -> bool {
        true
    }
    /// Opens a file for appending; a missing one is created.
    fn append(&self, uri: &Uri) -> Result<Box<dyn FileSink>>;
    /// Resumes a suspended write.
    fn resume(&self, uri: &Uri, draft: &SuspendedFile) -> Result<Box<dyn FileSink>> {
        let size = self.size(uri)?;
        if size != draft.size {
            let text = format!(
                "Cannot go on with file '{uri}'; it has {size} bytes, not the {} that were written",
                draft.size
            );
            return Err(Error::invalid(text));
        }
        self.append(uri)
    }
    /// Creates an empty file unless one exists; parent directories are created.
    fn touch(&self, uri: &Uri) -> Result<()>;
    /// Creates an empty file with a unique name; parent directories are created.
    fn mark(&self, uri: &Uri) -> Result<()> {
        self.touch(uri)
    }
    /// The index of the first of the `candidates` that exists in a directory; each comes with whether it must be a
    /// directory.
    fn first_of(&self, directory: &Uri, candidates: &[(&str, bool)]) -> Result<Option<usize>> {
        first_that_is(candidates, |name| match name {
            None => self.stat(directory),
            Some(name) => self.stat(&directory.join(name)),
        })
    }
    /// Checks URIs outside of an array or group that its files name: members of a group, arrays of labels. Whoever writes such files
    /// could make their reader request anything.
    ///
    /// # Errors
    /// If one leads to where files of this storage may not lead.
    fn check_links(&self, _object: &Uri, _links: &mut dyn Iterator<Item = &str>) -> Result<()> {
        Ok(())
    }
    /// Opens a directory for many lookups, if that is faster on this storage.
    fn open_dir(&self, _uri: &Uri) -> Option<Box<dyn DirHandle>> {
        None
    }
    /// Aborts the incomplete multipart uploads below a directory, and counts them.
    fn sweep_uploads(&self, _directory: &Uri) -> Result<u64> {
        Ok(0)
    }
    /// Creates a directory whose parent exists; true if it is new. False if it could not be created in this way, and on storage
    /// without directories.
    fn make_dir(&self, _uri: &Uri) -> Result<bool> {
        Ok(false)
    }
    /// Creates a directory and its parents.
    fn create_dir(&self, uri: &Uri) -> Result<()>;
    fn remove_file(&self, uri: &Uri) -> Result<()>;
    /// Removes a directory recursively.
    fn remove_dir(&self, uri: &Uri) -> Result<()>;
    /// Removes files; missing ones are ignored.
    fn remove_files(&self, uris: &[Uri]) -> Result<()> {
        uris.iter().try_for_each(|uri| missing_is_fine(self.remove_file(uri)))
    }
    /// Removes directories recursively, one group after the other; missing ones are ignored.
    fn remove_dirs(&self, groups: &[&[Uri]]) -> Result<()> {
        groups.iter().copied().flatten().try_for_each(|uri| missing_is_fine(self.remove_dir(uri)))
    }
    fn remove_empty_dir(&self, uri: &Uri) -> Result<()> {
        if self.names(uri)?.is_empty() { missing_is_fine(self.remove_dir(uri)) } else { Ok(()) }
    }
    /// Renames a file; an existing target is replaced.
    fn move_file(&self, from: &Uri, to: &Uri) -> Result<()>;
    fn move_dir(&self, from: &Uri, to: &Uri) -> Result<()>;
    /// Whether [`Backend::publish`] is supported for files in a directory.
    fn can_publish(&self, _directory: &Uri) -> Result<bool> {
        Ok(false)
    }
    /// Gives a file its final name in one atomic step, which fails with `NotFound` if somebody has removed the file; an existing
    /// target is replaced. Unlike a move, it is never reverted. Where files are copied, the original is removed in a second step
    /// and may remain, and the target must be a name that nobody else publishes to.
    fn publish(&self, from: &Uri, _to: &Uri) -> Result<()> {
        let text = format!("The storage of '{from}' has neither atomic renames nor atomic copies");
        Err(Error::new(ErrorKind::Unsupported, text))
    }
    /// Exchanges the contents of two files in one atomic step, which fails with `NotFound` if one of them is missing.
    fn exchange(&self, a: &Uri, _b: &Uri) -> Result<()> {
        Err(Error::new(ErrorKind::Unsupported, format!("The storage of '{a}' cannot exchange files")))
    }
    /// Copies a file; an existing target is replaced. The target's directory must exist.
    fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()>;
    /// Copies a directory recursively (or a file) to a new directory or into an existing one, replacing files of the
    /// same name. The target's directory must exist.
    fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()>;
    fn create_bucket(&self, _uri: &Uri) -> Result<()> {
        Err(no_buckets("create_bucket"))
    }
    /// Removes a bucket and its contents.
    fn remove_bucket(&self, _uri: &Uri) -> Result<()> {
        Err(no_buckets("remove_bucket"))
    }
    /// Removes the contents of a bucket.
    fn empty_bucket(&self, _uri: &Uri) -> Result<()> {
        Err(no_buckets("empty_bucket"))
    }
    fn is_empty_bucket(&self, _uri: &Uri) -> Result<bool> {
        Err(no_buckets("is_empty_bucket"))
    }
    fn is_bucket(&self, _uri: &Uri) -> Result<bool> {
        Err(no_buckets("is_bucket"))
    }
}

fn missing_is_fine(removed: Result<()>) -> Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cold]
fn no_buckets(operation: &str) -> Error {
    let text = format!("Filesystem: {operation} is not supported on the given filesystem.");
    Error::new(ErrorKind::Unsupported, text)
}
