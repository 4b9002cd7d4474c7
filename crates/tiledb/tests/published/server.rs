//! A web server for tests: the files of a folder, and what goes wrong with them.
#![allow(unreachable_pub, reason = "a module of test programs")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A request: method, target and headers.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// A response: status, headers and body.
#[derive(Clone, Debug)]
pub struct Response(pub u16, pub Vec<(&'static str, String)>, pub Vec<u8>);

impl Response {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Response {
        Response(status, Vec::new(), body.into())
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.1.push((name, value.into()));
        self
    }
}

/// A server on a port of its own, whose threads end with the process.
pub struct Server {
    pub address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(respond: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = Server { address, requests: Arc::default() };
        let (requests, respond) = (Arc::clone(&server.requests), Arc::new(respond));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (requests, respond) = (Arc::clone(&requests), Arc::clone(&respond));
                std::thread::spawn(move || serve(client, &requests, &*respond));
            }
        });
        server
    }

    /// The files of a folder, in ranges, with tags of their contents.
    pub fn files(folder: &Path) -> Server {
        let folder = folder.to_owned();
        Server::start(move |request| file(&folder, request, true))
    }

    /// The requests since the last call.
    pub fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

fn serve(client: TcpStream, requests: &Mutex<Vec<Request>>, respond: &dyn Fn(&Request) -> Response) {
    client.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(client);
    loop {
        let mut lines = reader.by_ref().lines().map_while(std::result::Result::ok);
        let Some(first) = lines.next() else { return };
        let mut words = first.split(' ').map(str::to_owned);
        let (method, target) = (words.next().unwrap(), words.next().unwrap());
        let headers = lines.take_while(|line| !line.is_empty());
        let headers = headers.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        });
        let request = Request { method, target, headers: headers.collect() };
        let Response(status, headers, body) = respond(&request);
        let mut head = format!("HTTP/1.1 {status} x\r\n");
        if !headers.iter().any(|(name, _)| *name == "content-length") {
            head += &format!("content-length: {}\r\n", body.len());
        }
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        let body = if request.method == "HEAD" { Vec::new() } else { body };
        requests.lock().unwrap().push(request);
        let client = reader.get_mut();
        if client
            .write_all(head.as_bytes())
            .and_then(|()| client.write_all(b"\r\n"))
            .and_then(|()| client.write_all(&body))
            .is_err()
        {
            return;
        }
    }
}

/// The path of a target below a folder.
pub fn path_of(folder: &Path, target: &str) -> PathBuf {
    let path = target.split('?').next().unwrap().trim_start_matches('/');
    folder.join(path.replace("%20", " ").replace("%25", "%"))
}

/// A file as a static server serves it.
pub fn file(folder: &Path, request: &Request, has_ranges: bool) -> Response {
    let Ok(bytes) = std::fs::read(path_of(folder, &request.target)) else { return Response::new(404, "") };
    let etag =
        format!("\"{}-{}\"", bytes.len(), bytes.iter().fold(7u64, |sum, byte| sum.wrapping_mul(31) + u64::from(*byte)));
    if request.header("if-match").is_some_and(|value| value != etag) {
        return Response::new(412, "");
    }
    if request.header("if-none-match").is_some_and(|value| value == etag) {
        return Response::new(304, "").with("etag", etag);
    }
    let range = request.header("range").filter(|_| has_ranges).map(|range| {
        let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
        (first.parse::<usize>().unwrap(), (last.parse::<usize>().unwrap() + 1).min(bytes.len()))
    });
    match range {
        None => Response::new(200, bytes),
        Some((start, end)) if start < end => {
            let range = format!("bytes {start}-{}/{}", end - 1, bytes.len());
            Response::new(206, &bytes[start..end]).with("content-range", range)
        }
        Some(_) => Response::new(416, "").with("content-range", format!("bytes */{}", bytes.len())),
    }
    .with("etag", etag)
}
