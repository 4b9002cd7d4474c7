//! Ctrl-C in the middle of a consolidation, a vacuum, a sweep and a verification: exit code 130, and the cells are what they were.
//!
//! The signal goes when the work is seen to have begun. If it comes too late, since the machine did the rest meanwhile, the work
//! is done once more on a copy of the array.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use support::{Story, compile, project, tool};

/// Attempts until a signal comes while there is work left.
const ATTEMPTS: usize = 40;

fn make(story: &Story, name: &str, fragments: &str, cells: &str) {
    let program = story.path().join("fragments");
    if !program.exists() {
        compile(&project().join("cli/tests/programs/fragments.c"), &program);
    }
    let libraries = tool().with_file_name("deps");
    let mut command = Command::new(program);
    command.args([name, fragments, cells]).env("LD_LIBRARY_PATH", libraries).current_dir(story.path());
    assert!(command.status().unwrap().success());
}

fn copy(story: &Story, from: &str, to: &str) {
    _ = std::fs::remove_dir_all(story.path().join(to));
    let status = Command::new("cp").args(["-r", from, to]).current_dir(story.path()).status().unwrap();
    assert!(status.success());
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Whether a process has a file of cells open.
fn reads_cells(process: u32) -> bool {
    let files = std::fs::read_dir(format!("/proc/{process}/fd"));
    files.is_ok_and(|files| {
        let targets = files.flatten().filter_map(|file| std::fs::read_link(file.path()).ok());
        targets.into_iter().any(|target| target.extension().is_some_and(|extension| extension == "tdb"))
    })
}

/// Runs the tool on a copy of an array, and interrupts it once `has_begun`.
fn interrupt(story: &Story, from: &str, arguments: &[&str], has_begun: &dyn Fn(u32) -> bool) {
    for _ in 0..ATTEMPTS {
        copy(story, from, "copy");
        let mut command = Command::new(tool());
        command.args(arguments).arg("copy").current_dir(story.path());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let process = child.id();
        while !has_begun(process) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        if child.try_wait().unwrap().is_none() {
            assert!(Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap().success());
        }
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => {}
            code => {
                let told = String::from_utf8(output.stderr).unwrap();
                assert_eq!((code, told.as_str()), (Some(130), "error: stopped; what was there before is as it was\n"));
                return;
            }
        }
    }
    panic!("{arguments:?}: no signal came in time");
}

fn cells(story: &Story, array: &str) -> Vec<u8> {
    let output = story.tool(&["cat", "--format", "csv", "--range", "d=0:999", array]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn nothing_is_lost() {
    let story = Story::new();
    let fragments = story.path().join("copy/__fragments");

    make(&story, "large", "4", "400000");
    let before = cells(&story, "large");
    assert!(before.len() > 5000);
    interrupt(&story, "large", &["consolidate"], &|_| entries(&fragments) > 4);
    assert_eq!(cells(&story, "copy"), before);
    assert_eq!(entries(&story.path().join("copy/__commits")), 4, "nothing was committed");
    interrupt(&story, "large", &["verify"], &reads_cells);
    assert_eq!(cells(&story, "copy"), before);

    make(&story, "many", "400", "5");
    assert!(story.tool(&["consolidate", "many"]).status.success());
    let before = cells(&story, "many");
    interrupt(&story, "many", &["vacuum"], &|_| (1..390).contains(&entries(&fragments)));
    let left = entries(&fragments);
    assert!(1 < left && left < 401, "{left}");
    assert_eq!(cells(&story, "copy"), before);
    assert!(story.tool(&["vacuum", "copy"]).status.success());
    assert_eq!((entries(&fragments), cells(&story, "copy")), (1, before.clone()));

    // What four hundred killed writers left, beside one fragment.
    assert!(story.tool(&["vacuum", "many"]).status.success());
    for number in 0..400 {
        let orphan = format!("many/__fragments/__{number}_{number}_{number:032x}_22");
        std::fs::create_dir(story.path().join(&orphan)).unwrap();
        std::fs::write(story.path().join(&orphan).join("a0.tdb"), "cells").unwrap();
    }
    interrupt(&story, "many", &["sweep"], &|_| (1..390).contains(&entries(&fragments)));
    let left = entries(&fragments);
    assert!(1 < left && left < 401, "{left}");
    assert_eq!(cells(&story, "copy"), before);
    assert!(story.tool(&["sweep", "copy"]).status.success());
    assert_eq!((entries(&fragments), cells(&story, "copy")), (1, before));
}
