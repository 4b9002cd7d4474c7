//! What is refused says why.

use crate::support::{Api, pointer, text};

/// Asks for a bucket with these parameters: the text of the refusal.
fn refusal(api: &Api, config: &[(&str, &str)]) -> String {
    let ctx = api.context(config);
    let outcome = ctx.get("vfs_alloc", &[0]).and_then(|vfs| {
        let answer = ctx.get("vfs_is_empty_bucket", &[vfs, pointer(&text("s3://refusals"))]);
        ctx.free("vfs", vfs);
        answer
    });
    outcome.expect_err("a refusal").text
}

pub fn check() {
    let ours = Api::ours();
    crate::files::make_bucket(&ours, "s3://refusals");
    let (id, secret) = ("vfs.s3.aws_access_key_id", "vfs.s3.aws_secret_access_key");
    let known = std::env::var("AWS_ACCESS_KEY_ID").unwrap();
    for (config, said) in [
        (&[(id, "a")][..], "Insufficient authentication credentials"),
        (&[(secret, "a")], "Insufficient authentication credentials"),
        (&[(id, "a"), (secret, "b"), ("vfs.s3.aws_role_arn", "c")], "Ambiguous authentication credentials"),
        (&[("vfs.s3.config_source", "x")], "Unknown 'vfs.s3.config_source' config value x"),
        (&[(id, &known), (secret, "wrong")], "SignatureDoesNotMatch"),
        (&[(id, "nobody"), (secret, "x")], "InvalidAccessKeyId"),
        (
            &[("vfs.s3.endpoint_override", "127.0.0.1:1"), ("vfs.s3.connect_max_tries", "2")],
            "After 3 tries (S3: Cannot list 's3://refusals/' (No answer from 127.0.0.1:1: ",
        ),
        (&[("vfs.s3.multipart_part_size", "0")], "'vfs.s3.multipart_part_size' is 0"),
    ] {
        let text = refusal(&ours, config);
        assert!(text.contains(said), "{config:?}: {text}");
    }
    println!("cloud: refusals say why");
}
