//! Crash consistency: an operation that is killed at any moment has happened entirely or not at all. Processes that
//! modify an array or a group are killed at calls that modify files, and in the middle of writes. Afterwards both
//! libraries must see the state before the operation, or the state after an uninterrupted one; the latter once the
//! operation has returned. An operation that did not happen can be repeated.
//!
//! Maintainers are also suspended at their calls, while others take over their leases ([`suspended`]), and other operations while
//! related ones are done ([`overtaken`]).
//!
//! `cargo test --test crash_consistency -- evolve` kills one operation; `POINTS=1000` sets the maximum number of
//! moments at which each is killed, `SUSPEND=all` suspends processes at all calls, and `SCALE=10` enlarges the arrays to be
//! vacuumed.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod overtaken;
mod suspended;

use std::path::Path;
use std::process::Command;

use support::operations::observer::{self, Observer, lookers};
use support::operations::{self, Done, OPERATIONS, Operation, Place, snapshot};
use support::trace::{self, Act, Kind};
use support::{Api, folders};

/// Moments at which each operation is killed, unless `POINTS` says how many.
const FEW: usize = 3;

/// Calls at which each process is suspended, unless `SUSPEND` says how many, or `all`.
const SUSPENDED: usize = 24;

/// Where to kill: at the call of this number, from 0, before it is done; or, of a write, when half of it is done.
#[derive(Clone, Copy, Debug)]
struct Point {
    call: usize,
    half: bool,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize| arguments.get(at).map_or("", String::as_str);
    match word(0) {
        "--list" => println!("killed_at_any_moment: test"),
        "--prepare" => operations::with(&Api::ours(), word(2), find(word(1)).prepare).unwrap(),
        "--run" => run(word(2), find(word(1)).run),
        "--attempt" => run(word(2), |place| place.attempt_to_maintain().map(drop)),
        observer::ARGUMENT => observer::serve(snapshot::look),
        _ => sweep(arguments.iter().find(|argument| !argument.starts_with('-')).map_or("", String::as_str)),
    }
}

/// Runs an operation, and prints why it failed.
fn run(folder: &str, run: fn(&Place<'_>) -> Done) {
    if let Err(failure) = operations::with(&Api::ours(), folder, run) {
        println!("{failure:?}");
        std::process::exit(1);
    }
}

fn find(name: &str) -> &'static Operation {
    OPERATIONS.iter().chain(&overtaken::OPERATIONS).find(|operation| operation.name == name).unwrap()
}

fn this() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

fn sweep(filter: &str) {
    let folder = tempfile::tempdir().unwrap();
    let points = std::env::var("POINTS").ok().and_then(|points| points.parse().ok()).unwrap_or(FEW);
    let (mut all, mut failed, mut lookers) = (0, 0, lookers());
    for operation in OPERATIONS.iter().filter(|operation| operation.name.contains(filter)) {
        match kill(operation.name, &folder.path().join(operation.name), points, &mut lookers) {
            Ok((killed, wrong)) => {
                all += killed;
                failed += wrong;
            }
            Err(error) => return println!("kill: skipped, processes cannot be traced here ({error})"),
        }
    }
    println!("kill: {all} points, {failed} wrong");
    assert_eq!(failed, 0, "operations left something in between");
    let points = match std::env::var("SUSPEND").as_deref() {
        Ok("all") => None,
        how => Some(how.ok().and_then(|points| points.parse().ok()).unwrap_or(SUSPENDED)),
    };
    for (what, stopped) in [
        ("suspended maintainers", suspended::sweep(folder.path(), points, filter)),
        ("processes that others overtook", overtaken::sweep(folder.path(), points, filter)),
    ] {
        match stopped {
            Ok((all, failed)) => {
                println!("{what}: {all} points, {failed} wrong");
                assert_eq!(failed, 0, "{what} changed what readers see");
            }
            Err(error) => println!("{what}: skipped, processes cannot be traced here ({error})"),
        }
    }
}

/// Kills an operation at some of its moments; how many these were, and how many went wrong.
fn kill(name: &str, folder: &Path, points: usize, lookers: &mut [Observer]) -> Result<(usize, usize), String> {
    let prepared = folder.join("prepared");
    std::fs::create_dir_all(&prepared).unwrap();
    assert!(
        this().arg("--prepare").arg(name).arg(&prepared).output().unwrap().status.success(),
        "{name} is not prepared"
    );
    let mut look = |folder: &Path| lookers.iter_mut().map(|looker| looker.look(folder)).collect::<Vec<_>>();
    let before = look(&prepared);
    let mut play = |number: usize, point: Option<Point>| {
        let work = folder.join(number.to_string());
        folders::copy(&prepared, &work);
        let mut writes = Vec::new();
        let run = trace::run(this().arg("--run").arg(name).arg(&work), &work, &mut |call| {
            if !call.changes_files() {
                return Act::Go;
            }
            writes.push(call.kind == Kind::Write && call.can_be_halved());
            match point {
                Some(Point { call, half }) if call + 1 == writes.len() => {
                    if half {
                        Act::HalfThenKill
                    } else {
                        Act::Kill
                    }
                }
                _ => Act::Go,
            }
        })?;
        let snapshot = look(&work);
        let again = (snapshot == before).then(|| {
            let ended = this().arg("--run").arg(name).arg(&work).output().unwrap().status.success();
            if ended { look(&work) } else { vec!["it cannot be done again".to_owned()] }
        });
        std::fs::remove_dir_all(&work).unwrap();
        Ok::<_, String>((run, writes, snapshot, again))
    };
    let (whole, writes, after, _) = play(0, None)?;
    assert!(whole.output.contains("committed"), "{name} did not succeed");
    let moments = writes.iter().enumerate().flat_map(|(call, &is_write)| {
        [Some(Point { call, half: false }), is_write.then_some(Point { call, half: true })].into_iter().flatten()
    });
    let moments: Vec<Point> = moments.collect();
    assert!(!moments.is_empty(), "{name} changes no file");
    let step = moments.len().div_ceil(points.max(1)).max(1);
    let mut wrong = 0;
    // Offset, so that different operations are not all killed at the first call.
    let chosen: Vec<Point> = moments.iter().copied().skip(name.len() % step).step_by(step).collect();
    for (number, &point) in chosen.iter().enumerate() {
        let (run, _, snapshot, again) = play(number + 1, Some(point))?;
        let is_done = run.output.contains("committed") || !run.was_killed;
        let is_repeatable = again.as_ref().is_none_or(|again| *again == after);
        let is_right = match before == after {
            // Cells do not change, so that it can only be seen whether it can be repeated.
            true => snapshot == after && is_repeatable,
            false => snapshot == after || !is_done && snapshot == before && again.is_some() && is_repeatable,
        };
        if !is_right {
            wrong += 1;
            println!("FAILED {name} at {point:?} of {}: {snapshot:?}, done again {again:?}", moments.len());
        }
    }
    println!("{name}: {} of {} moments, {wrong} wrong", chosen.len(), moments.len());
    Ok((chosen.len(), wrong))
}
