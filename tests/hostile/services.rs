//! Services that give tokens and keys, and misbehave.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "sets variables while nobody reads them")]

use crate::certificate::Certificate;
use crate::server::{Reply, Request, Server};
use crate::stores::{Answer, FAULTS, Files, Store, context, google_account};
use crate::support::Api;
use crate::{Outcome, Scenario};

fn set(name: &str, value: &str) {
    unsafe { std::env::set_var(name, value) };
}

/// A source of credentials: how it is named to the library, and the path of the request that goes wrong.
struct Service {
    name: &'static str,
    store: Store,
    /// Sets the environment; more of the configuration.
    set: fn(&Server, &tempfile::TempDir) -> Vec<(&'static str, String)>,
    /// What is answered before the request that goes wrong.
    before: fn(&Request) -> Option<Reply>,
}

fn nothing(_: &Request) -> Option<Reply> {
    None
}

fn file(folder: &tempfile::TempDir, name: &str, content: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

const SERVICES: [Service; 11] = [
    Service {
        name: "sts",
        store: Store::S3,
        set: |server, _| {
            set("AWS_ACCESS_KEY_ID", "AKIAhush");
            set("AWS_SECRET_ACCESS_KEY", "hush");
            set("AWS_SESSION_TOKEN", "hush-session");
            set("AWS_ENDPOINT_URL_STS", &server.address);
            vec![("vfs.s3.aws_role_arn", "arn:aws:iam::1:role/r".to_owned())]
        },
        before: nothing,
    },
    Service {
        name: "web_identity",
        store: Store::S3,
        set: |server, folder| {
            set("AWS_ROLE_ARN", "arn:aws:iam::1:role/r");
            set("AWS_WEB_IDENTITY_TOKEN_FILE", &file(folder, "token", "hush-web"));
            set("AWS_ENDPOINT_URL_STS", &server.address);
            Vec::new()
        },
        before: nothing,
    },
    Service {
        name: "imds_token",
        store: Store::S3,
        set: |server, _| {
            set("AWS_EC2_METADATA_DISABLED", "false");
            set("AWS_EC2_METADATA_SERVICE_ENDPOINT", &server.address);
            Vec::new()
        },
        before: nothing,
    },
    Service {
        name: "imds_role",
        store: Store::S3,
        set: |server, _| {
            set("AWS_EC2_METADATA_DISABLED", "false");
            set("AWS_EC2_METADATA_SERVICE_ENDPOINT", &server.address);
            Vec::new()
        },
        before: |request| (request.method == "PUT").then(|| Reply::of(200, "hush-imds")),
    },
    Service {
        name: "container",
        store: Store::S3,
        set: |server, _| {
            set("AWS_CONTAINER_CREDENTIALS_FULL_URI", &format!("{}/task", server.address));
            set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "hush-container");
            Vec::new()
        },
        before: nothing,
    },
    Service {
        name: "entra_secret",
        store: Store::Azure,
        set: |server, _| {
            set("AZURE_TENANT_ID", "t");
            set("AZURE_CLIENT_ID", "c");
            set("AZURE_CLIENT_SECRET", "hush-secret");
            set("AZURE_AUTHORITY_HOST", &server.address);
            Vec::new()
        },
        before: nothing,
    },
    Service {
        name: "managed_identity",
        store: Store::Azure,
        set: |server, _| {
            set("IDENTITY_ENDPOINT", &format!("{}/service", server.address));
            set("IDENTITY_HEADER", "hush-word");
            Vec::new()
        },
        before: nothing,
    },
    Service {
        name: "google_user",
        store: Store::Gcs,
        set: |server, _| vec![("vfs.gcs.service_account_key", google_account(server))],
        before: nothing,
    },
    Service {
        name: "google_metadata",
        store: Store::Gcs,
        set: |server, _| {
            set("GCE_METADATA_HOST", server.host());
            let endpoint = ("vfs.gcs.impersonate_service_account", "a@b".to_owned());
            vec![("vfs.gcs.service_account_key", String::new()), endpoint]
        },
        before: nothing,
    },
    Service {
        name: "google_impersonation",
        store: Store::Gcs,
        set: |server, _| {
            set("GCE_METADATA_HOST", server.host());
            set("GOOGLE_CLOUD_CPP_IAM_CREDENTIALS_ENDPOINT", &server.address);
            let endpoint = ("vfs.gcs.impersonate_service_account", "a@b".to_owned());
            vec![("vfs.gcs.service_account_key", String::new()), endpoint]
        },
        before: |request| {
            let is_own = request.has("/computeMetadata/");
            is_own.then(|| Reply::of(200, r#"{"access_token":"hush-own","expires_in":3600}"#))
        },
    },
    Service {
        name: "google_external",
        store: Store::Gcs,
        set: |server, folder| {
            let token = file(folder, "subject", "hush-subject");
            let account = serde_json::json!({"type": "external_account", "audience": "a", "subject_token_type": "t",
                "token_url": format!("{}/sts", server.address), "credential_source": {"file": token}});
            vec![
                ("vfs.gcs.service_account_key", String::new()),
                ("vfs.gcs.workload_identity_configuration", account.to_string()),
            ]
        },
        before: nothing,
    },
];

const KEYS: &str = r#"{"AccessKeyId":"A\r\nX: 1","SecretAccessKey":"s","Token":"t\r\nx-injected: 1","Expiration":"2099-01-01T00:00:00Z"}"#;
const TOKEN: &str = r#"{"access_token":"a\r\nx-injected: 1","accessToken":"a\r\nx-injected: 1","expires_in":3600}"#;

/// Answers that only tokens are spoilt by.
const TOKENS: [(&str, bool, Answer); 6] = [
    ("injected_token", true, |_| Reply::of(200, TOKEN)),
    ("injected_keys", true, |_| Reply::of(200, KEYS)),
    ("null_token", true, |_| Reply::of(200, r#"{"access_token":null,"accessToken":null}"#)),
    ("no_number", true, |_| Reply::of(200, r#"{"access_token":"","expires_in":1e400}"#)),
    ("role_elsewhere", true, |_| Reply::of(200, "../../../x?y#z\n")),
    ("role_host", true, |_| Reply::of(200, "@127.0.0.2:81/\n")),
];

pub fn all() -> Vec<Scenario> {
    let mut all = Vec::new();
    for service in &SERVICES {
        for (fault, _, answer) in FAULTS.into_iter().chain(TOKENS) {
            all.push(Scenario {
                name: format!("{}/{}/{fault}", service.store.name(), service.name),
                seconds: 45,
                is_quick: !matches!(fault, "slow_body" | "slow_head" | "silent"),
                must_fail: true,
                run: Box::new(move |api| run(api, service, answer)),
            });
        }
    }
    all
}

fn run(api: &Api, service: &Service, answer: Answer) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    set("HOME", folder.path().to_str().unwrap());
    set("PATH", "");
    set("AWS_EC2_METADATA_DISABLED", "true");
    set("AZURE_POD_IDENTITY_AUTHORITY_HOST", "http://127.0.0.1:1");
    let thief = Server::elsewhere(|_| Reply::of(200, ""));
    let (reply, before) = (answer(&thief.address), service.before);
    let hostile = Server::start(move |request| before(request).unwrap_or_else(|| reply.clone()));
    // The store knows nobody.
    let certificate = Certificate::new("hostile");
    let store = match service.store {
        Store::Azure => Server::with_tls(&certificate, |_| Reply::of(403, "")),
        _ => Server::start(|_| Reply::of(403, "")),
    };
    let authorities = file(&folder, "ca.pem", &String::from_utf8(certificate.pem()).unwrap());
    let set = (service.set)(&hostile, &folder);
    let mut config: Vec<(&str, &str)> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
    match service.store {
        Store::S3 => config.extend_from_slice(&[
            ("vfs.s3.aws_access_key_id", ""),
            ("vfs.s3.aws_secret_access_key", ""),
            ("vfs.s3.aws_session_token", ""),
        ]),
        Store::Azure => {
            config.extend_from_slice(&[("vfs.azure.storage_account_key", ""), ("ssl.ca_file", authorities.as_str())])
        }
        Store::Gcs => {}
    }
    let files = Files::new(context(api, service.store, &store, &config), &format!("{}://bucket", service.store.name()));
    let done = files.list();
    let injected = store.requests().into_iter().chain(hostile.requests());
    let is_injected = |request: &Request| request.headers.iter().any(|(name, _)| name == "x-injected");
    let leaks =
        thief.requests().into_iter().chain(injected.filter(is_injected)).map(|request| request.text()).collect();
    Outcome { result: done.map(|()| "done".to_owned()).map_err(|failure| failure.text), leaks }
}
