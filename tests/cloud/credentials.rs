//! S3 credentials: every source, with a server inside the test in place of all services.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "sets variables while nobody reads them")]

use std::path::Path;
use std::time::{Duration, Instant};

use crate::scripted_server::{Answer, ReceivedRequest, ScriptedServer, answer};
use support::{Api, pointer, text};

/// Keys that open a bucket.
const GOOD: [&str; 11] = ["ENV", "FILE", "PROCESS", "WEB", "SSO", "TASK", "IMDS", "LENT", "NEW", "LOGIN", "LOGIN-NEXT"];

const LISTING: &str = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";

fn keys_json(id: &str, token: &str) -> String {
    format!(
        r#"{{"Code":"Success","AccessKeyId":"{id}","SecretAccessKey":"s","{token}":"t-{id}","Expiration":"2099-01-01T00:00:00Z"}}"#
    )
}

fn keys_xml(action: &str, id: &str) -> String {
    format!(
        "<{action}Response xmlns='x'><{action}Result><Credentials><AccessKeyId>{id}</AccessKeyId><SecretAccessKey>s\
         </SecretAccessKey><SessionToken>t-{id}</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>\
         </{action}Result></{action}Response>"
    )
}

fn refused(status: u16, code: &str) -> Answer {
    answer(status, format!("<Error><Code>{code}</Code><Message>no</Message></Error>"))
}

