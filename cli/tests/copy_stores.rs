//! `copy` to and from an object store with faults: it is killed at any request, interrupted, or requests fail. No
//! partial fragment is visible, and repeating the command completes the copy.
//!
//! The server is configured by the environment, as in `make test-tool`; `SEED=7` selects other requests.
#![allow(unreachable_pub, dead_code, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use support::{Story, array, bucket, contents, project, tool};
use test_support::servers::proxy::{Break, Fault, Proxy, Span};

/// More than two parts of an upload.
const LARGE: usize = 12 << 20;

/// Draws numbers.
struct Chance(u64);

impl Chance {
    fn new() -> Self {
        Self(std::env::var("SEED").map_or(1, |seed| seed.parse().unwrap()))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// A store with a proxy before it, and an array on the disk that is copied there.
struct Bench {
    story: Story,
    proxy: Proxy,
    /// What the environment says so that requests go through the proxy.
    through: Vec<(String, String)>,
    store: String,
    source: String,
    expected: BTreeMap<PathBuf, Vec<u8>>,
}

impl Bench {
    /// Nothing where no server is.
    fn new() -> Option<Bench> {
        let Ok(store) = std::env::var("STORE") else {
            println!("skipped: there is no server; make test-tool starts one");
            return None;
        };
        let all: Vec<(String, String)> = std::env::vars().collect();
        let is_place = |name: &str| name.contains("ENDPOINT") && !name.contains("SCHEME");
        let places = || all.iter().filter(|(name, value)| is_place(name) && value.contains("127.0.0.1:"));
        let port = places().find_map(|(_, value)| {
            let digits = value.split_once("127.0.0.1:")?.1;
            digits.split('/').next()?.parse::<u16>().ok()
        });
        let (server, story) = (port.expect("a server"), Story::new());
        let proxy = Proxy::open(server);
        let (there, here) = (format!("127.0.0.1:{server}"), format!("127.0.0.1:{}", proxy.port));
        let mut through: Vec<_> = places().map(|(name, value)| (name.clone(), value.replace(&there, &here))).collect();
        // Nobody waits for long.
        for (name, value) in [
            ("TILEDB_VFS_S3_CONNECT_MAX_TRIES", "3"),
            ("TILEDB_VFS_S3_CONNECT_SCALE_FACTOR", "5"),
            ("TILEDB_VFS_AZURE_MAX_RETRIES", "3"),
            ("TILEDB_VFS_AZURE_RETRY_DELAY_MS", "5"),
            ("TILEDB_VFS_GCS_REQUEST_TIMEOUT_MS", "3000"),
        ] {
            through.push((name.to_owned(), value.to_owned()));
        }
        story.unpack(&["v22/consolidated_sparse_fragments"]);
        let source = array(&story, "consolidated_sparse_fragments");
        let fragments = story.path().join(&source).join("__fragments");
        let fragment = std::fs::read_dir(&fragments).unwrap().map(|entry| entry.unwrap().path()).min().unwrap();
        // A file that readers do not look at makes the fragment large.
        let bytes: Vec<u8> =
            (0..LARGE as u32 / 4).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        std::fs::write(fragment.join("z.tdb"), bytes).unwrap();
        let expected = contents(&story.path().join(&source));
        Some(Bench { story, proxy, through, store, source, expected })
    }

    /// A place of its own in the store.
    fn place(&self, name: &str) -> String {
        let made = format!("copies{}", name.replace('_', ""));
        make_bucket(&self.store, &made);
        format!("{}://{made}/folder/array", self.store)
    }

    /// Starts a copy whose requests go through the proxy.
    fn start(&self, from: &str, to: &str) -> Child {
        let mut command = Command::new(tool());
        command.args(["copy", from, to]).current_dir(self.story.path()).envs(self.through.iter().cloned());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// A copy at which something goes wrong, and how many requests were broken.
    fn broken(&self, from: &str, to: &str, fault: impl FnOnce(i32) -> Fault) -> (Output, usize) {
        let child = self.start(from, to);
        self.proxy.begin(Some(fault(child.id() as i32)));
        let output = child.wait_with_output().unwrap();
        (output, self.proxy.end().1)
    }

    /// How many requests a whole copy makes.
    fn requests(&self, from: &str, to: &str) -> usize {
        self.proxy.begin(None);
        let output = self.start(from, to).wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self.proxy.end().0.len()
    }

    /// Every fragment that is committed is whole. How many there are.
    fn shows_only_what_is_whole(&self, place: &str) -> usize {
        let local_copy = self.story.path().join("seen");
        _ = std::fs::remove_dir_all(&local_copy);
        let output = self.story.tool(&["copy", place, "seen"]);
        if !output.status.success() {
            let text = String::from_utf8(output.stderr).unwrap();
            assert!(text.contains("is no array"), "{text}");
            return 0;
        }
        let copied = contents(&local_copy);
        for (name, bytes) in &copied {
            assert!(self.expected.get(name) == Some(bytes), "{} differs", name.display());
        }
        let commits: Vec<String> = copied.keys().filter_map(|name| committed(name)).collect();
        for commit in &commits {
            let files = self.expected.keys().filter(|name| name.to_str().unwrap().contains(commit));
            files.filter(|name| name.starts_with("__fragments")).for_each(|name| {
                assert!(copied.contains_key(name), "{} is missing", name.display());
            });
        }
        commits.len()
    }

    /// The copy is complete, and the same as the source.
    fn is_complete(&self, place: &str) {
        let again = self.story.tool(&["copy", &self.source, place, "--check"]);
        let text = String::from_utf8(again.stdout).unwrap();
        assert!(text.contains("files: 0, ") && text.contains("differing: 0"), "{text}");
        assert_eq!(self.shows_only_what_is_whole(place), self.expected.keys().filter_map(|n| committed(n)).count());
        assert!(contents(&self.story.path().join("seen")) == self.expected, "{place}");
        assert_eq!(uploads(&self.store, place), 0, "{place}");
    }
}

/// The fragment that a file commits.
fn committed(name: &std::path::Path) -> Option<String> {
    let is_commit = name.starts_with("__commits") && name.extension().is_some_and(|extension| extension == "wrt");
    is_commit.then(|| name.file_stem().unwrap().to_str().unwrap().to_owned())
}

fn make_bucket(store: &str, name: &str) {
    match store {
        "s3" => bucket(&std::env::var("TILEDB_VFS_S3_ENDPOINT_OVERRIDE").unwrap(), name),
        store => {
            let code = "import sys, tiledb; tiledb.VFS().create_bucket(sys.argv[1])";
            let python = project().join(".venv/bin/python");
            let status = Command::new(python).args(["-c", code, &format!("{store}://{name}")]).status().unwrap();
            assert!(status.success(), "no bucket {name}");
        }
    }
}

/// How many uploads to a place wait for their end; only S3 tells.
fn uploads(store: &str, place: &str) -> usize {
    upload(
        store,
        place,
        "print(len([u for u in client.list_multipart_uploads(Bucket=bucket).get('Uploads', []) \
                          if u['Key'].startswith(key)]))",
    )
}

/// Does something about uploads.
fn upload(store: &str, place: &str, what: &str) -> usize {
    if store != "s3" {
        return 0;
    }
    let (bucket, key) = place.strip_prefix("s3://").unwrap().split_once('/').unwrap();
    let code = format!(
        "import boto3, sys\nclient = boto3.client('s3', endpoint_url='http://' + sys.argv[1], region_name='us-east-1')\n\
         bucket, key = sys.argv[2:]\n{what}"
    );
    let endpoint = std::env::var("TILEDB_VFS_S3_ENDPOINT_OVERRIDE").unwrap();
    let python = project().join(".venv/bin/python");
    let output = Command::new(python).args(["-c", &code, &endpoint, bucket, key]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap_or(0)
}

/// Killed at any request, again and again, a copy is brought to its end by the same command, also one whose uploads
/// nobody completed.
#[test]
fn killed_copy_is_completed_by_the_same_command() {
    let Some(bench) = Bench::new() else { return };
    let (mut chance, place) = (Chance::new(), bench.place("killed"));
    let requests = bench.requests(&bench.source, &bench.place("whole"));
    let mut kills = 0;
    for attempt in 0..6 {
        // The later ones have less to do.
        let at = chance.below(requests * (6 - attempt) / 8);
        let is_before = chance.below(2) == 0;
        let broken = |child| if is_before { Break::KillBefore(child) } else { Break::KillAfter(child) };
        let (output, _) =
            bench.broken(&bench.source, &place, |child| Fault { at, broken: broken(child), span: Span::Once });
        kills += usize::from(output.status.code().is_none());
        println!(
            "request {at} of {requests}: {:?}, fragments: {}",
            output.status,
            bench.shows_only_what_is_whole(&place)
        );
    }
    assert!(kills > 2, "{kills} kills");
    let (inside, beside) = (format!("{place}/__fragments/x"), format!("{place}_beside"));
    for key in [&inside, &beside] {
        upload(&bench.store, key, "client.create_multipart_upload(Bucket=bucket, Key=key)");
    }
    let output = bench.story.tool(&["copy", &bench.source, &place]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    if bench.store == "s3" {
        assert!(text.contains("uploads that nobody completed"), "{text}");
        // What others do beside it is theirs.
        assert_eq!((uploads("s3", &format!("{place}/")), uploads("s3", &beside)), (0, 1));
        upload(
            "s3",
            &beside,
            "for u in client.list_multipart_uploads(Bucket=bucket)['Uploads']: \
                               client.abort_multipart_upload(Bucket=bucket, Key=u['Key'], UploadId=u['UploadId'])",
        );
    }
    bench.is_complete(&place);
}

/// Interrupted by Ctrl-C in the middle, a copy says so, and leaves no upload.
#[test]
fn interrupted_copy_reports_it_and_leaves_no_upload() {
    let Some(bench) = Bench::new() else { return };
    let (mut chance, mut stops, stops_at) = (Chance::new(), 0, bench.place("stops"));
    let requests = bench.requests(&bench.source, &bench.place("stopped"));
    for attempt in 0..4 {
        let place = format!("{stops_at}{attempt}");
        let at = requests / 4 + chance.below(requests / 2);
        let child = bench.start(&bench.source, &place);
        bench.proxy.begin(Some(Fault { at, broken: Break::Stall(Duration::from_millis(1500)), span: Span::Once }));
        std::thread::sleep(Duration::from_millis(1000));
        _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
        let output = child.wait_with_output().unwrap();
        bench.proxy.end();
        match output.status.code() {
            Some(130) => stops += 1,
            Some(0) => {}
            code => panic!("{code:?}: {}", String::from_utf8_lossy(&output.stderr)),
        }
        bench.shows_only_what_is_whole(&place);
        assert_eq!(uploads(&bench.store, &place), 0, "request {at}");
        let output = bench.story.tool(&["copy", &bench.source, &place]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        bench.is_complete(&place);
    }
    assert!(stops > 1, "{stops} of 4 were stopped");
}

/// One request that fails is made again; where all of a kind fail the copy fails, and is made again.
#[test]
fn failed_requests_are_retried() {
    let Some(bench) = Bench::new() else { return };
    let mut chance = Chance::new();
    let (whole, refusals) = (bench.place("refused"), bench.place("refusals"));
    let there = bench.requests(&bench.source, &whole);
    let back = bench.requests(&whole, "back");
    assert!(contents(&bench.story.path().join("back")) == bench.expected);
    let breaks = [Break::Status(500), Break::Status(503), Break::Cut, Break::Short, Break::Reset, Break::Lost];
    for (number, broken) in breaks.into_iter().enumerate() {
        for span in [Span::Once, Span::Kind] {
            let is_back = chance.below(2) == 0 || matches!(broken, Break::Cut | Break::Short);
            let (from, to) = match is_back {
                true => (whole.clone(), format!("back{number}{span:?}")),
                false => (bench.source.clone(), format!("{refusals}{number}{span:?}")),
            };
            let at = chance.below(if is_back { back } else { there });
            let (output, count) = bench.broken(&from, &to, |_| Fault { at, broken, span });
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            println!("{broken:?} at {at}, {span:?}, {count} times: {:?} {text}", output.status.code());
            match output.status.code() {
                Some(0) => {}
                Some(3) => assert!(span == Span::Kind && !text.is_empty(), "{broken:?} at {at}: {text}"),
                code => panic!("{code:?}: {text}"),
            }
            bench.shows_only_what_is_whole(&to);
            let output = bench.story.tool(&["copy", &from, &to]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            bench.shows_only_what_is_whole(&to);
            assert!(contents(&bench.story.path().join("seen")) == bench.expected, "{broken:?} at {at}");
        }
    }
}
