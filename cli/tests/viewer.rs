//! The viewer beside published arrays, and `view`: which files are served to whom. Pages are tested by `make test-viewer`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;
use support::{Story, tool};

/// A running server, which ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(story: &Story, arguments: &[&str]) -> Server {
        let mut command = Command::new(tool());
        command.args(arguments).arg("--json").current_dir(story.path());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut text = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let printed = loop {
            text += &lines.next().unwrap().unwrap();
            if let Ok(printed) = serde_json::from_str::<Json>(&text) {
                break printed;
            }
        };
        Server { child, address: printed["address"].as_str().unwrap().to_owned() }
    }

    fn host(&self) -> &str {
        self.address.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    /// Status and text of the response to a request for a path, with this name of the host.
    fn get(&self, path: &str, host: &str, range: &str) -> (u16, String) {
        let mut client = TcpStream::connect(self.host()).unwrap();
        write!(client, "GET {path} HTTP/1.1\r\nHost: {host}\r\nRange: {range}\r\nConnection: close\r\n\r\n").unwrap();
        let mut response = Vec::new();
        client.read_to_end(&mut response).unwrap();
        let response = String::from_utf8_lossy(&response).into_owned();
        (response.split(' ').nth(1).unwrap().parse().unwrap(), response)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn says(story: &Story, arguments: &[&str]) -> String {
    let output = story.tool(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn fails(story: &Story, arguments: &[&str]) -> String {
    let output = story.tool(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// An array, and a folder with the files that make a viewer.
fn story() -> Story {
    let story = Story::new();
    fs::write(story.path().join("rows.csv"), "d,a\n1,5\n2,6\n").unwrap();
    says(&story, &["import", "rows.csv", "rows", "--dims", "d"]);
    let engine = story.path().join("files/engine");
    fs::create_dir_all(&engine).unwrap();
    for (name, text) in [("index.html", "page"), ("main.js", "script"), ("engine/tiledb.wasm", "module")] {
        fs::write(story.path().join("files").join(name), text).unwrap();
    }
    story
}

#[test]
fn viewer_is_published_beside_the_array_and_replaced_by_an_update() {
    let story = story();
    let publish = ["publish", "--viewer", "--viewer-files", "files", "rows", "site"];
    says(&story, &publish);
    let read = |name: &str| fs::read_to_string(story.path().join("site").join(name)).unwrap();
    assert!(read("index.html").contains("href=\"__tiledb_viewer/index.html?url=..\""));
    assert!(!read("__tiledb_index.json").contains("__tiledb_viewer"));
    let server = Server::start(&story, &["serve-files", "site", "--listen", "127.0.0.1:0"]);
    for (name, media_type, text) in [
        ("index.html", "text/html; charset=utf-8", "page"),
        ("main.js", "text/javascript; charset=utf-8", "script"),
        ("engine/tiledb.wasm", "application/wasm", "module"),
    ] {
        let (status, response) = server.get(&format!("/__tiledb_viewer/{name}"), server.host(), "");
        assert!(status == 200 && response.ends_with(text), "{response}");
        assert!(response.contains(&format!("Content-Type: {media_type}\r\n")), "{response}");
    }
    fs::write(story.path().join("files/main.js"), "other").unwrap();
    says(&story, &["publish", "--update", "--viewer", "--viewer-files", "files", "rows", "site"]);
    assert_eq!(read("__tiledb_viewer/main.js"), "other");
    assert!(!read("__tiledb_index.json").contains("__tiledb_viewer"));
    let cells = |uri: &str| says(&story, &["cat", uri, "--format", "csv"]);
    assert_eq!(cells("site"), cells("rows"));
    assert_eq!(cells(&server.address), cells("rows"));
    assert!(says(&story, &["verify", "site"]).contains("sound"));

    says(&story, &["publish", "rows", "plain"]);
    assert!(!fs::read_to_string(story.path().join("plain/index.html")).unwrap().contains("viewer"));
}

#[test]
fn viewer_that_is_missing_ends_before_anything_is_copied() {
    let story = story();
    fs::remove_file(story.path().join("files/engine/tiledb.wasm")).unwrap();
    let message = fails(&story, &["publish", "--viewer", "--viewer-files", "files", "rows", "site"]);
    assert!(message.contains("make viewer"), "{message}");
    assert!(!story.path().join("site").exists());
    let message = fails(&story, &["publish", "--viewer", "rows", "s3://bucket/rows"]);
    assert!(message.contains("media types"), "{message}");
}

#[test]
fn view_serves_the_array_to_its_own_page_only() {
    let story = story();
    let server = Server::start(&story, &["view", "rows", "--no-open", "--viewer-files", "files"]);
    let (page, query) = server.address.split_once('?').unwrap();
    assert_eq!(query, "url=data/rows");
    let base = page.strip_prefix(&format!("http://{}", server.host())).unwrap().strip_suffix("index.html").unwrap();
    let own = |name: &str| server.get(&format!("{base}{name}"), server.host(), "");
    assert!(own("index.html").1.ends_with("page") && own("engine/tiledb.wasm").1.ends_with("module"));
    let (status, index) = own("data/rows/__tiledb_index.json");
    assert_eq!(status, 200, "{index}");
    assert!(!index.contains("Access-Control-Allow-Origin"), "{index}");
    let index: Json = serde_json::from_str(index.split_once("\r\n\r\n").unwrap().1).unwrap();
    let (schema, size) =
        index["files"]["__schema"].as_object().unwrap().iter().find(|(_, size)| size.is_u64()).unwrap();
    let (status, response) = own(&format!("data/rows/__schema/{schema}"));
    assert!(status == 200 && response.contains(&format!("Content-Length: {size}\r\n")), "{response}");
    let (status, response) = server.get(&format!("{base}data/rows/__schema/{schema}"), server.host(), "bytes=2-5");
    assert!(status == 206 && response.contains(&format!("Content-Range: bytes 2-5/{size}\r\n")), "{response}");

    let path = format!("{base}data/rows/__tiledb_index.json");
    assert_eq!(server.get(&path, "attacker.example", "").0, 421);
    for outside in ["/data/rows/__tiledb_index.json", "/", "/0123456789abcdef0123456789abcdef/index.html"] {
        assert_eq!(server.get(outside, server.host(), "").0, 404, "{outside}");
    }
    for outside in [
        "data/rows/..%2Frows.csv",
        "data/rows/%2e%2e/rows.csv",
        "../rows.csv",
        "data/other/__tiledb_index.json",
        "data/rows/none",
    ] {
        assert_eq!(own(outside).0, 404, "{outside}");
    }
    assert!(
        String::from_utf8(story.tool(&["view", "none", "--no-open", "--viewer-files", "files"]).stderr)
            .unwrap()
            .contains("none")
    );
}
