//! Golden arrays: every array that the reference wrote is read through our C interface, and the results are compared
//! with those of the reference, query by query.
//!
//! `tests/golden/*.tar.gz` contain the arrays with their expected results. `reference_wrong.txt` lists results of the
//! reference that contradict its own data, with the reason and the correct value of each field; all other fields of
//! these queries must be as recorded. Where these are conditions on attributes that a fragment lacks, the model of
//! `condition_model.rs` must compute the same from the cells that the reference reads without a condition; conditions on
//! dimensions, which the reference does not evaluate in old arrays, are judged by that model alone. Arrays are read in a child
//! process, so that a crash of the library is a finding and does not end the test.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod condition_model;
mod group;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::golden::case::Case;
use support::{Api, folders};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--child") => child(&arguments[1], &arguments[2..]),
        Some("--list") => println!("golden_arrays: test"),
        _ => {
            let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
            std::process::exit(parent(filter.map(String::as_str)));
        }
    }
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Unpacks `tests/golden/VERSION.tar.gz` below a temporary folder.
fn unpack(version: &str, into: &Path) {
    let file = std::fs::File::open(golden().join(format!("{version}.tar.gz"))).unwrap();
    tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(into.join(version)).unwrap();
}

/// Reads the cases named on the command line and prints one line per result.
fn child(root: &str, cases: &[String]) {
    let api = Api::ours();
    for name in cases {
        let case = Case::load(&Path::new(root).join(name));
        println!("case {name}");
        let mut outcomes = case.check(&api, group::check);
        outcomes.extend(condition_model::check_dimensions(&case, &api, &outcomes));
        for (query, outcome) in outcomes {
            match condition_model::confirm(&case, &query, outcome) {
                Ok(()) => println!("green {name}/{query}"),
                Err(text) => println!("red {name}/{query} {}", text.replace('\n', " ")),
            }
        }
        println!("done {name}");
        std::io::stdout().flush().unwrap();
    }
}

/// The result of every query, by name: `None` is green.
type Results = BTreeMap<String, Option<String>>;

fn parent(filter: Option<&str>) -> i32 {
    let folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(golden()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(version) = name.strip_suffix(".tar.gz") else { continue };
        if filter.is_some_and(|filter| !filter.starts_with(version) && !version.contains(filter)) {
            continue;
        }
        unpack(version, folder.path());
        for case in std::fs::read_dir(folder.path().join(version)).unwrap() {
            cases.push(format!("{version}/{}", case.unwrap().file_name().into_string().unwrap()));
        }
    }
    cases.retain(|case| filter.is_none_or(|filter| case.contains(filter)));
    cases.sort();
    let results: Results = std::thread::scope(|scope| {
        let shards: Vec<_> = (0..2)
            .map(|shard| {
                let mine: Vec<String> = cases.iter().skip(shard).step_by(2).cloned().collect();
                let root = folder.path();
                scope.spawn(move || run(root, mine))
            })
            .collect();
        shards.into_iter().flat_map(|shard| shard.join().unwrap()).collect()
    });
    judge(&results, filter.is_none())
}

/// Runs cases in child processes; where one dies, its case is red and the next child goes on.
fn run(root: &Path, mut cases: Vec<String>) -> Results {
    let mut results = Results::new();
    while !cases.is_empty() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("--child")
            .arg(root)
            .args(&cases)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut open = None;
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            match line.split_once(' ').unwrap_or((&line, "")) {
                ("case", name) => open = Some(name.to_owned()),
                ("green", name) => _ = results.insert(name.to_owned(), None),
                ("red", rest) => {
                    let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
                    results.insert(name.to_owned(), Some(text.to_owned()));
                }
                ("done", name) => {
                    cases.retain(|case| case != name);
                    open = None;
                }
                _ => {}
            }
        }
        let mut complaint = String::new();
        let _ = child.stderr.take().unwrap().read_to_string(&mut complaint);
        let status = child.wait().unwrap();
        let Some(dead) = open.or_else(|| (!status.success()).then(|| cases[0].clone())) else { continue };
        for (query, _) in Case::load(&root.join(&dead)).queries() {
            let name = format!("{dead}/{query}");
            results.entry(name).or_insert_with(|| Some(format!("the process died: {status} {complaint}")));
        }
        results.insert(format!("{dead}/died"), Some(format!("the process died: {status} {complaint}")));
        cases.retain(|case| *case != dead);
    }
    results
}

/// The fields that were recorded wrongly, by query, as `name=what is right`.
fn recorded_wrongly() -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(golden().join("reference_wrong.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let words = lines.map(|line| line.split(' ').map(str::to_owned));
    words.map(|mut words| (words.next().unwrap(), words.collect())).collect()
}

/// Every query is as recorded, or differs in just the fields that were recorded wrongly.
fn judge(results: &Results, complete: bool) -> i32 {
    let wrong = recorded_wrongly();
    let green = results.values().filter(|outcome| outcome.is_none()).count();
    let is_right = |name: &String, text: &str| wrong.get(name).is_some_and(|fields| fields.join(" ") == text);
    let red: Vec<(&String, &String)> = results
        .iter()
        .filter_map(|(name, outcome)| Some((name, outcome.as_ref()?)))
        .filter(|(name, text)| !is_right(name, text))
        .collect();
    for (name, text) in red.iter().take(60) {
        println!("FAILED {name} {text}");
    }
    let is_stale = |name: &&String| results.get(*name).map_or(complete, Option::is_none);
    let stale: Vec<&String> = wrong.keys().filter(is_stale).collect();
    stale.iter().for_each(|name| println!("as recorded or gone, so take it out of reference_wrong.txt: {name}"));
    summary(results);
    let fields: usize = wrong.iter().filter(|(name, _)| results.contains_key(*name)).map(|(_, it)| it.len()).sum();
    println!("golden: {green} queries green, {fields} fields recorded wrongly, {} red", red.len());
    println!("{green} passed, {} failed", red.len() + stale.len());
    i32::from(!red.is_empty() || !stale.is_empty())
}

/// Prints the green and red queries per version.
fn summary(results: &Results) {
    let mut versions: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (name, outcome) in results {
        let count = versions.entry(name.split('/').next().unwrap_or_default()).or_default();
        if outcome.is_none() { count.0 += 1 } else { count.1 += 1 }
    }
    let line: Vec<String> = versions.iter().map(|(name, (green, red))| format!("{name} {green}+{red}")).collect();
    println!("green+not green by version: {}", line.join(", "));
}
