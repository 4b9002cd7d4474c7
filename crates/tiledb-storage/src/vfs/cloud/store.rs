//! The interface of object stores.

use crate::vfs::Uri;
use tiledb_core::error::{Error, Result};

/// Bucket and key of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectLocation {
    pub(super) bucket: String,
    /// Without a leading slash.
    pub(super) key: String,
}

impl ObjectLocation {
    /// The bucket and key of a URI.
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

    /// The prefix of all keys in this directory.
    pub(super) fn prefix(&self) -> String {
        match self.key.trim_end_matches('/') {
            "" => String::new(),
            key => format!("{key}/"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) key: String,
    pub(super) size: u64,
}

/// One page of a listing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListPage {
    pub(super) objects: Vec<Object>,
    /// Common prefixes up to the first slash after the prefix, including it, if the listing is not recursive.
    pub(super) prefixes: Vec<String>,
    /// Continuation token of the next page.
    pub(super) next: Option<String>,
}

/// Request for a page of a listing.
pub(super) struct ListRequest<'a> {
    pub(super) bucket: &'a str,
    pub(super) prefix: &'a str,
    /// Whether the listing is recursive.
    pub(super) deep: bool,
    /// Maximum number of entries; the store's default if `None`.
    pub(super) most: Option<usize>,
    /// Continuation token of the previous page.
    pub(super) from: Option<&'a str>,
}

/// A multipart upload in progress.
pub(super) struct MultipartUpload<'a> {
    pub(super) location: &'a ObjectLocation,
    /// Upload ID.
    pub(super) id: &'a str,
}

/// A multipart upload that was neither completed nor aborted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnfinishedUpload {
    pub(super) key: String,
    /// Upload ID.
    pub(super) id: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StoreLimits {
    /// Size of the first parts of a multipart upload; smaller objects are uploaded in one request.
    pub(super) part_size: usize,
    /// Whether multipart uploads are enabled.
    pub(super) in_parts: bool,
    /// Maximum size of an object otherwise.
    pub(super) most_whole: u64,
    /// Maximum number of parts of an upload.
    pub(super) most_parts: u32,
    /// Whether parts must be uploaded in order, each as large as possible.
    pub(super) in_order: bool,
    /// Maximum number of concurrent requests.
    pub(super) at_once: usize,
    /// Minimum size of a read request.
    pub(super) read_ahead: usize,
    /// Maximum number of keys in a delete request.
    pub(super) removed_at_once: usize,
}

/// Size of an object and some of its bytes, from one request.
pub(super) struct InitialRead {
    /// The bytes of the whole object.
    pub(super) size: u64,
    /// Offset of `bytes`.
    pub(super) start: u64,
    pub(super) bytes: Vec<u8>,
}

/// The requests of an object store.
///
/// The errors of every method: `NotFound` where the object or the bucket does not exist, `Io` where the store refuses or
/// cannot be reached.
pub(super) trait ObjectStore: Send + Sync + 'static {
    fn limits(&self) -> StoreLimits;
    /// Size of an object; `None` if it does not exist.
    fn size(&self, location: &ObjectLocation) -> Result<Option<u64>>;
    /// Size of an object and its last or first bytes, at most `most`; `None` if it does not exist.
    fn initial_read(&self, location: &ObjectLocation, most: usize) -> Result<Option<InitialRead>>;
    /// Fills `out` with the bytes from `offset` on.
    fn get(&self, location: &ObjectLocation, offset: u64, out: &mut [u8]) -> Result<()>;
    /// One page of a listing.
    fn list(&self, listing: &ListRequest<'_>) -> Result<ListPage>;
    /// Uploads an object in one request.
    fn put(&self, location: &ObjectLocation, bytes: &[u8]) -> Result<()>;
    /// Creates an empty object unless one exists.
    fn touch(&self, location: &ObjectLocation) -> Result<()> {
        if self.size(location)?.is_some() { Ok(()) } else { self.put(location, &[]) }
    }
    /// Removes at most [`StoreLimits::removed_at_once`] objects; missing ones are ignored.
    fn remove(&self, bucket: &str, keys: &[String]) -> Result<()>;
    /// Removes an object. A missing one is an error if the store reports it.
    fn remove_file(&self, location: &ObjectLocation) -> Result<()> {
        self.remove(&location.bucket, std::slice::from_ref(&location.key))
    }
    /// Copies an object within the store.
    fn copy(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()>;
    /// Whether [`ObjectStore::copy_atomically`] is supported for objects in a directory.
    fn has_atomic_copies(&self, _directory: &ObjectLocation) -> Result<bool> {
        Ok(true)
    }
    /// Copies a small object in one atomic step, which creates nothing if the object does not exist at that moment. The request is
    /// not repeated if its outcome is unknown: another copy could restore what somebody has removed since the first.
    fn copy_atomically(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()>;
    /// Whether an object exists with all its bytes: no copy to it is pending or has failed.
    fn is_complete(&self, location: &ObjectLocation) -> Result<bool> {
        Ok(self.size(location)?.is_some())
    }
    /// Initiates a multipart upload and returns its ID.
    fn begin_upload(&self, location: &ObjectLocation) -> Result<String>;
    /// Uploads a part and returns its tag. Numbers start at 1; `offset` is that of the part in the object.
    fn part(&self, parts: &MultipartUpload<'_>, number: u32, offset: u64, bytes: &[u8]) -> Result<String>;
    /// Completes a multipart upload of parts with these tags.
    fn complete(&self, parts: &MultipartUpload<'_>, tags: &[String], size: u64) -> Result<()>;
    /// Aborts a multipart upload.
    fn abort(&self, parts: &MultipartUpload<'_>) -> Result<()>;
    /// Incomplete uploads of objects with a key prefix; none if the store itself expires them.
    fn unfinished(&self, _bucket: &str, _prefix: &str) -> Result<Vec<UnfinishedUpload>> {
        Ok(Vec::new())
    }
    fn create_bucket(&self, bucket: &str) -> Result<()>;
    fn remove_bucket(&self, bucket: &str) -> Result<()>;
    fn is_bucket(&self, bucket: &str) -> Result<bool>;
}
