//! Object creation with lost or ambiguous responses: completed requests count as successful, and an object that is
//! reported has all its bytes.

use support::servers::Store;
use support::servers::proxy::{Break, Fault, Proxy, Span};
use support::{Api, Ctx, Failure, bytes, pointer, text};

/// Bytes of a file that goes in several parts.
const LARGE: usize = 11 << 20;

fn content(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at * 7 % 251) as u8).collect()
}

/// A context behind a proxy, one that does not try often.
fn impatient(api: &Api, store: Store, port: u16) -> Ctx<'_> {
    let there = std::env::var(store.variable()).unwrap();
    let (before, rest) = there.split_at(there.rfind(':').unwrap() + 1);
    let here = format!("{before}{port}{}", rest.find('/').map_or("", |at| &rest[at..]));
    let parameters: &[(&str, &str)] = match store {
        Store::S3 => &[
            ("vfs.s3.endpoint_override", &here),
            ("vfs.s3.connect_max_tries", "2"),
            // Parts that are copied are a hundred times as long.
            ("vfs.s3.multipart_part_size", "60000"),
        ],
        Store::Azure => {
            &[("vfs.azure.blob_endpoint", &here), ("vfs.azure.max_retries", "2"), ("vfs.azure.retry_delay_ms", "5")]
        }
        Store::Gcs => &[("vfs.gcs.endpoint", &here), ("vfs.gcs.request_timeout_ms", "2000")],
    };
    api.context(parameters)
}

struct Files<'a> {
    ctx: Ctx<'a>,
    vfs: u64,
    bucket: String,
}

impl Files<'_> {
    fn new<'a>(ctx: Ctx<'a>, bucket: &str) -> Files<'a> {
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        Files { ctx, vfs, bucket: bucket.to_owned() }
    }

    fn uri(&self, name: &str) -> std::ffi::CString {
        text(&format!("{}/{name}", self.bucket))
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let handle = self.ctx.get("vfs_open", &[self.vfs, pointer(&self.uri(name)), 1])?;
        let done = self.ctx.call("vfs_write", &[handle, bytes(content), content.len() as u64]);
        let closed = self.ctx.call("vfs_close", &[handle]);
        self.ctx.free("vfs_fh", handle);
        done.and(closed)
    }

    fn copy(&self, from: &str, to: &str) -> Result<(), Failure> {
        self.ctx.call("vfs_copy_file", &[self.vfs, pointer(&self.uri(from)), pointer(&self.uri(to))])
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0u8; self.ctx.get("vfs_file_size", &[self.vfs, pointer(&self.uri(name))])? as usize];
        let handle = self.ctx.get("vfs_open", &[self.vfs, pointer(&self.uri(name)), 0])?;
        let read = self.ctx.call("vfs_read", &[handle, 0, out.as_mut_ptr() as u64, out.len() as u64]);
        self.ctx.free("vfs_fh", handle);
        read.map(|()| out)
    }
}

impl Drop for Files<'_> {
    fn drop(&mut self) {
        self.ctx.free("vfs", self.vfs);
    }
}

/// The first request of this kind, and all others like it.
fn always(broken: Break) -> Option<Fault> {
    Some(Fault { at: 0, broken, span: Span::Kind })
}

pub fn check() {
    let (api, store) = (Api::ours(), Store::of_environment());
    let bucket = format!("{}://unanswered", store.scheme());
    crate::files::make_bucket(&api, &bucket);
    let address = std::env::var(store.variable()).unwrap();
    let port = address.rsplit(':').next().unwrap().split('/').next().unwrap().parse().unwrap();
    let proxy = Proxy::open(port);
    let (near, far) = (Files::new(api.context(&[]), &bucket), Files::new(impatient(&api, store, proxy.port), &bucket));
    let mut objects = 0;
    for size in [1000, LARGE] {
        let (name, written) = (format!("from{size}"), content(size));
        near.write(&name, &written).unwrap();
        let breaks: &[Break] = match store {
            Store::S3 => &[Break::Lost, Break::Short, Break::Cut],
            _ => &[Break::Lost],
        };
        for (number, &broken) in breaks.iter().enumerate() {
            let to = format!("to{size}-{number}");
            // What was there before has as many bytes, but others.
            near.write(&to, &vec![1; size]).unwrap();
            proxy.begin(always(broken));
            let copied = far.copy(&name, &to);
            let (requests, met, _) = proxy.end();
            assert!(met > 0 && copied.is_ok(), "{size} {broken:?}: {copied:?} {requests:?}");
            assert!(near.read(&to).unwrap() == written, "{size} {broken:?}: other bytes");
            objects += 1;
        }
    }
    if store == Store::S3 {
        objects += of_s3(&near, &far, &proxy);
    }
    println!(
        "cloud: {objects} objects of {} are there though nobody said so, or not there as was said",
        store.scheme()
    );
}

/// What S3 answers with success before it is done, and copies that it refuses to make at once.
fn of_s3(near: &Files<'_>, far: &Files<'_>, proxy: &Proxy) -> usize {
    let (from, written) = (format!("from{LARGE}"), content(LARGE));
    // Too large to be copied by one request: in parts of 6 MB.
    near.write("too_large", &vec![1; 1000]).unwrap();
    proxy.begin(always(Break::Status(400)));
    far.copy(&from, "too_large").unwrap();
    let parts = proxy.end().0.iter().filter(|request| request.kind.contains("partNumber")).count();
    assert!(parts == 2 && near.read("too_large").unwrap() == written, "{parts} parts");
    // An object that was written whole cannot be too large.
    proxy.begin(always(Break::Status(400)));
    assert!(far.copy("from1000", "refused").is_err());
    proxy.end();
    for (name, broken) in
        [("lost", Break::Lost), ("short", Break::Short), ("cut", Break::Cut), ("error", Break::Denied)]
    {
        proxy.begin(None);
        let whole = Files::new(impatient_writer(near.ctx.api, proxy.port), &near.bucket);
        whole.write("measured", &written).unwrap();
        let requests = proxy.end().0;
        let at = requests.iter().position(|request| request.kind == "POST uploadId").unwrap();
        for span in [Span::Once, Span::Kind] {
            near.write(name, b"old").unwrap();
            proxy.begin(Some(Fault { at, broken, span }));
            let done = whole.write(name, &written);
            assert!(proxy.end().1 > 0);
            let (is_refused, content) = (broken == Break::Denied && span == Span::Kind, near.read(name).unwrap());
            assert_eq!(done.is_err(), is_refused, "{name} {span:?}: {done:?}");
            assert!(content == if is_refused { b"old".to_vec() } else { written.clone() }, "{name} {span:?}");
        }
    }
    10
}

fn impatient_writer(api: &Api, port: u16) -> Ctx<'_> {
    let here = format!("127.0.0.1:{port}");
    api.context(&[("vfs.s3.endpoint_override", &here), ("vfs.s3.connect_max_tries", "2")])
}
