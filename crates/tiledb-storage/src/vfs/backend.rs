//! What a kind of storage has to offer.

use super::{Content, FileSink, ReadFile, Stamp, SuspendedFile, Uri, WriteFile};
use tiledb_core::error::{Error, ErrorKind, Result};

/// One item of a directory listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The full name.
    pub uri: Uri,
    /// Bytes of a file, 0 for a directory.
    pub size: u64,
    /// Whether it is a directory.
    pub is_dir: bool,
}

impl DirEntry {
    /// The last part of the name.
    pub fn name(&self) -> &str {
        self.uri.last_part()
    }
}

/// One name of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirItem {
    /// The last part of the name.
    pub name: String,
    /// Whether it is a directory.
    pub is_dir: bool,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stat {
    /// Nothing is there.
    Missing,
    /// A file of so many bytes.
    File(u64),
    /// A directory.
    Dir,
}

/// A folder that many names are looked for in.
pub trait DirHandle: Send + Sync {
    /// What a path in it stands for; nothing if that has to be asked in the usual way.
    fn stat(&self, path: &str) -> Option<Stat>;
}

impl dyn DirHandle + '_ {
    /// Which is the first of these that lies in a directory of this folder: names, and whether they are to be directories.
    /// Nothing if that has to be asked in the usual way.
    pub fn first_of(&self, directory: &str, wanted: &[(&str, bool)]) -> Option<Option<usize>> {
        let stat = |name: Option<&str>| match name {
            None => self.stat(directory).ok_or(()),
            Some(name) => self.stat(&format!("{directory}/{name}")).ok_or(()),
        };
        first_that_is(wanted, stat).ok()
    }
}

/// The place of the first of the names in a directory that is there: a directory itself, or a file. `stat` tells what a name
/// stands for, or the directory itself.
fn first_that_is<E>(
    wanted: &[(&str, bool)],
    stat: impl Fn(Option<&str>) -> std::result::Result<Stat, E>,
) -> std::result::Result<Option<usize>, E> {
    // Where nothing lies, nothing more is asked.
    if stat(None)? != Stat::Dir {
        return Ok(None);
    }
    for (place, (name, is_dir)) in wanted.iter().enumerate() {
        match stat(Some(name))? {
            Stat::Dir if *is_dir => return Ok(Some(place)),
            Stat::File(_) if !*is_dir => return Ok(Some(place)),
            _ => {}
        }
    }
    Ok(None)
}

