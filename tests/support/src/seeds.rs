//! Runs seeds in child processes with limited time and memory, and counts outcomes. A seed whose child crashes or hangs
//! is repeated, since the reference corrupts the memory of its process. If that happens again in a step of the
//! reference, it is counted, and the seed is repeated without this step if possible, otherwise skipped. If it happens
//! in a step of our library, the seed is repeated without any step of the reference: if it passes then, that is
//! counted, otherwise it is a failure.
//!
//! Both libraries are in the process of a seed, so that its death may be the work of either. Whoever is at work when it
//! dies, the seed is therefore also played by [our library alone](alone), which must not die of it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::accepted::Entry;
use super::cpu_timeout::CpuTimeout;
use super::limits::{limit_memory, limit_time};
use super::{Api, library};

/// A step may take so much of a processor's time: a seed usually takes a tenth of a second.
const LIMIT: Duration = Duration::from_secs(5);

/// Bytes that a child may allocate: the reference may ask for all memory there is.
const MEMORY: u64 = 1 << 30;

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

/// Tells the parent that the reference takes a step of a seed; false if it should not, since it dies of it.
pub fn reference_takes(seed: u64, step: usize) -> bool {
    let this = [format!("{seed}.{step}"), seed.to_string()];
    let goes =
        !std::env::var(DEADLY).is_ok_and(|deadly| deadly.split(' ').any(|other| this.iter().any(|s| s == other)));
    if goes {
        phase(seed, &format!("reference.{step}"));
    }
    goes
}

/// Names the steps that the reference dies of, or never comes back from, and seeds that it takes no step of.
const DEADLY: &str = "TILEDB_DEADLY_STEPS";

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
    if !is_alone() {
        limit_memory(MEMORY);
    }
    let (ours, reference) = libraries();
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
    /// Seeds and steps.
    deaths: Vec<String>,
    hangs: Vec<String>,
    /// Seeds that were begun once more, and then passed.
    damaged: Vec<u64>,
    /// Seeds that passed when the reference took no step: else ours died after its steps.
    alone: Vec<u64>,
    /// How many seeds, whose process died, our library played alone.
    checked: usize,
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
        self.alone.extend(other.alone);
        self.checked += other.checked;
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

/// The variable of a process in which our library takes the steps of the reference, too.
const ALONE: &str = "OUR_LIBRARY_ALONE";

/// Seconds that our library may take for a seed alone.
const ALONE_SECONDS: u32 = 300;

/// True in a process of [`alone`].
pub fn is_alone() -> bool {
    std::env::var_os(ALONE).is_some()
}

/// Our library, and the reference; in a process of [`alone`], ours again.
pub fn libraries() -> (Api, Api) {
    if is_alone() {
        limit_time(ALONE_SECONDS);
        return (Api::ours(), Api::ours());
    }
    (Api::ours(), Api::reference().unwrap())
}

/// Plays a seed in a process without the reference, whose steps our library takes. The C library checks all memory when it is
/// freed, and fills it, so that a write to memory of others ends the process. What is compared is of no interest here.
///
/// # Errors
/// The signal that ended the process: the fault is ours, whatever other processes of the seed died of.
pub fn alone(arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments).env(ALONE, "1").env("MALLOC_PERTURB_", "165");
    // Without this library, which is part of glibc, the parameter has no effect.
    command.env("GLIBC_TUNABLES", "glibc.malloc.check=3").env("LD_PRELOAD", "libc_malloc_debug.so.0");
    let output = command.output().unwrap();
    match output.status.code() {
        Some(_) => Ok(()),
        None => Err(format!("our library alone: {}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

fn parent(test: &Seeds) {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| test.usual.to_owned());
    let (from, to) = seeds.split_once("..").expect("SEEDS=FROM..TO");
    let seeds: Range<u64> = from.parse().unwrap()..to.parse().unwrap();
    if library::reference().is_none() {
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
        "{}: {} queries compared; the reference died of {} (seed and step): {}; never came back from {}: {}; once more begun {:?}; \
         without its steps {:?}; {} played by our library alone",
        test.name,
        all.queries,
        all.deaths.len(),
        all.deaths.join(" "),
        all.hangs.len(),
        all.hangs.join(" "),
        all.damaged,
        all.alone,
        all.checked
    );
    println!("{} failed", all.failures.len());
    std::process::exit(i32::from(!all.failures.is_empty()));
}

/// How a child ended that did not finish its seeds.
enum Broken {
    Died(String),
    Hung,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Died(status) => write!(f, "died ({status})"),
            Broken::Hung => write!(f, "hung"),
        }
    }
}

