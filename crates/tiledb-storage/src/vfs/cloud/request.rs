//! A request before it is signed, and how it is made until its answer counts.

use std::time::SystemTime;

use super::store::InitialRead;
use super::time;
use crate::http::{Client, Method, Request, RequestError, Response, RetryPolicy};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::memory;

/// The most bytes of an answer that is not an object: a page of 5,000 names of 1,024 bytes and what is said of each.
pub(super) const MOST: u64 = 32 << 20;

/// A request of a store, before it is signed.
pub(super) struct StoreRequest<'a> {
    pub(super) method: Method,
    /// The path within the store, encoded; a whole address where it begins with a scheme.
    pub(super) path: String,
    pub(super) parameters: Vec<(&'a str, &'a str)>,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: &'a [u8],
    /// What cannot be done if it fails, for errors: "Azure: Cannot read 'azure://c/k'".
    pub(super) what: String,
}

impl<'a> StoreRequest<'a> {
    pub(super) fn new(method: Method, path: String, what: String) -> StoreRequest<'a> {
        StoreRequest { method, path, parameters: Vec::new(), headers: Vec::new(), body: &[], what }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> StoreRequest<'a> {
        self.headers.push((name, value.into()));
        self
    }

    pub(super) fn parameter(mut self, name: &'a str, value: &'a str) -> StoreRequest<'a> {
        self.parameters.push((name, value));
        self
    }

    pub(super) fn body(mut self, body: &'a [u8]) -> StoreRequest<'a> {
        self.body = body;
        self
    }

    /// The headers as they are sent, before those of a signature.
    pub(super) fn own_headers(&self) -> Vec<(String, String)> {
        self.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    /// What goes wrong with an answer, and may not the next time.
    pub(super) fn transient(&self, error: Error) -> RequestError {
        RequestError::Transient(error.context(&self.what))
    }

    /// An answer that is of no use.
    #[cold]
    pub(super) fn fault(&self, reason: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Io, format!("{}; {reason}", self.what))
    }
}

/// A refusal by a store.
#[derive(Debug, Default)]
pub(super) struct ErrorResponse {
    pub(super) status: u16,
    /// What the store calls the reason; empty where it says none.
    pub(super) code: String,
    pub(super) message: String,
    /// The region that the bucket is in, if it is said.
    pub(super) region: Option<String>,
    /// What the store's clock says.
    pub(super) date: Option<SystemTime>,
    /// What the store cannot know.
    more: Option<String>,
}

impl ErrorResponse {
    pub(super) fn new(status: u16, code: String, message: String) -> ErrorResponse {
        ErrorResponse { status, code, message, ..ErrorResponse::default() }
    }

    /// Adds to what the store says.
    pub(super) fn add(&mut self, more: Option<String>) {
        self.more = more.or(self.more.take());
    }

    /// Takes over what only the headers say: an answer to HEAD has no bytes.
    fn add_headers(&mut self, response: &Response) {
        if self.code.is_empty() {
            self.code = response.header("x-ms-error-code").unwrap_or_default().to_owned();
        }
        self.region = response.header("x-amz-bucket-region").map(str::to_owned).or(self.region.take());
        self.date = self.date.or_else(|| response.header("date").and_then(time::header));
    }

    /// What to do about it.
    pub(super) fn to_request_error(&self, request: &StoreRequest<'_>) -> RequestError {
        let error = self.error(request);
        match (self.status, self.code.as_str()) {
            (429 | 503, _) | (_, "SlowDown" | "TooManyRequests" | "Throttling" | "RequestLimitExceeded") => {
                RequestError::Throttled(error, None)
            }
            (408 | 500 | 502 | 504, _) | (_, "RequestTimeout" | "InternalError") => RequestError::Transient(error),
            _ => RequestError::Permanent(error),
        }
    }

    /// The error that it ends as.
    fn error(&self, request: &StoreRequest<'_>) -> Error {
        let ErrorResponse { status, code, message, more, .. } = self;
        let kind = if *status == 404 { ErrorKind::NotFound } else { ErrorKind::Io };
        let reason = match (code.as_str(), message.as_str(), *status) {
            ("", "", 403) => "the store refuses access (403)".to_owned(),
            ("", "", 404) => "there is no such bucket or object (404)".to_owned(),
            ("", "", _) => format!("the store answers with status {status}"),
            ("", ..) => format!("{message} ({status})"),
            (_, "", _) => format!("{code} ({status})"),
            _ => format!("{code}: {message} ({status})"),
        };
        let more = more.as_ref().map_or(String::new(), |more| format!("; {more}"));
        Error::new(kind, format!("{}; {reason}{more}", request.what))
    }
}

/// What came of a request that makes an object. Where no answer came `is_there` looks for it: what was done must not be taken
/// for failed.
pub(super) fn or_verified(made: Result<()>, is_there: impl FnOnce() -> Result<bool>) -> Result<()> {
    match made {
        Err(error) if error.kind() == ErrorKind::Io && is_there().unwrap_or(false) => Ok(()),
        made => made,
    }
}

