//! Batch deletion: many DELETE requests in one multipart request, as Azure and Google accept it.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use super::request::{MOST, RequestExecutor, StoreRequest};
use super::store::ObjectLocation;
use crate::http::{Method, RequestError};
use crate::vfs::concurrent::for_each_concurrently;
use tiledb_core::error::Result;

/// A store with batch requests.
pub(super) trait BatchDelete: RequestExecutor + Sync {
    fn object<'a>(&self, method: Method, location: &ObjectLocation, verb: &str) -> StoreRequest<'a>;
    /// The batch request for objects of a bucket.
    fn batch<'a>(&self, bucket: &str) -> StoreRequest<'a>;
    /// Path and headers of a request within a batch.
    fn batch_part(&self, request: &StoreRequest<'_>) -> Result<(String, Vec<(String, String)>)>;
    /// Whether the store was found not to support batches.
    fn lacks_batch_support(&self) -> &AtomicBool;
}

/// Removes objects with one batch request; if the store does not support it for them, with one request each.
pub(super) fn remove_many(store: &impl BatchDelete, bucket: &str, keys: &[String], width: usize) -> Result<()> {
    let places: Vec<ObjectLocation> =
        keys.iter().map(|key| ObjectLocation { bucket: bucket.to_owned(), key: key.clone() }).collect();
    if keys.len() > 1 && !store.lacks_batch_support().load(Ordering::Relaxed) {
        if remove_batch(store, bucket, &places)? {
            return Ok(());
        }
        store.lacks_batch_support().store(true, Ordering::Relaxed);
    }
    for_each_concurrently(width, places.len(), |index| {
        store.perform(&store.object(Method::Delete, &places[index], "remove"), &[404]).map(|_| ())
    })
}

/// Removes an object. A missing one is an error, unless an earlier attempt may have removed it.
pub(super) fn remove_one(store: &impl BatchDelete, location: &ObjectLocation) -> Result<()> {
    let request = store.object(Method::Delete, location, "remove");
    let mut tried = false;
    store.retries().run(|| {
        let accept: &[u16] = if tried { &[404] } else { &[] };
        tried = true;
        store.attempt(&request, accept).map(|_| ())
    })
}

/// False if the store does not support the batch.
fn remove_batch(store: &impl BatchDelete, bucket: &str, places: &[ObjectLocation]) -> Result<bool> {
    let deletes: Vec<StoreRequest<'_>> =
        places.iter().map(|location| store.object(Method::Delete, location, "remove")).collect();
    store.retries().run(|| {
        let mut parts = Multipart::new();
        for request in &deletes {
            let (path, headers) = store.batch_part(request)?;
            parts.delete(&path, &headers);
        }
        let (kind, body) = (parts.kind(), parts.finish());
        let request = store.batch(bucket).header("content-type", kind).body(body.as_bytes());
        let response = store.attempt(&request, &[400, 403, 404, 405, 409, 501])?;
        if response.status >= 300 {
            return Ok(false);
        }
        let body = response.bytes(MOST).map_err(|error| request.transient(error))?;
        let body = String::from_utf8_lossy(&body);
        let statuses: Vec<(u16, &str)> = answers(&body).collect();
        if statuses.len() != deletes.len() {
            return Err(RequestError::Transient(request.fault("the answer does not tell of each object")));
        }
        let refused = statuses.iter().zip(&deletes).find(|((status, _), _)| !matches!(status, 200..300 | 404));
        refused.map_or(Ok(true), |((status, text), request)| {
            let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            Err(store
                .refusal(*status, body.split("\r\n--").next().unwrap_or_default().as_bytes())
                .to_request_error(request))
        })
    })
}

/// A multipart body. Its boundary contains random digits, so that no object name can contain it.
struct Multipart {
    boundary: String,
    body: String,
    count: usize,
}

impl Multipart {
    fn new() -> Multipart {
        Multipart { boundary: format!("batch_{}", uuid::Uuid::new_v4()), body: String::new(), count: 0 }
    }

    fn kind(&self) -> String {
        format!("multipart/mixed; boundary={}", self.boundary)
    }

    /// Adds a DELETE request.
    fn delete(&mut self, path: &str, headers: &[(String, String)]) {
        let Multipart { boundary, body, count } = self;
        _ = write!(
            body,
            "--{boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: {count}\r\n\r\n\
             DELETE {path} HTTP/1.1\r\n"
        );
        for (name, value) in headers {
            _ = write!(body, "{name}: {value}\r\n");
        }
        body.push_str("Content-Length: 0\r\n\r\n");
        *count += 1;
    }

    fn finish(mut self) -> String {
        _ = write!(self.body, "--{}--\r\n", self.boundary);
        self.body
    }
}

/// The parts of a batch response, in the order of the requests: status and text.
fn answers(body: &str) -> impl Iterator<Item = (u16, &str)> {
    body.split("\nHTTP/1.1 ").skip(1).filter_map(|rest| Some((rest.get(..3)?.parse().ok()?, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_joined_and_answers_parted() {
        let mut parts = Multipart::new();
        parts.delete("/c/a", &[("x-ms-date".to_owned(), "d".to_owned())]);
        parts.delete("/c/b", &[]);
        let (kind, body) = (parts.kind(), parts.finish());
        let boundary = kind.rsplit_once('=').unwrap().1;
        assert_eq!(body.matches(boundary).count(), 3);
        assert!(body.contains("\r\n\r\nDELETE /c/a HTTP/1.1\r\nx-ms-date: d\r\nContent-Length: 0\r\n\r\n--"));
        let response =
            "--b\r\nContent-ID: 0\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n--b\r\n\r\nHTTP/1.1 404 No\r\n\r\nx\r\n--b--";
        assert_eq!(answers(response).map(|(status, _)| status).collect::<Vec<_>>(), [202, 404]);
    }
}
