//! Arrays and files in object stores, on local servers that implement S3 (moto) and Azure (Azurite), both of which
//! verify signatures, and GCS (gcp-storage-emulator). `make venv` installs them; `STORE=azure` selects a store,
//! `PART=forked` one of these parts:
//!
//! - `files`: both libraries make the same VFS calls and return the same results.
//! - `histories`: after random sequences of file operations, each kind of storage (disk, memory, each store) has the
//!   contents of a model, a map of names and bytes.
//! - `arrays`: random schemas are created, written and read by both libraries, each of which reads what both wrote;
//!   `SEEDS=FROM..TO` selects other seeds.
//! - `golden`: golden arrays are copied into the store and read there; `GOLDEN=all` selects all of the current version.
//! - `refusals`: errors of rejected requests state the cause.
//! - `credentials`: every credential source works; if there are none, the error states why.
//! - `ways`: connections over TLS and through a proxy.
//! - `unanswered`: lost responses to the creation of objects, and responses that precede the object.
//! - `suspended`: a maintainer that is suspended while another one takes over commits nothing afterwards.
//! - `forked`: a forked child uses a store that its parent has used before.
//! - `threads`: a thousand threads use the store of one context.
//!
//! `--with STORE PROGRAM ARGUMENTS...` runs another test with a server, as `make test-cloud-lives` does.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod connections;
mod credentials;
mod files;
mod forked;
mod golden;
mod google;
mod history;
mod lost_responses;
mod refusals;
mod scripted_server;
mod suspended;
mod threads;
mod tokens;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::library_process::{self, LibraryProcess};
use support::operations::{self, snapshot};
use support::round_trip::run;
use support::round_trip::scenario;
use support::servers::{self, Server, Store};
use support::{Api, library, seeds};

/// Random schemas of `arrays`.
fn usual(store: Store) -> &'static str {
    if store == Store::S3 { "0..24" } else { "0..12" }
}

fn bucket() -> String {
    format!("{}://arrays", Store::of_environment().scheme())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--list") => println!("object_store: test"),
        Some("--part") => part(&arguments[1]),
        Some(LIBRARY) => serve(),
        Some("--with") => with(&arguments[1], &arguments[2..]),
        _ => parent(),
    }
}

/// Starts each server and runs each part in a process of its own, whose environment says where the server is.
fn parent() {
    if library::reference().is_none() {
        println!("cloud: skipped, the reference library is not installed; `make test` installs it");
        return;
    }
    let scheme = std::env::var("STORE").ok();
    let stores = Store::ALL.into_iter().filter(|store| scheme.as_ref().is_none_or(|name| name == store.scheme()));
    // Most of the time servers are waited for.
    let stores: Vec<_> = stores.map(|store| std::thread::spawn(move || parts(store))).collect();
    let failed = stores.into_iter().filter_map(|store| store.join().err()).count();
    assert!(failed == 0, "{failed} stores failed");
}

fn parts(store: Store) {
    // One after the other: two must not find the same port free.
    static STARTING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let starting = STARTING.lock().unwrap();
    let server = Server::start(store);
    drop(starting);
    let parts = [
        "files",
        "histories",
        "arrays",
        "golden",
        "refusals",
        "credentials",
        "ways",
        "unanswered",
        "suspended",
        "forked",
        "threads",
    ];
    let only = std::env::var("PART").unwrap_or_default();
    for part in parts.into_iter().filter(|part| part.contains(&only)) {
        run_part(part, store, &server.variables);
    }
    if !server.otherwise.is_empty() && "files".contains(&only) {
        run_part("files", store, &[server.variables.clone(), server.otherwise.clone()].concat());
    }
}

fn run_part(part: &str, store: Store, variables: &[(String, String)]) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    let status = child.args(["--part", part]).envs(variables.iter().cloned()).status().unwrap();
    assert!(status.success(), "{} {part}: {status}", store.scheme());
}

