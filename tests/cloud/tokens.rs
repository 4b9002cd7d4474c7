//! Access tokens of Azure: every source, with servers inside the test in place of all services.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::credentials::{ask, set, unset};
use crate::scripted_server::{Answer, ReceivedRequest, ScriptedServer, answer};
use support::Api;
use support::servers::certificate::Certificate;

const SCOPE: &str = "scope=https%3A%2F%2Fstorage.azure.com%2F.default";
const RESOURCE: &str = "resource=https%3A%2F%2Fstorage.azure.com";

fn token(name: &str) -> Answer {
    answer(200, format!(r#"{{"token_type":"Bearer","access_token":"{name}","expires_in":3600}}"#))
}

/// What the services say that give tokens.
fn reply(request: &ReceivedRequest) -> Answer {
    let says = |parts: &[&str]| parts.iter().all(|part| request.body.contains(part) || request.path.contains(part));
    match (request.method.as_str(), request.path.split('?').next().unwrap()) {
        ("POST", "/tenant/oauth2/v2.0/token") if says(&["client_id=client", "client_secret=word", SCOPE]) => {
            token("SECRET")
        }
        ("POST", "/tenant/oauth2/v2.0/token") if says(&["client_assertion=federated&", "jwt-bearer", SCOPE]) => {
            token("FEDERATED")
        }
        ("POST", "/tenant/oauth2/v2.0/token") if says(&["client_assertion=eyJ"]) => token("CERTIFICATE"),
        ("POST", "/tenant/oauth2/v2.0/token") => {
            answer(401, r#"{"error":"invalid_client","error_description":"AADSTS7000215: bad secret.\r\nTrace ID: x"}"#)
        }
        ("GET", "/metadata/identity/oauth2/token") if request.header("metadata") == "true" && says(&[RESOURCE]) => {
            if says(&["client_id=mine"]) {
                token("MINE")
            } else {
                token("MACHINE")
            }
        }
        ("GET", "/service") if request.header("x-identity-header") == "word" && says(&[RESOURCE, "2019-08-01"]) => {
            token("SERVICE")
        }
        _ => answer(404, "nothing here"),
    }
}

const LISTING: &str = "<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>";

struct Case<'a> {
    api: &'a Api,
    login: &'a ScriptedServer,
    store: &'a ScriptedServer,
    home: &'a Path,
    ca: &'a str,
}

impl Case<'_> {
    fn clear(&self) {
        for (name, _) in std::env::vars() {
            if ["AZURE_", "TILEDB_VFS_AZURE", "IDENTITY_", "MSI_"].iter().any(|start| name.starts_with(start)) {
                unset(&name);
            }
        }
        set("HOME", self.home.to_str().unwrap());
        set("PATH", self.home.join("bin").to_str().unwrap());
        set("AZURE_AUTHORITY_HOST", &self.login.address);
        set("AZURE_POD_IDENTITY_AUTHORITY_HOST", "http://127.0.0.1:1");
        self.store.take_requests();
    }

    fn ask(&self, container: &str, more: &[(&str, &str)]) -> Result<u64, String> {
        let endpoint = format!("{}/account", self.store.address);
        let mut config = vec![("vfs.azure.blob_endpoint", endpoint.as_str()), ("ssl.ca_file", self.ca)];
        config.extend(more);
        ask(self.api, container, &config)
    }

    /// The container opens with this token.
    fn opens(&self, name: &str) {
        assert_eq!(self.ask("azure://private", &[]), Ok(1), "{name}");
        assert_eq!(self.store.take_requests().last().unwrap().header("authorization"), format!("Bearer {name}"));
    }

    fn refused(&self, reasons: &[&str]) {
        let text = self.ask("azure://private", &[]).unwrap_err();
        for reason in reasons {
            assert!(text.contains(reason), "no '{reason}' in: {text}");
        }
    }
}

fn environment(case: &Case<'_>) {
    case.clear();
    set("AZURE_TENANT_ID", "tenant");
    set("AZURE_CLIENT_ID", "client");
    case.refused(&["environment: neither AZURE_CLIENT_SECRET nor AZURE_CLIENT_CERTIFICATE_PATH is set"]);
    set("AZURE_CLIENT_SECRET", "word");
    case.opens("SECRET");
    set("AZURE_CLIENT_SECRET", "bad");
    case.refused(&["environment: 127.0.0.1:", "invalid_client: AADSTS7000215: bad secret. (401)"]);
    unset("AZURE_CLIENT_SECRET");
    let certificate = Certificate::new("a client");
    let pem = [certificate.key.private_key_to_pem_pkcs8().unwrap(), certificate.pem()].concat();
    let path = case.home.join("client.pem");
    std::fs::write(&path, pem).unwrap();
    set("AZURE_CLIENT_CERTIFICATE_PATH", path.to_str().unwrap());
    case.opens("CERTIFICATE");
    set("AZURE_CLIENT_CERTIFICATE_PATH", "/nowhere");
    case.refused(&["environment: '/nowhere': No such file"]);
    unset("AZURE_CLIENT_CERTIFICATE_PATH");
    let path = case.home.join("federated");
    std::fs::write(&path, "federated\n").unwrap();
    set("AZURE_FEDERATED_TOKEN_FILE", path.to_str().unwrap());
    case.opens("FEDERATED");
}

fn command_line(case: &Case<'_>) {
    case.clear();
    let tell = |script: &str| {
        let path = case.home.join("bin/az");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    tell(
        r#"[ "$*" = "account get-access-token --output json --scope https://storage.azure.com/.default" ] && echo '{"accessToken":"CLI","expires_on":4070908800}'"#,
    );
    case.opens("CLI");
    tell("echo 'Please run az login' >&2; exit 1");
    case.refused(&["Azure CLI: 'az' fails with exit status: 1: Please run az login"]);
    std::fs::remove_file(case.home.join("bin/az")).unwrap();
}

fn managed(case: &Case<'_>) {
    case.clear();
    set("AZURE_POD_IDENTITY_AUTHORITY_HOST", &case.login.address);
    case.opens("MACHINE");
    set("AZURE_CLIENT_ID", "mine");
    case.opens("MINE");
    set("IDENTITY_ENDPOINT", &format!("{}/service", case.login.address));
    set("IDENTITY_HEADER", "word");
    case.opens("SERVICE");
}

/// Where there is no token requests go without one; a signature and a connection without TLS need none.
fn without(case: &Case<'_>) {
    case.clear();
    case.refused(&[
        "NoAuthenticationInformation",
        "no credentials, as none were found: environment: AZURE_TENANT_ID is not set; Azure CLI: 'az' cannot be started: ",
        "; managed identity: After 2 tries (No answer from 127.0.0.1:1: ",
        "; workload identity: AZURE_TENANT_ID is not set",
    ]);
    assert_eq!(case.ask("azure://public", &[]), Ok(1));
    case.login.take_requests();
    set("AZURE_POD_IDENTITY_AUTHORITY_HOST", &case.login.address);
    assert_eq!(case.ask("azure://public", &[("vfs.azure.storage_sas_token", "?sig=x")]), Ok(1));
    assert!(
        case.login.take_requests().is_empty() && case.store.take_requests().last().unwrap().path.ends_with("&sig=x")
    );
    let plain = ScriptedServer::open(|_| answer(200, LISTING));
    assert_eq!(case.ask("azure://public", &[("vfs.azure.blob_endpoint", &plain.address)]), Ok(1));
    assert!(case.login.take_requests().is_empty() && plain.take_requests()[0].header("authorization").is_empty());
}

pub fn check() {
    let (api, home, certificate) = (Api::ours(), tempfile::tempdir().unwrap(), Certificate::new("a server"));
    std::fs::create_dir(home.path().join("bin")).unwrap();
    let ca = home.path().join("ca.pem");
    std::fs::write(&ca, certificate.pem()).unwrap();
    let ended = AtomicBool::new(false);
    let login = ScriptedServer::open(reply);
    let store = ScriptedServer::open_tls(&certificate, move |request| match request.header("authorization") {
        "" if request.path.starts_with("/account/private") => {
            answer(401, "<Error><Code>NoAuthenticationInformation</Code><Message>no</Message></Error>")
        }
        // The first token has come to its end.
        "Bearer SERVICE" if !ended.swap(true, Ordering::Relaxed) => {
            answer(401, "<Error><Code>InvalidAuthenticationInfo</Code><Message>expired</Message></Error>")
        }
        _ => answer(200, LISTING),
    });
    let case = Case { api: &api, login: &login, store: &store, home: home.path(), ca: ca.to_str().unwrap() };
    for test in [environment, command_line, managed, without] {
        test(&case);
    }
    println!("cloud: tokens of Azure come from every source, and what gave none says why");
}
