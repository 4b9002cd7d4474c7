//! Runs cases: corrupts a file, reads the array in a forked child, and judges the outcome.

use std::collections::HashMap;
use std::io::{PipeReader, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Api;
use crate::corruption::mutate::damage;
use crate::corruption::probe::{self, Outcome};
use crate::corruption::tally::is_data_file;
use crate::golden::case::{Case, list};
use crate::limits::limit_memory;
use crate::random::Random;

/// A process that reads a small array for longer than this hangs.
const LIMIT: Duration = Duration::from_secs(30);
/// `sm.mem.total_budget`.
const BUDGET: u64 = 64 << 20;
/// Stacks and arenas of the library's threads, and the buffers of the queries.
const OVERHEAD: u64 = 32 << 20;

/// How a process that read an array ended.
enum End {
    Answered(Vec<(String, Outcome)>),
    Signal(i32),
    Hang,
}

/// Works through every `step`th case and prints a line of tab-separated findings for each.
pub fn work(root: &Path, cases: Range<u64>, step: u64) {
    let api = Api::ours();
    let names = array_names(root);
    let mut intact = HashMap::new();
    for number in cases.step_by(step as usize) {
        let mut random = Random::new(number);
        let name = random.pick(&names);
        let case = Case::load(&root.join(name));
        let before = intact.entry(name.clone()).or_insert_with(|| match read(&api, &case) {
            End::Answered(steps) => steps,
            _ => panic!("{name} cannot be read while it is intact"),
        });
        let Some(file) = pick_file(&mut random, Path::new(case.uri())) else { continue };
        let bytes = std::fs::read(&file).unwrap();
        let mut damaged = bytes.clone();
        let other = pick_file(&mut random, Path::new(case.uri())).filter(|other| *other != file && random.one_in(20));
        let how = match &other {
            Some(other) => {
                damaged = std::fs::read(other).unwrap();
                format!("bytes of {}", other.display())
            }
            None => damage(&mut random, &mut damaged),
        };
        std::fs::write(&file, &damaged).unwrap();
        let end = read(&api, &case);
        std::fs::write(&file, &bytes).unwrap();
        let place = file.strip_prefix(case.uri()).unwrap().to_str().unwrap();
        // Another file of the array is sound in itself, wherever it lies.
        let protected = other.is_none() && is_protected(&case, place, &bytes, &damaged);
        report(&format!("{number}\t{name}\t{place}\t{how}"), protected, before, end);
    }
}

/// The arrays to damage: the families about tiles, filters and cells.
pub fn array_names(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for version in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap()) {
        let version = version.file_name().into_string().unwrap();
        for case in std::fs::read_dir(root.join(&version)).unwrap() {
            let name = case.unwrap().file_name().into_string().unwrap();
            let document = std::fs::read(root.join(&version).join(&name).join("expected.json")).unwrap();
            let document: Value = serde_json::from_slice(&document).unwrap();
            if document["kind"] == "array" && document["unpack_at"].is_null() {
                names.push(format!("{version}/{name}"));
            }
        }
    }
    names.sort();
    names
}

/// One of the files with something in them.
pub fn pick_file(random: &mut Random, folder: &Path) -> Option<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false if entry.metadata().unwrap().len() > 0 => files.push(entry.path()),
                false => {}
            }
        }
    }
    files.sort();
    (!files.is_empty()).then(|| random.pick(&files).clone())
}

/// Reads the array in a child.
fn read(api: &Api, case: &Case) -> End {
    let (answers, mut writer) = std::io::pipe().unwrap();
    match unsafe { libc::fork() } {
        0 => {
            drop(answers);
            let steps = read_here(api, case);
            for (name, outcome) in steps {
                let line = match outcome {
                    Ok(digest) => format!("{name}\tok\t{digest}\n"),
                    Err(text) => format!("{name}\terror\t{}\n", text.replace(['\n', '\t'], " ")),
                };
                let _ = writer.write_all(line.as_bytes());
            }
            unsafe { libc::_exit(0) }
        }
        child => {
            drop(writer);
            wait(child, answers)
        }
    }
}

/// Waits for a child, kills it when it hangs.
fn wait(child: i32, mut answers: PipeReader) -> End {
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = answers.read_to_string(&mut text);
        text
    });
    let start = Instant::now();
    let mut status = 0;
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
        if start.elapsed() > LIMIT {
            unsafe { libc::kill(child, libc::SIGKILL) };
            unsafe { libc::waitpid(child, &mut status, 0) };
            return End::Hang;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    if libc::WIFSIGNALED(status) {
        return End::Signal(libc::WTERMSIG(status));
    }
    let text = reader.join().unwrap();
    End::Answered(text.lines().filter_map(step).collect())
}

