//! Published arrays are read over HTTP, from servers that are as they should be and from others.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where something is wrong")]

mod server;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use server::{Request, Response, Server, file, path_of};
use tiledb::copy::ObjectCopy;
use tiledb::maintenance::{Consolidation, ConsolidationMode, Vacuum};
use tiledb::publish::{INDEX_FILE, IndexWriter, check};
use tiledb::{
    Array, ArraySchema, Attribute, Config, Context, Datatype, Dimension, ErrorKind, Filter, FilterList, Group, Result,
    Vfs, object,
};

const CELLS: i32 = 100_000;

fn context(parameters: &[(&str, &str)]) -> Context {
    let quick = [("vfs.http.max_retries", "1"), ("vfs.http.retry_delay_ms", "1")];
    let set = quick.iter().chain(parameters);
    let config = set.fold(Config::builder(), |config, (name, value)| config.set(name, value));
    Context::with_config(config.build().unwrap()).unwrap()
}

/// Writes an array of so many fragments.
fn write_array(uri: &str, fragments: i32) {
    let ctx = Context::new().unwrap();
    if Array::open(&ctx, uri).is_err() {
        let schema = ArraySchema::dense()
            .dimension(Dimension::new("x", 0..=CELLS - 1).tile(1_000))
            .attribute(Attribute::new::<i32>("50%"))
            .build()
            .unwrap();
        Array::create(&ctx, uri, &schema).unwrap();
    }
    for fragment in 0..fragments {
        let cells: Vec<i32> = (0..CELLS).map(|cell| cell + fragment).collect();
        Array::open_for_writing(&ctx, uri).unwrap().write().values("50%", &cells).submit().unwrap();
    }
}

fn slice(array: &Array, from: i32, to: i32) -> Result<Vec<i32>> {
    Ok(array.read().range("x", from..=to).all()?.values::<i32>("50%")?.to_vec())
}

/// An array in the folder of a server.
fn published(fragments: i32) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("my array").to_str().unwrap().to_owned();
    write_array(&uri, fragments);
    IndexWriter::new().run(&Context::new().unwrap(), &uri).unwrap();
    (folder, uri)
}

fn targets(requests: &[Request]) -> Vec<String> {
    requests.iter().map(|request| format!("{} {}", request.method, request.target)).collect()
}

#[test]
fn opening_and_the_first_slice_take_four_requests() {
    let (folder, _) = published(1);
    let server = Server::files(folder.path());
    let ctx = context(&[]);
    let array = Array::open(&ctx, &format!("{}/my%20array", server.address)).unwrap();
    assert_eq!(slice(&array, 10, 12).unwrap(), [10, 11, 12]);
    let requests = server.take();
    assert_eq!(requests.len(), 4, "index, schema, fragment metadata, tiles: {:#?}", targets(&requests));
    assert_eq!(slice(&array, 60_000, 60_001).unwrap(), [60_000, 60_001]);
    let requests = server.take();
    assert_eq!(requests.len(), 1, "{:#?}", targets(&requests));
    assert!(requests[0].header("range").is_some() && requests[0].header("if-match").is_some(), "{requests:?}");
}

#[test]
fn consolidated_metadata_saves_requests() {
    let (folder, uri) = published(20);
    let ctx = Context::new().unwrap();
    Consolidation::new().mode(ConsolidationMode::FragmentMetadata).run(&ctx, &uri).unwrap();
    Consolidation::new().mode(ConsolidationMode::Commits).run(&ctx, &uri).unwrap();
    IndexWriter::new().run(&ctx, &uri).unwrap();
    let server = Server::files(folder.path());
    let web = context(&[]);
    let array = Array::open(&web, &format!("{}/my%20array", server.address)).unwrap();
    assert_eq!(slice(&array, 10, 12).unwrap(), [29, 30, 31]);
    let requests = server.take();
    // Index, schema, consolidated commits, consolidated footers, the tables of the fragments, a tile.
    assert!(requests.len() <= 25, "{:#?}", targets(&requests));
}

