//! The configurations in `packages/web_servers` with the servers that they are for: what is published is read through each of them, with
//! the headers that browsers and caches need, and what changes during a read is an error.
//!
//! Servers that are not installed are left out, unless `WEB_SERVERS=required` (`make test-web-servers`).

#![cfg(all(feature = "web", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells which servers are missing")]

mod installed;

use std::path::{Path, PathBuf};

use installed::{Exchange, Kind, Running, exchange};
use tiledb::copy::ObjectCopy;
use tiledb::publish::{INDEX_FILE, IndexWriter, check};
use tiledb::{Array, ArraySchema, Attribute, Config, Context, Dimension, Result, Vfs};

const CELLS: i32 = 100_000;

fn context(parameters: &[(&str, &str)]) -> Context {
    let quick = [("vfs.http.max_retries", "1"), ("vfs.http.retry_delay_ms", "1")];
    let set = quick.iter().chain(parameters);
    let config = set.fold(Config::builder(), |config, (name, value)| config.set(name, value));
    Context::with_config(config.build().unwrap()).unwrap()
}

fn write(uri: &str, factor: i32) {
    let ctx = Context::new().unwrap();
    let cells: Vec<i32> = (0..CELLS).map(|cell| cell * factor).collect();
    Array::open_for_writing(&ctx, uri).unwrap().write().values("a", &cells).submit().unwrap();
}

fn create(uri: &str) {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("x", 0..=CELLS - 1).tile(1_000))
        .attribute(Attribute::new::<i32>("a"))
        .build()
        .unwrap();
    Array::create(&Context::new().unwrap(), uri, &schema).unwrap();
    write(uri, 1);
}

fn slice(array: &Array, from: i32) -> Result<Vec<i32>> {
    Ok(array.read().range("x", from..=from + 1).all()?.values::<i32>("a")?.to_vec())
}

/// Files such as the viewer has, with their media types.
const VIEWER: [(&str, &str); 3] =
    [("viewer.js", "javascript"), ("style.css", "text/css"), ("tiledb.wasm", "application/wasm")];

