//! Written golden arrays: our library writes every golden array of the current format version again, fragment by
//! fragment, from the cells that the reference reads of it. The reference must then return the recorded results of
//! every query, including conditions and aggregates.
//!
//! Each array is written twice: in row-major (sparse: unordered) layout and in column-major (sparse: global order)
//! layout. Arrays that cannot be reproduced from their fragments are skipped: those with deletes, consolidation, schema
//! evolution or corruption. Cases run in child processes, two at a time, so that a crash of either library is a failure
//! with the name of the case.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

#[path = "../golden_arrays/case.rs"]
#[allow(dead_code, reason = "shared with the reading test")]
mod case;
#[path = "../golden_arrays/query.rs"]
mod query;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use case::{Case, list};
use query::{QueryResult, complaint};
use serde_json::{Value, json};
use support::{Api, Array, Column, Ctx, Failure, folders, pointer, text};

/// The layouts to write in, dense and sparse, by their numbers.
const LAYOUTS: [(&str, u64, &str, u64); 2] = [("row", 0, "unordered", 3), ("col", 1, "global", 2)];

/// Cases left out by the start of their names: damaged ones, and WEBP, whose lossy images differ again.
const LEFT_OUT: [&str; 2] = ["corrupt_", "filter_webp_"];

/// Answers that the reference takes from statistics which it had written wrongly itself: nulls of
/// variable-length attributes in dense arrays.
const WRONG_NULL_COUNTS: [&str; 3] =
    ["dense_attr_string_ascii/agg_full", "dense_attr_string_ascii/agg_cond", "write_col_into_row/agg_full"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--child") => child(Path::new(&arguments[1]), &arguments[2..]),
        Some("--list") => println!("golden_arrays_written_anew: test"),
        _ if Api::reference().is_none() => {
            println!("rewrite: skipped, the reference library is not installed; `make test` installs it");
        }
        _ => {
            let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
            std::process::exit(parent(filter.map(String::as_str)));
        }
    }
}

fn parent(filter: Option<&str>) -> i32 {
    let folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v22.tar.gz");
    let packed = flate2::read::GzDecoder::new(std::fs::File::open(golden).unwrap());
    tar::Archive::new(packed).unpack(folder.path()).unwrap();
    let names =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| filter.is_none_or(|filter| name.contains(filter))).collect();
    names.sort();
    let tally = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let mine: Vec<String> = names.iter().skip(half).step_by(2).cloned().collect();
            scope.spawn(|| rewrite_all(folder.path(), mine))
        });
        halves.map(|half| half.join().unwrap())
    });
    let [written, left_out, queries, failed] = [0, 1, 2, 3].map(|kind| tally[0][kind] + tally[1][kind]);
    println!(
        "rewrite: {written} arrays written, {queries} queries of the reference as recorded, {left_out} cases left out"
    );
    println!("{queries} passed, {failed} failed");
    i32::from(failed > 0 || queries == 0)
}

/// Rewrites cases in child processes; how many arrays were written, cases left out, queries equal, and failures. A case
/// whose process dies is begun once more, since the reference dies now and then; the line says what went on.
fn rewrite_all(root: &Path, mut names: Vec<String>) -> [usize; 4] {
    let (mut tally, mut begun_anew) = ([0; 4], String::new());
    while !names.is_empty() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.arg("--child").arg(root).args(&names).output().unwrap();
        let (mut open, mut works, mut of_case) = (String::new(), String::new(), [0; 4]);
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            match kind {
                "case" => {
                    add(&mut tally, std::mem::take(&mut of_case));
                    rest.clone_into(&mut open);
                }
                "works" => rest.clone_into(&mut works),
                "written" => of_case[0] += 1,
                "left-out" => of_case[1] += 1,
                "equal" => of_case[2] += 1,
                _ => {
                    println!("FAILED {rest}");
                    of_case[3] += 1;
                }
            }
        }
        if output.status.success() {
            add(&mut tally, of_case);
            break;
        }
        let dead = names.iter().position(|name| *name == open).unwrap_or(names.len());
        println!("{open}: the process died while {works}, {}", output.status);
        if begun_anew == open {
            println!("FAILED {open}: it died twice");
            tally[3] += 1;
            names.drain(..(dead + 1).min(names.len()));
        } else {
            names.drain(..dead);
            begun_anew = open;
        }
    }
    tally
}

