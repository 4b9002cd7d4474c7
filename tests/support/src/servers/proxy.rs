//! A fault-injecting proxy between a library and a store, which counts requests and breaks some of them. It forwards
//! the requested host name, so that signatures stay valid.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How a request is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Refused with this status, nothing done.
    Status(u16),
    /// Answered with success and a body that says it failed, nothing done.
    Denied,
    /// The connection is closed, nothing done.
    Reset,
    /// It is done, and the connection closed.
    Lost,
    /// It is done; half of the bytes of the answer come.
    Cut,
    /// It is done; half of the bytes of the answer come, and it says that these are all.
    Short,
    /// It is done; the answer comes after this time.
    Stall(Duration),
    /// It is done, and nothing is passed on any more.
    Isolate,
    /// The process is killed, nothing done.
    KillBefore(i32),
    /// It is done, and the process killed.
    KillAfter(i32),
}

/// Which requests are broken, from that of a number on, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Once,
    /// All of its kind.
    Kind,
    /// So many, whatever they are.
    Many(usize),
}

/// What is broken.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub at: usize,
    pub broken: Break,
    pub span: Span,
}

/// A request that is held back: the first one that changes an object with this extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub extension: &'static str,
    pub kind: HoldKind,
}

/// What happens before and after a request is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldKind {
    Usual,
    /// The first one is done and its connection closed; none is held back.
    Lost,
    /// Once it is done, nothing is passed on any more, as if the process had been killed.
    Killed,
}

/// What comes of a request that is to be held back.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum HoldState {
    /// It has not come yet.
    #[default]
    No,
    Lost,
    Yes,
    Released,
}

/// A request that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedRequest {
    /// What it asks for, without the names: requests of one kind look alike.
    pub kind: String,
    /// The last part of the name that it is about, without what is different each time.
    pub class: String,
    pub is_read: bool,
    /// Whether the answer has bytes.
    pub is_answered: bool,
}

/// What the server has done that changes what it holds: what the request names, and its bytes.
pub type Changes = BTreeMap<String, Vec<u8>>;

#[derive(Default)]
struct Plan {
    fault: Option<Fault>,
    /// All requests since the plan was made.
    observed: Vec<ObservedRequest>,
    changes: Changes,
    broken: usize,
    /// Requests that are being passed on.
    active: usize,
    /// Nobody is left who could ask.
    is_dead: bool,
    hold: Option<Hold>,
    hold_state: HoldState,
    rejects_copies: bool,
}

