//! A request before it is signed, and how it is made until its answer counts.

use super::store::Glimpse;
use crate::error::{Error, ErrorKind, Result};
use crate::http::{Answer, Client, Method, Request, Retries, Trouble};

/// The most bytes of an answer that is not an object: a page of 5,000 names of 1,024 bytes and what is said of each.
pub(super) const MOST: u64 = 32 << 20;

/// A request of a store, before it is signed.
pub(super) struct Ask<'a> {
    pub(super) method: Method,
    /// The path within the store, encoded; a whole address where it begins with a scheme.
    pub(super) path: String,
    pub(super) parameters: Vec<(&'a str, &'a str)>,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: &'a [u8],
    /// What cannot be done if it fails, for errors: "Azure: Cannot read 'azure://c/k'".
    pub(super) what: String,
}

impl<'a> Ask<'a> {
    pub(super) fn new(method: Method, path: String, what: String) -> Ask<'a> {
        Ask { method, path, parameters: Vec::new(), headers: Vec::new(), body: &[], what }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Ask<'a> {
        self.headers.push((name, value.into()));
        self
    }

    pub(super) fn parameter(mut self, name: &'a str, value: &'a str) -> Ask<'a> {
        self.parameters.push((name, value));
        self
    }

    pub(super) fn body(mut self, body: &'a [u8]) -> Ask<'a> {
        self.body = body;
        self
    }

    /// The headers as they are sent, before those of a signature.
    pub(super) fn own_headers(&self) -> Vec<(String, String)> {
        self.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    /// An answer that is of no use.
    #[cold]
    pub(super) fn fault(&self, reason: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Io, format!("{}; {reason}", self.what))
    }
}

/// A refusal by a store.
pub(super) struct Refusal {
    pub(super) status: u16,
    /// What the store calls the reason; empty where it says none.
    pub(super) code: String,
    pub(super) message: String,
}

impl Refusal {
    /// Adds to what the store says.
    pub(super) fn add(&mut self, more: Option<String>) {
        if let Some(more) = more {
            self.message += if self.message.is_empty() { "" } else { "; " };
            self.message += &more;
        }
    }

    /// What to do about it.
    pub(super) fn trouble(&self, ask: &Ask<'_>) -> Trouble {
        let error = self.error(ask);
        match self.status {
            429 | 503 => Trouble::Busy(error),
            408 | 500 | 502 | 504 => Trouble::Passing(error),
            _ => Trouble::Lasting(error),
        }
    }

    /// The error that it ends as.
    fn error(&self, ask: &Ask<'_>) -> Error {
        let Refusal { status, code, message } = self;
        let kind = if *status == 404 { ErrorKind::NotFound } else { ErrorKind::Io };
        let reason = match (code.as_str(), message.as_str(), *status) {
            ("", "", 403) => "the store refuses access (403)".to_owned(),
            ("", "", 404) => "there is no such bucket or object (404)".to_owned(),
            ("", "", _) => format!("the store answers with status {status}"),
            ("", ..) => format!("{message} ({status})"),
            (_, "", _) => format!("{code} ({status})"),
            _ => format!("{code}: {message} ({status})"),
        };
        Error::new(kind, format!("{}; {reason}", ask.what))
    }
}

/// A store that requests are made of.
pub(super) trait Asked {
    fn client(&self) -> &Client;
    fn retries(&self) -> &Retries;
    /// The request as it is sent, signed now.
    fn sign<'a>(&self, ask: &Ask<'a>) -> Result<Request<'a>>;
    /// Reads the refusal out of the bytes of an answer.
    fn refusal(&self, status: u16, body: &[u8]) -> Refusal;

    /// Whether a request that was refused is worth signing again.
    fn renew(&self, _refusal: &Refusal, _sent: &Request<'_>) -> bool {
        false
    }

    /// Makes a request once. `accept` are further statuses of success.
    fn ask_once(&self, ask: &Ask<'_>, accept: &[u16]) -> std::result::Result<Answer, Trouble> {
        let mut renewed = false;
        loop {
            let request = self.sign(ask).map_err(|error| error.context(&ask.what))?;
            let unheard = |error: Error| Trouble::Passing(error.context(&ask.what));
            let answer = self.client().send(&request).map_err(unheard)?;
            if matches!(answer.status, 200..300) || accept.contains(&answer.status) {
                return Ok(answer);
            }
            let (status, named) = (answer.status, answer.header("x-ms-error-code").map(str::to_owned));
            let mut refusal = self.refusal(status, &answer.bytes(MOST).unwrap_or_default());
            if refusal.code.is_empty() {
                // An answer to HEAD has no bytes.
                refusal.code = named.unwrap_or_default();
            }
            if renewed || !self.renew(&refusal, &request) {
                return Err(refusal.trouble(ask));
            }
            renewed = true;
        }
    }

    /// Makes a request, again where that may help, and hands what comes of success to `take`.
    fn ask<T>(
        &self,
        ask: &Ask<'_>,
        accept: &[u16],
        mut take: impl FnMut(Answer) -> std::result::Result<T, Trouble>,
    ) -> Result<T> {
        self.retries().run(|| take(self.ask_once(ask, accept)?))
    }

    /// Makes a request for whose answer nobody cares, and says with which status it came.
    fn tell(&self, ask: &Ask<'_>, accept: &[u16]) -> Result<u16> {
        self.ask(ask, accept, |answer| {
            let status = answer.status;
            answer.bytes(MOST).map_err(Trouble::Passing)?;
            Ok(status)
        })
    }

    /// The size of an object and its first bytes.
    fn ask_glimpse(&self, ask: Ask<'_>, most: usize) -> Result<Option<Glimpse>> {
        let ask = ask.header("range", format!("bytes=0-{}", most.max(1) - 1));
        self.ask(&ask, &[404, 416], |answer| {
            let size = match answer.status {
                404 => return Ok(None),
                // There is no first byte.
                416 => Some(0),
                206 => answer.header("content-range").and_then(|range| range.rsplit_once('/')?.1.trim().parse().ok()),
                _ => answer.length(),
            };
            let size: u64 = size.ok_or_else(|| Trouble::Lasting(ask.fault("the answer names no size")))?;
            let mut bytes = crate::error::try_zeroed("what is read ahead", size.min(most as u64) as usize)?;
            answer.fill(&mut bytes).map_err(Trouble::Passing)?;
            Ok(Some(Glimpse { size, start: 0, bytes }))
        })
    }

    /// Fills `out` with the bytes of an object from `offset` on.
    fn ask_range(&self, ask: Ask<'_>, offset: u64, out: &mut [u8]) -> Result<()> {
        let Some(last) = (out.len() as u64).checked_sub(1).and_then(|len| offset.checked_add(len)) else {
            return Ok(());
        };
        let ask = ask.header("range", format!("bytes={offset}-{last}"));
        self.ask(&ask, &[], |answer| {
            // A store that knows no ranges answers with all there is.
            if answer.status != 206 && offset != 0 {
                let reason = "the store does not answer with the range that was asked for";
                return Err(Trouble::Lasting(ask.fault(reason)));
            }
            answer.fill(out).map_err(Trouble::Passing)
        })
    }
}
