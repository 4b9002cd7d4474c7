//! Precedence of credentials: those set by the program override the environment.

use std::process::Command;

use super::http::{Reply, Server};
use super::support::{Api, pointer, text};

/// A test that runs again in a process of its own, whose environment has a token.
#[test]
fn what_the_program_sets_wins_over_the_environment() {
    let arguments = ["--exact", "precedence::child", "--ignored", "--nocapture"];
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.args(arguments).env("TILEDB_REST_TOKEN", "from-the-environment").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

#[test]
#[ignore = "run by the other test"]
fn child() {
    let server = Server::start(|_, _| Some(Reply::new(404, "")));
    let api = Api::ours();
    let sent = |set: &[(&str, &str)]| {
        let mut config = vec![("rest.server_address", server.address.as_str())];
        config.extend_from_slice(set);
        let (ctx, uri) = (api.context(&config), text("tiledb://space/array"));
        _ = ctx.get("object_type", &[pointer(&uri)]);
        let request = server.requests().pop().unwrap();
        let header = |name: &str| request.header(name).map(str::to_owned);
        header("x-tiledb-rest-api-key").or_else(|| header("authorization")).unwrap()
    };
    let user = [("rest.username", "u"), ("rest.password", "p")];
    assert_eq!(sent(&user), "Basic dTpw");
    assert_eq!(sent(&[]), "from-the-environment");
    assert_eq!(sent(&user[..1]), "from-the-environment");
    assert_eq!(sent(&[&user[..], &[("rest.token", "t")]].concat()), "t");
}
