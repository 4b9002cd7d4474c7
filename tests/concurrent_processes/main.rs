//! Concurrent processes on one array: writers, readers, one process that consolidates and one that vacuums, half of
//! them with the reference. A read must see each write entirely or not at all, with the written values, and all writes
//! that were completed before the array was opened. A listed file that is missing since it was vacuumed is counted, but
//! is not an error of the reader.
//!
//! `cargo test --test concurrent_processes` runs for 6 seconds, `SECONDS=60` for others.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::limits::limit_memory;
use support::{Api, Array, Cells, Column, Ctx, Failure, bytes, library, pointer, text};

const WRITERS: i32 = 4;
const READERS: i32 = 3;
/// Cells of a write, each with the writer, its number among all the writer's cells, and a value that follows from both.
const CELLS: i32 = 20;
/// Cells that readers have room for.
const ROOM: usize = 1_000_000;
/// Writers rest between writes, so that the others get their turn.
const REST: Duration = Duration::from_millis(25);
/// The reference takes all the memory that its budget allows.
const BUDGET: (&str, &str) = ("sm.mem.total_budget", "100000000");

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--list") => println!("processes_side_by_side: test"),
        Some("--child") => child(&arguments[1..]),
        _ => parent(),
    }
}

fn parent() {
    let Some(reference) = library::reference() else {
        println!("skipped, the reference library is not installed; `make test` installs it");
        return;
    };
    let seconds = std::env::var("SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(6);
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("array");
    create(&Api::ours().context(&[]), uri.to_str().unwrap()).unwrap();
    let libraries = [library::ours(), reference];
    let mut children = Vec::new();
    let mut begin = |role: &str, number: i32, library: usize| {
        children.push(spawn(role, number, library, &libraries, folder.path(), seconds));
    };
    (0..WRITERS).for_each(|number| begin("writer", number, number as usize % 2));
    (0..READERS).for_each(|number| begin("reader", number, number as usize % 2));
    begin("consolidator", 0, 0);
    begin("vacuumer", 0, 1);
    let mut figures: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, child) in children {
        let output = child.wait_with_output().unwrap();
        let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
        for line in output_text.lines() {
            match line.split_once(' ') {
                Some(("wrong", text)) => wrong.push(format!("{name}: {text}")),
                Some(("failed", text)) => println!("{name}: {text}"),
                Some(("done", counts)) => {
                    let counts: Vec<u64> = counts.split(' ').map(|count| count.parse().unwrap()).collect();
                    figures.insert(name.clone(), [counts[0], counts[1]]);
                }
                _ => (),
            }
        }
        if !output.status.success() {
            wrong.push(format!("{name}: {}", output.status));
        }
    }
    for (name, [done, failed]) in &figures {
        println!("{name}: {done} done, {failed} failed");
    }
    let mut last = Reader::new(folder.path());
    if let Err(text) = last.look(&Api::ours(), &uri) {
        wrong.push(format!("in the end: {text:?}"));
    }
    println!("{} writes were there in the end", last.writes);
    wrong.iter().for_each(|text| println!("FAILED {text}"));
    println!("{} wrong", wrong.len());
    std::process::exit(i32::from(!wrong.is_empty()));
}

fn spawn(
    role: &str,
    number: i32,
    which: usize,
    libraries: &[PathBuf; 2],
    folder: &Path,
    seconds: u64,
) -> (String, Child) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--child", role, &number.to_string()])
        .arg(&libraries[which])
        .arg(folder)
        .arg(seconds.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    (format!("{role} {number} of {}", ["ours", "the reference"][which]), child)
}

/// A process: repeats its work until the time is over, and tells how often it was done and how often it failed.
fn child(arguments: &[String]) {
    limit_memory(4 << 30);
    let [role, number, library, folder, seconds] = arguments else { panic!("{arguments:?}") };
    let api = Api::open(Path::new(library)).unwrap();
    let uri = Path::new(folder).join("array");
    let number = number.parse().unwrap();
    let end = Instant::now() + Duration::from_secs(seconds.parse().unwrap());
    let (mut done, mut failed) = (0, 0);
    let mut reader = Reader::new(Path::new(folder));
    while Instant::now() < end {
        let outcome = match role.as_str() {
            "writer" => write(&api, &uri, number, done).map(|()| {
                std::fs::write(progress(Path::new(folder), number), (done + 1).to_string()).unwrap();
                std::thread::sleep(REST);
            }),
            "reader" => reader.look(&api, &uri),
            "consolidator" => {
                maintain(&api, &uri, "array_consolidate", ["fragments", "commits", "fragment_meta"][done % 3])
            }
            _ => maintain(&api, &uri, "array_vacuum", ["fragments", "commits", "fragment_meta"][done % 3]),
        };
        match outcome {
            Ok(()) => done += 1,
            Err(failure) if role == "writer" => {
                println!("wrong {failure:?}");
                break;
            }
            Err(failure) => {
                failed += 1;
                println!("failed {failure:?}");
                if role != "reader" {
                    done += 1;
                }
            }
        }
    }
    reader.wrong.iter().for_each(|text| println!("wrong {text}"));
    println!("done {done} {failed}");
}

/// Where a writer says how many writes are done.
fn progress(folder: &Path, writer: i32) -> PathBuf {
    folder.join(format!("done{writer}"))
}

fn value(writer: i32, number: i32) -> i32 {
    number.wrapping_mul(31).wrapping_add(writer * 7)
}

