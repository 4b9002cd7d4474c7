//! Misbehaving object stores.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Outcome, Scenario};
use support::servers::web::{Reply, Request, Server};
use support::{Api, Ctx, Failure, address, bytes, pointer, text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    S3,
    Azure,
    Gcs,
}

pub const STORES: [Store; 3] = [Store::S3, Store::Azure, Store::Gcs];

impl Store {
    pub fn name(self) -> &'static str {
        match self {
            Store::S3 => "s3",
            Store::Azure => "azure",
            Store::Gcs => "gcs",
        }
    }

    /// A page of a listing.
    fn page(self, names: &[String], next: Option<&str>) -> String {
        match self {
            Store::S3 => {
                let next = next.map(|next| {
                    format!("<IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>")
                });
                let all: String =
                    names.iter().map(|name| format!("<Contents><Key>{name}</Key><Size>1</Size></Contents>")).collect();
                format!("<ListBucketResult>{}{all}</ListBucketResult>", next.unwrap_or_default())
            }
            Store::Azure => {
                let of = |name| {
                    format!(
                        "<Blob><Name>{name}</Name><Properties><Content-Length>1</Content-Length></Properties></Blob>"
                    )
                };
                let all: String = names.iter().map(of).collect();
                let next = next.unwrap_or_default();
                format!("<EnumerationResults><Blobs>{all}</Blobs><NextMarker>{next}</NextMarker></EnumerationResults>")
            }
            Store::Gcs => {
                let all: Vec<_> = names.iter().map(|name| serde_json::json!({"name": name, "size": "1"})).collect();
                serde_json::json!({"items": all, "nextPageToken": next}).to_string()
            }
        }
    }
}

/// What proves to Google who asks: a token that a server gives for a refresh token.
pub fn google_account(token_server: &Server) -> String {
    serde_json::json!({"type": "authorized_user", "client_id": "hush-client", "client_secret": "hush-secret",
        "refresh_token": "hush-refresh", "token_uri": format!("{}/token", token_server.address)})
    .to_string()
}

pub fn token_server() -> Server {
    Server::start(|_| Reply::of(200, r#"{"access_token":"hush-bearer","expires_in":3600}"#))
}

/// A context whose store is at an address; everything secret contains "hush".
pub fn context<'a>(api: &'a Api, store: Store, server: &Server, more: &[(&str, &str)]) -> Ctx<'a> {
    let account = google_account(&token_server());
    let endpoint = format!("{}/account", server.address);
    let mut config = match store {
        Store::S3 => vec![
            ("vfs.s3.endpoint_override", server.host()),
            ("vfs.s3.scheme", "http"),
            ("vfs.s3.region", "us-east-1"),
            ("vfs.s3.use_virtual_addressing", "false"),
            ("vfs.s3.aws_access_key_id", "AKIAhush"),
            ("vfs.s3.aws_secret_access_key", "hush"),
            ("vfs.s3.aws_session_token", "hush-token"),
            ("vfs.s3.connect_max_tries", "0"),
            ("vfs.s3.request_timeout_ms", "1000"),
        ],
        Store::Azure => vec![
            ("vfs.azure.blob_endpoint", endpoint.as_str()),
            ("vfs.azure.storage_account_name", "account"),
            ("vfs.azure.storage_account_key", "aHVzaA=="),
            ("vfs.azure.max_retries", "0"),
            ("vfs.azure.retry_delay_ms", "1"),
            ("vfs.azure.max_retry_delay_ms", "2"),
        ],
        Store::Gcs => vec![
            ("vfs.gcs.endpoint", server.address.as_str()),
            ("vfs.gcs.project_id", "p"),
            ("vfs.gcs.service_account_key", account.as_str()),
            ("vfs.gcs.request_timeout_ms", "1"),
        ],
    };
    config.extend_from_slice(&[("sm.mem.total_budget", "40000000"), ("vfs.s3.max_parallel_ops", "2")]);
    config.extend_from_slice(more);
    api.context(&config)
}

/// Calls on files of a store.
pub struct Files<'a> {
    pub ctx: Ctx<'a>,
    vfs: u64,
    pub bucket: String,
}

