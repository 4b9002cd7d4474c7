//! Requests to object stores: building, signing, retrying, and recovery from rejected credentials.

use std::time::SystemTime;

use super::store::InitialRead;
use super::time;
use crate::http::{Client, Method, Request, RequestError, Response, RetryPolicy};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::memory;

/// Maximum size of a response that is not an object: a page of 5,000 names of 1,024 bytes with their properties.
pub(super) const MOST: u64 = 32 << 20;

/// A request of a store, before it is signed.
pub(super) struct StoreRequest<'a> {
    pub(super) method: Method,
    /// The encoded path within the store, or an absolute URL.
    pub(super) path: String,
    pub(super) parameters: Vec<(&'a str, &'a str)>,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: &'a [u8],
    /// It is not repeated unless the store has rejected it.
    pub(super) is_single: bool,
    /// Prefix of error messages: "Azure: Cannot read 'azure://c/k'".
    pub(super) what: String,
}

impl<'a> StoreRequest<'a> {
    pub(super) fn new(method: Method, path: String, what: String) -> StoreRequest<'a> {
        StoreRequest { method, path, parameters: Vec::new(), headers: Vec::new(), body: &[], is_single: false, what }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> StoreRequest<'a> {
        self.headers.push((name, value.into()));
        self
    }

    pub(super) fn parameter(mut self, name: &'a str, value: &'a str) -> StoreRequest<'a> {
        self.parameters.push((name, value));
        self
    }

    /// The request is not repeated if its outcome is unknown: it must not take effect later than the caller learns of its error.
    pub(super) fn single(mut self, is_single: bool) -> StoreRequest<'a> {
        self.is_single = is_single;
        self
    }

    pub(super) fn body(mut self, body: &'a [u8]) -> StoreRequest<'a> {
        self.body = body;
        self
    }

    /// The headers without those of a signature.
    pub(super) fn own_headers(&self) -> Vec<(String, String)> {
        self.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    /// A transient error in reading a response.
    pub(super) fn transient(&self, error: Error) -> RequestError {
        RequestError::Transient(error.context(&self.what))
    }

    /// An unusable response.
    #[cold]
    pub(super) fn fault(&self, reason: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Io, format!("{}; {reason}", self.what))
    }
}

/// An error response of a store.
#[derive(Debug, Default)]
pub(super) struct ErrorResponse {
    pub(super) status: u16,
    /// The store's error code; may be empty.
    pub(super) code: String,
    pub(super) message: String,
    /// The region of the bucket, if stated.
    pub(super) region: Option<String>,
    /// The time by the store's clock.
    pub(super) date: Option<SystemTime>,
    /// Diagnosis by the client.
    more: Option<String>,
}

impl ErrorResponse {
    pub(super) fn new(status: u16, code: String, message: String) -> ErrorResponse {
        ErrorResponse { status, code, message, ..ErrorResponse::default() }
    }

    /// Adds a diagnosis.
    pub(super) fn add(&mut self, more: Option<String>) {
        self.more = more.or(self.more.take());
    }

    /// Adds what only headers contain: a response to HEAD has no body.
    fn add_headers(&mut self, response: &Response) {
        if self.code.is_empty() {
            self.code = response.header("x-ms-error-code").unwrap_or_default().to_owned();
        }
        self.region = response.header("x-amz-bucket-region").map(str::to_owned).or(self.region.take());
        self.date = self.date.or_else(|| response.header("date").and_then(time::header));
    }

    /// Classifies the error for the retry policy.
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

    /// The error as users see it.
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

/// The result of a request that creates an object. If the response was lost, `is_there` checks whether the object was
/// created, so that a completed request is not reported as failed.
pub(super) fn or_verified(made: Result<()>, is_there: impl FnOnce() -> Result<bool>) -> Result<()> {
    match made {
        Err(error) if error.kind() == ErrorKind::Io && is_there().unwrap_or(false) => Ok(()),
        made => made,
    }
}

/// Recoveries that were attempted for one request; each is attempted once.
#[derive(Default)]
pub(super) struct RecoveryState {
    pub(super) region: bool,
    pub(super) clock: bool,
    pub(super) credentials: bool,
}

/// A client of a store: signs and executes requests.
pub(super) trait RequestExecutor {
    /// What a request was signed with.
    type Signed;

    fn client(&self) -> &Client;
    fn retries(&self) -> &RetryPolicy;
    /// Signs a request.
    fn sign<'a>(&self, request: &StoreRequest<'a>) -> Result<(Request<'a>, Self::Signed)>;
    /// Parses an error response.
    fn refusal(&self, status: u16, body: &[u8]) -> ErrorResponse;
    /// Whether a rejected request is worth signing again, once for each reason. If not, a diagnosis is added to the
    /// error response.
    fn recover(
        &self,
        refusal: &mut ErrorResponse,
        sent: &(Request<'_>, Self::Signed),
        recovery: &mut RecoveryState,
    ) -> bool;

    /// Makes one attempt. `accept` lists further statuses of success.
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

    /// Makes a request with retries, and passes a successful response to `take`.
    fn execute<T>(
        &self,
        request: &StoreRequest<'_>,
        accept: &[u16],
        mut take: impl FnMut(Response) -> std::result::Result<T, RequestError>,
    ) -> Result<T> {
        self.retries().run(|| match self.attempt(request, accept).and_then(&mut take) {
            Err(RequestError::Transient(error)) if request.is_single => Err(RequestError::Permanent(error)),
            result => result,
        })
    }

    /// Makes a request, discards the body and returns the status.
    fn perform(&self, request: &StoreRequest<'_>, accept: &[u16]) -> Result<u16> {
        self.execute(request, accept, |response| {
            let status = response.status;
            response.bytes(MOST).map_err(|error| request.transient(error))?;
            Ok(status)
        })
    }

    /// The size of an object from a header; `None` if it does not exist.
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
            // A store without range support returns the whole object.
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