fn create(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    for (name, high, extent) in [("writer", WRITERS - 1, 1i32), ("number", i32::MAX - 10_000, 10_000)] {
        let name = text(name);
        let (ends, extent) = ([0, high].map(i32::to_le_bytes).concat(), extent.to_le_bytes());
        let args = [pointer(&name), 0, bytes(&ends), bytes(&extent)];
        let dimension = ctx.get("dimension_alloc", &args)?;
        ctx.call("domain_add_dimension", &[domain, dimension])?;
        ctx.free("dimension", dimension);
    }
    let schema = ctx.get("array_schema_alloc", &[1])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_set_capacity", &[schema, 100])?;
    let name = text("value");
    let attribute = ctx.get("attribute_alloc", &[pointer(&name), 0])?;
    ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    let uri = text(uri);
    ctx.call("array_create", &[pointer(&uri), schema])?;
    ctx.free("attribute", attribute);
    ctx.free("array_schema", schema);
    ctx.free("domain", domain);
    Ok(())
}

fn write(api: &Api, uri: &Path, writer: i32, batch: usize) -> Result<(), Failure> {
    let ctx = api.context(&[BUDGET]);
    let array = Array::open(&ctx, uri.to_str().unwrap(), 1, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    ctx.call("query_set_layout", &[query, 3])?;
    let first = batch as i32 * CELLS;
    let cells = |of: &dyn Fn(i32) -> i32| {
        let data = (first..first + CELLS).flat_map(|number| of(number).to_le_bytes()).collect();
        Cells { data, ..Cells::default() }
    };
    let mut columns = [
        Column::filled("writer", cells(&|_| writer)),
        Column::filled("number", cells(&|number| number)),
        Column::filled("value", cells(&|number| value(writer, number))),
    ];
    columns.iter_mut().try_for_each(|column| column.bind(&ctx, query))?;
    ctx.call("query_submit", &[query])?;
    ctx.free("query", query);
    Ok(())
}

fn maintain(api: &Api, uri: &Path, function: &str, mode: &str) -> Result<(), Failure> {
    let ctx = api.context(&[BUDGET, ("sm.consolidation.mode", mode), ("sm.vacuum.mode", mode)]);
    let uri = text(uri.to_str().unwrap());
    std::thread::sleep(10 * REST);
    ctx.call(function, &[pointer(&uri), 0])
}

/// A reader, with what it found wrong.
struct Reader {
    folder: PathBuf,
    wrong: Vec<String>,
    /// Writes that the last read saw.
    writes: usize,
}

impl Reader {
    fn new(folder: &Path) -> Reader {
        Reader { folder: folder.to_owned(), wrong: Vec::new(), writes: 0 }
    }

    /// Reads everything and checks it.
    fn look(&mut self, api: &Api, uri: &Path) -> Result<(), Failure> {
        let done = |writer| std::fs::read_to_string(progress(&self.folder, writer)).ok()?.parse().ok();
        let done: Vec<usize> = (0..WRITERS).map(|writer| done(writer).unwrap_or(0)).collect();
        let cells = read(api, uri)?;
        // Cells of each write.
        let mut writes: BTreeMap<(i32, i32), Vec<i32>> = BTreeMap::new();
        for [writer, number, actual] in cells {
            if actual != value(writer, number) {
                self.wrong.push(format!("{actual} at {writer}, {number}"));
            }
            writes.entry((writer, number / CELLS)).or_default().push(number % CELLS);
        }
        for (write, cells) in &mut writes {
            cells.sort_unstable();
            if !cells.iter().copied().eq(0..CELLS) {
                self.wrong.push(format!("of the write {write:?} there are the cells {cells:?}"));
            }
        }
        for (writer, &done) in (0..WRITERS).zip(&done) {
            let lost = (0..done as i32).filter(|&batch| !writes.contains_key(&(writer, batch))).count();
            if lost > 0 {
                self.wrong.push(format!("{lost} of {done} writes of writer {writer} are not there"));
            }
        }
        self.writes = writes.len();
        Ok(())
    }
}

/// All cells: writer, number and value.
fn read(api: &Api, uri: &Path) -> Result<Vec<[i32; 3]>, Failure> {
    let ctx = api.context(&[]);
    let array = Array::open(&ctx, uri.to_str().unwrap(), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, 3])?;
    let mut columns = ["writer", "number", "value"].map(|name| Column::with_capacity(name, 4 * ROOM, None, None));
    columns.iter_mut().try_for_each(|column| column.bind(&ctx, query))?;
    let mut cells = Vec::new();
    loop {
        ctx.call("query_submit", &[query])?;
        let [writers, numbers, values] = columns.each_ref().map(|column| column.result().data);
        let words = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|&word| i32::from_le_bytes(word)).collect::<Vec<_>>();
        let (writers, numbers, values) = (words(&writers), words(&numbers), words(&values));
        cells.extend(
            writers.iter().zip(&numbers).zip(&values).map(|((&writer, &number), &value)| [writer, number, value]),
        );
        let mut status = 0u32;
        ctx.call("query_get_status", &[query, support::address(&mut status)])?;
        if status == 1 {
            break;
        }
        assert!(!writers.is_empty(), "no progress");
        columns.iter_mut().for_each(|column| column.sizes[0] = 4 * ROOM as u64);
    }
    ctx.free("query", query);
    Ok(cells)
}
