//! Concurrent maintainers, writers and readers on one array, each a process of its own. Maintainers are killed at random
//! moments and started again, with leases so short that others take over. On local files and on the servers of
//! `tests/cloud`, for dense arrays and sparse ones with and without duplicates:
//!
//! - A read, now or at an earlier time within the retention, sees every write that was complete before exactly once, no
//!   write in part, and none of later times.
//! - No two maintainers hold the lease at the same time, and no fragment is merged twice.
//! - After a last maintenance the array consists of its visible fragments: no orphan, no lease, no vacuum file is left.
//!
//! `SECONDS=60` sets how long each array is maintained, `STORE=local|s3|azure|gcs` and `KIND=dense|unique|duplicates`
//! select arrays; `make test-maintenance` runs all of them for longer.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod files;
mod maintainer;
mod reader;
mod writer;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;
use support::library_process::{self, LibraryProcess};
use support::random::Random;
use support::servers::{Server, Store};
use support::writer_rows;
use support::writer_rows::{Kind, WRITERS};
use support::{Api, library};

const READERS: u64 = 2;
const MAINTAINERS: u64 = 3;
/// Seconds for each array, unless `SECONDS` says how many.
const FEW: u64 = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--list") => println!("processes_side_by_side: test"),
        Some("--run") => run(&arguments[1]),
        Some(LAST) => serve_last(),
        Some(role) if Role::of(role).is_some() => child(Role::of(role).unwrap(), &arguments[1..]),
        _ => parent(),
    }
}

/// What a process does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Writer,
    Reader,
    Maintainer,
}

