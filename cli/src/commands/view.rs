//! `view`: the viewer, and the files of an array or group for it, on a loopback address.
//!
//! The page and the data have one origin, so that no page of another one can read them: there are no CORS headers. The address has a
//! secret part, which other users of the machine do not know, and requests by other names of the machine are refused (DNS rebinding).

use std::collections::hash_map::RandomState;
use std::fmt::Write;
use std::hash::BuildHasher;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use tiledb::publish::INDEX_FILE;
use tiledb::uri::check_relative;
use tiledb::{Context, ErrorKind, Vfs};

use super::serve_files::{Request, Response, accept, decoded};
use super::viewer_files::{PAGE, ViewerFiles};
use crate::args::{CommonOptions, View};
use crate::model::{Error, Expected, ObjectType, Result, absent, object_type};
use crate::output;

/// Folder of the array or group in addresses.
const DATA: &str = "data";
const MISSING: &str = "there is no such file\n";

/// Serves the viewer until the process is stopped.
pub(super) fn run(common: &CommonOptions, arguments: &View) -> Result<()> {
    let ctx = common.context()?;
    let uri = arguments.uri.trim_end_matches('/');
    if object_type(&ctx, uri)? == ObjectType::Other {
        return Err(absent(&ctx, uri, Expected::ArrayOrGroup));
    }
    let viewer = ViewerFiles::find(&arguments.viewer_files)?;
    let port = arguments.port;
    let wrong =
        |error: std::io::Error| Error::usage(format!("--port {port}: {error}; choose another one, or 0 for any"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(wrong)?;
    let host = listener.local_addr().map_err(wrong)?.to_string();
    let name = uri.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("array");
    let server =
        ViewServer { vfs: Vfs::new(&ctx), ctx, viewer, host, token: token(), name: encoded(name), uri: uri.to_owned() };
    let address = server.address();
    if common.json {
        output::json(&json!({ "command": "view", "address": address }))?;
    } else {
        output::line(&format!("{address} shows {uri}; Ctrl-C ends it"))?;
    }
    if !arguments.no_open && !open_browser(&address) {
        output::note("no browser could be started: open the address in one");
    }
    accept(&listener, Arc::new(move |request: &Request| server.respond(request)));
    Ok(())
}

struct ViewServer {
    ctx: Context,
    vfs: Vfs,
    viewer: ViewerFiles,
    /// Address and port, as browsers name them.
    host: String,
    token: String,
    /// The name of the array or group in addresses.
    name: String,
    uri: String,
}

impl ViewServer {
    fn address(&self) -> String {
        format!("http://{}/{}/{PAGE}?url={DATA}/{}", self.host, self.token, self.name)
    }

    fn respond(&self, request: &Request) -> Response {
        self.response(request)
            .with("Cross-Origin-Resource-Policy", "same-origin")
            .with("Referrer-Policy", "no-referrer")
            .with("Cache-Control", "no-cache")
    }

    fn response(&self, request: &Request) -> Response {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Response::text("405 Method Not Allowed", "files are only read\n").with("Allow", "GET, HEAD");
        }
        if request.header("host") != Some(self.host.as_str()) {
            return Response::text("421 Misdirected Request", "open the address that the command has printed\n");
        }
        let path = request.target.split(['?', '#']).next().unwrap_or_default();
        let own = path.strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str()));
        let Some(path) = own.and_then(|path| path.strip_prefix('/')) else {
            return Response::text("404 Not Found", MISSING);
        };
        let data = path.strip_prefix(DATA).and_then(|path| path.strip_prefix('/'));
        let data = data.and_then(|path| path.strip_prefix(self.name.as_str())).and_then(|path| path.strip_prefix('/'));
        let response = match data {
            Some(name) => decoded(name).and_then(|name| self.data(request, &name)),
            None => decoded(path).and_then(|name| self.viewer.response(if name.is_empty() { PAGE } else { &name })),
        };
        response.unwrap_or_else(|| Response::text("404 Not Found", MISSING))
    }

    /// A file of the array or group, or the index of a folder in it.
    fn data(&self, request: &Request, name: &str) -> Option<Response> {
        check_relative(name).ok()?;
        let failed = |error: tiledb::Error| match error.kind() {
            ErrorKind::NotFound => None,
            _ => {
                output::note(&format!("{name}: {error}"));
                Some(Response::text("500 Internal Server Error", "the file cannot be read; the command tells why\n"))
            }
        };
        if let Some(folder) = name.strip_suffix(INDEX_FILE) {
            let index = self.index(folder.trim_end_matches('/'));
            return match index {
                Ok(index) => index.map(|index| Response::bytes(index).with("Content-Type", "application/json")),
                Err(error) => failed(error),
            };
        }
        let uri = format!("{}/{name}", self.uri);
        match self.vfs.open(&uri) {
            Ok(object) => Some(Response::object(request, object).with("Content-Type", "application/octet-stream")),
            Err(error) => failed(error),
        }
    }

    /// The files below a folder, as readers over HTTP need them: an array that is not published has no index.
    fn index(&self, folder: &str) -> tiledb::Result<Option<Vec<u8>>> {
        let root = if folder.is_empty() { self.uri.clone() } else { format!("{}/{folder}", self.uri) };
        let Some(_) = tiledb::object::object_type(&self.ctx, &root)? else { return Ok(None) };
        // URIs of entries are absolute, also where that of the array is not.
        let first = self.vfs.list(&root)?;
        let Some((prefix, _)) = first.first().and_then(|entry| entry.uri().trim_end_matches('/').rsplit_once('/'))
        else {
            return Ok(None);
        };
        let mut files = Map::new();
        for entry in self.vfs.list_recursive(&root)?.iter().filter(|entry| !entry.is_dir()) {
            let Some(name) = entry.uri().strip_prefix(prefix) else { continue };
            insert(&mut files, name.trim_start_matches('/'), entry.size());
        }
        Ok(Some(json!({ "tiledb_index": 1, "files": files }).to_string().into_bytes()))
    }
}

