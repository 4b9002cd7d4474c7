//! Published arrays are read over HTTP, from servers that are as they should be and from others.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where something is wrong")]

mod requests;
mod server;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use server::{Request, Response, Server, file, path_of};
use tiledb::copy::ObjectCopy;
use tiledb::maintenance::{Consolidation, ConsolidationMode, Vacuum};
use tiledb::publish::{INDEX_FILE, IndexWriter, LayoutCopy, check};
use tiledb::{
    Array, ArraySchema, Attribute, Config, Context, Datatype, Dimension, ErrorKind, Filter, FilterList, Group, Layout,
    ObjectType, Result, Vfs, object,
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

/// Slices of a square in rows that are as long as the array, and in tiles of the slice's shape.
#[test]
fn tiles_for_slices_save_bytes_and_all_cells_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let ctx = Context::new().unwrap();
    let side = 1_000;
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("y", 0..=side - 1).tile(10))
        .dimension(Dimension::new("x", 0..=side - 1).tile(side))
        .attribute(Attribute::new::<i32>("a"))
        .attribute(Attribute::string("s").nullable())
        .build()
        .unwrap();
    Array::create(&ctx, &at("rows"), &schema).unwrap();
    for time in 0..2 {
        // The second fragment leaves a border of the first one.
        let range = 10 * time..=side - 1 - 3 * time;
        let count = range.clone().count();
        let cells: Vec<i32> = (0..(count * count) as i32).map(|cell| cell * (time + 1)).collect();
        let texts: Vec<Option<String>> =
            cells.iter().map(|cell| (cell % 3 != 0).then(|| "x".repeat(*cell as usize % 4))).collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let array = Array::open_for_writing(&ctx, &at("rows")).unwrap();
        let write = array.write().range("y", range.clone()).range("x", range);
        write.values("a", &cells).optional_strings("s", &texts).submit().unwrap();
    }
    let files = Vfs::new(&ctx).list_recursive(&at("rows")).unwrap().len();
    LayoutCopy::new().slice(&[Some(200.0), Some(200.0)]).merge().run(&ctx, &at("rows"), &at("squares")).unwrap();
    assert_eq!(Vfs::new(&ctx).list_recursive(&at("rows")).unwrap().len(), files, "the source is not changed");
    let cells = |uri: &str, from: i32, to: i32| {
        let array = Array::open(&context(&[]), uri).unwrap();
        let read = array.read().range("y", from..=to).range("x", from..=to).layout(Layout::RowMajor).all().unwrap();
        let texts: Vec<Option<String>> =
            read.strings("s").unwrap().optional().map(|text| text.map(str::to_owned)).collect();
        (read.values::<i32>("a").unwrap().to_vec(), texts)
    };
    assert!(cells(&at("rows"), 0, side - 1) == cells(&at("squares"), 0, side - 1));
    let server = Server::files(folder.path());
    let mut bytes = Vec::new();
    for name in ["rows", "squares"] {
        IndexWriter::new().run(&ctx, &at(name)).unwrap();
        assert!(cells(&format!("{}/{name}", server.address), 200, 399) == cells(&at("rows"), 200, 399));
        let requests = server.take();
        let requested = requests.iter().map(|request| {
            let range = request
                .header("range")
                .and_then(|range| range.strip_prefix("bytes=")?.split_once('-'))
                .unwrap_or(("0", "0"));
            if request.target.contains("__fragment_metadata") {
                0
            } else {
                range.1.parse::<u64>().unwrap() - range.0.parse::<u64>().unwrap()
            }
        });
        bytes.push(requested.sum::<u64>());
    }
    assert!(bytes[1] * 3 < bytes[0], "{bytes:?}");
}

#[test]
fn arrays_of_groups_are_copied_with_another_layout() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let ctx = Context::new().unwrap();
    Group::create(&ctx, &at("g")).unwrap();
    Group::create(&ctx, &at("g/inner")).unwrap();
    for name in ["a", "inner/b"] {
        write_array(&at(&format!("g/{name}")), 2);
    }
    Group::open_for_writing(&ctx, &at("g")).unwrap().add_relative("a", Some("first")).unwrap();
    Group::open_for_writing(&ctx, &at("g")).unwrap().add_relative("inner", None).unwrap();
    Group::open_for_writing(&ctx, &at("g/inner")).unwrap().add(&at("g/inner/b"), Some("second")).unwrap();
    let sliced = || LayoutCopy::new().slice(&[Some(25_000.0)]);
    sliced().run(&ctx, &at("g"), &at("site/g")).unwrap();
    IndexWriter::new().run(&ctx, &at("site/g")).unwrap();
    let server = Server::files(&folder.path().join("site"));
    let web = context(&[("vfs.http.index_max_age_ms", "0")]);
    let read = || {
        let group = Group::open(&web, &format!("{}/g", server.address)).unwrap();
        let first = group.member("first").unwrap().uri().to_owned();
        // A local reader: absolute URIs of members are those of files.
        let second = Group::open(&ctx, &at("site/g/inner")).unwrap().member("second").unwrap().uri().to_owned();
        assert!(second.contains("site/g/inner/b"), "{second}");
        [first, second].map(|uri| {
            let array = Array::open(&web, &uri).unwrap();
            assert_eq!(array.schema().dimensions()[0].tile_extent(), Some(&25_000_i32.into()));
            slice(&array, 70_000, 70_001).unwrap()
        })
    };
    assert_eq!(read(), [[70_001, 70_002], [70_001, 70_002]]);
    write_array(&at("g/a"), 5);
    sliced().update(&ctx, &at("g"), &at("staging"), &at("site/g")).unwrap();
    IndexWriter::new().of_source(&at("staging")).run(&ctx, &at("site/g")).unwrap();
    assert_eq!(read(), [[70_004, 70_005], [70_001, 70_002]]);
}

