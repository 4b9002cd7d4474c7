//! Fault injection for file-system calls: each call of an operation is rejected, truncated or interrupted by a tracer.
//! The operation must succeed, or return an error that names the file and the cause. Then it can be repeated in the
//! same process, no file descriptor is leaked, and both libraries see the state before or the state after the
//! operation. What creates arrays, groups or schemas leaves the same files as before.
//!
//! `cargo test --test fault_injection -- evolve` runs one operation; `POINTS=1000` sets the maximum number of calls and
//! faults per operation; `SHOW=1` prints each outcome.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod fault;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use fault::{Fault, Injector, OVER, faults};
use support::operations::extra_operations::{Trial, trials};
use support::operations::observer::{self, Observer, lookers};
use support::operations::{Place, snapshot};
use support::trace::{self, Act};
use support::{Api, Ctx, folders};

/// Faults of each operation, unless `POINTS` says how many.
const FEW: usize = 6;
/// Seconds after which an operation hangs.
const PATIENCE: u32 = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize| arguments.get(at).map_or("", String::as_str);
    match word(0) {
        "--list" => println!("calls_that_fail: test"),
        "--prepare" => {
            let api = Api::ours();
            let ctx = api.context(&[]);
            (Trial::find(word(1)).operation.prepare)(&Place::new(&ctx, word(2))).unwrap();
        }
        "--run" => run(word(1), word(2), word(3)),
        observer::ARGUMENT => observer::serve(snapshot::look),
        _ => sweep(arguments.iter().find(|argument| !argument.starts_with('-')).map_or("", String::as_str)),
    }
}

fn this() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// Does an operation and tells how it went; where it fails, puts a copy of what it left into a folder, if one is given,
/// and does it again.
fn run(name: &str, folder: &str, left: &str) {
    support::limits::limit_time(PATIENCE);
    let api = Api::ours();
    // With the most calls.
    let ctx = api.context(&[("vfs.file.sync_directories", "true")]);
    let trial = Trial::find(name);
    let before = open_files();
    let done = attempt(&trial, &ctx, folder);
    let opened = open_files() - before;
    if !left.is_empty() {
        let _ = Path::new(folder).join(OVER).exists();
    }
    println!("first {}\nopen {opened}", outcome_line(&done));
    if done.is_ok() || left.is_empty() {
        return;
    }
    folders::copy(Path::new(folder), Path::new(left));
    println!("again {}\nopen {}", outcome_line(&attempt(&trial, &ctx, folder)), open_files() - before);
}

fn attempt(trial: &Trial, ctx: &Ctx<'_>, folder: &str) -> Result<String, String> {
    trial
        .run(&Place::new(ctx, folder), snapshot::look)
        .map_err(|failure| format!("{}: {}", failure.function, failure.text))
}

fn outcome_line(done: &Result<String, String>) -> String {
    match done {
        Ok(snapshot) => format!("done {snapshot}"),
        Err(text) => format!("failed {}", text.replace('\n', " ")),
    }
}

fn open_files() -> isize {
    std::fs::read_dir("/proc/self/fd").unwrap().count() as isize
}

fn sweep(filter: &str) {
    if !trace::changes_calls() {
        return println!("faults: skipped, calls cannot be changed on this machine");
    }
    let folder = tempfile::tempdir().unwrap();
    let points = std::env::var("POINTS").ok().and_then(|points| points.parse().ok()).unwrap_or(FEW);
    let mut figures = Figures::default();
    let mut lookers = lookers();
    for trial in trials().iter().filter(|trial| trial.operation.name.contains(filter)) {
        let place = folder.path().join(trial.operation.name);
        if let Err(error) = fail(trial, &place, points, &mut lookers, &mut figures) {
            return println!("faults: skipped, processes cannot be traced here ({error})");
        }
        std::fs::remove_dir_all(&place).unwrap();
    }
    let Figures { borne, refused, wrong } = figures;
    println!("faults: {} faults, {borne} borne, {refused} refused, {wrong} wrong", borne + refused + wrong);
    assert_eq!(wrong, 0, "faults went wrong");
}

/// What faults came to.
#[derive(Default)]
struct Figures {
    /// The operation was done nevertheless.
    borne: usize,
    /// It gave an error.
    refused: usize,
    wrong: usize,
}

/// What all libraries see in a folder.
fn look(lookers: &mut [Observer], folder: &Path) -> Vec<String> {
    lookers.iter_mut().map(|looker| looker.look(folder)).collect()
}