/// Of the seed that a child was at last.
#[derive(Default)]
struct Last {
    /// Who worked.
    who: String,
    /// True if the reference took a step.
    stepped: bool,
}

fn run_seeds(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let mut next = seeds.start;
    let (mut retried, mut without_reference, mut checked) = (None, None, None);
    let mut deadly: Vec<String> = Vec::new();
    while next < seeds.end {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--child", &next.to_string(), &seeds.end.to_string()])
            .env(DEADLY, deadly.join(" "))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut last = Last::default();
        let broken = follow(&mut child, &mut tally, &mut next, &mut last);
        tally.alone.extend(without_reference.take_if(|seed| *seed < next));
        tally.damaged.extend(retried.take_if(|seed| *seed < next));
        let Some(broken) = broken else { continue };
        if matches!(broken, Broken::Died(_)) && checked.replace(next) != Some(next) {
            tally.checked += 1;
            if let Err(death) = alone(&["--child", &next.to_string(), &(next + 1).to_string()]) {
                fail(&mut tally, format!("seed {next}: {death}"));
                next += 1;
                continue;
            }
        }
        let endless = matches!(broken, Broken::Hung) && last.who.starts_with("reference.");
        if retried != Some(next) && without_reference != Some(next) && !endless {
            retried = Some(next);
            continue;
        }
        retried = None;
        match last.who.strip_prefix("reference").map(|step| format!("{next}{step}")) {
            Some(step) => {
                deadly.extend(step.contains('.').then(|| step.clone()));
                next += u64::from(!step.contains('.'));
                match broken {
                    Broken::Died(_) => tally.deaths.push(step),
                    Broken::Hung => tally.hangs.push(step),
                }
            }
            None if last.stepped => {
                deadly.push(next.to_string());
                without_reference = Some(next);
            }
            None => {
                fail(&mut tally, format!("seed {next}: {broken} while {} worked", last.who));
                without_reference = None;
                next += 1;
            }
        }
    }
    tally
}

fn fail(tally: &mut Tally, text: String) {
    println!("FAILED {text}");
    tally.failures.push(text);
}

/// Follows a child through its seeds.
fn follow(child: &mut Child, tally: &mut Tally, next: &mut u64, last: &mut Last) -> Option<Broken> {
    let (sender, lines) = channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut hung = false;
    let mut patience = CpuTimeout::new(child.id(), LIMIT);
    loop {
        let line = match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if patience.is_over() => {
                hung = true;
                let _ = child.kill();
                break;
            }
            Err(RecvTimeoutError::Timeout) => continue,
        };
        patience.renew();
        let mut words = line.splitn(3, ' ');
        let (kind, seed, rest) = (words.next().unwrap(), words.next(), words.next().unwrap_or_default());
        let Some(seed) = seed.and_then(|seed| seed.parse::<u64>().ok()) else { continue };
        match kind {
            "phase" => {
                last.stepped |= rest.starts_with("reference.");
                last.who = rest.to_owned();
            }
            "ok" => tally.pass(rest),
            "bad" => fail(tally, format!("seed {seed}: {rest}")),
            _ => continue,
        }
        if kind != "phase" {
            *next = seed + 1;
            last.stepped = false;
        }
    }
    let status = child.wait().unwrap();
    match (hung, status.success()) {
        (true, _) => Some(Broken::Hung),
        (false, true) => None,
        (false, false) => Some(Broken::Died(status.to_string())),
    }
}
