//! `serve-files`: a web server for the files of a folder, to try published arrays on one's own machine.
//!
//! It serves ranges and preconditions (RFC 9110). It only reads, lists nothing, and serves no file outside of the folder, also not by a
//! link. Pages of other origins read only where the user allows it ([`BrowserAccess`]).

use std::fs::{self, File, Metadata};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;
use tiledb::VfsReader;
use tiledb::uri::check_relative;

use super::browser_access::BrowserAccess;
use crate::args::{CommonOptions, ServeFiles};
use crate::model::{Error, Result};
use crate::output;

/// Time that a client may take for a request, and for reading each part of a response.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size of the head of a request.
const MAX_HEAD_BYTES: u64 = 16 << 10;
/// Bytes of an object that are read at a time.
const OBJECT_BUFFER_BYTES: u64 = 1 << 20;
/// Maximum number of connections at a time.
const MAX_CONNECTIONS: usize = 256;

/// Serves a folder until the process is stopped.
pub(super) fn run(common: &CommonOptions, arguments: &ServeFiles) -> Result<()> {
    let folder = fs::canonicalize(&arguments.folder)
        .ok()
        .filter(|folder| folder.is_dir())
        .ok_or_else(|| Error::usage(format!("{} is no folder", arguments.folder.display())))?;
    let listen = &arguments.listen;
    let wrong = |error: std::io::Error| {
        Error::usage(format!("--listen {listen}: {error}; write HOST:PORT, such as 127.0.0.1:8080"))
    };
    let listener = TcpListener::bind(listen).map_err(wrong)?;
    let address = format!("http://{}", listener.local_addr().map_err(wrong)?);
    if common.json {
        output::json(&json!({ "command": "serve-files", "address": address }))?;
    } else {
        output::line(&format!("{address}/ serves {}; Ctrl-C ends it", folder.display()))?;
    }
    let hosts: Vec<String> = arguments.allow_host.iter().chain([listen]).cloned().collect();
    let site = Site { folder, access: BrowserAccess::new(&arguments.cors, &hosts) };
    accept(&listener, Arc::new(move |request: &Request| site.respond(request)));
    Ok(())
}

/// What responds to requests, on several threads at a time.
pub(super) type Responder = Arc<dyn Fn(&Request) -> Response + Send + Sync>;

