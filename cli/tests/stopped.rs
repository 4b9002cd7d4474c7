//! Signals during a consolidation, a vacuum, a sweep, a verification and maintenance: the exit code is 128 and the number of the signal,
//! and the cells are unchanged. The same holds for commands that print cells and for imports, also while they wait for a pipe.
//!
//! The signal is sent once the operation has visibly begun. If it is sent too late, since the operation completed
//! meanwhile, the operation is repeated on a copy of the array.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use support::{Story, compile, libraries, project, tool};

/// Attempts until a signal comes while there is work left.
const ATTEMPTS: usize = 40;

fn make(story: &Story, name: &str, fragments: &str, cells: &str) {
    let program = story.path().join("fragments");
    if !program.exists() {
        compile(&project().join("cli/tests/programs/fragments.c"), &program);
    }
    let mut command = Command::new(program);
    command.args([name, fragments, cells]).env("LD_LIBRARY_PATH", libraries()).current_dir(story.path());
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
                let stderr = String::from_utf8(output.stderr).unwrap();
                assert_eq!(
                    (code, stderr.as_str()),
                    (Some(130), "error: stopped; what was there before is as it was\n")
                );
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
fn interrupted_maintenance_changes_no_cell() {
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

/// The signals that stop a program, and the exit codes after them.
const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

/// Interrupts a process; how it ended, and what it said.
fn interrupted(child: std::process::Child) -> (Option<i32>, String) {
    stopped(child, "INT")
}

fn send(child: &std::process::Child, signal: &str) {
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
}

/// Sends a signal to a process; how it ended, and what it said.
fn stopped(child: std::process::Child, signal: &str) -> (Option<i32>, String) {
    send(&child, signal);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Bytes of files that have not yet got their names.
fn partial_bytes(story: &Story) -> u64 {
    let entries = std::fs::read_dir(story.path()).unwrap().map(|entry| entry.unwrap());
    let partial = entries.filter(|entry| entry.file_name().to_str().unwrap().contains(".partial-"));
    partial.map(|entry| entry.metadata().map_or(0, |metadata| metadata.len())).sum()
}

const STOPPED: &str = "error: stopped; what was there before is as it was\n";

#[test]
fn interrupted_output_ends_with_an_error() {
    let story = Story::new();
    make(&story, "large", "2", "200000");
    let start = |arguments: &[&str]| {
        let mut command = with_default_signals(arguments, &story);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for format in ["csv", "json", "arrow", "table"] {
        // Once something came, it waits for somebody to read the rest.
        for (signal, code) in SIGNALS {
            let mut child = start(&["cat", "large", "--format", format]);
            let mut output = child.stdout.take().unwrap();
            std::io::Read::read_exact(&mut output, &mut [0]).unwrap();
            assert_eq!(stopped(child, signal), (Some(code), STOPPED.to_owned()), "{format}");
        }
    }
    let file = story.path().join("cells.csv");
    let is_stopped = |signal, expected| {
        (0..ATTEMPTS).any(|_| {
            _ = std::fs::remove_file(&file);
            let mut child = start(&["cat", "large", "--format", "csv", "-o", "cells.csv"]);
            while child.try_wait().unwrap().is_none() && partial_bytes(&story) == 0 {
                std::thread::sleep(Duration::from_micros(200));
            }
            let (code, stderr) = stopped(child, signal);
            assert!(code == Some(0) || (code, stderr.as_str()) == (Some(expected), STOPPED), "{code:?} {stderr}");
            assert_eq!(file.exists(), code == Some(0));
            assert_eq!(partial_bytes(&story), 0, "a part of a file is left");
            code == Some(expected)
        })
    };
    for (signal, code) in SIGNALS {
        assert!(is_stopped(signal, code), "no signal came in time");
    }
}

/// The tool with the signal handlers of a process that nobody started in the background or by `nohup`.
fn with_default_signals(arguments: &[&str], story: &Story) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(tool()).args(arguments).current_dir(story.path());
    command
}

const MERGE_ALL: [&str; 3] = ["maintain", "-c", "sm.maintenance.max_fragments=1"];

#[test]
fn stopped_maintenance_releases_its_lease() {
    let story = Story::new();
    make(&story, "large", "8", "100000");
    let before = cells(&story, "large");
    let commits = story.path().join("copy/__commits");
    let has_lease = || {
        let names = std::fs::read_dir(&commits).unwrap().map(|entry| entry.unwrap().file_name());
        names.into_iter().any(|name| name.to_str().unwrap().ends_with(".lease"))
    };
    for (signal, expected) in SIGNALS {
        let is_stopped = (0..ATTEMPTS).any(|_| {
            copy(&story, "large", "copy");
            let mut command = with_default_signals(&[&MERGE_ALL[..], &["copy"]].concat(), &story);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            while !has_lease() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(200));
            }
            let (code, stderr) = stopped(child, signal);
            let is_stopped = code == Some(expected);
            let message = if is_stopped { "maintain: stopped; completed steps remain\n" } else { "" };
            assert!(is_stopped || code == Some(0), "{signal}: {code:?} {stderr}");
            assert_eq!(stderr, message);
            assert!(!has_lease(), "{signal}: the lease is left");
            is_stopped
        });
        assert!(is_stopped, "{signal}: no signal came in time");
        let again = story.tool(&[&MERGE_ALL[..], &["copy"]].concat());
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        assert_eq!(cells(&story, "copy"), before);
    }
}

#[test]
fn watching_maintenance_ends_without_an_error() {
    let story = Story::new();
    make(&story, "small", "4", "10");
    let watch = [&MERGE_ALL[..], &["--watch", "60", "copy"]].concat();
    let start = |command: &mut Command| {
        copy(&story, "small", "copy");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The step is printed when the lease is released.
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 20]).unwrap();
        child
    };
    let ended = |code| (Some(code), "maintain: stopped; completed steps remain\n".to_owned());
    for (signal, code) in SIGNALS {
        let child = start(&mut with_default_signals(&watch, &story));
        assert_eq!(stopped(child, signal), ended(code), "{signal}");
    }
    // A process that was started by nohup goes on without its terminal.
    let mut command = Command::new("env");
    command.arg("--ignore-signal=HUP").arg(tool()).args(&watch).current_dir(story.path());
    let mut child = start(&mut command);
    send(&child, "HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "SIGHUP is not ignored");
    assert_eq!(stopped(child, "TERM"), ended(143));
}

