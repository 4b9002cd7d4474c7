//! Access tokens of Google Cloud: every source, with a server inside the test in place of all services.

use std::path::Path;

use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sign::Verifier;

use crate::credentials::{ask, set, unset};
use crate::scripted_server::{Answer, ReceivedRequest, ScriptedServer, answer};
use support::Api;

const SCOPE: &str = "https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcloud-platform";

fn token(name: &str) -> Answer {
    answer(200, format!(r#"{{"access_token":"{name}","expires_in":3599,"token_type":"Bearer"}}"#))
}

/// The text of a part of a signed statement, or its signature.
fn plain(part: &str) -> Vec<u8> {
    let padding = "=".repeat((4 - part.len() % 4) % 4);
    openssl::base64::decode_block(&(part.replace('-', "+").replace('_', "/") + &padding)).unwrap()
}

/// Whether the statement of a service account is signed with its key, and says who it is.
fn is_stated(body: &str, key: &PKey<Private>) -> bool {
    let statement = body.split("assertion=").nth(1).and_then(|rest| rest.split('&').next()).unwrap();
    let (text, signature) = statement.rsplit_once('.').unwrap();
    let (head, claims) = text.split_once('.').unwrap();
    let says = |part: &str, word: &str| String::from_utf8(plain(part)).unwrap().contains(word);
    let mut verifier = Verifier::new(MessageDigest::sha256(), key).unwrap();
    verifier.update(text.as_bytes()).unwrap();
    verifier.verify(&plain(signature)).unwrap()
        && says(head, r#""kid":"key-1""#)
        && says(claims, r#""iss":"robot@project""#)
        && says(claims, "/token\"")
}

/// What the services say, and a store that wants to know who asks.
fn reply(request: &ReceivedRequest, key: &PKey<Private>) -> Answer {
    let says = |parts: &[&str]| parts.iter().all(|part| request.body.contains(part));
    let word = request.header("authorization");
    match (request.method.as_str(), request.path.split('?').next().unwrap()) {
        ("POST", "/token")
            if says(&["grant_type=refresh_token", "client_id=c", "client_secret=s", "refresh_token=r"]) =>
        {
            token("USER")
        }
        ("POST", "/token") if says(&["jwt-bearer", "assertion="]) && is_stated(&request.body, key) => token("ROBOT"),
        ("POST", "/sts")
            if says(&["token-exchange", "audience=a", "subject_token=outside&", "subject_token_type=t", SCOPE]) =>
        {
            token("EXCHANGED")
        }
        ("POST", "/sts") if says(&["audience=a", "subject_token=%257B", "Authorization", "GetCallerIdentity"]) => {
            token("KNOWN-TO-AMAZON")
        }
        ("PUT", "/latest/api/token") => answer(200, "MACHINE-TOKEN"),
        ("GET", path) if request.header("x-aws-ec2-metadata-token") == "MACHINE-TOKEN" => match path {
            "/zone" => answer(200, "us-east-2b"),
            "/roles" => answer(200, "role"),
            "/roles/role" => {
                answer(200, r#"{"AccessKeyId":"MACHINE-KEY","SecretAccessKey":"s","Token":"MACHINE-SESSION"}"#)
            }
            _ => answer(404, ""),
        },
        ("GET", "/outside") if request.header("x-word") == "w" => answer(200, r#"{"value":"outside"}"#),
        ("GET", "/computeMetadata/v1/instance/service-accounts/default/token") => {
            match request.header("metadata-flavor") {
                "Google" => token("MACHINE"),
                _ => answer(403, ""),
            }
        }
        ("POST", path) if path.starts_with("/v1/projects/-/serviceAccounts/") && word.starts_with("Bearer ") => {
            answer(200, format!(r#"{{"accessToken":"LENT-BY-{}","expireTime":"2099-01-01T00:00:00Z"}}"#, &word[7..]))
        }
        ("GET", path) if path.starts_with("/storage/v1/b/bucket/o") && !word.is_empty() => {
            answer(200, r#"{"kind":"storage#objects"}"#)
        }
        _ => answer(401, r#"{"error":"invalid_grant","error_description":"Bad Request"}"#),
    }
}

struct Case<'a> {
    api: &'a Api,
    desk: &'a ScriptedServer,
    home: &'a Path,
    /// The file of a service account.
    robot: String,
}

const ACCOUNT: &str = "vfs.gcs.impersonate_service_account";

impl Case<'_> {
    fn clear(&self) {
        for name in ["GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", "CLOUD_STORAGE_EMULATOR_ENDPOINT"] {
            unset(name);
        }
        _ = std::fs::remove_dir_all(self.home.join(".config"));
        std::fs::create_dir_all(self.home.join(".config/gcloud")).unwrap();
        set("HOME", self.home.to_str().unwrap());
        set("GCE_METADATA_HOST", "127.0.0.1:1");
        set("GOOGLE_CLOUD_CPP_IAM_CREDENTIALS_ENDPOINT", &self.desk.address);
        self.desk.take_requests();
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.home.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn ask(&self, more: &[(&str, &str)]) -> Result<u64, String> {
        let config = [&[("vfs.gcs.endpoint", self.desk.address.as_str())], more].concat();
        ask(self.api, "gcs://bucket", &config)
    }

    /// The bucket opens with this token.
    fn opens(&self, name: &str, more: &[(&str, &str)]) -> Vec<ReceivedRequest> {
        assert_eq!(self.ask(more), Ok(1), "{name}");
        let requests = self.desk.take_requests();
        assert_eq!(requests.last().unwrap().header("authorization"), format!("Bearer {name}"));
        requests
    }

    fn refused(&self, reasons: &[&str], more: &[(&str, &str)]) {
        let text = self.ask(more).unwrap_err();
        for reason in reasons {
            assert!(text.contains(reason), "no '{reason}' in: {text}");
        }
    }
}

/// What the parameters name.
fn parameters(case: &Case<'_>) {
    case.clear();
    let key = "vfs.gcs.service_account_key";
    case.opens("ROBOT", &[(key, &case.robot)]);
    case.opens("ROBOT", &[(key, &case.robot), ("vfs.gcs.workload_identity_configuration", "{}")]);
    case.refused(&["'vfs.gcs.service_account_key': it is no JSON"], &[(key, "x")]);
    case.refused(&["'vfs.gcs.service_account_key': it lacks 'type'"], &[(key, "{}")]);
    let broken = case.robot.replace("BEGIN", "BEGUN");
    case.refused(&["the private key cannot be read"], &[(key, &broken)]);
    let requests = case.opens("LENT-BY-ROBOT", &[(key, &case.robot), (ACCOUNT, "a@p, b@p,c@p")]);
    let impersonation = &requests[1];
    assert_eq!(impersonation.path, "/v1/projects/-/serviceAccounts/c@p:generateAccessToken");
    assert!(
        impersonation
            .body
            .contains(r#""delegates":["projects/-/serviceAccounts/a@p","projects/-/serviceAccounts/b@p"]"#)
    );

    let outside = |source: &str, more: &str| {
        let address = &case.desk.address;
        format!(
            r#"{{"type":"external_account","audience":"a","subject_token_type":"t","token_url":"{address}/sts",{more}"credential_source":{source}}}"#
        )
    };
    let parameter = "vfs.gcs.workload_identity_configuration";
    let file = case.file("outside", "outside\n");
    case.opens("EXCHANGED", &[(parameter, &outside(&format!(r#"{{"file":"{file}"}}"#), ""))]);
    let format = r#""format":{"type":"json","subject_token_field_name":"value"}"#;
    let url = format!(r#"{{"url":"{}/outside","headers":{{"X-Word":"w"}},{format}}}"#, case.desk.address);
    case.opens("EXCHANGED", &[(parameter, &outside(&url, ""))]);
    let lends = format!(
        r#""service_account_impersonation_url":"{}/v1/projects/-/serviceAccounts/x:generateAccessToken","#,
        case.desk.address
    );
    case.opens("LENT-BY-EXCHANGED", &[(parameter, &outside(&url, &lends))]);
    let known = "tokens are read from a 'file' or asked for at a 'url'";
    case.refused(&["names no source that is known", known], &[(parameter, &outside("{}", ""))]);
    let other = r#"{"environment_id":"aws2"}"#;
    case.refused(&["is of the environment 'aws2'; only 'aws1' is known"], &[(parameter, &outside(other, ""))]);
    let program = r#"{"executable":{"command":"/bin/true"}}"#;
    case.refused(&["is an executable", known], &[(parameter, &outside(program, ""))]);
    case.refused(&["'/nowhere': No such file"], &[(parameter, &outside(r#"{"file":"/nowhere"}"#, ""))]);
}

/// Those whom Amazon knows, by the keys of a machine or of the environment.
fn amazon(case: &Case<'_>) {
    case.clear();
    let address = &case.desk.address;
    let outside = |more: &str| {
        format!(
            r#"{{"type":"external_account","audience":"a","subject_token_type":"t","token_url":"{address}/sts","credential_source":{{
                "environment_id":"aws1",{more}
                "regional_cred_verification_url":"https://sts.{{region}}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"}}}}"#
        )
    };
    let parameter = "vfs.gcs.workload_identity_configuration";
    let places = format!(r#""region_url":"{address}/zone","url":"{address}/roles","#);
    let whole = outside(&format!(r#"{places}"imdsv2_session_token_url":"{address}/latest/api/token","#));
    let requests = case.opens("KNOWN-TO-AMAZON", &[(parameter, &whole)]);
    let sent = &requests.iter().find(|request| request.path == "/sts").unwrap().body;
    // Encoded once as the token, once as a part of the form.
    for part in ["sts.us-east-2.amazonaws.com", "x-goog-cloud-target-resource", "MACHINE-KEY%252F", "MACHINE-SESSION"] {
        assert!(sent.contains(part), "no '{part}' in {sent}");
    }
    // Version 1 of the service, which this machine does not speak.
    case.refused(&["status 401"], &[(parameter, &outside(&places))]);
    set("AWS_REGION", "eu-west-1");
    set("AWS_ACCESS_KEY_ID", "OWN-KEY");
    set("AWS_SECRET_ACCESS_KEY", "s");
    let requests = case.opens("KNOWN-TO-AMAZON", &[(parameter, &outside(""))]);
    let sent = &requests.iter().find(|request| request.path == "/sts").unwrap().body;
    assert!(sent.contains("sts.eu-west-1") && sent.contains("OWN-KEY"), "{sent}");
    unset("AWS_SECRET_ACCESS_KEY");
    case.refused(
        &["environment: AWS_SECRET_ACCESS_KEY is not set; machine: it lacks 'url'"],
        &[(parameter, &outside(""))],
    );
    unset("AWS_ACCESS_KEY_ID");
    unset("AWS_REGION");
}

/// The usual places. Where an endpoint is named they are asked only for those who lend their rights.
fn usual(case: &Case<'_>) {
    case.clear();
    case.refused(
        &[
            "There are no credentials: GOOGLE_APPLICATION_CREDENTIALS is not set; gcloud ('",
            "/.config/gcloud/application_default_credentials.json'): No such file",
            "; machine: After 2 tries (No answer from 127.0.0.1:1: ",
            "`gcloud auth application-default login`",
        ],
        &[(ACCOUNT, "x@p")],
    );
    set("GCE_METADATA_HOST", case.desk.host());
    case.opens("LENT-BY-MACHINE", &[(ACCOUNT, "x@p")]);
    let user = |refresh: &str| {
        format!(
            r#"{{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"{refresh}","token_uri":"{}/token"}}"#,
            case.desk.address
        )
    };
    case.file(".config/gcloud/application_default_credentials.json", &user("r"));
    case.opens("LENT-BY-USER", &[(ACCOUNT, "x@p")]);
    let robot = case.file("robot.json", &case.robot);
    set("GOOGLE_APPLICATION_CREDENTIALS", &robot);
    case.opens("LENT-BY-ROBOT", &[(ACCOUNT, "x@p")]);
    // A file that is named counts, whatever is wrong with it.
    set("GOOGLE_APPLICATION_CREDENTIALS", &case.file("old.json", &user("old")));
    case.refused(&["GOOGLE_APPLICATION_CREDENTIALS ('", "invalid_grant: Bad Request (401)"], &[(ACCOUNT, "x@p")]);
    set("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere");
    case.refused(&["GOOGLE_APPLICATION_CREDENTIALS ('/nowhere'): No such file"], &[(ACCOUNT, "x@p")]);
    // Nobody signs in at an endpoint of a test.
    case.refused(&["401"], &[]);
    assert!(
        case.desk
            .take_requests()
            .iter()
            .all(|request| request.path.starts_with("/storage/") || request.path == "/token")
    );
}

pub fn check() {
    let (api, home) = (Api::ours(), tempfile::tempdir().unwrap());
    let key = PKey::from_rsa(openssl::rsa::Rsa::generate(2048).unwrap()).unwrap();
    let pem = String::from_utf8(key.private_key_to_pem_pkcs8().unwrap()).unwrap().replace('\n', "\\n");
    let desk = ScriptedServer::open(move |request| reply(request, &key));
    let robot = format!(
        r#"{{"type":"service_account","client_email":"robot@project","private_key_id":"key-1","private_key":"{pem}","token_uri":"{}/token"}}"#,
        desk.address
    );
    let case = Case { api: &api, desk: &desk, home: home.path(), robot };
    for test in [parameters, amazon, usual] {
        test(&case);
    }
    println!("cloud: tokens of Google come from every source, and what gave none says why");
}