/// Runs another program, which finds a server of a store.
fn with(scheme: &str, program: &[String]) {
    let store = Store::ALL.into_iter().find(|store| store.scheme() == scheme).expect("a store");
    let server = Server::start(store);
    let status = Command::new(&program[0]).args(&program[1..]).envs(server.variables.iter().cloned()).status().unwrap();
    std::process::exit(i32::from(!status.success()));
}

fn part(name: &str) {
    match name {
        "files" => files::check(),
        "histories" => history::check(),
        "arrays" => arrays(),
        "golden" => golden::check(),
        "refusals" => refusals::check(),
        "credentials" => match Store::of_environment() {
            Store::S3 => credentials::check(),
            Store::Azure => tokens::check(),
            Store::Gcs => google::check(),
        },
        "ways" if Store::of_environment() == Store::S3 => connections::check(),
        "ways" => {}
        "unanswered" => lost_responses::check(),
        "suspended" => suspended::check(),
        "forked" => forked::check(),
        "threads" => threads::check(),
        seed => array(seed.parse().unwrap()),
    }
}

/// Runs each seed in a process of its own: where the reference dies of one, as it does of some on a disk, it is left out.
fn arrays() {
    let store = Store::of_environment();
    files::make_bucket(&Api::ours(), &bucket());
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| usual(store).to_owned());
    let (from, to) = seeds.split_once("..").expect("SEEDS=FROM..TO");
    let (mut queries, mut refused, mut died, mut failed) = (0, 0, Vec::new(), 0);
    for seed in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        let child =
            Command::new(std::env::current_exe().unwrap()).args(["--part", &seed.to_string()]).output().unwrap();
        let said = String::from_utf8_lossy(&child.stdout).into_owned();
        match said.lines().last().and_then(|line| line.split_once(' ')) {
            Some(("read", number)) => queries += number.parse::<u64>().unwrap(),
            Some(("refused", _)) => refused += 1,
            Some(("phase", "reference")) => {
                died.push(seed);
                if let Err(death) = seeds::alone(&["--part", &seed.to_string()]) {
                    println!("FAILED seed {seed}: {death}");
                    failed += 1;
                }
            }
            _ => {
                println!("FAILED seed {seed}: {said} {}", String::from_utf8_lossy(&child.stderr));
                failed += 1;
            }
        }
    }
    println!(
        "cloud: random schemas {seeds} on {}, {queries} queries compared, {refused} schemas or writes refused by both, the \
         reference died of {died:?}, {failed} failed",
        store.scheme()
    );
    assert!(failed == 0 && queries > 0);
}

/// The argument of a process that responds with the library that the parent names.
const LIBRARY: &str = "--library";

/// A process with the reference, which is there.
fn reference_process() -> LibraryProcess {
    LibraryProcess::reference(&[LIBRARY]).unwrap()
}

fn serve() {
    servers::spare_the_reference();
    library_process::serve(|api, request| {
        let [operation, bucket] = [0, 1].map(|word| request[word].as_str().unwrap());
        let config: Vec<(String, String)> = serde_json::from_value(request[2].clone()).unwrap();
        let config: Vec<_> = config.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Value::from(match operation {
            "tell" => files::tell(api, bucket, &config),
            "look" => return library_process::to_value(operations::with(api, bucket, snapshot::look).map(Value::from)),
            _ => refusals::refusal(api, &config, bucket),
        })
    });
}

/// One random schema.
fn array(seed: u64) {
    servers::spare_the_reference();
    let (ours, reference) = seeds::libraries();
    let scenario = scenario::Scenario::random(seed);
    let folder = format!("{}/{seed}{}", bucket(), if seeds::is_alone() { "alone" } else { "" });
    match run::round_trip(&ours, &reference, &scenario, Path::new(&folder), false, |who| println!("phase {who}")) {
        Ok(outcome) if outcome.reads == 0 => println!("refused by both"),
        Ok(outcome) => println!("read {}", outcome.reads),
        Err(text) => println!("bad {text}"),
    }
}
