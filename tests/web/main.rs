//! Golden arrays read over HTTP give the results of those on disk: with an index, and by the pages of links that simple servers
//! send, with and without ranges.
//!
//! `cargo test --test web` reads a sample, `make test-web` all.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use std::path::{Path, PathBuf};
use std::process::Command;

use support::golden::case::Case;
use support::servers::web::{Reply, Request, Server};
use support::{Api, folders};
use tiledb_storage::vfs::{DirectoryIndex, INDEX_NAME, IndexEntry};

/// Of the current version every so many cases are read, unless `GOLDEN=all`; of each older one the first.
const EVERY: usize = 40;

/// How a server serves files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// With an index, ranges and tags.
    Index,
    /// With pages of links and ranges.
    Links,
    /// As Python's `http.server`: pages of links, and whole files.
    Whole,
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("--list") => println!("web: test"),
        Some("--child") => check(),
        _ => {
            let mut child = Command::new(std::env::current_exe().unwrap());
            // A proxy of the machine would not reach these servers.
            let strange = |name: &String| name.to_lowercase().ends_with("_proxy") || name.starts_with("TILEDB_VFS");
            for (name, _) in std::env::vars().filter(|(name, _)| strange(name)) {
                child.env_remove(name);
            }
            let status = child.arg("--child").env("TILEDB_VFS_HTTP_HTML_LISTING", "true").status().unwrap();
            assert!(status.success());
        }
    }
}

/// The folders of the cases of a version, unpacked.
fn cases(version: &str, into: &Path) -> Vec<PathBuf> {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{version}.tar.gz"));
    let Ok(file) = std::fs::File::open(archive) else { return Vec::new() };
    let folder = into.join(version);
    tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(&folder).unwrap();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|case| case.unwrap().path()).collect();
    cases.sort();
    cases
}

fn check() {
    let folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    let api = Api::ours();
    let is_all = std::env::var("GOLDEN").is_ok_and(|which| which == "all");
    let step = if is_all { 1 } else { EVERY };
    let mut chosen: Vec<PathBuf> = cases("v22", folder.path()).into_iter().step_by(step).collect();
    let older = (1..22).flat_map(|version| {
        let all = cases(&format!("v{version}"), folder.path());
        all.into_iter().take(if is_all { usize::MAX } else { 1 })
    });
    chosen.extend(older);
    let (mut arrays, mut queries, mut differ) = (0, 0, 0);
    for (number, path) in chosen.iter().enumerate() {
        let case = Case::load(path);
        if case.document()["kind"] != "array" || !case.document()["unpack_at"].is_null() {
            continue;
        }
        let none = |_: &Case, _: &Api| Ok(());
        let root = PathBuf::from(case.uri());
        let here = case.check(&api, none);
        arrays += 1;
        let all = [Style::Index, Style::Links, Style::Whole];
        let styles = if is_all { &all[..] } else { &all[number % 3..=number % 3] };
        for &style in styles {
            let server = serve(&root, style);
            let there = Case::load(path).at(PathBuf::from(&server.address).join("array")).check(&api, none);
            assert_eq!(here.len(), there.len(), "{root:?}");
            for ((query, here), (_, there)) in here.iter().zip(&there) {
                queries += 1;
                if here.is_ok() != there.is_ok() {
                    println!("{root:?} {query} {style:?}: here {here:?}, there {there:?}");
                    differ += 1;
                }
            }
            assert!(here.is_empty() || !server.requests().is_empty(), "{root:?}");
            assert!(server.requests().iter().all(|request| matches!(request.method.as_str(), "GET" | "HEAD")));
        }
    }
    println!("web: {arrays} golden arrays, {queries} queries, {differ} differ");
    assert!(differ == 0 && queries > 0);
}

/// A server of the files of an array, as `/array`.
fn serve(root: &Path, style: Style) -> Server {
    let index = index_of(root);
    let root = root.to_owned();
    Server::start(move |request| {
        let target = decoded(request.target.split('?').next().unwrap());
        let Some(name) = target.strip_prefix("/array").map(|name| name.trim_start_matches('/')) else {
            return Reply::of(404, "");
        };
        if name == INDEX_NAME {
            return if style == Style::Index { Reply::of(200, index.clone()) } else { Reply::of(404, "") };
        }
        let path = root.join(name);
        match path.is_dir() {
            true if style == Style::Index => Reply::of(404, ""),
            true => links(&path),
            false => file(&path, request, style),
        }
    })
}

fn decoded(text: &str) -> String {
    let (mut out, mut bytes) = (Vec::new(), text.bytes());
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let hex = [bytes.next().unwrap(), bytes.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&hex).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(out).unwrap()
}

fn index_of(root: &Path) -> String {
    let (mut index, mut folders) = (DirectoryIndex::default(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            index.insert(&name, IndexEntry::File(entry.metadata().unwrap().len(), None)).unwrap();
        }
    }
    index.to_json()
}

/// The page of a folder, as Python's `http.server` makes it.
fn links(folder: &Path) -> Reply {
    let mut page = "<title>Directory listing for /</title>".to_owned();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name: String = entry.file_name().to_str().unwrap().bytes().map(|byte| format!("%{byte:02x}")).collect();
        page += &format!("<li><a href=\"{name}{}\">x</a></li>", if entry.path().is_dir() { "/" } else { "" });
    }
    Reply::of(200, page).with("content-type", "text/html; charset=utf-8")
}

fn file(path: &Path, request: &Request, style: Style) -> Reply {
    let Ok(bytes) = std::fs::read(path) else { return Reply::of(404, "") };
    let header = |name: &str| request.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
    let etag = format!("\"{:x}\"", bytes.len());
    if style == Style::Index && header("if-match").is_some_and(|value| value != etag) {
        return Reply::of(412, "");
    }
    let range = header("range").filter(|_| style != Style::Whole).map(|range| {
        let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
        (first.parse::<usize>().unwrap(), (last.parse::<usize>().unwrap() + 1).min(bytes.len()))
    });
    let reply = match range {
        None => Reply::of(200, bytes),
        Some((start, end)) if start < end => Reply::of(206, &bytes[start..end])
            .with("content-range", format!("bytes {start}-{}/{}", end - 1, bytes.len())),
        Some(_) => Reply::of(416, "").with("content-range", format!("bytes */{}", bytes.len())),
    };
    if style == Style::Index { reply.with("etag", etag) } else { reply }
}
