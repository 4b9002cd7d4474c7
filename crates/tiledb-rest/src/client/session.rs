//! Session with the TileDB server of a context: authentication, redirects, and retries of requests.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use super::frames::take;
use super::options::{self, RestOptions};
use super::redirects::{audience, is_downgrade, origin, target};
use super::uri::RemoteUri;
use crate::serialization::{Deserializer, SerializationType};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::fork::Lock;
use tiledb_core::log;
use tiledb_core::pool::CancelToken;
use tiledb_storage::http::{
    Audience, BodyDecoder, Client, Credential, Headers, Method, Origin, Request, RequestError, Response, SendError,
};
use tiledb_storage::resources::Resources;

/// Maximum size of an error response that is included in an error.
const REFUSAL: u64 = 64 << 10;

/// Whether a request may be retried after its response was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Idempotency {
    /// Repeating it changes nothing.
    Idempotent,
    /// It may have been executed, and would be executed twice.
    NotIdempotent,
}

pub(super) struct RestRequest<'a> {
    pub(super) method: Method,
    /// The object; its host is remembered after a redirect.
    pub(super) remote_uri: Option<&'a RemoteUri>,
    /// Route relative to the server's URL.
    pub(super) route: String,
    /// Slices of the body.
    pub(super) body: &'a [&'a [u8]],
    pub(super) idempotency: Idempotency,
    /// The request creates the object, whose host is not known yet.
    pub(super) creates: bool,
    /// Whether the name of the server's creation credentials is sent.
    pub(super) names_creator: bool,
    /// Prefix of error messages: "Cannot read from 'tiledb://...'".
    pub(super) what: String,
}

impl<'a> RestRequest<'a> {
    pub(super) fn new(method: Method, remote_uri: &'a RemoteUri, route: String, what: String) -> RestRequest<'a> {
        let idempotency = if matches!(method, Method::Get | Method::Options) {
            Idempotency::Idempotent
        } else {
            Idempotency::NotIdempotent
        };
        RestRequest {
            method,
            remote_uri: Some(remote_uri),
            route,
            body: &[],
            idempotency,
            creates: false,
            names_creator: false,
            what,
        }
    }

    pub(super) fn body(self, body: &'a [&'a [u8]]) -> RestRequest<'a> {
        RestRequest { body, ..self }
    }

    /// Marks the request as idempotent.
    pub(super) fn idempotent(self) -> RestRequest<'a> {
        RestRequest { idempotency: Idempotency::Idempotent, ..self }
    }

    #[cold]
    pub(super) fn fault(&self, kind: ErrorKind, reason: impl std::fmt::Display) -> Error {
        Error::new(kind, format!("[TileDB::REST] Error: {}; {reason}", self.what))
    }
}

/// The decompressed body of a response, as a stream.
pub(super) type ResponseBytes<'a> = BodyDecoder<&'a mut dyn Read>;

pub(crate) struct Session {
    pub(super) options: RestOptions,
    /// Which hosts receive credentials.
    audience: Audience,
    client: Client,
    cancel: CancelToken,
    /// Headers set by the application.
    tags: Lock<BTreeMap<String, String>>,
    /// Hosts of arrays and groups, from redirects.
    hosts: Lock<HashMap<String, String>>,
    /// Whether the server is a legacy one, once known.
    pub(super) legacy: Lock<Option<bool>>,
}

/// Adds a header to all requests of a context.
///
/// # Errors
/// For invalid parameters of servers.
pub fn set_tag(resources: &Resources, name: &str, value: &str) -> Result<()> {
    Session::of(resources)?.set_tag(name, value);
    Ok(())
}

/// Whether the server of a context predates TileDB 3.
///
/// # Errors
/// If the request fails or the response is invalid.
pub fn is_legacy(resources: &Resources) -> Result<bool> {
    Session::of(resources)?.is_legacy()
}

impl Session {
    /// The session of a context; no request is made.
    ///
    /// # Errors
    /// For parameters that cannot be understood.
    pub(crate) fn of(resources: &Resources) -> Result<Arc<Session>> {
        resources.extension(|| {
            let config = resources.context_config();
            let cancel = resources.cancel().clone();
            let options = RestOptions::new(config)?;
            Ok(Session {
                audience: audience(&options.server, options.trusted.clone())?,
                options,
                client: Client::new(options::network(config, &cancel)?),
                cancel,
                tags: Lock::default(),
                hosts: Lock::default(),
                legacy: Lock::default(),
            })
        })
    }

