//! Arrays of every format version: our library and the reference append to the golden arrays of versions 1 to 21,
//! unchanged and after an upgrade by our library, and both must then read the predicted cells.
//!
//! The appended cells are those that the reference reads of the golden array, with their values in reverse order: in a
//! dense array, or a sparse one without duplicates, they replace the existing cells; otherwise they are added to them.
//! Both libraries must choose the same version for the fragment, create the same files, and write the same bytes where
//! no compressor has a choice: the data, the tables of the metadata and the footer. Cases run in child processes, two
//! at a time, so that a crash of our library is a failure with the name of the case. Each has a process with the reference.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod disk;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use support::golden::case::{Case, list};
use support::golden::query::{self, QueryResult, complaint, size_of};
use support::library_process::{self, DIED, LibraryProcess};
use support::{Api, Array, Cells, Column, Ctx, Failure, folders, library, pointer, text};

/// The argument of a process with the reference.
const REFERENCE: &str = "--reference";

/// A cell with all its fields: bytes and validity.
type Row = Vec<(Vec<u8>, Option<u8>)>;

/// Cells that the reference cannot write into an old array such that it could read them again: it filters strings
/// in the way of the current version, whatever the array's.
const REFERENCE_WRITES_WRONG: &str = "Incorrect unfiltered tile size";

/// After an upgrade the reference reads neither its own fragments nor ours: it takes strings behind RLE from before
/// version 12, which were filtered as bytes, for what version 12 made of them.
const REFERENCE_READS_WRONG: [(&str, &str); 1] = [("filters_string__2.7.2", "FilterBuffer error")];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some(REFERENCE) => serve(),
        Some("--child") => child(Path::new(&arguments[1]), &arguments[2..]),
        Some("--list") => println!("arrays_of_every_version: test"),
        _ if library::reference().is_none() => {
            println!("versions: skipped, the reference library is not installed; `make test` installs it");
        }
        _ => {
            let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
            std::process::exit(parent(filter.map(String::as_str)));
        }
    }
}

fn parent(filter: Option<&str>) -> i32 {
    let folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    let mut names = Vec::new();
    for number in 1..22 {
        let version = format!("v{number}");
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{version}.tar.gz"));
        let Ok(file) = std::fs::File::open(golden) else { continue };
        let into = folder.path().join(&version);
        tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(&into).unwrap();
        let cases = std::fs::read_dir(into).unwrap();
        names.extend(cases.map(|case| format!("{version}/{}", case.unwrap().file_name().into_string().unwrap())));
    }
    names.retain(|name| filter.is_none_or(|filter| name.contains(filter)));
    names.sort();
    let lines: Vec<String> = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let mine: Vec<&String> = names.iter().skip(half).step_by(2).collect();
            let folder = folder.path();
            scope.spawn(move || run(folder, &mine))
        });
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed = 0;
    for line in &lines {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        match kind {
            "failed" => {
                println!("FAILED {rest}");
                failed += 1;
            }
            DIED => println!("{line}"),
            "bytes" => *counts.entry("files equal").or_default() += rest.parse::<usize>().unwrap(),
            _ => *counts.entry(kind).or_default() += 1,
        }
    }
    let count = |what: &str| counts.get(what).copied().unwrap_or(0);
    println!(
        "versions: {} arrays, {} appends read by both as predicted, {} files of fragments equal, {} left out",
        count("array"),
        count("equal"),
        count("files equal"),
        count("left-out")
    );
    println!("{} passed, {failed} failed", count("equal"));
    i32::from(failed > 0 || count("equal") == 0)
}

/// Runs cases in child processes and gives what they say.
fn run(folder: &Path, names: &[&String]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut next = 0;
    while next < names.len() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.arg("--child").arg(folder).args(&names[next..]).output().unwrap();
        let text = format!("\n{}", String::from_utf8_lossy(&output.stdout));
        let cases: Vec<&str> = text.split("\ncase ").skip(1).collect();
        for case in &cases {
            lines.extend(case.lines().skip(1).map(str::to_owned));
        }
        if output.status.success() {
            break;
        }
        next += cases.len().max(1);
        let complaint = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        lines.push(format!("failed {}: the process died, {}: {complaint}", names[next - 1], output.status));
    }
    lines
}