#[test]
fn a_file_that_changes_between_two_requests_is_an_error() {
    for honors_preconditions in [true, false] {
        let (folder, _) = published(1);
        let root = folder.path().to_owned();
        let changes = Arc::new(AtomicBool::new(false));
        let changed = Arc::clone(&changes);
        let server = Server::start(move |request| {
            let mut request = request.clone();
            if !honors_preconditions {
                request.headers.retain(|(name, _)| name != "if-match");
            }
            let mut response = file(&root, &request, true);
            if changed.load(Ordering::SeqCst) && request.target.contains("a0.tdb") {
                let is_match = request.header("if-match").is_some();
                response = if is_match { Response::new(412, "") } else { response };
                response.1.retain(|(name, _)| *name != "etag");
                response = response.with("etag", "\"other\"");
            }
            response
        });
        let ctx = context(&[("vfs.read_ahead_size", "0")]);
        let array = Array::open(&ctx, &format!("{}/my%20array", server.address)).unwrap();
        slice(&array, 0, 1).unwrap();
        changes.store(true, Ordering::SeqCst);
        let error = slice(&array, 50_000, 50_001).unwrap_err();
        assert!(error.to_string().contains("has changed"), "{error}");
    }
}

#[test]
fn servers_without_ranges_send_small_files_only() {
    let (folder, _) = published(1);
    let root = folder.path().to_owned();
    let server = Server::start(move |request| file(&root, request, false));
    let uri = format!("{}/my%20array", server.address);
    let ctx = context(&[]);
    assert_eq!(slice(&Array::open(&ctx, &uri).unwrap(), 70_000, 70_001).unwrap(), [70_000, 70_001]);
    let strict = context(&[("vfs.http.max_unranged_size", "100000")]);
    let error = Array::open(&strict, &uri).and_then(|array| slice(&array, 0, 1)).unwrap_err();
    assert!(error.to_string().contains("max_unranged_size") && error.to_string().contains("serve-files"), "{error}");
}

#[test]
fn presigned_queries_stay_on_all_requests_and_out_of_errors() {
    let (folder, _) = published(1);
    let root = folder.path().to_owned();
    let server = Server::start(move |request| match request.target.ends_with("?sig=hush%2F") {
        true => file(&root, request, true),
        false => Response::new(403, ""),
    });
    let ctx = context(&[]);
    let uri = format!("{}/my%20array?sig=hush%2F", server.address);
    let array = Array::open(&ctx, &uri).unwrap();
    assert_eq!(slice(&array, 5, 6).unwrap(), [5, 6]);
    let error = Array::open(&ctx, &format!("{}/other?sig=hush%2F", server.address)).unwrap_err();
    assert!(!error.to_string().contains("hush"), "{error}");
    assert!(targets(&server.take()).iter().all(|target| target.ends_with("?sig=hush%2F")));
}

#[test]
fn credentials_are_sent_to_their_origins_only() {
    let (folder, _) = published(1);
    let thief = Server::start(|_| Response::new(404, ""));
    let (root, elsewhere) = (folder.path().to_owned(), thief.address.clone());
    let server = Server::start(move |request| match request.target.contains("redirected") {
        true => Response::new(302, "").with("location", format!("{elsewhere}/x")),
        false => file(&root, request, true),
    });
    let keys = [
        ("vfs.http.authorization", "Bearer hush"),
        ("vfs.http.custom_headers.X-Key", "hush"),
        ("vfs.http.credential_origins", server.address.as_str()),
    ];
    let ctx = context(&keys);
    let array = Array::open(&ctx, &format!("{}/my%20array", server.address)).unwrap();
    slice(&array, 0, 1).unwrap();
    let is_signed = |request: &Request| request.header("authorization").is_some() && request.header("x-key").is_some();
    assert!(server.take().iter().all(is_signed));
    for address in [&server.address, &thief.address] {
        assert!(Array::open(&ctx, &format!("{address}/redirected")).is_err());
    }
    let leaked = thief.take();
    assert!(!leaked.is_empty() && leaked.iter().all(|request| !format!("{request:?}").contains("hush")), "{leaked:?}");
}