    /// Adds a header to all later requests.
    pub(crate) fn set_tag(&self, name: &str, value: &str) {
        self.tags.lock().insert(name.to_ascii_lowercase(), value.to_owned());
    }

    /// Format of messages.
    pub(super) fn form(&self) -> SerializationType {
        self.options.reading.form()
    }

    pub(super) fn reading(&self) -> Deserializer {
        self.options.reading
    }

    /// Makes a request with retries, and passes a successful response to `take`.
    ///
    /// # Errors
    /// That of the last try: `NotFound` for status 404.
    pub(super) fn execute<T>(
        &self,
        request: &RestRequest<'_>,
        mut take: impl FnMut(u16, ResponseBytes<'_>) -> std::result::Result<T, RequestError>,
    ) -> Result<T> {
        self.options.retries.run_while(&|| self.cancel.check(), || {
            let tried = self.attempt(request, &mut take);
            if let Err(RequestError::Transient(error) | RequestError::Throttled(error, _)) = &tried {
                log::line(log::Level::Warn, || format!("{error}; it is tried again if that is allowed"));
            }
            tried
        })
    }

    /// The body of the response.
    ///
    /// # Errors
    /// As [`Session::execute`].
    pub(super) fn response_body(&self, request: &RestRequest<'_>) -> Result<Vec<u8>> {
        self.execute(request, |_, mut bytes| {
            let mut answer = Vec::new();
            let most = self.options.most;
            take(&mut bytes, most.saturating_add(1), &mut answer).map_err(|error| self.interrupted(request, error))?;
            match answer.len() as u64 > most {
                true => Err(RequestError::Permanent(
                    request.fault(ErrorKind::Io, format!("the answer has more than {most} bytes")),
                )),
                false => Ok(answer),
            }
        })
    }

    /// Deserializes the body of the response, which must not be empty.
    ///
    /// # Errors
    /// As [`Session::execute`], and if the response is not of the expected type.
    pub(super) fn fetch<T>(
        &self,
        request: &RestRequest<'_>,
        read: impl FnOnce(Deserializer, &[u8]) -> Result<T>,
    ) -> Result<T> {
        let answer = self.response_body(request)?;
        if answer.is_empty() {
            return Err(self.unexpected_response(request, Error::new(ErrorKind::Io, "server returned no data.")));
        }
        read(self.reading(), &answer).map_err(|error| self.unexpected_response(request, error))
    }

    /// An error about an unusable response.
    #[cold]
    pub(super) fn unexpected_response(&self, request: &RestRequest<'_>, error: Error) -> Error {
        match error.kind() {
            ErrorKind::OutOfMemory => error,
            kind => request.fault(kind, format!("{} answers what cannot be used: {error}", self.request_line(request))),
        }
    }

    /// Method and host of the request, for errors.
    fn request_line(&self, request: &RestRequest<'_>) -> String {
        let base = self.base(request);
        let address = base.as_deref().unwrap_or(&self.options.server);
        format!("{} at {}", request.method.name(), origin(address).unwrap_or(address))
    }

    /// Makes a request and discards the response.
    ///
    /// # Errors
    /// As [`Session::execute`].
    pub(super) fn perform(&self, request: &RestRequest<'_>) -> Result<()> {
        self.response_body(request).map(drop)
    }

    /// Whether the object of a request exists: status 404 means that it does not.
    ///
    /// # Errors
    /// As [`Session::execute`], for other statuses.
    pub(super) fn exists(&self, request: &RestRequest<'_>) -> Result<bool> {
        match self.execute(request, |status, _| Ok(status == 200)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            result => result,
        }
    }

    /// Classifies a truncated response: the server may have executed the request.
    pub(super) fn interrupted(&self, request: &RestRequest<'_>, error: Error) -> RequestError {
        if let Err(cancelled) = self.cancel.check() {
            return RequestError::Permanent(cancelled);
        }
        if error.kind() != ErrorKind::Io {
            return RequestError::Permanent(self.unexpected_response(request, error));
        }
        let error = request.fault(error.kind(), format!("{}: {error}", self.request_line(request)));
        match request.idempotency {
            Idempotency::NotIdempotent => RequestError::Permanent(in_doubt(error)),
            Idempotency::Idempotent if self.options.retry_errors => RequestError::Transient(error),
            Idempotency::Idempotent => RequestError::Permanent(error),
        }
    }

    fn attempt<T>(
        &self,
        request: &RestRequest<'_>,
        take: &mut impl FnMut(u16, ResponseBytes<'_>) -> std::result::Result<T, RequestError>,
    ) -> std::result::Result<T, RequestError> {
        self.cancel.check()?;
        let base = self.base(request);
        let address = [base.as_deref().unwrap_or(&self.options.server), &request.route].concat();
        let mut answer = self.send(request, &address, base.is_some())?;
        let mut url = address;
        if matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
            let to = answer.header("location").and_then(|location| target(&url, location));
            let to = to.ok_or_else(|| request.fault(ErrorKind::Io, "the server sends elsewhere, but not where to"))?;
            if is_downgrade(&url, &to) {
                let text = format!("the server sends from HTTPS to HTTP, to '{to}'; nothing is sent there");
                return Err(request.fault(ErrorKind::Io, text).into());
            }
            answer = self.send(request, &to, false)?;
            self.remember(request, &to);
            url = to;
        }
        let status = answer.status;
        let encoding = answer.header("content-encoding").map(str::to_owned);
        let patience = answer.header("retry-after").and_then(|seconds| seconds.trim().parse().ok());
        self.trace(request, &url, status);
        let mut reader = answer.reader();
        let bytes = BodyDecoder::new(&mut reader as &mut dyn Read, encoding.as_deref());
        let mut bytes: ResponseBytes<'_> = bytes.map_err(|error| self.unexpected_response(request, error))?;
        match status {
            200..300 => take(status, bytes),
            300..400 => Err(request.fault(ErrorKind::Io, format!("{url} sends elsewhere once more")).into()),
            _ => {
                let error = self.refusal(request, &url, status, &mut bytes);
                Err(match (self.options.busy.contains(&status), patience) {
                    (true, Some(seconds)) => RequestError::Throttled(error, Some(Duration::from_secs(seconds))),
                    (true, None) => RequestError::Transient(error),
                    (false, _) => RequestError::Permanent(error),
                })
            }
        }
    }

    /// An error response.
    fn refusal(&self, request: &RestRequest<'_>, url: &str, status: u16, bytes: &mut ResponseBytes<'_>) -> Error {
        let mut said = Vec::new();
        let _ = take(bytes, REFUSAL, &mut said);
        let said = match said.is_empty() {
            true => "server response was empty.".to_owned(),
            false => format!("server response data '{}'.", String::from_utf8_lossy(&said)),
        };
        let host = origin(url).unwrap_or(url);
        let hint = match status {
            401 | 403 if !self.trusts(host) => {
                let name = host.split_once("://").map_or(host, |(_, name)| name);
                format!(" {host} was not told who the user is; 'rest.redirect_hosts={name}' allows it.")
            }
            _ => String::new(),
        };
        let kind = if status == 404 { ErrorKind::NotFound } else { ErrorKind::Io };
        let method = request.method.name();
        request.fault(kind, format!("{method} {host}{}: HTTP code {status}; {said}{hint}", path_of(url)))
    }

    /// Sends a request to a URL. `is_remembered`: the host is from an earlier redirect and may be outdated.
    fn send(
        &self,
        request: &RestRequest<'_>,
        address: &str,
        is_remembered: bool,
    ) -> std::result::Result<Response, RequestError> {
        let (first, more) = request.body.split_first().map_or((&[][..], &[][..]), |(first, more)| (*first, more));
        let (headers, credential) = self.headers(request, address)?;
        let http_request = Request::new(request.method, address.to_owned(), headers, first).with(credential);
        self.client.send_pieces(&http_request, more).map_err(|failure| {
            if is_remembered && !failure.was_sent {
                self.forget(request);
            }
            self.send_failure(request, address, failure)
        })
    }

    /// Classifies a request without a response.
    fn send_failure(&self, request: &RestRequest<'_>, address: &str, failure: SendError) -> RequestError {
        let SendError { error, was_sent, is_permanent } = failure;
        if error.kind() == ErrorKind::Cancelled {
            return RequestError::Permanent(error);
        }
        let error = request.fault(
            error.kind(),
            format!("{} at {}: {error}", request.method.name(), origin(address).unwrap_or(address)),
        );
        let repeats = self.options.retry_errors && !is_permanent;
        match (was_sent, request.idempotency) {
            (true, Idempotency::NotIdempotent) => RequestError::Permanent(in_doubt(error)),
            _ if repeats => RequestError::Transient(error),
            _ => RequestError::Permanent(error),
        }
    }

    /// The headers of a request, and the secret ones if the URL is in the audience.
    fn headers(&self, request: &RestRequest<'_>, address: &str) -> Result<(Headers, Option<Credential>)> {
        let options = &self.options;
        let Some((proof, value)) = &options.proof else {
            let missing = options.missing_half.map_or(String::new(), |name| format!(" '{name}' is missing."));
            bail!(
                "[TileDB::REST] Error: Missing TileDB authentication: either token or username/password must be set using \
                 the appropriate configuration parameters.{missing}"
            );
        };
        let mut headers = BTreeMap::new();
        let mut set = |name: &str, value: &str| headers.insert(name.to_ascii_lowercase(), value.to_owned());
        let version = env!("CARGO_PKG_VERSION");
        set("x-tiledb-version", version);
        set("x-tiledb-api-language", "c");
        if let Some(payer) = &options.payer {
            set("X-Payer", payer);
        }
        if let Some(creator) = options.creator.as_ref().filter(|_| request.names_creator) {
            set("X-TILEDB-CLOUD-ACCESS-CREDENTIALS-NAME", creator);
        }
        self.tags.lock().iter().for_each(|(name, value)| drop(set(name, value)));
        let form = match options.reading.form() {
            SerializationType::Capnp => "application/capnp",
            SerializationType::Json => "application/json",
        };
        set("Content-Type", form);
        if let Some(encodings) = options.encodings {
            set("Accept-Encoding", encodings);
        }
        if matches!(request.method, Method::Post | Method::Put | Method::Patch) {
            set("Content-Length", &request.body.iter().map(|piece| piece.len()).sum::<usize>().to_string());
        }
        let mut secret = BTreeMap::new();
        if self.trusts(address) {
            let is_own = |name: &str| ["content-type", "content-length", "accept-encoding"].contains(&name);
            let custom = options.custom.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
            secret.extend(custom.filter(|(name, _)| !is_own(name)));
            secret.insert(proof.to_ascii_lowercase(), value.clone());
            headers.retain(|name, _| !secret.contains_key(name));
        }
        let secret = (!secret.is_empty()).then(|| Credential::new(self.audience.clone(), secret.into_iter().collect()));
        Ok((headers.into_iter().collect(), secret))
    }

    /// Whether the host of a URL receives credentials.
    fn trusts(&self, address: &str) -> bool {
        Origin::of(address).is_ok_and(|origin| self.audience.admits(&origin))
    }

    /// The remembered host of the object.
    fn base(&self, request: &RestRequest<'_>) -> Option<String> {
        self.hosts.lock().get(&request.remote_uri?.key()).cloned()
    }

    fn remember(&self, request: &RestRequest<'_>, address: &str) {
        // The host of an object that is being created is not final.
        if let (Some(remote_uri), Some(host), false) = (request.remote_uri, origin(address), request.creates) {
            self.hosts.lock().insert(remote_uri.key(), host.to_owned());
        }
    }

    /// Forgets the host of the object.
    pub(super) fn forget(&self, request: &RestRequest<'_>) {
        if let Some(remote_uri) = request.remote_uri {
            self.hosts.lock().remove(&remote_uri.key());
        }
    }

    fn trace(&self, request: &RestRequest<'_>, address: &str, status: u16) {
        if self.options.verbose {
            log::line(log::Level::Info, || format!("{} {address}: {status}", request.method.name()));
        }
    }
}

/// Path and query of a URL.
fn path_of(address: &str) -> &str {
    address.get(origin(address).map_or(0, str::len)..).unwrap_or_default()
}

#[cold]
fn in_doubt(error: Error) -> Error {
    let kind = error.kind();
    let text = "the server may have done what was asked for; it is not asked again, since that might do it twice";
    Error::new(kind, format!("{error}; {text}"))
}
