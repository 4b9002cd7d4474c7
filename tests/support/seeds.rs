//! Runs seeds in child processes and counts: where the reference dies, the seed is passed over; where ours dies,
//! it is a failure.

use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::process::{Command, Stdio};

use super::Api;

/// A test by seeds: `play` says how many queries were compared, or what was different.
pub struct Seeds {
    pub name: &'static str,
    /// `FROM..TO`, unless the variable `SEEDS` says otherwise.
    pub usual: &'static str,
    pub play: fn(&Api, &Api, u64) -> Result<u64, String>,
}

/// Tells the parent who works now.
pub fn phase(seed: u64, who: &str) {
    println!("phase {seed} {who}");
    std::io::stdout().flush().unwrap();
}

/// The program of such a test.
pub fn main(test: &Seeds) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--child") => child(test.play, arguments[1].parse().unwrap()..arguments[2].parse().unwrap()),
        Some("--list") => println!("random_{}: test", test.name),
        _ => parent(test),
    }
}

fn child(play: fn(&Api, &Api, u64) -> Result<u64, String>, seeds: Range<u64>) {
    let (ours, reference) = (Api::ours(), Api::reference().unwrap());
    for seed in seeds {
        match play(&ours, &reference, seed) {
            Ok(queries) => println!("ok {seed} {queries}"),
            Err(text) => println!("bad {seed} {}", text.replace('\n', " ")),
        }
    }
}

#[derive(Default)]
struct Tally {
    queries: u64,
    deaths: u64,
    failures: Vec<String>,
}

fn parent(test: &Seeds) {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| test.usual.to_owned());
    let (from, to) = seeds.split_once("..").expect("SEEDS=FROM..TO");
    let seeds: Range<u64> = from.parse().unwrap()..to.parse().unwrap();
    if Api::reference().is_none() {
        println!("{}: skipped, the reference library is not installed; `make test` installs it", test.name);
        return;
    }
    let middle = seeds.start + (seeds.end - seeds.start) / 2;
    let mut all = Tally::default();
    std::thread::scope(|scope| {
        let halves = [seeds.start..middle, middle..seeds.end].map(|half| scope.spawn(move || run_seeds(half)));
        for half in halves {
            let half = half.join().unwrap();
            all.queries += half.queries;
            all.deaths += half.deaths;
            all.failures.extend(half.failures);
        }
    });
    all.failures.iter().take(40).for_each(|failure| println!("FAILED {failure}"));
    println!("{}: {} queries compared, {} deaths of the reference", test.name, all.queries, all.deaths);
    println!("{} failed", all.failures.len());
    std::process::exit(i32::from(!all.failures.is_empty()));
}

fn run_seeds(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let mut next = seeds.start;
    while next < seeds.end {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--child", &next.to_string(), &seeds.end.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut who = String::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            let mut words = line.splitn(3, ' ');
            let (kind, seed, rest) = (words.next().unwrap(), words.next(), words.next().unwrap_or_default());
            let Some(seed) = seed.and_then(|seed| seed.parse::<u64>().ok()) else { continue };
            match kind {
                "phase" => who = rest.to_owned(),
                "ok" => tally.queries += rest.parse::<u64>().unwrap_or(0),
                "bad" => tally.failures.push(format!("seed {seed}: {rest}")),
                _ => continue,
            }
            if kind != "phase" {
                next = seed + 1;
            }
        }
        let status = child.wait().unwrap();
        if status.success() {
            continue;
        }
        match who.as_str() {
            "reference" => tally.deaths += 1,
            _ => tally.failures.push(format!("seed {next}: died while {who} worked: {status}")),
        }
        next += 1;
    }
    tally
}
