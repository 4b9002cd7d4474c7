//! Precedence of credentials by their source: the program, the environment, a profile.

use std::process::Command;

use support::servers::http::{Reply, Server};
use support::{Api, pointer, text};

/// A test that runs again in a process of its own, whose environment has a token.
#[test]
fn parameters_of_the_program_win_over_the_environment() {
    let arguments = ["--exact", "precedence::child", "--ignored", "--nocapture"];
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.args(arguments).env("TILEDB_REST_TOKEN", "from-the-environment").output().unwrap();
    let output_text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && output_text.contains("1 passed"), "{output_text}");
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

/// Number of a source, of higher precedence first; the parameters are its name, `rest.` apart.
const SOURCES: [&str; 3] = ["program", "environment", "profile"];
const PARAMETERS: [&str; 3] = ["token", "username", "password"];

/// The value of a parameter in a source: names of both, so that each is different.
fn value(parameter: usize, source: usize) -> String {
    format!("{}-{}", PARAMETERS[parameter], SOURCES[source])
}

/// The header that libtiledb 2.31 sends, if the sources have the parameters in these sets of bits; where 2.31 refuses a user
/// and a password of different sources, that of 2.30.
fn expected(sets: [u8; 3]) -> Option<String> {
    let source = |parameter: usize| (0..3).find(|&source| sets[source] & 1 << parameter != 0);
    let (token, user, password) = (source(0), source(1), source(2));
    let basic = user.zip(password).map(|(user, password)| {
        let text = format!("{}:{}", value(1, user), value(2, password));
        format!("Basic {}", openssl::base64::encode_block(text.as_bytes()))
    });
    let token = token.map(|source| (source, value(0, source)));
    match (token, basic) {
        (Some((source, _)), Some(basic)) if user == password && user < Some(source) => Some(basic),
        (Some((_, token)), _) => Some(token),
        (None, basic) => basic,
    }
}

/// Every combination of sources for each of the parameters, a process for each environment.
#[test]
fn source_of_higher_precedence_wins() {
    let arguments = ["--exact", "precedence::combinations", "--ignored", "--nocapture"];
    for set in 0..8u8 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(arguments).env(ENVIRONMENT, set.to_string());
        for parameter in (0..3).filter(|parameter| set & 1 << parameter != 0) {
            let name = format!("TILEDB_REST_{}", PARAMETERS[parameter].to_uppercase());
            child.env(name, value(parameter, 1));
        }
        let output = child.output().unwrap();
        let output_text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && output_text.contains("1 passed"),
            "environment {set}: {output_text}{errors}"
        );
    }
}

/// The bits of the parameters in the environment of the child.
const ENVIRONMENT: &str = "TEST_REST_PRECEDENCE";

#[test]
#[ignore = "run by the other test"]
fn combinations() {
    let environment: u8 = std::env::var(ENVIRONMENT).unwrap().parse().unwrap();
    let server = Server::start(|_, _| Some(Reply::new(404, "")));
    let api = Api::ours();
    let folder = tempfile::tempdir().unwrap();
    let parameters = |set: u8, source: usize| {
        let chosen = (0..3).filter(move |parameter| set & 1 << parameter != 0);
        chosen.map(move |parameter| (format!("rest.{}", PARAMETERS[parameter]), value(parameter, source)))
    };
    for profile in 0..8u8 {
        let entries: std::collections::BTreeMap<String, String> = parameters(profile, 2).collect();
        let file = serde_json::json!({ "default": entries });
        std::fs::write(folder.path().join("profiles.json"), file.to_string()).unwrap();
        for program in 0..8u8 {
            let set: Vec<(String, String)> = parameters(program, 0).collect();
            let mut config = vec![
                ("rest.server_address", server.address.as_str()),
                ("profile_dir", folder.path().to_str().unwrap()),
            ];
            config.extend(set.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            let (ctx, uri) = (api.context(&config), text("tiledb://space/array"));
            let before = server.requests().len();
            let answer = ctx.get("object_type", &[pointer(&uri)]);
            let requests = server.requests();
            let header = |name: &str| requests.get(before)?.header(name).map(str::to_owned);
            let sent = header("x-tiledb-rest-api-key").or_else(|| header("authorization"));
            let sets = [program, environment, profile];
            assert_eq!(sent, expected(sets), "{sets:?}");
            if sent.is_none() {
                let text = answer.unwrap_err().text;
                assert!(text.contains("Missing TileDB authentication"), "{text}");
                let set = program | environment | profile;
                for (bit, name) in [(2, "rest.password"), (4, "rest.username")] {
                    let is_half = set & 6 == bit;
                    assert_eq!(text.ends_with(&format!("'{name}' is missing.")), is_half, "{sets:?}: {text}");
                }
            }
        }
    }
}