/// A message of either side.
struct Message {
    first: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Message {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Reads one; an answer to HEAD has no bytes, whatever it says.
    fn read(reader: &mut impl BufRead, has_body: bool) -> Option<Message> {
        let (first, mut headers) = (line(reader)?, Vec::new());
        loop {
            let line = line(reader)?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut message = Message { first, headers, body: Vec::new() };
        let is_empty = message.first.starts_with("HTTP/") && matches!(message.status(), 100..200 | 204 | 304);
        if !has_body || is_empty {
            return Some(message);
        }
        if let Some(size) = message.header("content-length") {
            message.body = vec![0; size.parse().ok()?];
            reader.read_exact(&mut message.body).ok()?;
        } else if message.header("transfer-encoding").is_some() {
            loop {
                let size = usize::from_str_radix(line(reader)?.split(';').next()?, 16).ok()?;
                let start = message.body.len();
                message.body.resize(start + size, 0);
                reader.read_exact(&mut message.body[start..]).ok()?;
                line(reader)?;
                if size == 0 {
                    break;
                }
            }
        } else if message.first.starts_with("HTTP/") {
            reader.read_to_end(&mut message.body).ok()?;
        }
        Some(message)
    }

    fn status(&self) -> u16 {
        self.first.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    /// As it is sent: it promises `promised` bytes, if any, and holds those of `body`.
    fn bytes(&self, promised: Option<&str>, body: &[u8]) -> Vec<u8> {
        let left_out = ["connection", "keep-alive", "transfer-encoding", "content-length", "expect"];
        let mut text = format!("{}\r\n", self.first);
        for (name, value) in self.headers.iter().filter(|(name, _)| !left_out.contains(&&*name.to_ascii_lowercase())) {
            text += &format!("{name}: {value}\r\n");
        }
        if let Some(promised) = promised {
            text += &format!("Content-Length: {promised}\r\n");
        }
        [text.as_bytes(), b"\r\n", body].concat()
    }

    fn is_read(&self) -> bool {
        self.first.starts_with("GET ") || self.first.starts_with("HEAD ")
    }

    /// Whether it changes an object whose name ends like this.
    fn changes_name(&self, extension: &str) -> bool {
        let target = self.first.split(' ').nth(1).unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let name = query.split('&').find_map(|part| part.strip_prefix("name=")).unwrap_or(path);
        !self.is_read() && !self.first.starts_with("DELETE ") && name.ends_with(extension)
    }

    /// As it is told of.
    fn observed(&self) -> ObservedRequest {
        let path = self.first.split(' ').nth(1).unwrap_or_default().replace("%2F", "/");
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        let named = query.split('&').find_map(|part| part.strip_prefix("name=").or(part.strip_prefix("prefix=")));
        let name = named.unwrap_or(path).trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let is_usual = name.ends_with(".tdb") && !name.starts_with("__");
        let class: String = name.chars().filter(|letter| !letter.is_ascii_hexdigit() && *letter != '_').collect();
        let kind = self.kind();
        // Which file it is makes no difference to a copy, nor which of those with cells.
        let class =
            if is_usual || kind.contains("copy-source") || kind.contains("rewriteTo") { "file" } else { &class };
        ObservedRequest { kind, class: class.to_owned(), is_read: self.is_read(), is_answered: false }
    }

    /// What it changes: the names in it without those of uploads, which are other ones each time.
    fn change(&self) -> String {
        let target = self.first.split(' ').nth(1).unwrap_or_default().replace("%2F", "/");
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let is_upload = |part: &&str| !["uploadId=", "upload_id="].iter().any(|name| part.starts_with(name));
        let query: Vec<&str> = query.split('&').filter(is_upload).collect();
        let headers = ["x-amz-copy-source", "x-ms-copy-source", "content-range"].map(|name| self.header(name));
        let headers: Vec<&str> = headers.into_iter().flatten().collect();
        format!("{path} {} {}", query.join("&"), headers.join(" "))
    }

    /// What it asks for, without the names: requests of one kind look alike.
    fn kind(&self) -> String {
        let mut words = self.first.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let value = |name: &str| ["uploadType", "alt", "comp"].contains(&name);
        let names = query.split('&').map(|part| match part.split_once('=') {
            Some((name, _)) if !value(name) => name,
            _ => part,
        });
        let steps: Vec<&str> = ["rewriteTo", "batch"].into_iter().filter(|step| path.contains(step)).collect();
        let headers = ["x-amz-copy-source", "x-ms-copy-source", "range"];
        let headers: Vec<&str> = headers.into_iter().filter(|name| self.header(name).is_some()).collect();
        [&[method], &steps[..], &names.collect::<Vec<_>>(), &headers].concat().join(" ").trim_end().to_owned()
    }
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    (reader.read_line(&mut line).ok()? > 0).then(|| line.trim_end().to_owned())
}

/// The proxy; its threads end with the process.
pub struct Proxy {
    pub port: u16,
    plan: Arc<Mutex<Plan>>,
}

impl Proxy {
    /// Stands before the server at a port of this machine.
    pub fn open(server: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Proxy { port: listener.local_addr().unwrap().port(), plan: Arc::default() };
        let (port, plan) = (proxy.port, Arc::clone(&proxy.plan));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let plan = Arc::clone(&plan);
                std::thread::spawn(move || Way { stream, port, server, plan: &plan }.serve());
            }
        });
        proxy
    }

    /// Begins to count anew, and breaks what a fault says.
    pub fn begin(&self, fault: Option<Fault>) {
        let mut plan = self.plan.lock().unwrap();
        *plan = Plan { fault, active: plan.active, ..Plan::default() };
    }