fn add(tally: &mut [usize; 4], more: [usize; 4]) {
    tally.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Rewrites the cases named and prints a line per result.
fn child(root: &Path, names: &[String]) {
    let (ours, reference) = (Api::ours(), Api::reference().unwrap());
    for name in names {
        println!("case {name}");
        let mut case = Case::load(&root.join(name));
        let Some(times) = times_of_fragments(case.document()) else {
            println!("left-out {name}");
            continue;
        };
        if cfg!(target_arch = "aarch64") {
            case = case.with_means_of_aarch64();
        }
        let golden = case.uri().to_owned();
        for (row, layouts) in LAYOUTS.iter().enumerate() {
            let copy = root.join(name).join(format!("copy{row}"));
            let _ = std::fs::remove_dir_all(&copy);
            println!("works the array was written");
            match rewrite(&case, &ours, &reference, &golden, copy.to_str().unwrap(), &times, *layouts) {
                Ok(()) => println!("written {name}"),
                Err(why) => {
                    println!("failed {name}: {}: {why}", layouts.0);
                    continue;
                }
            }
            case = case.at(copy);
            println!("works the reference read it");
            for (query, outcome) in case.check(&reference, |_, _| Ok(())) {
                let query = format!("{name}/{query}");
                match outcome {
                    Err(why) if !WRONG_NULL_COUNTS.contains(&query.as_str()) => {
                        println!("failed {query}: {}: {}", layouts.0, why.replace('\n', " "));
                    }
                    _ => println!("equal {query}"),
                }
            }
        }
        std::io::stdout().flush().unwrap();
    }
}

/// When each fragment was written; `None` if the array is more than its fragments.
fn times_of_fragments(document: &Value) -> Option<Vec<u64>> {
    let name = document["case"].as_str()?;
    if document["kind"] != "array" || LEFT_OUT.iter().any(|start| name.starts_with(start)) {
        return None;
    }
    let files: Vec<&str> = list(&document["files"]).iter().filter_map(|file| file[0].as_str()).collect();
    let more = |file: &&str| {
        [".del", ".con", ".ign", ".vac"].iter().any(|end| file.ends_with(end)) || file.starts_with("__labels/l")
    };
    let schemas = files.iter().filter(|file| file.starts_with("__schema/__") && file.matches('/').count() == 1);
    let schemas = schemas.filter(|file| !file.contains("__enumerations")).count();
    if files.iter().any(more) || schemas != 1 {
        return None;
    }
    let mut times = BTreeSet::new();
    for fragment in list(&document["fragments"]["list"]) {
        let range = &fragment["timestamp_range"];
        let time = range[0].as_u64()?;
        if range[1] != time || !times.insert(time) {
            return None;
        }
    }
    Some(times.into_iter().collect())
}

/// Writes the array anew at `copy`: its schema, then each fragment in these layouts.
fn rewrite(
    case: &Case,
    ours: &Api,
    reference: &Api,
    golden: &str,
    copy: &str,
    times: &[u64],
    (dense, dense_number, sparse, sparse_number): (&str, u64, &str, u64),
) -> Result<(), String> {
    let document = case.document();
    let schema = &document["schemas"][0]["schema"];
    let is_dense = schema["array_type"] == "dense";
    let (reader, writer) = (case.context(reference), case.context(ours));
    create(&writer, golden, copy).map_err(complaint)?;
    for &time in times {
        let fragments = list(&document["fragments"]["list"]).iter();
        let fragment = fragments.into_iter().find(|fragment| fragment["timestamp_range"][0] == time).unwrap();
        let ranges = if is_dense { ranges(schema, fragment) } else { Value::Null };
        let parts: &[&str] = if is_dense { &["attrs"] } else { &["dims", "attrs"] };
        let fields = parts.iter().flat_map(|part| list(&schema[*part])).map(|field| field["name"].clone());
        let query = json!({
            "open": {"start": time, "end": time},
            "layout": if is_dense { dense } else { sparse },
            "ranges": ranges,
            "fields": fields.collect::<Vec<Value>>(),
        });
        let cells = query::read(&reader, golden, schema, &query).map_err(|why| format!("reading {time}: {why}"))?;
        let layout = if is_dense { dense_number } else { sparse_number };
        write(&writer, copy, schema, &query, time, layout, cells).map_err(complaint)?;
    }
    Ok(())
}

/// The region of a dense fragment as ranges of a query.
fn ranges(schema: &Value, fragment: &Value) -> Value {
    let ends = list(&fragment["non_empty_domain"]).iter().map(|range| json!([[range["lo"], range["hi"]]]));
    let names = list(&schema["dims"]).iter().map(|dimension| dimension["name"].as_str().unwrap().to_owned());
    Value::Object(names.zip(ends).collect())
}

/// Creates an array with the schema of another.
fn create(ctx: &Ctx<'_>, golden: &str, copy: &str) -> Result<(), Failure> {
    let array = Array::open(ctx, golden, 0, None, None)?;
    ctx.call("array_load_all_enumerations", &[array.handle])?;
    let schema = ctx.get("array_get_schema", &[array.handle])?;
    let copy = text(copy);
    let created = ctx.call("array_create", &[pointer(&copy), schema]);
    ctx.free("array_schema", schema);
    created
}

fn write(
    ctx: &Ctx<'_>,
    uri: &str,
    schema: &Value,
    query: &Value,
    time: u64,
    layout: u64,
    cells: QueryResult,
) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 1, None, Some(time))?;
    let handle = ctx.get("query_alloc", &[array.handle, 1])?;
    ctx.call("query_set_layout", &[handle, layout])?;
    if query["ranges"].is_object() {
        let subarray = ctx.get("subarray_alloc", &[array.handle])?;
        query::set_ranges(ctx, subarray, schema, query)?;
        ctx.call("query_set_subarray_t", &[handle, subarray])?;
        ctx.free("subarray", subarray);
    }
    let mut columns: Vec<Column> = cells.into_iter().map(|(name, (_, cells))| Column::filled(&name, cells)).collect();
    for column in &mut columns {
        column.bind(ctx, handle)?;
    }
    ctx.call("query_submit", &[handle])?;
    ctx.call("query_finalize", &[handle])?;
    ctx.free("query", handle);
    Ok(())
}