/// What was mended for one request already: nothing is tried twice.
#[derive(Default)]
pub(super) struct RecoveryState {
    pub(super) region: bool,
    pub(super) clock: bool,
    pub(super) credentials: bool,
}

/// A store that requests are made of.
pub(super) trait RequestExecutor {
    /// With what a request was signed.
    type Signed;

    fn client(&self) -> &Client;
    fn retries(&self) -> &RetryPolicy;
    /// The request as it is sent, signed now.
    fn sign<'a>(&self, request: &StoreRequest<'a>) -> Result<(Request<'a>, Self::Signed)>;
    /// Reads the refusal out of the bytes of an answer.
    fn refusal(&self, status: u16, body: &[u8]) -> ErrorResponse;
    /// Whether a request that was refused is worth signing again, for one reason once. Where it is not, what the store cannot
    /// know is added to the refusal.
    fn recover(
        &self,
        refusal: &mut ErrorResponse,
        sent: &(Request<'_>, Self::Signed),
        recovery: &mut RecoveryState,
    ) -> bool;

    /// Makes a request once. `accept` are further statuses of success.
    fn attempt(&self, request: &StoreRequest<'_>, accept: &[u16]) -> std::result::Result<Response, RequestError> {
        let mut recovery = RecoveryState::default();
        loop {
            let sent = self.sign(request).map_err(|error| error.context(&request.what))?;
            let unheard = |error: Error| match (error.kind(), error.context(&request.what)) {
                (ErrorKind::Io, error) => RequestError::Transient(error),
                (_, error) => RequestError::Permanent(error),
            };
            let mut response = self.client().send(&sent.0).map_err(unheard)?;
            if matches!(response.status, 200..300) || accept.contains(&response.status) {
                return Ok(response);
            }
            let body = response.read(MOST).unwrap_or_default();
            let mut refusal = self.refusal(response.status, &body);
            refusal.add_headers(&response);
            drop(response);
            if !self.recover(&mut refusal, &sent, &mut recovery) {
                return Err(refusal.to_request_error(request));
            }
        }
    }

    /// Makes a request, again where that may help, and hands what comes of success to `take`.
    fn execute<T>(
        &self,
        request: &StoreRequest<'_>,
        accept: &[u16],
        mut take: impl FnMut(Response) -> std::result::Result<T, RequestError>,
    ) -> Result<T> {
        self.retries().run(|| take(self.attempt(request, accept)?))
    }

    /// Makes a request for whose answer nobody cares, and says with which status it came.
    fn perform(&self, request: &StoreRequest<'_>, accept: &[u16]) -> Result<u16> {
        self.execute(request, accept, |response| {
            let status = response.status;
            response.bytes(MOST).map_err(|error| request.transient(error))?;
            Ok(status)
        })
    }

    /// The size of an object, as a header says; `None` where there is none.
    fn fetch_size(&self, request: &StoreRequest<'_>) -> Result<Option<u64>> {
        self.execute(request, &[404], |response| match (response.status, response.length()) {
            (404, _) => Ok(None),
            (_, Some(size)) => Ok(Some(size)),
            (_, None) => Err(RequestError::Permanent(request.fault("the answer names no size"))),
        })
    }

    /// The size of an object and its first bytes.
    fn fetch_initial(&self, request: StoreRequest<'_>, most: usize) -> Result<Option<InitialRead>> {
        let request = request.header("range", format!("bytes=0-{}", most.max(1) - 1));
        self.execute(&request, &[404, 416], |response| {
            let size = match response.status {
                404 => return Ok(None),
                // There is no first byte.
                416 => Some(0),
                206 => response.header("content-range").and_then(|range| range.rsplit_once('/')?.1.trim().parse().ok()),
                _ => response.length(),
            };
            let size: u64 = size.ok_or_else(|| RequestError::Permanent(request.fault("the answer names no size")))?;
            let mut bytes = memory::zeroed("what is read ahead", size.min(most as u64) as usize)?;
            response.fill(&mut bytes).map_err(|error| request.transient(error))?;
            Ok(Some(InitialRead { size, start: 0, bytes }))
        })
    }

    /// Fills `out` with the bytes of an object from `offset` on.
    fn fetch_range(&self, request: StoreRequest<'_>, offset: u64, out: &mut [u8]) -> Result<()> {
        let Some(last) = (out.len() as u64).checked_sub(1).and_then(|len| offset.checked_add(len)) else {
            return Ok(());
        };
        let request = request.header("range", format!("bytes={offset}-{last}"));
        self.execute(&request, &[], |response| {
            // A store that knows no ranges answers with all there is.
            if response.status != 206 && offset != 0 {
                let reason = "the store does not answer with the range that was asked for";
                return Err(RequestError::Permanent(request.fault(reason)));
            }
            let named = response.header("content-range").filter(|_| response.status == 206);
            let start = named.map(|range| range.trim_start_matches("bytes ").split('-').next().unwrap_or_default());
            if let Some(other) = start.filter(|start| start.trim().parse() != Ok(offset)) {
                let reason = format!("the store answers with bytes from '{}' on", other.escape_debug());
                return Err(RequestError::Permanent(request.fault(reason)));
            }
            response.fill(out).map_err(|error| request.transient(error))
        })
    }
}