/// Lets calls of an operation fail.
fn fail(
    trial: &Trial,
    folder: &Path,
    points: usize,
    lookers: &mut [Observer],
    figures: &mut Figures,
) -> Result<(), String> {
    let name = trial.operation.name;
    let prepared = folder.join("prepared");
    std::fs::create_dir_all(&prepared).unwrap();
    let output = this().arg("--prepare").arg(name).arg(&prepared).output().unwrap();
    assert!(output.status.success(), "{name} is not prepared: {}", String::from_utf8_lossy(&output.stderr));
    // Always at the same place: what is stored may name it.
    let work = folder.join("work");
    let left = folder.join("left");
    let begin = || {
        let _ = std::fs::remove_dir_all(&left);
        let _ = std::fs::remove_dir_all(&work);
        folders::copy(&prepared, &work);
    };
    begin();
    let before = look(lookers, &work);
    let mut moments = Vec::new();
    let mut calls = 0;
    let whole = trace::run(this().arg("--run").arg(name).arg(&work), &work, &mut |call| {
        moments.extend(faults(call).into_iter().map(|fault| (calls, fault)));
        calls += 1;
        Act::Go
    })?;
    let after = look(lookers, &work);
    let paths = folders::paths(&prepared);
    let expected = Expected { trial, paths, done: line(&whole.output, "first", 0).to_owned(), before, after };
    assert!(whole.status.success() && expected.done.starts_with("done"), "{name}: {} {}", whole.status, whole.output);
    let step = moments.len().div_ceil(points.max(1)).max(1);
    // Offset, so that different operations do not all fail at the first call.
    let chosen: Vec<(usize, Fault)> = moments.iter().copied().skip(name.len() % step).step_by(step).collect();
    for &(call, fault) in &chosen {
        begin();
        let mut injector = Injector::new(call, fault);
        let mut command = this();
        command.arg("--run").arg(name).arg(&work).arg(&left);
        let run = trace::run(&mut command, &work, &mut |call| injector.watch(call))?;
        let snapshots = [&left, &work].map(|folder| if folder.exists() { look(lookers, folder) } else { Vec::new() });
        let judged = expected.judge(&injector, &run, (&folders::paths(&left), &snapshots), &work);
        if std::env::var_os("SHOW").is_some() || judged.is_err() {
            let about = format!("{name} {fault:?} of {:?} (call {call} of {calls})", injector.met.first());
            println!("{} {about}: {}", if judged.is_err() { "FAILED" } else { "" }, line(&run.output, "first", 0));
            if let Err(why) = &judged {
                println!("  {why}");
            }
        }
        match judged {
            Ok(true) => figures.borne += 1,
            Ok(false) => figures.refused += 1,
            Err(_) => figures.wrong += 1,
        }
    }
    println!("{name}: {} of {} faults in {calls} calls", chosen.len(), moments.len());
    Ok(())
}

/// The words behind a key in the output of a run.
fn line<'a>(output: &'a str, key: &str, number: usize) -> &'a str {
    let mut lines = output.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    lines.nth(number).unwrap_or("")
}

/// What is right for an operation.
struct Expected<'a> {
    trial: &'a Trial,
    /// Paths of all files and folders before.
    paths: BTreeSet<PathBuf>,
    done: String,
    before: Vec<String>,
    after: Vec<String>,
}

impl Expected<'_> {
    /// Whether a fault was borne, or what is wrong with what it came to. The snapshots are what was left by a failure, and the
    /// end.
    fn judge(
        &self,
        injector: &Injector,
        run: &trace::Run,
        (paths, [left, end]): (&BTreeSet<PathBuf>, &[Vec<String>; 2]),
        work: &Path,
    ) -> Result<bool, String> {
        let first = line(&run.output, "first", 0);
        if !run.status.success() || first.is_empty() {
            return Err(format!("the process ended with {}: {}", run.status, run.output));
        }
        if run.output.lines().any(|line| line.starts_with("open ") && line != "open 0") {
            return Err(format!("files are left open: {}", run.output.replace('\n', "; ")));
        }
        if !first.starts_with("failed") {
            return match first == self.done && *end == self.after {
                true => Ok(true),
                false => Err(format!("what should be done is not: {first}, {end:?}")),
            };
        }
        if injector.fault.must_be_borne() {
            return Err("this is no failure".to_owned());
        }
        if !injector.is_named_in(first, work) {
            return Err("the error does not name the file".to_owned());
        }
        if !first.contains(&injector.fault.cause()) {
            return Err(format!("the error does not name the cause: {}", injector.fault.cause()));
        }
        if self.trial.is_undone && !matches!(injector.fault, Fault::Onwards(_)) && *paths != self.paths {
            return Err(format!("other files are left than there were: {paths:?}"));
        }
        if self.trial.whole && *left != self.before && *left != self.after {
            return Err(format!("neither before nor after: {left:?}"));
        }
        let again = line(&run.output, "again", 0);
        // Of several steps all that counts may be done; and what fails for good cannot be taken back.
        let may_be_done = !self.trial.whole || matches!(injector.fault, Fault::Onwards(_));
        if again != self.done && !(may_be_done && *left == self.after) {
            return Err(format!("it cannot be done again: {again}"));
        }
        match *end == self.after {
            true => Ok(false),
            false => Err(format!("done again, it is not as it should be: {end:?}")),
        }
    }
}
