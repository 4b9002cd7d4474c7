//! Requests to web servers: redirects, retries, ranges.

use std::net::{IpAddr, ToSocketAddrs};
use std::ops::Range;
use std::time::Duration;

use super::address::{WebAddress, unusable};
use super::options::WebOptions;
use super::version::FileVersion;
use crate::http::{Client, Credential, Headers, Method, Network, Origin, Request, RequestError, Response, is_public};
use crate::vfs::Uri;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::memory;

/// Maximum number of redirects of a request.
const MAX_REDIRECTS: u32 = 5;

/// Maximum size of a body that is only read so that its connection can be used again.
const MAX_DISCARDED_BYTES: u64 = 64 << 10;

/// A client of web servers.
pub(super) struct WebClient {
    pub(super) options: WebOptions,
    direct: Client,
    /// For redirects of public servers.
    public: Client,
}

/// A request for a file or a listing.
pub(super) struct WebRequest<'a> {
    uri: &'a Uri,
    address: WebAddress,
    /// What it is for, as in "Cannot read 'https://h/a'".
    verb: &'static str,
}

impl<'a> WebRequest<'a> {
    /// # Errors
    /// If the URI is no address of a web server.
    pub(super) fn new(uri: &'a Uri, verb: &'static str) -> Result<WebRequest<'a>> {
        let address = WebAddress::of(uri).map_err(|error| unusable(uri, verb, &error))?;
        Ok(WebRequest { uri, address, verb })
    }

    /// As [`WebRequest::new`], to another address of the server.
    pub(super) fn at(uri: &'a Uri, verb: &'static str, address: WebAddress) -> WebRequest<'a> {
        WebRequest { uri, address, verb }
    }

    #[cold]
    pub(super) fn fault(&self, reason: impl std::fmt::Display) -> Error {
        self.error(ErrorKind::Io, reason)
    }

    #[cold]
    fn error(&self, kind: ErrorKind, reason: impl std::fmt::Display) -> Error {
        Error::new(kind, format!("HTTP: Cannot {} '{}'; {reason}", self.verb, self.uri))
    }

    /// A response that was cut short.
    fn transient(&self, error: &Error) -> RequestError {
        RequestError::Transient(self.error(error.kind(), error.text()))
    }

    fn permanent(&self, reason: impl std::fmt::Display) -> RequestError {
        RequestError::Permanent(self.fault(reason))
    }
}

/// A part of a file from one response, or all of it.
pub(super) struct FilePart {
    pub(super) start: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) version: FileVersion,
}

/// The head of a response to a request for a range.
struct RangeHead {
    response: Response,
    /// The bytes of the body; `None` for a whole file whose size the server does not tell.
    range: Option<Range<u64>>,
    version: FileVersion,
}

impl WebClient {
    /// A client for these options. No request is made.
    pub(super) fn new(options: WebOptions) -> WebClient {
        let at_once = options.max_parallel_requests;
        let public = Network { public_only: true, ..options.network.clone() };
        WebClient {
            direct: Client::with_limit(options.network.clone(), at_once),
            public: Client::with_limit(public, at_once),
            options,
        }
    }

    /// Makes a request with retries; statuses of `accept` are success, too. `take` gets the response.
    pub(super) fn execute<T>(
        &self,
        request: &WebRequest<'_>,
        (method, headers): (Method, &Headers),
        accept: &[u16],
        mut take: impl FnMut(Response) -> std::result::Result<T, RequestError>,
    ) -> Result<T> {
        self.options.retries.run(|| {
            let response = self.send(request, method, headers)?;
            match response.status {
                200 | 206 => take(response),
                status if accept.contains(&status) => take(response),
                _ => Err(refusal(request, response)),
            }
        })
    }

