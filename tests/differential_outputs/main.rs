//! Output parameters after errors: every function is called with one invalid argument, and in unexpected states, on our
//! library and on the reference. Error codes must be equal, and so must the effect on every output variable: unchanged,
//! set to null or zero, or set.
//!
//! `cargo test --test differential_outputs -- array_schema` calls the functions whose names contain `array_schema`;
//! `SHOW=1` prints all outcomes. `tests/differential_outputs/deaths.txt` lists the calls that crash the reference
//! (`BLESS=1` updates it), `tests/differential_outputs/accepted.rs` the differences where the reference is wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]
#![allow(unsafe_code, reason = "calls by address are what this test is about")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tells its figures; the child reports")]

mod accepted;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use support::library;
use support::misuse::caller::{self, Library, read};
use support::misuse::cases::{Case, Function, Sort, Wrong, argument, cases, functions, sort};
use support::misuse::world::World;
use support::tables::Parameter;

/// No call may take longer.
const PATIENCE: Duration = Duration::from_secs(20);
/// What output variables hold before a call.
const MARK: u64 = 0x5a5a_5a5a_5a5a_5a5a;
/// The states of the objects that functions are called with.
const STATES: [&str; 3] = ["ready", "loaded", "closed"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filter = arguments.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
    match arguments.first().map(String::as_str) {
        Some("--call") => call_all(Path::new(&arguments[1]), arguments[2].parse().unwrap(), &arguments[3]),
        Some("--list") => println!("outputs_after_failures: test"),
        _ => match library::reference() {
            None => println!("outputs: skipped, the reference library is not installed; `make test` installs it"),
            Some(reference) => std::process::exit(compare(&reference, filter.unwrap_or_default())),
        },
    }
}

/// The child: makes the calls after the given number, and tells each before and after it.
fn call_all(path: &Path, start: usize, filter: &str) {
    let library = Library::open(path);
    let mut number = 0;
    let root = std::env::current_dir().unwrap();
    for function in functions().into_iter().filter(|function| function.name.contains(filter)) {
        // What one function does to files is nothing to the next.
        let here = root.join(&function.name);
        std::fs::create_dir_all(&here).unwrap();
        std::env::set_current_dir(&here).unwrap();
        for state in STATES {
            let mut world = None;
            let changes =
                ["free", "close", "finish", "finalize", "set_"].iter().any(|part| function.name.contains(part));
            for case in cases(&function).into_iter().filter(is_comparable) {
                number += 1;
                if number <= start {
                    continue;
                }
                let call = format!("{}\t{state}\t{}\t{:?}", function.name, parameter(&function, case), case.wrong);
                println!("\n> {number}\t{call}");
                let here = world.get_or_insert_with(|| world_in(&library, state));
                println!("\n< {}", outcome(&library, &function, case, here));
                // A call that succeeds may have changed what it was called with.
                world = world.filter(|_| !changes && case.wrong != Wrong::Nothing);
            }
        }
    }
    println!("\n.");
    // What was made is not freed: the reference may die of it.
    std::process::exit(0);
}

fn deaths_path() -> PathBuf {
    library::root().join("tests/differential_outputs/deaths.txt")
}

/// The calls that the reference dies of.
fn deaths() -> BTreeSet<String> {
    std::fs::read_to_string(deaths_path()).unwrap().lines().map(str::to_owned).collect()
}

/// Mistakes that every library can answer.
fn is_comparable(case: &Case) -> bool {
    [Wrong::Nothing, Wrong::Null, Wrong::Local, Wrong::BeyondEnum, Wrong::BeyondIndex].contains(&case.wrong)
}

/// The handles, after what can be loaded was loaded, or what can be closed was closed.
fn world_in(library: &Library, state: &str) -> World {
    let world = World::new(library);
    let calls: &[(&str, &str)] = match state {
        "loaded" => &[("tiledb_fragment_info_load", "tiledb_fragment_info_t")],
        "closed" => &[
            ("tiledb_array_close", "tiledb_array_t"),
            ("tiledb_group_close", "tiledb_group_t"),
            ("tiledb_vfs_close", "tiledb_vfs_fh_t"),
        ],
        _ => &[],
    };
    for (function, kind) in calls {
        library.call(function, &[world.get("tiledb_ctx_t"), world.get(kind)]);
    }
    world
}

fn parameter(function: &Function, case: Case) -> &str {
    match (case.wrong, function.parameters.get(case.argument)) {
        (Wrong::Nothing, _) | (_, None) => "-",
        (_, Some(parameter)) => &parameter.name,
    }
}

/// True for a variable that a function may set.
fn is_output(function: &Function, parameter: &Parameter) -> bool {
    let fills_in = parameter.kind.starts_with("tiledb_range_t") && function.name.contains("_set_");
    match sort(parameter) {
        Sort::HandlePlace(_) => !function.name.ends_with("_free"),
        Sort::PointerPlace => !function.name.ends_with("_free_str") && parameter.name != "fragment_uris",
        Sort::Memory => !parameter.kind.starts_with("const") && !fills_in,
        _ => false,
    }
}

