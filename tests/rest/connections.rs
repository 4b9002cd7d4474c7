//! Connections to a server: TLS, trusted hosts, and proxies from the environment.

use std::process::Command;

use openssl::ssl::{SslAcceptor, SslMethod};

use super::faults::{client, object_type, tables};
use super::session;
use support::Api;
use support::messages::CAPNP;
use support::servers::certificate::Certificate;
use support::servers::http::{Reply, Server};
use support::servers::rest::capabilities;
use support::servers::tunnel;

/// Names the server that the child asks.
const ADDRESS: &str = "REST_SERVER_OF_THE_CHILD";

fn secure(certificate: &Certificate) -> Server {
    let mut acceptor = SslAcceptor::mozilla_intermediate(SslMethod::tls()).unwrap();
    acceptor.set_private_key(&certificate.key).unwrap();
    acceptor.set_certificate(&certificate.certificate).unwrap();
    let (acceptor, (tables, folder)) = (acceptor.build(), tables());
    Server::start_by(
        "https",
        move |stream| acceptor.accept(stream).ok(),
        move |_, request| {
            let _ = &folder;
            Some(tables.answer(request))
        },
    )
}

#[test]
fn server_certificates_are_verified() {
    let (api, certificate, home) = (Api::ours(), Certificate::new("a server"), tempfile::tempdir().unwrap());
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("ca.pem"), certificate.pem()).unwrap();
    std::fs::write(path("other.pem"), Certificate::new("another").pem()).unwrap();
    std::fs::create_dir(path("folder")).unwrap();
    std::fs::copy(path("ca.pem"), path("folder/0a1b2c3d.0")).unwrap();
    let server = secure(&certificate);
    let (trusted, folder, other) = (path("ca.pem"), path("folder"), path("other.pem"));
    let results = session::run(&client(&api, &server.address, &[("ssl.ca_file", &trusted)]), true);
    assert!(results.iter().all(|(_, result)| result.is_ok()), "{results:#?}");
    for config in [
        ("ssl.ca_path", folder.as_str()),
        ("ssl.verify", "false"),
        // The older name.
        ("rest.ignore_ssl_validation", "true"),
    ] {
        assert_eq!(object_type(&client(&api, &server.address, &[config])), Ok(2), "{config:?}");
    }
    let elsewhere = server.address.replace("127.0.0.1", "localhost");
    for (address, config) in [
        (&server.address, &[][..]),
        (&server.address, &[("ssl.ca_file", other.as_str())]),
        (&elsewhere, &[("ssl.ca_file", &trusted)]),
    ] {
        let before = server.requests().len();
        let text = object_type(&client(&api, address, config)).unwrap_err();
        let host = address.trim_start_matches("https://");
        assert!(text.contains("certificate verify failed") && text.contains(host), "{config:?}: {text}");
        assert!(!text.contains("tries"), "asked once only: {text}");
        assert_eq!(server.requests().len(), before, "nothing is told to who cannot prove who it is");
    }
    let text = object_type(&client(&api, &server.address, &[("ssl.ca_file", &path("none.pem"))])).unwrap_err();
    assert!(text.contains("none.pem': No such file"), "{text}");
}

#[test]
fn proxies_of_the_environment_are_used() {
    let certificate = Certificate::new("a server");
    let (secure, plain) = (secure(&certificate), Server::start(|_, _| Some(Reply::new(200, capabilities(CAPNP)))));
    let (port, heard) = tunnel::proxy();
    let (open, proxy) = (format!("http://127.0.0.1:{port}"), format!("http://user:p%40ss%20word@127.0.0.1:{port}"));
    let session_by_proxy = |server: &Server, variables: &[(&str, &str)]| {
        heard.lock().unwrap().clear();
        let mut child = Command::new(std::env::current_exe().unwrap());
        for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            child.env_remove(name).env_remove(name.to_uppercase());
        }
        child
            .args(["--exact", "connections::child_asks_a_server_by_proxy", "--ignored", "--nocapture"])
            .env(ADDRESS, &server.address);
        let output = child.envs(variables.iter().copied()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let through = heard.lock().unwrap().contains(&format!("CONNECT {} HTTP/1.1", server.host()));
        (text, through)
    };
    for (server, variables, through) in [
        (&plain, &[("http_proxy", proxy.as_str())][..], true),
        (&plain, &[("HTTP_PROXY", &proxy), ("https_proxy", &proxy)], false),
        (&plain, &[("all_proxy", &proxy)], true),
        (&plain, &[("http_proxy", &proxy), ("no_proxy", "example.org, 127.0.0.1")], false),
        (&plain, &[("http_proxy", &proxy), ("NO_PROXY", "*")], false),
        (&secure, &[("https_proxy", &proxy)], true),
        (&secure, &[("HTTPS_PROXY", &proxy), ("no_proxy", "example.org")], true),
        (&secure, &[("http_proxy", &proxy)], false),
    ] {
        let (text, went) = session_by_proxy(server, variables);
        assert!(text.contains("result: Ok("), "{variables:?}: {text}");
        assert_eq!(went, through, "{variables:?}");
    }
    // Who does not know the password gets nowhere, and neither does who asks for a proxy that is not there.
    let (text, _) = session_by_proxy(&secure, &[("https_proxy", &open)]);
    assert!(text.contains("result: Err(") && text.contains(secure.host()) && !text.contains("may have done"), "{text}");
    for proxy in ["http://127.0.0.1:9", "socks5://127.0.0.1:9"] {
        let (text, _) = session_by_proxy(&secure, &[("https_proxy", proxy)]);
        assert!(text.contains("result: Err(") && !text.contains("may have done"), "{text}");
    }
}

#[test]
#[ignore = "the part of a child, which has an environment of its own"]
fn child_asks_a_server_by_proxy() {
    let api = Api::ours();
    let ctx = client(&api, &std::env::var(ADDRESS).unwrap(), &[("ssl.verify", "false"), ("rest.retry_count", "0")]);
    println!("result: {:?}", object_type(&ctx));
}