/// Appends to the cases named and prints a line per result.
fn child(root: &Path, names: &[String]) {
    let (ours, reference) = (Api::ours(), RefCell::new(LibraryProcess::reference(&[REFERENCE]).unwrap()));
    for name in names {
        println!("case {name}");
        let case_folder = root.join(name);
        let case = Case::load(&case_folder);
        let reference = Reference { process: &reference, case: &case_folder };
        match Subject::new(&case).and_then(|subject| Trial::new(subject, &ours, reference)) {
            None => println!("left-out {name}"),
            Some(trial) => {
                println!("array {name}");
                for upgrade in [false, true] {
                    let folder = case_folder.join(if upgrade { "upgraded" } else { "appended" });
                    if let Err(why) = trial.append_by_both(&folder, upgrade) {
                        println!("failed {name}: upgraded: {upgrade}: {}", why.replace('\n', " "));
                    }
                    std::fs::remove_dir_all(&folder).unwrap();
                }
            }
        }
        std::io::stdout().flush().unwrap();
    }
}

/// The reference in a process of its own, at work on a case.
struct Reference<'a> {
    process: &'a RefCell<LibraryProcess>,
    case: &'a Path,
}

impl Reference<'_> {
    fn read(&self, uri: &str) -> Result<Vec<Row>, String> {
        let read = self.process.borrow_mut().read(&json!(["read", self.case, uri])).unwrap();
        Ok(serde_json::from_value(library_process::to_result(&read)?).unwrap())
    }

    /// Appends cells to an array, which `prepare` puts in place again if an attempt died.
    fn append(&self, uri: &str, cells: &[Row], prepare: impl Fn()) -> Result<(), String> {
        let appended = self.process.borrow_mut().write(|attempt| {
            if attempt > 0 {
                prepare();
            }
            json!(["append", self.case, uri, cells])
        });
        library_process::to_result(&appended.unwrap()).map(drop)
    }
}

fn serve() {
    library_process::serve(|api, request| {
        let case = Case::load(Path::new(request[1].as_str().unwrap()));
        let (subject, uri) = (Subject::new(&case).unwrap(), request[2].as_str().unwrap());
        let result = if request[0] == "read" {
            subject.read(api, uri).map(|rows| json!(rows))
        } else {
            let cells: Vec<Row> = serde_json::from_value(request[3].clone()).unwrap();
            subject.append(api, Path::new(uri), &cells).map(|()| Value::Null)
        };
        match result {
            Ok(value) => json!({ "ok": value }),
            Err(error) => json!({ "error": error }),
        }
    });
}

/// A golden array, how it is read and appended to.
struct Subject<'a> {
    case: &'a Case,
    schema: &'a Value,
    /// Reads everything.
    query: Value,
    /// The fields of the query as they are written: names and sizes of fixed cells.
    fields: Vec<(String, usize)>,
    dense: bool,
    dups: bool,
}