#[test]
fn an_update_appears_with_its_index_and_old_readers_go_on() {
    let source = tempfile::tempdir().unwrap();
    let (site, source) = (tempfile::tempdir().unwrap(), source.path().join("source").to_str().unwrap().to_owned());
    let target = site.path().join("a").to_str().unwrap().to_owned();
    let ctx = Context::new().unwrap();
    let publish = || {
        ObjectCopy::new().keep_others().run(&ctx, &source, &target).unwrap();
        IndexWriter::new().of_source(&source).run(&ctx, &target).unwrap()
    };
    write_array(&source, 2);
    publish();
    let server = Server::files(site.path());
    let url = format!("{}/a", server.address);
    let (now, later) = (context(&[("vfs.http.index_max_age_ms", "0")]), context(&[]));
    let old = Array::open(&later, &url).unwrap();
    // The source is consolidated and vacuumed, and has a new fragment.
    Consolidation::new().run(&ctx, &source).unwrap();
    Vacuum::new().run(&ctx, &source).unwrap();
    write_array(&source, 3);
    assert!(ObjectCopy::new().run(&ctx, &source, &target).is_err(), "files that the source has no more");
    ObjectCopy::new().keep_others().run(&ctx, &source, &target).unwrap();
    assert_eq!(slice(&Array::open(&now, &url).unwrap(), 0, 1).unwrap(), [1, 2], "the index is written last");
    let summary = IndexWriter::new().of_source(&source).run(&ctx, &target).unwrap();
    assert_eq!(slice(&Array::open(&now, &url).unwrap(), 0, 1).unwrap(), [2, 3]);
    assert_eq!(slice(&old, 70_000, 70_001).unwrap(), [70_001, 70_002]);
    assert_eq!(check(&now, &url).unwrap().files, summary.files);
    assert_eq!(publish(), summary);
    let other = site.path().join("other").to_str().unwrap().to_owned();
    write_array(&other, 1);
    let error = ObjectCopy::new().keep_others().run(&ctx, &other, &target).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists, "the schema of another array");
}

#[test]
fn files_that_differ_from_their_index_are_found() {
    let (folder, uri) = published(1);
    let server = Server::files(folder.path());
    let (ctx, url) = (context(&[]), format!("{}/my%20array", server.address));
    let clean = check(&ctx, &url).unwrap();
    assert!(clean.faults.is_empty() && clean.bytes > 400_000, "{clean:?}");
    let data = Vfs::new(&ctx).list_recursive(&uri).unwrap();
    let data = data.iter().find(|entry| entry.uri().ends_with(".tdb") && entry.size() > 400_000).unwrap();
    let path = Path::new(data.uri().strip_prefix("file://").unwrap());
    let mut bytes = std::fs::read(path).unwrap();
    bytes[200_000] ^= 1;
    std::fs::write(path, &bytes).unwrap();
    let faults = check(&context(&[]), &url).unwrap().faults;
    assert!(faults.len() == 1 && faults[0].1.contains("digest"), "{faults:?}");
    std::fs::write(path, &bytes[1..]).unwrap();
    assert_eq!(check(&context(&[]), &url).unwrap().faults.len(), 1);
}

#[test]
fn groups_are_read_by_their_members() {
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("g").to_str().unwrap().to_owned();
    let ctx = Context::new().unwrap();
    Group::create(&ctx, &uri).unwrap();
    write_array(&format!("{uri}/a"), 1);
    Group::open_for_writing(&ctx, &uri).unwrap().add_relative("a", Some("first")).unwrap();
    IndexWriter::new().run(&ctx, &uri).unwrap();
    let server = Server::files(folder.path());
    let web = context(&[]);
    let members = Group::open(&web, &format!("{}/g", server.address)).unwrap().members().unwrap();
    assert_eq!(members[0].uri(), format!("{}/g/a", server.address));
    assert_eq!(slice(&Array::open(&web, members[0].uri()).unwrap(), 3, 4).unwrap(), [3, 4]);
    let requests = server.take();
    assert_eq!(
        requests.iter().filter(|request| request.target.contains(INDEX_FILE)).count(),
        1,
        "{:#?}",
        targets(&requests)
    );
}