    /// Makes one attempt and follows redirects.
    fn send(
        &self,
        request: &WebRequest<'_>,
        method: Method,
        headers: &Headers,
    ) -> std::result::Result<Response, RequestError> {
        let own = &request.address.origin;
        let mut address = request.address.clone();
        let mut headers = headers.clone();
        headers.push(("accept-encoding".to_owned(), "identity".to_owned()));
        for _ in 0..=MAX_REDIRECTS {
            let client = if address.origin == *own || is_private(own) {
                &self.direct
            } else {
                self.client_for(&address.origin).map_err(|reason| request.permanent(reason))?
            };
            let sent = Request::new(method, address.url.clone(), headers.clone(), &[]);
            let mut response =
                client.send_pieces(&sent.with(self.credential(&address.origin)), &[]).map_err(|failure| {
                    let error = request.error(failure.error.kind(), failure.error.text());
                    match failure.error.kind() {
                        ErrorKind::Io if !failure.is_permanent => RequestError::Transient(error),
                        _ => RequestError::Permanent(error),
                    }
                })?;
            if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            let location = response.header("location").map(str::to_owned);
            let location = location.ok_or_else(|| request.permanent("it redirects nowhere"))?;
            let target = address.redirected(&location).map_err(|error| request.permanent(error.text()))?;
            _ = response.read(MAX_DISCARDED_BYTES);
            if target.is_folder_of(&address) {
                // A folder has a page, but is no file.
                response.status = 404;
                return Ok(response);
            }
            address = target;
        }
        Err(request.permanent(format_args!("the server redirects more than {MAX_REDIRECTS} times")))
    }

    /// The client for a redirect of a public server. A proxy resolves names itself, so that only literal addresses are
    /// checked then.
    fn client_for(&self, origin: &Origin) -> std::result::Result<&Client, String> {
        match literal_address(origin) {
            Some(address) if !is_public(address) => {
                Err(format!("it redirects to {origin}, an address of a private network"))
            }
            _ => Ok(&self.public),
        }
    }

    /// The secret headers for an origin, if it is one that the user lists.
    fn credential(&self, origin: &Origin) -> Option<Credential> {
        let audience = self.options.audiences.iter().find(|audience| audience.admits(origin))?;
        Some(Credential::new(audience.clone(), self.options.secrets.clone()))
    }

    /// Size and version of a file by a request for its headers; `None` if there is none.
    pub(super) fn head(&self, uri: &Uri) -> Result<Option<FileVersion>> {
        let request = WebRequest::new(uri, "look for")?;
        let version = self.execute(&request, (Method::Head, &Vec::new()), &[404, 410, 405, 501], |response| {
            match response.status {
                404 | 410 => Ok(Some(None)),
                200 => {
                    check_encoding(&request, &response)?;
                    Ok(response.length().map(|size| Some(FileVersion::of(&response, Some(size)))))
                }
                // A server without HEAD.
                _ => Ok(None),
            }
        })?;
        match version {
            Some(version) => Ok(version),
            None => Ok(self.first_part(uri, 0..1, &FileVersion::default())?.map(|part| part.version)),
        }
    }

    /// The bytes of a range of a file that is not empty, fewer at its end; `None` if there is no such file. A server that sends no
    /// ranges sends the whole file, if that is small enough.
    pub(super) fn first_part(&self, uri: &Uri, range: Range<u64>, known: &FileVersion) -> Result<Option<FilePart>> {
        let request = WebRequest::new(uri, "read")?;
        self.execute(&request, (Method::Get, &range_headers(&range, known)), &[404, 410, 412, 416], |response| {
            if matches!(response.status, 404 | 410) {
                return Ok(None);
            }
            let head = self.head_of_range(&request, response, &range, known)?;
            let (start, length) = match &head.range {
                Some(range) => (range.start, Some(range.end - range.start)),
                None => (0, None),
            };
            let bytes = self.body(&request, head.response, length)?;
            let mut version = head.version;
            version.size = version.size.or(Some(start + bytes.len() as u64));
            Ok(Some(FilePart { start, bytes, version }))
        })
    }

