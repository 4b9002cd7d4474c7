//! Invalid pointers: every function of the C interface is called with every pointer argument invalid in every way. No
//! call may end in a signal, hang, accept an invalid argument, or leave an output pointer set after an error.
//!
//! The calls are made in child processes, which report each call before they make it. `TILEDB_MISUSE_LIBRARY` selects
//! another library (which is called only with null arguments and enum values out of range, as every library can handle
//! these), and `TILEDB_MISUSE_DUMP` a file for all outcomes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]
#![allow(unsafe_code, reason = "calls by address are what this test is about")]
#![allow(clippy::print_stderr, reason = "the child reports on its standard error")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use support::misuse::caller::{self, Library};
use support::misuse::cases::{Case, Function, Wrong, cases, functions, other_releases_functions, own_functions, run};
use support::misuse::world::World;

const START: &str = "TILEDB_MISUSE_START";
const LIBRARY: &str = "TILEDB_MISUSE_LIBRARY";
const DUMP: &str = "TILEDB_MISUSE_DUMP";
/// No call may take longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The names of the functions that are not written yet, from the sources.
fn pending() -> BTreeSet<String> {
    let output = Command::new("sh").arg(support::library::root().join("tools/pending.sh")).output().expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().filter_map(|line| line.strip_prefix("  ")).map(str::to_owned).collect()
}

/// The functions of libtiledb, and `with_own` those that only this library has.
fn all_functions(with_own: bool) -> Vec<Function> {
    let own = if with_own { [other_releases_functions(), own_functions()].concat() } else { Vec::new() };
    functions().into_iter().chain(own).collect()
}

/// The child: makes the calls from the given number on.
#[test]
fn child() {
    let Some(start) = std::env::var(START).ok().and_then(|start| start.parse().ok()) else { return };
    let foreign = std::env::var_os(LIBRARY);
    let path = foreign.as_ref().map_or_else(support::library::ours, Into::into);
    let library = Library::open(&path);
    if foreign.is_none() {
        lengthen_the_free_list(&library);
    }
    let mut number = 0usize;
    for function in all_functions(foreign.is_none()) {
        let cases: Vec<Case> = cases(&function)
            .into_iter()
            .filter(|case| foreign.is_none() || [Wrong::Nothing, Wrong::Null, Wrong::BeyondEnum].contains(&case.wrong))
            .collect();
        let mut worlds: Option<(World, World)> = None;
        for case in cases {
            number += 1;
            if number <= start {
                continue;
            }
            let (world, freed) = worlds.get_or_insert_with(|| make_worlds(&library, foreign.is_none()));
            eprintln!("@> {number}\t{}\t{}\t{:?}", function.name, parameter(&function, case), case.wrong);
            let outcome = run(&library, &function, case, world, freed);
            eprintln!("@< {}\t{}\t{}", outcome.code, outcome.text, outcome.dirty.join(","));
            if ["free", "close", "finish", "finalize", "set_"].iter().any(|part| function.name.contains(part)) {
                retire(&library, worlds.take(), foreign.is_none());
            }
        }
        retire(&library, worlds, foreign.is_none());
    }
    eprintln!("@.");
}

fn parameter(function: &Function, case: Case) -> &str {
    match (case.wrong, function.parameters.get(case.argument)) {
        (Wrong::Nothing, _) | (_, None) => "-",
        (_, Some(parameter)) => &parameter.name,
    }
}

fn make_worlds(library: &Library, with_freed: bool) -> (World, World) {
    let freed = World::new(library);
    if with_freed {
        freed.free(library);
    }
    (World::new(library), freed)
}

fn retire(library: &Library, worlds: Option<(World, World)>, frees: bool) {
    if let Some((world, _)) = worlds.filter(|_| frees) {
        world.free(library);
    }
}

/// Freed slots are reused last: with many of them a freed handle stays freed for a while.
fn lengthen_the_free_list(library: &Library) {
    let places: Vec<u64> = (0..4096).map(|_| caller::slot()).collect();
    for place in &places {
        library.call("tiledb_config_alloc", &[*place, caller::slot()]);
    }
    for place in &places {
        library.call("tiledb_config_free", &[*place]);
    }
}

/// One call as the child told it.
struct Call {
    function: String,
    parameter: String,
    wrong: String,
    /// Code, text, outputs left set; nothing if the child ended or hung in it.
    outcome: Option<(i32, String, String)>,
}

