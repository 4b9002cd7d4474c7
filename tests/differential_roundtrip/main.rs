//! Random round trips against the reference: for each seed both libraries create and write an array with a random
//! schema, and each reads what both wrote; all results must be equal.
//!
//! `cargo test --test differential_roundtrip` runs 1,200 seeds, `SEEDS=FROM..TO` others, `SEEDS=17..18` a single one.
//! Seeds run in child processes. If the reference crashes, the seed is repeated in a fresh process. The same applies if
//! our library crashes or results differ in a process in which the reference has run other seeds, since the reference
//! writes out of bounds in some of them. If ours crashes again, or crashes or results differ in a fresh
//! process, the test fails; where the reference does while it writes, ours must read what was written (CRASHES).
//! Whoever is at work when a process dies, our library then takes all steps of the seed alone, and must not die of it.
//! `SHOW=1` prints the operations of a seed.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use support::limits::{limit_memory, limit_time};
use support::round_trip::run;
use support::round_trip::scenario::Scenario;
use support::seeds::{alone, is_alone, libraries};
use support::{folders, library};

/// Bytes that a child may allocate: the reference takes all there is in a loop that gets nowhere.
const MEMORY: u64 = 2 << 30;
/// Seconds that a seed may take: now and then the reference waits for a thread of its own that never answers. The process dies
/// then, and the seed is begun once more.
const PATIENCE: u32 = 180;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--child") => {
            let seeds = arguments[1].parse().unwrap()..arguments[2].parse().unwrap();
            child(seeds, Path::new(&arguments[3]), arguments.get(4).map(|seed| seed.parse().unwrap()))
        }
        Some("--list") => println!("random_round_trips: test"),
        _ => parent(),
    }
}

/// Runs seeds one after the other and prints a line for each. The arrays lie in `folder`. The reference dies in the seed `crashes`.
fn child(seeds: Range<u64>, folder: &Path, crashes: Option<u64>) {
    if !is_alone() {
        limit_memory(MEMORY);
    }
    let (ours, reference) = libraries();
    for seed in seeds {
        limit_time(PATIENCE);
        let scenario = Scenario::random(seed);
        if std::env::var_os("SHOW").is_some() {
            println!("{}", scenario.describe());
        }
        let phase = |who: &str| {
            println!("phase {seed} {who}");
            std::io::stdout().flush().unwrap();
        };
        let folder = folder.join(seed.to_string());
        // A seed that is begun once more must not find its arrays: both libraries would refuse to create them.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        // Where the processor does not stop at a division by zero, the reference loses the cells.
        let is_unusable = crashes == Some(seed) || cfg!(target_arch = "aarch64") && scenario.has_small_windows();
        match run::round_trip(&ours, &reference, &scenario, &folder, is_unusable, phase) {
            Ok(outcome) => println!("ok {seed} {} {} {}", outcome.reads, outcome.files, outcome.accepted.join("|")),
            Err(text) => println!("bad {seed} {}", text.replace('\n', " ")),
        }
        if std::env::var_os("KEEP").is_none() {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

/// What all seeds together gave.
#[derive(Default)]
struct Tally {
    passed: u64,
    /// Seeds whose schema or write both libraries refused alike.
    refused: u64,
    /// Seeds that only one library wrote, or both refused otherwise: accepted differences.
    unlike: u64,
    reads: u64,
    files: u64,
    /// How often each accepted difference was met.
    accepted: BTreeMap<String, u64>,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.refused += other.refused;
        self.unlike += other.unlike;
        self.reads += other.reads;
        self.files += other.files;
        self.failures.extend(other.failures);
        for (reason, count) in other.accepted {
            *self.accepted.entry(reason).or_default() += count;
        }
    }

    fn accept(&mut self, reason: &str) {
        *self.accepted.entry(reason.to_owned()).or_default() += 1;
    }

    /// Takes the figures of a passed seed.
    fn pass(&mut self, figures: &str) {
        let mut words = figures.splitn(3, ' ');
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        let (reads, files) = (number(), number());
        self.passed += 1;
        self.reads += reads;
        self.files += files;
        let reasons = words.next().unwrap_or_default();
        match (reads, reasons) {
            (0, "") => self.refused += 1,
            (0, _) => self.unlike += 1,
            _ => {}
        }
        for reason in reasons.split('|').filter(|reason| !reason.is_empty()) {
            self.accept(reason);
        }
    }
}

fn parent() {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "0..1200".to_owned());
    let (from, to) = seeds.split_once("..").expect("SEEDS=FROM..TO");
    let seeds: Range<u64> = from.parse().unwrap()..to.parse().unwrap();
    if library::reference().is_none() {
        println!("interop: skipped, the reference library is not installed; `make test` installs it");
        return;
    }
    let middle = seeds.start + (seeds.end - seeds.start) / 2;
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let halves = [seeds.start..middle, middle..seeds.end].map(|half| scope.spawn(move || run_seeds(half)));
        for half in halves {
            tally.add(half.join().unwrap());
        }
    });
    for (reason, count) in &tally.accepted {
        println!("accepted {count} times: {reason}");
    }
    println!(
        "interop: {} random schemas read in both directions, {} queries and {} files compared, {} more schemas or writes \
         refused by both, {} by one or otherwise",
        tally.passed - tally.refused - tally.unlike,
        tally.reads,
        tally.files,
        tally.refused,
        tally.unlike,
    );
    println!("{} passed, {} failed", tally.passed, tally.failures.len());
    std::process::exit(i32::from(!tally.failures.is_empty()));
}