    /// Fills `out` with the bytes of a file from `offset` on, and returns the version that they are of. A server that sends no
    /// ranges sends the whole file, which is returned, too.
    pub(super) fn fill(
        &self,
        uri: &Uri,
        offset: u64,
        out: &mut [u8],
        known: &FileVersion,
    ) -> Result<(FileVersion, Option<Vec<u8>>)> {
        let request = WebRequest::new(uri, "read")?;
        let range = offset..offset.saturating_add(out.len() as u64);
        self.execute(&request, (Method::Get, &range_headers(&range, known)), &[412, 416], |response| {
            let head = self.head_of_range(&request, response, &range, known)?;
            if head.range.as_ref() == Some(&range) {
                head.response.fill_exactly(out).map_err(|error| request.transient(&error))?;
                return Ok((head.version, None));
            }
            let start = head.range.as_ref().map_or(0, |range| range.start);
            let length = head.range.map(|range| range.end - range.start);
            let bytes = self.body(&request, head.response, length)?;
            let mut version = head.version;
            version.size = version.size.or(Some(start + bytes.len() as u64));
            let from = offset.checked_sub(start).and_then(|from| usize::try_from(from).ok());
            let part = from.and_then(|from| bytes.get(from..from.checked_add(out.len())?));
            out.copy_from_slice(part.ok_or_else(|| request.permanent(SHORTER))?);
            Ok((version, Some(bytes)))
        })
    }

    /// The whole body of a response, of `length` bytes if the server tells.
    fn body(
        &self,
        request: &WebRequest<'_>,
        response: Response,
        length: Option<u64>,
    ) -> std::result::Result<Vec<u8>, RequestError> {
        match length {
            Some(length) => {
                let mut bytes = memory::zeroed("a part of a file", usize::try_from(length).unwrap_or(usize::MAX))?;
                response.fill_exactly(&mut bytes).map_err(|error| request.transient(&error))?;
                Ok(bytes)
            }
            None => response.bytes(self.options.max_unranged_bytes).map_err(|error| request.transient(&error)),
        }
    }

    /// Checks the head of a response to a request for a range of a file of which a version is known.
    fn head_of_range(
        &self,
        request: &WebRequest<'_>,
        response: Response,
        requested: &Range<u64>,
        known: &FileVersion,
    ) -> std::result::Result<RangeHead, RequestError> {
        check_encoding(request, &response)?;
        let head = match response.status {
            206 => {
                let (range, size) = content_range(&response).ok_or_else(|| request.permanent(NO_RANGE))?;
                let end = requested.end.min(size.unwrap_or(requested.end));
                if range != (requested.start..end)
                    || response.length().is_some_and(|length| length != end - range.start)
                {
                    return Err(request.permanent(format_args!(
                        "the server answers with bytes {} to {}, not {} to {end}",
                        range.start, range.end, requested.start
                    )));
                }
                let version = FileVersion::of(&response, size);
                RangeHead { response, range: Some(range), version }
            }
            416 => {
                // No byte of an empty file can be asked for.
                let size = response
                    .header("content-range")
                    .and_then(|value| value.trim().strip_prefix("bytes */")?.parse().ok());
                let version = FileVersion::of(&response, size);
                if size != Some(0) || requested.start != 0 {
                    return Err(changed(request, known, &version));
                }
                RangeHead { response, range: Some(0..0), version }
            }
            412 => return Err(changed(request, known, &FileVersion::of(&response, None))),
            _ => {
                let size = response.length();
                if size.is_some_and(|size| size > self.options.max_unranged_bytes) {
                    return Err(request.permanent(format_args!(
                        "the server sends all {} bytes of the file, not the range that was requested, and more than \
                         'vfs.http.max_unranged_size'; serve the files with a server that supports ranges, such as nginx, Apache or \
                         `tiledb-rs serve-files`",
                        size.unwrap_or_default()
                    )));
                }
                let version = FileVersion::of(&response, size);
                RangeHead { response, range: size.map(|size| 0..size), version }
            }
        };
        if head.version.differs_from(known) {
            return Err(changed(request, known, &head.version));
        }
        Ok(head)
    }
}

const NO_RANGE: &str = "the server does not say which bytes it answers with";
const SHORTER: &str = "the file has fewer bytes than expected; it was changed, or its index is outdated";

fn range_headers(range: &Range<u64>, known: &FileVersion) -> Headers {
    let mut headers = known.precondition();
    headers.push(("range".to_owned(), format!("bytes={}-{}", range.start, range.end.saturating_sub(1))));
    headers
}