/// A group of somebody else could lead its reader to a private service, a file or a bucket.
#[test]
fn members_on_other_servers_are_refused_unless_listed() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = Context::new().unwrap();
    write_array(folder.path().join("elsewhere").to_str().unwrap(), 1);
    IndexWriter::new().run(&ctx, folder.path().join("elsewhere").to_str().unwrap()).unwrap();
    let private = Server::files(folder.path());
    let array = format!("{}/elsewhere", private.address);
    let public = tempfile::tempdir().unwrap();
    let local = folder.path().join("elsewhere").to_str().unwrap().to_owned();
    for (name, member) in [("g", array.clone()), ("file", local), ("bucket", "s3://bucket/a".to_owned())] {
        let uri = public.path().join(name).to_str().unwrap().to_owned();
        Group::create(&ctx, &uri).unwrap();
        Group::open_for_writing(&ctx, &uri).unwrap().add_as(ObjectType::Array, &member, false, Some("m")).unwrap();
        IndexWriter::new().run(&ctx, &uri).unwrap();
    }
    let server = Server::files(public.path());
    let open = |parameters: &[(&str, &str)], name: &str| {
        Group::open(&context(parameters), &format!("{}/{name}", server.address))
    };
    for name in ["g", "file", "bucket"] {
        let error = open(&[], name).map(drop).unwrap_err();
        assert!(error.to_string().contains("vfs.http.link_origins"), "{error}");
        assert!(open(&[("vfs.http.link_origins", "*")], name).is_ok());
    }
    assert!(private.take().is_empty(), "no request before it is allowed");
    let listed = [("vfs.http.link_origins", private.address.as_str())];
    let group = open(&listed, "g").unwrap();
    let member = group.member("m").unwrap().uri().to_owned();
    assert_eq!(slice(&Array::open(&context(&listed), &member).unwrap(), 3, 4).unwrap(), [3, 4]);
    assert!(open(&listed, "bucket").is_err());
}

/// The index of a large group links those of its members: whoever opens one reads neither the files of the others nor their names.
#[test]
fn large_groups_are_opened_by_linked_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("g");
    let uri = root.to_str().unwrap().to_owned();
    let ctx = Context::new().unwrap();
    Group::create(&ctx, &uri).unwrap();
    write_array(&format!("{uri}/m0"), 1);
    let files = Vfs::new(&ctx).list_recursive(&format!("{uri}/m0")).unwrap();
    let first = root.join("m0").canonicalize().unwrap();
    let members = 600;
    for number in 1..members {
        for entry in &files {
            let path = Path::new(entry.uri().strip_prefix("file://").unwrap()).strip_prefix(&first).unwrap().to_owned();
            let copy = root.join(format!("m{number}")).join(&path);
            if entry.is_dir() {
                std::fs::create_dir_all(copy).unwrap();
            } else {
                std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
                std::fs::hard_link(first.join(&path), copy).unwrap();
            }
        }
    }
    let group = Group::open_for_writing(&ctx, &uri).unwrap();
    for number in 0..members {
        let name = format!("m{number}");
        group.add_as(ObjectType::Array, &name, true, Some(&name)).unwrap();
    }
    group.close().unwrap();
    let summary = IndexWriter::new().without_digests().run(&ctx, &uri).unwrap();
    assert_eq!((summary.arrays, summary.indexes), (members, members + 1));
    let size = std::fs::metadata(root.join(INDEX_FILE)).unwrap().len();
    assert!(size < 20 * members, "the index has {size} bytes");
    let server = Server::files(folder.path());
    let web = context(&[]);
    let group = Group::open(&web, &format!("{}/g", server.address)).unwrap();
    assert_eq!(group.members().unwrap().len() as u64, members);
    let requests = server.take();
    assert_eq!(requests.len(), 2, "index, members: {:#?}", targets(&requests));
    let member = group.member("m321").unwrap();
    assert_eq!(slice(&Array::open(&web, member.uri()).unwrap(), 3, 4).unwrap(), [3, 4]);
    let requests = server.take();
    assert_eq!(requests.len(), 4, "index, schema, fragment metadata, tile: {:#?}", targets(&requests));
}
