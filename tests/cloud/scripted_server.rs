//! An in-process server with scripted responses that records requests.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use openssl::ssl::{SslAcceptor, SslMethod};

use support::servers::certificate::Certificate;

/// A request.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    pub method: String,
    /// The path with its parameters.
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl ReceivedRequest {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Whose keys signed it; empty where nobody's did.
    pub fn signer(&self) -> &str {
        let header = self.header("authorization");
        header.split_once("Credential=").and_then(|(_, rest)| rest.split('/').next()).unwrap_or_default()
    }
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// An answer without special headers.
pub fn answer(status: u16, body: impl Into<String>) -> Answer {
    Answer { status, headers: Vec::new(), body: body.into() }
}

/// The server; its thread ends with the process.
pub struct ScriptedServer {
    /// `http://127.0.0.1:PORT`, or `https`.
    pub address: String,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl ScriptedServer {
    pub fn open(reply: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static) -> ScriptedServer {
        ScriptedServer::at("http", reply, Some)
    }

    /// A server that proves who it is, and is spoken to in secret.
    pub fn open_tls(
        certificate: &Certificate,
        reply: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static,
    ) -> ScriptedServer {
        let mut acceptor = SslAcceptor::mozilla_intermediate(SslMethod::tls()).unwrap();
        acceptor.set_private_key(&certificate.key).unwrap();
        acceptor.set_certificate(&certificate.certificate).unwrap();
        let acceptor = acceptor.build();
        ScriptedServer::at("https", reply, move |stream| acceptor.accept(stream).ok())
    }

    fn at<S: Read + Write>(
        scheme: &str,
        reply: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static,
        accept: impl Fn(TcpStream) -> Option<S> + Send + Sync + 'static,
    ) -> ScriptedServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("{scheme}://{}", listener.local_addr().unwrap());
        let (requests, reply, accept) = (Arc::new(Mutex::new(Vec::new())), Arc::new(reply), Arc::new(accept));
        let desk = ScriptedServer { address, requests: Arc::clone(&requests) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (requests, reply, accept) = (Arc::clone(&requests), Arc::clone(&reply), Arc::clone(&accept));
                std::thread::spawn(move || accept(stream).map(|stream| serve(stream, &requests, reply.as_ref())));
            }
        });
        desk
    }

    /// The address without its scheme.
    pub fn host(&self) -> &str {
        self.address.split_once("://").unwrap().1
    }

    /// What was asked since the last time.
    pub fn take_requests(&self) -> Vec<ReceivedRequest> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

fn serve(
    stream: impl Read + Write,
    requests: &Mutex<Vec<ReceivedRequest>>,
    reply: &dyn Fn(&ReceivedRequest) -> Answer,
) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        requests.lock().unwrap().push(request.clone());
        let Answer { status, headers, body } = reply(&request);
        let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("HTTP/1.1 {status} Answer\r\ncontent-length: {}\r\n{more}\r\n", body.len());
        if reader.get_mut().write_all(format!("{head}{body}").as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<ReceivedRequest> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers.get("content-length").map_or(0, |size| size.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some(ReceivedRequest { method, path, headers, body: String::from_utf8(body).unwrap() })
}
