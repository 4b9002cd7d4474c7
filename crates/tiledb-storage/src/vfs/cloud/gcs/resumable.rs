//! Resumable uploads: chunks are sent in order, and after an interruption the store reports how many bytes it has.

use super::super::request::{MOST, RequestExecutor, StoreRequest};
use super::super::store::{MultipartUpload, ObjectLocation};
use super::names::{at, bucket_path};
use crate::http::{Method, RequestError, Response};
use tiledb_core::error::Result;

/// All chunks but the last one must be a multiple of this size.
pub(super) const UNIT: usize = 256 << 10;

/// Maximum number of requests for a chunk in addition to one per unit.
const MOST_PIECES: usize = 16;

/// Tag of the chunk that completed the object.
const DONE: &str = "done";

enum UploadProgress {
    /// The store has this many bytes.
    Has(u64),
    /// The object is complete.
    Done,
}

fn state(request: &StoreRequest<'_>, response: Response) -> std::result::Result<UploadProgress, RequestError> {
    let has = response.header("range").and_then(|range| range.rsplit_once('-')?.1.trim().parse::<u64>().ok());
    let going_on = response.status == 308;
    response.bytes(MOST).map_err(|error| request.transient(error))?;
    // The emulator reports "0-0" before the first byte; the service reports nothing.
    let has = has.filter(|last| *last > 0).map_or(0, |last| last.saturating_add(1));
    Ok(if going_on { UploadProgress::Has(has) } else { UploadProgress::Done })
}

fn put<'a>(parts: &MultipartUpload<'_>, verb: &str) -> StoreRequest<'a> {
    StoreRequest::new(Method::Put, parts.id.to_owned(), format!("GCS: Cannot {verb} {}", at(parts.location)))
}

/// Initiates an upload; returns the session URI.
pub(super) fn begin_upload(store: &impl RequestExecutor, location: &ObjectLocation) -> Result<String> {
    let request = StoreRequest::new(
        Method::Post,
        format!("/upload{}/o", bucket_path(&location.bucket)),
        format!("GCS: Cannot write {}", at(location)),
    );
    let request = request.parameter("uploadType", "resumable").parameter("name", &location.key);
    store.execute(&request, &[], |response| {
        let address = response.header("location").map(str::to_owned);
        address.ok_or_else(|| RequestError::Permanent(request.fault("the answer does not say where parts go")))
    })
}

/// Sends a chunk, and resumes it where it was interrupted.
pub(super) fn send(
    store: &impl RequestExecutor,
    parts: &MultipartUpload<'_>,
    offset: u64,
    bytes: &[u8],
) -> Result<String> {
    let end = offset + bytes.len() as u64;
    // A chunk whose size is not a multiple of the unit is the last one.
    let whole = if bytes.len().is_multiple_of(UNIT) { "*".to_owned() } else { end.to_string() };
    let (mut from, mut is_known, mut left) = (offset, true, bytes.len() / UNIT + MOST_PIECES);
    store.retries().run(|| {
        loop {
            if !std::mem::replace(&mut is_known, false) {
                match progress(store, parts, &whole)? {
                    UploadProgress::Done => return Ok(DONE.to_owned()),
                    UploadProgress::Has(has) => from = has,
                }
            }
            if from == end {
                return Ok(String::new());
            }
            let rest = from.checked_sub(offset).and_then(|sent| bytes.get(usize::try_from(sent).ok()?..));
            let request = put(parts, "write a part of");
            let Some(rest) = rest else {
                return Err(RequestError::Permanent(request.fault("the store has lost what was written before")));
            };
            let request = request.header("content-range", format!("bytes {from}-{}/{whole}", end - 1)).body(rest);
            match state(&request, store.attempt(&request, &[308])?)? {
                UploadProgress::Done => return Ok(DONE.to_owned()),
                UploadProgress::Has(has) if has == end => return Ok(String::new()),
                // The store accepts multiples of the unit: otherwise a chunk could be sent as often as it has bytes.
                UploadProgress::Has(has) if has > from && has < end && left > 0 => {
                    (from, is_known) = (has, true);
                    left -= 1;
                }
                UploadProgress::Has(_) => {
                    return Err(RequestError::Transient(request.fault("the store takes no more bytes")));
                }
            }
        }
    })
}

/// Requests the progress of an upload. One whose bytes are all there becomes an object.
fn progress(
    store: &impl RequestExecutor,
    parts: &MultipartUpload<'_>,
    whole: &str,
) -> std::result::Result<UploadProgress, RequestError> {
    let request = put(parts, "go on with the upload of").header("content-range", format!("bytes */{whole}"));
    state(&request, store.attempt(&request, &[308])?)
}

/// Completes the object, unless the last chunk did.
pub(super) fn complete(
    store: &impl RequestExecutor,
    parts: &MultipartUpload<'_>,
    tags: &[String],
    size: u64,
) -> Result<()> {
    if tags.last().is_some_and(|tag| tag == DONE) {
        return Ok(());
    }
    store.retries().run(|| match progress(store, parts, &size.to_string())? {
        UploadProgress::Done => Ok(()),
        UploadProgress::Has(has) => {
            let request = put(parts, "complete the upload of");
            Err(RequestError::Transient(request.fault(format_args!("the store has {has} bytes of {size}"))))
        }
    })
}

/// Aborts an upload.
pub(super) fn abort(store: &impl RequestExecutor, parts: &MultipartUpload<'_>) -> Result<()> {
    let what = format!("GCS: Cannot give up the upload of {}", at(parts.location));
    store.perform(&StoreRequest::new(Method::Delete, parts.id.to_owned(), what), &[404, 410, 499]).map(|_| ())
}
