//! Corruption test: whatever a file contains, a read succeeds, or fails with an error that names the file.
//!
//! Each case corrupts one file of a golden array (bit flips, another length, swapped or overwritten blocks, extreme
//! numbers), reproducibly by the number of the case, and reads everything in a process of its own under a memory limit.
//! A signal, a hang, an excessive allocation, or a difference that a checksum or an authentication tag must have
//! detected is a failure.
//!
//! `CASES=0..10000` selects the cases, `VERSIONS=all` the arrays of every format version.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use support::corruption::tally::Tally;
use support::corruption::worker;

/// How many cases run without being asked for more.
const USUAL: Range<u64> = 0..400;
/// Worker processes.
const WORKERS: u64 = 2;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--worker") => {
            let number = |at: usize| arguments[at].parse().unwrap();
            worker::work(Path::new(&arguments[1]), number(2)..number(3), number(4));
        }
        Some("--list") => println!("damaged_arrays: test"),
        _ => std::process::exit(parent()),
    }
}

/// `CASES=from..to`, or the usual ones.
fn cases() -> Range<u64> {
    let Ok(text) = std::env::var("CASES") else { return USUAL };
    let (from, to) = text.split_once("..").expect("CASES=from..to");
    from.parse().unwrap()..to.parse().unwrap()
}

fn parent() -> i32 {
    let folder = tempfile::tempdir_in(support::folders::temporary()).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let all = std::env::var("VERSIONS").is_ok_and(|versions| versions == "all");
    for entry in std::fs::read_dir(golden).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(version) = name.strip_suffix(".tar.gz") else { continue };
        if version == "v22" || all && version.starts_with('v') {
            // Each worker damages arrays of its own.
            for worker in 0..WORKERS {
                let packed = flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap());
                let into = folder.path().join(worker.to_string()).join(version);
                tar::Archive::new(packed).unpack(into).unwrap();
            }
        }
    }
    let cases = cases();
    let mut tally = Tally::default();
    let workers: Vec<_> = (0..WORKERS)
        .map(|index| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg("--worker").arg(folder.path().join(index.to_string()));
            command.args([(cases.start + index).to_string(), cases.end.to_string(), WORKERS.to_string()]);
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    std::thread::scope(|scope| {
        let outputs: Vec<_> =
            workers.into_iter().map(|worker| scope.spawn(move || worker.wait_with_output().unwrap())).collect();
        for output in outputs {
            let output = output.join().unwrap();
            for line in String::from_utf8_lossy(&output.stdout).lines() {
                tally.take(line);
            }
            if !output.status.success() {
                tally.failures.push(format!("a worker died: {}", output.status));
            }
        }
    });
    tally.judge(cases.end - cases.start)
}