impl<'a> Subject<'a> {
    /// `None` for what is no array with cells.
    fn new(case: &'a Case) -> Option<Subject<'a>> {
        let document = case.document();
        if document["kind"] != "array" || document["non_empty_domain"][0]["value"].is_null() {
            return None;
        }
        let schema = &document["schemas"][0]["schema"];
        let dense = schema["array_type"] == "dense";
        let parts: &[&str] = if dense { &["attrs"] } else { &["dims", "attrs"] };
        let fields: Vec<(String, usize)> = parts
            .iter()
            .flat_map(|part| list(&schema[*part]))
            .map(|field| {
                let size =
                    size_of(field["type"].as_str().unwrap()) * field["cell_val_num"].as_u64().unwrap_or(1) as usize;
                (field["name"].as_str().unwrap().to_owned(), size)
            })
            .collect();
        let domain = list(&document["non_empty_domain"][0]["value"]);
        let names = list(&schema["dims"]).iter().map(|dimension| dimension["name"].as_str().unwrap().to_owned());
        let ranges: serde_json::Map<String, Value> =
            names.zip(domain).map(|(name, range)| (name, json!([[range["lo"], range["hi"]]]))).collect();
        let query = json!({
            "layout": if dense { "row" } else { "unordered" },
            "ranges": if dense { Value::Object(ranges) } else { Value::Null },
            "fields": fields.iter().map(|field| &field.0).collect::<Vec<_>>(),
        });
        let dups = schema["allows_dups"].as_bool().unwrap_or(false);
        Some(Subject { case, schema, query, fields, dense, dups })
    }

    /// All cells, of sparse arrays sorted.
    fn read(&self, api: &Api, uri: &str) -> Result<Vec<Row>, String> {
        let ctx = self.case.context(api);
        let mut rows = self.rows(query::read(&ctx, uri, self.schema, &self.query)?);
        if !self.dense {
            rows.sort();
        }
        Ok(rows)
    }

    fn rows(&self, mut result: QueryResult) -> Vec<Row> {
        let columns: Vec<_> =
            self.fields.iter().map(|(name, size)| result.remove(name).unwrap().1.split(*size)).collect();
        let count = columns.iter().map(Vec::len).max().unwrap_or(0);
        (0..count).map(|i| columns.iter().map(|column| column[i].clone()).collect()).collect()
    }

    fn append(&self, api: &Api, copy: &Path, cells: &[Row]) -> Result<(), String> {
        let ctx = self.case.context(api);
        self.write(&ctx, copy.to_str().unwrap(), cells).map_err(complaint)
    }

    fn write(&self, ctx: &Ctx<'_>, uri: &str, cells: &[Row]) -> Result<(), Failure> {
        let array = Array::open(ctx, uri, 1, None, None)?;
        let handle = ctx.get("query_alloc", &[array.handle, 1])?;
        ctx.call("query_set_layout", &[handle, if self.dense { 0 } else { 3 }])?;
        if self.dense {
            let subarray = ctx.get("subarray_alloc", &[array.handle])?;
            query::set_ranges(ctx, subarray, self.schema, &self.query)?;
            ctx.call("query_set_subarray_t", &[handle, subarray])?;
            ctx.free("subarray", subarray);
        }
        let mut columns: Vec<Column> = (0..self.fields.len()).map(|field| self.column(cells, field)).collect();
        for column in &mut columns {
            column.bind(ctx, handle)?;
        }
        let written = ctx.call("query_submit", &[handle]).and_then(|()| ctx.call("query_finalize", &[handle]));
        ctx.free("query", handle);
        written
    }

    fn column(&self, cells: &[Row], field: usize) -> Column {
        let name = &self.fields[field].0;
        let parts = ["dims", "attrs"].into_iter().flat_map(|part| list(&self.schema[part]));
        let kind = parts.into_iter().find(|field| field["name"] == **name).unwrap();
        let mut column = Cells::default();
        let (mut offsets, mut validity) = (Vec::new(), Vec::new());
        for cell in cells {
            offsets.push(column.data.len() as u64);
            column.data.extend_from_slice(&cell[field].0);
            validity.extend(cell[field].1);
        }
        column.offsets = (kind["cell_val_num"] == "var").then_some(offsets);
        column.validity = (kind["nullable"] == true).then_some(validity);
        Column::filled(name, column)
    }
}

/// Appends to copies of a golden array.
struct Trial<'a> {
    subject: Subject<'a>,
    ours: &'a Api,
    reference: Reference<'a>,
    /// The cells that the reference reads of the golden array.
    before: Vec<Row>,
}