type Done = Result<(), Failure>;

impl<'a> Files<'a> {
    pub fn new(ctx: Ctx<'a>, bucket: &str) -> Files<'a> {
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        Files { ctx, vfs, bucket: bucket.to_owned() }
    }

    pub fn uri(&self, name: &str) -> std::ffi::CString {
        text(&format!("{}/{name}", self.bucket))
    }

    pub fn get(&self, call: &str, name: &str) -> Done {
        self.ctx.get(call, &[self.vfs, pointer(&self.uri(name))]).map(drop)
    }

    fn call(&self, call: &str, names: &[&str]) -> Done {
        let uris: Vec<_> = names.iter().map(|name| self.uri(name)).collect();
        let mut arguments = vec![self.vfs];
        arguments.extend(uris.iter().map(|uri| pointer(uri)));
        self.ctx.call(call, &arguments)
    }

    pub fn list(&self) -> Done {
        extern "C" fn visit(_: u64, count: &mut u64) -> i32 {
            *count += 1;
            1
        }
        let (uri, mut count) = (self.uri("p/"), 0u64);
        let arguments = [self.vfs, pointer(&uri), visit as *const () as u64, address(&mut count)];
        self.ctx.call("vfs_ls", &arguments)
    }

    pub fn read(&self) -> Done {
        let handle = self.ctx.get("vfs_open", &[self.vfs, pointer(&self.uri("p/f")), 0])?;
        let mut out = vec![0u8; 10];
        let read = self.ctx.call("vfs_read", &[handle, 200_000, out.as_mut_ptr() as u64, 10]);
        self.ctx.free("vfs_fh", handle);
        read
    }

    fn write(&self, size: usize) -> Done {
        let content = vec![7u8; size];
        let handle = self.ctx.get("vfs_open", &[self.vfs, pointer(&self.uri("p/f")), 1])?;
        let written = self.ctx.call("vfs_write", &[handle, bytes(&content), size as u64]);
        let closed = self.ctx.call("vfs_close", &[handle]);
        self.ctx.free("vfs_fh", handle);
        written.and(closed)
    }
}

/// Something that is asked of a store.
struct Operation {
    name: &'static str,
    run: fn(&Files<'_>) -> Done,
    /// Whether it can be done without the body of a response.
    needs_body: bool,
}

const fn of(name: &'static str, needs_body: bool, run: fn(&Files<'_>) -> Done) -> Operation {
    Operation { name, run, needs_body }
}

const OPERATIONS: [Operation; 14] = [
    of("ls", true, |files| files.list()),
    of("dir_size", true, |files| files.get("vfs_dir_size", "p")),
    of("is_dir", true, |files| files.get("vfs_is_dir", "p")),
    of("object_type", true, |files| files.ctx.get("object_type", &[pointer(&files.uri("p"))]).map(drop)),
    of("remove_dir", true, |files| files.call("vfs_remove_dir", &["p"])),
    of("copy_dir", true, |files| files.call("vfs_copy_dir", &["p", "q"])),
    of("read", false, |files| files.read()),
    of("is_file", false, |files| files.get("vfs_is_file", "p/f")),
    of("is_bucket", false, |files| files.get("vfs_is_bucket", "")),
    of("write", false, |files| files.write(100)),
    of("write_large", false, |files| files.write(12 << 20)),
    of("touch", false, |files| files.call("vfs_touch", &["p/f"])),
    of("copy_file", false, |files| files.call("vfs_copy_file", &["p/f", "p/g"])),
    of("create_bucket", false, |files| files.call("vfs_create_bucket", &[""])),
];

/// How a server answers, where `thief` is the address of another one.
pub type Answer = fn(thief: &str) -> Reply;

fn away(status: u16, thief: &str) -> Reply {
    Reply::of(status, "").with("location", format!("{thief}/x"))
}

/// What a server may do to any request; whether the head of the response is sound.
pub const FAULTS: [(&str, bool, Answer); 19] = [
    ("slow_body", true, |_| Reply::SlowBody),
    ("slow_head", false, |_| Reply::SlowHead),
    ("endless_headers", false, |_| Reply::EndlessHeaders),
    ("endless_interim", false, |_| Reply::EndlessInterim),
    ("endless_trailers", true, |_| Reply::EndlessTrailers),
    ("endless_body", true, |_| Reply::EndlessBody),
    ("huge_length", true, |_| Reply::HugeLength),
    ("cut", true, |_| Reply::Cut),
    ("garbage", false, |_| Reply::Garbage),
    ("silent", false, |_| Reply::Silent),
    ("close", false, |_| Reply::Close),
    ("moved", false, |thief| away(301, thief)),
    ("found", false, |thief| away(302, thief)),
    ("temporary_redirect", false, |thief| away(307, thief)),
    ("error", false, |_| Reply::of(500, "x")),
    ("deep_xml", true, |_| Reply::of(200, "<a>".repeat(200_000))),
    ("wide_xml", true, |_| Reply::of(200, format!("<a>{}</a>", "<b/>".repeat(2_000_000)))),
    ("deep_json", true, |_| Reply::of(200, "[".repeat(200_000))),
    ("wide_json", true, |_| Reply::of(200, format!("[{}1]", "[],".repeat(4_000_000)))),
];

/// Seconds that anything may take.
const LIMIT: u64 = 45;

/// Seconds that what is slow may take: a few requests one after the other, each as long as stores without a parameter for it wait.
const SLOW: u64 = 150;

fn outcome(done: Done, thief: &Server) -> Outcome {
    Outcome {
        result: done.map(|()| "done".to_owned()).map_err(|failure| failure.text),
        leaks: thief.requests().iter().map(Request::text).collect(),
    }
}

fn generic() -> Vec<Scenario> {
    let mut all = Vec::new();
    for store in STORES {
        for operation in &OPERATIONS {
            for (fault, has_head, answer) in FAULTS {
                let is_slow = matches!(fault, "slow_body" | "slow_head" | "silent");
                let must_fail = !has_head || operation.needs_body;
                all.push(Scenario {
                    name: format!("{}/{}/{fault}", store.name(), operation.name),
                    seconds: if is_slow { SLOW } else { LIMIT },
                    is_quick: !is_slow || store == Store::S3,
                    must_fail,
                    run: Box::new(move |api| {
                        let thief = Server::elsewhere(|_| Reply::of(200, ""));
                        let reply = answer(&thief.address);
                        let server = Server::start(move |_| reply.clone());
                        let bucket = format!("{}://bucket", store.name());
                        let files = Files::new(context(api, store, &server, &[]), &bucket);
                        outcome((operation.run)(&files), &thief)
                    }),
                });
            }
        }
    }
    all
}

/// A page of a listing: the store, and the number of the request.
pub type Page = fn(Store, usize) -> String;

/// Listings that never end or tell of what was not asked for.
pub const LISTINGS: [(&str, Page); 9] = [
    ("same_token", |store, number| store.page(&[format!("p/{number}")], Some("t"))),
    ("cycle", |store, number| store.page(&[format!("p/{number}")], Some(&format!("t{}", number % 5)))),
    ("same_page", |store, number| store.page(&["p/a".to_owned()], Some(&format!("t{number}")))),
    ("no_entries", |store, number| store.page(&[], Some(&format!("t{number}")))),
    ("ever_new", |store, number| {
        let names: Vec<_> = (0..1000).map(|entry| format!("p/{number}-{entry}")).collect();
        store.page(&names, Some(&format!("t{number}")))
    }),
    ("other_prefix", |store, _| store.page(&["q/f".to_owned()], None)),
    ("parent", |store, _| store.page(&["../p/f".to_owned()], None)),
    ("long_name", |store, _| store.page(&[format!("p/{}", "x".repeat(100_000))], None)),
    ("long_token", |store, _| store.page(&["p/f".to_owned()], Some(&"t".repeat(100_000)))),
];

fn listings() -> Vec<Scenario> {
    let mut all = Vec::new();
    for store in STORES {
        for operation in OPERATIONS
            .iter()
            .filter(|operation| matches!(operation.name, "ls" | "dir_size" | "remove_dir" | "copy_dir"))
        {
            for (kind, page) in LISTINGS {
                all.push(Scenario {
                    name: format!("{}/{}/listing_{kind}", store.name(), operation.name),
                    seconds: LIMIT,
                    is_quick: true,
                    must_fail: true,
                    run: Box::new(move |api| {
                        let (thief, count) = (Server::elsewhere(|_| Reply::of(200, "")), AtomicUsize::new(0));
                        let server = Server::start(move |request| match request.method.as_str() {
                            "GET" => Reply::of(200, page(store, count.fetch_add(1, Ordering::SeqCst))),
                            _ => Reply::of(200, "<x/>"),
                        });
                        let bucket = format!("{}://bucket", store.name());
                        let files = Files::new(context(api, store, &server, &[]), &bucket);
                        outcome((operation.run)(&files), &thief)
                    }),
                });
            }
        }
    }
    all
}

/// Names of regions that lead elsewhere.
const REGIONS: [&str; 10] = [
    "x.evil.example/?",
    "a@127.0.0.2:81/#",
    "../../x",
    "evil.example#",
    "eu.evil.example",
    "us-west-2.amazonaws.com.evil.example/",
    "cn-north-1",
    "US-WEST-2",
    "-",
    "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
];

/// A proxy stands for all of the network: it sees which hosts are asked.
fn regions() -> Vec<Scenario> {
    let mut all = Vec::new();
    for how in ["body", "header", "redirect"] {
        for region in REGIONS {
            let reply = move || {
                let error = |code: &str| {
                    format!("<Error><Code>{code}</Code><Message>m</Message><Region>{region}</Region></Error>")
                };
                match how {
                    "body" => Reply::of(400, error("AuthorizationHeaderMalformed")),
                    "header" => Reply::of(400, "").with("x-amz-bucket-region", region),
                    _ => Reply::of(301, error("PermanentRedirect")).with("location", format!("http://{region}/")),
                }
            };
            all.push(amazon(&format!("s3/region_{how}/{region}"), "s3://bucket", "true", reply));
        }
    }
    // A name in data, of a member of a group perhaps.
    for bucket in ["s3://a@127.0.0.2:81#", "s3://127.0.0.2:81?", "s3://evil.example#", "s3://a@evil.example:80?x="] {
        all.push(amazon(&format!("s3/bucket/{bucket}"), bucket, "true", || Reply::of(500, "")));
    }
    all
}

fn amazon(
    name: &str,
    bucket: &'static str,
    virtual_hosts: &'static str,
    reply: impl Fn() -> Reply + Send + Sync + 'static,
) -> Scenario {
    let reply = std::sync::Arc::new(reply);
    Scenario {
        name: name.to_owned(),
        seconds: LIMIT,
        is_quick: true,
        must_fail: true,
        run: Box::new(move |api| {
            let reply = reply.clone();
            let proxy = Server::start(move |request| match request.method.as_str() {
                "CONNECT" => Reply::of(200, ""),
                _ => reply(),
            });
            let (host, port) = proxy.host().split_once(':').unwrap();
            let config = [
                ("vfs.s3.scheme", "http"),
                ("vfs.s3.region", "us-east-1"),
                ("vfs.s3.use_virtual_addressing", virtual_hosts),
                ("vfs.s3.aws_access_key_id", "AKIAhush"),
                ("vfs.s3.aws_secret_access_key", "hush"),
                ("vfs.s3.aws_session_token", "hush-token"),
                ("vfs.s3.connect_max_tries", "0"),
                ("vfs.s3.proxy_host", host),
                ("vfs.s3.proxy_port", port),
            ];
            let done = Files::new(api.context(&config), bucket).list();
            let is_own =
                |request: &&Request| request.method != "CONNECT" || request.target.ends_with(".amazonaws.com:80");
            let leaks = proxy.requests().iter().filter(|request| !is_own(request)).map(Request::text).collect();
            Outcome { result: done.map(|()| "done".to_owned()).map_err(|failure| failure.text), leaks }
        }),
    }
}

/// What single requests of stores can be answered with.
fn special() -> Vec<Scenario> {
    type Special = fn(&Request, &str) -> Reply;
    let cases: [(Store, &str, &str, Special); 16] = [
        (Store::Gcs, "write_large", "session_elsewhere", |_, thief| {
            Reply::of(200, "{}").with("location", format!("{thief}/s"))
        }),
        (Store::Gcs, "write_large", "session_user", |_, thief| {
            let host = thief.trim_start_matches("http://");
            Reply::of(200, "{}").with("location", format!("http://storage@{host}/s"))
        }),
        (Store::Gcs, "write_large", "session_other_scheme", |_, _| Reply::of(200, "{}").with("location", "file:///x")),
        (Store::Gcs, "write_large", "session_nowhere", |_, _| Reply::of(200, "{}").with("location", "x")),
        (Store::Gcs, "write_large", "session_https", |_, thief| {
            Reply::of(200, "{}").with("location", thief.replace("http://", "https://"))
        }),
        (Store::Gcs, "write_large", "byte_by_byte", |request, _| match request.method.as_str() {
            "POST" => Reply::of(200, "{}").with("location", "/upload/s"),
            _ => {
                // One byte more than it is told that there are.
                let range =
                    request.headers.iter().find(|(name, _)| name == "content-range").map(|(_, value)| value.clone());
                let from =
                    range.and_then(|range| range.trim_start_matches("bytes ").split('-').next()?.parse::<u64>().ok());
                Reply::of(308, "").with("range", format!("bytes=0-{}", from.unwrap_or(0) + 1))
            }
        }),
        (Store::Gcs, "copy_file", "no_progress", |_, _| {
            Reply::of(200, r#"{"done":false,"rewriteToken":"t","totalBytesRewritten":"5"}"#)
        }),
        (Store::Gcs, "copy_file", "backwards", |_, _| {
            Reply::of(200, r#"{"done":false,"rewriteToken":"t","totalBytesRewritten":"-5"}"#)
        }),
        (Store::Azure, "copy_file", "pending", |_, _| Reply::of(202, "").with("x-ms-copy-status", "pending")),
        (Store::Azure, "copy_file", "pending_same", |_, _| {
            Reply::of(202, "").with("x-ms-copy-status", "pending").with("x-ms-copy-progress", "5/10")
        }),
        (Store::Azure, "copy_file", "aborted", |_, _| Reply::of(202, "").with("x-ms-copy-status", "aborted")),
        (Store::S3, "write_large", "no_upload_id", |_, _| Reply::of(200, "<x><UploadId></UploadId></x>")),
        (Store::S3, "write_large", "long_upload_id", |_, _| {
            Reply::of(200, format!("<x><UploadId>{}</UploadId></x>", "i".repeat(60_000)))
        }),
        (Store::S3, "read", "other_range", |_, _| {
            Reply::of(206, "0123456789").with("content-range", "bytes 7-16/300000")
        }),
        (Store::S3, "read", "longer_range", |_, _| {
            Reply::of(206, vec![b'x'; 20 << 20]).with("content-range", "bytes 0-9/300000")
        }),
        (Store::Azure, "read", "other_range", |_, _| {
            Reply::of(206, vec![b'x'; 102_400]).with("content-range", "bytes 0-9/300000")
        }),
    ];
    let all = cases.into_iter().map(|(store, name, fault, answer)| {
        let operation = OPERATIONS.iter().find(|operation| operation.name == name).unwrap();
        Scenario {
            name: format!("{}/{name}/{fault}", store.name()),
            seconds: LIMIT,
            is_quick: true,
            must_fail: true,
            run: Box::new(move |api| {
                let thief = Server::elsewhere(|_| Reply::of(200, r#"{"name":"f","size":"12582912"}"#));
                let address = thief.address.clone();
                let server = Server::start(move |request| answer(request, &address));
                let files = Files::new(context(api, store, &server, &[]), &format!("{}://bucket", store.name()));
                outcome((operation.run)(&files), &thief)
            }),
        }
    });
    all.collect()
}

pub fn all() -> Vec<Scenario> {
    [generic(), listings(), regions(), special()].into_iter().flatten().collect()
}
