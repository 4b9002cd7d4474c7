//! Random round trips against the reference: for each seed a random schema is created and written by
//! both libraries, and each reads what both wrote; all results must be equal.
//!
//! `cargo test --test interop` runs 1,200 seeds, `SEEDS=FROM..TO` others, `SEEDS=17..18` repeats
//! one. Children run the seeds: where the reference dies, its seed is tried once more in a fresh process and
//! counted; where ours dies, the test fails.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

#[path = "interop/random.rs"]
mod random;
#[path = "interop/run.rs"]
mod run;
#[path = "interop/scenario.rs"]
mod scenario;
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::process::{Command, Stdio};

use scenario::Scenario;
use support::Api;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--child") => child(arguments[1].parse().unwrap()..arguments[2].parse().unwrap()),
        Some("--list") => println!("random_round_trips: test"),
        _ => parent(),
    }
}

/// Runs seeds one after the other and prints a line for each.
fn child(seeds: Range<u64>) {
    let (ours, reference) = (Api::ours(), Api::reference().unwrap());
    for seed in seeds {
        let scenario = Scenario::random(seed);
        let phase = |who: &str| {
            println!("phase {seed} {who}");
            std::io::stdout().flush().unwrap();
        };
        match run::round_trip(&ours, &reference, &scenario, phase) {
            Ok(reads) => println!("ok {seed} {reads}"),
            Err(text) => println!("bad {seed} {}", text.replace('\n', " ")),
        }
    }
}

/// What all seeds together gave.
#[derive(Default)]
struct Tally {
    passed: u64,
    /// Seeds whose schema or write both libraries refused alike.
    refused: u64,
    reads: u64,
    reference_deaths: u64,
    failures: Vec<String>,
}

fn parent() {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "0..1200".to_owned());
    let (from, to) = seeds.split_once("..").expect("SEEDS=FROM..TO");
    let seeds: Range<u64> = from.parse().unwrap()..to.parse().unwrap();
    if Api::reference().is_none() {
        println!("interop: skipped, the reference library is not installed; `make test` installs it");
        return;
    }
    let middle = seeds.start + (seeds.end - seeds.start) / 2;
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let halves = [seeds.start..middle, middle..seeds.end].map(|half| scope.spawn(move || run_seeds(half)));
        for half in halves {
            let half = half.join().unwrap();
            tally.passed += half.passed;
            tally.refused += half.refused;
            tally.reads += half.reads;
            tally.reference_deaths += half.reference_deaths;
            tally.failures.extend(half.failures);
        }
    });
    for failure in tally.failures.iter().take(40) {
        println!("FAILED {failure}");
    }
    println!(
        "interop: {} random schemas read in both directions, {} queries compared, {} more schemas refused by both, {} \
         deaths of the reference retried",
        tally.passed - tally.refused,
        tally.reads,
        tally.refused,
        tally.reference_deaths
    );
    println!("{} passed, {} failed", tally.passed, tally.failures.len());
    std::process::exit(i32::from(!tally.failures.is_empty()));
}

fn run_seeds(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let mut next = seeds.start;
    let mut retried = None;
    while next < seeds.end {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--child", &next.to_string(), &seeds.end.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut who = String::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            let mut words = line.splitn(3, ' ');
            let (kind, seed, rest) = (words.next().unwrap(), words.next(), words.next().unwrap_or_default());
            let Some(seed) = seed.and_then(|seed| seed.parse::<u64>().ok()) else { continue };
            match kind {
                "phase" => who = rest.to_owned(),
                "ok" => {
                    let reads = rest.parse::<u64>().unwrap_or(0);
                    tally.passed += 1;
                    tally.refused += u64::from(reads == 0);
                    tally.reads += reads;
                    next = seed + 1;
                }
                "bad" => {
                    tally.failures.push(format!("seed {seed}: {rest}"));
                    next = seed + 1;
                }
                _ => {}
            }
        }
        let mut complaint = String::new();
        let _ = child.stderr.take().unwrap().read_to_string(&mut complaint);
        let status = child.wait().unwrap();
        if status.success() {
            continue;
        }
        if who == "reference" && retried != Some(next) {
            tally.reference_deaths += 1;
            retried = Some(next);
        } else {
            tally.failures.push(format!("seed {next}: died while {who} worked: {status} {complaint}"));
            next += 1;
        }
    }
    tally
}
