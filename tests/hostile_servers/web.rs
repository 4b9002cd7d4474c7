//! Misbehaving web servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::stores::{FAULTS, Files, LISTINGS, Store};
use crate::{Outcome, Scenario};
use support::servers::web::{Reply, Request, Server};
use support::{Api, Ctx, Failure, pointer};

/// Seconds that anything may take, and that what is slow may take.
const LIMIT: u64 = 45;
const SLOW: u64 = 150;

/// The file that operations read.
const INDEX: &str = "__tiledb_index.json";

/// A context with a key for the server; everything secret contains "hush".
fn context<'a>(api: &'a Api, server: &Server, more: &[(&str, &str)]) -> Ctx<'a> {
    let mut config = vec![
        ("vfs.http.authorization", "Bearer hush"),
        ("vfs.http.credential_origins", server.address.as_str()),
        ("vfs.http.max_retries", "0"),
        ("vfs.http.request_timeout_ms", "1000"),
        ("sm.mem.total_budget", "40000000"),
    ];
    config.extend_from_slice(more);
    api.context(&config)
}

type Done = Result<(), Failure>;

/// Something that is asked of a web server.
struct Operation {
    name: &'static str,
    run: fn(&Files<'_>) -> Done,
    /// Whether it can be done without the body of a response.
    needs_body: bool,
}

const OPERATIONS: [Operation; 7] = [
    Operation { name: "ls", run: |files| files.list(), needs_body: true },
    Operation { name: "dir_size", run: |files| files.get("vfs_dir_size", "p"), needs_body: true },
    Operation { name: "is_dir", run: |files| files.get("vfs_is_dir", "p"), needs_body: true },
    Operation { name: "object_type", run: |files| object_type(files), needs_body: true },
    Operation { name: "open", run: |files| open(files), needs_body: true },
    Operation { name: "read", run: |files| files.read(), needs_body: false },
    Operation { name: "is_file", run: |files| files.get("vfs_is_file", "p/f"), needs_body: false },
];

fn object_type(files: &Files<'_>) -> Done {
    files.ctx.get("object_type", &[pointer(&files.uri("p"))]).map(drop)
}

fn open(files: &Files<'_>) -> Done {
    let array = files.ctx.get("array_alloc", &[pointer(&files.uri("p"))])?;
    let opened = files.ctx.call("array_open", &[array, 0]);
    files.ctx.free("array", array);
    opened
}

fn outcome(done: Done, thief: &Server) -> Outcome {
    // Public and private servers are not told apart on one machine; keys must stay with their origin.
    let leaks = thief.requests().iter().map(Request::text).filter(|request| request.contains("hush")).collect();
    Outcome { result: done.map(|()| "done".to_owned()).map_err(|failure| failure.text), leaks }
}

fn scenario(
    name: String,
    is_slow: bool,
    must_fail: bool,
    operation: fn(&Files<'_>) -> Done,
    more: &'static [(&str, &str)],
    answer: impl Fn(&Request, &str) -> Reply + Send + Sync + Clone + 'static,
) -> Scenario {
    Scenario {
        name,
        seconds: if is_slow { SLOW } else { LIMIT },
        is_quick: !is_slow,
        must_fail,
        run: Box::new(move |api| {
            let thief = Server::elsewhere(|_| Reply::of(200, ""));
            let (address, answer) = (thief.address.clone(), answer.clone());
            let server = Server::start(move |request| answer(request, &address));
            let files = Files::new(context(api, &server, more), &server.address);
            outcome(operation(&files), &thief)
        }),
    }
}

/// Every fault of stores, to every request, and to those after the index.
fn generic() -> Vec<Scenario> {
    let mut all = Vec::new();
    for operation in &OPERATIONS {
        for (fault, has_head, answer) in FAULTS {
            let is_slow = matches!(fault, "slow_body" | "slow_head" | "silent");
            // A redirect to a server that sends an empty file is followed.
            let is_redirect = matches!(fault, "moved" | "found" | "temporary_redirect");
            let must_fail = !is_redirect && (!has_head || operation.needs_body);
            let name = format!("web/{}/{fault}", operation.name);
            all.push(scenario(name, is_slow, must_fail, operation.run, &[], move |_, thief| answer(thief)));
            let name = format!("web/{}/html_{fault}", operation.name);
            let html: &[(&str, &str)] = &[("vfs.http.html_listing", "true")];
            let answer = move |request: &Request, thief: &str| match request.has(INDEX) {
                true => Reply::of(404, ""),
                false => answer(thief),
            };
            // What has a sound head is a file, and so no folder.
            let is_file = operation.name == "is_dir" && has_head;
            let must_fail = must_fail && fault != "error" && !is_file;
            all.push(scenario(name, is_slow, must_fail, operation.run, html, answer));
        }
    }
    all
}

/// An index of one schema of 100 bytes.
fn index_of_schema() -> String {
    format!("{{\"tiledb_index\":1,\"files\":{{\"__schema\":{{\"__1_1_{}\":100}}}}}}", "0".repeat(32))
}

/// Indexes and listings that lead elsewhere, or never end.
fn listings() -> Vec<Scenario> {
    type Body = fn() -> Reply;
    const INDEXES: [(&str, Body); 9] = [
        ("parent", || Reply::of(200, r#"{"tiledb_index":1,"files":{"..":{"f":1}}}"#)),
        ("slash", || Reply::of(200, r#"{"tiledb_index":1,"files":{"a/../../f":1}}"#)),
        ("control", || Reply::of(200, "{\"tiledb_index\":1,\"files\":{\"a\\u0000\":1}}")),
        ("negative", || Reply::of(200, r#"{"tiledb_index":1,"files":{"a":-1}}"#)),
        ("newer", || Reply::of(200, r#"{"tiledb_index":9,"files":{}}"#)),
        ("deep", || Reply::of(200, format!("{{\"tiledb_index\":1,\"files\":{}", "{\"a\":".repeat(100_000)))),
        ("wide", || {
            Reply::of(200, format!("{{\"tiledb_index\":1,\"files\":{{{}\"a\":1}}}}", "\"b\":1,".repeat(2_000_000)))
        }),
        ("large", || Reply::of(200, vec![b' '; 20 << 20])),
        ("compressed", || Reply::of(200, "{}").with("content-encoding", "gzip")),
    ];
    let mut all = Vec::new();
    for operation in OPERATIONS.iter().filter(|operation| operation.needs_body) {
        for (fault, body) in INDEXES {
            let name = format!("web/{}/index_{fault}", operation.name);
            all.push(scenario(name, false, true, operation.run, &[], move |_, _| body()));
        }
        // Each folder leads to an index of its own.
        let linked = |_: &Request, _: &str| Reply::of(200, r#"{"tiledb_index":1,"files":{"a":null}}"#);
        let name = format!("web/{}/index_links", operation.name);
        let must_fail = matches!(operation.name, "dir_size" | "open");
        all.push(scenario(name, false, must_fail, operation.run, &[], linked));
        let xml = |request: &Request, _: &str| match request.has("list-type") {
            true => {
                let listed = "<Contents><Key>p/../../f</Key><Size>1</Size></Contents>";
                Reply::of(200, format!("<ListBucketResult>{listed}</ListBucketResult>"))
                    .with("content-type", "application/xml")
            }
            false => Reply::of(404, ""),
        };
        let name = format!("web/{}/xml_parent", operation.name);
        all.push(scenario(name, false, true, operation.run, &[], xml));
        let endless = |request: &Request, _: &str| match request.has("list-type") {
            true => {
                let page = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";
                Reply::of(200, format!("<ListBucketResult>{page}</ListBucketResult>"))
                    .with("content-type", "application/xml")
            }
            false => Reply::of(404, ""),
        };
        let name = format!("web/{}/xml_endless", operation.name);
        all.push(scenario(name, false, true, operation.run, &[], endless));
        for (kind, page) in LISTINGS {
            let count = Arc::new(AtomicUsize::new(0));
            let xml = move |request: &Request, _: &str| match request.has("list-type") {
                true => Reply::of(200, page(Store::S3, count.fetch_add(1, Ordering::SeqCst)))
                    .with("content-type", "application/xml"),
                false => Reply::of(404, ""),
            };
            all.push(scenario(format!("web/{}/xml_{kind}", operation.name), false, true, operation.run, &[], xml));
        }
        all.extend(pages_of_links(operation));
    }
    all
}

/// Pages of links that lead elsewhere, or never end.
fn pages_of_links(operation: &Operation) -> Vec<Scenario> {
    type Links = fn(&str) -> String;
    const PAGES: [(&str, Links); 5] = [
        ("elsewhere", |thief| {
            format!("<a href=\"{thief}/x\">x</a><a href=\"//{}/y\">y</a>", &thief["http://".len()..])
        }),
        ("parent", |_| "<a href=\"../../f\">f</a><a href=\"%2e%2e/\">g</a><a href=\"a%2f..%2fb\">b</a>".to_owned()),
        ("itself", |_| "<a href=\"a/\">a</a>".to_owned()),
        ("large", |_| "<a href=\"b\">b</a>".repeat(2_000_000)),
        ("unclosed", |_| "<a href=\"".repeat(1_000_000)),
    ];
    let of_page = |(kind, links): (&str, Links)| {
        let must_fail = match kind {
            "itself" => operation.name == "dir_size",
            "large" => operation.name != "is_dir",
            _ => operation.name == "open",
        };
        let answer = move |request: &Request, thief: &str| match request.has(INDEX) || request.has("list-type") {
            true => Reply::of(404, ""),
            false => {
                Reply::of(200, format!("<title>Index of /</title>{}", links(thief))).with("content-type", "text/html")
            }
        };
        let html: &[(&str, &str)] = &[("vfs.http.html_listing", "true")];
        scenario(format!("web/{}/links_{kind}", operation.name), false, must_fail, operation.run, html, answer)
    };
    PAGES.into_iter().map(of_page).collect()
}

/// Parts of files that are not what was requested.
fn ranges() -> Vec<Scenario> {
    type Part = fn(&Request) -> Reply;
    const PARTS: [(&str, Part); 12] = [
        ("other_range", |_| Reply::of(206, vec![b'x'; 100]).with("content-range", "bytes 7-106/300000")),
        ("longer_range", |_| Reply::of(206, vec![b'x'; 20 << 20]).with("content-range", "bytes 0-9/300000")),
        ("no_range", |_| Reply::of(206, vec![b'x'; 100])),
        ("backwards", |_| Reply::of(206, vec![b'x'; 100]).with("content-range", "bytes 99-0/100")),
        ("beyond", |_| Reply::of(206, vec![b'x'; 100]).with("content-range", "bytes 0-99/50")),
        ("overflow", |_| Reply::of(206, vec![b'x'; 100]).with("content-range", "bytes 0-18446744073709551615/*")),
        ("short_body", |_| {
            Reply::of(206, vec![b'x'; 10])
                .with("content-range", "bytes 0-99/100")
                .with("content-length", "100")
                .with("connection", "close")
        }),
        ("whole_large", |_| Reply::of(200, vec![b'x'; 20 << 20])),
        ("compressed", |_| {
            Reply::of(206, vec![b'x'; 100]).with("content-range", "bytes 0-99/100").with("content-encoding", "br")
        }),
        ("unsatisfied", |_| Reply::of(416, "").with("content-range", "bytes */5")),
        ("precondition", |_| Reply::of(412, "")),
        ("redirect_loop", |request| Reply::of(302, "").with("location", format!("{}x", request.target))),
    ];
    let mut all = Vec::new();
    for (fault, part) in PARTS {
        let operation = &OPERATIONS[4];
        let can_succeed = matches!(fault, "short_body");
        all.push(scenario(format!("web/read/{fault}"), false, !can_succeed, operation.run, &[], move |request, _| {
            part(request)
        }));
        let name = format!("web/open/{fault}");
        let answer = move |request: &Request, _: &str| match request.has(INDEX) {
            true => Reply::of(200, index_of_schema()),
            false => part(request),
        };
        all.push(scenario(name, false, true, open, &[], answer));
    }
    all
}

/// Redirects, by which keys could reach other servers.
fn redirects() -> Vec<Scenario> {
    type Target = fn(&str) -> String;
    const TARGETS: [(&str, Target); 7] = [
        ("elsewhere", |thief| format!("{thief}/x")),
        ("user", |thief| thief.replace("http://", "http://u@") + "/x"),
        ("without_scheme", |thief| thief.replace("http:", "") + "/x"),
        ("file", |_| "file:///etc/passwd".to_owned()),
        ("javascript", |_| "javascript:x".to_owned()),
        ("empty", |_| String::new()),
        ("control", |_| "/a\tb".to_owned()),
    ];
    let mut all = Vec::new();
    for operation in &OPERATIONS {
        for status in [301, 302, 303, 307, 308] {
            for (kind, target) in TARGETS {
                let name = format!("web/{}/redirect_{status}_{kind}", operation.name);
                let must_fail =
                    matches!(kind, "user" | "file" | "javascript") || (operation.needs_body && kind != "control");
                let answer = move |_: &Request, thief: &str| Reply::of(status, "").with("location", target(thief));
                all.push(scenario(name, false, must_fail, operation.run, &[], answer));
            }
        }
    }
    all
}

pub fn all() -> Vec<Scenario> {
    [generic(), listings(), ranges(), redirects()].into_iter().flatten().collect()
}
