//! Misbehaving services for tokens and access keys.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "sets variables while nobody reads them")]

use crate::stores::{Answer, FAULTS, Files, Store, context, google_account};
use crate::{Outcome, Scenario};
use support::Api;
use support::servers::certificate::Certificate;
use support::servers::web::{Reply, Request, Server};

fn set(name: &str, value: &str) {
    unsafe { std::env::set_var(name, value) };
}

/// A source of credentials: how it is named to the library, and the path of the request that goes wrong.
///
/// In values `{address}` and `{host}` stand for those of the service, `{token}` for a file with a token, `{account}` for a key of a
/// Google account.
struct Service {
    name: &'static str,
    store: Store,
    /// The environment.
    variables: &'static [(&'static str, &'static str)],
    /// More of the configuration.
    config: &'static [(&'static str, &'static str)],
    /// What is answered before the request that goes wrong.
    before: fn(&Request) -> Option<Reply>,
}

impl Service {
    const fn new(
        name: &'static str,
        store: Store,
        variables: &'static [(&'static str, &'static str)],
        config: &'static [(&'static str, &'static str)],
    ) -> Service {
        Service { name, store, variables, config, before: |_| None }
    }
}

const IMDS: &[(&str, &str)] =
    &[("AWS_EC2_METADATA_DISABLED", "false"), ("AWS_EC2_METADATA_SERVICE_ENDPOINT", "{address}")];
const IMPERSONATED: &[(&str, &str)] =
    &[("vfs.gcs.service_account_key", ""), ("vfs.gcs.impersonate_service_account", "a@b")];

const SERVICES: [Service; 11] = [
    Service::new(
        "sts",
        Store::S3,
        &[
            ("AWS_ACCESS_KEY_ID", "AKIAhush"),
            ("AWS_SECRET_ACCESS_KEY", "hush"),
            ("AWS_SESSION_TOKEN", "hush-session"),
            ("AWS_ENDPOINT_URL_STS", "{address}"),
        ],
        &[("vfs.s3.aws_role_arn", "arn:aws:iam::1:role/r")],
    ),
    Service::new(
        "web_identity",
        Store::S3,
        &[
            ("AWS_ROLE_ARN", "arn:aws:iam::1:role/r"),
            ("AWS_WEB_IDENTITY_TOKEN_FILE", "{token}"),
            ("AWS_ENDPOINT_URL_STS", "{address}"),
        ],
        &[],
    ),
    Service::new("imds_token", Store::S3, IMDS, &[]),
    Service {
        before: |request| (request.method == "PUT").then(|| Reply::of(200, "hush-imds")),
        ..Service::new("imds_role", Store::S3, IMDS, &[])
    },
    Service::new(
        "container",
        Store::S3,
        &[
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "{address}/task"),
            ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "hush-container"),
        ],
        &[],
    ),
    Service::new(
        "entra_secret",
        Store::Azure,
        &[
            ("AZURE_TENANT_ID", "t"),
            ("AZURE_CLIENT_ID", "c"),
            ("AZURE_CLIENT_SECRET", "hush-secret"),
            ("AZURE_AUTHORITY_HOST", "{address}"),
        ],
        &[],
    ),
    Service::new(
        "managed_identity",
        Store::Azure,
        &[("IDENTITY_ENDPOINT", "{address}/service"), ("IDENTITY_HEADER", "hush-word")],
        &[],
    ),
    Service::new("google_user", Store::Gcs, &[], &[("vfs.gcs.service_account_key", "{account}")]),
    Service::new("google_metadata", Store::Gcs, &[("GCE_METADATA_HOST", "{host}")], IMPERSONATED),
    Service {
        before: |request| {
            let is_own = request.has("/computeMetadata/");
            is_own.then(|| Reply::of(200, r#"{"access_token":"hush-own","expires_in":3600}"#))
        },
        ..Service::new(
            "google_impersonation",
            Store::Gcs,
            &[("GCE_METADATA_HOST", "{host}"), ("GOOGLE_CLOUD_CPP_IAM_CREDENTIALS_ENDPOINT", "{address}")],
            IMPERSONATED,
        )
    },
    Service::new(
        "google_external",
        Store::Gcs,
        &[],
        &[
            ("vfs.gcs.service_account_key", ""),
            (
                "vfs.gcs.workload_identity_configuration",
                r#"{"type":"external_account","audience":"a","subject_token_type":"t","token_url":"{address}/sts",
                   "credential_source":{"file":"{token}"}}"#,
            ),
        ],
    ),
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
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (authorities, token) = (file("ca.pem", &certificate.pem()), file("token", b"hush-token"));
    let account = google_account(&hostile);
    let filled = |value: &str| {
        let places = [
            ("{address}", &*hostile.address),
            ("{host}", hostile.host()),
            ("{token}", &token),
            ("{account}", &account),
        ];
        places.iter().fold(value.to_owned(), |value, (place, content)| value.replace(place, content))
    };
    service.variables.iter().for_each(|(name, value)| set(name, &filled(value)));
    let own: Vec<(&str, String)> = service.config.iter().map(|(name, value)| (*name, filled(value))).collect();
    let mut config: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
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
