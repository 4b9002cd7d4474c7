//! How the making of objects begins, and what is known of those that are made.

use super::super::ask::{Asked, MOST};
use super::super::store::Place;
use super::answer::element;
use super::names::object;
use crate::http::{Method, RequestError};
use tiledb_core::error::Result;

/// Bytes of the name of an upload, which each part has in its address.
const MOST_ID: usize = 8 << 10;

/// By what an object is told from others.
pub(super) struct Mark {
    pub(super) size: u64,
    pub(super) tag: String,
}

/// The size and the tag of an object; `None` where there is none.
pub(super) fn mark(store: &impl Asked, place: &Place) -> Result<Option<Mark>> {
    store.ask(&object(Method::Head, place, "look for"), &[404], |answer| {
        let tag = answer.header("etag").map(|tag| tag.trim_matches('"').to_owned());
        let mark = answer.length().zip(tag).map(|(size, tag)| Mark { size, tag });
        Ok(mark.filter(|_| answer.status == 200))
    })
}

/// Whether an object has this size and this tag.
pub(super) fn is_there(store: &impl Asked, place: &Place, wanted: &Mark) -> Result<bool> {
    let found = mark(store, place)?;
    Ok(found.is_some_and(|found| found.size == wanted.size && found.tag.eq_ignore_ascii_case(&wanted.tag)))
}

/// Begins an upload in parts, of an object with these headers.
pub(super) fn begin(store: &impl Asked, place: &Place, headers: &[(&'static str, String)]) -> Result<String> {
    let mut ask = object(Method::Post, place, "write").parameter("uploads", "");
    ask.headers.extend_from_slice(headers);
    // Cut off, it makes no sense, and is asked for again.
    store.ask(&ask, &[], |answer| {
        let name =
            answer.bytes(MOST).and_then(|body| element(&body, "UploadId")).map_err(|error| ask.passing(error))?;
        match (1..=MOST_ID).contains(&name.len()) {
            true => Ok(name),
            false => {
                Err(RequestError::Permanent(ask.fault(format_args!("the upload has a name of {} bytes", name.len()))))
            }
        }
    })
}