/// Runs children until all calls are made.
fn all_calls() -> Vec<Call> {
    let directory = tempfile::tempdir().expect("a directory");
    let mut calls: Vec<Call> = Vec::new();
    let mut start = 0;
    loop {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "child", "--nocapture", "--test-threads=1"])
            .env(START, start.to_string())
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a child");
        let pipe = BufReader::new(child.stderr.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in pipe.split(b'\n').map_while(Result::ok) {
                let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
            }
        });
        let mut ended = false;
        while let Ok(line) = lines.recv_timeout(PATIENCE) {
            if let Some(rest) = line.strip_prefix("@> ") {
                let mut parts = rest.split('\t').map(str::to_owned);
                start = parts.next().and_then(|number| number.parse().ok()).expect("a number");
                let mut next = || parts.next().expect("a part");
                calls.push(Call { function: next(), parameter: next(), wrong: next(), outcome: None });
            } else if let Some(rest) = line.strip_prefix("@< ") {
                let parts: Vec<&str> = rest.split('\t').collect();
                let outcome = (parts[0].parse().expect("a code"), parts[1].to_owned(), parts[2].to_owned());
                calls.last_mut().expect("a call").outcome = Some(outcome);
            } else if line == "@." {
                ended = true;
            }
        }
        let _ = child.kill();
        let _ = child.wait();
        if ended {
            return calls;
        }
        // What died outside a call died in making the handles for the next one.
        if calls.last().is_none_or(|call| call.outcome.is_some()) {
            start += 1;
            calls.push(Call {
                function: format!("(before call {start})"),
                parameter: "-".into(),
                wrong: "-".into(),
                outcome: None,
            });
        }
    }
}

/// Calls that may succeed although an argument looks wrong: function, parameter and how it is wrong.
fn allowed() -> BTreeSet<[String; 3]> {
    let path = support::library::root().join("capi-tests/abi/legal.tsv");
    let text = std::fs::read_to_string(&path).expect("the list of what is legal");
    let row = |line: &str| {
        let mut parts = line.split('\t').map(str::to_owned);
        std::array::from_fn(|_| parts.next().expect("function, parameter, wrong, reason"))
    };
    text.lines().skip(1).map(row).collect()
}

/// What is wrong with the outcome of a call, if anything.
fn fault(call: &Call, returns_code: bool, allowed: bool) -> Option<&'static str> {
    let Some((code, text, dirty)) = &call.outcome else { return Some("ended the process or hung") };
    if text.contains("internal error") {
        return Some("panicked");
    }
    if !dirty.is_empty() {
        return Some("left an output pointer set after an error");
    }
    let is_wrong = !["Nothing", "NotUtf8", "BeyondIndex"].contains(&call.wrong.as_str());
    (is_wrong && returns_code && *code == 0 && !allowed).then_some("succeeded")
}

#[test]
fn invalid_calls_fail_without_crash_or_hang() {
    if std::env::var_os(START).is_some() {
        return;
    }
    let calls = all_calls();
    if let Some(path) = std::env::var_os(DUMP) {
        let line = |call: &Call| {
            let (code, text, _) = call.outcome.clone().unwrap_or((-99, "(died)".into(), String::new()));
            format!("{}\t{}\t{}\t{code}\t{text}\n", call.function, call.parameter, call.wrong)
        };
        std::fs::write(path, calls.iter().map(line).collect::<String>()).expect("a written file");
    }
    if std::env::var_os(LIBRARY).is_some() {
        return;
    }
    let (pending, allowed) = (pending(), allowed());
    let with_code: BTreeSet<String> =
        all_functions(true).into_iter().filter(|f| f.returns_code).map(|f| f.name).collect();
    let mut faults = Vec::new();
    let (mut written, mut unwritten) = ((0, BTreeSet::new()), (0, BTreeSet::new()));
    for call in &calls {
        let is_pending = pending.contains(&call.function);
        let count = if is_pending { &mut unwritten } else { &mut written };
        count.0 += 1;
        count.1.insert(&call.function);
        let legal =
            is_pending || allowed.contains(&[call.function.clone(), call.parameter.clone(), call.wrong.clone()]);
        if let Some(fault) = fault(call, with_code.contains(&call.function), legal) {
            let text = call.outcome.as_ref().map_or("", |(_, text, _)| text);
            faults.push(format!("{} {} {}: {fault} {text}", call.function, call.parameter, call.wrong));
        }
    }
    // Past the capture of the test's output: the figures are wanted when all is well, too.
    let _ = writeln!(
        std::io::stderr(),
        "{} calls of {} functions; {} calls of {} functions that are not written yet",
        written.0,
        written.1.len(),
        unwritten.0,
        unwritten.1.len()
    );
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
