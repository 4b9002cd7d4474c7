//! Parses responses of Azure.

use super::super::request::ErrorResponse;
use super::super::store::{ListPage, Object};
use super::super::xml::XmlElement;
use tiledb_core::error::{Error, ErrorKind, Result};

/// Parses an error response.
pub(super) fn refusal(status: u16, body: &[u8]) -> ErrorResponse {
    let error = XmlElement::parse(body).ok();
    let text = |name: &str| error.as_ref().and_then(|error| error.text_of(name)).unwrap_or_default();
    // The first line is followed by the request ID and time.
    let message = text("Message").lines().next().unwrap_or_default().trim().to_owned();
    ErrorResponse::new(status, text("Code").to_owned(), message)
}

/// # Errors
/// `Io` if the body is not a listing.
pub(super) fn page(body: &[u8]) -> Result<ListPage> {
    let list = XmlElement::parse(body)?;
    let broken = || Error::new(ErrorKind::Io, "Azure: The answer to a listing makes no sense");
    let blobs = list.all("Blobs").next().filter(|_| list.name() == "EnumerationResults").ok_or_else(broken)?;
    let mut page = ListPage::default();
    for blob in blobs.all("Blob") {
        let key = blob.text_of("Name").ok_or_else(broken)?.to_owned();
        let properties = blob.all("Properties").next().ok_or_else(broken)?;
        // Accounts with a hierarchical namespace list directories, too.
        if properties.text_of("ResourceType") == Some("directory") {
            continue;
        }
        let size = properties.text_of("Content-Length").and_then(|size| size.trim().parse().ok()).ok_or_else(broken)?;
        page.objects.push(Object { key, size });
    }
    for prefix in blobs.all("BlobPrefix") {
        page.prefixes.push(prefix.text_of("Name").ok_or_else(broken)?.to_owned());
    }
    page.next = list.text_of("NextMarker").filter(|marker| !marker.is_empty()).map(str::to_owned);
    Ok(page)
}

/// Whether a response lists exactly these committed blocks.
pub(super) fn has_blocks(body: &[u8], ids: &[String]) -> bool {
    let Ok(list) = XmlElement::parse(body) else { return false };
    let Some(blocks) = list.all("CommittedBlocks").next() else { return false };
    let mut expected = ids.iter();
    let same = blocks.all("Block").all(|block| block.text_of("Name") == expected.next().map(String::as_str));
    same && expected.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read() {
        let body = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults><Prefix>d/</Prefix><Blobs><Blob>\
                    <Name>d/a&amp;b</Name><Properties><Content-Length>7</Content-Length></Properties></Blob><Blob><Name>d/dir</Name><Properties>\
                    <Content-Length>0</Content-Length><ResourceType>directory</ResourceType></Properties></Blob><BlobPrefix>\
                    <Name>d/e/</Name></BlobPrefix></Blobs><NextMarker>m</NextMarker></EnumerationResults>";
        let page = page(body.as_bytes()).unwrap();
        assert_eq!(page.objects, [Object { key: "d/a&b".to_owned(), size: 7 }]);
        assert_eq!((page.prefixes, page.next), (vec!["d/e/".to_owned()], Some("m".to_owned())));
        for bad in [
            "<EnumerationResults/>",
            "<Other><Blobs/></Other>",
            "no",
            "<EnumerationResults><Blobs><Blob/></Blobs></EnumerationResults>",
        ] {
            assert!(super::page(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn blocks_are_compared() {
        let body =
            b"<BlockList><CommittedBlocks><Block><Name>a</Name></Block><Block><Name>b</Name></Block></CommittedBlocks>\
                     </BlockList>";
        let same = |ids: &[&str]| has_blocks(body, &ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
        assert!(same(&["a", "b"]));
        assert!(!same(&["a"]) && !same(&["a", "b", "c"]) && !same(&["b", "a"]) && !has_blocks(b"", &[]));
    }
}
