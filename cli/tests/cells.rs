//! The output of `cat` for golden arrays of every format version and datatype, as CSV, JSON and Arrow, equals the cells
//! that libtiledb 2.30 read, value by value, also after maintenance.
//!
//! Arrays of which libtiledb reads all cells incorrectly (`tests/golden/reference_wrong.txt`) are skipped.
//!
//! By default some arrays of each version are tested (a third of them after maintenance), and those of the latest
//! version that differ in their output. `CASES=all` selects all arrays, `CASES=v22/enumeration` those whose names begin
//! with this.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

#[path = "support/raw.rs"]
mod raw;
#[path = "cells/recorded.rs"]
mod recorded;
#[path = "cells/shown.rs"]
mod shown;
mod support;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::ArrayRef;
use raw::raw;
use recorded::{Field, Recorded};
use serde_json::Value as Json;
use support::{Story, project};

/// The date that is none.
const NOT_A_TIME: [u8; 8] = i64::MIN.to_le_bytes();

/// Of the newest version: kinds of arrays rather than of filters.
const CHOSEN: [&str; 32] = [
    "consolidated_sparse_hilbert",
    "current_domain",
    "deleted_fragments",
    "deletes",
    "dense_2d_cell_col_tile_row",
    "dense_anonymous_attr",
    "dense_attr_datetime_as",
    "dense_attr_datetime_month",
    "dense_attr_string",
    "dense_custom_fills",
    "dense_empty",
    "dense_negative_domain",
    "dims_named_oddly",
    "encrypted",
    "enumeration",
    "evolution",
    "labels",
    "sparse_any",
    "sparse_attr_blob",
    "sparse_attr_bool",
    "sparse_attr_char",
    "sparse_attr_float",
    "sparse_attr_geom",
    "sparse_attr_int8",
    "sparse_attr_string",
    "sparse_attr_time",
    "sparse_attr_uint64",
    "sparse_empty",
    "sparse_hilbert_2d_string",
    "sparse_mixed_dims",
    "sparse_nullable_all",
    "sparse_string",
];

/// What chooses some of many names, always the same.
fn number(name: &str) -> usize {
    name.bytes().map(usize::from).sum()
}

/// Cases of which the reference reads all cells wrongly.
fn wrong_cases() -> HashSet<String> {
    let text = std::fs::read_to_string(project().join("tests/golden/reference_wrong.txt")).unwrap();
    let names = text.lines().filter_map(|line| line.split(' ').next()?.strip_suffix("/full_global"));
    names.map(str::to_owned).collect()
}

/// Names of the cases to look at, by version.
fn cases(folder: &Path) -> Vec<String> {
    let filter = std::env::var("CASES").unwrap_or_default();
    let wrong = wrong_cases();
    let mut cases = Vec::new();
    for archive in std::fs::read_dir(project().join("tests/golden")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = archive.file_name().unwrap().to_str().unwrap();
        let Some(version) = name.strip_suffix(".tar.gz").filter(|name| name.starts_with('v')) else { continue };
        let place = folder.join(version);
        std::fs::create_dir(&place).unwrap();
        support::tar(&["-xzf", archive.to_str().unwrap()], &place);
        for case in std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
            let full = format!("{version}/{case}");
            let is_chosen = match filter.as_str() {
                "" if version == "v22" => CHOSEN.iter().any(|chosen| case.starts_with(chosen)),
                // Every version has arrays of the same names: each is looked at in one version of four.
                "" => number(&full).is_multiple_of(4),
                "all" => true,
                start => full.starts_with(start),
            };
            if is_chosen && !wrong.contains(&full) {
                cases.push(full);
            }
        }
    }
    cases.sort();
    cases
}

/// An array that was unpacked, and what is known of it.
struct Case<'a> {
    story: &'a Story,
    uri: String,
    known: Recorded,
    settings: Vec<String>,
}

impl<'a> Case<'a> {
    fn new(story: &'a Story, name: &str) -> Option<Self> {
        let folder = story.path().join(name);
        let known = Recorded::load(&folder)?;
        support::tar(&["-xf", "array.tar"], &folder);
        let uri = format!("{name}/{}", known.array);
        let key = known.key.iter().map(|key| format!("sm.encryption_key={key}"));
        let settings = key.flat_map(|key| ["-c".to_owned(), key, "-c".into(), "sm.encryption_type=AES_256_GCM".into()]);
        let settings = settings.collect();
        Some(Self { story, uri, known, settings })
    }