/// A kind of storage. All URIs that reach it have its scheme.
///
/// The errors of every method: `NotFound` where the thing does not exist, `Io` where the storage
/// refuses, `Unsupported` where it cannot do such a thing at all.
pub trait Backend: Send + Sync {
    /// What is at `uri`.
    fn stat(&self, uri: &Uri) -> Result<Stat>;
    /// Whether `uri` is a file.
    fn is_file(&self, uri: &Uri) -> Result<bool> {
        Ok(matches!(self.stat(uri)?, Stat::File(_)))
    }
    /// Whether `uri` is a directory.
    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        Ok(matches!(self.stat(uri)?, Stat::Dir))
    }
    /// The bytes of a file.
    fn size(&self, uri: &Uri) -> Result<u64>;
    /// What is directly in a directory, in any order; nothing in one that does not exist.
    fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>>;
    /// The names directly in a directory, in any order; none in one that does not exist.
    fn names(&self, directory: &Uri) -> Result<Vec<DirItem>> {
        let item = |entry: DirEntry| DirItem { name: entry.name().to_owned(), is_dir: entry.is_dir };
        Ok(self.list(directory)?.into_iter().map(item).collect())
    }
    /// As `names`, with the stamp of the directory if it is a validator.
    fn stamped_names(&self, directory: &Uri) -> Result<(Vec<DirItem>, Option<Stamp>)> {
        Ok((self.names(directory)?, None))
    }
    /// The stamp that a file or a directory has now; `None` where the storage does not tell.
    fn stamp(&self, _uri: &Uri) -> Option<Stamp> {
        None
    }
    /// Everything below a directory, each directory before what it holds.
    fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>>;
    /// Opens a file for positional reads.
    fn open(&self, uri: &Uri) -> Result<ReadFile>;
    /// As `open`, of a file that something is cached of, with its [validator](ReadFile::validator) where the storage has such.
    fn open_to_cache(&self, uri: &Uri, _content: Content) -> Result<ReadFile> {
        self.open(uri)
    }
    /// As `open_to_cache`, for one of many files that stay open for long: where there are too many it is opened anew for each
    /// read. Storage that would have to ask takes a size that is known for granted.
    fn open_persistent(&self, uri: &Uri, _size: Option<u64>, content: Content) -> Result<ReadFile> {
        self.open_to_cache(uri, content)
    }
    /// Whether each look at it is a request that has to be waited for.
    fn is_remote(&self) -> bool {
        false
    }
    /// Requests that may wait for an answer at the same time; 1 where there is nothing to wait for.
    fn width(&self) -> usize {
        1
    }
    /// The most bytes that files hold which were written and not yet sent.
    fn max_unsent_bytes(&self) -> u64 {
        0
    }
    /// Starts a file, replacing one of that name; parents are made.
    fn create(&self, uri: &Uri) -> Result<Box<dyn FileSink>>;
    /// Writes a whole file durably; parents are made. Where the storage can, the file appears with all
    /// its bytes or not at all.
    fn put(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let mut file = WriteFile::new(self.create(uri)?);
        file.write(bytes)?;
        file.finish()
    }
    /// As `put`, of a file that nobody looks for before all of it is there.
    fn put_unseen(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.put(uri, bytes)
    }
    /// Whether files can be written to at their end.
    fn appends(&self) -> bool {
        true
    }
    /// Opens a file to write at its end; a missing one is made.
    fn append(&self, uri: &Uri) -> Result<Box<dyn FileSink>>;
    /// Goes on with a file that was handed on.
    fn resume(&self, uri: &Uri, draft: &SuspendedFile) -> Result<Box<dyn FileSink>> {
        let found = self.size(uri)?;
        if found != draft.size {
            let text = format!(
                "Cannot go on with file '{uri}'; it has {found} bytes, not the {} that were written",
                draft.size
            );
            return Err(Error::invalid(text));
        }
        self.append(uri)
    }
    /// Makes an empty file unless one exists; parents are made.
    fn touch(&self, uri: &Uri) -> Result<()>;
    /// Makes an empty file of a name that nobody else has; parents are made.
    fn mark(&self, uri: &Uri) -> Result<()> {
        self.touch(uri)
    }
    /// Which of these is the first that lies in a directory: names, and whether they are to be directories.
    fn first_of(&self, directory: &Uri, wanted: &[(&str, bool)]) -> Result<Option<usize>> {
        first_that_is(wanted, |name| match name {
            None => self.stat(directory),
            Some(name) => self.stat(&directory.join(name)),
        })
    }
    /// A folder that many names are looked for in, where storage is faster if it knows that, and has it open.
    fn open_dir(&self, _uri: &Uri) -> Option<Box<dyn DirHandle>> {
        None
    }
    /// Gives up the uploads below a directory that were begun and not completed, and counts them.
    fn sweep_uploads(&self, _directory: &Uri) -> Result<u64> {
        Ok(0)
    }
    /// Makes a directory whose parent is there, and says that nothing had its name; false for whatever stands in the way, and
    /// where there are no directories.
    fn make_dir(&self, _uri: &Uri) -> Result<bool> {
        Ok(false)
    }
    /// Makes a directory and its parents.
    fn create_dir(&self, uri: &Uri) -> Result<()>;
    /// Removes a file.
    fn remove_file(&self, uri: &Uri) -> Result<()>;
    /// Removes a directory with all it holds.
    fn remove_dir(&self, uri: &Uri) -> Result<()>;
    /// Removes files; what is missing is no error.
    fn remove_files(&self, uris: &[Uri]) -> Result<()> {
        uris.iter().try_for_each(|uri| missing_is_fine(self.remove_file(uri)))
    }
    /// Removes directories with all they hold, one group after the other; what is missing is no error.
    fn remove_dirs(&self, groups: &[&[Uri]]) -> Result<()> {
        groups.iter().copied().flatten().try_for_each(|uri| missing_is_fine(self.remove_dir(uri)))
    }
    /// Removes a directory if it is empty.
    fn remove_empty_dir(&self, uri: &Uri) -> Result<()> {
        if self.names(uri)?.is_empty() { missing_is_fine(self.remove_dir(uri)) } else { Ok(()) }
    }
    /// Renames a file, replacing one of the new name.
    fn move_file(&self, from: &Uri, to: &Uri) -> Result<()>;
    /// Renames a directory.
    fn move_dir(&self, from: &Uri, to: &Uri) -> Result<()>;
    /// Copies a file, replacing one of the new name; the directory it goes to must be there.
    fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()>;
    /// Copies a directory with all it holds to a new one or into one that is there, replacing files of the same name; also
    /// a file. The directory it goes to must be there.
    fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()>;
    /// Makes a bucket.
    fn create_bucket(&self, _uri: &Uri) -> Result<()> {
        Err(no_buckets("create_bucket"))
    }
    /// Removes a bucket with all it holds.
    fn remove_bucket(&self, _uri: &Uri) -> Result<()> {
        Err(no_buckets("remove_bucket"))
    }
    /// Removes all that a bucket holds.
    fn empty_bucket(&self, _uri: &Uri) -> Result<()> {
        Err(no_buckets("empty_bucket"))
    }
    /// Whether a bucket holds nothing.
    fn is_empty_bucket(&self, _uri: &Uri) -> Result<bool> {
        Err(no_buckets("is_empty_bucket"))
    }
    /// Whether `uri` is a bucket.
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