/// What the services say: those of a machine, a container, single sign-on, roles, and a store.
fn reply(request: &ReceivedRequest) -> Answer {
    match (request.method.as_str(), request.path.as_str()) {
        ("PUT", "/latest/api/token") => answer(200, "imds-token"),
        ("GET", path) if path.starts_with("/latest/") && request.header("x-aws-ec2-metadata-token") != "imds-token" => {
            answer(401, "")
        }
        ("GET", "/latest/meta-data/iam/security-credentials/") => answer(200, "role-of-machine\n"),
        ("GET", "/latest/meta-data/iam/security-credentials/role-of-machine") => {
            answer(200, keys_json("IMDS", "Token"))
        }
        ("GET", "/task") if request.header("authorization") == "secret-word" => answer(200, keys_json("TASK", "Token")),
        ("GET", "/task") => answer(403, "no token"),
        ("GET", "/federation/credentials?account_id=1&role_name=r") => match request.header("x-amz-sso_bearer_token") {
            "sso-token" => answer(
                200,
                r#"{"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t-SSO","expiration":4070908800000}}"#,
            ),
            _ => answer(401, r#"{"message":"Session token not found or invalid"}"#),
        },
        ("POST", "/token") if request.body.contains(r#""refreshToken":"refresh""#) => {
            answer(200, r#"{"accessToken":"sso-token","expiresIn":3600,"refreshToken":"next"}"#)
        }
        ("POST", "/v1/token") => refresh_login(request),
        ("POST", "/token") => answer(400, r#"{"error":"invalid_grant"}"#),
        ("POST", "/") if request.body.contains("Action=AssumeRoleWithWebIdentity") => {
            match request.body.ends_with("&WebIdentityToken=web-token") && request.signer().is_empty() {
                true => answer(200, keys_xml("AssumeRoleWithWebIdentity", "WEB")),
                false => answer(
                    400,
                    "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>bad</Message></Error></ErrorResponse>",
                ),
            }
        }
        ("POST", "/") if request.body.contains("RoleArn=arn%3Aforbidden&") => answer(
            403,
            "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message></Error></ErrorResponse>",
        ),
        ("POST", "/") if GOOD.contains(&request.signer()) => answer(200, keys_xml("AssumeRole", "LENT")),
        (_, path) if path.starts_with("/keys") => match request.signer() {
            "" => refused(403, "AccessDenied"),
            id if !GOOD.contains(&id) => refused(403, "InvalidAccessKeyId"),
            id if id != "ENV" && id != "FILE" && request.header("x-amz-security-token") != format!("t-{id}") => {
                refused(400, "InvalidToken")
            }
            _ => answer(200, LISTING),
        },
        (_, path) if path.starts_with("/public") && request.signer().is_empty() => answer(200, LISTING),
        _ => answer(404, "nothing here"),
    }
}

pub fn set(name: &str, value: &str) {
    unsafe { std::env::set_var(name, value) }
}

pub fn unset(name: &str) {
    unsafe { std::env::remove_var(name) }
}

/// Asks for a bucket: what comes of it, within seconds.
pub fn ask(api: &Api, bucket: &str, config: &[(&str, &str)]) -> Result<u64, String> {
    let begun = Instant::now();
    let ctx = api.context(config);
    let outcome = ctx.get("vfs_alloc", &[0]).and_then(|vfs| {
        let answer = ctx.get("vfs_is_empty_bucket", &[vfs, pointer(&text(bucket))]);
        ctx.free("vfs", vfs);
        answer
    });
    assert!(begun.elapsed() < Duration::from_secs(10), "it takes {:?}", begun.elapsed());
    outcome.map_err(|failure| failure.text)
}

struct Case<'a> {
    api: &'a Api,
    desk: &'a ScriptedServer,
    home: &'a Path,
}

impl Case<'_> {
    /// Nothing is configured but where services are.
    fn clear(&self) {
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AWS_")) {
            unset(&name);
        }
        for folder in [".aws/sso/cache", ".aws/login/cache", ".aws"] {
            _ = std::fs::remove_dir_all(self.home.join(folder));
        }
        for folder in [".aws/sso/cache", ".aws/login/cache"] {
            std::fs::create_dir_all(self.home.join(folder)).unwrap();
        }
        set("HOME", self.home.to_str().unwrap());
        set("AWS_EC2_METADATA_DISABLED", "true");
        for name in [
            "AWS_ENDPOINT_URL_STS",
            "AWS_ENDPOINT_URL_SSO",
            "AWS_ENDPOINT_URL_SSO_OIDC",
            "AWS_ENDPOINT_URL_SIGNIN",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT",
        ] {
            set(name, &self.desk.address);
        }
        self.desk.take_requests();
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.home.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn ask(&self, bucket: &str, config: &[(&str, &str)]) -> Result<u64, String> {
        let mut all = vec![("vfs.s3.endpoint_override", self.desk.host())];
        all.extend(config);
        ask(self.api, bucket, &all)
    }

    /// The bucket opens, and these keys signed the last request.
    fn signed(&self, name: &str, id: &str, config: &[(&str, &str)]) -> Vec<ReceivedRequest> {
        let outcome = self.ask("s3://keys", config);
        let requests = self.desk.take_requests();
        assert_eq!(outcome, Ok(1), "{name}");
        assert_eq!(requests.last().unwrap().signer(), id, "{name}: {requests:#?}");
        requests
    }

    /// The bucket does not open, for all these reasons.
    fn refused(&self, name: &str, reasons: &[&str], config: &[(&str, &str)]) {
        let text = self.ask("s3://keys", config).expect_err(name);
        for reason in reasons {
            assert!(text.contains(reason), "{name}: no '{reason}' in: {text}");
        }
    }
}

/// With nothing anywhere: what was tried, and public buckets.
fn nothing(case: &Case<'_>) {
    case.clear();
    let reasons = [
        "AccessDenied",
        "not signed",
        "environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set",
        "profile: there is no profile 'default' in ",
        "web identity: AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE are not both set",
        "credential_process: the profile names none; ",
        "SSO: the profile names no sso_start_url",
        "login: the profile names no login_session",
        "machine: AWS_EC2_METADATA_DISABLED is set",
    ];
    case.refused("nothing", &reasons, &[]);
    assert_eq!(case.ask("s3://public", &[]), Ok(1));
    set("AWS_ACCESS_KEY_ID", "x");
    case.refused("half", &["environment: AWS_SECRET_ACCESS_KEY is not set"], &[]);
    // Nobody answers, or nobody is there.
    case.clear();
    set("AWS_EC2_METADATA_DISABLED", "false");
    set("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1");
    case.refused("no service", &["machine: After 2 tries (No answer from 127.0.0.1:1: "], &[]);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    set("AWS_EC2_METADATA_SERVICE_ENDPOINT", &format!("http://{}", silent.local_addr().unwrap()));
    case.refused("silent service", &["machine: After 2 tries (No answer from 127.0.0.1:"], &[]);
}

fn variables_and_files(case: &Case<'_>) {
    case.clear();
    case.file(".aws/credentials", "[default]\naws_access_key_id = FILE\naws_secret_access_key = s\n[other]\naws_access_key_id=BAD\naws_secret_access_key=s\n");
    case.signed("file", "FILE", &[]);
    case.signed("config_files", "FILE", &[("vfs.s3.config_source", "config_files")]);
    case.file(".aws/credentials", "\u{feff}[default]\naws_access_key_id = FILE\naws_secret_access_key = s\n");
    case.signed("byte-order mark", "FILE", &[]);
    set("AWS_ACCESS_KEY_ID", "ENV");
    set("AWS_SECRET_ACCESS_KEY", "s");
    case.signed("environment first", "ENV", &[]);
    case.signed("config_files leaves the environment out", "FILE", &[("vfs.s3.config_source", "config_files")]);
    case.signed("sts_profile too", "FILE", &[("vfs.s3.config_source", "sts_profile_with_web_identity")]);
    case.clear();
    case.file("elsewhere", "[work]\naws_access_key_id = FILE\naws_secret_access_key = s\naws_session_token = t-FILE\n");
    set("AWS_SHARED_CREDENTIALS_FILE", case.home.join("elsewhere").to_str().unwrap());
    set("AWS_PROFILE", "work");
    let requests = case.signed("named profile", "FILE", &[]);
    assert_eq!(requests.last().unwrap().header("x-amz-security-token"), "t-FILE");
    set("AWS_PROFILE", "none");
    case.refused("no such profile", &["there is no profile 'none' in "], &[]);
}

fn processes(case: &Case<'_>) {
    case.clear();
    let folder = case.home.join("my tools");
    std::fs::create_dir_all(&folder).unwrap();
    let keys = keys_json("PROCESS", "SessionToken").replacen('{', r#"{"Version":1,"#, 1);
    case.file("my tools/keys.json", &keys);
    let program = format!("cat \"{}\"", folder.join("keys.json").display());
    case.file(".aws/config", &format!("[default]\ncredential_process = {program}\n"));
    case.signed("credential_process", "PROCESS", &[]);
    case.signed("sts_profile", "PROCESS", &[("vfs.s3.config_source", "sts_profile_with_web_identity")]);
    for (line, reason) in [
        ("/nowhere/x", "credential_process: '/nowhere/x' cannot be started"),
        ("sh -c 'echo my fault >&2; exit 7'", "fails with exit status: 7: my fault"),
        ("echo '{}'", "lacks 'Version': 1"),
        ("echo nothing", "no JSON"),
        ("echo 'x", "a ' is not closed"),
    ] {
        case.file(".aws/config", &format!("[default]\ncredential_process = {line}\n"));
        case.refused(line, &[reason], &[]);
    }
}

fn web_identity(case: &Case<'_>) {
    case.clear();
    let file = case.file("token", "web-token\n");
    set("AWS_WEB_IDENTITY_TOKEN_FILE", &file);
    set("AWS_ROLE_ARN", "arn:web");
    set("AWS_ROLE_SESSION_NAME", "my-session");
    let requests = case.signed("web identity", "WEB", &[]);
    assert!(requests[0].body.contains("RoleArn=arn%3Aweb&RoleSessionName=my-session&"), "{}", requests[0].body);
    case.file("token", "old");
    case.refused("bad token", &["web identity: http://127.0.0.1:", "InvalidIdentityToken: bad (400)"], &[]);
    set("AWS_WEB_IDENTITY_TOKEN_FILE", "/nowhere");
    case.refused("no token", &["web identity: the token file '/nowhere': No such file"], &[]);
    case.clear();
    let file = case.file("token", "web-token");
    case.file(".aws/config", &format!("[default]\nrole_arn = arn:web\nweb_identity_token_file = {file}\n"));
    case.signed("web identity of a profile", "WEB", &[]);
    case.signed("only files", "WEB", &[("vfs.s3.config_source", "sts_profile_with_web_identity")]);
}

fn single_sign_on(case: &Case<'_>) {
    let sha1 = |text: &str| -> &'static str {
        match text {
            "https://start" => "6ad0e7e61d1f47e491ea32c2031add41ef92e07d",
            _ => "8034c43d15bb7ef42e2cc24255217acfc5f4b2f4",
        }
    };
    let old =
        "[default]\nsso_start_url = https://start\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = r\n";
    let new = "[default]\nsso_session = mine\nsso_account_id = 1\nsso_role_name = r\n[sso-session mine]\nsso_start_url = \
               https://start\nsso_region = eu-west-1\n";
    for (name, profile) in [("https://start", old), ("mine", new)] {
        case.clear();
        case.file(".aws/config", profile);
        case.refused("no login", &["SSO: there is no session in '", "run `aws sso login --profile default`"], &[]);
        let file = format!(".aws/sso/cache/{}.json", sha1(name));
        case.file(&file, r#"{"accessToken":"sso-token","expiresAt":"2099-01-01T00:00:00UTC"}"#);
        case.signed("SSO", "SSO", &[]);
        case.file(&file, r#"{"accessToken":"sso-token","expiresAt":"2020-01-01T00:00:00Z"}"#);
        case.refused("expired", &["SSO: the session has expired and cannot be renewed (there is no refreshToken); run `aws sso login --profile default`"], &[]);
        case.file(&file, r#"{"accessToken":"withdrawn","expiresAt":"2099-01-01T00:00:00Z"}"#);
        case.refused("withdrawn", &["SSO: the session is not valid any more; run `aws sso login", "status 401"], &[]);
        let session = |refresh: &str, until: &str| {
            format!(
                r#"{{"accessToken":"old","expiresAt":"{until}","refreshToken":"{refresh}","clientId":"c","clientSecret":"s","region":"x"}}"#
            )
        };
        let path = case.file(&file, &session("refresh", "2020-01-01T00:00:00Z"));
        case.signed("renewed", "SSO", &[]);
        let stored = std::fs::read_to_string(&path).unwrap();
        assert!(stored.contains(r#""refreshToken":"next""#) && stored.contains(r#""region":"x""#), "{stored}");
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
        case.signed("renewed once", "SSO", &[]);
        case.file(&file, &session("spent", "2020-01-01T00:00:00Z"));
        case.refused(
            "spent",
            &["cannot be renewed (status 400: {\"error\":\"invalid_grant\"}); run `aws sso login"],
            &[],
        );
        case.file(&file, "{");
        case.refused("broken", &["run `aws sso login"], &[]);
    }
}

/// The sign-in service: it knows one refresh token, and wants a proof for itself.
fn refresh_login(request: &ReceivedRequest) -> Answer {
    let padded = |text: &str| format!("{text}{}", "=".repeat((4 - text.len() % 4) % 4));
    let claims = request.header("dpop").split('.').nth(1).unwrap_or_default();
    let claims = openssl::base64::decode_block(&padded(claims).replace('-', "+").replace('_', "/")).unwrap();
    let claims = String::from_utf8(claims).unwrap();
    let has_proof = claims.contains(r#""htm":"POST""#) && claims.contains("/v1/token\"");
    match request.body.as_str() {
        r#"{"clientId":"c","grantType":"refresh_token","refreshToken":"good"}"# if has_proof => answer(
            200,
            r#"{"accessToken":{"accessKeyId":"LOGIN-NEXT","secretAccessKey":"s","sessionToken":"t-LOGIN-NEXT"},"expiresIn":900,"refreshToken":"next","tokenType":"x"}"#,
        ),
        body if body.contains("\"odd\"") => answer(200, r#"{"accessToken":[],"expiresIn":"soon"}"#),
        body if body.contains("\"html\"") => answer(200, "<html>"),
        _ => answer(400, r#"{"error":"TOKEN_EXPIRED"}"#),
    }
}

/// `aws login`: cached keys, keys that are refreshed, and files that are not to be trusted.
fn login_sessions(case: &Case<'_>) {
    case.clear();
    let session = "arn:aws:iam::012345678901:user/me";
    let name: String = openssl::sha::sha256(session.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let file = format!(".aws/login/cache/{name}.json");
    let profile = format!("[profile console]\nlogin_session = {session}\nregion = eu-west-1\n");
    case.file(".aws/config", &profile);
    set("AWS_PROFILE", "console");
    let remedy = "run `aws login --profile console`";
    case.refused("no session", &["login: profile 'console': session '", "No such file", remedy], &[]);
    let group = openssl::ec::EcGroup::from_curve_name(openssl::nid::Nid::X9_62_PRIME256V1).unwrap();
    let key = openssl::ec::EcKey::generate(&group).unwrap().private_key_to_pem().unwrap();
    let key = String::from_utf8(key).unwrap();
    let cached = |until: &str, refresh: &str| {
        serde_json::json!({
            "accessToken": {
                "accessKeyId": "LOGIN", "secretAccessKey": "s", "sessionToken": "t-LOGIN", "accountId": "0123", "expiresAt": until,
            },
            "tokenType": "aws_sigv4", "clientId": "c", "refreshToken": refresh, "idToken": "i", "dpopKey": key,
        })
    };
    let (past, future) = ("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z");
    case.file(&file, &cached(future, "good").to_string());
    assert!(case.signed("valid", "LOGIN", &[]).iter().all(|request| request.path != "/v1/token"));
    let path = case.file(&file, &cached(past, "good").to_string());
    case.signed("refreshed", "LOGIN-NEXT", &[]);
    let stored: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!((&stored["refreshToken"], &stored["accessToken"]["accountId"]), (&"next".into(), &"0123".into()));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    assert!(case.signed("stored", "LOGIN-NEXT", &[]).iter().all(|request| request.path != "/v1/token"));
    // A role whose source is the session; another folder.
    case.file(".aws/config", &format!("{profile}[profile role]\nrole_arn = arn:a\nsource_profile = console\n"));
    set("AWS_PROFILE", "role");
    case.signed("role", "LENT", &[]);
    set("AWS_PROFILE", "console");
    std::fs::rename(&path, case.home.join(format!("{name}.json"))).unwrap();
    set("AWS_LOGIN_CACHE_DIRECTORY", case.home.to_str().unwrap());
    case.signed("folder", "LOGIN-NEXT", &[]);
    unset("AWS_LOGIN_CACHE_DIRECTORY");
    let expired = "it expired at 2020-01-01T00:00:00Z and cannot be refreshed (";
    for (refresh, why) in [
        ("spent", "status 400: {\"error\":\"TOKEN_EXPIRED\"}"),
        ("odd", "lacks 'accessKeyId'"),
        ("html", "the answer is no JSON"),
    ] {
        case.file(&file, &cached(past, refresh).to_string());
        case.refused(refresh, &["profile 'console'", expired, why, remedy], &[]);
    }
    let without = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = cached(past, "good");
        change(&mut value);
        value.to_string()
    };
    for (content, why) in [
        (String::new(), "it is no JSON"),
        ("[".repeat(100_000), "it is no JSON"),
        ("{}".to_owned(), "it lacks an accessToken"),
        ("null".to_owned(), "it holds no JSON object"),
        (" ".repeat(2 << 20), "it is no file of at most 1048576 bytes"),
        (without(&|value| value["accessToken"] = "text".into()), "it lacks an accessToken"),
        (without(&|value| value["accessToken"]["accessKeyId"] = 7.into()), "it lacks an accessToken"),
        (without(&|value| value["accessToken"]["sessionToken"] = [1].as_slice().into()), "lacks sessionToken"),
        (without(&|value| value["accessToken"]["expiresAt"] = "soon".into()), "or a time as expiresAt"),
        (without(&|value| value["refreshToken"] = serde_json::json!({})), "there is no refreshToken"),
        (without(&|value| value["dpopKey"] = "key".into()), "the dpopKey is no unencrypted private key in PEM"),
        (without(&|value| value["dpopKey"] = 1.into()), "there is no dpopKey"),
    ] {
        case.file(&file, &content);
        case.refused(why, &["login: profile 'console'", why, remedy], &[]);
        let text = case.ask("s3://keys", &[]).unwrap_err();
        assert!(!text.contains("PRIVATE KEY") && !text.contains("t-LOGIN"), "{text}");
    }
}

fn containers_and_machines(case: &Case<'_>) {
    case.clear();
    set("AWS_EC2_METADATA_DISABLED", "false");
    let requests = case.signed("machine", "IMDS", &[]);
    assert_eq!(requests.len(), 4, "{requests:#?}");
    // Seen from a container the service may be silent on the first question.
    let old = ScriptedServer::open(|request| match request.path.as_str() {
        "/latest/api/token" => {
            std::thread::sleep(Duration::from_secs(4));
            answer(200, "late")
        }
        path if path.ends_with("/role-of-machine") => answer(200, keys_json("IMDS", "Token")),
        path if path.starts_with("/latest/") => answer(200, "role-of-machine"),
        _ => answer(404, ""),
    });
    set("AWS_EC2_METADATA_SERVICE_ENDPOINT", &old.address);
    case.signed("silent machine", "IMDS", &[]);
    set("AWS_EC2_METADATA_SERVICE_ENDPOINT", &case.desk.address);
    let task = format!("{}/task", case.desk.address);
    set("AWS_CONTAINER_CREDENTIALS_FULL_URI", &task);
    case.refused("container without a word", &["container: status 403: no token"], &[]);
    set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "secret-word");
    case.signed("container", "TASK", &[]);
    set("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", &case.file("word", "secret-word\n"));
    set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "wrong");
    case.signed("container with a file", "TASK", &[]);
    set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.org/task");
    case.refused("far container", &["container: ", "neither https nor on this machine"], &[]);
}

fn roles(case: &Case<'_>) {
    case.clear();
    set("AWS_ACCESS_KEY_ID", "ENV");
    set("AWS_SECRET_ACCESS_KEY", "s");
    let config = [
        ("vfs.s3.aws_role_arn", "arn:role"),
        ("vfs.s3.aws_external_id", "word"),
        ("vfs.s3.aws_session_name", "me"),
        ("vfs.s3.aws_load_frequency", "1200"),
    ];
    let requests = case.signed("role", "LENT", &config);
    assert_eq!((requests[0].signer(), requests.len()), ("ENV", 2));
    for part in
        ["DurationSeconds=1200", "ExternalId=word", "RoleArn=arn%3Arole", "RoleSessionName=me", "Version=2011-06-15"]
    {
        assert!(requests[0].body.contains(part), "{part}: {}", requests[0].body);
    }
    let requests = case.signed("usual role", "LENT", &config[..1]);
    assert!(
        requests[0].body.contains("DurationSeconds=900") && requests[0].body.contains("RoleSessionName=libtiledb-rs-")
    );
    let denied = ["The role 'arn:forbidden' of 'vfs.s3.aws_role_arn' cannot be had", "AccessDenied: not you (403)"];
    case.refused("forbidden", &denied, &[("vfs.s3.aws_role_arn", "arn:forbidden")]);
    case.refused(
        "no number",
        &["'x' of 'vfs.s3.aws_load_frequency'"],
        &[config[0], ("vfs.s3.aws_load_frequency", "x")],
    );
    case.clear();
    case.refused("no keys", &["The role 'arn:role'", "environment: AWS_ACCESS_KEY_ID"], &config);
    // Of a store that is not Amazon's the store itself is asked.
    case.clear();
    unset("AWS_ENDPOINT_URL_STS");
    set("AWS_ACCESS_KEY_ID", "ENV");
    set("AWS_SECRET_ACCESS_KEY", "s");
    case.signed("role of a store", "LENT", &config);

    case.clear();
    case.file(".aws/config", "[default]\nrole_arn = arn:a\nsource_profile = b\nexternal_id = e\n[profile b]\nrole_arn = arn:b\nsource_profile = c\n");
    case.file(".aws/credentials", "[c]\naws_access_key_id = FILE\naws_secret_access_key = s\n");
    let requests = case.signed("chained profiles", "LENT", &[]);
    let signers: Vec<&str> = requests.iter().map(ReceivedRequest::signer).collect();
    assert_eq!(signers, ["FILE", "LENT", "LENT"]);
    assert!(requests[1].body.contains("ExternalId=e&RoleArn=arn%3Aa&"));
    case.file(".aws/credentials", "[c]\nrole_arn = arn:c\nsource_profile = default\n");
    case.refused("circle", &["profile 'default': profile 'b': profile 'c': ", "refer to one another in a circle"], &[]);
    case.file(".aws/config", "[default]\nrole_arn = arn:a\nmfa_serial = x\nsource_profile=c\n[profile c]\naws_access_key_id=FILE\naws_secret_access_key=s\n");
    case.file(".aws/credentials", "");
    case.refused("device", &["mfa_serial"], &[]);
    // Its own keys open the role, where a role is asked for.
    case.file(
        ".aws/config",
        "[default]\nrole_arn = arn:a\nsource_profile = default\naws_access_key_id=FILE\naws_secret_access_key=s\n",
    );
    case.signed("own keys", "FILE", &[]);
    case.signed("own role", "LENT", &[("vfs.s3.config_source", "sts_profile_with_web_identity")]);
}

/// Keys that came to their end are fetched anew, once.
fn renewal(case: &Case<'_>) {
    case.clear();
    let tokens = std::sync::atomic::AtomicUsize::new(0);
    let machine = ScriptedServer::open(move |request| match request.path.as_str() {
        "/latest/meta-data/iam/security-credentials/role-of-machine" => {
            let first = tokens.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
            answer(200, keys_json(if first { "OLD" } else { "NEW" }, "Token"))
        }
        path if path.starts_with("/keys") && request.signer() == "OLD" => refused(400, "ExpiredToken"),
        _ => reply(request),
    });
    set("AWS_EC2_METADATA_DISABLED", "false");
    set("AWS_EC2_METADATA_SERVICE_ENDPOINT", &machine.address);
    let renewed = ask(case.api, "s3://keys", &[("vfs.s3.endpoint_override", machine.host())]);
    assert_eq!(renewed, Ok(1));
    let requests = machine.take_requests();
    let signers: Vec<&str> =
        requests.iter().filter(|request| request.path.starts_with("/keys")).map(ReceivedRequest::signer).collect();
    assert_eq!(signers, ["OLD", "NEW"]);
    // Given keys cannot be renewed.
    let config = [
        ("vfs.s3.aws_access_key_id", "OLD"),
        ("vfs.s3.aws_secret_access_key", "s"),
        ("vfs.s3.endpoint_override", machine.host()),
    ];
    let text = ask(case.api, "s3://keys", &config).unwrap_err();
    assert!(text.contains("ExpiredToken") && machine.take_requests().len() == 1, "{text}");
}

/// A store whose clock is years ahead is spoken to by its clock.
fn clocks(case: &Case<'_>) {
    case.clear();
    let store = |bears: bool| {
        ScriptedServer::open(move |request| {
            let is_right = request.header("x-amz-date").starts_with("20310101T05") && bears;
            let Answer { status, body, .. } =
                if is_right { answer(200, LISTING) } else { refused(403, "RequestTimeTooSkewed") };
            Answer { status, headers: vec![("date", "Wed, 01 Jan 2031 05:00:00 GMT".to_owned())], body }
        })
    };
    let own_keys = [("vfs.s3.aws_access_key_id", "ENV"), ("vfs.s3.aws_secret_access_key", "s")];
    let (fine, strange) = (store(true), store(false));
    let config = |desk: &ScriptedServer| {
        [own_keys.to_vec(), vec![("vfs.s3.endpoint_override", desk.host().to_owned().leak() as &str)]].concat()
    };
    assert_eq!(ask(case.api, "s3://keys", &config(&fine)), Ok(1));
    assert_eq!(fine.take_requests().len(), 2);
    let text = ask(case.api, "s3://keys", &config(&strange)).unwrap_err();
    assert!(text.contains("RequestTimeTooSkewed") && text.contains(" seconds behind the store's"), "{text}");
    assert_eq!(strange.take_requests().len(), 2);
}

/// The addresses that Amazon's tools take from variables.
fn addresses(case: &Case<'_>) {
    case.clear();
    set("AWS_ACCESS_KEY_ID", "ENV");
    set("AWS_SECRET_ACCESS_KEY", "s");
    set("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
    set("AWS_ENDPOINT_URL_S3", &case.desk.address);
    unset("TILEDB_VFS_S3_ENDPOINT_OVERRIDE");
    assert_eq!(ask(case.api, "s3://keys", &[]), Ok(1));
    assert_eq!(case.desk.take_requests().len(), 1);
    unset("AWS_ENDPOINT_URL_S3");
    let text = ask(case.api, "s3://keys", &[("vfs.s3.connect_max_tries", "0")]).unwrap_err();
    assert!(text.contains("No answer from 127.0.0.1:1"), "{text}");
}

/// A server that lends the keys of a role and checks what is signed with them; `S3_ROLE` names the role.
fn keys_of_the_server(api: &Api) {
    let Ok(role) = std::env::var("S3_ROLE") else { return };
    crate::files::make_bucket(api, "s3://lent");
    assert_eq!(ask(api, "s3://lent", &[("vfs.s3.aws_role_arn", &role)]), Ok(1));
    let other = format!("{role}-that-nobody-made");
    let text = ask(api, "s3://lent", &[("vfs.s3.aws_role_arn", &other)]).unwrap_err();
    assert!(text.contains("cannot be had: ") && text.contains("NoSuchEntity"), "{text}");
    set("AWS_SECRET_ACCESS_KEY", "wrong");
    let text = ask(api, "s3://lent", &[("vfs.s3.aws_role_arn", &role)]).unwrap_err();
    assert!(text.contains("AccessDenied") || text.contains("SignatureDoesNotMatch"), "{text}");
    println!("cloud: the server lends keys of a role");
}

pub fn check() {
    keys_of_the_server(&Api::ours());
    let (api, desk) = (Api::ours(), ScriptedServer::open(reply));
    let home = tempfile::tempdir().unwrap();
    let case = Case { api: &api, desk: &desk, home: home.path() };
    for test in [
        nothing,
        variables_and_files,
        processes,
        web_identity,
        single_sign_on,
        login_sessions,
        containers_and_machines,
        roles,
        renewal,
        clocks,
        addresses,
    ] {
        test(&case);
    }
    println!("cloud: keys of S3 come from every source, and what gave none says why");
}
