//! HTTP client: one request and its response over pooled, keep-alive connections.

use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::http;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::{Agent, AsSendBody, Proxy, SendBody};

use super::connect;
use super::credential::Credential;
use super::limiter::{Permit, RequestLimiter};
use super::network::Network;
use super::public_addresses::PublicResolver;
use super::throughput::{self, MinThroughput};
use super::tls::TlsSettings;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::fork::PerProcess;
use tiledb_core::log::{self, Level};
use tiledb_core::memory;
use tiledb_core::pool::CancelToken;

/// Maximum number of idle connections per host.
const IDLE: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Head,
    Put,
    Post,
    Delete,
    Patch,
    Options,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Put => "PUT",
            Method::Post => "POST",
            Method::Delete => "DELETE",
            Method::Patch => "PATCH",
            Method::Options => "OPTIONS",
        }
    }
}

pub type Headers = Vec<(String, String)>;

/// A request, ready to be sent.
pub struct Request<'a> {
    pub method: Method,
    pub url: String,
    pub headers: Headers,
    pub body: &'a [u8],
    /// Secret headers, which are sent only to the origins that they were issued for.
    pub credential: Option<Credential>,
}

impl<'a> Request<'a> {
    /// A request without credentials.
    pub fn new(method: Method, url: String, headers: Headers, body: &'a [u8]) -> Request<'a> {
        Request { method, url, headers, body, credential: None }
    }

    pub fn with(self, credential: Option<Credential>) -> Request<'a> {
        Request { credential, ..self }
    }
}

/// Status and headers of a response; the body is still to be read.
pub struct Response {
    pub status: u16,
    headers: http::HeaderMap,
    // The order of the fields is that in which they are dropped: the connection is free before the turn is.
    body: ureq::Body,
    _permit: Option<Permit>,
}

impl Response {
    /// The value of a header, if it is present and text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The value of `content-length`.
    pub fn length(&self) -> Option<u64> {
        self.header("content-length")?.parse().ok()
    }

    /// The whole body, of at most `most` bytes.
    ///
    /// # Errors
    /// `Io` where the connection breaks or there is more.
    pub fn bytes(mut self, most: u64) -> Result<Vec<u8>> {
        self.read(most)
    }

    /// As [`Response::bytes`], but retains the headers.
    ///
    /// # Errors
    /// As above.
    pub fn read(&mut self, most: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut reader = self.reader().take(most.saturating_add(1));
        let mut piece = memory::zeroed("an answer", 16 << 10)?;
        loop {
            let count = reader.read(&mut piece).map_err(|error| broken(&error))?;
            if count == 0 {
                break;
            }
            memory::reserve("an answer", &mut bytes, count)?;
            bytes.extend_from_slice(&piece[..count]);
        }
        if bytes.len() as u64 > most {
            return Err(Error::new(ErrorKind::Io, format!("The answer has more than {most} bytes")));
        }
        Ok(bytes)
    }

    /// The body as a stream.
    pub fn reader(&mut self) -> impl Read {
        Bytes(self.body.as_reader())
    }

    /// Fills `out` with the first bytes of the body.
    ///
    /// # Errors
    /// `Io` if the body is shorter.
    pub fn fill(mut self, out: &mut [u8]) -> Result<()> {
        self.reader().read_exact(out).map_err(|error| broken(&error))
    }

    /// As [`Response::fill`], where the body must end with these bytes.
    ///
    /// # Errors
    /// `Io` if the body is shorter or longer.
    pub fn fill_exactly(mut self, out: &mut [u8]) -> Result<()> {
        let mut reader = self.reader();
        reader.read_exact(out).map_err(|error| broken(&error))?;
        match reader.read(&mut [0]).map_err(|error| broken(&error))? {
            0 => Ok(()),
            _ => Err(Error::new(
                ErrorKind::Io,
                format!("The answer goes on after the {} bytes that it announced", out.len()),
            )),
        }
    }
}

/// A body; each read resets the count of bytes that carry no content.
struct Bytes<R>(R);

impl<R: Read> Read for Bytes<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        throughput::begin();
        self.0.read(out)
    }
}

#[cold]
fn broken(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("The answer breaks off: {error}"))
}

/// Sends requests over pooled connections. A forked child has connections of its own.
pub struct Client {
    network: Network,
    agent: PerProcess<Result<Agent>>,
    /// Maximum number of requests in flight, if limited.
    most: Option<usize>,
    limiter: PerProcess<Arc<RequestLimiter>>,
}

impl Client {
    /// A client for occasional requests.
    pub fn new(network: Network) -> Client {
        Client { network, agent: PerProcess::new(), most: None, limiter: PerProcess::new() }
    }

    /// A client for an object store. Each operation of the engine has at most `at_once` requests in flight, all
    /// operations together four times as many, whatever the number of threads; further requests are queued.
    pub fn with_limit(network: Network, at_once: usize) -> Client {
        Client { most: Some(at_once.saturating_mul(4)), ..Client::new(network) }
    }

    fn agent(&self) -> Result<&Agent> {
        self.agent.get_or_init(|| build(&self.network)).as_ref().map_err(Error::clone)
    }

    /// Sends a request and waits for the status and headers of the response; any status is `Ok`.
    ///
    /// # Errors
    /// `Io` where none comes.
    pub fn send(&self, request: &Request<'_>) -> Result<Response> {
        self.send_pieces(request, &[]).map_err(|failure| failure.error)
    }

