//! A minimal HTTP server with fault injection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub verb: String,
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// What goes back.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub how: How,
}

/// How a reply is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    Whole,
    /// So many bytes of the body are sent before the connection is closed.
    Cut(usize),
    /// The connection is closed inside the headers.
    CutHead,
    /// In eight pieces, with a pause before each.
    Slow(Duration),
    /// In chunks; the connection is closed before the last ones.
    CutChunks,
    /// Never: the connection stays open as long as the client waits.
    Silent,
}

impl Reply {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        Reply { status, headers: Vec::new(), body: body.into(), how: How::Whole }
    }

    pub fn with(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A server on a port of its own, one thread for each connection; stopped on drop.
pub struct Server {
    pub address: String,
    /// All requests, in the order they came.
    pub received: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers by `answer`, which gets the number of the request too; no reply closes the connection unanswered.
    pub fn start(answer: impl Fn(usize, &Request) -> Option<Reply> + Send + Sync + 'static) -> Server {
        Server::start_by("http", Some, answer)
    }

    /// The same over what `wrap` makes of a connection.
    pub fn start_by<S: Read + Write + 'static>(
        scheme: &str,
        wrap: impl Fn(TcpStream) -> Option<S> + Send + Sync + 'static,
        answer: impl Fn(usize, &Request) -> Option<Reply> + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("{scheme}://{}", listener.local_addr().unwrap());
        let wrap = Arc::new(wrap);
        let (received, stop): (Arc<Mutex<Vec<Request>>>, _) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let (answer, count, stopped, noted) =
            (Arc::new(answer), Arc::new(AtomicUsize::new(0)), stop.clone(), received.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (wrap, answer, count, noted) = (wrap.clone(), answer.clone(), count.clone(), noted.clone());
                let serve = move |stream: TcpStream| {
                    // What waits for an acknowledgement waits for 40 ms.
                    stream.set_nodelay(true).unwrap();
                    let Some(stream) = wrap(stream) else { return };
                    let mut reader = BufReader::new(stream);
                    while let Some(request) = read(&mut reader) {
                        noted.lock().unwrap().push(request.clone());
                        let Some(reply) = answer(count.fetch_add(1, Ordering::SeqCst), &request) else { return };
                        if reply.how == How::Silent {
                            let _ = reader.read(&mut [0]);
                            return;
                        }
                        if write(reader.get_mut(), &request, &reply).is_err() || reply.how.ends() {
                            return;
                        }
                    }
                };
                std::thread::spawn(move || serve(stream.unwrap()));
            }
        });
        Server { address, received, stop, thread: Some(thread) }
    }

    /// Host and port.
    pub fn host(&self) -> &str {
        self.address.split("://").last().unwrap()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.host()));
        self.thread.take().unwrap().join().unwrap();
    }
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let line = |reader: &mut dyn BufRead| {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0).map(|_| line.trim_end().to_owned())
    };
    let first = line(reader)?;
    let mut words = first.split(' ');
    let (verb, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let line = line(reader)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request { verb, target, headers, body: Vec::new() };
    let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    assert!(request.header("transfer-encoding").is_none(), "bodies have a length");
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

impl How {
    /// Whether the connection ends with the reply.
    fn ends(self) -> bool {
        matches!(self, How::Cut(_) | How::CutHead | How::CutChunks)
    }
}

fn write(stream: &mut impl Write, request: &Request, reply: &Reply) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} x\r\n", reply.status);
    reply.headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    let has_body = reply.status != 204 && request.verb != "OPTIONS";
    let body = if has_body { &reply.body[..] } else { &[] };
    let in_chunks = reply.how == How::CutChunks;
    head += &match in_chunks {
        true => "transfer-encoding: chunked\r\n\r\n".to_owned(),
        false => format!("content-length: {}\r\n\r\n", body.len()),
    };
    let whole = [head.as_bytes(), body].concat();
    match reply.how {
        How::Cut(end) => stream.write_all(&whole[..head.len() + end.min(body.len())])?,
        How::CutHead => stream.write_all(&whole[..head.len() / 2])?,
        How::CutChunks => {
            let half = &body[..body.len() / 2];
            stream.write_all(&[head.as_bytes(), format!("{:x}\r\n", half.len().max(1)).as_bytes(), half].concat())?;
        }
        How::Slow(pause) => {
            for piece in whole.chunks(whole.len().div_ceil(8)) {
                std::thread::sleep(pause);
                stream.write_all(piece)?;
                stream.flush()?;
            }
        }
        How::Whole | How::Silent => stream.write_all(&whole)?,
    }
    stream.flush()
}
