//! Misbehaving object stores, TileDB servers and credential services: their responses are slow, endless, repetitive or
//! invalid, or redirect elsewhere. Each scenario runs in a process of its own against servers within it; it must end
//! with an error within its time limit, with little memory, and no credential may reach another server.
//!
//! `cargo test --test hostile_servers` runs a sample, `make test-hostile` all; `SCENARIOS=gcs/write` selects those
//! whose names contain `gcs/write`, `SHOW=1` prints the outcome of each.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "calls foreign functions as a C program does")]

mod rest;
mod services;
mod stores;
mod web;

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use support::Api;

/// Something that goes wrong while something is done.
pub struct Scenario {
    pub name: String,
    /// It ends within so many seconds.
    pub seconds: u64,
    /// Whether it ends at once or nearly so.
    pub is_quick: bool,
    /// Whether it cannot succeed.
    pub must_fail: bool,
    pub run: Box<dyn Fn(&Api) -> Outcome + Send + Sync>,
}

/// What came of it.
pub struct Outcome {
    pub result: Result<String, String>,
    /// Requests that should not have been made.
    pub leaks: Vec<String>,
}

/// Megabytes that a process may take, servers included.
const MEMORY: u64 = 400;

/// Scenarios that run at the same time; most of them wait.
const WORKERS: usize = 4;

/// One in so many is part of the sample.
const SAMPLE: usize = 31;

fn scenarios() -> Vec<Scenario> {
    [stores::all(), services::all(), rest::all(), web::all()].into_iter().flatten().collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--list") => println!("hostile: test"),
        Some("--scenario") => child(&arguments[1]),
        _ => parent(),
    }
}

fn child(name: &str) {
    let scenario = scenarios().into_iter().find(|scenario| scenario.name == name).unwrap();
    let outcome = (scenario.run)(&Api::ours());
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    let (kind, text) = match outcome.result {
        Ok(text) => ("ok", text),
        Err(text) => ("error", text),
    };
    // Nobody reads before the end: it must fit into the pipe.
    let brief = |text: &str| text.chars().take(2000).collect::<String>();
    println!("{kind} {} {}\n{}", usage.ru_maxrss >> 10, outcome.leaks.len(), brief(&text));
    outcome.leaks.iter().take(5).for_each(|leak| println!("LEAK {}", brief(leak)));
    // Servers have threads that never end.
    std::process::exit(0);
}

/// What is wrong with how a scenario ended, if anything is; and how it ended.
fn judge(scenario: &Scenario) -> (Option<String>, String) {
    let begun = Instant::now();
    let mut command = Command::new(std::env::current_exe().unwrap());
    let variables = std::env::vars().map(|(name, _)| name);
    let strange = ["AWS_", "AZURE_", "GOOGLE_", "GCE_", "CLOUDSDK_", "IDENTITY_", "MSI_", "TILEDB_REST", "TILEDB_VFS"];
    for name in variables
        .filter(|name| strange.iter().any(|start| name.starts_with(start)) || name.to_lowercase().ends_with("_proxy"))
    {
        command.env_remove(name);
    }
    let mut child = command.args(["--scenario", &scenario.name]).stdout(Stdio::piped()).spawn().unwrap();
    let limit = Duration::from_secs(scenario.seconds);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            return (Some(format!("does not end within {} s", scenario.seconds)), String::new());
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let took = begun.elapsed().as_secs_f64();
    if !status.success() {
        return (Some(format!("dies: {status}")), text);
    }
    let (first, rest) = text.split_once('\n').unwrap();
    let words: Vec<&str> = first.split(' ').collect();
    let (kind, memory, leaks) = (words[0], words[1].parse::<u64>().unwrap(), words[2] != "0");
    let wrong = match (kind, rest.trim()) {
        _ if leaks => Some("a request goes where it should not".to_owned()),
        _ if memory > MEMORY => Some(format!("takes {memory} MB")),
        ("ok", _) if scenario.must_fail => Some("succeeds".to_owned()),
        ("error", "") => Some("fails without a text".to_owned()),
        _ => None,
    };
    (wrong, format!("{kind} {took:.1} s {memory} MB {}", rest.trim().replace('\n', " ")))
}

fn parent() {
    let (all, chosen) = (std::env::var("HOSTILE").is_ok_and(|which| which == "all"), std::env::var("SCENARIOS").ok());
    let is_chosen = |(number, scenario): &(usize, Scenario)| match &chosen {
        Some(part) => scenario.name.contains(part),
        None => all || (scenario.is_quick && number % SAMPLE == 0),
    };
    let chosen: Vec<Scenario> =
        scenarios().into_iter().enumerate().filter(is_chosen).map(|(_, scenario)| scenario).collect();
    let (next, failed, shows) = (AtomicUsize::new(0), Mutex::new(Vec::new()), std::env::var_os("SHOW").is_some());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(scenario) = chosen.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let (wrong, figures) = judge(scenario);
                    if shows {
                        println!("{}: {figures}", scenario.name);
                    }
                    if let Some(wrong) = wrong {
                        failed.lock().unwrap().push(format!("{}: {wrong}; {figures}", scenario.name));
                    }
                }
            });
        }
    });
    let (failed, errors) = (failed.into_inner().unwrap(), chosen.iter().filter(|scenario| scenario.must_fail).count());
    println!("hostile: {} scenarios, {errors} of which must end with an error", chosen.len());
    assert!(failed.is_empty(), "{} scenarios:\n{}", failed.len(), failed.join("\n"));
}