#[test]
fn closed_pipes_end_the_tool_without_a_message() {
    let story = Story::new();
    make(&story, "array", "2", "1000");
    for arguments in [
        &["ls", "."][..],
        &["tree", "--json", "."],
        &["info", "array"],
        &["info", "--json", "array"],
        &["head", "array"],
        &["cat", "array"],
        &["cat", "array", "--format", "csv"],
        &["cat", "array", "--format", "json"],
        &["cat", "array", "--format", "arrow-stream"],
        &["cat", "array", "--format", "arrow"],
        &["cat", "array", "--format", "parquet"],
        &["count", "array"],
        &["schema", "array"],
        &["verify", "array"],
        &["advise", "array"],
        &["picture", "array", "-o", "-"],
        &["maintain", "--dry-run", "array"],
        &["consolidate", "--dry-run", "array"],
        &["completion", "bash"],
        &["--help"],
    ] {
        let mut command = Command::new(tool());
        command.args(arguments).current_dir(story.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn imports_end_while_nothing_comes() {
    let story = Story::new();
    let file = story.path().join("rows.csv");
    std::fs::write(&file, "a,b\n1,x\n").unwrap();
    assert!(story.tool(&["import", "rows.csv", "there"]).status.success());
    for array in ["new", "there"] {
        // The process needs some time to begin, on a machine at work a lot of it.
        let is_stopped = [300, 1000, 5000, 20_000].into_iter().any(|wait| {
            let mut command = Command::new(tool());
            command.args(["import", "-", array]).current_dir(story.path()).stdin(Stdio::piped());
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut input = child.stdin.take().unwrap();
            std::io::Write::write_all(&mut input, b"a,b\n2,y\n").unwrap();
            std::thread::sleep(Duration::from_millis(wait));
            let ended = interrupted(child);
            drop(input);
            ended == (Some(130), STOPPED.to_owned())
        });
        assert!(is_stopped, "{array}");
    }
    assert!(!story.path().join("new").exists(), "no array is made of what did not come");
    let cells = story.tool(&["cat", "there", "--format", "csv", "--fields", "a,b"]).stdout;
    assert_eq!(String::from_utf8(cells).unwrap(), "a,b\n1,x\n");
}

/// Wherever a rewrite is killed, it can be resumed; complete fragments are kept.
#[test]
fn killed_rewrites_are_resumed() {
    let story = Story::new();
    make(&story, "large", "4", "200000");
    let before = cells(&story, "large");
    let (commits, fragments) = (story.path().join("new/__commits"), story.path().join("new/__fragments"));
    // The claim of the copy and prepared commits are beside them.
    let committed = || -> Vec<_> {
        let entries = std::fs::read_dir(&commits).into_iter().flatten();
        entries
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name.to_string_lossy().ends_with(".wrt"))
            .collect()
    };
    let mut killed = [0; 4];
    for (complete, killed) in killed.iter_mut().enumerate() {
        for _ in 0..ATTEMPTS {
            _ = std::fs::remove_dir_all(story.path().join("new"));
            let mut command = Command::new(tool());
            command.args(["rewrite", "large", "new", "--profile", "fast"]).current_dir(story.path());
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            // Within the fragment after the complete ones.
            while child.try_wait().unwrap().is_none()
                && (committed().len() < complete || entries(&fragments) <= complete)
            {
                std::thread::sleep(Duration::from_micros(200));
            }
            child.kill().unwrap();
            if !child.wait().unwrap().success() && committed().len() < 4 {
                *killed += 1;
                break;
            }
        }
        let committed_names = committed();
        let again = story.tool(&["rewrite", "large", "new", "--profile", "fast"]);
        assert_eq!(again.status.code(), Some(3), "{}", String::from_utf8_lossy(&again.stderr));
        let again = story.tool(&["rewrite", "--resume", "large", "new", "--profile", "fast"]);
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        assert_eq!(cells(&story, "new"), before);
        assert_eq!((entries(&commits), entries(&fragments)), (4, 4), "orphaned fragments are removed");
        assert!(committed_names.iter().all(|name| commits.join(name).exists()));
    }
    assert!(killed.iter().all(|&times| times > 0), "no kill came in time: {killed:?}");
}

/// Wherever a signal comes, an upgrade is done or not, and a picture is whole or not there.
#[test]
fn interrupted_short_work_is_complete_or_undone() {
    let story = Story::new();
    story.unpack(&["v5/sparse_2d__2.0.8"]);
    let old = support::array(&story, "sparse_2d__2.0.8");
    let cells = |array: &str| story.tool(&["cat", array, "--format", "csv"]).stdout;
    let before = cells(&old);
    for delay in (0..40).step_by(4) {
        for arguments in [&["upgrade", "copy"][..], &["picture", "copy", "-o", "page.html"]] {
            copy(&story, &old, "copy");
            _ = std::fs::remove_file(story.path().join("page.html"));
            let mut command = Command::new(tool());
            command.args(arguments).current_dir(story.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = command.spawn().unwrap();
            std::thread::sleep(Duration::from_millis(delay));
            // None: the process had not begun, and died of the signal.
            let (code, stderr) = interrupted(child);
            assert!(matches!(code, Some(0 | 130) | None), "{arguments:?}: {code:?} {stderr}");
            assert_eq!(cells("copy"), before, "{arguments:?} after {delay} ms");
            let page = std::fs::read_to_string(story.path().join("page.html")).ok();
            assert!(page.is_none_or(|page| page.trim_end().ends_with("</html>")), "{delay} ms");
        }
    }
}
