//! A misbehaving server: sends scripted bytes for each request, and records the received ones.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use openssl::ssl::{SslAcceptor, SslMethod};

use crate::servers::certificate::Certificate;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// The path with its parameters.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Everything as text.
    pub fn text(&self) -> String {
        let headers: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        format!("{} {}\n{headers}\n{}", self.method, self.target, String::from_utf8_lossy(&self.body))
    }

    pub fn has(&self, part: &str) -> bool {
        self.target.contains(part)
    }
}

/// What goes out for a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A response.
    Whole(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// The head of a response, and its body a byte at a time.
    SlowBody,
    /// A head a byte at a time.
    SlowHead,
    /// Headers without end.
    EndlessHeaders,
    /// Responses that announce another one without end.
    EndlessInterim,
    /// A body in chunks, and trailers without end.
    EndlessTrailers,
    /// Chunks without end.
    EndlessBody,
    /// A body that is said to be very long, and is.
    HugeLength,
    /// A body of which half comes.
    Cut,
    /// Bytes that are no HTTP.
    Garbage,
    /// Nothing, while the connection stays open.
    Silent,
    /// The end of the connection.
    Close,
}

impl Reply {
    pub fn of(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        Reply::Whole(status, Vec::new(), body.into())
    }

    pub fn with(self, name: &'static str, value: impl Into<String>) -> Reply {
        match self {
            Reply::Whole(status, mut headers, body) => {
                headers.push((name, value.into()));
                Reply::Whole(status, headers, body)
            }
            other => other,
        }
    }
}

/// The time between two bytes that come slowly: less than any timeout of a read.
const SLOW: Duration = Duration::from_millis(250);

type Answer = dyn Fn(&Request) -> Reply + Send + Sync;

/// A server on a port of its own; its threads end with the process.
#[derive(Clone)]
pub struct Server {
    pub address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        Server::at("127.0.0.1", "http", Some, answer)
    }

    /// At another address, to which nothing should be sent.
    pub fn elsewhere(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        Server::at("127.0.0.2", "http", Some, answer)
    }

    pub fn with_tls(certificate: &Certificate, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        let mut acceptor = SslAcceptor::mozilla_intermediate(SslMethod::tls()).unwrap();
        acceptor.set_private_key(&certificate.key).unwrap();
        acceptor.set_certificate(&certificate.certificate).unwrap();
        let acceptor = acceptor.build();
        Server::at("127.0.0.1", "https", move |stream| acceptor.accept(stream).ok(), answer)
    }

    fn at<S: Read + Write + 'static>(
        host: &str,
        scheme: &str,
        wrap: impl Fn(TcpStream) -> Option<S> + Send + Sync + 'static,
        answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind((host, 0)).unwrap();
        let address = format!("{scheme}://{}", listener.local_addr().unwrap());
        let server = Server { address, requests: Arc::default() };
        let (requests, wrap, answer) = (server.requests.clone(), Arc::new(wrap), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (requests, wrap, answer) = (requests.clone(), wrap.clone(), answer.clone());
                std::thread::spawn(move || {
                    _ = stream.set_nodelay(true);
                    if let Some(stream) = wrap(stream) {
                        serve(stream, &requests, &*answer);
                    }
                });
            }
        });
        server
    }

    /// Host and port.
    pub fn host(&self) -> &str {
        self.address.split("://").last().unwrap()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// Bytes of a body that are remembered.
const BODY: usize = 4096;

/// Requests that are remembered.
const MOST: usize = 2000;

fn serve(stream: impl Read + Write, requests: &Mutex<Vec<Request>>, answer: &Answer) {
    let mut reader = BufReader::new(stream);
    while let Some(mut request) = read(&mut reader) {
        let reply = answer(&request);
        let is_head = request.method == "HEAD";
        request.body.truncate(BODY);
        request.body.shrink_to_fit();
        let mut requests = requests.lock().unwrap();
        if requests.len() < MOST {
            requests.push(request);
        }
        drop(requests);
        if write(reader.get_mut(), reply, is_head).is_none() {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|&count| count > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, size)| size.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, target, headers, body })
}

/// `None` where the connection ends.
fn write(out: &mut impl Write, reply: Reply, is_head: bool) -> Option<()> {
    let mut send = |bytes: &[u8]| out.write_all(bytes).and_then(|()| out.flush()).ok();
    let slowly = |send: &mut dyn FnMut(&[u8]) -> Option<()>, bytes: &[u8]| -> Option<()> {
        bytes.iter().try_for_each(|byte| {
            std::thread::sleep(SLOW);
            send(&[*byte])
        })
    };
    match reply {
        Reply::Whole(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n", body.len());
            if headers.iter().any(|(name, _)| *name == "content-length") {
                head = format!("HTTP/1.1 {status} x\r\n");
            }
            headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
            head += "\r\n";
            send(head.as_bytes())?;
            return if is_head { Some(()) } else { send(&body) };
        }
        Reply::SlowBody => {
            send(b"HTTP/1.1 200 x\r\ncontent-length: 1000000\r\n\r\n")?;
            slowly(&mut send, &[b' '; 10_000])?;
        }
        Reply::SlowHead => slowly(&mut send, format!("HTTP/1.1 200 x\r\nx: {}", "y".repeat(10_000)).as_bytes())?,
        Reply::EndlessHeaders => {
            send(b"HTTP/1.1 200 x\r\n")?;
            (0u64..).try_for_each(|number| send(format!("x-{number}: {}\r\n", "y".repeat(1000)).as_bytes()))?;
        }
        Reply::EndlessInterim => loop {
            send(b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n")?;
        },
        Reply::EndlessTrailers => {
            send(b"HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n<\r\n0\r\n")?;
            (0u64..).try_for_each(|number| send(format!("x-{number}: {}\r\n", "y".repeat(1000)).as_bytes()))?;
        }
        Reply::EndlessBody => {
            send(b"HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n")?;
            let chunk = [b"10000\r\n", &[b' '; 65536][..], b"\r\n"].concat();
            loop {
                send(&chunk)?;
            }
        }
        Reply::HugeLength => {
            send(b"HTTP/1.1 200 x\r\ncontent-length: 4611686018427387904\r\n\r\n")?;
            loop {
                send(&[b' '; 65536])?;
            }
        }
        Reply::Cut => send(b"HTTP/1.1 200 x\r\ncontent-length: 1000\r\n\r\n<half")?,
        Reply::Garbage => send(&[0xff; 4096])?,
        Reply::Silent => std::thread::sleep(Duration::from_secs(3600)),
        Reply::Close => {}
    }
    None
}
