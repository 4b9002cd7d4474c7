//! Connections to a store: TLS, trusted certificates, and proxies.

use crate::credentials::{ask, set};
use crate::scripted_server::{ScriptedServer, answer};
use support::Api;
use support::servers::certificate::Certificate;
use support::servers::tunnel;

const LISTING: &str = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";

pub fn check() {
    let (api, certificate, home) = (Api::ours(), Certificate::new("a server"), tempfile::tempdir().unwrap());
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("ca.pem"), certificate.pem()).unwrap();
    std::fs::write(path("other.pem"), Certificate::new("another").pem()).unwrap();
    std::fs::write(path("empty.pem"), "nothing").unwrap();
    std::fs::create_dir(path("folder")).unwrap();
    std::fs::copy(path("ca.pem"), path("folder/0a1b2c3d.0")).unwrap();
    let store = ScriptedServer::open_tls(&certificate, |_| answer(200, LISTING));
    set("AWS_ACCESS_KEY_ID", "x");
    set("AWS_SECRET_ACCESS_KEY", "x");
    let reach = |host: &str, config: &[(&str, &str)]| {
        let mut all = vec![("vfs.s3.endpoint_override", host), ("vfs.s3.connect_max_tries", "0")];
        all.extend(config);
        ask(&api, "s3://bucket", &all)
    };
    let (host, trusted) = (store.address.as_str(), path("ca.pem"));
    // Scheme and host may be said apart.
    assert_eq!(reach(store.host(), &[("vfs.s3.scheme", "https"), ("ssl.ca_file", &trusted)]), Ok(1));
    for config in [
        &[("ssl.ca_file", trusted.as_str())][..],
        &[("vfs.s3.ca_file", &trusted)],
        &[("ssl.ca_path", &path("folder"))],
        &[("vfs.s3.ca_path", &path("folder"))],
        &[("ssl.ca_file", &path("other.pem")), ("vfs.s3.ca_file", &trusted)],
        &[("ssl.ca_file", &path("other.pem")), ("ssl.ca_path", &path("folder"))],
        &[("ssl.verify", "false")],
        &[("vfs.s3.verify_ssl", "false")],
    ] {
        assert_eq!(reach(host, config), Ok(1), "{config:?}");
    }
    for (config, reason) in [
        (&[][..], "certificate verify failed"),
        (&[("ssl.ca_file", path("other.pem").as_str())], "certificate verify failed"),
        (&[("ssl.ca_file", &path("none.pem"))], "none.pem': No such file"),
        (&[("ssl.ca_file", &path("empty.pem"))], "'ssl.ca_file' and 'ssl.ca_path' name no certificates in PEM form"),
        (&[("ssl.ca_path", &path("none"))], "none': No such file"),
    ] {
        let text = reach(host, config).unwrap_err();
        assert!(text.contains(reason), "{config:?}: no '{reason}' in: {text}");
    }
    let elsewhere = host.replace("127.0.0.1", "localhost");
    let text = reach(&elsewhere, &[("ssl.ca_file", &trusted), ("vfs.s3.use_virtual_addressing", "false")]).unwrap_err();
    assert!(text.contains("certificate verify failed"), "{text}");

    let (port, heard) = tunnel::proxy();
    let port = port.to_string();
    let through = [("vfs.s3.proxy_host", "127.0.0.1"), ("vfs.s3.proxy_port", &port), ("ssl.ca_file", &trusted)];
    let known = [&through[..], &[("vfs.s3.proxy_username", "user"), ("vfs.s3.proxy_password", "p@ss word")]].concat();
    assert_eq!(reach(host, &known), Ok(1));
    assert_eq!(*heard.lock().unwrap(), [format!("CONNECT {} HTTP/1.1", store.host())]);
    let text = reach(host, &through).unwrap_err();
    assert!(text.contains("407") || text.contains("proxy"), "{text}");
    let plain = ScriptedServer::open(|_| answer(200, LISTING));
    assert_eq!(reach(&plain.address, &known), Ok(1));
    assert_eq!(heard.lock().unwrap().last().unwrap(), &format!("CONNECT {} HTTP/1.1", plain.host()));
    let text = reach(host, &[("vfs.s3.proxy_host", "127.0.0.1"), ("vfs.s3.proxy_port", "1")]).unwrap_err();
    assert!(text.contains("No answer from 127.0.0.1:"), "{text}");
    println!("cloud: stores are reached over TLS and through a proxy, by those whom they are to trust");
}
