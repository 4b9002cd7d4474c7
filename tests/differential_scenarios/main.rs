//! Scenarios against the reference: each runs through the C interface with our library and with the reference, and both
//! must produce the same transcript, line by line: accepted and rejected calls, and every byte read.
//!
//! `cargo test --test differential_scenarios -- offsets` runs the scenarios whose names contain `offsets`; `SHOW=1`
//! prints their transcripts. Error messages must be equal, except for those listed in
//! `differential_scenarios/texts.rs`. Each scenario runs in a process of its own, so that a crash of either library is
//! a difference and does not end the test.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod budgets;
mod buffer_sequences;
mod buffers;
mod checks;
mod consolidation;
mod contexts;
mod deletes;
mod deliveries;
mod dice;
mod domains;
mod estimates;
mod evolution;
mod filestores;
mod fills;
mod group_members;
mod groups;
mod handles;
mod keys;
mod label_schemas;
mod labels;
mod metadata;
mod names;
mod offsets;
mod outside;
mod overlaps;
mod parameters;
mod passed_config;
mod paths;
mod plans;
mod ranges;
mod rectangles;
mod removal;
mod resumed;
mod states;
mod statistics;
mod storage;
mod submits;
mod texts;
mod threads;
mod variable;
mod world;
mod zeros;
mod zipped;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use support::cpu_timeout::CpuTimeout;
use support::{Api, folders, library};
use world::World;

/// A scenario by its name.
pub type Scenario = (&'static str, fn(&mut World<'_>));

fn scenarios() -> Vec<Scenario> {
    [
        fills::SCENARIOS,
        variable::SCENARIOS,
        offsets::SCENARIOS,
        checks::SCENARIOS,
        ranges::SCENARIOS,
        metadata::SCENARIOS,
        evolution::SCENARIOS,
        plans::SCENARIOS,
        removal::SCENARIOS,
        groups::SCENARIOS,
        group_members::SCENARIOS,
        buffers::SCENARIOS,
        label_schemas::SCENARIOS,
        domains::SCENARIOS,
        outside::SCENARIOS,
        resumed::SCENARIOS,
        overlaps::SCENARIOS,
        zeros::SCENARIOS,
        labels::SCENARIOS,
        filestores::SCENARIOS,
        consolidation::SCENARIOS,
        estimates::SCENARIOS,
        statistics::SCENARIOS,
        handles::SCENARIOS,
        rectangles::SCENARIOS,
        zipped::SCENARIOS,
        storage::SCENARIOS,
        deletes::SCENARIOS,
        states::SCENARIOS,
        deliveries::SCENARIOS,
        submits::SCENARIOS,
        parameters::SCENARIOS,
        contexts::SCENARIOS,
        passed_config::SCENARIOS,
        keys::SCENARIOS,
        paths::SCENARIOS,
        threads::SCENARIOS,
        budgets::SCENARIOS,
        buffer_sequences::SCENARIOS,
    ]
    .concat()
}

/// Before the end of a story that was not told to its end.
const DIED: &str = "the process";
/// Before the text of a refusal in a line of a story.
const TEXT: &str = " ~ ";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--play") => play(Path::new(&arguments[1]), &arguments[2]),
        Some("--list") => println!("kinds_of_cells: test"),
        Some("--scenarios") => scenarios().iter().for_each(|scenario| println!("{}", scenario.0)),
        _ => match library::reference() {
            None => println!("cells: skipped, the reference library is not installed; `make test` installs it"),
            Some(reference) => {
                let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
                std::process::exit(compare_all(&reference, filter.map(String::as_str)));
            }
        },
    }
}

/// Plays one scenario with one library where the process is, and prints its story.
fn play(library: &Path, name: &str) {
    let api = Api::open(library).unwrap();
    let folder = std::env::current_dir().unwrap();
    let (_, scenario) = scenarios().into_iter().find(|scenario| scenario.0 == name).unwrap();
    names::LIBRARY.get_or_init(|| library.to_owned());
    support::BEFORE_END.get_or_init(|| names::note);
    scenario(&mut World::new(&api, &Api::ours(), folder.to_str().unwrap()));
    println!("{}", names::line());
}

/// More of a processor's time than any scenario takes; the reference loops forever on some inputs.
const PATIENCE: Duration = Duration::from_secs(20);

