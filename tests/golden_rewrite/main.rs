//! Written golden arrays: our library writes every golden array of the current format version again, fragment by
//! fragment, from the cells that the reference reads of it. The reference must then return the recorded results of
//! every query, including conditions and aggregates.
//!
//! Each array is written twice: in row-major (sparse: unordered) layout and in column-major (sparse: global order)
//! layout. Arrays that cannot be reproduced from their fragments are skipped: those with deletes, consolidation, schema
//! evolution or corruption. Cases run in child processes, two at a time, so that a crash of our library is a failure
//! with the name of the case. Each has a process with the reference.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use support::golden::case::{Case, list};
use support::golden::query::{self, complaint};
use support::library_process::{self, DIED, LibraryProcess};
use support::{Api, Array, Cells, Column, Ctx, Failure, folders, library, pointer, text};

/// The layouts to write in, dense and sparse, by their numbers.
const LAYOUTS: [(&str, u64, &str, u64); 2] = [("row", 0, "unordered", 3), ("col", 1, "global", 2)];

/// Cases left out by the start of their names: damaged ones, and WEBP, whose lossy images differ again.
const LEFT_OUT: [&str; 2] = ["corrupt_", "filter_webp_"];

/// Answers that the reference takes from statistics which it had written wrongly itself: nulls of
/// variable-length attributes in dense arrays.
const WRONG_NULL_COUNTS: [&str; 3] =
    ["dense_attr_string_ascii/agg_full", "dense_attr_string_ascii/agg_cond", "write_col_into_row/agg_full"];

/// The argument of a process with the reference.
const REFERENCE: &str = "--reference";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some(REFERENCE) => serve(),
        Some("--child") => child(Path::new(&arguments[1]), &arguments[2..]),
        Some("--list") => println!("golden_arrays_written_anew: test"),
        _ if library::reference().is_none() => {
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

/// Rewrites cases in child processes; how many arrays were written, cases left out, queries equal, and failures.
fn rewrite_all(root: &Path, mut names: Vec<String>) -> [usize; 4] {
    let mut tally = [0; 4];
    while !names.is_empty() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.arg("--child").arg(root).args(&names).output().unwrap();
        let (mut open, mut works) = (String::new(), String::new());
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            match kind {
                "case" => rest.clone_into(&mut open),
                "works" => rest.clone_into(&mut works),
                "written" => tally[0] += 1,
                "left-out" => tally[1] += 1,
                "equal" => tally[2] += 1,
                DIED => println!("{line}"),
                _ => {
                    println!("FAILED {rest}");
                    tally[3] += 1;
                }
            }
        }
        if output.status.success() {
            break;
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        println!("FAILED {open}: the process died while {works}, {}: {complaint}", output.status);
        tally[3] += 1;
        let dead = names.iter().position(|name| *name == open).unwrap_or(names.len());
        names.drain(..(dead + 1).min(names.len()));
    }
    tally
}

/// Rewrites the cases named and prints a line per result.
fn child(root: &Path, names: &[String]) {
    let (ours, mut reference) = (Api::ours(), Reference(LibraryProcess::reference(&[REFERENCE]).unwrap()));
    for name in names {
        println!("case {name}");
        let case = load(&root.join(name));
        let Some(times) = times_of_fragments(case.document()) else {
            println!("left-out {name}");
            continue;
        };
        for (row, layouts) in LAYOUTS.iter().enumerate() {
            let copy = root.join(name).join(format!("copy{row}"));
            let _ = std::fs::remove_dir_all(&copy);
            println!("works the array was written");
            match rewrite(&case, &ours, &mut |query| reference.read(&root.join(name), query), &copy, &times, *layouts) {
                Ok(()) => println!("written {name}"),
                Err(why) => {
                    println!("failed {name}: {}: {why}", layouts.0);
                    continue;
                }
            }
            println!("works the reference read it");
            for (query, outcome) in reference.check(&root.join(name), &copy) {
                let query = format!("{name}/{query}");
                match outcome {
                    Some(why) if !WRONG_NULL_COUNTS.contains(&query.as_str()) => {
                        println!("failed {query}: {}: {}", layouts.0, why.replace('\n', " "));
                    }
                    _ => println!("equal {query}"),
                }
            }
        }
        std::io::stdout().flush().unwrap();
    }
}

fn load(folder: &Path) -> Case {
    let case = Case::load(folder);
    if cfg!(target_arch = "aarch64") { case.with_means_of_aarch64() } else { case }
}

/// A process with the reference.
struct Reference(LibraryProcess);

/// Cells of a field in a response.
type Field = (String, Vec<u8>, Option<Vec<u64>>, Option<Vec<u8>>);

impl Reference {
    /// The cells that a query selects from the golden array in a folder.
    fn read(&mut self, folder: &Path, query: &Value) -> Result<Vec<Column>, String> {
        let fields = self.0.read(&json!(["read", folder.to_str().unwrap(), query])).unwrap();
        let fields: Vec<Field> = serde_json::from_value(library_process::to_result(&fields)?).unwrap();
        let column = |(name, data, offsets, validity): Field| Column::filled(&name, Cells { data, offsets, validity });
        Ok(fields.into_iter().map(column).collect())
    }

    /// The recorded queries of the golden array in a folder, with what is wrong about their results of a copy.
    fn check(&mut self, folder: &Path, copy: &Path) -> Vec<(String, Option<String>)> {
        let request = json!(["check", folder.to_str().unwrap(), copy.to_str().unwrap()]);
        serde_json::from_value(self.0.read(&request).unwrap()).unwrap()
    }
}

fn serve() {
    library_process::serve(|api, request| {
        let case = load(Path::new(request[1].as_str().unwrap()));
        if request[0] == "check" {
            let checked = case.at(request[2].as_str().unwrap().into()).check(api, |_, _| Ok(()));
            let checked = checked.into_iter().map(|(query, outcome)| (query, outcome.err()));
            return json!(checked.collect::<Vec<_>>());
        }
        let schema = &case.document()["schemas"][0]["schema"];
        match query::read(&case.context(api), case.uri(), schema, &request[2]) {
            Ok(result) => {
                let field =
                    |(name, (_, cells)): (String, (_, Cells))| (name, cells.data, cells.offsets, cells.validity);
                json!({ "ok": result.into_iter().map(field).collect::<Vec<Field>>() })
            }
            Err(error) => json!({ "error": error }),
        }
    });
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

/// Writes the array anew at `copy`: its schema, then each fragment in these layouts. `read` returns the cells that a query selects.
fn rewrite(
    case: &Case,
    ours: &Api,
    read: &mut dyn FnMut(&Value) -> Result<Vec<Column>, String>,
    copy: &Path,
    times: &[u64],
    (dense, dense_number, sparse, sparse_number): (&str, u64, &str, u64),
) -> Result<(), String> {
    let document = case.document();
    let schema = &document["schemas"][0]["schema"];
    let is_dense = schema["array_type"] == "dense";
    let (writer, copy) = (case.context(ours), copy.to_str().unwrap());
    create(&writer, case.uri(), copy).map_err(complaint)?;
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
        let columns = read(&query).map_err(|why| format!("reading {time}: {why}"))?;
        let layout = if is_dense { dense_number } else { sparse_number };
        write(&writer, copy, schema, &query, time, layout, columns).map_err(complaint)?;
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
    mut columns: Vec<Column>,
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
    for column in &mut columns {
        column.bind(ctx, handle)?;
    }
    ctx.call("query_submit", &[handle])?;
    ctx.call("query_finalize", &[handle])?;
    ctx.free("query", handle);
    Ok(())
}
