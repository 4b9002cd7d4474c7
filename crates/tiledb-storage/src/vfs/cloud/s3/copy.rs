//! Copies objects: in one request, or in parts if that is rejected or its outcome is unknown.
//!
//! A copy in one request is atomic: the store reads the source and creates the target while it processes the request, or rejects it
//! because there is no source. S3-compatible stores may lack copies, or take the request for an upload of nothing.

use super::super::amazon::sign;
use super::super::request::{MOST, RequestExecutor, StoreRequest, or_verified};
use super::super::store::{MultipartUpload, ObjectLocation, ObjectStore};
use super::entity_tag::{begin_upload, entity_tag, has_tag};
use super::names::{at, object};
use super::responses::{check_completed, element};
use crate::http::Method;
use crate::vfs::concurrent::map_concurrently;
use tiledb_core::error::{ErrorKind, Result};

/// Maximum number of bytes that one request copies.
const MOST_COPIED: u64 = 5 << 30;

/// Size of a copied part relative to an uploaded one: its bytes do not pass over the network.
const TIMES: u64 = 100;

/// Statuses of stores that reject the copy of a missing object: 404, or those of a store that copies no objects, or not for
/// this user.
const NO_COPY: &[u16] = &[403, 404, 405, 501];

fn copy_request<'a>(from: &ObjectLocation, to: &ObjectLocation) -> StoreRequest<'a> {
    let mut request =
        object(Method::Put, to, "copy to").header("x-amz-copy-source", sign::path(&[&from.bucket, &from.key]));
    request.what = format!("S3: Cannot copy {} to {}", at(from), at(to));
    request
}

/// Headers of the new object.
type Headers = [(&'static str, String)];

/// Copies an object in one request, which may be repeated unless it is single.
pub(super) fn copy_at_once(
    store: &impl RequestExecutor,
    from: &ObjectLocation,
    to: &ObjectLocation,
    headers: &Headers,
    is_single: bool,
) -> Result<()> {
    let mut request = copy_request(from, to).single(is_single);
    request.headers.extend_from_slice(headers);
    store.execute(&request, &[], |response| {
        let (status, body) = (response.status, response.bytes(MOST).map_err(|error| request.transient(error))?);
        check_completed(&request, status, &body, "CopyObjectResult")
    })
}

/// Whether the store rejects the copy of an object in a directory that does not exist. What a store creates nevertheless is removed.
pub(super) fn rejects_missing_source(
    store: &(impl RequestExecutor + ObjectStore),
    directory: &ObjectLocation,
) -> Result<bool> {
    let unique = |role: &str| {
        let key = format!("{}{role}_{}.prepared", directory.prefix(), uuid::Uuid::new_v4().simple());
        ObjectLocation { bucket: directory.bucket.clone(), key }
    };
    let (from, to) = (unique("missing"), unique("copied"));
    let status = store.execute(&copy_request(&from, &to), NO_COPY, |response| Ok(response.status))?;
    if (200..300).contains(&status) {
        store.remove(&to.bucket, std::slice::from_ref(&to.key))?;
    }
    Ok(status == 404)
}

/// Copies an object.
pub(super) fn copy(
    store: &(impl RequestExecutor + ObjectStore),
    from: &ObjectLocation,
    to: &ObjectLocation,
    headers: &Headers,
) -> Result<()> {
    let error = match copy_at_once(store, from, to, headers, false) {
        Err(error) if error.kind() == ErrorKind::Io && from != to => error,
        copied => return copied,
    };
    match entity_tag(store, from) {
        // A multipart object may be too large for one request, and its copy gets an unpredictable ETag.
        Ok(Some(source)) if source.tag.contains('-') => in_parts(store, from, to, headers, source.size),
        Ok(Some(source)) => or_verified(Err(error), || has_tag(store, to, &source)),
        _ => Err(error),
    }
}

/// Copies an object of `size` bytes in parts.
fn in_parts(
    store: &(impl RequestExecutor + ObjectStore),
    from: &ObjectLocation,
    to: &ObjectLocation,
    headers: &Headers,
    size: u64,
) -> Result<()> {
    let id = begin_upload(store, to, headers)?;
    let (parts, limits) = (MultipartUpload { location: to, id: &id }, store.limits());
    let pieces = pieces(size, limits.part_size as u64, limits.most_parts.into());
    let copied = map_concurrently(limits.at_once, pieces.len(), |index| {
        let ((start, end), number) = (pieces[index], (index + 1).to_string());
        let request = copy_request(from, to).parameter("partNumber", &number).parameter("uploadId", &id);
        let request = request.header("x-amz-copy-source-range", format!("bytes={start}-{}", end - 1));
        store.execute(&request, &[], |response| {
            let (status, body) = (response.status, response.bytes(MOST).map_err(|error| request.transient(error))?);
            check_completed(&request, status, &body, "CopyPartResult")?;
            element(&body, "ETag").map_err(|error| request.transient(error))
        })
    });
    let made = copied.and_then(|tags| store.complete(&parts, &tags, size));
    if made.is_err() {
        // An incomplete upload is no object, and the first error is reported.
        _ = store.abort(&parts);
    }
    made
}

/// The ranges of the parts.
fn pieces(size: u64, part: u64, most: u64) -> Vec<(u64, u64)> {
    let step = part.saturating_mul(TIMES).clamp(1, MOST_COPIED).max(size.div_ceil(most.max(1)));
    (0..size.div_ceil(step)).map(|number| (number * step, size.min((number + 1) * step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_object() {
        assert_eq!(pieces(10, 1, 10_000), [(0, 10)]);
        assert_eq!(pieces(250, 1, 10_000), [(0, 100), (100, 200), (200, 250)]);
        assert_eq!(pieces(1_000, 1, 4), [(0, 250), (250, 500), (500, 750), (750, 1_000)]);
        let largest = pieces(5 << 40, 5 << 20, 10_000);
        assert!(largest.len() <= 10_000 && largest.iter().all(|(start, end)| end - start <= MOST_COPIED));
    }
}
