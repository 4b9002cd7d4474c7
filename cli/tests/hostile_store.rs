//! `copy` from an object store whose listings contain names that lead out of the target (path traversal): nothing is
//! written outside it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use support::{Story, contents, tool};

/// Objects of the bucket by key; every listing shows the hostile ones, too.
struct Bucket {
    objects: BTreeMap<String, Vec<u8>>,
    hostile: Vec<String>,
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\n', "&#10;").replace('\0', "&#0;")
}

fn unquoted(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| std::str::from_utf8(after.get(..2)?).ok()).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => (bytes.push(byte), rest = &after[2..]).1,
            None => (bytes.push(first), rest = after).1,
        }
    }
    String::from_utf8(bytes).unwrap()
}

impl Bucket {
    fn list(&self, query: &str) -> String {
        let value = |name: &str| {
            let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            unquoted(value.unwrap_or_default())
        };
        let (prefix, delimiter) = (value("prefix"), value("delimiter"));
        let mut body = "<ListBucketResult>".to_owned();
        for (key, bytes) in &self.objects {
            let is_shown = key.starts_with(&prefix) || self.hostile.contains(key) && delimiter.is_empty();
            let is_deeper = !delimiter.is_empty() && key[prefix.len().min(key.len())..].contains(&delimiter);
            if is_shown && !is_deeper {
                let key = escaped(key);
                body += &format!("<Contents><Key>{key}</Key><Size>{}</Size><ETag>\"e\"</ETag></Contents>", bytes.len());
            } else if is_shown {
                let folder = key[prefix.len()..].split('/').next().unwrap_or_default();
                body += &format!("<CommonPrefixes><Prefix>{}{folder}/</Prefix></CommonPrefixes>", escaped(&prefix));
            }
        }
        body + "<IsTruncated>false</IsTruncated></ListBucketResult>"
    }

    /// Answers requests until the connection is closed.
    fn answer(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream;
        loop {
            let (mut head, mut range, mut length) = (String::new(), None, 0_usize);
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
            loop {
                let mut line = String::new();
                reader.read_line(&mut line)?;
                let line = line.trim_end().to_ascii_lowercase();
                if line.is_empty() {
                    break;
                }
                if let Some(value) = line.strip_prefix("range: bytes=") {
                    range = value.split_once('-').map(|(from, to)| (from.parse().ok(), to.parse().ok()));
                }
                if let Some(value) = line.strip_prefix("content-length: ") {
                    length = value.parse().unwrap();
                }
            }
            std::io::copy(&mut reader.by_ref().take(length as u64), &mut std::io::sink())?;
            let mut words = head.split(' ');
            let (method, target) = (words.next().unwrap(), words.next().unwrap());
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            let (status, more, body) = if query.contains("list-type=2") {
                ("200 OK", String::new(), self.list(query).into_bytes())
            } else {
                let key = unquoted(path.strip_prefix("/b/").unwrap_or_default());
                match (self.objects.get(&key), range) {
                    (None, _) => ("404 Not Found", String::new(), Vec::new()),
                    (Some(bytes), None) => ("200 OK", "ETag: \"e\"\r\n".to_owned(), bytes.clone()),
                    (Some(bytes), Some((from, to))) => {
                        // Without a first byte it is as many from the end.
                        let last = |count: usize| bytes.len() - count.min(bytes.len());
                        let (from, end) = match (from, to) {
                            (Some(from), to) => (from, to.map_or(bytes.len(), |to: usize| (to + 1).min(bytes.len()))),
                            (None, count) => (last(count.unwrap_or(0)), bytes.len()),
                        };
                        let from: usize = end.min(from);
                        let more =
                            format!("ETag: \"e\"\r\nContent-Range: bytes {from}-{}/{}\r\n", end - 1, bytes.len());
                        ("206 Partial Content", more, bytes[from..end].to_vec())
                    }
                }
            };
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n{more}\r\n", body.len())?;
            if method != "HEAD" {
                stream.write_all(&body)?;
            }
        }
    }
}

/// The files of a folder as objects below a prefix.
fn objects(folder: &Path, prefix: &str, listed: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let key = format!("{prefix}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            objects(&entry.path(), &key, listed);
        } else {
            listed.insert(key, std::fs::read(entry.path()).unwrap());
        }
    }
}

/// Copies the bucket with one more object into a folder that lies deep in the story.
fn copy(story: &Story, hostile: &[&str], arguments: &[&str]) -> Output {
    let mut bucket = Bucket { objects: BTreeMap::new(), hostile: Vec::new() };
    objects(&story.path().join("array"), "p", &mut bucket.objects);
    for key in hostile {
        bucket.objects.insert((*key).to_owned(), b"planted".to_vec());
        bucket.hostile.push((*key).to_owned());
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = listener.local_addr().unwrap().to_string();
    let bucket = Arc::new(bucket);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let bucket = Arc::clone(&bucket);
            std::thread::spawn(move || bucket.answer(stream));
        }
    });
    let mut command = Command::new(tool());
    command.current_dir(story.path()).env("TILEDB_VFS_S3_ENDPOINT_OVERRIDE", endpoint);
    for (name, value) in [
        ("SCHEME", "http"),
        ("USE_VIRTUAL_ADDRESSING", "false"),
        ("REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "A"),
        ("AWS_SECRET_ACCESS_KEY", "S"),
        ("CONNECT_MAX_TRIES", "1"),
    ] {
        command.env(format!("TILEDB_VFS_S3_{name}"), value);
    }
    command.arg("copy").args(arguments).arg("s3://b/p").arg("jail/a/b/target").output().unwrap()
}

