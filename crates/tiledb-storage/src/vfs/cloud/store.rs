//! What stores differ in.

use crate::vfs::Uri;
use tiledb_core::error::{Error, Result};

/// Where an object lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectLocation {
    pub(super) bucket: String,
    /// The name within the bucket, without a slash in front.
    pub(super) key: String,
}

impl ObjectLocation {
    /// The bucket and the key that a URI names.
    ///
    /// # Errors
    /// For a URI without a bucket.
    pub(super) fn of(uri: &Uri) -> Result<ObjectLocation> {
        let (bucket, key) = uri.path().split_once('/').unwrap_or((uri.path(), ""));
        if bucket.is_empty() {
            return Err(Error::invalid(format!("'{uri}' names no bucket; write {}://BUCKET/KEY", uri.scheme())));
        }
        Ok(ObjectLocation { bucket: bucket.to_owned(), key: key.to_owned() })
    }

    /// What the keys of all that lies in this directory begin with.
    pub(super) fn prefix(&self) -> String {
        match self.key.trim_end_matches('/') {
            "" => String::new(),
            key => format!("{key}/"),
        }
    }
}

/// An object in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) key: String,
    pub(super) size: u64,
}

/// One answer to a question for what is there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListPage {
    pub(super) objects: Vec<Object>,
    /// What stands before the first slash behind the prefix, with the slash, where directories are not looked into.
    pub(super) prefixes: Vec<String>,
    /// What the next question has to name.
    pub(super) next: Option<String>,
}

/// A question for what is there.
pub(super) struct ListRequest<'a> {
    pub(super) bucket: &'a str,
    pub(super) prefix: &'a str,
    /// Whether directories are looked into.
    pub(super) deep: bool,
    /// The most that is wanted; the store's own limit where nothing is said.
    pub(super) most: Option<usize>,
    /// What the answer before named.
    pub(super) from: Option<&'a str>,
}

/// An upload in parts that has begun.
pub(super) struct MultipartUpload<'a> {
    pub(super) location: &'a ObjectLocation,
    /// What the store calls it.
    pub(super) id: &'a str,
}

/// An upload in parts that was begun and neither completed nor given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnfinishedUpload {
    pub(super) key: String,
    /// What the store calls it.
    pub(super) id: String,
}

/// How much a store takes at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoreLimits {
    /// Bytes of the first parts of an upload; what is no longer goes in one request.
    pub(super) part_size: usize,
    /// Whether uploads go in parts at all.
    pub(super) in_parts: bool,
    /// Where they do not, the most bytes of an object.
    pub(super) most_whole: u64,
    /// The most parts of an upload.
    pub(super) most_parts: u32,
    /// Whether parts go one after the other, each as large as may be.
    pub(super) in_order: bool,
    /// Requests that are under way at the same time.
    pub(super) at_once: usize,
    /// Reads of fewer bytes fetch so many.
    pub(super) read_ahead: usize,
    /// Keys that one request removes.
    pub(super) removed_at_once: usize,
}

/// What one request tells of an object that is going to be read.
pub(super) struct InitialRead {
    /// The bytes of the whole object.
    pub(super) size: u64,
    /// Where those begin that came along.
    pub(super) start: u64,
    /// Some of them.
    pub(super) bytes: Vec<u8>,
}

/// The requests that a store understands.
///
/// The errors of every method: `NotFound` where the object or the bucket does not exist, `Io` where the store refuses or
/// cannot be reached.
pub(super) trait ObjectStore: Send + Sync + 'static {
    /// How much goes at a time.
    fn limits(&self) -> StoreLimits;
    /// The bytes of an object; `None` where there is none.
    fn size(&self, location: &ObjectLocation) -> Result<Option<u64>>;
    /// The size of an object and its last or first bytes, at most so many; `None` where there is none.
    fn initial_read(&self, location: &ObjectLocation, most: usize) -> Result<Option<InitialRead>>;
    /// Fills `out` with the bytes from `offset` on.
    fn get(&self, location: &ObjectLocation, offset: u64, out: &mut [u8]) -> Result<()>;
    /// One page of what is there.
    fn list(&self, listing: &ListRequest<'_>) -> Result<ListPage>;
    /// Stores a whole object.
    fn put(&self, location: &ObjectLocation, bytes: &[u8]) -> Result<()>;
    /// Stores an object without bytes where there is none of its name.
    fn touch(&self, location: &ObjectLocation) -> Result<()> {
        if self.size(location)?.is_some() { Ok(()) } else { self.put(location, &[]) }
    }
    /// Removes objects, at most as many as [`StoreLimits::removed_at_once`]; what is missing is no error.
    fn remove(&self, bucket: &str, keys: &[String]) -> Result<()>;
    /// Removes an object. Where the store tells that there was none it is an error.
    fn remove_file(&self, location: &ObjectLocation) -> Result<()> {
        self.remove(&location.bucket, std::slice::from_ref(&location.key))
    }
    /// Copies an object within the store.
    fn copy(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()>;
    /// Begins an upload in parts and names it.
    fn begin(&self, location: &ObjectLocation) -> Result<String>;
    /// Uploads the part of a number, from 1 on, whose bytes begin at an offset of the object, and gives its tag.
    fn part(&self, parts: &MultipartUpload<'_>, number: u32, offset: u64, bytes: &[u8]) -> Result<String>;
    /// Makes the object out of its parts, whose tags these are.
    fn complete(&self, parts: &MultipartUpload<'_>, tags: &[String], size: u64) -> Result<()>;
    /// Gives an upload up.
    fn abort(&self, parts: &MultipartUpload<'_>) -> Result<()>;
    /// Uploads of objects whose keys have a prefix; none where the store itself drops those that nobody completes.
    fn unfinished(&self, _bucket: &str, _prefix: &str) -> Result<Vec<UnfinishedUpload>> {
        Ok(Vec::new())
    }
    /// Makes a bucket.
    fn create_bucket(&self, bucket: &str) -> Result<()>;
    /// Removes an empty bucket.
    fn remove_bucket(&self, bucket: &str) -> Result<()>;
    /// Whether there is such a bucket.
    fn is_bucket(&self, bucket: &str) -> Result<bool>;
}
