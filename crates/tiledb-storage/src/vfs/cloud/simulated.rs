//! Object stores of which a test simulates the requests: files, uploads, reads, retries and listings are those of real stores.

use std::sync::Arc;
use std::time::Duration;

use super::object_backend::ObjectBackend;
use super::request::or_verified;
use super::store::{
    InitialRead, ListPage, ListRequest, MultipartUpload, Object, ObjectLocation, ObjectStore, StoreLimits,
    UnfinishedUpload,
};
use crate::http::{RequestError, RetryPolicy};
use crate::vfs::Backend;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::stats::Stats;

/// Total memory of uploads and listings.
const MEMORY: u64 = 64 << 20;

/// Largest number of parts of an upload.
const MAX_PARTS: u32 = 10_000;

/// How a request ends: those that fail without a response are retried.
pub type SimulatedResponse<T> = std::result::Result<T, RequestError>;

/// A listing of keys: objects with their sizes, common prefixes, and the continuation token of the next page.
pub type SimulatedPage = (Vec<(String, u64)>, Vec<String>, Option<String>);

/// The requests of a simulated object store. Paths are a bucket and a key.
pub trait SimulatedRequests: Send + Sync + 'static {
    /// Size of an object; `None` if it does not exist.
    fn head(&self, path: &str) -> SimulatedResponse<Option<u64>>;
    /// Whether an object has these contents, by its size and tag.
    fn has_tag_of(&self, path: &str, bytes: &[u8]) -> SimulatedResponse<bool>;
    /// Size of an object, the offset of some of its bytes, and at most so many of them.
    fn initial_read(&self, path: &str, most: usize) -> SimulatedResponse<Option<(u64, u64, Vec<u8>)>>;
    /// Fills `out` with the bytes from `offset` on.
    fn get(&self, path: &str, offset: u64, out: &mut [u8]) -> SimulatedResponse<()>;
    /// At most `most` entries of those that begin with `prefix`, of all folders or up to the next slash, from a continuation token on.
    fn list(
        &self,
        prefix: &str,
        is_recursive: bool,
        most: usize,
        from: Option<&str>,
    ) -> SimulatedResponse<SimulatedPage>;
    fn put(&self, path: &str, bytes: &[u8]) -> SimulatedResponse<()>;
    /// Removes objects in one request; missing ones are ignored.
    fn remove(&self, paths: &[String]) -> SimulatedResponse<()>;
    /// Copies an object in one step.
    fn copy(&self, from: &str, to: &str) -> SimulatedResponse<()>;
    /// Starts a multipart upload; its ID.
    fn begin_upload(&self, path: &str) -> SimulatedResponse<String>;
    fn upload_part(&self, id: &str, number: u32, bytes: &[u8]) -> SimulatedResponse<()>;
    /// Makes the object of the first parts of an upload.
    fn complete(&self, id: &str, parts: usize) -> SimulatedResponse<()>;
    /// Whether an object was made by this upload.
    fn is_made_by(&self, path: &str, id: &str) -> SimulatedResponse<bool>;
    fn abort(&self, id: &str) -> SimulatedResponse<()>;
    /// Paths and IDs of the uploads of objects that begin with a prefix.
    fn uploads(&self, prefix: &str) -> SimulatedResponse<Vec<(String, String)>>;
}

/// What a simulated store accepts.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedStoreLimits {
    /// Size of the parts of uploads.
    pub part_bytes: usize,
    /// Whether parts are uploaded one after the other.
    pub is_sequential: bool,
    /// Maximum number of concurrent requests.
    pub concurrency: usize,
    /// Minimum size of a read request.
    pub read_ahead_bytes: usize,
    /// Capacity of the cache of what was read ahead.
    pub read_ahead_cache_bytes: u64,
    /// Maximum number of keys in a removal.
    pub removed_keys: usize,
    /// Entries of a page of a listing.
    pub page_entries: usize,
    /// Number of retries of a request.
    pub max_retries: u32,
}

/// A backend whose requests a test answers.
pub fn simulated_objects(requests: Arc<dyn SimulatedRequests>, limits: SimulatedStoreLimits) -> Arc<dyn Backend> {
    // Delays would take real time.
    let retries =
        RetryPolicy { max_retries: limits.max_retries, initial_delay: Duration::ZERO, ..RetryPolicy::default() };
    let store = SimulatedStore { requests, limits, retries };
    Arc::new(ObjectBackend::new(Arc::new(store), limits.read_ahead_cache_bytes, MEMORY, &Stats::unlisted()))
}

struct SimulatedStore {
    requests: Arc<dyn SimulatedRequests>,
    limits: SimulatedStoreLimits,
    retries: RetryPolicy,
}

impl SimulatedStore {
    fn request<T>(&self, request: impl Fn(&dyn SimulatedRequests) -> SimulatedResponse<T>) -> Result<T> {
        self.retries.run(|| request(&*self.requests))
    }
}