/// So many seeds may go otherwise in a process that the reference has spoilt than in a fresh one.
const MOST_SPOILT: usize = 2;

fn run_seeds(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let mut next = seeds.start;
    let (mut retried, mut spoilt, mut crashed, mut checked) = (None, 0, None, None);
    let mut folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    folder.disable_cleanup(std::env::var_os("KEEP").is_some());
    while next < seeds.end {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--child", &next.to_string(), &seeds.end.to_string()])
            .arg(folder.path())
            .args(crashed.map(|seed: u64| seed.to_string()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut who, first, mut begins_again) = (String::new(), next, false);
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            let mut words = line.splitn(3, ' ');
            let (kind, seed, rest) = (words.next().unwrap(), words.next(), words.next().unwrap_or_default());
            if kind == "show:" {
                println!("{line}");
            }
            let Some(seed) = seed.and_then(|seed| seed.parse::<u64>().ok()) else { continue };
            match kind {
                "phase" => who = rest.to_owned(),
                "ok" => {
                    tally.pass(rest);
                    next = seed + 1;
                }
                // The reference writes where it must not (valgrind: seeds 200 to 260, 303 to 334), and later finds other
                // values than it was given. In a fresh process such a seed has to pass.
                "bad" if seed > first && spoilt < MOST_SPOILT && retried != Some(seed) => {
                    println!("seed {seed}: begun once more after seeds {first}..{seed} of the reference: {rest}");
                    (retried, spoilt, next) = (Some(seed), spoilt + 1, seed);
                    let _ = child.kill();
                    begins_again = true;
                    break;
                }
                "bad" => {
                    println!("FAILED seed {seed}: {rest}");
                    tally.failures.push(format!("seed {seed}: {rest}"));
                    next = seed + 1;
                }
                _ => {}
            }
        }
        let mut complaint = String::new();
        let _ = child.stderr.take().unwrap().read_to_string(&mut complaint);
        let status = child.wait().unwrap();
        if status.success() && !begins_again {
            continue;
        }
        if checked.replace(next) != Some(next) {
            let numbers = [next, next + 1].map(|number| number.to_string());
            let place = folder.path().join("alone");
            let played = alone(&["--child", &numbers[0], &numbers[1], place.to_str().unwrap()]);
            _ = std::fs::remove_dir_all(place);
            if let Err(death) = played {
                println!("FAILED seed {next}: {death}");
                tally.failures.push(format!("seed {next}: {death}"));
                next += 1;
                continue;
            }
        }
        if begins_again {
            continue;
        }
        if (who == "reference" || next > first) && retried != Some(next) {
            if who != "reference" {
                println!(
                    "seed {next}: begun once more, {who} died after seeds {first}..{next} of the reference: {status}"
                );
            }
            retried = Some(next);
            continue;
        }
        if who == "reference" && crashed != Some(next) {
            println!("seed {next}: the reference died in a process of its own: {status}");
            crashed = Some(next);
            continue;
        }
        println!("FAILED seed {next}: died while {who} worked: {status}");
        tally.failures.push(format!("seed {next}: died while {who} worked: {status} {complaint}"));
        next += 1;
    }
    tally
}