/// A folder with a published array, a page and the viewer, and its source.
struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    fn new() -> Site {
        let site = Site { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(site.folder.path().join("site")).unwrap();
        // Servers may run as another user.
        installed::make_readable(site.folder.path());
        create(&site.source());
        site.publish();
        std::fs::write(site.root().join("array/index.html"), "<!doctype html><title>An array</title>").unwrap();
        let viewer = site.root().join("array/__tiledb_viewer");
        std::fs::create_dir(&viewer).unwrap();
        VIEWER.iter().for_each(|(name, _)| std::fs::write(viewer.join(name), name).unwrap());
        installed::make_readable(&site.root());
        site
    }

    fn source(&self) -> String {
        self.folder.path().join("source").to_str().unwrap().to_owned()
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    fn publish(&self) {
        let ctx = Context::new().unwrap();
        let target = self.root().join("array").to_str().unwrap().to_owned();
        ObjectCopy::new().keep_others().run(&ctx, &self.source(), &target).unwrap();
        IndexWriter::new().of_source(&self.source()).run(&ctx, &target).unwrap();
        installed::make_readable(&self.root());
        // Apache has weak tags for files of the last second.
        let earlier = std::time::SystemTime::now() - std::time::Duration::from_secs(10);
        for entry in Vfs::new(&ctx).list_recursive(&target).unwrap().iter().filter(|entry| !entry.is_dir()) {
            let file = std::fs::File::open(entry.uri().strip_prefix("file://").unwrap()).unwrap();
            if file.metadata().unwrap().modified().unwrap() > earlier + std::time::Duration::from_secs(2) {
                file.set_modified(earlier).unwrap();
            }
        }
    }

    /// The largest file of the array, and its path on the server.
    fn data_file(&self) -> (PathBuf, String) {
        let listed = Vfs::new(&Context::new().unwrap()).list_recursive(self.root().to_str().unwrap()).unwrap();
        let largest = listed.iter().max_by_key(|entry| entry.size()).unwrap();
        let path = PathBuf::from(largest.uri().strip_prefix("file://").unwrap());
        let target = format!("/{}", path.strip_prefix(self.root().canonicalize().unwrap()).unwrap().to_str().unwrap());
        (path, target)
    }
}

/// Starts a server if it is installed.
fn start(kind: Kind, root: &Path, has_listings: bool) -> Option<Running> {
    let running = Running::start(kind, root, has_listings);
    if running.is_none() {
        assert!(std::env::var_os("WEB_SERVERS").is_none(), "{kind:?} is not installed");
        println!("{kind:?} is not installed: left out");
    }
    running
}

fn header(response: &Exchange, name: &str) -> String {
    response.header(name).unwrap_or_default().to_owned()
}

/// The headers that pages of other origins and caches need, of files, of what is replaced, and of errors.
fn check_headers(server: &Running, data: &str) {
    let ask = |method: &str, target: &str, more: &str| {
        let origin = "Origin: https://page.example\r\nAccept-Encoding: gzip, br, deflate\r\n";
        exchange(&server.address, &format!("{method} {target} HTTP/1.1\r\n{origin}{more}"))
    };
    let range = ask("GET", data, "Range: bytes=1000-1999\r\n");
    assert_eq!((range.status, range.body.len()), (206, 1000), "{range:?}");
    assert!(header(&range, "content-range").starts_with("bytes 1000-1999/"), "{range:?}");
    let etag = header(&range, "etag");
    assert!(etag.starts_with('"'), "a strong tag: {range:?}");
    for response in [&range, &ask("GET", data, ""), &ask("GET", &format!("/array/{INDEX_FILE}"), "")] {
        assert_eq!(response.header("content-encoding"), None, "{response:?}");
        assert_eq!(header(response, "access-control-allow-origin"), "*", "{response:?}");
        let exposed = header(response, "access-control-expose-headers").to_lowercase();
        assert!(["etag", "content-range", "content-length"].iter().all(|name| exposed.contains(name)), "{response:?}");
        assert_eq!(header(response, "x-content-type-options"), "nosniff");
    }
    assert!(header(&range, "cache-control").contains("max-age=31536000"), "{range:?}");
    for replaced in [format!("/array/{INDEX_FILE}"), "/array/index.html".to_owned(), "/array/".to_owned()] {
        let response = ask("GET", &replaced, "");
        let caching = header(&response, "cache-control");
        assert_eq!(response.status, 200, "{replaced}: {response:?}");
        assert!(caching == "no-cache" || caching == "max-age=0", "{replaced}: {response:?}");
    }
    for (name, media_type) in VIEWER {
        let response = ask("GET", &format!("/array/__tiledb_viewer/{name}"), "");
        let caching = header(&response, "cache-control");
        assert!(caching == "no-cache" || caching == "max-age=0", "{name}: {response:?}");
        assert!(header(&response, "content-type").contains(media_type), "{name}: {response:?}");
    }
    let unchanged = ask("GET", data, &format!("If-None-Match: {etag}\r\n"));
    assert_eq!(unchanged.status, 304);
    let changed = ask("GET", data, "If-Match: \"other\"\r\nRange: bytes=0-9\r\n");
    assert!(changed.status == 412 || header(&changed, "etag") == etag, "{changed:?}");
    let older = ask("GET", data, "If-Range: \"other\"\r\nRange: bytes=0-9\r\n");
    assert_eq!(older.status, 200, "the whole file: {older:?}");
    assert_eq!(ask("GET", data, &format!("If-Range: {etag}\r\nRange: bytes=0-9\r\n")).status, 206);
    // Pages of other origins see the status of errors only with the header of CORS, and no cache may keep them.
    let missing = ask("GET", "/array/__schema/missing", "");
    assert_eq!((missing.status, header(&missing, "access-control-allow-origin").as_str()), (404, "*"), "{missing:?}");
    assert!(!header(&missing, "cache-control").contains("31536000"), "{missing:?}");
    let preflight = "Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: if-match,range\r\n";
    let allowed = ask("OPTIONS", data, preflight);
    assert!(matches!(allowed.status, 200 | 204), "{allowed:?}");
    assert_eq!(header(&allowed, "access-control-allow-origin"), "*", "{allowed:?}");
    assert!(header(&allowed, "access-control-allow-methods").contains("GET"), "{allowed:?}");
    let names = header(&allowed, "access-control-allow-headers").to_lowercase();
    assert!(names.contains("if-match") && names.contains("range"), "{allowed:?}");
    for method in ["PUT", "DELETE", "POST"] {
        let status = ask(method, data, "Content-Length: 0\r\n").status;
        assert!((400..502).contains(&status), "{method}: {status}");
    }
    // Folders are listed to nobody.
    assert!(matches!(ask("GET", "/array/__schema/", "").status, 403 | 404));
}

/// Arrays are read, checked and updated, and what changes during a read is an error.
fn check_reads(server: &Running, site: &Site) {
    let url = format!("{}/array", server.address);
    let at_once = [("vfs.http.index_max_age_ms", "0"), ("vfs.read_ahead_size", "0")];
    let ctx = context(&at_once);
    let array = Array::open(&ctx, &url).unwrap();
    assert_eq!(slice(&array, 70_000).unwrap(), [70_000, 70_001]);
    let summary = check(&ctx, &url).unwrap();
    assert!(summary.faults.is_empty() && summary.bytes > 400_000, "{summary:?}");

    // Old readers go on after an update, new ones see it.
    write(&site.source(), 2);
    site.publish();
    assert_eq!(slice(&array, 40_000).unwrap(), [40_000, 40_001]);
    let updated = Array::open(&ctx, &url).unwrap();
    assert_eq!(slice(&updated, 40_000).unwrap(), [80_000, 80_002]);

    // A file with other contents, as a server that is not immutable has it.
    let files = Vfs::new(&ctx).list_recursive(site.root().to_str().unwrap()).unwrap();
    for entry in files.iter().filter(|entry| entry.uri().ends_with("/a0.tdb")) {
        let path = PathBuf::from(entry.uri().strip_prefix("file://").unwrap());
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
        let later = std::time::SystemTime::now() - std::time::Duration::from_secs(5);
        std::fs::File::open(&path).unwrap().set_modified(later).unwrap();
    }
    installed::make_readable(&site.root());
    let error = slice(&updated, 20_000).unwrap_err();
    assert!(error.to_string().contains("has changed"), "{error}");
    assert!(!check(&context(&at_once), &url).unwrap().faults.is_empty());
}

fn check_server(kind: Kind) {
    let site = Site::new();
    let Some(server) = start(kind, &site.root(), false) else { return };
    check_headers(&server, &site.data_file().1);
    check_reads(&server, &site);
}

/// Arrays without an index are read by pages of links.
fn check_listings(kind: Kind) {
    let site = Site::new();
    std::fs::remove_file(site.root().join("array").join(INDEX_FILE)).unwrap();
    std::fs::remove_file(site.root().join("array/index.html")).unwrap();
    let Some(server) = start(kind, &site.root(), true) else { return };
    let url = format!("{}/array", server.address);
    let error = Array::open(&context(&[]), &url).unwrap_err();
    assert!(error.to_string().contains("tiledb-rs publish"), "{error}");
    let ctx = context(&[("vfs.http.html_listing", "true")]);
    assert_eq!(slice(&Array::open(&ctx, &url).unwrap(), 70_000).unwrap(), [70_000, 70_001]);
}

#[test]
fn nginx_serves_published_arrays() {
    check_server(Kind::Nginx);
}

#[test]
fn apache_serves_published_arrays() {
    check_server(Kind::Apache);
}

#[test]
fn caddy_serves_published_arrays() {
    check_server(Kind::Caddy);
}

#[test]
fn lighttpd_serves_published_arrays() {
    check_server(Kind::Lighttpd);
}

#[test]
fn pages_of_links_of_nginx_are_listings() {
    check_listings(Kind::Nginx);
}

#[test]
fn pages_of_links_of_apache_are_listings() {
    check_listings(Kind::Apache);
}

#[test]
fn pages_of_links_of_python_are_listings() {
    check_listings(Kind::Python);
}

/// A public bucket needs no index; with one it takes fewer requests.
#[test]
fn public_buckets_are_read_over_http() {
    let site = Site::new();
    let Some(server) = start(Kind::Moto, &site.root(), false) else { return };
    let host = server.address.strip_prefix("http://").unwrap();
    let ctx = context(&[
        ("vfs.s3.endpoint_override", host),
        ("vfs.s3.scheme", "http"),
        ("vfs.s3.use_virtual_addressing", "false"),
        ("vfs.s3.region", "us-east-1"),
        ("vfs.s3.aws_access_key_id", "test"),
        ("vfs.s3.aws_secret_access_key", "test"),
    ]);
    server.create_public_bucket("public");
    ObjectCopy::new().keep_others().run(&ctx, &site.source(), "s3://public/data/array").unwrap();
    let url = format!("{}/public/data/array", server.address);
    let listed = slice(&Array::open(&context(&[]), &url).unwrap(), 70_000).unwrap();
    assert_eq!(listed, [70_000, 70_001]);
    IndexWriter::new().of_source(&site.source()).run(&ctx, "s3://public/data/array").unwrap();
    let summary = check(&context(&[]), &url).unwrap();
    assert!(summary.faults.is_empty() && summary.bytes > 400_000, "{summary:?}");
}