/// The story of one scenario, played in a process and a folder of its own.
fn story(library: &Path, name: &str) -> Vec<String> {
    let folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    let mut player = Command::new(std::env::current_exe().unwrap())
        .current_dir(folder.path())
        .arg("--play")
        .arg(library)
        .arg(name)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = player.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        BufReader::new(output)
            .split(b'\n')
            .map_while(Result::ok)
            .map(|line| String::from_utf8_lossy(&line).into_owned())
            .collect()
    });
    let patience = CpuTimeout::new(player.id(), PATIENCE);
    let end = loop {
        match player.try_wait().unwrap() {
            Some(status) if status.success() => break None,
            Some(status) => break Some(format!("the process died: {status}")),
            None if patience.is_over() => {
                player.kill().unwrap();
                player.wait().unwrap();
                break Some("the process went on and on".to_owned());
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut lines: Vec<String> = reader.join().unwrap();
    lines.extend(end);
    lines
}

/// The reference dies now and then, mostly at its end: it may try three times.
fn story_of_reference(reference: &Path, name: &str) -> Vec<String> {
    let mut lines = story(reference, name);
    for _ in 0..2 {
        if lines.last().is_some_and(|line| line.starts_with(DIED)) {
            lines = story(reference, name);
        }
    }
    lines
}

fn compare_all(reference: &Path, filter: Option<&str>) -> i32 {
    let chosen: Vec<Scenario> =
        scenarios().into_iter().filter(|scenario| filter.is_none_or(|filter| scenario.0.contains(filter))).collect();
    let next = Mutex::new(chosen.iter());
    let (mut lines, mut failed) = (0, 0);
    let results = std::thread::scope(|scope| {
        let work = || {
            let mut results = Vec::new();
            while let Some((name, _)) = { next.lock().unwrap().next() } {
                results.push((*name, story(&library::ours(), name), story_of_reference(reference, name)));
            }
            results
        };
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    let (count, mut met) = (results.len(), Vec::new());
    let (mut our_names, mut their_names) = (BTreeSet::new(), BTreeSet::new());
    for (name, mut ours, mut theirs) in results {
        our_names.append(&mut names::take(&mut ours));
        their_names.append(&mut names::take(&mut theirs));
        lines += theirs.len();
        failed += usize::from(!compare(name, &ours, &theirs, &mut met));
    }
    if filter.is_none() {
        for fault in names::faults(&our_names, &their_names) {
            println!("FAILED: {fault}");
            failed += 1;
        }
        for text in texts::ALL.iter().filter(|text| !met.contains(text)) {
            println!("FAILED: nobody meets the accepted text {text:?}");
            failed += 1;
        }
    }
    println!("cells: {count} scenarios, {lines} lines of theirs compared, {} names counted", their_names.len());
    println!("{} passed, {failed} failed", count.saturating_sub(failed));
    i32::from(failed > 0 || count == 0)
}

/// True if both stories are the same but for texts of refusals that may differ, of which it takes note.
fn compare(name: &str, ours: &[String], theirs: &[String], met: &mut Vec<&'static texts::Text>) -> bool {
    let show = std::env::var_os("SHOW").is_some();
    let mut differences = 0;
    if let Some(end) = ours.last().filter(|line| line.starts_with(DIED)) {
        println!("FAILED {name}: ours: {end}");
        differences += 1;
    }
    for number in 0..ours.len().max(theirs.len()) {
        let (our, their) = (ours.get(number), theirs.get(number));
        if our == their || is_unsigned_fill(name, our, their) {
            if show {
                println!("{name}: {}", our.map_or("", String::as_str));
            }
            continue;
        }
        let text =
            our.zip(their).and_then(|(our, their)| texts::accepted(our.split_once(TEXT)?, their.split_once(TEXT)?));
        if let Some(text) = text {
            met.push(text);
            continue;
        }
        differences += 1;
        if differences <= 12 {
            let line =
                |line: Option<&String>| line.map_or("(nothing)".to_owned(), |line| line.chars().take(600).collect());
            println!("FAILED {name}, line {number}:\n   ours   {}\n   theirs {}", line(our), line(their));
        }
    }
    differences == 0
}

/// True if lines about fill values differ only by those of `TILEDB_CHAR` on aarch64, where the reference's characters have no
/// sign: the least one is 0, not 128.
fn is_unsigned_fill(name: &str, our: Option<&String>, their: Option<&String>) -> bool {
    let unsigned = |line: &String| line.replace("\\x80", "\\x00");
    cfg!(target_arch = "aarch64") && name.starts_with("fills_") && our.map(unsigned) == their.map(unsigned)
}