fn story() -> Story {
    let story = Story::new();
    std::fs::write(story.path().join("rows.csv"), "a,b\n1,x\n2,y\n").unwrap();
    assert!(story.tool(&["import", "rows.csv", "array"]).status.success());
    std::fs::create_dir_all(story.path().join("jail/a/b")).unwrap();
    story
}

#[test]
fn names_that_lead_out_of_the_target_are_refused() {
    let story = story();
    let before = contents(&story.path().join("jail"));
    for key in [
        "p/../../../../escaped",
        "p/__fragments/../../../escaped",
        "p/../target2",
        "p//escaped",
        "p/./x",
        "p/a//b",
        "p/__meta/..",
        "p/__schema/../../escaped",
        "p/__commits/../../escaped",
        "p/__unfinished_copy/../../escaped",
    ] {
        for arguments in [&[][..], &["--dry-run"], &["--check"]] {
            let output = copy(&story, &[key], arguments);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{key}: {stderr}");
            assert!(stderr.contains("cannot be copied") || stderr.contains("does not lie in"), "{key}: {stderr}");
            assert_eq!(contents(&story.path().join("jail")), before, "{key} is written");
            assert!(!story.path().join("escaped").exists(), "{key}");
        }
    }
}

#[test]
fn odd_names_that_stay_inside_are_copied() {
    let story = story();
    let keys = ["p/%2e%2e/%2e%2e/x", "p/...", "p/..x/y", "p/a\\..\\b", "p/new\nline"];
    let output = copy(&story, &keys, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let target = story.path().join("jail/a/b/target");
    for key in keys {
        assert_eq!(std::fs::read(target.join(&key[2..])).unwrap(), b"planted", "{key}");
    }
    let cells = |array: &str| story.tool(&["cat", array, "--format", "csv"]).stdout;
    assert_eq!(cells("jail/a/b/target"), cells("array"));
}

#[test]
fn links_and_pipes_in_the_source_are_refused() {
    let story = story();
    std::fs::write(story.path().join("secret"), "s").unwrap();
    let place = story.path().join("array/__meta/extra");
    for (make, why) in
        [("ln -s ../../secret", "symbolic link"), ("ln -s /", "symbolic link"), ("mkfifo", "neither a file")]
    {
        let made = Command::new("sh").args(["-c", &format!("{make} {}", place.display())]).status().unwrap();
        assert!(made.success());
        let output = story.tool(&["copy", "array", "copied"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{make}: {stderr}");
        assert!(stderr.contains(why) && stderr.contains("__meta/extra"), "{stderr}");
        assert!(!story.path().join("copied").exists(), "{make}");
        std::fs::remove_file(&place).unwrap();
    }
    // The source itself may be named by a link.
    std::os::unix::fs::symlink("array", story.path().join("link")).unwrap();
    assert!(story.tool(&["copy", "link", "copied"]).status.success());
}

/// Nothing is written through a link in the target: what it leads to belongs to others. The target itself may be named by one.
#[test]
fn links_and_pipes_in_the_target_are_refused() {
    let story = story();
    let path = |name: &str| story.path().join(name);
    assert!(story.tool(&["copy", "array", "copied"]).status.success());
    std::fs::write(path("foreign"), "kept").unwrap();
    std::fs::create_dir(path("elsewhere")).unwrap();
    let schema = std::fs::read_dir(path("copied/__schema")).unwrap().map(|entry| entry.unwrap().path());
    let schema = schema.into_iter().find(|path| path.is_file()).unwrap();
    let size = std::fs::read(&schema).unwrap();
    for (place, to) in [
        (schema.clone(), "foreign"),
        (path("copied/__meta/extra"), "foreign"),
        (path("copied/extra"), "elsewhere"),
        (path("copied/__unfinished_copy"), "elsewhere"),
        (path("copied/dangling"), "nowhere"),
    ] {
        _ = std::fs::remove_file(&place);
        std::os::unix::fs::symlink(path(to), &place).unwrap();
        for arguments in [&["copy", "array", "copied"][..], &["copy", "--check", "array", "copied"]] {
            let output = story.tool(arguments);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{place:?}: {stderr}");
            assert!(stderr.contains("is a symbolic link"), "{stderr}");
        }
        assert_eq!(std::fs::read(path("foreign")).unwrap(), b"kept");
        assert!(std::fs::read_dir(path("elsewhere")).unwrap().next().is_none() && !path("nowhere").exists());
        std::fs::remove_file(&place).unwrap();
        if place == schema {
            std::fs::write(&schema, &size).unwrap();
        }
    }
    std::os::unix::fs::symlink("elsewhere", path("target")).unwrap();
    assert!(story.tool(&["copy", "array", "target"]).status.success());
    assert!(path("elsewhere/__schema").is_dir() && path("target").is_symlink());
    std::os::unix::fs::symlink("nowhere", path("dangling")).unwrap();
    let output = story.tool(&["copy", "array", "dangling"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(3) && stderr.contains("leads nowhere"), "{stderr}");
}