/// Adds a file to the folders that its name lists.
fn insert(folder: &mut Map<String, Json>, name: &str, size: u64) {
    match name.split_once('/') {
        None => _ = folder.insert(name.to_owned(), json!(size)),
        Some((first, rest)) => {
            if let Json::Object(inner) = folder.entry(first).or_insert_with(|| Json::Object(Map::new())) {
                insert(inner, rest, size);
            }
        }
    }
}

/// A text that nobody can guess: the keys of a hash map are random.
fn token() -> String {
    let part = || RandomState::new().hash_one(0_u8);
    format!("{:016x}{:016x}", part(), part())
}

/// A name as a part of a path.
fn encoded(name: &str) -> String {
    name.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => _ = write!(out, "%{byte:02X}"),
        }
        out
    })
}

/// Opens an address in the browser of the user.
fn open_browser(address: &str) -> bool {
    let command: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["rundll32", "url.dll,FileProtocolHandler"],
        _ => &["xdg-open"],
    };
    let Some((program, arguments)) = command.split_first() else { return false };
    let mut browser = Command::new(program);
    browser.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    browser.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parts_of_paths() {
        assert_eq!(encoded("a b/ä?%"), "a%20b%2F%C3%A4%3F%25");
        assert_eq!(decoded(&encoded("a b/ä?%")).as_deref(), Some("a b/ä?%"));
        assert_ne!(token(), token());
        assert_eq!(token().len(), 32);
    }

    #[test]
    fn indexes_list_files_by_folder() {
        let mut files = Map::new();
        for (name, size) in [("__schema/a", 1), ("__schema/b", 2), ("c", 3)] {
            insert(&mut files, name, size);
        }
        assert_eq!(json!(files), json!({"__schema": {"a": 1, "b": 2}, "c": 3}));
    }
}
