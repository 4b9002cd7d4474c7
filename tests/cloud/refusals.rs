//! Error messages of rejected requests name the cause.

use serde_json::json;

use crate::reference_process;
use support::servers::Store;
use support::{Api, pointer, text};

/// Asks for a bucket with these parameters: the text of the refusal.
pub fn refusal(api: &Api, config: &[(&str, &str)], bucket: &str) -> String {
    let ctx = api.context(config);
    let outcome = ctx.get("vfs_alloc", &[0]).and_then(|vfs| {
        let answer = ctx.get("vfs_is_empty_bucket", &[vfs, pointer(&text(bucket))]);
        ctx.free("vfs", vfs);
        answer
    });
    outcome.expect_err("a refusal").text
}

pub fn check() {
    let (ours, store) = (Api::ours(), Store::of_environment());
    let bucket = format!("{}://refusals", store.scheme());
    crate::files::make_bucket(&ours, &bucket);
    reserved(&ours, &bucket);
    match store {
        Store::S3 => s3(&ours, &bucket),
        Store::Azure => azure(&ours, &bucket),
        Store::Gcs => gcs(&ours, &bucket),
    }
    println!("cloud: refusals of {} say why", store.scheme());
}

/// Nothing is created among the files of an array or a group, at any depth.
fn reserved(api: &Api, bucket: &str) {
    let ctx = api.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    for file in ["array/__schema/__1_1_aa", "group/__tiledb_group.tdb"] {
        ctx.call("vfs_touch", &[vfs, pointer(&text(&format!("{bucket}/{file}")))]).unwrap();
    }
    ctx.free("vfs", vfs);
    let create = |name: &str| ctx.call("group_create", &[pointer(&text(&format!("{bucket}/{name}")))]);
    for name in
        ["array/__commits/x", "array/__schema", "array/__fragments/x/y", "group/__group/x", "group/__meta/x/y/z"]
    {
        let refused = create(name).expect_err("a refusal").text;
        let owner = name.split_once('/').unwrap().0;
        assert!(refused.contains(&format!("lies among the files of the {owner} '{bucket}/{owner}'")), "{refused}");
    }
    create("other/__commits/x").unwrap();
}

fn expect(api: &Api, bucket: &str, cases: &[(&[(&str, &str)], &str)]) {
    for (config, said) in cases {
        let text = refusal(api, config, bucket);
        assert!(text.contains(said), "{config:?}: {text}");
    }
}

fn azure(api: &Api, bucket: &str) {
    let (key, retries) = ("vfs.azure.storage_account_key", ("vfs.azure.max_retries", "2"));
    expect(
        api,
        bucket,
        &[
            (&[(key, "no base64!")], "'vfs.azure.storage_account_key' is not in Base64"),
            (&[(key, "d3Jvbmc=")], "AuthorizationFailure"),
            (
                &[("vfs.azure.blob_endpoint", "http://127.0.0.1:1/x"), retries, ("vfs.azure.retry_delay_ms", "1")],
                "After 3 tries (Azure: Cannot list 'azure://refusals/' (No answer from 127.0.0.1:1: ",
            ),
            (&[("vfs.azure.block_list_block_size", "0")], "'vfs.azure.block_list_block_size' is 0"),
        ],
    );
}

fn gcs(api: &Api, bucket: &str) {
    let key = "vfs.gcs.service_account_key";
    expect(
        api,
        bucket,
        &[
            (
                &[(key, "no json")],
                "GCS: Cannot list 'gcs://refusals/' (There are no credentials: 'vfs.gcs.service_account_key': it is no JSON",
            ),
            (&[(key, "{}")], "'vfs.gcs.service_account_key': "),
            (
                &[("vfs.gcs.endpoint", "http://127.0.0.1:1"), ("vfs.gcs.request_timeout_ms", "100")],
                "GCS: Cannot list 'gcs://refusals/' (No answer from 127.0.0.1:1: ",
            ),
            (&[("vfs.gcs.multi_part_size", "0")], "'vfs.gcs.multi_part_size' is 0"),
        ],
    );
}

fn s3(api: &Api, bucket: &str) {
    let (id, secret) = ("vfs.s3.aws_access_key_id", "vfs.s3.aws_secret_access_key");
    let known = std::env::var("AWS_ACCESS_KEY_ID").unwrap();
    // A Ceph that lends roles does not say which of its ways to sign in came to nothing.
    let lends = std::env::var("S3_ROLE").is_ok();
    let refused = "AccessDenied (403)";
    let (mismatch, nobody) = if lends { (refused, refused) } else { ("SignatureDoesNotMatch", "InvalidAccessKeyId") };
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[(id, "a")][..], "Insufficient authentication credentials"),
        (&[(secret, "a")], "Insufficient authentication credentials"),
        (&[(id, "a"), (secret, "b"), ("vfs.s3.aws_role_arn", "c")], "Ambiguous authentication credentials"),
        (&[("vfs.s3.config_source", "x")], "Unknown 'vfs.s3.config_source' config value x"),
        (&[(id, &known), (secret, "wrong")], mismatch),
        (&[(id, "nobody"), (secret, "x")], nobody),
        (
            &[("vfs.s3.endpoint_override", "127.0.0.1:1"), ("vfs.s3.connect_max_tries", "2")],
            "After 3 tries (S3: Cannot list 's3://refusals/' (No answer from 127.0.0.1:1: ",
        ),
        (
            &[
                ("vfs.s3.endpoint_override", "127.0.0.1:1"),
                ("vfs.s3.connect_max_tries", "2"),
                ("vfs.s3.retry_strategy", "standard"),
            ],
            "After 2 tries (S3: Cannot list 's3://refusals/' (No answer from 127.0.0.1:1: ",
        ),
        (&[("vfs.s3.multipart_part_size", "0")], "'vfs.s3.multipart_part_size' is 0"),
    ];
    expect(api, bucket, cases);
    contradictions(api, bucket);
}

/// Ways of signing in that exclude one another are refused in the reference's words.
fn contradictions(ours: &Api, bucket: &str) {
    let mut reference = reference_process();
    let values = ["a", "b", "arn:c", "config_files", "sts_profile_with_web_identity", "bad"];
    let sources = [None, Some(3), Some(4), Some(5)];
    let mut refused = 0;
    for (keys, source) in (0..8).flat_map(|keys| sources.map(|source| (keys, source))) {
        let names = ["vfs.s3.aws_access_key_id", "vfs.s3.aws_secret_access_key", "vfs.s3.aws_role_arn"];
        let mut config: Vec<(&str, &str)> =
            (0..3).filter(|at| keys >> at & 1 == 1).map(|at| (names[at], values[at])).collect();
        config.extend(source.map(|at| ("vfs.s3.config_source", values[at])));
        // These are ways to sign in.
        let fine = matches!((keys, source), (0, None | Some(3 | 4)) | (3 | 4, None));
        if !fine {
            let of_reference = reference.read(&json!(["refusal", bucket, config])).unwrap();
            assert_eq!(of_reference, refusal(ours, &config, bucket), "{config:?}");
            refused += 1;
        }
    }
    assert_eq!(refused, 27);
}
