//! Entity tags (ETags) of objects, by which a created object is recognized, and the start of multipart uploads.

use super::super::request::{MOST, RequestExecutor};
use super::super::store::ObjectLocation;
use super::names::object;
use super::responses::element;
use crate::http::{Method, RequestError};
use tiledb_core::error::Result;

/// Maximum size of an upload ID, which is part of each part's URL.
const MOST_ID: usize = 8 << 10;

/// Size and ETag of an object.
pub(super) struct EntityTag {
    pub(super) size: u64,
    pub(super) tag: String,
}

/// The size and ETag of an object; `None` if it does not exist.
pub(super) fn entity_tag(store: &impl RequestExecutor, location: &ObjectLocation) -> Result<Option<EntityTag>> {
    store.execute(&object(Method::Head, location, "look for"), &[404], |response| {
        let tag = response.header("etag").map(|tag| tag.trim_matches('"').to_owned());
        let mark = response.length().zip(tag).map(|(size, tag)| EntityTag { size, tag });
        Ok(mark.filter(|_| response.status == 200))
    })
}

/// Whether an object has this size and ETag.
pub(super) fn has_tag(store: &impl RequestExecutor, location: &ObjectLocation, expected: &EntityTag) -> Result<bool> {
    let actual = entity_tag(store, location)?;
    Ok(actual.is_some_and(|actual| actual.size == expected.size && actual.tag.eq_ignore_ascii_case(&expected.tag)))
}

/// Initiates a multipart upload of an object with these headers.
pub(super) fn begin_upload(
    store: &impl RequestExecutor,
    location: &ObjectLocation,
    headers: &[(&'static str, String)],
) -> Result<String> {
    let mut request = object(Method::Post, location, "write").parameter("uploads", "");
    request.headers.extend_from_slice(headers);
    // A truncated response does not parse and is retried.
    store.execute(&request, &[], |response| {
        let name = response
            .bytes(MOST)
            .and_then(|body| element(&body, "UploadId"))
            .map_err(|error| request.transient(error))?;
        match (1..=MOST_ID).contains(&name.len()) {
            true => Ok(name),
            false => Err(RequestError::Permanent(
                request.fault(format_args!("the upload has a name of {} bytes", name.len())),
            )),
        }
    })
}
