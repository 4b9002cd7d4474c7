//! `copy` to a disk that fails, or killed, at any call: what it leaves is no array, or has all cells; an array that was there before
//! reads as before or after. The next copy completes it. `POINTS=100000` tries all calls.
#![cfg(target_os = "linux")]
#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::path::Path;
use std::process::Command;

use support::{Story, array, contents, tool};
use test_support::trace::{self, Act};

/// Calls of a copy at which it fails and is killed, unless `POINTS` says how many.
const POINTS: usize = 12;

/// What a command prints without its first line, which names the object; nothing where it fails.
fn output_of(story: &Story, arguments: &[&str]) -> Option<String> {
    let output = story.tool(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    output.status.success().then(|| text.split_once('\n').map_or(text.clone(), |(_, rest)| rest.to_owned()))
}

fn copy(story: &Story, watch: &mut dyn FnMut(&trace::Call) -> Act) -> Result<trace::Run, String> {
    let mut command = Command::new(tool());
    command.args(["copy", "source", "target/copy"]).current_dir(story.path());
    trace::run(&mut command, &story.path().canonicalize().unwrap().join("target"), watch)
}

/// Lets a copy of `source` fail at calls. `before` is put at the target first. At any time `command` fails for the target, or prints
/// what it prints for `before` or for the source.
fn check(story: &Story, before: Option<&Path>, command: &[&str]) {
    let (source, target) = (story.path().join("source"), story.path().join("target/copy"));
    let begin = || {
        _ = std::fs::remove_dir_all(story.path().join("target"));
        std::fs::create_dir(story.path().join("target")).unwrap();
        if let Some(before) = before {
            copy_folder(before, &target);
        }
    };
    let is_group = command[0] == "tree";
    // `tree` lists other folders, too.
    let of = |name: &'static str| {
        if is_group && !["__group", "__tiledb_group.tdb"].iter().any(|part| story.path().join(name).join(part).exists())
        {
            return None;
        }
        output_of(story, &[&command[..1], &[name], &command[1..]].concat())
    };
    begin();
    let expected = [of("target/copy"), of("source")];
    assert!(expected[1].is_some() && expected[0].is_some() == before.is_some());
    let mut calls = 0;
    let whole = copy(story, &mut |call| {
        calls += usize::from(call.changes_files());
        Act::Go
    });
    let whole = match whole {
        Ok(whole) => whole,
        Err(error) => return println!("skipped: processes cannot be traced here ({error})"),
    };
    // The members of a group are written again, with new names of their files.
    let is_same = || is_group || contents(&target) == contents(&source);
    assert!(whole.status.success() && is_same());
    let points = std::env::var("POINTS").map_or(POINTS, |points| points.parse().unwrap());
    let refusals: &[Act] = if trace::changes_calls() { &[Act::Refuse(libc::ENOSPC)] } else { &[] };
    for act in [Act::Kill].iter().chain(refusals) {
        for point in (0..calls).step_by(calls.div_ceil(points).max(1)) {
            begin();
            let mut number = 0;
            // A disk stays full.
            let run = copy(story, &mut |call| {
                number += usize::from(call.changes_files());
                let is_due = call.changes_files() && number > point && call.kind != trace::Kind::Remove;
                if is_due { *act } else { Act::Go }
            });
            let run = run.unwrap();
            let left = of("target/copy");
            let text = format!("{act:?} at call {point} of {calls}, {}", run.status);
            assert!(left.is_none() && before.is_none() || expected.contains(&left), "{text}: {left:?}");
            assert!(!run.status.success() || left == expected[1], "{text}");
            assert!(output_of(story, &["copy", "source", "target/copy"]).is_some(), "{text}: not completed");
            assert!(is_same() && of("target/copy") == expected[1], "{text}: other files or cells");
        }
    }
    println!("{calls} calls");
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A golden array or group as `source`.
fn story_of(case: &str) -> Story {
    let story = Story::new();
    story.unpack(&[case]);
    let golden = array(&story, case.split_once('/').unwrap().1);
    copy_folder(&story.path().join(golden), &story.path().join("source"));
    story
}

#[test]
fn failed_copy_cannot_be_opened_as_array() {
    for case in ["v22/evolution_sparse", "v22/enumerations_dense", "v5/consolidated_sparse__2.0.8"] {
        check(&story_of(case), None, &["cat", "--format", "csv"]);
    }
}

#[test]
fn failed_copy_of_a_labelled_array_cannot_be_opened() {
    check(&story_of("v22/labels_increasing"), None, &["cat", "--format", "csv"]);
}

#[test]
fn failed_copy_of_a_group_cannot_be_opened() {
    check(&story_of("v22/group_members"), None, &["tree"]);
}

#[test]
fn failed_update_of_a_copy_leaves_the_copy_as_it_was() {
    let story = story_of("v22/evolution_sparse");
    let older = story.path().join("older");
    copy_folder(&story.path().join("source"), &older);
    // The source got its newest fragment later.
    let commits = std::fs::read_dir(older.join("__commits")).unwrap().map(|entry| entry.unwrap().path());
    let newest = commits.max().unwrap();
    std::fs::remove_file(&newest).unwrap();
    std::fs::remove_dir_all(older.join("__fragments").join(newest.file_stem().unwrap())).unwrap();
    check(&story, Some(&older), &["cat", "--format", "csv"]);
}

#[test]
fn copy_of_an_array_that_is_vacuumed_meanwhile_has_what_replaced_the_removed_files() {
    let story = story_of("v22/evolution_sparse");
    let begin = || {
        for name in ["source", "target"] {
            _ = std::fs::remove_dir_all(story.path().join(name));
        }
        copy_folder(&story.path().join(array(&story, "evolution_sparse")), &story.path().join("source"));
        std::fs::create_dir(story.path().join("target")).unwrap();
    };
    begin();
    let cells = output_of(&story, &["cat", "source", "--format", "csv"]);
    let mut calls = 0;
    let run = copy(&story, &mut |call| {
        calls += usize::from(call.changes_files());
        Act::Go
    });
    if let Err(error) = run {
        return println!("skipped: processes cannot be traced here ({error})");
    }
    for point in (0..calls).step_by(calls.div_ceil(POINTS).max(1)) {
        begin();
        let mut number = 0;
        let run = copy(&story, &mut |call| {
            let is_due = call.changes_files() && number == point;
            number += usize::from(call.changes_files());
            if is_due {
                for command in ["consolidate", "vacuum"] {
                    assert!(story.tool(&[command, "source"]).status.success());
                }
            }
            Act::Go
        });
        assert!(run.unwrap().status.success(), "vacuumed at call {point} of {calls}");
        assert_eq!(output_of(&story, &["cat", "target/copy", "--format", "csv"]), cells, "vacuumed at call {point}");
        let verified = story.tool(&["verify", "target/copy"]);
        assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    }
}
