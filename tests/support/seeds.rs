//! Runs seeds in child processes of limited time and memory and counts. A seed whose child dies or never comes back is
//! begun once more, since the reference damages the memory of its process. If it happens again while the reference
//! works, the seed is passed over and counted; if while ours does, it is a failure.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::Api;
use super::accepted::Entry;
use super::limits::limit_memory;

/// A seed may take this long: it usually takes a tenth of a second.
const LIMIT: Duration = Duration::from_secs(10);

/// Bytes that a child may allocate: the reference may ask for all memory there is.
const MEMORY: u64 = 4 << 30;

/// What a seed gave: queries that were compared, and the accepted differences among them.
#[derive(Default)]
pub struct Played {
    pub queries: u64,
    pub accepted: Vec<&'static Entry>,
}

/// A test by seeds: `play` says what it compared, or what was different.
pub struct Seeds {
    pub name: &'static str,
    /// `FROM..TO`, unless the variable `SEEDS` says otherwise.
    pub usual: &'static str,
    pub play: fn(&Api, &Api, u64) -> Result<Played, String>,
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

fn child(play: fn(&Api, &Api, u64) -> Result<Played, String>, seeds: Range<u64>) {
    limit_memory(MEMORY);
    let (ours, reference) = (Api::ours(), Api::reference().unwrap());
    for seed in seeds {
        match play(&ours, &reference, seed) {
            Ok(played) => {
                let names: Vec<&str> = played.accepted.iter().map(|entry| entry.name).collect();
                println!("ok {seed} {} {}", played.queries, names.join(" "));
            }
            Err(text) => println!("bad {seed} {}", text.replace('\n', " ")),
        }
    }
}

#[derive(Default)]
struct Tally {
    queries: u64,
    deaths: Vec<u64>,
    hangs: Vec<u64>,
    /// Seeds that were begun once more, and then passed.
    damaged: Vec<u64>,
    /// How often each accepted difference was met.
    accepted: BTreeMap<String, u64>,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.queries += other.queries;
        self.deaths.extend(other.deaths);
        self.hangs.extend(other.hangs);
        self.damaged.extend(other.damaged);
        self.failures.extend(other.failures);
        for (name, count) in other.accepted {
            *self.accepted.entry(name).or_default() += count;
        }
    }

    /// Takes the figures of a passed seed.
    fn pass(&mut self, figures: &str) {
        let mut words = figures.split_whitespace();
        self.queries += words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        words.for_each(|name| *self.accepted.entry(name.to_owned()).or_default() += 1);
    }
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
            all.add(half.join().unwrap());
        }
    });
    for (name, count) in &all.accepted {
        println!("accepted {count} times: {name}");
    }
    println!(
        "{}: {} queries compared; the reference died with seeds {:?}, never came back with {:?}; once more begun {:?}",
        test.name, all.queries, all.deaths, all.hangs, all.damaged
    );
    println!("{} failed", all.failures.len());
    std::process::exit(i32::from(!all.failures.is_empty()));
}

/// How a child ended that did not finish its seeds.
enum Broken {
    Died(String),
    Hung,
}

fn run_seeds(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let mut next = seeds.start;
    let mut retried = None;
    while next < seeds.end {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--child", &next.to_string(), &seeds.end.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut who = String::new();
        let broken = follow(&mut child, &mut tally, &mut next, &mut who);
        if retried.is_some_and(|seed| seed < next) {
            tally.damaged.extend(retried.take());
        }
        let Some(broken) = broken else { continue };
        if retried != Some(next) {
            retried = Some(next);
            continue;
        }
        match (who.as_str(), broken) {
            ("reference", Broken::Died(_)) => tally.deaths.push(next),
            ("reference", Broken::Hung) => tally.hangs.push(next),
            (_, Broken::Died(status)) => fail(&mut tally, format!("seed {next}: died while {who} worked: {status}")),
            (_, Broken::Hung) => fail(&mut tally, format!("seed {next}: hung while {who} worked")),
        }
        retried = None;
        next += 1;
    }
    tally
}

fn fail(tally: &mut Tally, text: String) {
    println!("FAILED {text}");
    tally.failures.push(text);
}

/// Follows a child through its seeds.
fn follow(child: &mut Child, tally: &mut Tally, next: &mut u64, who: &mut String) -> Option<Broken> {
    let (sender, lines) = channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut hung = false;
    loop {
        let line = match lines.recv_timeout(LIMIT) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                hung = true;
                let _ = child.kill();
                break;
            }
        };
        let mut words = line.splitn(3, ' ');
        let (kind, seed, rest) = (words.next().unwrap(), words.next(), words.next().unwrap_or_default());
        let Some(seed) = seed.and_then(|seed| seed.parse::<u64>().ok()) else { continue };
        match kind {
            "phase" => *who = rest.to_owned(),
            "ok" => tally.pass(rest),
            "bad" => fail(tally, format!("seed {seed}: {rest}")),
            _ => continue,
        }
        if kind != "phase" {
            *next = seed + 1;
        }
    }
    let status = child.wait().unwrap();
    match (hung, status.success()) {
        (true, _) => Some(Broken::Hung),
        (false, true) => None,
        (false, false) => Some(Broken::Died(status.to_string())),
    }
}