    /// Holds back a request until it is released.
    pub fn hold(&self, hold: Hold) {
        *self.plan.lock().unwrap() = Plan { hold: Some(hold), ..Plan::default() };
    }

    /// Begins to count anew, and rejects server-side copies by S3, as a store that has none.
    pub fn reject_copies(&self) {
        *self.plan.lock().unwrap() = Plan { rejects_copies: true, ..Plan::default() };
    }

    /// False if no such request comes within a time.
    pub fn wait_for_hold(&self, time: Duration) -> bool {
        let begun = std::time::Instant::now();
        while self.plan.lock().unwrap().hold_state != HoldState::Yes {
            if begun.elapsed() > time {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }

    /// Whether a response has been lost as requested.
    pub fn has_lost(&self) -> bool {
        self.plan.lock().unwrap().hold_state == HoldState::Lost
    }

    /// Passes the request on that is held back.
    pub fn release(&self) {
        self.plan.lock().unwrap().hold_state = HoldState::Released;
    }

    /// Waits until the server has answered all that it was asked; all requests, how many were broken, and what was changed.
    pub fn end(&self) -> (Vec<ObservedRequest>, usize, Changes) {
        loop {
            let mut plan = self.plan.lock().unwrap();
            if plan.active == 0 {
                plan.fault = None;
                return (std::mem::take(&mut plan.observed), plan.broken, std::mem::take(&mut plan.changes));
            }
            drop(plan);
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// One connection.
struct Way<'a> {
    stream: TcpStream,
    port: u16,
    server: u16,
    plan: &'a Mutex<Plan>,
}

impl Way<'_> {
    fn serve(mut self) {
        let mut reader = BufReader::new(self.stream.try_clone().unwrap());
        while let Some(request) = Message::read(&mut reader, true) {
            if self.one(&request).is_none() {
                break;
            }
        }
        _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Holds back a request, if it is to be; how it is broken afterwards.
    fn hold_back(&self, request: &Message) -> Option<Break> {
        let mut plan = self.plan.lock().unwrap();
        let hold = plan.hold.filter(|hold| request.changes_name(hold.extension))?;
        match plan.hold_state {
            HoldState::No if hold.kind == HoldKind::Lost => {
                plan.hold_state = HoldState::Lost;
                return Some(Break::Lost);
            }
            HoldState::No => plan.hold_state = HoldState::Yes,
            HoldState::Lost | HoldState::Yes | HoldState::Released => return None,
        }
        drop(plan);
        while self.plan.lock().unwrap().hold_state == HoldState::Yes {
            std::thread::sleep(Duration::from_millis(5));
        }
        (hold.kind == HoldKind::Killed).then_some(Break::Isolate)
    }

    /// The number of this request, and how it is broken, if it is.
    fn next(&self, request: ObservedRequest) -> Option<(usize, Option<Break>)> {
        let mut plan = self.plan.lock().unwrap();
        if plan.is_dead {
            return None;
        }
        let number = plan.observed.len();
        let is_rejected = plan.rejects_copies && request.kind.contains("x-amz-copy-source");
        plan.observed.push(request);
        plan.active += 1;
        if is_rejected {
            plan.broken += 1;
            return Some((number, Some(Break::Status(501))));
        }
        let Some(Fault { at, broken, span }) = plan.fault else { return Some((number, None)) };
        let is_met = match span {
            Span::Once => number == at,
            Span::Kind => number >= at && plan.observed[number].kind == plan.observed[at].kind,
            Span::Many(count) => (at..at + count).contains(&number),
        };
        plan.broken += usize::from(is_met);
        Some((number, is_met.then_some(broken)))
    }

    /// Tells what the server made of a request.
    fn note(&self, number: usize, request: &Message, answer: &Message) {
        let mut plan = self.plan.lock().unwrap();
        if let Some(observed) = plan.observed.get_mut(number) {
            observed.is_answered = !answer.body.is_empty();
        }
        if !request.is_read() && matches!(answer.status(), 200..=299 | 308) {
            plan.changes.insert(request.change(), request.body.clone());
        }
    }

    /// Passes a request on, or breaks it; `None` where the connection ends.
    fn one(&mut self, request: &Message) -> Option<()> {
        let delayed = self.hold_back(request);
        let (number, broken) = self.next(request.observed())?;
        let broken = delayed.or(broken);
        let answer = match broken {
            Some(Break::Status(_) | Break::Denied | Break::Reset) => None,
            Some(Break::KillBefore(child)) => {
                self.kill(child);
                None
            }
            _ => self.ask(request),
        };
        if let Some(answer) = &answer {
            self.note(number, request, answer);
        }
        if let Some(Break::KillAfter(child)) = broken {
            self.kill(child);
        }
        let mut plan = self.plan.lock().unwrap();
        plan.active -= 1;
        plan.is_dead |= broken == Some(Break::Isolate);
        drop(plan);
        match broken {
            Some(Break::Status(status)) => return self.refuse(status, request.first.starts_with("HEAD ")),
            Some(Break::Denied) => return self.refuse(200, false),
            Some(Break::Reset | Break::Lost | Break::Isolate | Break::KillBefore(_) | Break::KillAfter(_)) => {
                return None;
            }
            Some(Break::Stall(time)) => std::thread::sleep(time),
            Some(Break::Cut | Break::Short) | None => {}
        }
        let answer = answer?;
        let is_head = request.first.starts_with("HEAD ");
        let whole = answer.body.len().to_string();
        let promised = if is_head { answer.header("content-length").unwrap_or("0") } else { &whole };
        let promised = Some(promised).filter(|_| answer.status() != 204 && answer.status() != 304);
        let half = &answer.body[..answer.body.len() / 2];
        match broken {
            Some(Break::Cut) => {
                self.stream.write_all(&answer.bytes(promised, half)).ok()?;
                None
            }
            Some(Break::Short) if !is_head => {
                let length = half.len().to_string();
                self.stream.write_all(&answer.bytes(promised.map(|_| length.as_str()), half)).ok()
            }
            _ => self.stream.write_all(&answer.bytes(promised, &answer.body)).ok(),
        }
    }

    /// The answer of the server.
    fn ask(&self, request: &Message) -> Option<Message> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.server)).ok()?;
        let length = request.body.len().to_string();
        let promised = request.header("content-length").map(|_| length.as_str());
        let promised = promised.or(request.header("transfer-encoding").map(|_| length.as_str()));
        let closing = Message { headers: request.headers.clone(), first: request.first.clone(), body: Vec::new() };
        let mut bytes = closing.bytes(promised, b"");
        bytes.truncate(bytes.len() - 2);
        bytes.extend(b"Connection: close\r\n\r\n");
        stream.write_all(&bytes).ok()?;
        stream.write_all(&request.body).ok()?;
        let mut answer = Message::read(&mut BufReader::new(stream), !request.first.starts_with("HEAD "))?;
        // What it says lies at the server goes through here, too.
        let (there, here) = (format!("127.0.0.1:{}", self.server), format!("127.0.0.1:{}", self.port));
        let places = answer.headers.iter_mut().filter(|(name, _)| name.eq_ignore_ascii_case("location"));
        places.for_each(|(_, value)| *value = value.replace(&there, &here));
        Some(answer)
    }

    fn refuse(&mut self, status: u16, is_head: bool) -> Option<()> {
        let code = match status {
            503 => "SlowDown",
            200 | 500 => "InternalError",
            429 => "TooManyRequests",
            _ => "AccessDenied",
        };
        let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>planted</Message></Error>");
        let body = if is_head { "" } else { &body };
        let head = format!("HTTP/1.1 {status} {code}\r\nContent-Type: application/xml\r\n");
        self.stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).ok()
    }

    fn kill(&self, child: i32) {
        self.plan.lock().unwrap().is_dead = true;
        unsafe { libc::kill(child, libc::SIGKILL) };
    }
}