/// The range of `content-range`, and the size of the file, if it is known.
fn content_range(response: &Response) -> Option<(Range<u64>, Option<u64>)> {
    parse_content_range(response.header("content-range")?)
}

fn parse_content_range(value: &str) -> Option<(Range<u64>, Option<u64>)> {
    let (range, size) = value.trim().strip_prefix("bytes")?.trim_start().split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let first: u64 = first.trim().parse().ok()?;
    let last: u64 = last.trim().parse().ok()?;
    let size = match size.trim() {
        "*" => None,
        size => Some(size.parse::<u64>().ok()?),
    };
    let end = last.checked_add(1)?;
    (first < end && size.is_none_or(|size| end <= size)).then_some((first..end, size))
}

/// A body is of no use if it is compressed: ranges are of the compressed bytes.
fn check_encoding(request: &WebRequest<'_>, response: &Response) -> std::result::Result<(), RequestError> {
    match response.header("content-encoding") {
        None | Some("" | "identity") => Ok(()),
        Some(encoding) => Err(request.permanent(format_args!(
            "the server compresses the file ('{}') though it was asked not to; turn compression off for it",
            encoding.escape_debug()
        ))),
    }
}

#[cold]
fn changed(request: &WebRequest<'_>, known: &FileVersion, now: &FileVersion) -> RequestError {
    let sizes = match (known.size, now.size) {
        (Some(known), Some(now)) if known != now => format!(" (it has {now} bytes, not {known})"),
        _ => String::new(),
    };
    request.permanent(format_args!(
        "the file has changed since it was opened or listed{sizes}; open the array again, and if that does not help, renew its \
         index with `tiledb-rs publish --index-only`"
    ))
}

/// The error of an unexpected status.
#[cold]
fn refusal(request: &WebRequest<'_>, response: Response) -> RequestError {
    let status = response.status;
    let retry_after = response.header("retry-after").and_then(|value| value.trim().parse().ok());
    drop(response);
    let (kind, reason) = match status {
        404 | 410 => (ErrorKind::NotFound, format!("there is no such file ({status})")),
        401 | 407 => (
            ErrorKind::Io,
            format!("the server wants credentials ({status}): 'vfs.http.authorization', 'vfs.http.credential_origins'"),
        ),
        403 => (ErrorKind::Io, "the server refuses access (403)".to_owned()),
        _ => (ErrorKind::Io, format!("the server answers with status {status}")),
    };
    let error = request.error(kind, reason);
    match status {
        429 | 503 => RequestError::Throttled(error, retry_after.map(Duration::from_secs)),
        408 | 425 | 500 | 502 | 504 => RequestError::Transient(error),
        _ => RequestError::Permanent(error),
    }
}

fn literal_address(origin: &Origin) -> Option<IpAddr> {
    origin.host().trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether the user named a server of a private network, which may redirect inside of it.
fn is_private(origin: &Origin) -> bool {
    if let Some(address) = literal_address(origin) {
        return !is_public(address);
    }
    let resolved = (origin.host(), origin.port()).to_socket_addrs();
    resolved.is_ok_and(|mut addresses| addresses.any(|address| !is_public(address.ip())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges_are_parsed_or_refused() {
        assert_eq!(parse_content_range("bytes 0-9/20"), Some((0..10, Some(20))));
        assert_eq!(parse_content_range("bytes 5-5/*"), Some((5..6, None)));
        for value in [
            "",
            "bytes",
            "bytes */20",
            "bytes 9-0/20",
            "bytes 0-20/20",
            "bytes 0-18446744073709551615/*",
            "bytes -1-3/9",
            "items 0-9/20",
            "bytes 0-9",
        ] {
            assert_eq!(parse_content_range(value), None, "{value}");
        }
    }

    #[test]
    fn private_hosts_are_recognized() {
        let is_private = |address: &str| is_private(&Origin::of(address).unwrap());
        assert!(is_private("http://127.0.0.1:8") && is_private("http://[::1]") && is_private("http://localhost:8"));
        assert!(!is_private("https://1.1.1.1"));
    }
}