impl Role {
    const NAMES: [(Role, &'static str); 3] =
        [(Role::Writer, "--writer"), (Role::Reader, "--reader"), (Role::Maintainer, "--maintainer")];

    fn of(name: &str) -> Option<Role> {
        Role::NAMES.into_iter().find(|role| role.1 == name).map(|role| role.0)
    }

    fn name(self) -> &'static str {
        Role::NAMES.into_iter().find(|role| role.0 == self).unwrap().1
    }
}

/// Starts the servers, and tests each store in a process whose environment says where the server is.
fn parent() {
    let only = std::env::var("STORE").ok();
    let is_selected = |scheme: &str| only.as_ref().is_none_or(|name| name == scheme);
    let mut stores: Vec<(&str, Option<Server>)> = vec![("local", None)];
    if library::reference().is_some() {
        // The servers are installed with the reference. One starts after the other: two must not find the same port free.
        let selected = Store::ALL.into_iter().filter(|store| is_selected(store.scheme()));
        stores.extend(selected.map(|store| (store.scheme(), Some(Server::start(store)))));
    } else {
        println!("object stores skipped, their servers are not installed; `make test` installs them");
    }
    stores.retain(|store| is_selected(store.0));
    let test = |(scheme, server): &(&'static str, Option<Server>)| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        let variables = server.as_ref().map_or(&[][..], |server| &server.variables);
        child.args(["--run", scheme]).envs(variables.iter().cloned()).status().unwrap().success()
    };
    // Local files alone, since processes are many; the servers are mostly waited for.
    let (local, remote): (Vec<_>, Vec<_>) = stores.iter().partition(|store| store.1.is_none());
    let mut are_right = local.into_iter().all(test);
    std::thread::scope(|scope| {
        let tests: Vec<_> = remote.into_iter().map(|store| scope.spawn(move || test(store))).collect();
        tests.into_iter().for_each(|test| are_right &= test.join().unwrap());
    });
    std::process::exit(i32::from(!are_right));
}

/// Tests the kinds of arrays in one store.
fn run(scheme: &str) {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let seconds = number("SECONDS").unwrap_or(FEW);
    let seed = number("SEED").unwrap_or_else(now);
    println!("{scheme}: SEED={seed}");
    let only = std::env::var("KIND").ok();
    // Where requests take long, the kind in which every mistake of a maintainer is visible.
    let usual: &[Kind] =
        if scheme == "local" || number("SECONDS").is_some() { &Kind::ALL } else { &[Kind::Duplicates] };
    let kinds = usual.iter().filter(|kind| only.as_ref().is_none_or(|only| only == kind.name()));
    if scheme != "local" {
        let api = Api::ours();
        let (ctx, bucket) = (api.context(&[]), support::text(&format!("{scheme}://maintained")));
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        ctx.call("vfs_create_bucket", &[vfs, support::pointer(&bucket)]).unwrap();
        ctx.free("vfs", vfs);
    }
    let wrong: usize = kinds.map(|kind| Scene::new(scheme, *kind, seconds).play(&mut Random::new(seed))).sum();
    std::process::exit(i32::from(wrong > 0));
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

/// One array and what happens to it.
struct Scene {
    kind: Kind,
    uri: String,
    /// Where processes note what they did.
    folder: tempfile::TempDir,
    seconds: u64,
    /// Milliseconds.
    lease: u64,
}

/// A process that was started.
struct Process {
    name: String,
    child: Child,
}

impl Scene {
    fn new(scheme: &str, kind: Kind, seconds: u64) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let uri = match scheme {
            "local" => folder.path().join("array").to_str().unwrap().to_owned(),
            _ => format!("{scheme}://maintained/{}", kind.name()),
        };
        // A lease must outlast a few requests to a busy server; then others only take over in a longer run.
        let lease = match (scheme, seconds) {
            ("local", _) => 500,
            (_, ..30) => 2500,
            _ => 6000,
        };
        Scene { kind, uri, folder, seconds, lease }
    }

    /// Starts a process that works until a time, in milliseconds since 1970.
    fn start(&self, role: Role, number: u64, end: u64) -> Process {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([role.name(), &number.to_string(), self.kind.name(), &self.uri])
            .arg(self.folder.path())
            .args([end, self.lease].map(|number| number.to_string()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Process { name: format!("{} {number}", &role.name()[2..]), child }
    }

    /// How many things went wrong.
    fn play(&self, random: &mut Random) -> usize {
        let api = Api::ours();
        writer_rows::create(&api.context(&[]), &self.uri, self.kind).unwrap();
        let end = now() + 1000 * self.seconds;
        let mut others: Vec<Process> = (0..WRITERS).map(|number| self.start(Role::Writer, number, end)).collect();
        others.extend((0..READERS).map(|number| self.start(Role::Reader, number, end)));
        let mut maintainers: Vec<Process> =
            (0..MAINTAINERS).map(|number| self.start(Role::Maintainer, number, end)).collect();
        let (mut outputs, mut kills) = (Outputs::default(), 0);
        while now() < end {
            // Many die within their first merge, some live until others take over. Steps on a server take longer.
            let most = if self.uri.contains("://") { 12 } else { 3 };
            let pause = random.between(0, most) as u64 * self.lease / 4 + random.next() % 200;
            std::thread::sleep(Duration::from_millis(pause.min(end.saturating_sub(now()))));
            let victim = random.between(0, MAINTAINERS as i64 - 1) as usize;
            let next = self.start(Role::Maintainer, victim as u64, end);
            let mut killed = std::mem::replace(&mut maintainers[victim], next);
            killed.child.kill().unwrap();
            outputs.take(killed, true);
            kills += 1;
        }
        others.into_iter().chain(maintainers).for_each(|process| outputs.take(process, false));
        match self.end(&api) {
            Ok(merged) => outputs.counts.push(("merged".to_owned(), merged)),
            Err(text) => outputs.wrong.push(text),
        }
        if outputs.count("merged") == 0 || outputs.count("read") == 0 {
            outputs.wrong.push("nothing was merged or read".to_owned());
        }
        let figures = ["written", "read", "missing", "doubled", "maintained", "merged", "recovered", "refused", "lost"];
        let figures = figures.map(|name| format!("{} {name}", outputs.count(name))).join(", ");
        println!("{}: {kills} killed, {figures}, {} wrong", self.uri, outputs.wrong.len());
        outputs.wrong.iter().for_each(|text| println!("FAILED {}: {text}", self.uri));
        if !outputs.wrong.is_empty() && std::env::var("KEEP").is_ok() {
            println!("{}", std::fs::canonicalize(self.folder.path()).unwrap().display());
            std::thread::sleep(Duration::from_secs(3600));
        }
        outputs.wrong.len()
    }

    /// Maintains the array a last time, and counts the merges, once all leases of killed maintainers have expired.
    fn end(&self, api: &Api) -> Result<u64, String> {
        std::thread::sleep(Duration::from_millis(2 * self.lease));
        let options = maintainer::Options { lease: 60_000, retention: 0 };
        let last = maintainer::maintain(api, &self.uri, &options, self.folder.path());
        let merged = last.map_err(|failure| format!("the last maintenance: {failure:?}"))?.steps[0];
        files::check(api, &self.uri)?;
        read_last(api, self.kind, &self.uri, self.folder.path())?;
        if let Some(mut reference) = LibraryProcess::reference(&[LAST]).filter(|_| !self.uri.contains("://")) {
            let request = json!([self.kind.name(), self.uri, self.folder.path().to_str().unwrap()]);
            if let Some(wrong) = reference.read(&request)?.as_str() {
                return Err(format!("libtiledb {wrong}"));
            }
        }
        Ok(merged)
    }
}

/// The argument of a process that reads at the end, with the library that the parent names.
const LAST: &str = "--read-last";

fn read_last(api: &Api, kind: Kind, uri: &str, folder: &Path) -> Result<(), String> {
    match reader::Reader::new(kind, uri, folder).read(api, None) {
        Ok(outcome) if outcome.wrong.is_empty() && !outcome.is_doubled => Ok(()),
        Ok(outcome) if outcome.is_doubled => Err("at the end, cells are doubled".to_owned()),
        Ok(outcome) => Err(format!("at the end: {:?}", outcome.wrong)),
        Err(failure) => Err(format!("at the end: {failure:?}")),
    }
}

fn serve_last() {
    library_process::serve(|api, request| {
        let [kind, uri, folder] = [0, 1, 2].map(|word| request[word].as_str().unwrap());
        let kind = Kind::ALL.into_iter().find(|other| other.name() == kind).unwrap();
        read_last(api, kind, uri, Path::new(folder)).err().into()
    });
}

/// What the processes printed.
#[derive(Default)]
struct Outputs {
    wrong: Vec<String>,
    counts: Vec<(String, u64)>,
}

impl Outputs {
    fn take(&mut self, mut process: Process, is_killed: bool) {
        let mut text = String::new();
        process.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let status = process.child.wait().unwrap();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("wrong", text)) => self.wrong.push(format!("{}: {text}", process.name)),
                Some((name, number)) => self.counts.extend(number.parse().ok().map(|number| (name.to_owned(), number))),
                None => (),
            }
        }
        if !is_killed && !status.success() {
            self.wrong.push(format!("{}: {status}", process.name));
        }
    }

    fn count(&self, name: &str) -> u64 {
        self.counts.iter().filter(|count| count.0 == name).map(|count| count.1).sum()
    }
}

/// A process: repeats its work until the time is over.
fn child(role: Role, arguments: &[String]) {
    let [number, kind, uri, folder, end, lease] = arguments else { panic!("{arguments:?}") };
    let (number, folder): (u64, PathBuf) = (number.parse().unwrap(), PathBuf::from(folder));
    let kind = Kind::ALL.into_iter().find(|other| other.name() == kind).unwrap();
    let (end, lease): (u64, u64) = (end.parse().unwrap(), lease.parse().unwrap());
    support::limits::limit_time((end.saturating_sub(now()) / 1000) as u32 + 300);
    match role {
        Role::Writer => writer::work(number, kind, uri, &folder, end),
        Role::Reader => reader::work(kind, uri, &folder, end, (lease * RETENTION, lease * 20)),
        Role::Maintainer => maintainer::work(uri, &folder, end, lease),
    }
}

/// Retention of the maintainers, in durations of their leases.
pub const RETENTION: u64 = 6;

/// Where a writer notes the writes that are complete.
pub fn progress(folder: &Path, writer: u64) -> PathBuf {
    folder.join(format!("written{writer}"))
}
