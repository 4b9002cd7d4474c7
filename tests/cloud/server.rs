//! The server.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::library;

/// So many requests are let through unsigned: those that make the user whose keys sign all others.
const UNSIGNED: &str = "3";

/// Makes a user who may do everything in the store, and prints the two halves of a key.
const USER: &str = r#"
import boto3, json, sys
iam = boto3.client("iam", endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
iam.create_user(UserName="user")
everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="user", PolicyName="everything", PolicyDocument=json.dumps(everything))
key = iam.create_access_key(UserName="user")["AccessKey"]
print(key["AccessKeyId"], key["SecretAccessKey"])
"#;

/// A server of its own, which ends with the test.
pub struct Server {
    child: Child,
    port: u16,
    key: String,
    secret: String,
}

fn python() -> PathBuf {
    library::root().join(".venv/bin/python")
}

impl Server {
    /// Starts a server and makes a user.
    pub fn start() -> Server {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = Command::new(library::root().join(".venv/bin/moto_server"))
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .env("INITIAL_NO_AUTH_ACTION_COUNT", UNSIGNED)
            .env("NO_PROXY", "127.0.0.1")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("moto_server is missing: `make venv`");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(child.try_wait().unwrap().is_none(), "the server ended");
            assert!(begun.elapsed() < Duration::from_secs(300), "the server does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        let address = format!("http://127.0.0.1:{port}");
        let output = Command::new(python()).args(["-c", USER, &address]).env("NO_PROXY", "127.0.0.1").output().unwrap();
        let keys = String::from_utf8_lossy(&output.stdout).into_owned();
        let Some((key, secret)) = keys.trim().split_once(' ') else {
            panic!("no user: {}", String::from_utf8_lossy(&output.stderr));
        };
        Server { child, port, key: key.to_owned(), secret: secret.to_owned() }
    }

    /// What the environment of both libraries must say to reach the server.
    pub fn variables(&self) -> Vec<(String, String)> {
        let endpoint = format!("127.0.0.1:{}", self.port);
        [
            ("TILEDB_VFS_S3_ENDPOINT_OVERRIDE", endpoint.as_str()),
            ("TILEDB_VFS_S3_SCHEME", "http"),
            ("TILEDB_VFS_S3_USE_VIRTUAL_ADDRESSING", "false"),
            ("TILEDB_VFS_S3_REGION", "us-east-1"),
            // Many at once are more than the server can take.
            ("TILEDB_VFS_S3_REQUEST_TIMEOUT_MS", "60000"),
            ("AWS_ACCESS_KEY_ID", &self.key),
            ("AWS_SECRET_ACCESS_KEY", &self.secret),
            ("AWS_EC2_METADATA_DISABLED", "true"),
            // The server is on this machine, whatever lies between it and others.
            ("NO_PROXY", "127.0.0.1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