/// A step as a child printed it.
fn step(line: &str) -> Option<(String, Outcome)> {
    let mut parts = line.splitn(3, '\t');
    let (name, kind, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let outcome = if kind == "ok" { Ok(rest.parse().ok()?) } else { Err(rest.to_owned()) };
    Some((name.to_owned(), outcome))
}

/// Reads the array in this process, under the limit of what it may allocate.
fn read_here(api: &Api, case: &Case) -> Vec<(String, Outcome)> {
    let budget = BUDGET.to_string();
    let ctx = case.context_with(
        api,
        &[("sm.mem.total_budget", &budget), ("sm.compute_concurrency_level", "2"), ("sm.io_concurrency_level", "2")],
    );
    limit_memory(BUDGET + 4 * size_of(Path::new(case.uri())) + OVERHEAD);
    probe::read_all(&ctx, case)
}

/// Bytes of all files of an array.
fn size_of(folder: &Path) -> u64 {
    let size = |entry: std::fs::DirEntry| match entry.file_type().unwrap().is_dir() {
        true => size_of(&entry.path()),
        false => entry.metadata().unwrap().len(),
    };
    std::fs::read_dir(folder).unwrap().map(|entry| size(entry.unwrap())).sum()
}

/// True if damage to this file cannot pass: digests or encryption tags cover it.
pub fn is_protected(case: &Case, place: &str, before: &[u8], after: &[u8]) -> bool {
    if case.document()["encryption"].is_null() {
        return has_digests(case, place);
    }
    if !place.ends_with("__fragment_metadata.tdb") {
        return true;
    }
    // The footer at the end is not encrypted; its length is the last number of the file.
    let Some(length) = before.last_chunk::<8>() else { return false };
    let footer = before.len() as u64 - u64::from_le_bytes(*length).min(before.len() as u64 - 8) - 8;
    let is_new = place.starts_with("__fragments/");
    is_new && before.len() == after.len() && before[footer as usize..] == after[footer as usize..]
}

/// True if the filters of this data file have a digest among them.
fn has_digests(case: &Case, place: &str) -> bool {
    if !is_data_file(place) {
        return false;
    }
    let file = place.rsplit('/').next().unwrap_or(place).trim_end_matches(".tdb");
    let schema = &list(&case.document()["schemas"])[0]["schema"];
    let (stem, part) =
        ["_var", "_validity"].iter().find_map(|part| Some((file.strip_suffix(part)?, *part))).unwrap_or((file, ""));
    let (attributes, dimensions) = (list(&schema["attrs"]), list(&schema["dims"]));
    let numbered = |letter: char, fields: &'_ [Value]| -> Option<Value> {
        fields.get(stem.strip_prefix(letter)?.parse::<usize>().ok()?).cloned()
    };
    let named = |fields: &[Value]| fields.iter().find(|field| field["name"] == stem).cloned();
    let is_numbered = place.starts_with("__fragments/")
        && (numbered('a', attributes).is_some() || numbered('d', dimensions).is_some());
    let attribute = if is_numbered { numbered('a', attributes) } else { named(attributes) };
    let dimension = if is_numbered { numbered('d', dimensions) } else { named(dimensions) };
    let filters = match (part, attribute, dimension) {
        ("_validity", ..) => &schema["validity_filters"],
        ("", Some(field), _) | ("", None, Some(field)) if field["cell_val_num"] == "var" => &schema["offsets_filters"],
        (_, Some(field), _) => return lists_digest(&field["filters"]),
        (_, None, Some(field)) if !list(&field["filters"]["filters"]).is_empty() => {
            return lists_digest(&field["filters"]);
        }
        _ => &schema["coords_filters"],
    };
    lists_digest(filters)
}

fn lists_digest(filters: &Value) -> bool {
    list(&filters["filters"])
        .iter()
        .any(|filter| filter["type"].as_str().is_some_and(|name| name.starts_with("CHECKSUM")))
}

/// Prints the findings of one case, which `tally.rs` counts.
fn report(head: &str, protected: bool, before: &[(String, Outcome)], end: End) {
    let steps = match end {
        End::Signal(signal) => return println!("signal\t{head}\tsignal {signal}"),
        End::Hang => return println!("hang\t{head}\tno end after {LIMIT:?}"),
        End::Answered(steps) => steps,
    };
    let mut kind = "unchanged";
    for ((name, now), (_, then)) in steps.iter().zip(before) {
        match (now, then) {
            (Ok(now), Ok(then)) if now == then => {}
            (Ok(_), _) if protected => return println!("silent\t{head}\t{name}"),
            (Ok(_), _) if kind == "unchanged" => kind = "changed",
            (Err(text), then) if then.as_ref().err() != Some(text) => {
                kind = "error";
                println!("text\t{head}\t{name}: {text}");
            }
            _ => {}
        }
    }
    if steps.len() != before.len() {
        kind = "short";
    }
    println!("{kind}\t{head}\t");
}
