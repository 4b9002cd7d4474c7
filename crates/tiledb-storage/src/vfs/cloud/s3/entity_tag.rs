//! How the making of objects begins, and what is known of those that are made.

use super::super::request::{MOST, RequestExecutor};
use super::super::store::ObjectLocation;
use super::names::object;
use super::responses::element;
use crate::http::{Method, RequestError};
use tiledb_core::error::Result;

/// Bytes of the name of an upload, which each part has in its address.
const MOST_ID: usize = 8 << 10;

/// By what an object is told from others.
pub(super) struct EntityTag {
    pub(super) size: u64,
    pub(super) tag: String,
}

/// The size and the tag of an object; `None` where there is none.
pub(super) fn entity_tag(store: &impl RequestExecutor, location: &ObjectLocation) -> Result<Option<EntityTag>> {
    store.execute(&object(Method::Head, location, "look for"), &[404], |response| {
        let tag = response.header("etag").map(|tag| tag.trim_matches('"').to_owned());
        let mark = response.length().zip(tag).map(|(size, tag)| EntityTag { size, tag });
        Ok(mark.filter(|_| response.status == 200))
    })
}

/// Whether an object has this size and this tag.
pub(super) fn has_tag(store: &impl RequestExecutor, location: &ObjectLocation, wanted: &EntityTag) -> Result<bool> {
    let found = entity_tag(store, location)?;
    Ok(found.is_some_and(|found| found.size == wanted.size && found.tag.eq_ignore_ascii_case(&wanted.tag)))
}

/// Begins an upload in parts, of an object with these headers.
pub(super) fn begin(
    store: &impl RequestExecutor,
    location: &ObjectLocation,
    headers: &[(&'static str, String)],
) -> Result<String> {
    let mut request = object(Method::Post, location, "write").parameter("uploads", "");
    request.headers.extend_from_slice(headers);
    // Cut off, it makes no sense, and is asked for again.
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