/// Serves clients until the process is stopped, each on a thread of its own.
pub(super) fn accept(listener: &TcpListener, respond: Responder) {
    let connections = Arc::new(AtomicUsize::new(0));
    for client in listener.incoming().flatten() {
        if connections.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
            connections.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let respond = Arc::clone(&respond);
        let open = Arc::clone(&connections);
        let serve = move || {
            // A client that goes away is none of ours.
            _ = serve(client, &*respond);
            open.fetch_sub(1, Ordering::SeqCst);
        };
        if std::thread::Builder::new().name("client".to_owned()).spawn(serve).is_err() {
            connections.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// What is served, and to whom.
struct Site {
    folder: PathBuf,
    access: BrowserAccess,
}

impl Site {
    fn respond(&self, request: &Request) -> Response {
        let mut response = match request.header("host") {
            Some(host) if self.access.admits_host(host) => respond(request, &self.folder),
            Some(_) => Response::text("403 Forbidden", "the server has another name; --allow-host NAME adds one\n"),
            None => Response::text("400 Bad Request", "the header Host is missing\n"),
        };
        response.headers.extend(self.access.headers(request.header("origin")));
        response
    }
}

/// A request, as far as it counts.
#[derive(Default)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Reads a request; `None` at the end of the connection, and for what is none.
    fn read(client: &mut impl BufRead) -> Option<Request> {
        let mut head = client.take(MAX_HEAD_BYTES);
        let mut line = String::new();
        head.read_line(&mut line).ok()?;
        let mut words = line.split_whitespace();
        let method = words.next()?.to_owned();
        let target = words.next()?.to_owned();
        let mut request = Request { method, target, headers: Vec::new() };
        loop {
            let mut line = String::new();
            if head.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end() {
                "" => return Some(request),
                line => {
                    let (name, value) = line.split_once(':')?;
                    request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
                }
            }
        }
    }
}

/// What a request gets.
pub(super) struct Response {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    /// The bytes of a file, or a text.
    body: Body,
}

enum Body {
    Text(&'static str),
    Bytes(Vec<u8>),
    File(File, u64),
    /// A range of an object: start and length.
    Object(VfsReader, u64, u64),
}

impl Response {
    pub(super) fn text(status: &'static str, text: &'static str) -> Response {
        Response { status, headers: vec![("Content-Type", "text/plain".to_owned())], body: Body::Text(text) }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.headers.push((name, value.into()));
        self
    }

    /// A whole body.
    pub(super) fn bytes(bytes: Vec<u8>) -> Response {
        Response { status: "200 OK", headers: Vec::new(), body: Body::Bytes(bytes) }
    }

    /// The bytes of an object that a request selects.
    pub(super) fn object(request: &Request, object: VfsReader) -> Response {
        let size = object.len();
        let range = request.header("range").and_then(|range| requested(range, size));
        let (status, start, length) = match range {
            None => ("200 OK", 0, size),
            Some(None) => {
                return Response::text("416 Range Not Satisfiable", "")
                    .with("Content-Range", format!("bytes */{size}"));
            }
            Some(Some((start, length))) => ("206 Partial Content", start, length),
        };
        let response = Response { status, headers: Vec::new(), body: Body::Object(object, start, length) };
        match status {
            "200 OK" => response,
            _ => response.with("Content-Range", format!("bytes {start}-{}/{size}", start + length - 1)),
        }
    }
}

fn serve(client: TcpStream, respond: &dyn Fn(&Request) -> Response) -> std::io::Result<()> {
    client.set_read_timeout(Some(TIMEOUT))?;
    client.set_write_timeout(Some(TIMEOUT))?;
    client.set_nodelay(true)?;
    let mut reader = BufReader::new(client);
    while let Some(request) = Request::read(&mut reader) {
        // Bodies are not read: the next request could be part of one.
        let has_body = request.header("content-length").is_some_and(|length| length != "0")
            || request.header("transfer-encoding").is_some();
        let closes = has_body || request.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let response = respond(&request).with("Connection", if closes { "close" } else { "keep-alive" });
        send(reader.get_mut(), response, request.method == "HEAD")?;
        if closes {
            break;
        }
    }
    Ok(())
}

fn send(client: &mut TcpStream, response: Response, is_head: bool) -> std::io::Result<()> {
    let length = match &response.body {
        Body::Text(text) => text.len() as u64,
        Body::Bytes(bytes) => bytes.len() as u64,
        Body::File(_, length) | Body::Object(_, _, length) => *length,
    };
    let mut head = format!("HTTP/1.1 {}\r\n", response.status);
    for (name, value) in &response.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("Content-Length: {length}\r\nX-Content-Type-Options: nosniff\r\n\r\n");
    client.write_all(head.as_bytes())?;
    match response.body {
        _ if is_head => {}
        Body::Text(text) => client.write_all(text.as_bytes())?,
        Body::Bytes(bytes) => client.write_all(&bytes)?,
        Body::Object(object, start, length) => send_object(client, &object, start, length)?,
        Body::File(file, length) => {
            if std::io::copy(&mut file.take(length), client)? != length {
                // The file was cut meanwhile: only the end of the connection tells it.
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
    client.flush()
}

fn send_object(client: &mut TcpStream, object: &VfsReader, start: u64, length: u64) -> std::io::Result<()> {
    let mut done = 0;
    let mut buffer = vec![0; usize::try_from(length.min(OBJECT_BUFFER_BYTES)).unwrap_or_default()];
    while done < length {
        let part = usize::try_from(length - done).unwrap_or(usize::MAX).min(buffer.len());
        object.read_at(start + done, &mut buffer[..part])?;
        client.write_all(&buffer[..part])?;
        done += part as u64;
    }
    Ok(())
}

fn respond(request: &Request, folder: &Path) -> Response {
    match request.method.as_str() {
        "GET" | "HEAD" => {}
        "OPTIONS" => {
            return Response::text("204 No Content", "")
                .with("Access-Control-Allow-Methods", "GET, HEAD")
                .with("Access-Control-Allow-Headers", "Range, If-Match, If-Range, If-None-Match, If-Unmodified-Since")
                .with("Access-Control-Max-Age", "86400");
        }
        _ => {
            return Response::text("405 Method Not Allowed", "files are only read\n")
                .with("Allow", "GET, HEAD, OPTIONS");
        }
    }
    let missing = || Response::text("404 Not Found", "there is no such file\n");
    let path = request.target.split(['?', '#']).next().unwrap_or_default();
    let Some(name) = decoded(path.trim_start_matches('/')) else { return missing() };
    let page = [name.trim_end_matches('/'), "index.html"].join("/");
    let is_folder = name.is_empty() || name.ends_with('/');
    let Some(file) = find(folder, if is_folder { page.trim_start_matches('/') } else { &name }) else {
        if !is_folder && find(folder, &page).is_some() {
            return Response::text("301 Moved Permanently", "").with("Location", format!("{path}/"));
        }
        return missing();
    };
    let opened = File::open(&file).and_then(|file| Ok((file.metadata()?, file)));
    let Ok((metadata, opened)) = opened else { return Response::text("403 Forbidden", "the file cannot be read\n") };
    contents(request, opened, &metadata).with("Content-Type", media_type(&file))
}

/// The media type of a file by its name: browsers run scripts and compile modules of their own types only.
pub(super) fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

/// The file of a name, if it lies in the folder.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    check_relative(name).ok()?;
    let file = fs::canonicalize(folder.join(name)).ok()?;
    // Also pipes and devices have names.
    (file.starts_with(folder) && file.is_file()).then_some(file)
}

/// A file, or a range of it.
fn contents(request: &Request, mut file: File, metadata: &Metadata) -> Response {
    let size = metadata.len();
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let etag = format!("\"{size:x}-{:x}\"", modified.as_nanos());
    let time = http_date(modified.as_secs());
    let matches = |value: &str| value == "*" || value.split(',').any(|one| one.trim() == etag);
    let validators = |response: Response| {
        response.with("ETag", etag.clone()).with("Last-Modified", time.clone()).with("Accept-Ranges", "bytes")
    };
    let is_other = match (request.header("if-match"), request.header("if-unmodified-since")) {
        (Some(value), _) => !matches(value),
        (None, value) => value.is_some_and(|value| value != time),
    };
    if is_other {
        return validators(Response::text("412 Precondition Failed", ""));
    }
    let is_same = match (request.header("if-none-match"), request.header("if-modified-since")) {
        (Some(value), _) => matches(value),
        (None, value) => value.is_some_and(|value| value == time),
    };
    if is_same {
        return validators(Response::text("304 Not Modified", ""));
    }
    let is_current = request.header("if-range").is_none_or(|value| value == etag || value == time);
    let range = request.header("range").filter(|_| is_current).and_then(|range| requested(range, size));
    let (status, start, length) = match range {
        None => ("200 OK", 0, size),
        Some(None) => {
            let unsatisfied = Response::text("416 Range Not Satisfiable", "");
            return validators(unsatisfied).with("Content-Range", format!("bytes */{size}"));
        }
        Some(Some((start, length))) => ("206 Partial Content", start, length),
    };
    if file.seek(SeekFrom::Start(start)).is_err() {
        return Response::text("500 Internal Server Error", "the file cannot be read\n");
    }
    let response = validators(Response { status, headers: Vec::new(), body: Body::File(file, length) });
    match status {
        "200 OK" => response,
        _ => response.with("Content-Range", format!("bytes {start}-{}/{size}", start + length - 1)),
    }
}

/// Start and length of a range of a file; `None` for what is no single range, `Some(None)` for one beyond the file.
fn requested(range: &str, size: u64) -> Option<Option<(u64, u64)>> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let first = first.trim();
    let last = last.trim();
    let number = |text: &str| text.parse::<u64>().ok();
    let (start, end) = match (first.is_empty(), last.is_empty()) {
        (true, _) => (size.saturating_sub(number(last)?), size),
        (false, true) => (number(first)?, size),
        (false, false) => (number(first)?, number(last)?.saturating_add(1).min(size)),
    };
    Some((start < end).then(|| (start, end - start)))
}

pub(super) fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        out.push(match byte {
            b'%' => u8::try_from(digit(bytes.next())? * 16 + digit(bytes.next())?).ok()?,
            byte => byte,
        });
    }
    String::from_utf8(out).ok()
}

/// A time as HTTP has it (RFC 9110, section 5.6.7).
fn http_date(seconds: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = seconds / 86_400;
    let time = seconds % 86_400;
    // The calendar from March on, in eras of 400 years, so that the leap day is the last of a year.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = year + era * 400 + u64::from(month >= 10);
    let month = (month + 2) % 12;
    let name = |names: &[&'static str], at: u64| {
        usize::try_from(at).ok().and_then(|at| names.get(at).copied()).unwrap_or_default()
    };
    format!(
        "{}, {day:02} {} {year} {:02}:{:02}:{:02} GMT",
        name(&DAYS, days % 7),
        name(&MONTHS, month),
        time / 3_600,
        time / 60 % 60,
        time % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_standard() {
        for (range, expected) in [
            ("bytes=0-9", Some(Some((0, 10)))),
            ("bytes=95-200", Some(Some((95, 5)))),
            ("bytes=95-", Some(Some((95, 5)))),
            ("bytes=-5", Some(Some((95, 5)))),
            ("bytes=-500", Some(Some((0, 100)))),
            ("bytes=100-", Some(None)),
            ("bytes=9-0", Some(None)),
            ("bytes=-0", Some(None)),
            ("bytes=0-18446744073709551615", Some(Some((0, 100)))),
            ("bytes=0-9,20-29", None),
            ("bytes=-", None),
            ("items=0-9", None),
            ("", None),
        ] {
            assert_eq!(requested(range, 100), expected, "{range}");
        }
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
        ] {
            assert_eq!(http_date(seconds), date);
        }
    }

    #[test]
    fn names_are_decoded_or_refused() {
        assert_eq!(decoded("a%20b%2Fc").as_deref(), Some("a b/c"));
        for broken in ["%", "%2", "%zz", "%ff", "a%+1"] {
            assert_eq!(decoded(broken), None, "{broken}");
        }
    }
}
