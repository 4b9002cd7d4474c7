//! Requests for indexes of directories.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::client::{WebClient, WebRequest};
use crate::http::{Method, RequestError};
use crate::vfs::Uri;
use crate::vfs::directory_index::{DirectoryIndex, INDEX_NAME, MAX_INDEX_BYTES};
use crate::vfs::indexed::{FoundIndex, IndexSource};
use tiledb_core::error::Result;

/// Maximum number of directories whose indexes are cached.
const MAX_CACHED_INDEXES: usize = 256;

/// A cached response.
struct CachedIndex {
    index: FoundIndex,
    etag: Option<String>,
    checked: Instant,
}

/// The cached response for one directory. Its lock is held during a request, so that concurrent listings make one.
type IndexSlot = Arc<Mutex<Option<CachedIndex>>>;

/// Indexes of directories, cached for a short time: opening an array lists several folders, all of which are in one index.
pub(super) struct IndexCache {
    client: Arc<WebClient>,
    max_age: Duration,
    slots: Mutex<HashMap<Uri, IndexSlot>>,
}

impl IndexSource for IndexCache {
    fn get(&self, directory: &Uri) -> Result<FoundIndex> {
        let slot = self.slot(directory);
        let mut cached = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fresh) = cached.as_ref().filter(|cached| cached.checked.elapsed() < self.max_age) {
            return Ok(fresh.index.clone());
        }
        let checked = Instant::now();
        let fetched = self.fetch(directory, cached.as_ref(), checked)?;
        let index = fetched.index.clone();
        *cached = Some(fetched);
        Ok(index)
    }

    fn cached(&self, directory: &Uri) -> Option<Arc<DirectoryIndex>> {
        let slot = self.slots.lock().unwrap_or_else(PoisonError::into_inner).get(directory).cloned()?;
        let cached = slot.try_lock().ok()?;
        match cached.as_ref().filter(|cached| cached.checked.elapsed() < self.max_age) {
            Some(CachedIndex { index: FoundIndex::Index(index), .. }) => Some(Arc::clone(index)),
            _ => None,
        }
    }
}

impl IndexCache {
    pub(super) fn new(client: &Arc<WebClient>) -> IndexCache {
        let max_age = client.options.index_max_age;
        IndexCache { client: Arc::clone(client), max_age, slots: Mutex::default() }
    }

    fn slot(&self, directory: &Uri) -> IndexSlot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= MAX_CACHED_INDEXES && !slots.contains_key(directory) {
            slots.clear();
        }
        Arc::clone(slots.entry(directory.clone()).or_default())
    }

    /// Requests an index, or whether a cached one is unchanged.
    fn fetch(&self, directory: &Uri, cached: Option<&CachedIndex>, checked: Instant) -> Result<CachedIndex> {
        let uri = directory.join(INDEX_NAME);
        let request = WebRequest::new(&uri, "read")?;
        let etag = cached.and_then(|cached| cached.etag.clone());
        let headers = etag.iter().map(|etag| ("if-none-match".to_owned(), etag.clone())).collect();
        let absent = |reason: String| CachedIndex { index: FoundIndex::Absent(reason.into()), etag: None, checked };
        self.client.execute(&request, (Method::Get, &headers), &[304, 400, 403, 404, 410], |response| {
            let is_page =
                response.header("content-type").is_some_and(|kind| kind.trim_start().starts_with("text/html"));
            match (response.status, cached) {
                (304, Some(cached)) => {
                    Ok(CachedIndex { index: cached.index.clone(), etag: cached.etag.clone(), checked })
                }
                // Servers of web applications answer with a page whatever is requested.
                (200, _) if !is_page => {
                    if let Some(encoding) = response.header("content-encoding").filter(|name| *name != "identity") {
                        let reason = format!("the server compresses it ('{}')", encoding.escape_debug());
                        return Err(RequestError::Permanent(request.fault(reason)));
                    }
                    let etag = response.header("etag").map(str::to_owned);
                    let bytes = response
                        .bytes(MAX_INDEX_BYTES)
                        .map_err(|error| RequestError::Transient(request.fault(error.text())))?;
                    let parsed = DirectoryIndex::parse(&bytes);
                    let index = parsed.map_err(|error| error.context(format_args!("HTTP: Cannot list '{directory}'")));
                    Ok(CachedIndex { index: FoundIndex::Index(Arc::new(index?)), etag, checked })
                }
                (200, _) => Ok(absent("a page of HTML in its place".to_owned())),
                (status, _) => Ok(absent(format!("status {status}"))),
            }
        })
    }
}