#[test]
fn buckets_are_listed_where_there_is_no_index() {
    let folder = tempfile::tempdir().unwrap();
    write_array(folder.path().join("bucket/a").to_str().unwrap(), 1);
    let root = folder.path().to_owned();
    let server = Server::start(move |request| {
        let Some(query) = request.target.strip_prefix("/bucket?list-type=2&prefix=") else {
            return match request.target.starts_with("/?") {
                true => Response::new(400, ""),
                false => file(&root, request, true),
            };
        };
        let prefix = query.split('&').next().unwrap().replace("%2F", "/");
        let entries = std::fs::read_dir(root.join("bucket").join(&prefix));
        let mut listed = String::new();
        for entry in entries.into_iter().flatten().map(|entry| entry.unwrap()) {
            let (name, size) = (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len());
            listed += &match entry.path().is_dir() {
                true => format!("<CommonPrefixes><Prefix>{prefix}{name}/</Prefix></CommonPrefixes>"),
                false => format!("<Contents><Key>{prefix}{name}</Key><Size>{size}</Size></Contents>"),
            };
        }
        Response::new(200, format!("<ListBucketResult>{listed}</ListBucketResult>"))
            .with("content-type", "application/xml")
    });
    let ctx = context(&[]);
    let array = Array::open(&ctx, &format!("{}/bucket/a", server.address)).unwrap();
    assert_eq!(slice(&array, 7, 8).unwrap(), [7, 8]);
}

#[test]
fn pages_of_links_are_listings_only_if_that_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    write_array(folder.path().join("a").to_str().unwrap(), 1);
    let root = folder.path().to_owned();
    let server = Server::start(move |request| {
        let path = path_of(&root, &request.target);
        if !path.is_dir() {
            return file(&root, request, true);
        }
        let links = std::fs::read_dir(path).unwrap().map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap().replace('%', "%25");
            format!("<a href=\"{name}{}\">x</a>", if entry.path().is_dir() { "/" } else { "" })
        });
        let page = format!("<title>Index of /</title><a href=\"../\">..</a>{}", links.collect::<String>());
        Response::new(200, page).with("content-type", "text/html")
    });
    let uri = format!("{}/a", server.address);
    let error = Array::open(&context(&[]), &uri).unwrap_err();
    assert!(error.to_string().contains("tiledb-rs publish") && error.to_string().contains("html_listing"), "{error}");
    let ctx = context(&[("vfs.http.html_listing", "true")]);
    assert_eq!(slice(&Array::open(&ctx, &uri).unwrap(), 9, 9).unwrap(), [9]);
}

#[test]
fn hostile_redirects_and_bodies_are_errors() {
    let loops = Server::start(|request| Response::new(302, "").with("location", request.target.clone() + "x"));
    let packed = Server::start(|_| Response::new(200, "{}").with("content-encoding", "gzip"));
    let index = "{\"tiledb_index\":1,\"files\":{\"..\":{\"a\":1}}}";
    let hostile = Server::start(move |_| Response::new(200, index));
    let schema = "{\"tiledb_index\":1,\"files\":{\"__schema\":{\"__1_1_00000000000000000000000000000000\":100}}}";
    let ranges: [fn() -> Response; 4] = [
        || Response::new(206, vec![0; 100]).with("content-range", "bytes 1-100/101"),
        || Response::new(206, vec![0; 200]).with("content-range", "bytes 0-99/100").with("content-length", "200"),
        || Response::new(206, vec![0; 100]),
        || Response::new(206, vec![0; 100]).with("content-range", "bytes 0-99/1000"),
    ];
    let mut servers = vec![loops, packed, hostile];
    servers.extend(ranges.map(|range| {
        Server::start(
            move |request| if request.target.contains(INDEX_FILE) { Response::new(200, schema) } else { range() },
        )
    }));
    for server in servers {
        let error = Array::open(&context(&[]), &format!("{}/a", server.address)).unwrap_err();
        assert!(error.to_string().contains("HTTP: Cannot"), "{error}");
        assert!(server.take().len() < 50);
    }
}