    /// Runs a command, which must end well.
    fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, String> {
        let settings = self.settings.iter().map(String::as_str);
        let all: Vec<&str> = settings.chain(arguments.iter().copied()).collect();
        let output = self.story.tool(&all);
        if output.status.success() {
            return Ok(output.stdout);
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        let said = String::from_utf8_lossy(&output.stdout);
        Err(format!("{arguments:?}: {}: {stderr}{}", output.status, &said[..said.len().min(1000)]))
    }

    fn cat(&self, format: &str) -> Result<Vec<u8>, String> {
        let mut arguments = vec!["cat", &self.uri, "--format", format];
        // A field without a name cannot be asked for.
        let names: Vec<&str> = self.known.fields.iter().map(|field| field.name.as_str()).collect();
        let names = names.join(",");
        arguments.extend(["--fields", &names]);
        arguments.extend(self.known.ranges.iter().flat_map(|range| ["--range", range]));
        self.run(&arguments)
    }

    /// Compares rows in their order, or as sets where cells may come in another.
    fn compare<T>(
        &self,
        rows: &[T],
        is: impl Fn(&T, &Field, usize, usize) -> bool,
        show: impl Fn(&T, usize) -> String,
    ) -> Result<(), String> {
        let fields = &self.known.fields;
        let expected = fields[0].len();
        if rows.len() != expected {
            return Err(format!("{} cells instead of {expected}", rows.len()));
        }
        let same = |row: &T, at: usize| fields.iter().enumerate().find(|(number, field)| !is(row, field, *number, at));
        if self.known.is_in_order {
            for (at, row) in rows.iter().enumerate() {
                if let Some((number, field)) = same(row, at) {
                    let (name, datatype, shown) = (&field.name, &field.datatype, field.shown(at));
                    return Err(format!(
                        "cell {at} of {name} ({datatype}): {} instead of {shown:?}",
                        show(row, number)
                    ));
                }
            }
            return Ok(());
        }
        let mut left: Vec<usize> = (0..expected).collect();
        for row in rows {
            let Some(place) = left.iter().position(|&at| same(row, at).is_none()) else {
                let shown: Vec<String> = (0..fields.len()).map(|number| show(row, number)).collect();
                return Err(format!("no cell is {shown:?}"));
            };
            left.swap_remove(place);
        }
        Ok(())
    }

    fn csv(&self) -> Result<(), String> {
        let text = self.cat("csv")?;
        let mut reader = csv::Reader::from_reader(text.as_slice());
        let rows: Vec<csv::StringRecord> =
            reader.records().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        self.compare(
            &rows,
            |row, field, number, at| match field.shown(at) {
                None => row[number].is_empty(),
                Some((datatype, values, cell)) => shown::stands_for(&row[number], datatype, values, cell),
            },
            |row, number| row[number].to_owned(),
        )
    }

    fn json(&self) -> Result<(), String> {
        let text = String::from_utf8(self.cat("json")?).map_err(|error| error.to_string())?;
        let rows: Vec<Json> =
            text.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        // Texts of numbers are taken back as numbers.
        fn plain(value: &Json) -> String {
            match value {
                Json::String(text) => text.clone(),
                Json::Array(all) => format!("[{}]", all.iter().map(plain).collect::<Vec<_>>().join(", ")),
                other => other.to_string(),
            }
        }
        self.compare(
            &rows,
            |row, field, _, at| {
                let value = &row[&field.name];
                match field.shown(at) {
                    None => value.is_null(),
                    Some((datatype, values, cell)) => {
                        let is_text = shown::is_whole(datatype) || datatype.starts_with("DATETIME_");
                        let kind = value.is_string() == is_text || datatype.starts_with("FLOAT") || value.is_array();
                        kind && shown::stands_for(&plain(value), datatype, values, cell)
                    }
                }
            },
            |row, number| row[&self.known.fields[number].name].to_string(),
        )
    }

    fn arrow(&self) -> Result<(), String> {
        let file = match self.cat("arrow") {
            // Arrow has no text that is not UTF-8.
            Err(error) if error.contains("has text that is not UTF-8") && self.has_other_text() => return Ok(()),
            file => std::io::Cursor::new(file?),
        };
        let reader = arrow_ipc::reader::FileReader::try_new(file, None).map_err(|error| error.to_string())?;
        let batches: Vec<_> = reader.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        let rows: Vec<(&[ArrayRef], usize)> =
            batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|row| (batch.columns(), row))).collect();
        self.compare(
            &rows,
            |(columns, row), field, number, at| {
                let cell = raw(&columns[number], *row).or_else(|| {
                    // "Not a time" is null.
                    let is_date = field.datatype.starts_with("DATETIME_");
                    (is_date && field.stored(at) == Some(&NOT_A_TIME[..])).then(|| NOT_A_TIME.to_vec())
                });
                cell.as_deref() == field.stored(at) || (cell.is_none() && field.stands_for_nothing(at))
            },
            |(columns, row), number| format!("{:?} {:?}", columns[number].data_type(), raw(&columns[number], *row)),
        )
    }

    /// Whether some text of variable length is not UTF-8.
    fn has_other_text(&self) -> bool {
        let texts = self.known.fields.iter().filter(|field| field.datatype.starts_with("STRING_"));
        let mut cells = texts.flat_map(|field| (0..field.len()).filter_map(|at| field.stored(at)));
        cells.any(|cell| std::str::from_utf8(cell).is_err())
    }

    /// Everything that looks at an array, and everything that merges, removes and writes schemas, with what it would do said before.
    fn maintenance(&self) -> Result<(), String> {
        let uri = self.uri.as_str();
        let looks: [&[&str]; 6] =
            [&["info", "--all"], &["info", "--json"], &["head"], &["picture", "-o", "-"], &["tree"], &["verify"]];
        // Two golden arrays have boxes whose low end is above the high one.
        let is_sound = !uri.starts_with("v3/sparse_datetime") && !uri.starts_with("v4/sparse_datetime");
        for arguments in looks.iter().filter(|arguments| is_sound || arguments[0] != "verify") {
            self.run(&[arguments, &[uri][..]].concat())?;
        }
        self.run(&["ls", uri.rsplit_once('/').unwrap().0])?;
        let version: u32 = uri.split_once('/').unwrap().0[1..].parse().unwrap();
        for arguments in [
            &["consolidate", "--mode", "commits"][..],
            &["consolidate", "--mode", "fragment-meta"],
            &["consolidate", "--mode", "array-meta"],
            &["consolidate"],
            &["vacuum", "--mode", "commits"],
            &["vacuum", "--mode", "array-meta"],
            &["vacuum"],
            &["sweep"],
            &["upgrade"],
            &["consolidate", "--mode", "fragment-meta"],
            &["vacuum", "--mode", "fragment-meta"],
        ] {
            // Fragments had no commits before.
            if version < 12 && arguments.last() == Some(&"commits") {
                continue;
            }
            let before = files(&self.story.path().join(uri));
            self.run(&[arguments, &["--dry-run", uri]].concat())?;
            if before != files(&self.story.path().join(uri)) {
                return Err(format!("{arguments:?} --dry-run changes the array"));
            }
            self.run(&[arguments, &[uri]].concat())?;
            if arguments.len() == 1 {
                self.json().map_err(|error| format!("after {arguments:?}: {error}"))?;
            }
        }
        if is_sound { self.run(&["verify", uri]).map(drop) } else { Ok(()) }
    }
}

/// Files with their sizes.
fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut listed = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            listed.extend(files(&path));
        }
        listed.push((path.clone(), path.metadata().unwrap().len()));
    }
    listed.sort();
    listed
}

#[test]
fn cat_prints_the_cells_recorded_by_the_reference() {
    let story = Story::new();
    let all = cases(story.path());
    assert!(!all.is_empty(), "CASES names none");
    let (next, compared, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(name) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(case) = Case::new(&story, name) else { continue };
            compared.fetch_add(1, Ordering::Relaxed);
            let is_maintained = number(name).is_multiple_of(3) || std::env::var_os("CASES").is_some();
            let maintenance = if is_maintained { case.maintenance() } else { Ok(()) };
            for (what, result) in
                [("csv", case.csv()), ("json", case.json()), ("arrow", case.arrow()), ("maintenance", maintenance)]
            {
                if let Err(error) = result {
                    wrong.lock().unwrap().push(format!("{name}, {what}: {error}"));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let wrong = wrong.into_inner().unwrap();
    println!("{} arrays", compared.load(Ordering::Relaxed));
    assert!(wrong.is_empty(), "{} of {} arrays:\n{}", wrong.len(), compared.into_inner(), wrong.join("\n"));
}
