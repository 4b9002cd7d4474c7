//! Arrays and groups at `tiledb://` URIs: our client against a minimal server that is built from the C functions of
//! either library, in both serialization formats; data that a client must never send; and failing requests.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "calls foreign functions as a C program does")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

#[path = "../cloud/certificate.rs"]
mod certificate;
mod connections;
mod fault_matrix;
mod faults;
mod http;
mod precedence;
mod removed;
mod results;
mod server;
mod session;
#[path = "../support/mod.rs"]
mod support;
#[path = "../cloud/tunnel.rs"]
mod tunnel;

use http::Server;
use server::Tables;
use support::Api;
use support::own_process::isolated;

/// What the session tells with these libraries as client and server.
fn told(client: &Api, server: Api, form: &str, more: &[(&str, &str)]) -> (Vec<(&'static str, String)>, Server) {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(server, folder.path());
    let server = Server::start(move |_, request| Some(tables.answer(request)));
    let mut config = vec![
        ("rest.server_address", server.address.as_str()),
        ("rest.token", "a secret token"),
        ("rest.server_serialization_format", form),
        ("rest.retry_count", "1"),
        ("sm.mem.total_budget", "200000000"),
    ];
    config.extend_from_slice(more);
    let ctx = client.context(&config);
    let told = session::run(&ctx, form == "CAPNP");
    let told =
        told.into_iter().map(|(name, told)| (name, told.unwrap_or_else(|failure| format!("FAILED: {failure:?}"))));
    (told.collect(), server)
}

fn check(client: &Api, server: Api, form: &str, expected: &mut Option<Vec<(&'static str, String)>>) {
    let between = format!("{} by {} in {form}", client.path.display(), server.path.display());
    let (told, _server) = told(client, server, form, &[]);
    let failed: Vec<_> = told.iter().filter(|(_, told)| told.starts_with("FAILED")).collect();
    assert!(failed.is_empty(), "{between}: {failed:#?}");
    match expected {
        Some(expected) => assert_eq!(&told, expected, "{between}"),
        None => *expected = Some(told),
    }
}

#[test]
fn our_client_works_with_either_server() {
    isolated("our_client_works_with_either_server", || {
        for form in ["CAPNP", "JSON"] {
            let mut expected = None;
            check(&Api::ours(), Api::ours(), form, &mut expected);
            if let Some(reference) = Api::reference() {
                check(&Api::ours(), reference, form, &mut expected);
            }
        }
    });
}

#[test]
fn the_client_of_libtiledb_works_with_our_server() {
    // Its own server must be another process: it keeps a lock of the process while it asks a server for a new group.
    isolated("the_client_of_libtiledb_works_with_our_server", || {
        let Some(client) = Api::reference() else { return };
        for form in ["CAPNP", "JSON"] {
            check(&client, Api::ours(), form, &mut None);
        }
    });
}

#[test]
fn arrays_are_opened_by_their_schema_where_that_is_asked_for() {
    let older =
        [("rest.use_refactored_array_open", "false"), ("rest.use_refactored_array_open_and_query_submit", "false")];
    let client = Api::ours();
    let (told, server) = told(&client, Api::ours(), "CAPNP", &older[..1]);
    let failed: Vec<_> = told.iter().filter(|(_, told)| told.starts_with("FAILED")).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(!server.requests().is_empty());
}

/// The version is part of the schema that the client sends; what the server writes later follows the array.
#[test]
fn arrays_on_a_server_have_the_format_version_that_the_client_requests() {
    let (client, folder) = (Api::ours(), tempfile::tempdir().unwrap());
    let tables = Tables::new(Api::ours(), folder.path());
    let server = Server::start(move |_, request| Some(tables.answer(request)));
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
fn bodies_hold_no_secrets() {
    let secrets = secrets();
    assert!(secrets.len() > 15, "{secrets:?}");
    let mut more: Vec<(&str, &str)> = secrets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    more.retain(|(name, _)| *name != "sm.encryption_key");
    let client = Api::ours();
    for form in ["CAPNP", "JSON"] {
        let (_, server) = told(&client, Api::ours(), form, &more);
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
