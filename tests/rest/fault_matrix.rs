//! Every operation of the client with every fault at every request.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::faults::client;
use super::session::{READ, Session, StepResult, UNORDERED};
use support::servers::http::{How, Reply, Request, Server};
use support::servers::rest::Tables;
use support::{Api, folders};

/// Something that a client does.
struct Operation {
    name: &'static str,
    verb: &'static str,
    /// What the target of the request that goes wrong contains.
    target: &'static str,
    run: fn(&Session<'_>) -> StepResult,
    /// Done twice it does what it does once, so that it may be asked for again.
    again: bool,
    /// Its answer says something.
    tells: bool,
}

const fn of(
    name: &'static str,
    verb: &'static str,
    target: &'static str,
    (again, tells): (bool, bool),
    run: fn(&Session<'_>) -> StepResult,
) -> Operation {
    Operation { name, verb, target, run, again, tells }
}

/// Asked again where the answer is lost, or not; with an answer that says something, or not.
const ASKS: (bool, bool) = (true, true);
const SETS: (bool, bool) = (true, false);
const WRITES: (bool, bool) = (false, true);
const CHANGES: (bool, bool) = (false, false);

const OPERATIONS: [Operation; 28] = [
    of("open array", "POST", "/v2/arrays/ws/ts/d/?", ASKS, |s| s.open("d", READ).map(|_| String::new())),
    of("open group", "POST", "/contents", ASKS, |s| s.read_group()),
    of("create array", "POST", "/v1/arrays/ws/ts/new", CHANGES, |s| s.create("new", false)),
    of("load schema", "GET", "/v1/arrays/ws/ts/d", ASKS, |s| s.schema("d")),
    of("read dense", "POST", "submit?type=READ", ASKS, |s| s.read("d", None, 4096)),
    of("read sparse in pieces", "POST", "submit?type=READ", ASKS, |s| s.read("s", None, 24)),
    of("aggregate", "POST", "submit?type=READ", ASKS, |s| s.aggregates()),
    of("write", "POST", "submit?type=WRITE", ASKS, |s| s.write_dense()),
    of("write duplicates", "POST", "submit?type=WRITE", WRITES, |s| s.write_sparse("u", &[7, 8], UNORDERED)),
    of("write in global order", "POST", "submit?type=WRITE", WRITES, |s| s.write_globally()),
    of("end of a global write", "POST", "submit_and_finalize?type=WRITE", WRITES, |s| s.write_globally()),
    of("finalize", "POST", "finalize?type=WRITE", ASKS, |s| s.write_dense()),
    of("delete cells", "POST", "submit?type=DELETE", ASKS, |s| s.delete_cells()),
    of("delete array", "DELETE", "/v1/arrays/ws/ts/s", CHANGES, |s| s.by_uri("array_delete", "s")),
    of("evolve", "POST", "/evolve", CHANGES, |s| s.evolve()),
    of("write metadata", "POST", "/array_metadata", SETS, |s| s.put_metadata()),
    of("fragment info", "POST", "/fragment_info", ASKS, |s| s.fragments()),
    of("estimates", "POST", "/est_result_sizes", ASKS, |s| s.estimate()),
    of("query plan", "POST", "/query/plan", ASKS, |s| s.plan()),
    of("consolidation plan", "POST", "/consolidate/plan", ASKS, |s| s.consolidation_plan()),
    of("consolidate", "POST", "/d/consolidate", CHANGES, |s| s.maintain("array_consolidate")),
    of("consolidate and tell", "POST", "/d/consolidate", CHANGES, |s| s.watched()),
    of("vacuum", "POST", "/d/vacuum", CHANGES, |s| s.maintain("array_vacuum")),
    of("delete fragments", "POST", "/delete_fragments", CHANGES, |s| s.delete_fragments()),
    of("create group", "POST", "/v2/groups/ws/ts/h", CHANGES, |s| s.create_group("h")),
    of("add a member", "PATCH", "/contents", CHANGES, |s| s.change_group(true, false)),
    of("write metadata of a group", "PUT", "/metadata", SETS, |s| s.change_group(false, true)),
    of("delete group", "DELETE", "/groups/ws/ts/g/delete", CHANGES, |s| s.delete_group()),
];

/// Operations of clients that open arrays in parts.
const OLDER: [Operation; 2] = [
    of("read metadata", "GET", "/array_metadata", ASKS, |s| s.get_metadata()),
    of("non-empty domain", "GET", "/non_empty_domain", ASKS, |s| s.domain()),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Busy,
    BusyFor,
    TooMany,
    CutBody,
    CutChunks,
    CutHead,
    Lost,
    Silent,
    Slow,
    SameHost,
    OtherHost,
    Loop,
    Garbage,
    OtherType,
    NoGzip,
    Encoded,
}

const FAULTS: [Fault; 16] = [
    Fault::Busy,
    Fault::BusyFor,
    Fault::TooMany,
    Fault::CutBody,
    Fault::CutChunks,
    Fault::CutHead,
    Fault::Lost,
    Fault::Silent,
    Fault::Slow,
    Fault::SameHost,
    Fault::OtherHost,
    Fault::Loop,
    Fault::Garbage,
    Fault::OtherType,
    Fault::NoGzip,
    Fault::Encoded,
];

impl Fault {
    /// What goes out instead of the sound reply, which is made by `sound` where the server does its work.
    fn strike(self, request: &Request, other: &str, sound: impl Fn() -> Reply) -> Option<Reply> {
        let away = |to: String| Some(Reply::new(307, "").with("location", &to));
        let sound = || Reply { status: 200, ..sound() };
        let damaged = |body: Option<&[u8]>, header: (&str, &str)| {
            let mut reply = sound();
            reply.headers.retain(|(name, _)| name != header.0);
            let body = body.map_or(reply.body, <[u8]>::to_vec);
            Some(Reply { body, ..Reply::new(200, "") }.with(header.0, header.1))
        };
        match self {
            Fault::Busy => Some(Reply::new(503, "busy")),
            Fault::BusyFor => Some(Reply::new(503, "busy").with("Retry-After", "1")),
            Fault::TooMany => Some(Reply::new(429, "less, please")),
            Fault::CutBody => {
                let reply = sound();
                // What says nothing breaks off before it began.
                let how = if reply.body.is_empty() { How::CutHead } else { How::Cut(reply.body.len() / 2) };
                Some(Reply { how, ..reply })
            }
            Fault::CutChunks => Some(Reply { how: How::CutChunks, ..sound() }),
            Fault::CutHead => Some(Reply { how: How::CutHead, ..sound() }),
            Fault::Lost => {
                sound();
                None
            }
            Fault::Silent => Some(Reply { how: How::Silent, ..sound() }),
            Fault::Slow => Some(Reply { how: How::Slow(Duration::from_millis(10)), ..sound() }),
            Fault::SameHost => away(format!("/elsewhere{}", request.target)),
            Fault::OtherHost => away(format!("{other}{}", request.target)),
            Fault::Loop => away(request.target.clone()),
            Fault::Garbage => damaged(Some(b"<html>Welcome to this network</html>"), ("content-type", "text/html")),
            Fault::OtherType => damaged(None, ("content-type", "text/html")),
            Fault::NoGzip => damaged(Some(b"nothing that was packed"), ("content-encoding", "gzip")),
            Fault::Encoded => damaged(None, ("content-encoding", "br")),
        }
    }

    /// What an operation comes to when its request goes wrong once: what an error says, none where nothing is seen of the fault.
    fn outcome(self, operation: &Operation) -> Option<&'static str> {
        let doubt = (!operation.again).then_some("may have done what was asked for");
        match self {
            Fault::Busy | Fault::BusyFor | Fault::Slow | Fault::SameHost | Fault::OtherHost | Fault::OtherType => None,
            Fault::TooMany => Some("HTTP code 429"),
            Fault::CutBody | Fault::CutChunks | Fault::CutHead | Fault::Lost | Fault::Silent => doubt,
            // Once, it leads where the answer is.
            Fault::Loop => None,
            Fault::Garbage if operation.tells => Some("answers what cannot be used"),
            Fault::Garbage => None,
            // What is packed wrongly may be better the next time.
            Fault::NoGzip => doubt,
            Fault::Encoded => Some("which was not asked for"),
        }
    }
}

/// What has become of an operation.
struct Fate {
    result: Result<String, String>,
    /// How often the server did what the request asked for, and how often it was asked.
    done: usize,
    requests: usize,
    hosts: [String; 2],
    /// A host that was not to know them was told the credentials.
    has_leaked: bool,
}

/// Carries out an operation on a copy of what there is; the first `times` requests that it is about go wrong.
fn run(api: &Api, operation: &Operation, older: bool, from: &Path, fault: Option<(Fault, usize)>) -> Fate {
    let home = tempfile::tempdir().unwrap();
    folders::copy(from, home.path());
    let tables = Arc::new(Tables::new(Api::ours(), home.path()));
    let (requests, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (verb, target) = (operation.verb, operation.target);
    let concerns = move |request: &Request| request.verb == verb && request.target.contains(target);
    let answer = {
        let done = done.clone();
        move |request: &Request| {
            let reply = tables.answer(request);
            if concerns(request) && reply.status < 300 {
                done.fetch_add(1, Ordering::SeqCst);
            }
            reply
        }
    };
    let answer = Arc::new(answer);
    let elsewhere = answer.clone();
    let other = Server::start(move |_, request| Some(elsewhere(request)));
    let (to, count) = (other.address.clone(), requests.clone());
    let server = Server::start(move |_, request| {
        if let Some(target) = request.target.strip_prefix("/elsewhere") {
            return Some(answer(&Request { target: target.to_owned(), ..request.clone() }));
        }
        match fault {
            Some((fault, times)) if concerns(request) && count.fetch_add(1, Ordering::SeqCst) < times => {
                fault.strike(request, &to, || answer(request))
            }
            _ => Some(answer(request)),
        }
    });
    let mut config = vec![("rest.custom_headers.x-mine", "hush"), ("rest.retry_count", "2")];
    if matches!(fault, Some((Fault::Silent, _))) {
        config.push(("rest.progress_timeout_ms", "2000"));
    }
    if older {
        config.push(("rest.use_refactored_array_open", "false"));
        config.push(("rest.use_refactored_array_open_and_query_submit", "false"));
    }
    let ctx = client(api, &server.address, &config);
    let result = (operation.run)(&Session(&ctx)).map_err(|failure| failure.text);
    let has_leaked = other.requests().iter().any(|r| r.headers.iter().any(|(_, value)| value.contains("hush")));
    Fate {
        result,
        done: done.load(Ordering::SeqCst),
        requests: requests.load(Ordering::SeqCst),
        hosts: [server.host().to_owned(), other.host().to_owned()],
        has_leaked,
    }
}

/// What is wrong with what has become of an operation.
fn judge(operation: &Operation, fault: Fault, lasts: bool, fate: &Fate, sound: &Fate) -> Option<String> {
    let expected = match (fault.outcome(operation), fault) {
        // What is never mended is reported in the end.
        (None, Fault::Busy | Fault::BusyFor) if lasts => Some("HTTP code 503"),
        (None, Fault::CutBody | Fault::CutChunks | Fault::CutHead | Fault::Lost | Fault::Silent | Fault::NoGzip)
            if lasts =>
        {
            Some(":")
        }
        (None, Fault::Loop) if lasts => Some("sends elsewhere once more"),
        (expected, _) => expected,
    };
    let names_host = |text: &str| fate.hosts.iter().any(|host| text.contains(host.as_str()));
    match (&fate.result, expected) {
        _ if fate.has_leaked => Some("another host was told who the user is".to_owned()),
        _ if fate.done > sound.done.max(1) && !operation.again => Some(format!("done {} times", fate.done)),
        (Ok(result), None) => {
            (Ok(result) != sound.result.as_ref()).then(|| format!("{result:?}, not {:?}", sound.result))
        }
        (Err(text), Some(expected)) if text.contains(expected) && names_host(text) => None,
        (result, expected) => Some(format!("{result:?}, not {expected:?}")),
    }
}

/// All faults of one operation: for each what becomes of it if the fault is once, and if it lasts; what is wrong.
fn rows(api: &Api, operation: &Operation, older: bool, from: &Path) -> (Vec<String>, Vec<String>) {
    let sound = run(api, operation, older, from, None);
    assert!(sound.result.is_ok() && sound.done > 0, "{}: {:?}", operation.name, sound.result);
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for fault in FAULTS {
        let mut row = format!("{} | {fault:?}", operation.name);
        for lasts in [false, true] {
            let begun = Instant::now();
            let fate = run(api, operation, older, from, Some((fault, if lasts { usize::MAX } else { 1 })));
            if let Some(text) = judge(operation, fault, lasts, &fate, &sound) {
                wrong.push(format!("{} | {fault:?} | lasts: {lasts}: {text}", operation.name));
            }
            if begun.elapsed() > Duration::from_secs(120) {
                wrong.push(format!("{} | {fault:?} | {:?}", operation.name, begun.elapsed()));
            }
            let kind = match (&fate.result, fate.requests > sound.done.max(1)) {
                (Ok(_), false) => "borne",
                (Ok(_), true) => "asked again",
                (Err(_), _) => "error",
            };
            row += &format!(" | {kind}, done {}", fate.done);
        }
        rows.push(row);
    }
    (rows, wrong)
}

#[test]
fn every_operation_survives_or_reports_every_fault() {
    let (api, home) = (Api::ours(), tempfile::tempdir().unwrap());
    {
        let tables = Tables::new(Api::ours(), home.path());
        let server = Server::start(move |_, request| Some(tables.answer(request)));
        let ctx = client(&api, &server.address, &[]);
        let s = Session(&ctx);
        let made = [
            s.create("d", false),
            s.create("s", true),
            s.create_as("u", true, true),
            s.write_dense(),
            s.write_dense(),
            s.write_sparse("s", &[3, 1, 2, 30], UNORDERED),
            s.put_metadata(),
            s.create_group("g"),
        ];
        made.into_iter().for_each(|made| drop(made.unwrap()));
    }
    let all: Vec<(&Operation, bool)> =
        OPERATIONS.iter().map(|one| (one, false)).chain(OLDER.iter().map(|one| (one, true))).collect();
    let (next, from) = (AtomicUsize::new(0), home.path());
    let outcomes = std::thread::scope(|scope| {
        let work = || {
            let mut mine = Vec::new();
            while let Some((operation, older)) = all.get(next.fetch_add(1, Ordering::SeqCst)) {
                mine.push(rows(&api, operation, *older, from));
            }
            mine
        };
        let workers: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    let mut wrong = Vec::new();
    for (rows, faults) in outcomes {
        rows.iter().for_each(|row| println!("{row}"));
        wrong.extend(faults);
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len() * FAULTS.len() * 2, wrong.join("\n"));
}
