//! Parses responses of S3.

use super::super::request::{ErrorResponse, StoreRequest};
use super::super::store::{InitialRead, UnfinishedUpload};
use super::super::time;
use super::super::xml::XmlElement;
use crate::http::{RequestError, Response};
use tiledb_core::error::{Error, ErrorKind, Result};

/// Parses an error response, which may also have a status of success.
pub(super) fn refusal(status: u16, body: &[u8]) -> ErrorResponse {
    let error = XmlElement::parse(body).ok().filter(|element| element.name() == "Error");
    let text = |name: &str| error.as_ref().and_then(|error| error.text_of(name)).unwrap_or_default().to_owned();
    let mut refusal = ErrorResponse::new(status, text("Code"), text("Message"));
    refusal.region = Some(text("Region")).filter(|region| !region.is_empty());
    refusal.date = time::iso(&text("ServerTime"));
    refusal
}

/// Checks the body of a long request, whose status is sent before it completes: only a document element of this name
/// means success.
pub(super) fn check_completed(
    request: &StoreRequest<'_>,
    status: u16,
    body: &[u8],
    name: &str,
) -> std::result::Result<(), RequestError> {
    if XmlElement::parse(body).is_ok_and(|element| element.name() == name) {
        return Ok(());
    }
    let refusal = refusal(status, body);
    if refusal.code.is_empty() {
        return Err(RequestError::Transient(request.fault("the answer does not say that it is done")));
    }
    Err(match refusal.to_request_error(request) {
        // The request was accepted and may succeed on retry.
        RequestError::Permanent(error) => RequestError::Transient(error),
        trouble => trouble,
    })
}

/// Maximum number of bytes that are read beyond the requested ones.
const MOST_BESIDE: u64 = 1 << 20;

/// Marker after which the next page of incomplete uploads starts.
pub(super) type UploadMarker = UnfinishedUpload;

/// A page of incomplete uploads and the marker of the next one.
///
/// # Errors
/// `Io` if the body is not a listing.
pub(super) fn uploads(body: &[u8]) -> Result<(Vec<UnfinishedUpload>, Option<UploadMarker>)> {
    let list = XmlElement::parse(body)?;
    let broken = || Error::new(ErrorKind::Io, "S3: The answer to a listing of uploads makes no sense");
    if list.name() != "ListMultipartUploadsResult" {
        return Err(broken());
    }
    let of = |element: &XmlElement, key: &str, id: &str| {
        let text = |name: &str| element.text_of(name).map(str::to_owned).ok_or_else(broken);
        Ok(UnfinishedUpload { key: text(key)?, id: text(id)? })
    };
    let uploads: Result<Vec<UnfinishedUpload>> =
        list.all("Upload").map(|upload| of(upload, "Key", "UploadId")).collect();
    let is_cut = list.text_of("IsTruncated").is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let next = if is_cut { Some(of(&list, "NextKeyMarker", "NextUploadIdMarker")?) } else { None };
    Ok((uploads?, next))
}

/// The first key that was not deleted, and why.
///
/// # Errors
/// `Io` if the body is not a response to such a request.
pub(super) fn not_removed(body: &[u8]) -> Result<Option<(String, ErrorResponse)>> {
    let result = XmlElement::parse(body)?;
    let failed = result.all("Error").next().map(|error| {
        let text = |name: &str| error.text_of(name).unwrap_or_default().to_owned();
        (text("Key"), ErrorResponse::new(200, text("Code"), text("Message")))
    });
    Ok(failed)
}

/// The text of an element of a response.
///
/// # Errors
/// `Io` if it is missing.
pub(super) fn element(body: &[u8], name: &str) -> Result<String> {
    let text = XmlElement::parse(body)?.text_of(name).map(str::to_owned);
    text.ok_or_else(|| Error::new(ErrorKind::Io, format!("S3: The answer lacks '{name}'")))
}

/// The size and suffix of an object of which the last `most` bytes were requested; `None` if it does not exist.
pub(super) fn read_suffix(
    request: &StoreRequest<'_>,
    response: Response,
    most: usize,
) -> std::result::Result<Option<InitialRead>, RequestError> {
    let size = match response.status {
        404 => return Ok(None),
        // The object is empty.
        416 => return Ok(Some(InitialRead { size: 0, start: 0, bytes: Vec::new() })),
        206 => response.header("content-range").and_then(|range| range.rsplit_once('/')?.1.trim().parse().ok()),
        _ => response.length(),
    };
    let Some(size) = size else {
        return Err(RequestError::Permanent(request.fault("the answer names no size")));
    };
    let suffix = size.min(most as u64);
    // A store without range support returns the whole object: of a large one, the size is enough.
    let sent = if response.status == 206 { suffix } else { size };
    if sent > suffix.saturating_add(MOST_BESIDE) {
        return Ok(Some(InitialRead { size, start: size, bytes: Vec::new() }));
    }
    let mut bytes = response.bytes(sent).map_err(|error| request.transient(error))?;
    if (bytes.len() as u64) < suffix {
        return Err(RequestError::Transient(request.fault("the answer breaks off")));
    }
    bytes.drain(..bytes.len() - suffix as usize);
    Ok(Some(InitialRead { size, start: size - suffix, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_uploads_are_read() {
        let upload = "<Upload><Key>a&amp;b</Key><UploadId>one</UploadId></Upload>";
        let page = |inner: &str| {
            uploads(format!("<ListMultipartUploadsResult>{inner}</ListMultipartUploadsResult>").as_bytes())
        };
        let unfinished = |key: &str, id: &str| UnfinishedUpload { key: key.to_owned(), id: id.to_owned() };
        assert_eq!(page("").unwrap(), (Vec::new(), None));
        let last = page(&format!("<NextKeyMarker/><IsTruncated>False</IsTruncated>{upload}")).unwrap();
        assert_eq!(last, (vec![unfinished("a&b", "one")], None));
        let markers = "<NextKeyMarker>a</NextKeyMarker><NextUploadIdMarker>x</NextUploadIdMarker>";
        let cut = page(&format!("{upload}<IsTruncated>true</IsTruncated>{markers}")).unwrap();
        assert_eq!(cut, (vec![unfinished("a&b", "one")], Some(unfinished("a", "x"))));
        for bad in ["<IsTruncated>true</IsTruncated>", "<Upload><Key>a</Key></Upload>", "<Upload/>"] {
            assert!(page(bad).is_err(), "{bad}");
        }
        assert!(uploads(b"<ListBucketResult/>").is_err());
    }
}
