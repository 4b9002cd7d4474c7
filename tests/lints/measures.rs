//! The table in docs/architecture.md of what each crate declares as `pub`, what other crates import of it, and its `unsafe`.
//!
//! `BLESS=1 cargo test --test lints -- measures` writes the table anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use super::house::{HOUSE, House};

const PAGE: &str = "docs/architecture.md";
const HEAD: &str = "| crate | `pub` | before | imported by others | `unsafe` |\n|---|--:|--:|--:|--:|\n";

/// Declarations that were `pub` before there was the crate `tiledb`.
const BEFORE: [(&str, usize); 10] = [
    ("array", 935),
    ("arrow", 116),
    ("capi", 763),
    ("cells", 635),
    ("core", 592),
    ("filters", 254),
    ("maintain", 128),
    ("query", 1011),
    ("rest", 294),
    ("storage", 260),
];

/// Declarations may change by this share before the table is written anew.
const TOLERANCE_PERCENT: usize = 5;

#[derive(Default, Debug, PartialEq, Eq)]
struct Measures {
    /// Items, methods and fields that are declared as `pub`, outside of tests.
    public: usize,
    /// Items and modules of the crate that others name by a path.
    imported: usize,
    /// Blocks and items that are `unsafe`.
    unsafes: usize,
}

/// The crate that a path names.
fn crate_of(first: &str) -> Option<&str> {
    first.strip_prefix("tiledb_").or((first == "tiledb").then_some(first))
}

/// The item of a crate that a path names: what follows a type belongs to it.
fn item(segments: &[String]) -> String {
    let is_type = |name: &String| name.starts_with(char::is_uppercase);
    let length = segments.iter().position(is_type).map_or(segments.len(), |place| place + 1);
    segments[..length].join("::")
}

/// The measures of each crate, by the name of its first module: `query` for `tiledb-query`.
fn measures(house: &House) -> BTreeMap<String, Measures> {
    let mut measures: BTreeMap<String, Measures> = BTreeMap::new();
    let mut imported: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for file in &house.files {
        let Some(own) = file.module.first() else { continue };
        let counts = measures.entry(own.clone()).or_default();
        counts.public += file.public;
        counts.unsafes += file.unsafes.len();
        for path in &file.paths {
            let used = path.segments.first().and_then(|first| crate_of(first));
            if let Some(used) = used.filter(|used| used != own) {
                imported.entry(used).or_default().insert(item(&path.segments));
            }
        }
    }
    for (name, counts) in &mut measures {
        counts.imported = imported.get(name.as_str()).map_or(0, BTreeSet::len);
    }
    measures
}

/// The name of a crate, as Cargo knows it.
fn package(name: &str) -> String {
    if name == "tiledb" { name.to_owned() } else { format!("tiledb-{name}") }
}

fn table(measures: &BTreeMap<String, Measures>) -> String {
    let mut table = HEAD.to_owned();
    for (name, counts) in measures {
        let before =
            BEFORE.iter().find(|(listed, _)| listed == name).map_or(String::new(), |(_, count)| count.to_string());
        let Measures { public, imported, unsafes } = counts;
        writeln!(table, "| `{}` | {public} | {before} | {imported} | {unsafes} |", package(name)).unwrap();
    }
    table
}

/// The table on a page.
fn standing(page: &str) -> &str {
    let start = page.find(HEAD).expect("the page has the table");
    let end = page[start..].find("\n\n").map_or(page.len(), |length| start + length + 1);
    &page[start..end]
}

/// The numbers of a row, by the name of the crate.
fn rows(table: &str) -> BTreeMap<&str, Vec<usize>> {
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().parse().unwrap_or(0)).collect();
    table.lines().skip(2).filter_map(|row| Some((row.split('`').nth(1)?, cells(row)))).collect()
}

/// Rows of the table that are no longer right: `unsafe` must be exact, other numbers nearly so.
fn wrong(committed: &str, actual: &str) -> Vec<String> {
    let (committed, actual) = (rows(committed), rows(actual));
    let names: BTreeSet<&str> = committed.keys().chain(actual.keys()).copied().collect();
    let is_near = |(place, (a, b)): (usize, (&usize, &usize))| match place {
        2 | 4 => a.abs_diff(*b) * 100 <= TOLERANCE_PERCENT * b.max(&20),
        _ => a == b,
    };
    let is_right = |name: &&str| match (committed.get(name), actual.get(name)) {
        (Some(committed), Some(actual)) if committed.len() == actual.len() => {
            committed.iter().zip(actual).enumerate().all(is_near)
        }
        _ => false,
    };
    let wrong = names.into_iter().filter(|name| !is_right(name));
    wrong.map(|name| format!("{name}: {:?}, not {:?}", actual.get(name), committed.get(name))).collect()
}

#[test]
fn measures_of_the_crates_are_those_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).unwrap();
    let actual = table(&measures(&HOUSE));
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&path, page.replace(standing(&page), &actual)).unwrap();
    }
    let wrong = wrong(standing(&page), &actual);
    assert!(
        wrong.is_empty(),
        "run `BLESS=1 cargo test --test lints -- measures` to write the table in {PAGE}:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn planted_crates_are_measured() {
    let house = House::planted(&[
        (
            "crates/tiledb-core/src/lib.rs",
            "pub struct A { pub x: u8, y: u8 } impl A { pub fn f() {} fn g() {} } pub(crate) fn p() {} \
             #[cfg(test)] mod tests { pub fn t() {} } fn u(p: *const u8) -> u8 { unsafe { *p } }",
        ),
        ("crates/tiledb/src/lib.rs", "pub use tiledb_core::A; fn f() { tiledb_core::A::f(); }"),
        ("crates/tiledb/src/other.rs", "use tiledb_core::A;"),
    ]);
    let measures = measures(&house);
    assert_eq!(measures["core"], Measures { public: 3, imported: 1, unsafes: 1 });
    assert_eq!(measures["tiledb"], Measures { public: 1, imported: 0, unsafes: 0 });
}

#[test]
fn stale_rows_are_reported() {
    let row = |public: usize, unsafes: usize| format!("{HEAD}| `tiledb-core` | {public} | 7 | 40 | {unsafes} |\n");
    assert_eq!(wrong(&row(100, 3), &row(105, 3)), Vec::<String>::new());
    assert_eq!(wrong(&row(100, 3), &row(106, 3)).len(), 1);
    assert_eq!(wrong(&row(100, 3), &row(100, 2)).len(), 1);
    assert_eq!(wrong(HEAD, &row(100, 2)).len(), 1);
}
