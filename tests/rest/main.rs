//! Arrays and groups at `tiledb://` URIs: our client against a minimal server that is built from the C functions of
//! either library, in both serialization formats; data that a client must never send; and failing requests.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "calls foreign functions as a C program does")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod connections;
mod fault_matrix;
mod faults;
mod precedence;
mod removed;
mod results;
mod session;

use std::path::Path;

use serde_json::json;
use support::Api;
use support::library_process::{self, HARNESS, LibraryProcess};
use support::servers::http::Server;
use support::servers::rest::Tables;

/// What a session returned: names of operations with their results.
type Results = Vec<(String, String)>;

/// Runs a session of a client with the server at an address.
fn run_session(client: &Api, address: &str, form: &str, more: &[(&str, &str)]) -> Results {
    let mut config = vec![
        ("rest.server_address", address),
        ("rest.token", "a secret token"),
        ("rest.server_serialization_format", form),
        ("rest.retry_count", "1"),
        ("sm.mem.total_budget", "200000000"),
    ];
    config.extend_from_slice(more);
    let ctx = client.context(&config);
    let results = session::run(&ctx, form == "CAPNP");
    let results = results
        .into_iter()
        .map(|(name, result)| (name.to_owned(), result.unwrap_or_else(|failure| format!("FAILED: {failure:?}"))));
    results.collect()
}

/// A server of a library for a folder.
fn start_server(api: Api, folder: &Path) -> Server {
    let tables = Tables::new(api, folder);
    Server::start(move |_, request| Some(tables.answer(request)))
}

/// A session of our client with our server.
fn run_with_our_server(form: &str, more: &[(&str, &str)]) -> (Results, Server) {
    let folder = tempfile::tempdir().unwrap();
    let server = start_server(Api::ours(), folder.path());
    (run_session(&Api::ours(), &server.address, form, more), server)
}

fn assert_complete(results: &Results, form: &str) {
    let failed: Vec<_> = results.iter().filter(|(_, result)| result.starts_with("FAILED")).collect();
    assert!(failed.is_empty(), "{form}: {failed:#?}");
}

/// A process with the reference, as a client or a server.
fn reference() -> Option<LibraryProcess> {
    LibraryProcess::reference(&[&HARNESS[..], &["client_or_server_of_another_library"]].concat())
}

#[test]
#[ignore = "run by other tests in a process of its own"]
fn client_or_server_of_another_library() {
    let mut servers = Vec::new();
    library_process::serve(|api, request| {
        let word = |number: usize| request[number].as_str().unwrap();
        match word(0) {
            "server" => {
                servers.push(start_server(Api::open(&api.path).unwrap(), Path::new(word(1))));
                json!(servers.last().unwrap().address)
            }
            "client" => json!(run_session(api, word(1), word(2), &[])),
            _ => json!("alive"),
        }
    });
}

/// A session of our client with a server of the reference, once more if that died.
fn run_with_server_of(reference: &mut LibraryProcess, form: &str) -> Results {
    let mut attempt = || {
        let folder = tempfile::tempdir().unwrap();
        let address = reference.read(&json!(["server", folder.path().to_str().unwrap()])).unwrap();
        let results = run_session(&Api::ours(), address.as_str().unwrap(), form, &[]);
        reference.read_once(&json!(["alive"])).map(|_| results)
    };
    attempt().or_else(|_| attempt()).unwrap()
}

#[test]
fn our_client_works_with_either_server() {
    let mut reference = reference();
    for form in ["CAPNP", "JSON"] {
        let (expected, _server) = run_with_our_server(form, &[]);
        assert_complete(&expected, form);
        if let Some(reference) = &mut reference {
            assert_eq!(run_with_server_of(reference, form), expected, "{form}");
        }
    }
}

#[test]
fn the_client_of_libtiledb_works_with_our_server() {
    let Some(mut client) = reference() else { return };
    for form in ["CAPNP", "JSON"] {
        // Of an attempt, each with a server of its own.
        let mut places = Vec::new();
        let results = client.write(|_| {
            let folder = tempfile::tempdir().unwrap();
            let server = start_server(Api::ours(), folder.path());
            let address = server.address.clone();
            places.push((folder, server));
            json!(["client", address, form])
        });
        assert_complete(&serde_json::from_value(results.unwrap()).unwrap(), form);
    }
}

#[test]
fn arrays_are_opened_by_their_schema_if_configured() {
    let older =
        [("rest.use_refactored_array_open", "false"), ("rest.use_refactored_array_open_and_query_submit", "false")];
    let (results, server) = run_with_our_server("CAPNP", &older[..1]);
    assert_complete(&results, "CAPNP");
    assert!(!server.requests().is_empty());
}

/// The version is part of the schema that the client sends; what the server writes later follows the array.
#[test]
fn arrays_on_a_server_have_the_format_version_that_the_client_requests() {
    let (client, folder) = (Api::ours(), tempfile::tempdir().unwrap());
    let server = start_server(Api::ours(), folder.path());
    let config = [
        ("rest.server_address", server.address.as_str()),
        ("rest.token", "a token"),
        ("sm.write_format_version", "19"),
    ];
    let ctx = client.context(&config);
    let session = session::Session(&ctx);
    session.create("d", false).unwrap();
    session.write_dense().unwrap();
    session.write_dense().unwrap();
    session.maintain("array_consolidate").unwrap();
    let (mut folders, mut versions) = (vec![folder.path().to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
            let is_fragment = path.parent().is_some_and(|parent| parent.ends_with("__fragments"));
            versions.extend(is_fragment.then(|| path.to_str().unwrap().rsplit('_').next().unwrap().to_owned()));
            folders.push(path);
        }
    }
    assert!(versions.len() >= 2 && versions.iter().all(|version| version == "19"), "{versions:?}");
}

/// Sets every parameter that is a secret, and some more that only look so.
fn secrets() -> Vec<(String, String)> {
    let config = tiledb_core::config::Config::new();
    let words = [
        "key",
        "secret",
        "token",
        "password",
        "username",
        "account",
        "role",
        "session",
        "external",
        "impersonate",
        "workload",
    ];
    let named = config.entries("").into_iter().map(|(name, _)| name).chain(
        ["rest.username", "rest.password", "rest.custom_headers.x-mine", "vfs.s3.custom_headers.x", "my.own"]
            .map(str::to_owned),
    );
    let secret = named.filter(|name| !name.starts_with("sm.") || name == "sm.encryption_key");
    let secret = secret
        .filter(|name| name == "my.own" || name.contains("custom") || words.iter().any(|word| name.contains(word)));
    secret
        .filter(|name| !name.ends_with("_frequency") && name != "rest.token")
        .map(|name| {
            let value = format!("hush-{name}");
            (name, value)
        })
        .collect()
}

#[test]
fn request_bodies_contain_no_credentials() {
    let secrets = secrets();
    assert!(secrets.len() > 15, "{secrets:?}");
    let mut more: Vec<(&str, &str)> = secrets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    more.retain(|(name, _)| *name != "sm.encryption_key");
    for form in ["CAPNP", "JSON"] {
        let (_, server) = run_with_our_server(form, &more);
        let requests = server.requests();
        assert!(requests.len() > 20);
        for request in requests {
            let body = String::from_utf8_lossy(&request.body);
            assert!(!body.contains("hush-") && !body.contains("a secret token"), "{} {}", request.verb, request.target);
            assert_eq!(request.header("x-tiledb-rest-api-key"), Some("a secret token"));
            assert_eq!(request.header("x-mine"), Some("hush-rest.custom_headers.x-mine"));
        }
    }
}
