//! Failing requests, redirects and compressed responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::session;
use support::messages::CAPNP;
use support::servers::http::{How, Reply, Request, Server};
use support::servers::rest::{Tables, capabilities};
use support::{Api, Ctx, pointer, text};

const FAST: [(&str, &str); 3] =
    [("rest.token", "hush"), ("rest.retry_initial_delay_ms", "5"), ("rest.retry_count", "3")];

pub fn client<'a>(api: &'a Api, address: &str, more: &[(&str, &str)]) -> Ctx<'a> {
    let mut config = FAST.to_vec();
    config.push(("rest.server_address", address));
    config.extend_from_slice(more);
    api.context(&config)
}

pub fn tables() -> (Tables, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (Tables::new(Api::ours(), folder.path()), folder)
}

pub fn object_type(ctx: &Ctx<'_>) -> Result<u64, String> {
    let uri = text(&session::uri("d"));
    ctx.get("object_type", &[pointer(&uri)]).map(|kind| kind & 0xff).map_err(|failure| failure.text)
}

/// Runs the session while a fault is made at every request of it in turn that `concerns` names; how often that was.
fn session_with(
    fault: impl Fn(Reply) -> Option<Reply> + Send + Sync + 'static,
    concerns: fn(&Request) -> bool,
) -> (Vec<String>, usize) {
    let (tables, _folder) = tables();
    let (broken, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let counted = count.clone();
    let server = Server::start(move |_, request| {
        // Every other request of the kind fails, so that what is made again succeeds.
        if concerns(request) && !broken.fetch_xor(true, Ordering::SeqCst) {
            counted.fetch_add(1, Ordering::SeqCst);
            return fault(tables.answer(request));
        }
        Some(tables.answer(request))
    });
    let api = Api::ours();
    let ctx = client(&api, &server.address, &[]);
    let results = session::run(&ctx, true);
    let results = results.into_iter().map(|(name, result)| match result {
        Ok(result) => format!("{name}: {result}"),
        Err(failure) => format!("{name}: FAILED {}", failure.text),
    });
    (results.collect(), count.load(Ordering::SeqCst))
}

fn reads(request: &Request) -> bool {
    request.target.contains("type=READ") || request.verb == "GET"
}

fn sound() -> Vec<String> {
    session_with(Some, |_| false).0
}

#[test]
fn requests_refused_by_a_busy_server_are_retried() {
    let (tables, _folder) = tables();
    let broken = AtomicBool::new(false);
    let server = Server::start(move |_, request| {
        // Nothing is done that is refused.
        let refuses = !broken.fetch_xor(true, Ordering::SeqCst);
        Some(if refuses { Reply::new(503, "busy") } else { tables.answer(request) })
    });
    let api = Api::ours();
    let results = session::run(&client(&api, &server.address, &[]), true);
    assert!(results.iter().all(|(_, result)| result.is_ok()), "{results:#?}");
    assert!(server.requests().len() > 80);
}

#[test]
fn broken_responses_to_reads_are_retried() {
    let sound = sound();
    let cut = |reply: Reply| {
        let end = reply.body.len() / 2;
        Some(Reply { how: How::Cut(end), ..reply })
    };
    let lost = |_: Reply| None;
    for (results, count) in [session_with(cut, reads), session_with(lost, reads)] {
        assert_eq!(results, sound);
        assert!(count >= 8, "{count}");
    }
}

#[test]
fn writes_with_a_lost_response_are_not_repeated() {
    let writes = |request: &Request| {
        request.target.contains("/query/submit_and_finalize") || request.target.ends_with("/evolve")
    };
    let (results, count) = session_with(|_| None, writes);
    let failed: Vec<&String> = results.iter().filter(|result| result.contains("FAILED")).collect();
    assert!(failed.iter().all(|result| result.contains("it is not asked again")), "{failed:#?}");
    assert!((1..=2).contains(&failed.len()) && count == failed.len(), "{failed:#?}");
    let sound = sound();
    for (result, sound) in results.iter().zip(&sound).filter(|(result, _)| !result.contains("FAILED")) {
        assert_eq!(result, sound, "what was done was done once");
    }
}

#[test]
fn unreachable_server_is_an_error_with_its_address() {
    let api = Api::ours();
    let ctx = client(&api, "http://127.0.0.1:9", &[("rest.retry_count", "0")]);
    let text = object_type(&ctx).unwrap_err();
    assert!(text.contains("127.0.0.1:9") && text.to_lowercase().contains("refused"), "{text}");
    let ctx = api.context(&[("rest.server_address", "http://127.0.0.1:9")]);
    assert!(object_type(&ctx).unwrap_err().contains("Missing TileDB authentication"));
}

#[test]
fn malformed_response_is_an_error() {
    for body in [&b"<html>"[..], b"", &[0; 7], &[255; 64]] {
        let server = Server::start(move |_, _| Some(Reply::new(200, body)));
        let api = Api::ours();
        let text = object_type(&client(&api, &server.address, &[])).unwrap_err();
        assert!(text.contains("Cannot ask the server at"), "{text}");
    }
}

#[test]
fn request_ends_when_cancelled_or_timed_out() {
    let server = Server::start(|_, request| {
        if request.target.ends_with("capabilities") {
            return Some(Reply::new(200, capabilities(CAPNP)));
        }
        std::thread::sleep(Duration::from_secs(30));
        None
    });
    let api = Api::ours();
    let ctx = client(&api, &server.address, &[("rest.progress_timeout_ms", "200"), ("rest.retry_count", "1")]);
    let begun = Instant::now();
    assert!(object_type(&ctx).unwrap_err().contains("No answer"));
    assert!(begun.elapsed() < Duration::from_secs(10));
    let ctx = client(&api, &server.address, &[]);
    let (begun, before) = (Instant::now(), server.requests().len());
    std::thread::scope(|scope| {
        let ctx = &ctx;
        let opening = scope.spawn(move || {
            let uri = text(&session::uri("d"));
            let array = ctx.get("array_alloc", &[pointer(&uri)]).unwrap();
            ctx.call("array_open", &[array, 0]).unwrap_err().text
        });
        while server.requests().len() < before + 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        ctx.call("ctx_cancel_tasks", &[]).unwrap();
        let text = opening.join().unwrap();
        assert!(text.contains("cancelled"), "{text}");
    });
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn redirect_is_followed_once_and_without_credentials_unless_allowed() {
    for allowed in [false, true] {
        let (tables, _folder) = tables();
        let other = Server::start(move |_, request| Some(tables.answer(request)));
        let to = other.address.clone();
        let first = Server::start(move |_, request| {
            Some(match request.target.ends_with("capabilities") {
                true => Reply::new(200, capabilities(CAPNP)),
                false => Reply::new(307, "").with("location", &format!("{to}{}", request.target)),
            })
        });
        let hosts = if allowed { other.address.trim_start_matches("http://") } else { "" };
        let api = Api::ours();
        let ctx =
            client(&api, &first.address, &[("rest.redirect_hosts", hosts), ("rest.custom_headers.x-mine", "hush")]);
        assert_eq!(object_type(&ctx), Ok(0));
        assert_eq!(object_type(&ctx), Ok(0));
        let (first, other) = (first.requests(), other.requests());
        assert_eq!(first.len(), 2, "the place is remembered");
        assert!(other.len() >= 4);
        for request in other {
            let has_secret = request.headers.iter().any(|(_, value)| value.contains("hush"));
            assert_eq!(has_secret, allowed, "{request:?}");
        }
    }
    let server = Server::start(|_, _| Some(Reply::new(307, "").with("location", "/again")));
    let api = Api::ours();
    assert!(object_type(&client(&api, &server.address, &[])).unwrap_err().contains("elsewhere once more"));
}

#[test]
fn compressed_responses_are_read() {
    let sound = sound();
    for encoding in ["gzip", "deflate", "zstd"] {
        let (tables, _folder) = tables();
        let server = Server::start(move |_, request| {
            assert!(request.header("accept-encoding").unwrap().contains(encoding));
            let reply = tables.answer(request);
            let packed = packed(encoding, &reply.body);
            Some(if reply.body.is_empty() {
                reply
            } else {
                Reply { body: packed, ..reply }.with("content-encoding", encoding)
            })
        });
        let api = Api::ours();
        let results = session::run(&client(&api, &server.address, &[]), true);
        let results: Vec<String> =
            results.into_iter().map(|(name, result)| format!("{name}: {}", result.unwrap())).collect();
        assert_eq!(results, sound);
    }
}

fn packed(encoding: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let level = flate2::Compression::fast();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), level);
    gzip.write_all(bytes).unwrap();
    zlib.write_all(bytes).unwrap();
    match encoding {
        "gzip" => gzip.finish().unwrap(),
        "deflate" => zlib.finish().unwrap(),
        _ => {
            let mut packed = vec![0; zstd_safe::compress_bound(bytes.len())];
            let size = zstd_safe::compress(&mut packed[..], bytes, 3).unwrap();
            packed.truncate(size);
            packed
        }
    }
}
