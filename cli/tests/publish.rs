//! `publish` and `serve-files`: what is published is read over HTTP with the same results, and only that is served.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;
use support::{Story, tool};

/// A group with members, and a group among them.
const GROUP: &str = "group_members/group";

/// A running server, which ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(story: &Story, folder: &str) -> Server {
        Server::with(story, folder, &[])
    }

    fn with(story: &Story, folder: &str, more: &[&str]) -> Server {
        let mut command = Command::new(tool());
        command.args(["serve-files", folder, "--listen", "127.0.0.1:0", "--json"]).args(more).current_dir(story.path());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        // The JSON is printed over several lines.
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

    /// Status and body of a response to these lines.
    fn ask(&self, request: &str) -> (u16, String) {
        let address = self.address.strip_prefix("http://").unwrap();
        self.ask_as(request, address)
    }

    /// As [`Server::ask`], by a name of the server.
    fn ask_as(&self, request: &str, host: &str) -> (u16, String) {
        let mut client = TcpStream::connect(self.address.strip_prefix("http://").unwrap()).unwrap();
        let host = if host.is_empty() { String::new() } else { format!("\r\nHost: {host}") };
        client.write_all(format!("{request}{host}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
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
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn import(story: &Story, rows: &str, uri: &str) {
    std::fs::write(story.path().join("rows.csv"), format!("d,a b\n{rows}")).unwrap();
    says(story, &["import", "rows.csv", uri, "--dims", "d"]);
}

#[test]
fn published_arrays_are_read_updated_and_checked() {
    let story = Story::new();
    import(&story, "1,5\n2,6\n", "rows");
    says(&story, &["publish", "rows", "site/rows", "--url", "https://example.org/rows"]);
    let server = Server::start(&story, "site");
    let url = format!("{}/rows", server.address);
    let cells = |uri: &str| says(&story, &["cat", uri, "--format", "csv"]);
    assert_eq!(cells(&url), cells("rows"));
    assert_eq!(cells(&url), "d,a b\n1,5\n2,6\n");
    assert!(says(&story, &["info", &url]).contains("a b"));
    assert!(says(&story, &["publish", "--check", &url]).contains("faults: 0"));
    let (status, page) = server.ask("GET /rows/ HTTP/1.1");
    assert!(status == 200 && page.contains("https://example.org/rows") && page.contains("<td>a b</td>"), "{page}");
    assert_eq!(server.ask("GET /rows HTTP/1.1").0, 301);

    assert!(fails(&story, &["publish", "rows", "site/rows"]).contains("--update"));
    std::fs::write(story.path().join("more.csv"), "d,a b\n3,7\n").unwrap();
    says(&story, &["append", "more.csv", "rows"]);
    says(&story, &["publish", "--update", "--consolidate", "rows", "site/rows"]);
    says(&story, &["vacuum", "rows"]);
    assert_eq!(cells(&url), "d,a b\n1,5\n2,6\n3,7\n");
    let updated: Json =
        serde_json::from_str(&says(&story, &["publish", "--update", "rows", "site/rows", "--json"])).unwrap();
    assert_eq!((&updated["arrays"], &updated["indexes"]), (&Json::from(1), &Json::from(1)));
    assert_eq!(cells(&url), cells("rows"));

    // A file that lost its last byte.
    let schemas = std::fs::read_dir(story.path().join("site/rows/__schema")).unwrap();
    let schema = schemas.map(|entry| entry.unwrap().path()).find(|path| path.is_file()).unwrap();
    let bytes = std::fs::read(&schema).unwrap();
    std::fs::write(&schema, &bytes[..bytes.len() - 1]).unwrap();
    let output = story.tool(&["publish", "--check", &url]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("faults: 1"));
}

#[test]
fn groups_are_published_with_their_members() {
    let story = Story::new();
    story.unpack(&["v22/group_members"]);
    says(&story, &["publish", GROUP, "site/group"]);
    let server = Server::start(&story, "site");
    let group = format!("{}/group", server.address);
    let tree = |uri: &str| {
        let text = says(&story, &["tree", uri]);
        text.lines().skip(1).map(|line| line.split("://").next().unwrap().trim_end().to_owned()).collect::<Vec<_>>()
    };
    assert!(tree(GROUP).len() > 3);
    assert_eq!(tree(&group), tree(GROUP));
    assert!(says(&story, &["publish", "--check", &group]).contains("faults: 0"));
    // An index of a folder that another tool copied.
    import(&story, "1,5\n", "rows");
    let copied = Command::new("cp").args(["-r", "rows", "site/plain"]).current_dir(story.path()).status().unwrap();
    assert!(copied.success());
    let plain = format!("{}/plain", server.address);
    assert!(fails(&story, &["count", &plain]).contains("tiledb-rs publish"));
    says(&story, &["publish", "--index-only", "site/plain", "--no-page", "--no-digests"]);
    assert_eq!(says(&story, &["count", &plain]).trim(), "1");
    assert_eq!(server.ask("GET /plain/ HTTP/1.1").0, 404);
}

/// The cells of an array in an order that does not depend on its tiles.
fn sorted_cells(story: &Story, uri: &str) -> Vec<String> {
    let text = says(story, &["cat", uri, "--format", "csv"]);
    let mut cells: Vec<String> = text.lines().map(str::to_owned).collect();
    cells[1..].sort();
    cells
}

#[test]
fn arrays_are_published_with_another_layout_and_updated() {
    let story = Story::new();
    let rows = |from: usize| (from..from + 2_000).map(|row| format!("{row},{}\n", row * 7 % 100)).collect::<String>();
    import(&story, &rows(0), "rows");
    let schema = |uri: &str| says(&story, &["schema", uri]);
    let files = || {
        let listed = Command::new("ls").args(["-lR", "rows"]).current_dir(story.path()).output().unwrap();
        String::from_utf8(listed.stdout).unwrap()
    };
    let before = (schema("rows"), files());
    let layout = ["--profile", "small", "--slice", "100", "--consolidate"];
    let publish = |more: &[&str]| says(&story, &[&["publish", "rows", "site/rows"], &layout[..], more].concat());
    publish(&[]);
    assert_eq!((schema("rows"), files()), before, "the source is not changed");
    let server = Server::start(&story, "site");
    let url = format!("{}/rows", server.address);
    assert_eq!(sorted_cells(&story, &url), sorted_cells(&story, "rows"));
    assert_ne!(schema(&url), before.0);

    std::fs::write(story.path().join("more.csv"), format!("d,a b\n{}", rows(5_000))).unwrap();
    says(&story, &["append", "more.csv", "rows"]);
    // Without the layout, it would be another array.
    assert!(fails(&story, &["publish", "--update", "rows", "site/rows"]).contains("another place"));
    publish(&["--update"]);
    assert_eq!(sorted_cells(&story, &url), sorted_cells(&story, "rows"));
    assert_eq!(sorted_cells(&story, &url).len(), 4_001);
    assert!(says(&story, &["publish", "--check", &url]).contains("faults: 0"));
    let refused = |sides: &str| fails(&story, &["publish", "rows", "site/other", "--slice", sides]);
    assert!(refused("1,2").contains("2 dimensions") && refused("0").contains("positive"));
    std::fs::write(story.path().join("plain.csv"), "a\n1\n2\n3\n").unwrap();
    says(&story, &["import", "plain.csv", "other"]);
    let error = fails(&story, &["publish", "--update", "--slice", "10", "other", "site/rows"]);
    assert!(error.contains("another array"), "{error}");
}

#[test]
fn nothing_is_published_where_it_cannot_be() {
    let story = Story::new();
    import(&story, "1,5\n", "rows");
    assert!(fails(&story, &["publish", "rows", "https://127.0.0.1:9/rows"]).contains("address of readers"));
    assert!(fails(&story, &["publish", "missing", "site/x"]).contains("missing"));
    assert!(fails(&story, &["publish", "rows", "rows/inner"]).contains("rows"));
    assert!(fails(&story, &["publish", "rows"]).contains("TARGET"));
    assert!(fails(&story, &["publish", "--index-only", "missing"]).contains("missing"));
}

#[test]
fn only_files_of_the_folder_are_served() {
    let story = Story::new();
    std::fs::create_dir_all(story.path().join("site/inner")).unwrap();
    std::fs::write(story.path().join("secret"), "hush").unwrap();
    std::fs::write(story.path().join("site/inner/50% é"), "0123456789").unwrap();
    std::os::unix::fs::symlink("../secret", story.path().join("site/link")).unwrap();
    std::os::unix::fs::symlink("inner", story.path().join("site/folder")).unwrap();
    let made = Command::new("mkfifo").arg(story.path().join("site/pipe")).status().unwrap();
    assert!(made.success());
    let server = Server::start(&story, "site");
    for path in [
        "/../secret",
        "/%2e%2e/secret",
        "/inner/../../secret",
        "/..%2fsecret",
        "//secret",
        "/link",
        "/pipe",
        "/inner",
        "/",
        "/%00",
        "/%zz",
        "/inner/missing",
        "/etc/passwd",
    ] {
        let (status, response) = server.ask(&format!("GET {path} HTTP/1.1"));
        assert!(status == 404 && !response.contains("hush"), "{path}: {response}");
    }
    let file = "/inner/50%25%20%C3%A9";
    let get = |more: &str| server.ask(&format!("GET {file}?x=y HTTP/1.1{more}"));
    let (status, whole) = get("");
    assert!(status == 200 && whole.ends_with("\r\n\r\n0123456789") && !whole.contains("Access-Control"), "{whole}");
    assert_eq!(server.ask("GET /folder/50%25%20%C3%A9 HTTP/1.1").0, 200);
    let (status, part) = get("\r\nRange: bytes=2-4");
    assert!(status == 206 && part.ends_with("\r\n\r\n234") && part.contains("Content-Range: bytes 2-4/10"), "{part}");
    assert_eq!(get("\r\nRange: bytes=10-").0, 416);
    let etag = whole.lines().find_map(|line| line.strip_prefix("ETag: ")).unwrap();
    for (header, status) in [
        ("If-Match: \"other\"".to_owned(), 412),
        (format!("If-Match: {etag}"), 200),
        (format!("If-None-Match: {etag}"), 304),
        (format!("Range: bytes=0-0\r\nIf-Range: {etag}"), 206),
        ("Range: bytes=0-0\r\nIf-Range: \"other\"".to_owned(), 200),
    ] {
        assert_eq!(get(&format!("\r\n{header}")).0, status, "{header}");
    }
    assert!(server.ask(&format!("HEAD {file} HTTP/1.1")).1.ends_with("\r\n\r\n"));
    assert_eq!(server.ask("OPTIONS / HTTP/1.1").0, 204);
    for method in ["PUT", "DELETE", "POST"] {
        assert_eq!(server.ask(&format!("{method} {file} HTTP/1.1")).0, 405);
    }
    assert_eq!(std::fs::read(story.path().join("site/inner/50% é")).unwrap(), b"0123456789");
}

#[test]
fn pages_of_other_origins_read_only_where_that_is_allowed() {
    let story = Story::new();
    std::fs::create_dir(story.path().join("site")).unwrap();
    std::fs::write(story.path().join("site/file"), "hush").unwrap();
    let server = Server::start(&story, "site");
    let get = |server: &Server, origin: &str| server.ask(&format!("GET /file HTTP/1.1\r\nOrigin: {origin}")).1;
    let allows =
        |response: &str, origin: &str| response.contains(&format!("Access-Control-Allow-Origin: {origin}\r\n"));
    let evil = get(&server, "https://evil.example");
    assert!(!evil.contains("Access-Control") && evil.contains("Cross-Origin-Resource-Policy: same-origin"), "{evil}");
    let local = "http://localhost:5173";
    assert!(allows(&get(&server, local), local) && get(&server, local).contains("Vary: Origin"));
    let preflight = |server: &Server, origin: &str| {
        server.ask(&format!("OPTIONS /file HTTP/1.1\r\nOrigin: {origin}\r\nAccess-Control-Request-Headers: if-match")).1
    };
    assert!(!preflight(&server, "https://evil.example").contains("Access-Control-Allow-Origin"));
    assert!(allows(&preflight(&server, local), local));
    // A name that resolves to this machine (DNS rebinding).
    for host in ["evil.example", "evil.example:8080", "localhost.evil.example"] {
        let (status, response) = server.ask_as("GET /file HTTP/1.1", host);
        assert!(status == 403 && !response.contains("hush"), "{host}: {response}");
    }
    assert_eq!(server.ask_as("GET /file HTTP/1.1", "").0, 400);
    assert_eq!(server.ask_as("GET /file HTTP/1.1", "localhost:1").0, 200);
    let viewer = "https://viewer.example";
    let listed = Server::with(&story, "site", &["--cors", viewer, "--allow-host", "data.lan"]);
    assert!(allows(&get(&listed, viewer), viewer) && !get(&listed, "https://evil.example").contains("Access-Control"));
    assert_eq!(listed.ask_as("GET /file HTTP/1.1", "data.lan:8080").0, 200);
    let open = Server::with(&story, "site", &["--cors", "*"]);
    assert!(allows(&get(&open, "https://evil.example"), "*"));
}