#[test]
fn transient_errors_are_retried_and_throttling_is_obeyed() {
    let (folder, _) = published(1);
    let (root, count) = (folder.path().to_owned(), AtomicUsize::new(0));
    let server = Server::start(move |request| match count.fetch_add(1, Ordering::SeqCst) % 2 {
        0 => Response::new(503, "").with("retry-after", "0"),
        _ => file(&root, request, true),
    });
    let array_uri = format!("{}/my%20array", server.address);
    let ctx = context(&[("vfs.http.max_parallel_ops", "1")]);
    assert_eq!(slice(&Array::open(&ctx, &array_uri).unwrap(), 0, 0).unwrap(), [0]);
    let refusing = Server::start(|_| Response::new(500, ""));
    assert!(Array::open(&context(&[]), &refusing.address).is_err());
    assert!(refusing.take().len() <= 4);
}

#[test]
fn web_servers_are_read_only() {
    let (folder, _) = published(1);
    let server = Server::files(folder.path());
    let (ctx, uri) = (context(&[]), format!("{}/my%20array", server.address));
    let failures = [
        Array::open_for_writing(&ctx, &uri)
            .and_then(|array| array.write().values("50%", &vec![0; CELLS as usize]).submit().map(|_| ())),
        Consolidation::new().mode(ConsolidationMode::Commits).run(&ctx, &uri).map(|_| ()),
        object::remove(&ctx, &uri),
        Vfs::new(&ctx).write(&format!("{uri}/x"), b"x"),
    ];
    for failure in failures {
        let error = failure.unwrap_err();
        assert!(error.to_string().contains("read-only"), "{error}");
    }
    assert!(server.take().iter().all(|request| matches!(request.method.as_str(), "GET" | "HEAD")));
}

#[test]
fn copies_from_web_servers_are_the_arrays() {
    let (folder, _) = published(2);
    let server = Server::files(folder.path());
    let ctx = context(&[]);
    let copy = folder.path().join("copy").to_str().unwrap().to_owned();
    ObjectCopy::new().run(&ctx, &format!("{}/my%20array", server.address), &copy).unwrap();
    assert_eq!(slice(&Array::open(&ctx, &copy).unwrap(), 99_998, 99_999).unwrap(), [99_999, 100_000]);
}

/// Files of which a fragment's metadata are read in several requests.
#[test]
fn text_attributes_with_filters_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("t").to_str().unwrap().to_owned();
    let ctx = Context::new().unwrap();
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("x", 0..=CELLS - 1))
        .attribute(Attribute::with_datatype("s", Datatype::StringUtf8).filters(FilterList::from([Filter::zstd(3)])))
        .build()
        .unwrap();
    Array::create(&ctx, &uri, &schema).unwrap();
    let (cells, texts): (Vec<i32>, Vec<String>) = (0..CELLS).map(|cell| (cell, format!("text {cell}"))).unzip();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Array::open_for_writing(&ctx, &uri).unwrap().write().values("x", &cells).strings("s", &texts).submit().unwrap();
    IndexWriter::new().without_digests().run(&ctx, &uri).unwrap();
    let server = Server::files(folder.path());
    let web = context(&[]);
    let url = format!("{}/t", server.address);
    let read = Array::open(&web, &url).unwrap().read().range("x", 500..=501).all().unwrap();
    assert_eq!(read.strings("s").unwrap().iter().collect::<Vec<_>>(), ["text 500", "text 501"]);
    assert_eq!(check(&web, &url).unwrap().bytes, 0);
    assert_eq!(Array::open(&web, &format!("{url}/missing")).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn concurrent_opens_request_one_index() {
    let (folder, _) = published(1);
    let server = Server::files(folder.path());
    let (ctx, uri) = (context(&[]), format!("{}/my%20array", server.address));
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let cells = slice(&Array::open(&ctx, &uri).unwrap(), 1, 2).unwrap();
                results.lock().unwrap().push(cells);
            });
        }
    });
    assert!(results.into_inner().unwrap().iter().all(|cells| cells == &[1, 2]));
    let indexes = server.take().iter().filter(|request| request.target.contains(INDEX_FILE)).count();
    assert_eq!(indexes, 1);
}
