//! Killed at any moment, an operation has happened or it has not: processes that change an array or a group are killed
//! at calls that change files, and in the middle of writes; afterwards our library and the reference must see what was
//! there before or what is there when nothing is killed, and the latter once the operation said that it was done. What
//! did not happen can be done again.
//!
//! `cargo test --test kill -- evolve` kills one operation; `POINTS=1000` kills each at up to so many moments instead
//! of a few, and `SCALE=10` gives it more to vacuum.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

#[path = "kill/look.rs"]
mod look;
#[path = "kill/operations.rs"]
mod operations;
mod support;
#[path = "kill/tracer.rs"]
mod tracer;

use std::path::Path;
use std::process::Command;

use operations::OPERATIONS;
use support::{Api, library};
use tracer::Point;

/// Moments at which each operation is killed, unless `POINTS` says how many.
const FEW: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize| arguments.get(at).map_or("", String::as_str);
    match word(0) {
        "--list" => println!("killed_at_any_moment: test"),
        "--prepare" => operations::prepare(word(1), word(2)),
        "--run" => operations::run(word(1), word(2)),
        "--look" => {
            let api = Api::open(Path::new(word(1))).unwrap();
            match operations::with(&api, word(2), look::look) {
                Ok(seen) => println!("{seen}"),
                Err(failure) => println!("{}: {}", failure.function, failure.text),
            }
        }
        _ => sweep(arguments.iter().find(|argument| !argument.starts_with('-')).map_or("", String::as_str)),
    }
}

fn this() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// What a library sees in a folder.
fn seen_by(library: &Path, folder: &Path) -> String {
    let output = this().arg("--look").arg(library).arg(folder).output().unwrap();
    let died = if output.status.success() { String::new() } else { format!(" {}", output.status) };
    format!("{}{died}", String::from_utf8_lossy(&output.stdout).trim())
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}

fn sweep(wanted: &str) {
    let folder = tempfile::tempdir().unwrap();
    let points = std::env::var("POINTS").ok().and_then(|points| points.parse().ok()).unwrap_or(FEW);
    let (mut all, mut failed) = (0, 0);
    for operation in OPERATIONS.iter().filter(|operation| operation.name.contains(wanted)) {
        match kill(operation.name, &folder.path().join(operation.name), points) {
            Ok((killed, wrong)) => {
                all += killed;
                failed += wrong;
            }
            Err(error) => return println!("kill: skipped, processes cannot be traced here ({error})"),
        }
    }
    println!("kill: {all} points, {failed} wrong");
    assert_eq!(failed, 0, "operations left something in between");
}

/// Kills an operation at some of its moments; how many these were, and how many went wrong.
fn kill(name: &str, folder: &Path, points: usize) -> Result<(usize, usize), String> {
    let libraries: Vec<_> = [Some(library::ours()), library::reference()].into_iter().flatten().collect();
    let prepared = folder.join("prepared");
    std::fs::create_dir_all(&prepared).unwrap();
    assert!(
        this().arg("--prepare").arg(name).arg(&prepared).output().unwrap().status.success(),
        "{name} is not prepared"
    );
    let look = |folder: &Path| libraries.iter().map(|library| seen_by(library, folder)).collect::<Vec<_>>();
    let before = look(&prepared);
    let play = |number: usize, point: Option<Point>| {
        let work = folder.join(number.to_string());
        copy(&prepared, &work);
        let run = tracer::run(this().arg("--run").arg(name).arg(&work), &work, point)?;
        let seen = look(&work);
        let again = (seen == before).then(|| {
            let ended = this().arg("--run").arg(name).arg(&work).output().unwrap().status.success();
            if ended { look(&work) } else { vec!["it cannot be done again".to_owned()] }
        });
        std::fs::remove_dir_all(&work).unwrap();
        Ok::<_, String>((run, seen, again))
    };
    let (whole, after, _) = play(0, None)?;
    assert!(whole.output.contains("committed"), "{name} did not succeed");
    let moments = whole.writes.iter().enumerate().flat_map(|(call, &is_write)| {
        [Some(Point { call, half: false }), is_write.then_some(Point { call, half: true })].into_iter().flatten()
    });
    let moments: Vec<Point> = moments.collect();
    assert!(!moments.is_empty(), "{name} changes no file");
    let step = moments.len().div_ceil(points.max(1)).max(1);
    let mut wrong = 0;
    // Offset, so that different operations are not all killed at the first call.
    let chosen: Vec<Point> = moments.iter().copied().skip(name.len() % step).step_by(step).collect();
    for (number, &point) in chosen.iter().enumerate() {
        let (run, seen, again) = play(number + 1, Some(point))?;
        let is_done = run.output.contains("committed") || !run.was_killed;
        let is_right = seen == after || !is_done && seen == before && again.as_ref() == Some(&after);
        if !is_right {
            wrong += 1;
            println!("FAILED {name} at {point:?} of {}: {seen:?}, done again {again:?}", moments.len());
        }
    }
    println!("{name}: {} of {} moments, {wrong} wrong", chosen.len(), moments.len());
    Ok((chosen.len(), wrong))
}
