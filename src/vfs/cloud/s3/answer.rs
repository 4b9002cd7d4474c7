//! What answers of S3 mean.

use std::time::SystemTime;

use super::super::store::{Object, Page};
use super::super::time;
use super::super::xml::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::http::{Answer, Trouble};

/// The most bytes of an answer that is not an object: a page of 1,000 keys of 1,024 bytes, each of them escaped, and more.
pub(super) const MOST: u64 = 16 << 20;

/// A refusal by the store.
pub(super) struct Refusal {
    pub(super) status: u16,
    /// What S3 calls the reason; empty where it says none.
    pub(super) code: String,
    pub(super) message: String,
    /// The region that the bucket is in, if it is said.
    pub(super) region: Option<String>,
    /// What the store's clock says.
    pub(super) date: Option<SystemTime>,
}

impl Refusal {
    /// Reads the refusal out of an answer.
    pub(super) fn of(answer: Answer) -> Refusal {
        let status = answer.status;
        let region = answer.header("x-amz-bucket-region").map(str::to_owned);
        let date = answer.header("date").and_then(time::header);
        let body = answer.bytes(MOST).unwrap_or_default();
        let said = Refusal::in_body(status, &body);
        Refusal { region: region.or(said.region), date: said.date.or(date), ..said }
    }

    /// Reads the refusal out of the bytes of an answer, which may also come with a status of success.
    pub(super) fn in_body(status: u16, body: &[u8]) -> Refusal {
        let error = Element::parse(body).ok().filter(|element| element.name() == "Error");
        let text = |name: &str| error.as_ref().and_then(|error| error.text_of(name)).unwrap_or_default().to_owned();
        let region = Some(text("Region")).filter(|region| !region.is_empty());
        Refusal { status, code: text("Code"), message: text("Message"), region, date: time::iso(&text("ServerTime")) }
    }

    /// The seconds by which the store's clock is ahead of this machine's.
    pub(super) fn off(&self) -> i64 {
        self.date.map_or(0, |date| time::seconds_between(SystemTime::now(), date))
    }

    /// What to do about it.
    pub(super) fn trouble(&self, what: &str) -> Trouble {
        let error = self.error(what);
        match (self.status, self.code.as_str()) {
            (429 | 503, _) | (_, "SlowDown" | "TooManyRequests" | "Throttling" | "RequestLimitExceeded") => {
                Trouble::Busy(error)
            }
            (500 | 502 | 504 | 408, _) | (_, "RequestTimeout" | "InternalError") => Trouble::Passing(error),
            _ => Trouble::Lasting(error),
        }
    }

    /// The error that it ends as.
    pub(super) fn error(&self, what: &str) -> Error {
        let Refusal { status, code, message, .. } = self;
        let kind = if *status == 404 { ErrorKind::NotFound } else { ErrorKind::Io };
        let reason = match (code.as_str(), *status) {
            ("", 403) => "the store refuses access (403)".to_owned(),
            ("", 404) => "there is no such bucket or object (404)".to_owned(),
            ("", _) => format!("the store answers with status {status}"),
            _ if message.is_empty() => format!("{code} ({status})"),
            _ => format!("{code}: {message} ({status})"),
        };
        Error::new(kind, format!("S3: Cannot {what}; {reason}"))
    }
}

/// A page of a listing.
///
/// # Errors
/// `Io` for what is not one.
pub(super) fn page(body: &[u8]) -> Result<Page> {
    let list = Element::parse(body)?;
    let broken = || Error::new(ErrorKind::Io, "S3: The answer to a listing makes no sense");
    if list.name() != "ListBucketResult" {
        return Err(broken());
    }
    let mut page = Page::default();
    for object in list.all("Contents") {
        let key = object.text_of("Key").ok_or_else(broken)?.to_owned();
        let size = object.text_of("Size").and_then(|size| size.trim().parse().ok()).ok_or_else(broken)?;
        page.objects.push(Object { key, size });
    }
    for prefix in list.all("CommonPrefixes") {
        page.prefixes.push(prefix.text_of("Prefix").ok_or_else(broken)?.to_owned());
    }
    if list.text_of("IsTruncated") == Some("true") {
        page.next = Some(list.text_of("NextContinuationToken").ok_or_else(broken)?.to_owned());
    }
    Ok(page)
}

/// The first key that could not be removed, and why.
///
/// # Errors
/// `Io` for what is not an answer to such a request.
pub(super) fn not_removed(body: &[u8]) -> Result<Option<(String, Refusal)>> {
    let result = Element::parse(body)?;
    let failed = result.all("Error").next().map(|error| {
        let text = |name: &str| error.text_of(name).unwrap_or_default().to_owned();
        (text("Key"), Refusal { status: 200, code: text("Code"), message: text("Message"), region: None, date: None })
    });
    Ok(failed)
}

/// The text of an element of an answer.
///
/// # Errors
/// `Io` where it is missing.
pub(super) fn element(body: &[u8], name: &str) -> Result<String> {
    let found = Element::parse(body)?.text_of(name).map(str::to_owned);
    found.ok_or_else(|| Error::new(ErrorKind::Io, format!("S3: The answer lacks '{name}'")))
}
