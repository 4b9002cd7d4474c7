//! `copy` of an array that another process writes to, deletes from, consolidates and vacuums concurrently: each copy is
//! a snapshot of the array at some time during the copy, and the reference reads the same, unless `copy` reports that
//! it is not a snapshot. A failed copy shows no more cells than before.
//!
//! `SEED=7` selects another sequence of operations, `SECONDS=60` the duration.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Story, compile, project};

const CELLS: i64 = 100;

type State = BTreeMap<i64, i64>;

/// The numbers that `restless.c` draws.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
}

/// What step `k` of `restless.c` does.
fn step(state: &mut State, seed: u64, k: i64) {
    let mut chance = Chance(seed.wrapping_mul(1_000_003).wrapping_add(k as u64));
    let is_delete = chance.next().is_multiple_of(5);
    let (from, stride) = ((chance.next() % CELLS as u64) as i64, (1 + chance.next() % 9) as usize);
    if is_delete {
        state.retain(|&cell, _| cell < from);
    } else {
        state.extend((from..CELLS).step_by(stride).map(|cell| (cell, k)));
    }
}

/// The cells that the tool finds.
fn cells(story: &Story, array: &str) -> State {
    let output = story.tool(&["cat", array, "--format", "csv"]);
    assert!(output.status.success(), "{array}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let cell = |line: &str| line.split_once(',').map(|(d, a)| (d.parse().unwrap(), a.parse().unwrap())).unwrap();
    text.lines().skip(1).map(cell).collect()
}

/// A writer that never rests.
struct Writer(Child);

impl Writer {
    fn start(story: &Story, seed: u64) -> Writer {
        let program = story.path().join("restless");
        if !program.exists() {
            compile(&project().join("cli/tests/programs/restless.c"), &program);
        }
        let mut command = Command::new(program);
        command.args(["array", &seed.to_string(), "steps"]).current_dir(story.path());
        Writer(command.spawn().unwrap())
    }

    /// The last step that was done.
    fn steps(&mut self, story: &Story) -> i64 {
        assert!(self.0.try_wait().unwrap().is_none(), "the writer ended");
        // It may be amid writing the number.
        let read = || std::fs::read_to_string(story.path().join("steps")).ok()?.strip_suffix('\n')?.parse().ok();
        let begun = Instant::now();
        loop {
            if let Some(steps) = read() {
                return steps;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "no step is done");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// A copy, with the last step that was done before it began, and the last that can have been begun before it ended.
struct Copy {
    name: String,
    from: i64,
    to: i64,
}

#[test]
fn copy_of_a_changing_array_is_one_of_its_states() {
    let number = |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (seed, seconds) = (number("SEED", 1), number("SECONDS", 6));
    let story = Story::new();
    let mut writer = Writer::start(&story, seed);
    let (mut copies, mut refused, mut unsettled, begun) = (Vec::new(), 0, 0, Instant::now());
    writer.steps(&story);
    while begun.elapsed() < Duration::from_secs(seconds) || copies.len() < 3 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{} copies, {refused} failures", copies.len());
        // Every third goes on from the one before.
        let name = format!("copy{}", (copies.len() + unsettled + refused) / 3 * 3);
        let was = if story.path().join(&name).join("__schema").exists() { cells(&story, &name) } else { State::new() };
        let from = writer.steps(&story);
        let output = story.tool(&["copy", "array", &name]);
        let to = writer.steps(&story) + 1;
        let text = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => {
                let verified = story.tool(&["verify", &name]);
                let findings = String::from_utf8(verified.stdout).unwrap();
                assert!(matches!(verified.status.code(), Some(0 | 1)), "seed {seed}: {name}: {findings}");
                // A vacuum removes what was replaced, or consolidated, before the file that says so; notes are no findings.
                let is_vacuumed =
                    |line: &&str| line.starts_with("warning ") && (line.contains(".vac ") || line.contains(".ign "));
                let is_finding = |line: &&str| line.starts_with("warning ") || line.starts_with("error ");
                let findings: Vec<&str> =
                    findings.lines().filter(|line| is_finding(line) && !is_vacuumed(line)).collect();
                assert!(findings.is_empty(), "seed {seed}: {name}: {findings:#?}");
                let copy = format!("{name}_{from}");
                let status = Command::new("cp").args(["-r", &name, &copy]).current_dir(story.path()).status();
                assert!(status.unwrap().success());
                match String::from_utf8(output.stdout).unwrap().contains("written to all the while") {
                    true => unsettled += 1,
                    false => copies.push(Copy { name: copy, from, to }),
                }
            }
            Some(3) => {
                refused += 1;
                let is_clear = ["is not an earlier copy", "removed", "does not exist", "No such file"]
                    .iter()
                    .any(|part| text.contains(part));
                assert!(is_clear, "seed {seed}: {text}");
                // What was there before is there.
                if story.path().join(&name).join("__schema").exists() {
                    assert_eq!(cells(&story, &name), was, "seed {seed}: {name}: {text}");
                }
            }
            code => panic!("seed {seed}: {code:?}: {text}"),
        }
    }
    drop(writer);
    println!("{} copies, {unsettled} that are no snapshot, {refused} failures", copies.len());
    let (mut state, mut states) = (State::new(), vec![State::new()]);
    for k in 1..=copies.iter().map(|copy| copy.to).max().unwrap() {
        step(&mut state, seed, k);
        states.push(state.clone());
    }
    let mut copied = Vec::new();
    for copy in &copies {
        let cells = cells(&story, &copy.name);
        let matching: Vec<i64> = (copy.from..=copy.to).filter(|&k| states[k as usize] == cells).collect();
        assert!(!matching.is_empty(), "seed {seed}: {} is no state of steps {} to {}", copy.name, copy.from, copy.to);
        copied.push((copy, cells, matching));
    }
    let Some(states) = states_read_by_the_reference(story.path(), &copies) else { return };
    for ((copy, cells, matching), (state, step)) in copied.iter().zip(states) {
        assert_eq!(&state, cells, "seed {seed}: {}", copy.name);
        // The metadata of a step are written after its cells.
        let is_right = matching.iter().any(|&k| step == k || step == k - 1);
        assert!(is_right, "seed {seed}: {}: cells of steps {matching:?}, metadata of {step}", copy.name);
    }
}

/// The cells and the metadata of each copy, as libtiledb reads them; nothing where it is not installed.
fn states_read_by_the_reference(folder: &Path, copies: &[Copy]) -> Option<Vec<(State, i64)>> {
    const LOOK: &str = r#"
import json, sys, tiledb
for name in sys.argv[1:]:
    with tiledb.open(name) as array:
        cells = array[:]
        print(json.dumps([cells["d"].tolist(), cells["a"].tolist(), int(array.meta.get("k", 0))]))
"#;
    let python = project().join(".venv/bin/python");
    if !python.exists() {
        println!("the reference does not look: make venv installs it");
        return None;
    }
    let names = copies.iter().map(|copy| copy.name.as_str());
    let mut command = Command::new(python);
    let output = command.args(["-c", LOOK]).args(names).current_dir(folder).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success());
    let look = |line: &str| {
        let (d, a, step): (Vec<i64>, Vec<i64>, i64) = parts(&serde_json::from_str(line).unwrap());
        (d.into_iter().zip(a).collect(), step)
    };
    Some(String::from_utf8(output.stdout).unwrap().lines().map(look).collect())
}

fn parts(value: &serde_json::Value) -> (Vec<i64>, Vec<i64>, i64) {
    let list = |at: usize| value[at].as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect();
    (list(0), list(1), value[2].as_i64().unwrap())
}
