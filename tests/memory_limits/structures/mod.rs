//! Structures of very many long, similar texts: what either library writes, both can read. Similar texts compress a
//! hundredfold, as bombs do.
//!
//! Every write and read runs in a process of its own, so that a crash of libtiledb is known as its own. By default with
//! some 10,000 entries; `STRUCTURES=full` uses a million, and prints time and memory. `STRUCTURES=1000` uses that many for all
//! libraries.

mod deletes;
mod enumeration;
mod fragments;
mod members;
mod metadata;
mod schemas;

use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::resident;
use support::cpu_timeout::{CpuTimeout, processor_time};
use support::{Api, Array, Cells, Column, Ctx, Failure, address, borrowed, bytes, pointer, text};

const INT32: u64 = 0;
const INT64: u64 = 1;
const UINT8: u64 = 6;
const UINT32: u64 = 9;
const STRING_ASCII: u64 = 11;
const VARIABLE: u64 = u32::MAX as u64;
const READ: u64 = 0;
const WRITE: u64 = 1;
const DELETE: u64 = 2;
const UNORDERED: u64 = 3;

/// Processor time that one write or read may take.
const TIMEOUT: Duration = Duration::from_secs(1800);

type Work = fn(&Ctx<'_>, &Meter, &str, usize) -> Result<(), Failure>;

/// A structure: its numbers of entries, and how it is written and read.
struct Structure {
    name: &'static str,
    quick: Counts,
    full: Counts,
    write: Work,
    read: Work,
}

/// Numbers of entries. libtiledb's time grows with the square of the number of many of them.
#[derive(Clone, Copy)]
struct Counts {
    /// Written and read by ours.
    ours: usize,
    /// Written by ours, and read by both.
    read_by_reference: usize,
    /// Written by libtiledb, and read by both.
    written_by_reference: usize,
}

const fn counts(ours: usize, read_by_reference: usize, written_by_reference: usize) -> Counts {
    Counts { ours, read_by_reference, written_by_reference }
}

const STRUCTURES: [Structure; 13] = [
    Structure {
        name: "members",
        quick: counts(50_000, 10_000, 10_000),
        full: counts(1_000_000, 1_000_000, 1_000_000),
        write: members::write,
        read: members::read,
    },
    Structure {
        name: "enumeration",
        quick: counts(200_000, 50_000, 50_000),
        full: counts(1_000_000, 1_000_000, 1_000_000),
        write: enumeration::write,
        read: enumeration::read,
    },
    Structure {
        name: "array_keys",
        quick: counts(100_000, 10_000, 1_000),
        full: counts(1_000_000, 1_000_000, 10_000),
        write: metadata::write_array,
        read: metadata::read_array,
    },
    Structure {
        name: "group_keys",
        quick: counts(100_000, 10_000, 1_000),
        full: counts(1_000_000, 1_000_000, 10_000),
        write: metadata::write_group,
        read: metadata::read_group,
    },
    Structure {
        name: "value",
        quick: counts(100 << 20, 10 << 20, 10 << 20),
        full: counts(200 << 20, 200 << 20, 200 << 20),
        write: metadata::write_value,
        read: metadata::read_value,
    },
    Structure {
        name: "set",
        quick: counts(200_000, 1_000, 1_000),
        full: counts(1_000_000, 1_000_000, 1_000_000),
        write: deletes::write_set,
        read: deletes::read,
    },
    Structure {
        name: "comparisons",
        quick: counts(10_000, 500, 500),
        full: counts(1_000_000, 1_000_000, 100_000),
        write: deletes::write_comparisons,
        read: deletes::read,
    },
    Structure {
        name: "conditions",
        quick: counts(50, 20, 20),
        full: counts(1_000, 1_000, 1_000),
        write: deletes::write_conditions,
        read: deletes::read,
    },
    Structure {
        name: "attributes",
        quick: counts(2_000, 500, 500),
        full: counts(1_000_000, 1_000_000, 1_000_000),
        write: schemas::write_attributes,
        read: schemas::read_attributes,
    },
    Structure {
        name: "dimensions",
        quick: counts(100, 30, 30),
        full: counts(10_000, 10_000, 10_000),
        write: schemas::write_dimensions,
        read: schemas::read_dimensions,
    },
    Structure {
        name: "tiles",
        quick: counts(20_000, 1_000, 1_000),
        full: counts(1_000_000, 1_000_000, 100_000),
        write: fragments::write_tiles,
        read: fragments::read_tiles,
    },
    Structure {
        name: "footers",
        quick: counts(300, 100, 100),
        full: counts(500_000, 500_000, 100_000),
        write: fragments::write_footers,
        read: fragments::read_footers,
    },
    Structure {
        name: "names",
        quick: counts(2_000, 1_000, 1_000),
        full: counts(1_000_000, 1_000_000, 1_000_000),
        write: fragments::write_names,
        read: fragments::read_names,
    },
];

/// A text of a hundred bytes.
fn entry(number: usize) -> String {
    format!(
        "https://purl.example.org/institute-of-everything/ontologies/obo/release-2026-11/cells/CELLTYPE_{number:07}"
    )
}

/// Entries that are compared one by one.
fn samples(count: usize) -> [usize; 4] {
    [0, 1.min(count - 1), count / 2, count - 1]
}

/// The value of `STRUCTURES`.
fn scale() -> String {
    std::env::var("STRUCTURES").unwrap_or_default()
}

/// Writes with each library, and reads what it wrote with both; gives the number of failures.
pub fn parent(folder: &Path, filter: &str) -> usize {
    let mut failed = 0;
    let scale = scale();
    let has_reference = support::library::reference().is_some();
    for structure in
        STRUCTURES.iter().filter(|structure| "structures".contains(filter) || structure.name.contains(filter))
    {
        let counts = match scale.parse() {
            Ok(count) => counts(count, count, count),
            Err(_) if scale == "full" => structure.full,
            Err(_) => structure.quick,
        };
        let mut cases = Vec::new();
        if !has_reference || counts.ours != counts.read_by_reference {
            cases.push(("ours", counts.ours, &["ours"][..]));
        }
        if has_reference {
            let readers = &["ours", "reference"][..];
            cases.push(("ours", counts.read_by_reference, readers));
            cases.push(("reference", counts.written_by_reference, readers));
        }
        for (writer, count, readers) in cases {
            let place = folder.join("structure");
            let run = |role: &str, library: &str| run(structure, [role, library, writer], &place, count);
            failed += match run("write", writer) {
                true => readers.iter().filter(|reader| !run("read", reader)).count(),
                false => 1,
            };
            let _ = std::fs::remove_dir_all(&place);
        }
    }
    failed
}

/// True if it succeeded.
fn run(structure: &Structure, [role, library, writer]: [&str; 3], place: &Path, count: usize) -> bool {
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program)
        .args(["--structure", structure.name, &format!("{role}/{library}"), &count.to_string()])
        .arg(place)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let timeout = CpuTimeout::new(child.id(), TIMEOUT);
    while child.try_wait().unwrap().is_none() {
        if timeout.is_over() {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    let is_done = output.status.success();
    if !is_done {
        let why = String::from_utf8_lossy(&output.stderr);
        println!(
            "FAILED {} of {count} written by {writer}, {role} by {library}: {} {why}",
            structure.name, output.status
        );
    } else if !scale().is_empty() || std::env::var_os("SHOW").is_some() {
        print!("{} of {count} written by {writer}, {role} by {library}: {report}", structure.name);
    }
    is_done
}

/// Time and memory of one write or read, without the preparation of what it works on.
struct Meter {
    start: Cell<Instant>,
    used: Cell<Duration>,
    resident: Cell<usize>,
}

impl Meter {
    fn new() -> Meter {
        let meter = Meter { start: Cell::new(Instant::now()), used: Cell::default(), resident: Cell::default() };
        meter.restart();
        meter
    }

    /// Begins to measure anew.
    fn restart(&self) {
        resident::reset_peak();
        self.resident.set(resident::now());
        self.used.set(processor_time(std::process::id()));
        self.start.set(Instant::now());
    }

    fn report(&self) -> String {
        let time = self.start.get().elapsed();
        let used = processor_time(std::process::id()) - self.used.get();
        let growth = resident::peak().saturating_sub(self.resident.get()) >> 20;
        format!("{:.2} s, {:.2} s processor time, {growth} MiB", time.as_secs_f64(), used.as_secs_f64())
    }
}

/// One write or read: `--structure NAME ROLE/LIBRARY COUNT PLACE`.
pub fn child(arguments: &[String]) {
    let [_, name, work, count, place] = arguments else { panic!("five arguments: {arguments:?}") };
    let structure = STRUCTURES.iter().find(|structure| structure.name == name).unwrap();
    let (role, library) = work.split_once('/').unwrap();
    let api = if library == "ours" { Api::ours() } else { Api::reference().unwrap() };
    let large = (1u64 << 33).to_string();
    let ctx = api.context(&[("sm.enumerations_max_size", &large), ("sm.enumerations_max_total_size", &large)]);
    let work = if role == "write" { structure.write } else { structure.read };
    if role == "write" {
        std::fs::create_dir(place).unwrap();
    }
    let meter = Meter::new();
    work(&ctx, &meter, place, count.parse().unwrap()).unwrap();
    let report = meter.report();
    let stored = largest_file(Path::new(place)) as f64 / (1 << 20) as f64;
    println!("{report}, {stored:.1} MiB in the largest file");
}

/// Bytes of the largest file below a folder.
fn largest_file(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let sizes = entries.map(|entry| {
        let kind = entry.file_type().unwrap();
        match kind.is_dir() {
            true => largest_file(&entry.path()),
            false if kind.is_file() => entry.metadata().unwrap().len(),
            false => 0,
        }
    });
    sizes.max().unwrap_or(0)
}

/// Opens a group, works with it, and closes it, which writes.
fn with_group(
    ctx: &Ctx<'_>,
    uri: &str,
    query_type: u64,
    work: impl FnOnce(u64) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let group = ctx.get("group_alloc", &[pointer(&text(uri))])?;
    ctx.call("group_open", &[group, query_type])?;
    work(group)?;
    ctx.call("group_close", &[group])?;
    ctx.free("group", group);
    Ok(())
}

/// Attributes and dimensions of a sparse array: names, and whether they are texts.
struct Fields {
    dimensions: Vec<(String, bool)>,
    attributes: Vec<(String, bool)>,
    capacity: u64,
}

/// A dimension of whole numbers and an attribute of texts.
fn fields() -> Fields {
    Fields { dimensions: vec![("d".to_owned(), false)], attributes: vec![("a".to_owned(), true)], capacity: 10_000 }
}

fn schema(ctx: &Ctx<'_>, fields: &Fields) -> Result<u64, Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    for (name, is_text) in &fields.dimensions {
        let (ends, extent) = ([0i64, 1 << 40], [1i64 << 20]);
        let (datatype, ends, extent) = match is_text {
            true => (STRING_ASCII, 0, 0),
            false => (INT64, ends.as_ptr() as u64, extent.as_ptr() as u64),
        };
        let dimension = ctx.get("dimension_alloc", &[pointer(&text(name)), datatype, ends, extent])?;
        ctx.call("domain_add_dimension", &[domain, dimension])?;
        ctx.free("dimension", dimension);
    }
    let schema = ctx.get("array_schema_alloc", &[1])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_set_capacity", &[schema, fields.capacity])?;
    for (name, is_text) in &fields.attributes {
        let datatype = if *is_text { STRING_ASCII } else { INT32 };
        let attribute = ctx.get("attribute_alloc", &[pointer(&text(name)), datatype])?;
        if *is_text {
            ctx.call("attribute_set_cell_val_num", &[attribute, VARIABLE])?;
        }
        ctx.call("array_schema_add_attribute", &[schema, attribute])?;
        ctx.free("attribute", attribute);
    }
    Ok(schema)
}

fn create(ctx: &Ctx<'_>, uri: &str, fields: &Fields) -> Result<(), Failure> {
    let schema = schema(ctx, fields)?;
    ctx.call("array_create", &[pointer(&text(uri)), schema])?;
    ctx.free("array_schema", schema);
    Ok(())
}

fn submit(ctx: &Ctx<'_>, uri: &str, query_type: u64, columns: &mut [Column]) -> Result<(), Failure> {
    submit_to(ctx, &Array::open(ctx, uri, query_type, None, None)?, query_type, columns)
}

fn submit_to(ctx: &Ctx<'_>, array: &Array<'_>, query_type: u64, columns: &mut [Column]) -> Result<(), Failure> {
    let query = ctx.get("query_alloc", &[array.handle, query_type])?;
    ctx.call("query_set_layout", &[query, UNORDERED])?;
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    ctx.call("query_submit", &[query])?;
    ctx.free("query", query);
    Ok(())
}

fn numbers(name: &str, values: impl Iterator<Item = i64>) -> Column {
    Column::filled(name, Cells { data: values.flat_map(i64::to_le_bytes).collect(), ..Cells::default() })
}

/// Texts one after the other, and where each begins.
fn texts(values: impl Iterator<Item = String>) -> (Vec<u8>, Vec<u64>) {
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for value in values {
        offsets.push(data.len() as u64);
        data.extend_from_slice(value.as_bytes());
    }
    (data, offsets)
}

fn text_column(name: &str, values: impl Iterator<Item = String>) -> Column {
    let (data, offsets) = texts(values);
    Column::filled(name, Cells { data, offsets: Some(offsets), validity: None })
}

fn consolidate(ctx: &Ctx<'_>, uri: &str, mode: &str) -> Result<(), Failure> {
    let mut config = ctx.api.config(&[("sm.consolidation.mode", mode)]);
    let done = ctx.call("array_consolidate", &[pointer(&text(uri)), config]);
    ctx.api.raw("config_free", &[address(&mut config)]);
    done
}