    /// As [`Client::send`], with a body that continues with `more`.
    ///
    /// # Errors
    /// If no response is received, with the known facts about the failure.
    pub fn send_pieces(&self, request: &Request<'_>, more: &[&[u8]]) -> std::result::Result<Response, SendError> {
        let agent = self.agent().map_err(SendError::unsent)?;
        let permit = self.most.map(|most| self.limiter.get_or_init(|| Arc::new(RequestLimiter::new(most))).wait());
        let proxy = self.network.proxies.of(&request.url).map_err(SendError::unsent)?;
        connect::begin();
        throughput::begin();
        let started = Instant::now();
        let answer = match (request.method, more) {
            (Method::Put | Method::Post | Method::Patch, []) => run(agent, proxy, built(request, request.body)?),
            (Method::Put | Method::Post | Method::Patch, _) => {
                let mut pieces = Pieces { now: request.body, more };
                run(agent, proxy, built(request, SendBody::from_reader(&mut pieces))?)
            }
            _ => run(agent, proxy, built(request, ())?),
        };
        let answer = answer.map_err(|error| self.send_error(request, &error));
        log::line(Level::Trace, || traced(request, started.elapsed(), &answer));
        let (parts, body) = answer?.into_parts();
        Ok(Response { status: parts.status.as_u16(), headers: parts.headers, body, _permit: permit })
    }

    #[cold]
    fn send_error(&self, request: &Request<'_>, error: &ureq::Error) -> SendError {
        if let Some(Err(cancelled)) = self.network.cancel.as_ref().map(CancelToken::check) {
            return SendError { error: cancelled, was_sent: !connect::was_connecting(), is_permanent: true };
        }
        let is_permanent = matches!(
            error,
            ureq::Error::Other(_) | ureq::Error::Http(_) | ureq::Error::BadUri(_) | ureq::Error::InvalidProxyUrl
        );
        let was_sent = !connect::was_connecting() && !matches!(error, ureq::Error::HostNotFound) && !is_permanent;
        let host = request.url.split('/').nth(2).unwrap_or_default();
        let error = match error {
            // That of TLS, the only one of a connector that is not one of ureq's.
            ureq::Error::Other(error) => format!("TLS: {error}"),
            _ => error.to_string(),
        };
        let error = Error::new(ErrorKind::Io, format!("No answer from {host}: {error}"));
        SendError { error, was_sent, is_permanent }
    }
}

/// The line of the log about a request, without its query, which may sign it.
fn traced(
    request: &Request<'_>,
    duration: Duration,
    answer: &std::result::Result<http::Response<ureq::Body>, SendError>,
) -> String {
    let url = request.url.split(['?', '#']).next().unwrap_or_default();
    let outcome = match answer {
        Ok(response) => response.status().as_u16().to_string(),
        Err(failure) => failure.error.text().to_owned(),
    };
    format!("{} {url}: {outcome} after {:.3} s", request.method.name(), duration.as_secs_f64())
}

/// Failure of a request that got no response.
pub struct SendError {
    pub error: Error,
    /// Whether the server may have received the request.
    pub was_sent: bool,
    /// Whether a retry would fail in the same way.
    pub is_permanent: bool,
}

impl SendError {
    fn unsent(error: Error) -> SendError {
        SendError { error, was_sent: false, is_permanent: true }
    }
}

struct Pieces<'a> {
    now: &'a [u8],
    more: &'a [&'a [u8]],
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.now.is_empty() {
            let Some((next, more)) = self.more.split_first() else { return Ok(0) };
            (self.now, self.more) = (next, more);
        }
        self.now.read(out)
    }
}

fn built<B>(request: &Request<'_>, body: B) -> std::result::Result<http::Request<B>, SendError> {
    let mut builder = http::Request::builder().method(request.method.name()).uri(&request.url);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let mut built = builder
        .body(body)
        .map_err(|error| SendError::unsent(Error::invalid(format!("Cannot ask for '{}': {error}", request.url))))?;
    if let Some(credential) = &request.credential {
        credential.attach(&mut built).map_err(SendError::unsent)?;
    }
    Ok(built)
}

/// Runs a request, through a proxy if it has to take one.
fn run(
    agent: &Agent,
    proxy: Option<Proxy>,
    request: http::Request<impl AsSendBody>,
) -> std::result::Result<http::Response<ureq::Body>, ureq::Error> {
    match proxy {
        Some(proxy) => agent.run(agent.configure_request(request).proxy(Some(proxy)).build()),
        None => agent.run(request),
    }
}

fn build(network: &Network) -> Result<Agent> {
    let tls = TlsSettings::new(network)?;
    let limit = |time: Duration| Some(time).filter(|time| !time.is_zero());
    let mut config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        // Set per request.
        .proxy(None)
        .user_agent(concat!("libtiledb-rs/", env!("CARGO_PKG_VERSION")))
        .max_idle_connections(IDLE)
        .max_idle_connections_per_host(IDLE)
        .timeout_resolve(limit(network.resolve))
        .timeout_connect(limit(network.connect))
        .timeout_per_read(limit(network.progress))
        .timeout_per_write(limit(network.progress));
    if network.buffer != 0 {
        config = config.input_buffer_size(network.buffer);
    }
    let pace = MinThroughput::new(network.min_throughput, network.progress);
    let connector = connect::connector(network.cancel.as_ref(), network.keep_alive, pace, tls);
    if network.public_only {
        return Ok(Agent::with_parts(config.build(), connector, PublicResolver::default()));
    }
    Ok(Agent::with_parts(config.build(), connector, DefaultResolver::default()))
}