/// Makes one call, and tells its code and what became of its outputs.
fn outcome(library: &Library, function: &Function, case: Case, world: &World) -> String {
    let mut arguments = Vec::new();
    for (number, parameter) in function.parameters.iter().enumerate() {
        let wrong = if number == case.argument { case.wrong } else { Wrong::Nothing };
        let argument = argument(function, parameter, wrong, world, world);
        if argument != 0 && is_output(function, parameter) {
            caller::write(argument, MARK);
        }
        arguments.push(argument);
    }
    let code = library.call(&function.name, &arguments) as i32;
    let code = if function.returns_code { code.to_string() } else { "-".to_owned() };
    let mut outcome = vec![code];
    for (parameter, &argument) in function.parameters.iter().zip(&arguments) {
        if argument != 0 && is_output(function, parameter) {
            let became = match read(argument) {
                MARK => "kept",
                0 => "zero",
                // A number of 32 bits or less.
                value if value >> 32 == MARK >> 32 && value as u32 == 0 => "zero",
                value if value >> 8 == MARK >> 8 && value as u8 == 0 => "zero",
                _ => "set",
            };
            outcome.push(format!("{}={became}", parameter.name));
        }
    }
    let error = function.parameters.iter().position(|parameter| parameter.kind == "tiledb_error_t **");
    let error = error.map_or(0, |error| arguments[error]);
    let failed = function.returns_code && outcome[0] != "0";
    let text = if failed { text_of(library, world, error) } else { String::new() };
    format!("{}\t{text}", outcome.join(" "))
}

/// The text of an error that was given out, or the last one of the context.
fn text_of(library: &Library, world: &World, error: u64) -> String {
    let (place, text) = (if error == 0 { caller::slot() } else { error }, caller::slot());
    if error == 0 {
        library.call("tiledb_ctx_get_last_error", &[world.get("tiledb_ctx_t"), place]);
    }
    if ![0, MARK].contains(&read(place)) {
        library.call("tiledb_error_message", &[read(place), text]);
    }
    caller::text_at(read(text)).replace(['\n', '\t'], " ")
}

/// What the calls came to, by call; nothing where the process died or hung.
type Outcomes = BTreeMap<String, Option<String>>;

fn outcomes(path: &Path, filter: &str) -> Outcomes {
    let directory = tempfile::tempdir().unwrap();
    let (mut outcomes, mut start) = (Outcomes::new(), 0);
    let mut last = String::new();
    loop {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("--call")
            .arg(path)
            .args([&start.to_string(), filter])
            .current_dir(directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pipe = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in pipe.split(b'\n').map_while(Result::ok) {
                let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
            }
        });
        let (begun, mut ended) = (start, false);
        while let Ok(line) = lines.recv_timeout(PATIENCE) {
            if let Some(call) = line.strip_prefix("> ") {
                let (number, call) = call.split_once('\t').unwrap();
                start = number.parse().unwrap();
                last = call.to_owned();
                outcomes.insert(last.clone(), None);
            } else if let Some(outcome) = line.strip_prefix("< ") {
                outcomes.insert(last.clone(), Some(outcome.to_owned()));
            } else if line == "." {
                ended = true;
            }
        }
        let _ = child.kill();
        let _ = child.wait();
        if ended {
            return outcomes;
        }
        // What died before its first call would do so again.
        start += usize::from(start == begun);
    }
}

/// Code and outputs, without the text.
fn essence(outcome: &str) -> &str {
    outcome.split_once('\t').map_or(outcome, |(essence, _)| essence)
}

fn compare(reference: &Path, filter: &str) -> i32 {
    let [show, bless] = ["SHOW", "BLESS"].map(|name| std::env::var_os(name).is_some());
    let (ours, theirs) = std::thread::scope(|scope| {
        let theirs = scope.spawn(|| outcomes(reference, filter));
        (outcomes(&library::ours(), filter), theirs.join().unwrap())
    });
    let known = deaths();
    let (mut equal, mut died, mut accepted, mut failed) = (0, BTreeSet::new(), 0, 0);
    let mut names = BTreeSet::new();
    for (call, their) in &theirs {
        names.insert(call.split('\t').next().unwrap());
        let our = ours.get(call).cloned().flatten();
        match (our, their) {
            (Some(_), None) => {
                died.insert(call.clone());
                if !bless && !known.contains(call) {
                    println!("note: the reference dies of {call}");
                }
            }
            (Some(our), Some(their)) if essence(&our) == essence(their) => {
                equal += 1;
                if show {
                    println!("{call}\t{our}");
                }
            }
            (Some(_), Some(_)) if accepted::reason(call).is_some() => accepted += 1,
            (our, their) => {
                failed += 1;
                let tell = |outcome: Option<&str>| outcome.unwrap_or("died").to_owned();
                println!("FAILED {call}\n   ours   {}\n   theirs {}", tell(our.as_deref()), tell(their.as_deref()));
            }
        }
    }
    println!(
        "outputs: {} functions, {} calls, {equal} equal, {accepted} where the reference is wrong, {} that it dies of",
        names.len(),
        theirs.len(),
        died.len()
    );
    if bless && filter.is_empty() {
        std::fs::write(deaths_path(), died.iter().map(|call| format!("{call}\n")).collect::<String>()).unwrap();
    }
    i32::from(failed > 0 || theirs.is_empty())
}
