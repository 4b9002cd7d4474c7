//! moto, which checks each signature.

use std::process::Command;

use super::{Server, free_port, installed};

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

/// Starts a server and makes a user. `S3_SERVER=HOST:PORT` is one that runs already, `S3_KEYS=ID:SECRET` are its keys.
pub(super) fn start() -> Server {
    if let Ok(host) = std::env::var("S3_SERVER") {
        let keys = std::env::var("S3_KEYS").expect("S3_KEYS=ID:SECRET");
        let mut server = Server { child: None, variables: Vec::new(), otherwise: Vec::new() };
        say(&mut server, &host, keys.split_once(':').expect("ID:SECRET"));
        return server;
    }
    let port = free_port();
    let mut command = Command::new(installed("bin/moto_server"));
    command.args(["-H", "127.0.0.1", "-p", &port.to_string()]).env("INITIAL_NO_AUTH_ACTION_COUNT", UNSIGNED);
    let mut server = Server::run(&mut command, port);
    let address = format!("http://127.0.0.1:{port}");
    let mut python = Command::new(installed("bin/python"));
    let output = python.args(["-c", USER, &address]).env("NO_PROXY", "127.0.0.1").output().unwrap();
    let keys = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some(keys) = keys.trim().split_once(' ') else {
        panic!("no user: {}", String::from_utf8_lossy(&output.stderr));
    };
    say(&mut server, &format!("127.0.0.1:{port}"), keys);
    server
}

fn say(server: &mut Server, host: &str, (key, secret): (&str, &str)) {
    server.say(&[
        ("TILEDB_VFS_S3_ENDPOINT_OVERRIDE", host),
        ("TILEDB_VFS_S3_SCHEME", "http"),
        ("TILEDB_VFS_S3_USE_VIRTUAL_ADDRESSING", "false"),
        ("TILEDB_VFS_S3_REGION", "us-east-1"),
        // Many at once are more than the server can take.
        ("TILEDB_VFS_S3_REQUEST_TIMEOUT_MS", "60000"),
        ("AWS_ACCESS_KEY_ID", key),
        ("AWS_SECRET_ACCESS_KEY", secret),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ]);
}
