//! Listings of S3 buckets (`ListObjectsV2`), which S3, and stores and web servers that are compatible with it, answer with.

use super::store::{ListPage, Object};
use super::xml::XmlElement;
use tiledb_core::error::{Error, ErrorKind, Result};

/// A page of a listing.
///
/// # Errors
/// `Io` if the body is not a listing.
pub(super) fn page(body: &[u8]) -> Result<ListPage> {
    let list = XmlElement::parse(body)?;
    let broken = || Error::new(ErrorKind::Io, "S3: The answer to a listing makes no sense");
    if list.name() != "ListBucketResult" {
        return Err(broken());
    }
    let mut page = ListPage::default();
    for object in list.all("Contents") {
        let key = object.text_of("Key").ok_or_else(broken)?.to_owned();
        let size = object.text_of("Size").and_then(|size| size.trim().parse().ok()).ok_or_else(broken)?;
        page.objects.push(Object { key, size });
    }
    for prefix in list.all("CommonPrefixes") {
        page.prefixes.push(prefix.text_of("Prefix").ok_or_else(broken)?.to_owned());
    }
    if list.text_of("IsTruncated") == Some("true") {
        let next = list.text_of("NextContinuationToken").filter(|token| !token.is_empty());
        page.next = Some(next.ok_or_else(broken)?.to_owned());
    }
    Ok(page)
}