impl<'a> Trial<'a> {
    /// `None` for arrays that the reference cannot read: some of its own.
    fn new(subject: Subject<'a>, ours: &'a Api, reference: Reference<'a>) -> Option<Trial<'a>> {
        let before = reference.read(subject.case.uri()).ok()?;
        Some(Trial { subject, ours, reference, before })
    }

    /// Cells to be written: those there are, their values reversed or, where filters do not bear that, as they are.
    fn cells(&self, reverse: bool) -> Vec<Row> {
        let dims = if self.subject.dense { 0 } else { list(&self.subject.schema["dims"]).len() };
        let mut cells = self.before.clone();
        if reverse {
            for (cell, other) in cells.iter_mut().zip(self.before.iter().rev()) {
                cell[dims..].clone_from_slice(&other[dims..]);
            }
        }
        cells
    }

    /// What must be read once these cells were appended.
    fn predicted(&self, cells: &[Row]) -> Vec<Row> {
        let mut rows = cells.to_vec();
        if self.subject.dups {
            rows.extend_from_slice(&self.before);
        }
        if !self.subject.dense {
            rows.sort();
        }
        rows
    }

    /// Appends to a copy by ours and to another by the reference, then compares.
    fn append_by_both(&self, folder: &Path, upgrade: bool) -> Result<(), String> {
        let golden = Path::new(self.subject.case.uri());
        let copies = [folder.join("ours"), folder.join("reference")];
        let prepare = |copy: &Path| {
            _ = std::fs::remove_dir_all(copy);
            folders::copy(golden, copy);
            let upgraded = upgrade.then(|| {
                upgrade_version(&self.subject.case.context(self.ours), copy.to_str().unwrap()).map_err(complaint)
            });
            upgraded.unwrap_or(Ok(()))
        };
        copies.iter().try_for_each(|copy| prepare(copy))?;
        let append_by_reference =
            |cells: &[Row]| self.reference.append(copies[1].to_str().unwrap(), cells, || prepare(&copies[1]).unwrap());
        // An array is what the last of its schemas is, by name: one that was evolved at a set time may have a name
        // that sorts behind that of the upgrade.
        let is_upgraded = upgrade && latest_schema(&copies[0]) != latest_schema(golden);
        let expected = match self.subject.schema["version"].as_u64().unwrap() {
            _ if is_upgraded => 22,
            0..7 => 22,
            version => version,
        };
        let mut cells = self.cells(true);
        let first = self.subject.append(self.ours, &copies[0], &cells);
        let second = append_by_reference(&cells);
        if first.is_err() && second.is_err() {
            cells = self.cells(false);
            self.subject.append(self.ours, &copies[0], &cells)?;
            append_by_reference(&cells)?;
        } else {
            first.map_err(|why| format!("ours cannot write: {why}"))?;
            second.map_err(|why| format!("the reference cannot write: {why}"))?;
        }
        let predicted = self.predicted(&cells);
        let (mut news, mut wrong) = (Vec::new(), Vec::new());
        for (writer, copy) in ["ours", "reference"].iter().zip(&copies) {
            let new = new_fragment(golden, copy)?;
            let version = new.file_name().unwrap().to_str().unwrap().rsplit('_').next().unwrap().to_owned();
            if version != expected.to_string() {
                return Err(format!("{writer} wrote a fragment of version {version} instead of {expected}"));
            }
            news.push(new);
            let uri = copy.to_str().unwrap();
            for reader in ["ours", "the reference"] {
                let read = if reader == "ours" { self.subject.read(self.ours, uri) } else { self.reference.read(uri) };
                match read {
                    Ok(rows) if rows == predicted => println!("equal {reader} after {writer}"),
                    Ok(rows) => {
                        let at = rows.iter().zip(&predicted).position(|(a, b)| a != b);
                        let (got, want) = (rows.len(), predicted.len());
                        wrong.push(format!("{reader} reads other cells after {writer}: {got} of {want}, {at:?}"));
                    }
                    Err(_) if *writer == "reference" && self.reference_is_wrong(copy) => println!("wrong {writer}"),
                    Err(why) if reader != "ours" && upgrade && self.reference_cannot_read(&why) => {
                        println!("unreadable {reader} after {writer}");
                    }
                    Err(why) => wrong.push(format!("{reader} cannot read after {writer}: {why}")),
                }
            }
        }
        if !wrong.is_empty() {
            return Err(wrong.join("; "));
        }
        if self.reference_is_wrong(&copies[1]) {
            return Ok(());
        }
        println!(
            "bytes {}",
            disk::compare(&news[0], &news[1], self.subject.case.document(), self.subject.schema, upgrade)?
        );
        Ok(())
    }

    /// True for the arrays that the reference cannot read after an upgrade, whoever appends.
    fn reference_cannot_read(&self, why: &str) -> bool {
        let case = self.subject.case.document()["case"].as_str();
        REFERENCE_READS_WRONG.iter().any(|(name, text)| case == Some(name) && why.contains(text))
    }

    /// True if the reference cannot read what it wrote itself.
    fn reference_is_wrong(&self, copy: &Path) -> bool {
        self.reference.read(copy.to_str().unwrap()).is_err_and(|why| why.contains(REFERENCE_WRITES_WRONG))
    }
}

fn upgrade_version(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let uri = text(uri);
    ctx.call("array_upgrade_version", &[pointer(&uri), 0])
}

/// The name of the schema that an array has.
fn latest_schema(array: &Path) -> Option<std::ffi::OsString> {
    let names = std::fs::read_dir(array.join("__schema")).ok()?.map(|entry| entry.unwrap().file_name());
    names.filter(|name| *name != "__enumerations").max()
}

/// The folder of the fragment that a copy has and the golden array has not.
fn new_fragment(golden: &Path, copy: &Path) -> Result<PathBuf, String> {
    let fragments = |array: &Path| -> BTreeSet<PathBuf> {
        let mut fragments = BTreeSet::new();
        for folder in [PathBuf::new(), PathBuf::from("__fragments")] {
            let Ok(entries) = std::fs::read_dir(array.join(&folder)) else { continue };
            for entry in entries.map(Result::unwrap) {
                if entry.path().join("__fragment_metadata.tdb").exists() {
                    fragments.insert(folder.join(entry.file_name()));
                }
            }
        }
        fragments
    };
    let new: Vec<PathBuf> = fragments(copy).difference(&fragments(golden)).cloned().collect();
    match new.as_slice() {
        [one] => Ok(copy.join(one)),
        more => Err(format!("{} new fragments instead of one", more.len())),
    }
}