fn path_of(location: &ObjectLocation) -> String {
    format!("{}/{}", location.bucket, location.key)
}

/// The key of a path in a bucket.
fn key_of(bucket: &str, path: &str) -> String {
    path.strip_prefix(bucket).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path).to_owned()
}

#[cold]
fn unsupported() -> Error {
    Error::new(ErrorKind::Unsupported, "Simulated stores have one bucket")
}

impl ObjectStore for SimulatedStore {
    fn limits(&self) -> StoreLimits {
        let SimulatedStoreLimits { part_bytes, is_sequential, concurrency, read_ahead_bytes, removed_keys, .. } =
            self.limits;
        StoreLimits {
            part_size: part_bytes,
            in_parts: true,
            most_whole: u64::MAX,
            most_parts: MAX_PARTS,
            in_order: is_sequential,
            at_once: concurrency,
            read_ahead: read_ahead_bytes,
            removed_at_once: removed_keys,
        }
    }

    fn size(&self, location: &ObjectLocation) -> Result<Option<u64>> {
        self.request(|requests| requests.head(&path_of(location)))
    }

    fn initial_read(&self, location: &ObjectLocation, most: usize) -> Result<Option<InitialRead>> {
        let read = self.request(|requests| requests.initial_read(&path_of(location), most))?;
        Ok(read.map(|(size, start, bytes)| InitialRead { size, start, bytes }))
    }

    fn get(&self, location: &ObjectLocation, offset: u64, out: &mut [u8]) -> Result<()> {
        self.retries.run(|| self.requests.get(&path_of(location), offset, out))
    }

    fn list(&self, listing: &ListRequest<'_>) -> Result<ListPage> {
        let prefix = format!("{}/{}", listing.bucket, listing.prefix);
        let most = listing.most.unwrap_or(self.limits.page_entries);
        let page = self.request(|requests| requests.list(&prefix, listing.deep, most, listing.from));
        let (objects, prefixes, next) = page?;
        let object = |(path, size): (String, u64)| Object { key: key_of(listing.bucket, &path), size };
        let objects = objects.into_iter().map(object).collect();
        let prefixes = prefixes.iter().map(|path| key_of(listing.bucket, path)).collect();
        Ok(ListPage { objects, prefixes, next })
    }

    fn put(&self, location: &ObjectLocation, bytes: &[u8]) -> Result<()> {
        let path = path_of(location);
        let written = self.request(|requests| requests.put(&path, bytes));
        or_verified(written, || self.request(|requests| requests.has_tag_of(&path, bytes)))
    }

    fn remove(&self, bucket: &str, keys: &[String]) -> Result<()> {
        let paths: Vec<String> = keys.iter().map(|key| format!("{bucket}/{key}")).collect();
        self.request(|requests| requests.remove(&paths))
    }

    fn copy(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()> {
        self.request(|requests| requests.copy(&path_of(from), &path_of(to)))
    }

    fn copy_atomically(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()> {
        let copied = RetryPolicy::default().run(|| self.requests.copy(&path_of(from), &path_of(to)));
        copied.map_err(|error| error.context("Cannot copy"))
    }

    fn begin_upload(&self, location: &ObjectLocation) -> Result<String> {
        self.request(|requests| requests.begin_upload(&path_of(location)))
    }

    fn part(&self, parts: &MultipartUpload<'_>, number: u32, _offset: u64, bytes: &[u8]) -> Result<String> {
        self.request(|requests| requests.upload_part(parts.id, number, bytes)).map(|()| number.to_string())
    }

    fn complete(&self, parts: &MultipartUpload<'_>, tags: &[String], _size: u64) -> Result<()> {
        let completed = self.request(|requests| requests.complete(parts.id, tags.len()));
        // An upload that an earlier attempt completed is no longer found.
        let completed = completed.map_err(|error| Error::new(ErrorKind::Io, error.text()));
        let path = path_of(parts.location);
        or_verified(completed, || self.request(|requests| requests.is_made_by(&path, parts.id)))
    }

    fn abort(&self, parts: &MultipartUpload<'_>) -> Result<()> {
        self.request(|requests| requests.abort(parts.id))
    }

    fn unfinished(&self, bucket: &str, prefix: &str) -> Result<Vec<UnfinishedUpload>> {
        let uploads = self.request(|requests| requests.uploads(&format!("{bucket}/{prefix}")))?;
        let upload = |(path, id): (String, String)| UnfinishedUpload { key: key_of(bucket, &path), id };
        Ok(uploads.into_iter().map(upload).collect())
    }

    fn create_bucket(&self, _: &str) -> Result<()> {
        Err(unsupported())
    }

    fn remove_bucket(&self, _: &str) -> Result<()> {
        Err(unsupported())
    }

    fn is_bucket(&self, _: &str) -> Result<bool> {
        Err(unsupported())
    }
}
