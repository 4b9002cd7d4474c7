//! Misbehaving TileDB servers.

use std::io::Write;

use crate::stores::{Answer, FAULTS};
use crate::{Outcome, Scenario};
use support::servers::certificate::Certificate;
use support::servers::web::{Reply, Request, Server};
use support::{Api, Ctx, Failure, pointer, text};

type Done = Result<(), Failure>;

type Operation = fn(&Ctx<'_>) -> Done;

const OPERATIONS: [(&str, Operation); 8] = [
    ("object_type", |ctx| ctx.get("object_type", &[pointer(&uri())]).map(drop)),
    ("load_schema", |ctx| ctx.get("array_schema_load", &[pointer(&uri())]).map(drop)),
    ("open", |ctx| {
        let array = ctx.get("array_alloc", &[pointer(&uri())])?;
        ctx.call("array_open", &[array, 0])
    }),
    ("open_group", |ctx| {
        let group = ctx.get("group_alloc", &[pointer(&uri())])?;
        ctx.call("group_open", &[group, 0])
    }),
    ("create_group", |ctx| ctx.call("group_create", &[pointer(&uri())])),
    ("fragment_info", |ctx| {
        let info = ctx.get("fragment_info_alloc", &[pointer(&uri())])?;
        ctx.call("fragment_info_load", &[info])
    }),
    ("consolidate", |ctx| ctx.call("array_consolidate", &[pointer(&uri()), 0])),
    ("delete", |ctx| ctx.call("array_delete", &[pointer(&uri())])),
];

fn uri() -> std::ffi::CString {
    text("tiledb://space/array")
}

fn context<'a>(api: &'a Api, server: &Server, more: &[(&str, &str)]) -> Ctx<'a> {
    let mut config = vec![
        ("rest.server_address", server.address.as_str()),
        ("rest.token", "hush-token"),
        ("rest.custom_headers.x-mine", "hush-header"),
        ("rest.retry_count", "0"),
        ("rest.progress_timeout_ms", "1000"),
        ("rest.capnp_traversal_limit", "30000000"),
    ];
    config.extend_from_slice(more);
    api.context(&config)
}

/// A server of before TileDB 3, which does not know what it can do.
fn reply_to(request: &Request, reply: &Reply) -> Reply {
    if request.has("/v4/capabilities") { Reply::of(404, "") } else { reply.clone() }
}

fn outcome(done: Done, thief: &Server) -> Outcome {
    let leaks = thief.requests().iter().map(Request::text).filter(|text| text.contains("hush")).collect();
    Outcome { result: done.map(|()| "done".to_owned()).map_err(|failure| failure.text), leaks }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn in_gzip(_: &str) -> Reply {
    Reply::of(200, packed(&vec![0; 64 << 20])).with("content-encoding", "gzip")
}

/// Skippable frames.
fn nothing_in_zstd(_: &str) -> Reply {
    Reply::of(200, [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0].repeat(1 << 20)).with("content-encoding", "zstd")
}

/// Bodies that are small on their way, and such as are no messages.
const BODIES: [(&str, bool, Answer); 5] = [
    ("gzip_bomb", true, in_gzip),
    ("zstd_of_nothing", true, nothing_in_zstd),
    ("other_encoding", false, |_| Reply::of(200, "x").with("content-encoding", "br")),
    ("zeros", true, |_| Reply::of(200, vec![0; 1 << 20])),
    ("ones", true, |_| Reply::of(200, vec![0xff; 1 << 20])),
];

pub fn all() -> Vec<Scenario> {
    let mut all = Vec::new();
    for (name, run) in OPERATIONS {
        for (fault, has_head, answer) in FAULTS.into_iter().chain(BODIES) {
            // What needs no answer is done with any, as far as it comes whole.
            let is_read = has_head
                && matches!(
                    fault,
                    "slow_body"
                        | "endless_trailers"
                        | "endless_body"
                        | "huge_length"
                        | "cut"
                        | "gzip_bomb"
                        | "zstd_of_nothing"
                );
            // A group may be one of nothing.
            let needs_no_body = matches!(name, "object_type" | "create_group" | "consolidate" | "delete");
            let needs_body = !needs_no_body && (name, fault) != ("open_group", "zeros");
            all.push(Scenario {
                name: format!("rest/{name}/{fault}"),
                seconds: 30,
                is_quick: true,
                must_fail: !has_head || needs_body || (is_read && !matches!(name, "object_type" | "create_group")),
                run: Box::new(move |api| {
                    let thief = Server::elsewhere(|_| Reply::of(403, ""));
                    let reply = answer(&thief.address);
                    let server = Server::start(move |request| reply_to(request, &reply));
                    outcome(run(&context(api, &server, &[])), &thief)
                }),
            });
        }
        for (kind, to) in [
            ("https_to_http", None),
            ("user", Some("http://x@")),
            ("relative", Some("//")),
            ("other_scheme", Some("file://")),
        ] {
            all.push(Scenario {
                name: format!("rest/{name}/redirect_{kind}"),
                seconds: 30,
                is_quick: true,
                must_fail: true,
                run: Box::new(move |api| {
                    let thief = Server::elsewhere(|_| Reply::of(200, ""));
                    let to = format!("{}{}/x", to.unwrap_or("http://"), thief.host());
                    let certificate = Certificate::new("hostile");
                    let file = tempfile::NamedTempFile::new().unwrap();
                    std::fs::write(file.path(), certificate.pem()).unwrap();
                    let reply = Reply::of(307, "").with("location", to);
                    let server = Server::with_tls(&certificate, move |request| reply_to(request, &reply));
                    let ctx = context(
                        api,
                        &server,
                        &[("ssl.ca_file", file.path().to_str().unwrap()), ("rest.redirect_hosts", "*")],
                    );
                    let done = run(&ctx);
                    let leaks = thief.requests().iter().map(Request::text).collect();
                    Outcome { result: done.map(|()| "done".to_owned()).map_err(|failure| failure.text), leaks }
                }),
            });
        }
    }
    all
}
